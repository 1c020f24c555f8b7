//! The regions of the screen. Each has `mod.rs` (state, keys) and `view.rs` (drawing of `&Model`).

pub mod agents;
pub mod conversation;
pub mod tasks;
