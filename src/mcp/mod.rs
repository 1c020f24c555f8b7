//! Servers of the Model Context Protocol (SPEC X4): their configuration, their connections, their tools.
//!
//! Everything goes on in background tasks: nothing here makes the interface or a turn wait. Must not: decide about
//! permissions, believe what a server says of its own tools, or start a project's server before the folder is trusted
//! (the caller says whether it is).

mod client;
pub mod config;
mod content;
mod expand;
mod http;
mod lines;
mod list;
mod log;
mod names;
mod process;
mod schema;
mod secrets;
mod state;
mod tool;

pub use client::{Connections, Limits, start, start_with};
pub use config::{Endpoint, Server, load};
pub use state::McpEvent;

#[cfg(test)]
mod tests;
