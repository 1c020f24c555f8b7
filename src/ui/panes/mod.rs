//! The regions of the screen. Each has `mod.rs` (state, keys) and `view.rs` (drawing of `&Model`).

pub mod agents;
pub mod composer;
pub mod conversation;
pub mod status;
pub mod tasks;
