//! Session files: index.
