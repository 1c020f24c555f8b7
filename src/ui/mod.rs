//! The full-screen interface: a fold of engine events and of the person's own actions, drawn on request.
//!
//! Must not: import the engine, tools, providers or permissions; block; draw without a change.

pub mod cells;
pub mod draw;
pub mod fold;
pub mod frame;
pub mod input;
pub mod layout;
pub mod model;
pub mod msg;
pub mod overlays;
pub mod panes;
pub mod run;
pub mod term;
pub mod theme;
pub mod update;
pub mod widgets;
