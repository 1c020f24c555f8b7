//! Session files: child.
