//! What a tool is to the model, and what its call looks like to the person.

use super::ids::{AgentId, TaskId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool as the model sees it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Unique in a pool; `[a-zA-Z0-9_-]{1,64}`.
    pub name: String,
    /// For the model.
    pub description: String,
    /// JSON schema (draft 2020-12) of type object.
    pub schema: Value,
}

/// How the outcome of a call is drawn. A new tool picks one of these and changes no pane.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Display {
    /// The summary says it all.
    #[default]
    None,
    /// Plain text, folded when long. Cleaned of control bytes.
    Text {
        /// The text (bounded by the tool to some hundred lines).
        text: String,
    },
    /// Lines found by a search or a listing.
    Listing {
        /// The first lines (bounded).
        lines: Vec<String>,
        /// How many there are in all.
        total: usize,
    },
    /// A command and its output.
    Command {
        /// Head and tail of the output, cleaned and bounded.
        output: String,
        /// The exit code, if it ended by itself.
        exit: Option<i32>,
    },
    /// A change of a file.
    Diff {
        /// Relative to the project where possible.
        path: String,
        /// The changed places (bounded).
        hunks: Vec<DiffHunk>,
        /// Lines added in all.
        added: usize,
        /// Lines removed in all.
        removed: usize,
    },
    /// The to-do list.
    Todos {
        /// All entries.
        todos: Vec<Todo>,
    },
    /// A child agent, drawn from its own row.
    Agent {
        /// The child.
        id: AgentId,
    },
    /// A background task that was launched or read.
    Task {
        /// The task.
        id: TaskId,
    },
}

/// A changed place of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DiffHunk {
    /// Context, removed and added lines in order.
    pub lines: Vec<DiffLine>,
}

/// A line of a hunk, without its line end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DiffLine {
    /// What happened to it.
    pub kind: DiffLineKind,
    /// Line number before, from 1.
    pub old: Option<usize>,
    /// Line number after, from 1.
    pub new: Option<usize>,
    /// Cleaned of control bytes.
    pub text: String,
}

/// What happened to a line.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiffLineKind {
    /// Unchanged, shown for orientation.
    Context,
    /// New.
    Added,
    /// Gone.
    Removed,
}

/// An entry of the session's to-do list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Todo {
    /// What is to do.
    pub content: String,
    /// How far it is.
    pub status: TodoStatus,
    /// What is being done, shown while in progress.
    #[serde(rename = "activeForm", default)]
    pub active_form: String,
}

/// How far a to-do is.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    /// Not begun.
    Pending,
    /// Being done; one at most.
    InProgress,
    /// Done.
    Completed,
}
