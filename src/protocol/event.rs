//! What happened, in the past tense: one stream for the parent, its children and tasks. The view is a fold of it.
//!
//! Deltas may be merged on the way; everything else is never dropped. `stream-json` prints these, so a change of
//! shape is a change of the version number.

use super::agent::{AgentInfo, AgentOutcome, Denied};
use super::ids::{AgentId, ApprovalId, CallId, TaskId};
use super::message::Origin;
use super::permission::{Answer, Approval, Mode};
use super::tool::{Display, Todo};
use super::usage::{Gauge, Usage};
use serde::{Deserialize, Serialize};

/// Version of the event format.
pub const EVENT_VERSION: u32 = 1;

/// One thing that happened.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Event {
    /// [`EVENT_VERSION`].
    pub v: u32,
    /// Rises by at least one per event of a process.
    pub seq: u64,
    /// Milliseconds since the Unix epoch.
    pub at: u64,
    /// Whose event.
    pub agent: AgentId,
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// How loud a notice is.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// For information.
    Info,
    /// The answer of a slash command: text with its own layout.
    Output,
    /// Something needs attention.
    Warning,
    /// Something failed.
    Error,
}

/// How a turn ended.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum TurnEnding {
    /// A reply without calls.
    Completed,
    /// By the person.
    Interrupted,
    /// At `max_turns`.
    Limit {
        /// The limit.
        max: u32,
    },
    /// The tree's budget is used up.
    OverBudget,
    /// By an error.
    Failed {
        /// Which.
        error: TurnError,
    },
}

/// An error that ended a turn, as data.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TurnError {
    /// `authentication`, `not_found`, `invalid_request`, `context_overflow`, `rate_limit`, `overloaded`, `server`, `network`, `stream`, `idle`, `script`, `loop`, `internal`.
    pub kind: String,
    /// What happened.
    pub message: String,
    /// What to do; may be empty.
    pub hint: String,
}

/// What happened. In JSON the tag is `kind`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum EventKind {
    /// A session is open: new, resumed or another one. Clears the view.
    SessionStarted {
        /// Its id.
        session_id: String,
        /// The project folder.
        cwd: String,
        /// The provider's name.
        provider: String,
        /// The model's name.
        model: String,
        /// The mode at the start.
        mode: Mode,
        /// Whether this session had turns before.
        resumed: bool,
    },
    /// The git branch and the number of changed files became known.
    BranchRead {
        /// None outside a repository.
        branch: Option<String>,
        /// Changed files.
        changed: u32,
    },
    /// A turn began.
    TurnStarted,
    /// A turn ended; the agent is idle (`main`) or finished (a child).
    TurnEnded {
        /// How.
        ending: TurnEnding,
    },
    /// A text entered the history on the user's side.
    UserMessage {
        /// The text.
        text: String,
        /// Who said it.
        origin: Origin,
    },
    /// The messages that wait for a safe point, after a change.
    QueueChanged {
        /// Oldest first.
        texts: Vec<String>,
    },
    /// A queued message was taken back; it belongs into the composer.
    Unqueued {
        /// The text.
        text: String,
    },
    /// A request went out.
    RequestStarted {
        /// From 1, per turn for `main`, in all for a child.
        n: u32,
        /// The limit.
        max: u32,
    },
    /// Words of the model, in pieces.
    TextDelta {
        /// The piece.
        text: String,
    },
    /// Reasoning of the model, in pieces.
    ThinkingDelta {
        /// The piece.
        text: String,
    },
    /// The text and reasoning of the running request are void: the stream broke and is asked again.
    StreamReset,
    /// A reply is complete: open text and thinking cells are finished.
    ReplyFinished {
        /// Of this request.
        usage: Usage,
    },
    /// A request failed and is tried again.
    Retrying {
        /// The coming try, from 2.
        attempt: u32,
        /// Tries at most.
        max: u32,
        /// Milliseconds until then.
        wait_ms: u64,
        /// Why.
        reason: String,
    },
    /// A call began (it may still wait for a permission).
    ToolStarted {
        /// The call.
        call: CallId,
        /// The tool.
        name: String,
        /// One line: the command, the path, the pattern. Cleaned.
        title: String,
    },
    /// Output of a running call; replaces the former tail.
    ToolProgressed {
        /// The call.
        call: CallId,
        /// The last lines, cleaned.
        tail: String,
    },
    /// A call ended.
    ToolFinished {
        /// The call.
        call: CallId,
        /// Whether it is an error.
        is_error: bool,
        /// A few words: `12 matches`, `88 lines`, `exit 1`.
        summary: String,
        /// How to draw it.
        display: Display,
    },
    /// A call was refused by a rule, a mode, the person, or because nobody can be asked.
    CallRefused {
        /// What and why.
        denied: Denied,
    },
    /// The person is asked.
    PermissionAsked {
        /// The question.
        approval: Approval,
    },
    /// A question is gone: answered, or its asker ended (then without answer).
    PermissionResolved {
        /// Which.
        id: ApprovalId,
        /// The answer.
        answer: Option<Answer>,
    },
    /// A child exists; `agent` of the event is the child.
    AgentSpawned {
        /// What it is.
        info: AgentInfo,
        /// The parent's call; none for a steered resume.
        call: Option<CallId>,
        /// It waits for a free place (SPEC S17).
        pending: bool,
    },
    /// A waiting child began to work.
    AgentStarted,
    /// A child moved to the background.
    AgentBackgrounded,
    /// A message was handed to a child.
    AgentSteered {
        /// The words.
        text: String,
    },
    /// A child is silent, not in a tool and without a live descendant (SPEC S22); or no longer so.
    AgentStalled {
        /// Whether it is stalled now.
        stalled: bool,
    },
    /// A child ended.
    AgentFinished {
        /// How, and what it cost.
        outcome: AgentOutcome,
    },
    /// A background command started.
    TaskStarted {
        /// `b1`…
        task: TaskId,
        /// The command line, cleaned.
        command: String,
        /// The model's words for it; may be empty.
        description: String,
    },
    /// Output of a background command; replaces the former tail.
    TaskOutput {
        /// Which.
        task: TaskId,
        /// The last lines, cleaned.
        tail: String,
    },
    /// A background command ended.
    TaskFinished {
        /// Which.
        task: TaskId,
        /// None when it was killed.
        exit: Option<i32>,
        /// `completed`, `failed`, `cancelled`, `interrupted`.
        status: String,
    },
    /// A task was taken off the lists.
    TaskDismissed {
        /// Which.
        task: TaskId,
    },
    /// The to-do list changed.
    TodosChanged {
        /// All entries.
        todos: Vec<Todo>,
    },
    /// Tokens and cost of one agent, after a request or an estimate.
    UsageUpdated {
        /// The agent's context.
        gauge: Gauge,
        /// The agent's sum.
        usage: Usage,
        /// US dollars of the agent.
        cost_usd: f64,
    },
    /// The history was summed up.
    Compacted {
        /// Tokens before.
        before: u64,
        /// Tokens after (an estimate).
        after: u64,
        /// The summary.
        summary: String,
    },
    /// The mode changed.
    ModeChanged {
        /// To what.
        mode: Mode,
    },
    /// The model changed.
    ModelChanged {
        /// The provider's name.
        provider: String,
        /// The model's name.
        model: String,
    },
    /// The agent types, after a start or a change: for the `/agents` picker and `@agent` completion.
    AgentTypes {
        /// All of them, enabled or not, sorted by name.
        types: Vec<AgentTypeView>,
    },
    /// Slash commands beyond the built-in ones (own commands, skills): (name, description).
    Commands {
        /// Sorted by name.
        commands: Vec<(String, String)>,
    },
    /// The folder's project files would start or decide something; the person is asked once (SPEC R7).
    TrustAsked {
        /// One line for each file and what it would do.
        items: Vec<String>,
    },
    /// Words for the person.
    Notice {
        /// How loud.
        level: Level,
        /// What happened.
        text: String,
        /// What to do; may be empty.
        hint: String,
    },
    /// Nothing runs and nothing waits to be delivered: the next words start from rest.
    Settled,
    /// The engine has ended; nothing follows.
    Closed,
}

/// An agent type as the picker shows it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AgentTypeView {
    /// Its name.
    pub name: String,
    /// When to use it.
    pub description: String,
    /// `built-in`, `user`, `project`, or the file's path.
    pub source: String,
    /// For reading: `all`, or the names.
    pub tools: String,
    /// `inherit`, or the name.
    pub model: String,
    /// Whether it can be used.
    pub enabled: bool,
}
