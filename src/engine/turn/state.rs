//! The state of one agent's loop.

use super::input::CallClass;
use crate::protocol::{History, Origin, TaskId, ToolCall, ToolResult};
use std::collections::VecDeque;

/// The fixed numbers of a loop.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Requests at most: of one turn, or in all.
    pub max_requests: u32,
    /// Whether `max_requests` counts anew with each turn (the parent), or is for the whole life (a child).
    pub per_turn: bool,
    /// Reading calls at the same time.
    pub max_reads: usize,
    /// Children of one reply at the same time.
    pub max_agents: usize,
    /// A final text that only announces is asked again once (SPEC S13): children only.
    pub press_for_report: bool,
    /// The last request says that it is the last: children only.
    pub announce_last: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_requests: 200, per_turn: true, max_reads: 8, max_agents: 4, press_for_report: false, announce_last: false }
    }
}

/// The same failing call is run this many times in a row at most (SPEC L9).
pub const MAX_SAME_FAILURE: u32 = 5;
/// A reply cut by the output limit is continued this many times at most (SPEC L8).
pub const MAX_CONTINUATIONS: u32 = 3;

/// What waits for a safe point, in order of arrival.
#[derive(Clone, PartialEq, Debug)]
pub enum Inbox {
    /// Words of the person, or a steer.
    Say {
        /// The words.
        text: String,
        /// Images.
        images: Vec<(String, String)>,
        /// Whose words.
        origin: Origin,
    },
    /// A completion.
    Notice {
        /// The task.
        task: TaskId,
        /// The whole.
        full: String,
        /// Without the report.
        short: String,
        /// Estimated tokens of the whole.
        tokens: u64,
    },
    /// Words of the engine.
    Note {
        /// The words.
        text: String,
    },
}

/// Where the loop is.
#[derive(Clone, PartialEq, Debug)]
pub enum Phase {
    /// No turn runs.
    Idle,
    /// A request is out.
    Requesting,
    /// Calls of the last reply run.
    Tools {
        /// All calls of the reply, in order.
        slots: Vec<Slot>,
        /// The consent that the children of this reply need.
        consent: Consent,
    },
}

/// Whether children of a reply may start.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Consent {
    /// Yes, or there are none.
    Given,
    /// To be asked when their turn comes.
    Needed,
    /// Asked; the answer is awaited.
    Asked,
}

/// A call of the reply being worked on.
#[derive(Clone, PartialEq, Debug)]
pub struct Slot {
    /// The call.
    pub call: ToolCall,
    /// How it may run.
    pub class: CallClass,
    /// How far it is.
    pub progress: Progress,
}

/// How far a call is.
#[derive(Clone, PartialEq, Debug)]
pub enum Progress {
    /// Not started.
    Waiting,
    /// Started.
    Running,
    /// Ended.
    Done(ToolResult),
}

/// One agent's loop.
#[derive(Clone, Debug)]
pub struct State {
    /// The conversation; always legal.
    pub history: History,
    /// The fixed numbers.
    pub limits: Limits,
    /// Tokens that notifications may add at the next safe point (SPEC S26); set by the driver.
    pub room: u64,
    pub(super) phase: Phase,
    pub(super) inbox: VecDeque<Inbox>,
    pub(super) requests: u32,
    pub(super) continuations: u32,
    pub(super) pressed: bool,
    pub(super) failing: Option<(String, u32)>,
    pub(super) report_now: Option<String>,
    pub(super) last_request: bool,
    pub(super) cut_text: String,
    pub(super) lead: Vec<ToolResult>,
}

impl State {
    /// A loop over a history (empty, restored or forked), idle.
    #[must_use]
    pub fn new(history: History, limits: Limits) -> Self {
        Self {
            history,
            limits,
            room: u64::MAX,
            phase: Phase::Idle,
            inbox: VecDeque::new(),
            requests: 0,
            continuations: 0,
            pressed: false,
            failing: None,
            report_now: None,
            last_request: false,
            cut_text: String::new(),
            lead: Vec::new(),
        }
    }

    /// A loop over a copy of a parent's history that ends with open calls: they are answered by `placeholder` in front
    /// of the fork's task (SPEC S21).
    #[must_use]
    pub fn fork(history: History, limits: Limits, placeholder: &str) -> Self {
        let lead = history.open_calls().iter().map(|c| ToolResult::ok(c.id.clone(), placeholder)).collect();
        Self { lead, ..Self::new(history, limits) }
    }

    /// Where the loop is.
    #[must_use]
    pub fn phase(&self) -> &Phase {
        &self.phase
    }

    /// Whether no turn runs.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.phase == Phase::Idle
    }

    /// Whether a request is out.
    #[must_use]
    pub fn is_requesting(&self) -> bool {
        self.phase == Phase::Requesting
    }

    /// Requests so far: of this turn, or in all.
    #[must_use]
    pub fn requests(&self) -> u32 {
        self.requests
    }

    /// What waits for a safe point, oldest first.
    #[must_use]
    pub fn inbox(&self) -> &VecDeque<Inbox> {
        &self.inbox
    }

    /// Whether the running request is the last one, asking for a report.
    #[must_use]
    pub fn is_last_request(&self) -> bool {
        self.last_request
    }

    /// The final text of the last turn: the pieces of a continued reply joined, else the last text of the history.
    #[must_use]
    pub fn final_text(&self) -> String {
        let last = self.history.last_text().unwrap_or_default();
        if self.cut_text.is_empty() { last } else { format!("{}{last}", self.cut_text) }
    }

    /// Take the newest message of the person out of the inbox.
    pub fn unqueue(&mut self) -> Option<String> {
        let at = self.inbox.iter().rposition(|i| matches!(i, Inbox::Say { origin: Origin::Person, .. }))?;
        match self.inbox.remove(at) {
            Some(Inbox::Say { text, .. }) => Some(text),
            Some(Inbox::Notice { .. } | Inbox::Note { .. }) | None => None,
        }
    }

    /// A completion of a former run: it waits for the next words, and starts no turn by itself.
    pub fn owe(&mut self, task: TaskId, full: String, short: String, tokens: u64) {
        self.inbox.push_back(Inbox::Notice { task, full, short, tokens });
    }

    /// Nothing that waits is delivered any more: the agent ends.
    pub fn clear_inbox(&mut self) {
        self.inbox.clear();
    }

    /// A finished child is asked again: its request limit counts anew.
    pub fn renew(&mut self) {
        self.requests = 0;
        self.report_now = None;
        self.pressed = false;
    }
}
