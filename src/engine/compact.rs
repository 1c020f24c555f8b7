//! Driving a compaction: a summary request without tools, then the new history (SPEC C4, C5, S27).

use super::context;
use super::feedback::{Feedback, StreamBuffer};
use super::run::Engine;
use super::turn::{Input, Phase};
use crate::protocol::{AgentId, EventKind, Level, Message, Origin, UserMessage};
use crate::providers::{ProviderError, Reply, Request, Sink, retry};
use crate::session::Record;
use std::fmt::Write as _;
use std::sync::Arc;

/// What is known about an agent's compactions.
#[derive(Clone, Debug, Default)]
pub struct CompactState {
    /// The last one did not bring the context under the limit: no more until the person speaks (SPEC H02).
    pub stuck: bool,
    /// One was made; the next measured request tells whether it helped.
    pub unproved: bool,
    /// Failures in a row; three turn it off.
    pub failures: u32,
    /// The request after a summary was retried once for an overflow.
    pub overflow_retried: bool,
    /// The person asked for it; nothing is requested afterwards.
    pub manual: bool,
    /// What to keep in view.
    pub focus: Option<String>,
}

/// Automatic compaction is off after this many failures.
const MAX_FAILURES: u32 = 3;
/// Messages kept behind the summary.
const KEEP: usize = 4;

impl Engine {
    /// Whether the context of an agent wants a summary before its next request.
    pub(super) fn wants_compaction(&self, id: AgentId) -> bool {
        let Some(agent) = self.agents.get(&id) else { return false };
        let full = agent.gauge.compact_at > 0 && agent.gauge.used >= agent.gauge.compact_at;
        id.is_main() && full && !agent.compaction.stuck && agent.compaction.failures < MAX_FAILURES && agent.state.history.len() > 2
    }

    /// `/compact`: only between turns.
    pub(super) fn compact_by_hand(&mut self, focus: Option<String>) {
        let Some(main) = self.agents.get_mut(&AgentId::MAIN) else { return };
        if !main.state.is_idle() || main.running.is_some() {
            return self.notice(Level::Warning, "A turn is running; /compact works between turns.", "press Esc first, or wait");
        }
        if main.state.history.len() < 3 {
            return self.notice(Level::Info, "There is nothing to sum up yet.", "");
        }
        main.compaction.manual = true;
        main.compaction.focus = focus;
        self.start_summary(AgentId::MAIN);
    }

    /// Ask for a summary of the history.
    pub(super) fn start_summary(&mut self, id: AgentId) {
        let epoch = self.next_epoch();
        let Some(agent) = self.agents.get_mut(&id) else { return };
        let mut prompt = include_str!("../../assets/prompts/summary.md").to_owned();
        if let Some(focus) = &agent.compaction.focus {
            let _ = write!(prompt, "\nKeep this in view above all: {focus}\n");
        }
        let mut messages = agent.state.history.messages().to_vec();
        let ask = UserMessage::text(prompt, Origin::Engine);
        // The summary is asked for behind the last user message, as the same side speaks again.
        messages.push(Arc::new(Message::User(ask)));
        let request = Request {
            agent: agent.label(),
            model: agent.voice.model.clone(),
            system: Arc::clone(&agent.voice.system),
            tools: Arc::default(),
            messages,
            max_output: agent.voice.facts.output_limit.unwrap_or(8192).min(16_000),
            effort: None,
        };
        let provider = Arc::clone(&agent.voice.provider);
        let feedback = self.feedback.clone();
        let sink: Sink = Arc::new(|_| {});
        let task = tokio::spawn(async move {
            let result = retry::send(provider.as_ref(), &request, &sink).await;
            let _ = feedback.send(Feedback::Summary { agent: id, epoch, result });
        });
        agent.running = Some(super::agent::Running { epoch, abort: task.abort_handle(), buffer: StreamBuffer::shared(), text: String::new(), summary: true });
    }

    /// The summary came, or not.
    pub(super) fn summary_came(&mut self, id: AgentId, epoch: u64, result: Result<Reply, ProviderError>) {
        let Some(agent) = self.agents.get_mut(&id) else { return };
        if agent.running.as_ref().is_none_or(|r| r.epoch != epoch) {
            return;
        }
        agent.running = None;
        let manual = std::mem::take(&mut agent.compaction.manual);
        agent.compaction.focus = None;
        let text = match result {
            Ok(reply) => {
                let text = reply.message.text();
                self.charge(id, reply.usage);
                if text.trim().is_empty() { Err("the model gave no summary".to_owned()) } else { Ok(text) }
            }
            Err(e) => Err(e.message),
        };
        match text {
            Ok(summary) => self.apply_summary(id, &summary),
            Err(why) => {
                if let Some(agent) = self.agents.get_mut(&id) {
                    agent.compaction.failures += 1;
                    agent.compaction.stuck = true;
                }
                self.notice(Level::Warning, &format!("The conversation could not be summed up: {why}"), "use /compact later, or /new for a fresh session");
            }
        }
        if !manual && self.agents.get(&id).is_some_and(|a| matches!(a.state.phase(), Phase::Requesting)) {
            self.start_request(id, true);
        }
        self.main_maybe_idle();
    }

    fn apply_summary(&mut self, id: AgentId, summary: &str) {
        let restated = self.restated(id);
        let Some(agent) = self.agents.get_mut(&id) else { return };
        let before = agent.gauge.used;
        let history = context::compacted(&agent.state.history, summary, &restated, KEEP);
        let fixed = super::requests::fixed_tokens(&agent.voice);
        let after = fixed + history.messages().iter().map(|m| context::message_tokens(m)).sum::<u64>();
        let messages: Vec<Message> = history.messages().iter().map(|m| m.as_ref().clone()).collect();
        super::turn::step(&mut agent.state, Input::Compacted { history });
        agent.compaction.failures = 0;
        agent.compaction.unproved = true;
        agent.gauge.used = after;
        agent.gauge.estimated = true;
        if id.is_main() {
            self.journal.record(&Record::Compacted { messages });
        }
        self.out.emit(id, EventKind::Compacted { before, after, summary: summary.to_owned() });
        self.emit_usage(id);
    }

    /// What the summary must not lose: live and unread tasks, to-dos, files read (SPEC S27).
    fn restated(&self, id: AgentId) -> String {
        let mut text = String::new();
        let tasks = self.task_lines(id);
        if !tasks.is_empty() {
            let _ = write!(
                text,
                "<running-tasks>\nTasks that run or whose reports are unread (TaskOutput reads, TaskStop ends, SendMessage steers):\n{}\n</running-tasks>\n",
                tasks.join("\n")
            );
        }
        if id.is_main() && !self.todos.is_empty() {
            text.push_str("To-do list:\n");
            for todo in &self.todos {
                let _ = writeln!(text, "- [{:?}] {}", todo.status, todo.content);
            }
        }
        if let Some(agent) = self.agents.get(&id) {
            let files: Vec<String> = agent.place.reads.paths().iter().take(20).map(|p| self.relative(p)).collect();
            if !files.is_empty() {
                let _ = writeln!(text, "Files read in this conversation: {}", files.join(", "));
            }
        }
        text
    }
}
