//! What comes back from the tasks that the engine spawns. Plain messages; stale ones are told by their epoch or id.

use crate::protocol::{AgentId, CallId};
use crate::providers::{ProviderError, Reply, StreamEvent};
use crate::tools::Outcome;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Something that a spawned task reports.
#[derive(Debug)]
pub enum Feedback {
    /// The stream buffer of a request has something new.
    Stream {
        /// Whose request.
        agent: AgentId,
        /// Which request.
        epoch: u64,
    },
    /// A request ended.
    Reply {
        /// Whose request.
        agent: AgentId,
        /// Which request.
        epoch: u64,
        /// What came.
        result: Result<Reply, ProviderError>,
    },
    /// A summary request ended.
    Summary {
        /// Whose.
        agent: AgentId,
        /// Which request.
        epoch: u64,
        /// What came.
        result: Result<Reply, ProviderError>,
    },
    /// Output of a running call.
    Progress {
        /// Whose call.
        agent: AgentId,
        /// The call.
        call: CallId,
        /// The last lines.
        tail: String,
    },
    /// A call ended.
    Call {
        /// Whose call.
        agent: AgentId,
        /// The call.
        call: CallId,
        /// What came of it.
        outcome: Outcome,
    },
    /// A waiting `TaskOutput` gives up.
    WaitOver {
        /// Whose call.
        agent: AgentId,
        /// The call.
        call: CallId,
    },
    /// A worktree for a child is ready, or could not be made.
    Worktree {
        /// The child.
        agent: AgentId,
        /// The folder and the branch.
        result: Result<(std::path::PathBuf, String), String>,
    },
    /// A child's worktree was looked at and removed when unchanged.
    WorktreeClosed {
        /// The child.
        agent: AgentId,
        /// The branch that holds its changes, if there are any.
        branch: Option<String>,
    },
    /// A server of the Model Context Protocol became ready, failed or ended.
    Mcp(crate::mcp::McpEvent),
    /// The repository's branch and number of changed files.
    Branch {
        /// None outside a repository.
        branch: Option<String>,
        /// Changed files.
        changed: u32,
    },
}

/// Pieces of a stream, merged while nobody takes them: at most one wake-up waits per request.
#[derive(Debug, Default)]
pub struct StreamBuffer {
    inner: Mutex<Pieces>,
}

#[derive(Debug, Default)]
struct Pieces {
    events: VecDeque<StreamEvent>,
    woken: bool,
}

impl StreamBuffer {
    /// A new, shared, empty buffer.
    #[must_use]
    pub fn shared() -> Arc<Self> {
        Arc::new(Self::default())
    }

    /// Add a piece; true when the engine must be woken.
    pub fn push(&self, event: StreamEvent) -> bool {
        let mut pieces = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        match (pieces.events.back_mut(), event) {
            (Some(StreamEvent::Text(last)), StreamEvent::Text(new)) | (Some(StreamEvent::Thinking(last)), StreamEvent::Thinking(new)) => last.push_str(&new),
            (_, event) => pieces.events.push_back(event),
        }
        !std::mem::replace(&mut pieces.woken, true)
    }

    /// Take all pieces.
    pub fn take(&self) -> VecDeque<StreamEvent> {
        let mut pieces = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        pieces.woken = false;
        std::mem::take(&mut pieces.events)
    }
}
