//! The state that engine events are folded into. Plain data; no scroll positions, no cursors (those are pane states).

use crate::protocol::event::{AgentTypeView, TurnEnding};
use crate::protocol::{AgentId, AgentInfo, AgentOutcome, Approval, CallId, Display, Gauge, Level, Mode, Origin, TaskId, Todo, Usage};
use std::collections::{BTreeMap, HashMap};

/// Everything that the panes draw.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Model {
    /// What the header shows.
    pub header: Header,
    /// A conversation for `main` and for each child.
    pub transcripts: BTreeMap<AgentId, Transcript>,
    /// The children, by id.
    pub agents: BTreeMap<AgentId, AgentRow>,
    /// The background commands, by id.
    pub commands: BTreeMap<TaskId, CommandRow>,
    /// The session's to-do list.
    pub todos: Vec<Todo>,
    /// Messages that wait for a safe point, oldest first.
    pub queued: Vec<String>,
    /// Open questions in the order of their arrival.
    pub approvals: Vec<Approval>,
    /// `main`'s context.
    pub gauge: Gauge,
    /// `main`'s tokens.
    pub usage: Usage,
    /// US dollars of `main`.
    pub cost_usd: f64,
    /// Since when `main`'s turn runs, in milliseconds since the Unix epoch.
    pub turn_since: Option<u64>,
    /// How the last turn of `main` ended.
    pub last_ending: Option<TurnEnding>,
    /// The last retry of `main`, until something else arrives.
    pub retry: Option<RetryView>,
    /// All agent types.
    pub agent_types: Vec<AgentTypeView>,
    /// Own commands and skills: (name, description).
    pub own_commands: Vec<(String, String)>,
    /// What a trust question lists; none when nothing is asked.
    pub trust: Option<Vec<String>>,
    /// Short words that appear for some seconds, newest last: completions and warnings.
    pub toasts: Vec<Toast>,
    /// Time of the newest event, in milliseconds since the Unix epoch.
    pub at: u64,
    /// Raised by every change.
    pub version: u64,
    /// The engine has ended.
    pub closed: bool,
    /// The id of the next item; never starts again, so that a render cache cannot mix two sessions up.
    pub next_item: u64,
}

/// The header's facts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Header {
    /// The project folder, `~` for the home.
    pub cwd: String,
    /// The git branch.
    pub branch: Option<String>,
    /// Changed files.
    pub changed: u32,
    /// The provider's name.
    pub provider: String,
    /// The model's name.
    pub model: String,
    /// The permission mode.
    pub mode: Mode,
    /// The session's id.
    pub session: String,
}

/// The conversation of one agent.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Transcript {
    /// Oldest first, by rising id; only the last few can still change.
    pub items: Vec<Item>,
    /// Raised by every change.
    pub version: u64,
    /// The item of each call, by id.
    pub calls: HashMap<CallId, u64>,
    /// Calls without an end yet, oldest first.
    pub live: Vec<CallId>,
    /// What the running request streams into.
    pub stream: StreamView,
    /// Messages that were handed over and shown, and will come once more as history; bounded.
    pub handed: Vec<String>,
    /// Items that were taken out at the front to stay within bounds.
    pub dropped: usize,
    /// About how many bytes the items hold.
    pub bytes: usize,
}

impl Transcript {
    /// The cell of a call, with its tool part.
    #[must_use]
    pub fn tool(&self, call: &CallId) -> Option<(&Item, &ToolItem)> {
        let id = self.calls.get(call)?;
        let item = self.items.get(self.items.binary_search_by_key(id, |i| i.id).ok()?)?;
        match &item.kind {
            ItemKind::Tool(tool) => Some((item, tool)),
            ItemKind::User { .. } | ItemKind::Assistant { .. } | ItemKind::Thinking { .. } | ItemKind::Notice { .. } | ItemKind::Compacted { .. } => None,
        }
    }
}

/// The open cells of a request.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StreamView {
    /// The open text item.
    pub text: Option<u64>,
    /// The open reasoning item.
    pub thinking: Option<u64>,
    /// Text and reasoning from this item id on belong to the running request.
    pub from: u64,
}

/// One cell of a conversation. (`id`, width, `version`) is the key of the render cache.
#[derive(Clone, PartialEq, Debug)]
pub struct Item {
    /// Unique in the process.
    pub id: u64,
    /// Raised by every change of this item.
    pub version: u32,
    /// Time of its first event, in milliseconds since the Unix epoch.
    pub at: u64,
    /// Time of its newest event, in milliseconds since the Unix epoch.
    pub until: u64,
    /// What it is.
    pub kind: ItemKind,
}

/// What a cell shows.
#[derive(Clone, PartialEq, Debug)]
pub enum ItemKind {
    /// A text on the user's side.
    User {
        /// The text.
        text: String,
        /// Who said it.
        origin: Origin,
    },
    /// Markdown of the model.
    Assistant {
        /// The text so far.
        text: String,
        /// No more will come.
        done: bool,
    },
    /// Reasoning, folded by default.
    Thinking {
        /// The text so far.
        text: String,
        /// No more will come.
        done: bool,
    },
    /// A tool call.
    Tool(ToolItem),
    /// Words of the program.
    Notice {
        /// How loud.
        level: Level,
        /// What happened.
        text: String,
        /// What to do.
        hint: String,
    },
    /// The history was summed up here.
    Compacted {
        /// Tokens before.
        before: u64,
        /// Tokens after.
        after: u64,
        /// The summary.
        summary: String,
    },
}

/// A tool call as a cell.
#[derive(Clone, PartialEq, Debug)]
pub struct ToolItem {
    /// The call.
    pub call: CallId,
    /// The tool.
    pub name: String,
    /// The command, the path, the pattern.
    pub title: String,
    /// How far it is.
    pub state: ToolState,
    /// A few words about the outcome.
    pub summary: String,
    /// The last lines of a running call.
    pub tail: String,
    /// How to draw the outcome.
    pub display: Display,
    /// The child that an `Agent` call spawned.
    pub agent: Option<AgentId>,
    /// When it ended, in milliseconds since the Unix epoch.
    pub ended: Option<u64>,
}

/// How far a call is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ToolState {
    /// Running.
    Running,
    /// Waiting for the person.
    Asking,
    /// Good.
    Done,
    /// An error result.
    Failed,
}

/// A child.
#[derive(Clone, PartialEq, Debug)]
pub struct AgentRow {
    /// What it is; `background` follows a move.
    pub info: AgentInfo,
    /// How far it is.
    pub state: AgentState,
    /// Requests so far.
    pub requests: u32,
    /// Tool calls so far.
    pub tool_uses: u32,
    /// Its tokens.
    pub usage: Usage,
    /// US dollars.
    pub cost_usd: f64,
    /// Its context.
    pub gauge: Gauge,
    /// Its running call: (tool, title, since).
    pub current: Option<(String, String, u64)>,
    /// Its last calls, newest last, bounded: what the trace pane lists. Points into its transcript by call id.
    pub recent: Vec<CallId>,
    /// When it started, in milliseconds since the Unix epoch.
    pub started: u64,
    /// When it ended.
    pub ended: Option<u64>,
    /// Silent for too long.
    pub stalled: bool,
    /// The last retry, until something else arrives.
    pub retry: Option<RetryView>,
    /// How it ended.
    pub outcome: Option<AgentOutcome>,
    /// Taken off the lists.
    pub dismissed: bool,
    /// Raised by every change of this row.
    pub version: u64,
}

/// How far a child is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum AgentState {
    /// Waits for a free place.
    Pending,
    /// Works.
    Running,
    /// Waits for the person.
    Asking,
    /// Ended; see the outcome.
    Finished,
}

/// A background command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandRow {
    /// `b1`…
    pub id: TaskId,
    /// The command line.
    pub command: String,
    /// The model's words for it.
    pub description: String,
    /// The last lines of its output.
    pub tail: String,
    /// When it started.
    pub started: u64,
    /// When it ended.
    pub ended: Option<u64>,
    /// The exit code.
    pub exit: Option<i32>,
    /// `running`, `completed`, `failed`, `cancelled`, `interrupted`.
    pub status: String,
    /// Taken off the lists.
    pub dismissed: bool,
}

/// A retry that waits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RetryView {
    /// The coming try.
    pub attempt: u32,
    /// Tries at most.
    pub max: u32,
    /// When it starts, in milliseconds since the Unix epoch.
    pub until: u64,
    /// Why.
    pub reason: String,
}

/// Short words that go away by themselves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Toast {
    /// How loud.
    pub level: Level,
    /// The words.
    pub text: String,
    /// Since when, in milliseconds since the Unix epoch.
    pub at: u64,
}
