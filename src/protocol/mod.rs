//! Plain data that crosses between the engine and the interface, and into the session log.
//!
//! Must not: do IO, know a clock, or depend on tokio or any other module of this crate.

pub mod agent;
pub mod event;
pub mod history;
pub mod ids;
pub mod message;
pub mod op;
pub mod permission;
pub mod tool;
pub mod usage;

pub use agent::{AgentInfo, AgentOutcome, Budget, Denied, Ending};
pub use event::{Event, EventKind, Level};
pub use history::{History, HistoryError};
pub use ids::{AgentId, ApprovalId, CallId, TaskId};
pub use message::{AssistantBlock, AssistantMessage, CallFault, Message, Origin, ToolCall, ToolResult, UserContent, UserMessage};
pub use op::Op;
pub use permission::{Answer, Approval, ApprovalBody, Mode};
pub use tool::{DiffHunk, DiffLine, DiffLineKind, Display, Todo, TodoStatus, ToolSpec};
pub use usage::{Gauge, Usage};
