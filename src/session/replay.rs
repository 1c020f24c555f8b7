//! A session's file → what the engine starts from. Streaming, in bounded memory; damage is reported and passed over
//! (SPEC H1, S25, S27; case F03).
//!
//! Must not: write, or believe that a file is whole.

use super::child;
use super::lines::{Line, Lines};
use super::record::{Record, SESSION_VERSION};
use super::repair::{INTERRUPTED, Repair};
use super::restored::{self, Owed};
use crate::protocol::{AgentId, AgentInfo, AgentOutcome, CallId, Message, Mode, Origin, TaskId, Todo, Usage, UserContent};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

/// Bytes of history that are kept; beyond it the oldest tool results give way to stubs. Far above any context window.
const MAX_HISTORY: usize = 48 * 1024 * 1024;
/// Results shorter than this are not worth a stub.
const SMALL_RESULT: usize = 512;
/// Numbers of damaged lines beyond this are not kept.
const MAX_DAMAGED: usize = 1000;

/// What a session was when it started.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SessionMeta {
    /// Its id; of the file's name when the first line is damaged.
    pub id: String,
    /// The project folder; empty when unknown.
    pub cwd: String,
    /// Milliseconds since the Unix epoch; 0 when unknown.
    pub at: u64,
}

/// Everything that a resume brings back.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Restored {
    /// Its start.
    pub meta: SessionMeta,
    /// A legal history since the last compaction. Calls that never returned have an `interrupted` error result.
    pub history: Vec<Message>,
    /// Messages at the end of `history` that the file does not hold: append them to the log before going on.
    pub unsaved: usize,
    /// The to-do list.
    pub todos: Vec<Todo>,
    /// The last mode; none when it was never changed.
    pub mode: Option<Mode>,
    /// The last provider; empty when unknown.
    pub provider: String,
    /// The last model; empty when unknown.
    pub model: String,
    /// Rules of the session, for all or for one agent.
    pub rules: Vec<(String, Option<AgentId>)>,
    /// The title that the person gave.
    pub title: Option<String>,
    /// The sum of the main agent's requests.
    pub usage: Usage,
    /// Of the last request, for the gauge; none after a compaction.
    pub last_usage: Option<Usage>,
    /// All children, in order of their ids.
    pub agents: Vec<RestoredAgent>,
    /// All background commands, in order of their ids.
    pub tasks: Vec<RestoredTask>,
    /// Completions that the parent is owed, in the order in which they happened; those that died with the program last.
    pub undelivered: Vec<TaskId>,
    /// The number of the next child.
    pub next_agent: u32,
    /// The number of the next background command.
    pub next_command: u32,
    /// Numbers of damaged lines (the first thousand), which were skipped.
    pub damaged: Vec<usize>,
    /// Numbers of lines of a kind that this version does not know.
    pub newer: Vec<usize>,
    /// What had to be repaired, in words.
    pub notes: Vec<String>,
}

/// A child of a former run.
#[derive(Clone, PartialEq, Debug)]
pub struct RestoredAgent {
    /// What it is.
    pub info: AgentInfo,
    /// How it ended: `interrupted`, with its last words as report, when the program died before it.
    pub outcome: AgentOutcome,
    /// It has no record of its end.
    pub died: bool,
    /// The parent is owed a notification.
    pub notify: bool,
    /// The parent has its report, or is not owed one.
    pub delivered: bool,
}

/// A background command of a former run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RestoredTask {
    /// The number behind the `b`.
    pub id: u32,
    /// The command line.
    pub command: String,
    /// The model's words for it.
    pub description: String,
    /// The exit code, if it ended by itself.
    pub exit: Option<i32>,
    /// `completed`, `failed`, `cancelled`, `interrupted`.
    pub status: String,
    /// Head and tail of its output.
    pub output: String,
    /// The parent is owed a notification.
    pub notify: bool,
    /// The parent has it, or is not owed it.
    pub delivered: bool,
}

impl Restored {
    /// What the person should know about the state of the file; none when it is sound.
    #[must_use]
    pub fn notice(&self) -> Option<String> {
        let list = |numbers: &[usize]| {
            let shown: Vec<String> = numbers.iter().take(5).map(ToString::to_string).collect();
            format!("{}{}", shown.join(", "), if numbers.len() > 5 { ", …" } else { "" })
        };
        let mut parts = Vec::new();
        if !self.damaged.is_empty() {
            parts.push(format!("{} damaged in the session file skipped (line {})", count(self.damaged.len(), "line"), list(&self.damaged)));
        }
        if !self.newer.is_empty() {
            parts.push(format!("{} of a newer version skipped (line {})", count(self.newer.len(), "record"), list(&self.newer)));
        }
        parts.extend(self.notes.iter().cloned());
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

fn count(n: usize, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}

/// Read a session's file. Transcripts of children that died are looked at for their last words.
///
/// # Errors
/// The file cannot be opened or read; damage inside it is no error.
pub fn replay(path: &Path) -> io::Result<Restored> {
    replay_bounded(path, MAX_HISTORY)
}

fn replay_bounded(path: &Path, max_history: usize) -> io::Result<Restored> {
    let mut lines = Lines::new(BufReader::with_capacity(256 * 1024, File::open(path)?));
    let mut state = State { limit: max_history, ..State::default() };
    state.out.meta.id = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    while let Some(line) = lines.next_line()? {
        state.line(&line);
    }
    Ok(state.finish(&path.with_extension("").join("subagents")))
}

/// What is known while the file is read.
#[derive(Default)]
pub(super) struct State {
    out: Restored,
    repair: Repair,
    pub(super) agents: HashMap<AgentId, AgentState>,
    pub(super) tasks: HashMap<u32, TaskState>,
    seq: usize,
    bytes: usize,
    limit: usize,
    shrunk: bool,
}

/// A child while the file is read.
pub(super) struct AgentState {
    pub(super) info: AgentInfo,
    pub(super) end: Option<(AgentOutcome, bool, usize)>,
    pub(super) delivered: bool,
}

/// A command while the file is read.
pub(super) struct TaskState {
    pub(super) task: RestoredTask,
    pub(super) end: Option<usize>,
}

impl State {
    fn line(&mut self, line: &Line<'_>) {
        if line.bytes.trim_ascii().is_empty() && !line.too_long {
            return;
        }
        match serde_json::from_slice::<Record>(line.bytes) {
            Ok(record) => self.record(record, line.bytes.len()),
            Err(e) if is_newer(&e, line.bytes) => keep(&mut self.out.newer, line.number),
            Err(_) => keep(&mut self.out.damaged, line.number),
        }
    }

    fn record(&mut self, record: Record, size: usize) {
        self.seq += 1;
        match record {
            Record::Session { v, id, cwd, provider, model, at } => {
                if v > SESSION_VERSION {
                    self.out.notes.push(format!("the session was written by a newer version (format {v})"));
                }
                self.out.meta = SessionMeta { id, cwd, at };
                (self.out.provider, self.out.model) = (provider, model);
            }
            Record::Message { message, usage, .. } => {
                if let Some(usage) = usage {
                    self.out.usage += usage;
                    self.out.last_usage = Some(usage);
                }
                self.deliveries(&message);
                self.repair.push(message);
                self.bytes += size;
                self.shrink();
            }
            Record::Compacted { messages } => {
                for m in &messages {
                    self.deliveries(m);
                }
                self.repair.replace(messages);
                (self.bytes, self.out.last_usage) = (size, None);
            }
            Record::AgentSpawned { info, .. } => {
                self.agents.insert(info.id, AgentState { info, end: None, delivered: false });
            }
            Record::AgentFinished { id, outcome, notify, .. } => {
                if let Some(agent) = self.agents.get_mut(&id) {
                    (agent.end, agent.delivered) = (Some((outcome, notify, self.seq)), !notify);
                }
            }
            Record::AgentBackgrounded { id } => {
                if let Some(agent) = self.agents.get_mut(&id) {
                    agent.info.background = true;
                }
            }
            Record::TaskStarted { id, command, description, .. } => self.task_started(id, command, description),
            Record::TaskFinished { id, exit, status, output, notify, .. } => {
                if let TaskId::Command(n) = id
                    && let Some(t) = self.tasks.get_mut(&n)
                {
                    t.task = RestoredTask { exit, status, output, notify, delivered: !notify, ..t.task.clone() };
                    t.end = Some(self.seq);
                }
            }
            Record::Delivered { id } => self.delivered(id),
            Record::Todos { todos } => self.out.todos = todos,
            Record::Mode { mode } => self.out.mode = Some(mode),
            Record::Model { provider, model } => (self.out.provider, self.out.model) = (provider, model),
            Record::Rule { rule, agent } => self.out.rules.push((rule, agent)),
            Record::Title { title } => self.out.title = Some(title),
        }
    }

    fn task_started(&mut self, id: TaskId, command: String, description: String) {
        let TaskId::Command(id) = id else { return };
        let (status, output) = ("interrupted".to_owned(), String::new());
        let task = RestoredTask { id, command, description, exit: None, status, output, notify: true, delivered: false };
        self.tasks.insert(id, TaskState { task, end: None });
    }

    fn deliveries(&mut self, message: &Message) {
        let Message::User(m) = message else { return };
        for c in &m.content {
            if let UserContent::Text { origin: Origin::Notification { task }, .. } = c {
                self.delivered(*task);
            }
        }
    }

    fn delivered(&mut self, id: TaskId) {
        match id {
            TaskId::Agent(id) => self.agents.get_mut(&id).into_iter().for_each(|a| a.delivered = true),
            TaskId::Command(n) => self.tasks.get_mut(&n).into_iter().for_each(|t| t.task.delivered = true),
        }
    }

    /// Keep the history within its limit: the oldest large results become stubs. Reports and texts stay.
    fn shrink(&mut self) {
        if self.bytes <= self.limit {
            return;
        }
        let (goal, mut bytes) = (self.limit / 2, self.bytes);
        self.repair.shrink(|message| {
            let Message::User(m) = message else { return bytes <= goal };
            for r in m.results.iter_mut().filter(|r| !r.report) {
                let size = r.text.len() + r.images.iter().map(|(_, d)| d.len()).sum::<usize>();
                if size > SMALL_RESULT {
                    r.text = format!("[This old result of {size} bytes was left out when the session was resumed; the session file holds it.]");
                    r.images = Vec::new();
                    bytes = bytes.saturating_sub(size);
                }
            }
            bytes <= goal
        });
        self.bytes = bytes;
        if bytes > goal {
            // What is left cannot be shortened; looking again makes sense only after much more has come.
            self.limit = self.limit.max(bytes.saturating_mul(2));
        }
        if !std::mem::replace(&mut self.shrunk, true) {
            self.out.notes.push("old tool results were left out of memory, the session is very large".into());
        }
    }

    fn finish(mut self, subagents: &Path) -> Restored {
        let last = |ids: &mut dyn Iterator<Item = u32>| ids.max().unwrap_or(0);
        self.out.next_agent = last(&mut self.agents.keys().map(|id| id.number())).max(last(&mut child::numbers(subagents))).saturating_add(1);
        self.out.next_command = last(&mut self.tasks.keys().copied()).saturating_add(1);
        let owed: Vec<Owed> = restored::settle(&mut self, subagents);
        let open = self.repair.open_calls();
        let texts: HashMap<CallId, String> = restored::fates(&open, &mut self.out.agents);
        let Self { mut out, repair, .. } = self;
        out.undelivered = restored::undelivered(&out, owed);
        out.unsaved = usize::from(!open.is_empty());
        let (history, notes) = repair.finish(&|c| texts.get(&c.id).cloned().unwrap_or_else(|| INTERRUPTED.to_owned()));
        out.history = history;
        out.notes.extend(notes);
        out
    }

    pub(super) fn put(&mut self, agents: Vec<RestoredAgent>, tasks: Vec<RestoredTask>) {
        (self.out.agents, self.out.tasks) = (agents, tasks);
    }
}

fn keep(numbers: &mut Vec<usize>, number: usize) {
    if numbers.len() < MAX_DAMAGED {
        numbers.push(number);
    }
}

/// Sound JSON that only a newer version can have written: a kind of record, or a word inside one, that is not known here.
fn is_newer(error: &serde_json::Error, bytes: &[u8]) -> bool {
    let sound = || std::str::from_utf8(bytes).is_ok_and(|t| serde_json::from_str::<serde::de::IgnoredAny>(t).is_ok());
    error.to_string().starts_with("unknown variant") && sound()
}

#[cfg(test)]
#[path = "replay_tests.rs"]
mod tests;
