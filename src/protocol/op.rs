//! What the interface asks of the engine, in the imperative.

use super::agent::Ending;
use super::ids::{AgentId, ApprovalId, TaskId};
use super::permission::{Answer, Mode};
use serde::{Deserialize, Serialize};

/// A request to the engine. The engine answers with events only.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Op {
    /// A message of the person; queued when a turn runs.
    UserTurn {
        /// What is sent to the model.
        text: String,
        /// Base64 images: (media type, data).
        images: Vec<(String, String)>,
    },
    /// Take the newest queued message back into the composer.
    Unqueue,
    /// Esc: stop the running turn of `main` and its foreground children.
    Interrupt,
    /// An answer to a question.
    Reply {
        /// Which.
        id: ApprovalId,
        /// What.
        answer: Answer,
    },
    /// A message to a child, running or finished.
    Steer {
        /// The child.
        agent: AgentId,
        /// The words.
        text: String,
    },
    /// Ask a child to report now: one last request without tools.
    Stop {
        /// The child.
        agent: AgentId,
    },
    /// End a task at once.
    Abort {
        /// Child or command.
        task: TaskId,
    },
    /// End everything that runs in the background.
    AbortAll,
    /// Move running foreground children and commands to the background; none named: all of `main`.
    ToBackground {
        /// One child only.
        agent: Option<AgentId>,
    },
    /// Take a finished task off the lists.
    Dismiss {
        /// Which.
        task: TaskId,
    },
    /// A shell command of the person (`!command`), run as is; its output joins the conversation.
    Shell {
        /// The command line.
        command: String,
        /// With a trailing `&`: as a background task.
        background: bool,
    },
    /// Sum the history up now.
    Compact {
        /// What to keep in view.
        focus: Option<String>,
    },
    /// Another mode.
    SetMode {
        /// Which.
        mode: Mode,
    },
    /// Another model, or `provider/model`.
    SetModel {
        /// Its name.
        model: String,
    },
    /// Enable or disable an agent type; kept across starts.
    EnableAgentType {
        /// The type's name.
        name: String,
        /// On or off.
        enabled: bool,
    },
    /// A slash command that the engine answers with a text notice (`/tasks`, `/context`, `/cost`, `/status`, …).
    Report {
        /// The command's name without the slash.
        what: String,
        /// What stood behind it.
        args: String,
    },
    /// A skill or an own command typed as `/name args`: expanded by the engine, then a user turn.
    Slash {
        /// Name without the slash.
        name: String,
        /// What stood behind it.
        args: String,
    },
    /// A line for a memory file (`# text`).
    Remember {
        /// The line.
        text: String,
        /// The user's file instead of the project's.
        user: bool,
    },
    /// A fresh session in the same folder.
    NewSession,
    /// Another session of this folder.
    Resume {
        /// Its id.
        session: String,
    },
    /// Read agent types, skills and instructions again.
    Reload,
    /// The answer to the trust question (SPEC R7).
    Trust {
        /// Yes (kept), or go on without the project's files.
        trusted: bool,
    },
    /// End the program's work; background tasks are ended and recorded.
    Shutdown {
        /// How unfinished agents are recorded.
        ending: Ending,
    },
}
