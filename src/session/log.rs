//! Session files: log.
