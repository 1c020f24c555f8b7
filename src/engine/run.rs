//! The engine's one task: takes ops and feedback, steps the machines, performs effects, sends events.

use super::agent::Agent;
use super::agents::pool::Toolbox;
use super::approvals::Queue;
use super::background::Commands;
use super::engine_calls::Wait;
use super::feedback::Feedback;
use super::handle::Setup;
use super::journal::Journal;
use super::library::Library;
use super::outbox::Outbox;
use super::turn::{Effect, Input, step};
use crate::permissions::rules::Rule;
use crate::protocol::{AgentId, CallId, Ending, EventKind, Level, Mode, Op, Todo};
use crate::session::log::{SessionLog, SessionStart};
use crate::tools::files::FileLocks;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

/// Rules as the session goes: configuration and flags, then what the person answered.
#[derive(Debug, Default)]
pub struct Rules {
    /// Never.
    pub deny: Vec<Rule>,
    /// Always asked.
    pub ask: Vec<Rule>,
    /// Not asked.
    pub allow: Vec<Rule>,
}

/// All state of a session.
pub struct Engine {
    pub(super) setup: Setup,
    pub(super) out: Outbox,
    pub(super) feedback: mpsc::UnboundedSender<Feedback>,
    feedback_rx: Option<mpsc::UnboundedReceiver<Feedback>>,
    pub(super) agents: BTreeMap<AgentId, Agent>,
    pub(super) next_agent: u32,
    pub(super) pending: VecDeque<AgentId>,
    pub(super) epoch: u64,
    pub(super) approvals: Queue,
    pub(super) commands: Commands,
    pub(super) journal: Journal,
    pub(super) library: Library,
    pub(super) toolbox: Arc<Toolbox>,
    pub(super) mode: Mode,
    pub(super) rules: Rules,
    pub(super) servers: super::servers::Servers,
    pub(super) todos: Vec<Todo>,
    pub(super) rounds_without_todo: u32,
    pub(super) locks: Arc<FileLocks>,
    pub(super) provider_name: String,
    pub(super) closing: bool,
    pub(super) today: String,
    pub(super) trusted: bool,
    pub(super) shells: HashSet<CallId>,
    pub(super) shell_count: u32,
    pub(super) waits: Vec<Wait>,
    settled: bool,
    pub(super) after_compact: Vec<(String, Vec<(String, String)>)>,
    pub(super) work: TaskTracker,
}

/// How often running children and time budgets are looked at.
const TICK: Duration = Duration::from_secs(1);
/// How long the end waits for processes.
const GRACE: Duration = Duration::from_secs(2);

impl Engine {
    /// A fresh engine; nothing is read or started before [`Engine::run`].
    #[must_use]
    pub fn new(setup: Setup, library: Library) -> Self {
        let (feedback, feedback_rx) = mpsc::unbounded_channel();
        // Nothing of it reaches the disk: the real one is opened by `run`.
        let start = SessionStart { cwd: setup.workspace.clone(), provider: String::new(), model: String::new() };
        let log = SessionLog::create(&setup.paths, &start);
        let dir = log.dir().to_path_buf();
        Self {
            mode: setup.config.mode,
            journal: Journal::new(log, dir),
            today: crate::util::time::date(crate::util::time::now_ms()),
            setup,
            out: Outbox::default(),
            feedback,
            feedback_rx: Some(feedback_rx),
            agents: BTreeMap::new(),
            next_agent: 1,
            pending: VecDeque::new(),
            epoch: 0,
            approvals: Queue::default(),
            commands: Commands::default(),
            library,
            toolbox: Arc::new(Toolbox::new(crate::tools::registry::all())),
            rules: Rules::default(),
            servers: super::servers::Servers::default(),
            todos: Vec::new(),
            rounds_without_todo: 0,
            locks: Arc::default(),
            provider_name: String::new(),
            closing: false,
            trusted: false,
            shells: HashSet::new(),
            shell_count: 0,
            waits: Vec::new(),
            settled: false,
            after_compact: Vec::new(),
            work: TaskTracker::new(),
        }
    }

    /// Run until [`Op::Shutdown`] or until the interface is gone.
    pub async fn run(mut self, mut ops: mpsc::Receiver<Op>, events: mpsc::Sender<crate::protocol::Event>) {
        let Some(mut feedback) = self.feedback_rx.take() else { return };
        let mut held = VecDeque::new();
        self.open(&mut ops, &events, &mut feedback, &mut held).await;
        for op in held {
            self.take_op(op).await;
        }
        self.tell_settled(true);
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        while !self.closing {
            self.warn_unsaved();
            let ticking = self.needs_ticks();
            tokio::select! {
                biased;
                permit = events.reserve(), if !self.out.is_empty() => match permit {
                    Ok(permit) => if let Some(event) = self.out.pop() { permit.send(event) },
                    Err(_) => self.shutdown(Ending::Cancelled),
                },
                op = ops.recv() => match op {
                    Some(op) => { self.take_op(op).await; self.tell_settled(true) }
                    None => self.shutdown(Ending::Cancelled),
                },
                Some(f) = feedback.recv() => { self.take_feedback(f); self.tell_settled(false) }
                _ = tick.tick(), if ticking => self.tick(),
            }
        }
        // Processes get their TERM, then their KILL; nothing is left behind (SPEC T4).
        self.servers.stop();
        self.work.close();
        let _ = tokio::time::timeout(GRACE, self.work.wait()).await;
        self.journal.sync();
        self.out.emit(AgentId::MAIN, EventKind::Closed);
        while let Some(event) = self.out.pop() {
            if events.send(event).await.is_err() {
                break;
            }
        }
    }

    fn take_feedback(&mut self, feedback: Feedback) {
        match feedback {
            Feedback::Stream { agent, epoch } => self.stream_came(agent, epoch),
            Feedback::Reply { agent, epoch, result } => self.reply_came(agent, epoch, result),
            Feedback::Summary { agent, epoch, result } => self.summary_came(agent, epoch, result),
            Feedback::Progress { agent, call, tail } => self.progress_came(agent, &call, tail),
            Feedback::Call { agent, call, outcome } => self.call_ended(agent, &call, outcome),
            Feedback::WaitOver { agent, call } => self.wait_over(agent, &call),
            Feedback::Worktree { agent, result } => self.worktree_ready(agent, result),
            Feedback::WorktreeClosed { agent, branch } => self.worktree_closed(agent, branch),
            Feedback::Mcp(event) => self.mcp_came(event),
            Feedback::Branch { branch, changed } => self.out.emit(AgentId::MAIN, EventKind::BranchRead { branch, changed }),
        }
    }

    /// Feed an agent's machine and do what it says.
    pub(super) fn feed(&mut self, id: AgentId, input: Input) {
        let Some(agent) = self.agents.get_mut(&id) else { return };
        agent.state.room = agent.gauge.window.saturating_sub(agent.gauge.used).saturating_mul(3) / 4;
        if agent.gauge.window == 0 {
            agent.state.room = u64::MAX;
        }
        let effects = step(&mut agent.state, input);
        self.perform(id, effects);
    }

    /// Perform effects in order.
    pub(super) fn perform(&mut self, id: AgentId, effects: Vec<Effect>) {
        for effect in effects {
            self.perform_one(id, effect);
        }
    }

    pub(super) fn next_epoch(&mut self) -> u64 {
        self.epoch += 1;
        self.epoch
    }

    /// Words for the person.
    pub(super) fn notice(&mut self, level: Level, text: &str, hint: &str) {
        self.out.emit(AgentId::MAIN, EventKind::Notice { level, text: text.to_owned(), hint: hint.to_owned() });
    }

    /// Say when everything has come to rest: after each op, and when the last work ends.
    fn tell_settled(&mut self, anew: bool) {
        let main = self.agents.get(&AgentId::MAIN);
        let settled = main.is_none_or(|m| m.state.is_idle() && m.running.is_none())
            && self.shells.is_empty()
            && !self.agents.values().any(Agent::is_live)
            && !self.commands.all().any(super::background::Command::runs);
        if settled && (anew || !self.settled) {
            self.out.emit(AgentId::MAIN, EventKind::Settled);
        }
        self.settled = settled;
    }

    fn warn_unsaved(&mut self) {
        if let Some(why) = self.journal.take_warning() {
            self.notice(
                Level::Warning,
                &format!("This session is not being saved: {why}"),
                "free the disk or mend the folder's rights; it goes on, but cannot be resumed",
            );
        }
    }

    /// A path for reading: relative to the project where it is inside.
    pub(super) fn relative(&self, path: &Path) -> String {
        path.strip_prefix(&self.setup.workspace).unwrap_or(path).display().to_string()
    }

    /// Take a key that slipped into a text out of it (SPEC R9).
    pub(super) fn redact(&self, text: String) -> String {
        let mut text = text;
        for secret in self.setup.secrets.iter().filter(|s| s.len() >= 8) {
            if text.contains(secret.as_str()) {
                text = text.replace(secret.as_str(), "[key removed]");
            }
        }
        text
    }
}
