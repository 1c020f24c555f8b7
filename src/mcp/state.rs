//! How a server stands, and what is reported of it.

use crate::tools::Tool;
use std::sync::Arc;

/// Something that happened to a server.
#[derive(Clone)]
pub enum McpEvent {
    /// It answered; these are its tools, sorted by name, with names that no other server's tools have.
    Ready {
        /// Its name in the configuration.
        server: String,
        /// Its tools; they stay callable for as long as the connections live.
        tools: Vec<Arc<dyn Tool>>,
    },
    /// It could not be started, or did not answer in time.
    Failed {
        /// Its name in the configuration.
        server: String,
        /// One line, clean, without secrets.
        reason: String,
    },
    /// It was ready and has ended; calls of its tools are error results from now on.
    Closed {
        /// Its name in the configuration.
        server: String,
        /// One line, clean, without secrets.
        reason: String,
    },
}

impl std::fmt::Debug for McpEvent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ready { server, tools } => write!(f, "Ready {{ {server}, {} tools }}", tools.len()),
            Self::Failed { server, reason } => write!(f, "Failed {{ {server}: {reason} }}"),
            Self::Closed { server, reason } => write!(f, "Closed {{ {server}: {reason} }}"),
        }
    }
}

/// How a server stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum State {
    /// It has not answered yet.
    Starting,
    /// It can be called.
    Ready {
        /// How many tools it offers.
        tools: usize,
    },
    /// It never was ready.
    Failed(String),
    /// It was ready.
    Closed(String),
    /// We ended it.
    Stopped,
}

impl State {
    /// Why it cannot be called, if so.
    pub(super) fn over(&self) -> Option<&str> {
        match self {
            Self::Starting | Self::Ready { .. } => None,
            Self::Failed(reason) | Self::Closed(reason) => Some(reason),
            Self::Stopped => Some("it was stopped"),
        }
    }
}
