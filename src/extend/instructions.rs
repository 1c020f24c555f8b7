//! Extensions: instructions.
