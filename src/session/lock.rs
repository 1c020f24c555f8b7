//! Session files: lock.
