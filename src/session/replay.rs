//! Session files: replay.
