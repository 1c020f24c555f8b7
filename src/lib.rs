//! `tui-agent`: a full-screen terminal coding agent whose centre is the subagent.
//!
//! ```text
//! keys, mouse ─▶ ui ──Op──▶ engine ──▶ providers (SSE)
//!                ▲           │  ├────▶ tools, shell
//!                └──Event────┘  └────▶ session log (JSONL)
//! ```
//!
//! Invariants, as absences: the engine never imports the interface; the interface never imports the engine, tools,
//! providers or permissions; no tool knows another; no provider runs a tool; nothing but `main` ends the process;
//! nothing but the interface writes to the terminal. `tests/tidy.rs` checks them.

pub mod action;
pub mod app;
pub mod cli;
pub mod commands;
pub mod config;
pub mod doctor;
pub mod engine;
pub mod extend;
pub mod headless;
pub mod mcp;
pub mod permissions;
pub mod protocol;
pub mod providers;
pub mod screen;
pub mod session;
pub mod tools;
pub mod ui;
pub mod util;
