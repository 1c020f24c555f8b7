//! The full-screen interface: a fold of engine events and of the person's own actions, drawn on request.
//!
//! Must not: import the engine, tools, providers or permissions; block; draw without a change.

pub mod cells;
pub mod fold;
pub mod model;
pub mod panes;
pub mod theme;
pub mod widgets;
