//! How much of an output reaches the model (SPEC T5): head and tail, a note between, the whole in a file.
