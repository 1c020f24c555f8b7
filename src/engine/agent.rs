//! One agent of the tree: its loop's state and what surrounds it. Plain state; the engine's other files move it.

use super::agents::budget::Pool;
use super::feedback::StreamBuffer;
use super::turn;
use crate::config::schema::ModelFacts;
use crate::permissions::rules::Rule;
use crate::protocol::{AgentId, AgentInfo, AgentOutcome, Budget, CallId, Denied, Ending, Gauge, Mode, ToolSpec, Usage};
use crate::providers::{AgentLabel, Provider};
use crate::session::child::ChildLog;
use crate::tools::files::ReadState;
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;

/// What an agent sends with each request: byte-stable for its life (SPEC P7).
#[derive(Clone)]
pub struct Voice {
    /// System blocks.
    pub system: Arc<Vec<String>>,
    /// The pool as the model sees it, sorted by name.
    pub tools: Arc<Vec<ToolSpec>>,
    /// Where requests go.
    pub provider: Arc<dyn Provider>,
    /// The model's name.
    pub model: String,
    /// Window, limits, prices.
    pub facts: ModelFacts,
    /// How much to think.
    pub effort: Option<String>,
}

/// What an agent may do, beside the session's rules.
#[derive(Clone, Debug, Default)]
pub struct Rights {
    /// It can change nothing; holds in every mode.
    pub read_only: bool,
    /// It has at most the rights of this mode.
    pub mode: Option<Mode>,
    /// Answers "this agent".
    pub rules: Vec<Rule>,
}

/// Where an agent works.
#[derive(Clone, Debug)]
pub struct Place {
    /// The folder of its files: the project, or its own worktree.
    pub workspace: PathBuf,
    /// Its shell's folder.
    pub shell_cwd: Arc<Mutex<PathBuf>>,
    /// What it has read.
    pub reads: Arc<ReadState>,
    /// Its branch, with worktree isolation.
    pub branch: Option<String>,
}

impl Place {
    /// A fresh place in a folder.
    #[must_use]
    pub fn new(workspace: PathBuf) -> Self {
        Self { shell_cwd: Arc::new(Mutex::new(workspace.clone())), workspace, reads: Arc::default(), branch: None }
    }
}

/// A request that is out.
pub struct Running {
    /// Tells stale feedback.
    pub epoch: u64,
    /// Ends it.
    pub abort: AbortHandle,
    /// Its pieces.
    pub buffer: Arc<StreamBuffer>,
    /// Text so far, for an interrupt.
    pub text: String,
    /// It sums the history up.
    pub summary: bool,
}

/// A call that is being worked on.
pub struct RunningCall {
    /// The tool's name in the pool.
    pub tool: String,
    /// For the person.
    pub title: String,
    /// Ends it.
    pub cancel: CancellationToken,
    /// Lifts its time limit when it moves to the background.
    pub detach: CancellationToken,
    /// The child that it waits for.
    pub child: Option<AgentId>,
    /// It may be moved to the background as a command.
    pub command: Option<String>,
    /// The last output.
    pub tail: String,
}

/// How far an agent is.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// Waits for a free place.
    Pending,
    /// Works, or is `main`.
    Active,
    /// Ended; a child can be asked again.
    Finished,
}

/// Working time, without the time spent waiting for the person.
#[derive(Clone, Debug)]
pub struct WorkClock {
    since: Option<Instant>,
    sum: Duration,
}

impl Default for WorkClock {
    fn default() -> Self {
        Self { since: Some(Instant::now()), sum: Duration::ZERO }
    }
}

impl WorkClock {
    /// A clock that stands.
    #[must_use]
    pub fn stopped() -> Self {
        Self { since: None, sum: Duration::ZERO }
    }

    /// Stand still.
    pub fn stop(&mut self) {
        if let Some(since) = self.since.take() {
            self.sum += since.elapsed();
        }
    }

    /// Go on.
    pub fn start(&mut self) {
        self.since.get_or_insert_with(Instant::now);
    }

    /// Time worked so far.
    #[must_use]
    pub fn worked(&self) -> Duration {
        self.sum + self.since.map_or(Duration::ZERO, |s| s.elapsed())
    }
}

/// Counters and facts of an agent's life.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Requests made.
    pub requests: u32,
    /// Calls made.
    pub tool_uses: u32,
    /// Tokens.
    pub usage: Usage,
    /// US dollars.
    pub cost_usd: f64,
    /// Files written, resolved.
    pub written: BTreeSet<PathBuf>,
    /// Refused calls.
    pub denied: Vec<Denied>,
    /// Tools asked for and not given.
    pub dropped: Vec<String>,
}

/// One agent.
pub struct Agent {
    /// Who it is.
    pub id: AgentId,
    /// What it is; none for `main`.
    pub info: Option<AgentInfo>,
    /// Its loop.
    pub state: turn::State,
    /// What it sends with each request.
    pub voice: Voice,
    /// What it may do.
    pub rights: Rights,
    /// Where it works.
    pub place: Place,
    /// How far it is.
    pub status: Status,
    /// The request that is out.
    pub running: Option<Running>,
    /// The calls that are being worked on.
    pub calls: HashMap<CallId, RunningCall>,
    /// The parent's call that waits for it.
    pub call: Option<CallId>,
    /// Its budget and what it used of it.
    pub pool: Pool,
    /// What was reserved from the parent's pool; none when it draws from it directly.
    pub reserved: Option<Budget>,
    /// Told that 80 % are used.
    pub warned: bool,
    /// Why its last request was its last, when a limit or the person ended it.
    pub forced: Option<(Ending, String)>,
    /// Counters and facts.
    pub facts: Facts,
    /// Its context.
    pub gauge: Gauge,
    /// Working time.
    pub clock: WorkClock,
    /// Last sign of life.
    pub heard: Instant,
    /// Reported as stalled.
    pub stalled: bool,
    /// Its transcript.
    pub log: Option<ChildLog>,
    /// The last outcome of a child.
    pub outcome: Option<AgentOutcome>,
    /// Compaction's state.
    pub compaction: super::compact::CompactState,
    /// Works in a git worktree of its own.
    pub isolation: bool,
    /// The first words of the next turn, while it waits for a place or its worktree.
    pub first: Option<(String, crate::protocol::Origin)>,
    /// Its history is only on disk.
    pub forgotten: bool,
    /// Files that others changed since this agent read them, told with the next results.
    pub changed_by: BTreeSet<(PathBuf, AgentId)>,
}

impl Agent {
    /// The label for its requests.
    #[must_use]
    pub fn label(&self) -> AgentLabel {
        AgentLabel {
            id: self.id,
            description: self.info.as_ref().map(|i| i.description.clone()).unwrap_or_default(),
            kind: self.info.as_ref().map(|i| i.kind.clone()).unwrap_or_default(),
        }
    }

    /// Its parent; none for `main`.
    #[must_use]
    pub fn parent(&self) -> Option<AgentId> {
        self.info.as_ref().map(|i| i.parent)
    }

    /// 0 for `main`.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.info.as_ref().map_or(0, |i| i.depth)
    }

    /// Whether its parent does not wait for it.
    #[must_use]
    pub fn is_background(&self) -> bool {
        self.info.as_ref().is_some_and(|i| i.background)
    }

    /// Whether it works or waits for a place.
    #[must_use]
    pub fn is_live(&self) -> bool {
        !self.id.is_main() && self.status != Status::Finished
    }
}
