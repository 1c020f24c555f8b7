//! The records of a session file. `type` is the tag; unknown types of newer versions are skipped with a note.

use crate::protocol::{AgentId, AgentInfo, AgentOutcome, Message, Mode, TaskId, Todo, Usage};
use serde::{Deserialize, Serialize};

/// Version of the file format, in the first record.
pub const SESSION_VERSION: u32 = 1;

/// One line of a session file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Record {
    /// The first line.
    Session {
        /// [`SESSION_VERSION`].
        v: u32,
        /// The session's id.
        id: String,
        /// The project folder.
        cwd: String,
        /// The provider's name.
        provider: String,
        /// The model's name.
        model: String,
        /// Milliseconds since the Unix epoch.
        at: u64,
    },
    /// A message of the parent's history.
    Message {
        /// The message.
        message: Message,
        /// Milliseconds since the Unix epoch.
        at: u64,
        /// Of the request that gave an assistant message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
    },
    /// A child was made, or a finished one was resumed.
    AgentSpawned {
        /// What it is.
        info: AgentInfo,
        /// Milliseconds since the Unix epoch.
        at: u64,
    },
    /// A child ended: the durable completion (SPEC S25). Delivered when a later message holds its notification or
    /// its result, or a [`Record::Delivered`] says so.
    AgentFinished {
        /// The child.
        id: AgentId,
        /// The ending and the whole report.
        outcome: AgentOutcome,
        /// Whether the parent is owed a notification.
        notify: bool,
        /// Milliseconds since the Unix epoch.
        at: u64,
    },
    /// A foreground child moved to the background.
    AgentBackgrounded {
        /// The child.
        id: AgentId,
    },
    /// A background command started.
    TaskStarted {
        /// The task.
        id: TaskId,
        /// The command line.
        command: String,
        /// The model's words for it.
        description: String,
        /// Milliseconds since the Unix epoch.
        at: u64,
    },
    /// A background command ended: the durable completion.
    TaskFinished {
        /// The task.
        id: TaskId,
        /// The exit code.
        exit: Option<i32>,
        /// `completed`, `failed`, `cancelled`.
        status: String,
        /// Head and tail of the output.
        output: String,
        /// Whether the parent is owed a notification.
        notify: bool,
        /// Milliseconds since the Unix epoch.
        at: u64,
    },
    /// A completion reached the parent in another way than as a notification.
    Delivered {
        /// The task.
        id: TaskId,
    },
    /// The history up to here was replaced: it now begins with these messages (SPEC C4).
    Compacted {
        /// The summary message and what was kept.
        messages: Vec<Message>,
    },
    /// The to-do list changed.
    Todos {
        /// All entries.
        todos: Vec<Todo>,
    },
    /// The mode changed.
    Mode {
        /// To what.
        mode: Mode,
    },
    /// The model changed.
    Model {
        /// The provider's name.
        provider: String,
        /// The model's name.
        model: String,
    },
    /// A rule for the rest of the session.
    Rule {
        /// For example `Bash(cargo test:*)`.
        rule: String,
        /// One agent only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<AgentId>,
    },
    /// A title for the lists.
    Title {
        /// The title.
        title: String,
    },
}
