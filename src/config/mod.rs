//! Configuration: what can be set, where it is read from, and the places on disk.
//!
//! Must not: print, exit, or start anything. Problems are returned as [`Warning`]s with file, line and a hint.

pub mod add_rule;
pub mod keymap;
pub mod load;
pub mod paths;
pub mod schema;
pub mod table;

pub use paths::Paths;
pub use schema::{Config, Warning};
