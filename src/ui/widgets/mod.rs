//! Drawing helpers without knowledge of the protocol: wrap, markdown, highlight, diff, bars, rows, spinner.
//!
//! Must not: know events or messages, keep state between frames (but for a markdown stream), or write outside an area.

pub mod bar;
pub mod diff;
pub mod gauge;
pub mod highlight;
pub mod markdown;
pub mod put;
pub mod row;
pub mod spinner;
#[cfg(test)]
pub mod testing;
pub mod wrap;
