//! The engine: one task that owns every agent of the session, and tells the interface what happens.
//!
//! ```text
//! Op ─▶ Engine::take_op ─┐
//!                        ├─▶ turn::step(state, input) ─▶ effects ─▶ perform ─▶ spawned requests and calls
//! Feedback ─▶ take_feedback ┘                                                        │
//!        ▲───────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! Must not: draw, read keys, or hold a lock while it waits. There is one loop for parent and children ([`turn`]);
//! everything that takes time runs in tasks of its own and comes back as [`feedback::Feedback`].

pub mod agent;
pub mod agents;
pub mod announce;
pub mod approvals;
pub mod background;
pub mod compact;
pub mod context;
pub mod dispatch;
pub mod engine_calls;
pub mod feedback;
pub mod handle;
pub mod journal;
pub mod library;
pub mod ops;
pub mod outbox;
pub mod perform;
pub mod prompt;
pub mod reports;
pub mod requests;
pub mod restore;
pub mod resume;
pub mod run;
pub mod servers;
pub mod turn;

pub use handle::{Handle, SessionChoice, Setup, spawn};
