//! Requests of agents: sending, streaming, replies, usage and budgets.

use super::agent::{Running, Voice};
use super::agents::budget::{self, Amount, WARN_AT};
use super::context;
use super::feedback::{Feedback, StreamBuffer};
use super::run::Engine;
use super::turn::{CallClass, Input};
use crate::protocol::event::TurnError;
use crate::protocol::{AgentId, AssistantBlock, AssistantMessage, CallId, Ending, EventKind, Level, Usage};
use crate::providers::{ErrorKind, ProviderError, Reply, Request, Sink, Stop, StreamEvent, catalog, retry};
use std::sync::Arc;
use std::time::Instant;

/// Estimated tokens of system text and tools.
pub fn fixed_tokens(voice: &Voice) -> u64 {
    voice.system.iter().map(|s| crate::util::tokens::estimate(s)).sum::<u64>() + context::tools_tokens(&voice.tools)
}

impl Engine {
    /// A request is due: sum up first when the context is full, else send.
    pub(super) fn request_due(&mut self, id: AgentId, tools: bool) {
        self.trim_results(id);
        if tools && self.wants_compaction(id) {
            return self.start_summary(id);
        }
        let stuck_full =
            self.agents.get(&id).is_some_and(|a| a.compaction.stuck && a.gauge.compact_at > 0 && a.gauge.used >= a.gauge.window && a.gauge.window > 0);
        if id.is_main() && stuck_full {
            let error = TurnError {
                kind: "context_overflow".into(),
                message: "the context is full, and summing it up did not make room".into(),
                hint: "start a fresh session with /new, or choose a model with a larger window (/model)".into(),
            };
            return self.feed(id, Input::Failed { error, partial: AssistantMessage::default() });
        }
        self.start_request(id, tools);
    }

    /// Replace old tool results by stubs that name a file with the whole (SPEC C3).
    fn trim_results(&mut self, id: AgentId) {
        let dir = self.journal.dir().join("tool-results");
        let Some(agent) = self.agents.get_mut(&id) else { return };
        for (call, text) in context::old_results(&agent.state.history) {
            let Ok(path) = crate::tools::cap::spill(&dir, &call, text.as_bytes()) else { continue };
            let before = crate::util::tokens::estimate(&text);
            let stub = format!("[an old result of {} characters was taken out of the context; the whole is in {}]", text.chars().count(), path.display());
            agent.state.history.replace_result(&call, &stub);
            agent.gauge.used = agent.gauge.used.saturating_sub(before);
        }
    }

    /// Send the history.
    pub(super) fn start_request(&mut self, id: AgentId, tools: bool) {
        let epoch = self.next_epoch();
        let Some(agent) = self.agents.get_mut(&id) else { return };
        if let Err(e) = agent.state.history.check() {
            let error = TurnError {
                kind: "internal".into(),
                message: format!("the conversation is not in a legal shape: {e}"),
                hint: "start a fresh session with /new".into(),
            };
            return self.feed(id, Input::Failed { error, partial: AssistantMessage::default() });
        }
        agent.facts.requests += 1;
        agent.heard = Instant::now();
        let request = Request {
            agent: agent.label(),
            model: agent.voice.model.clone(),
            system: Arc::clone(&agent.voice.system),
            tools: if tools { Arc::clone(&agent.voice.tools) } else { Arc::default() },
            messages: agent.state.history.messages().to_vec(),
            max_output: agent.voice.facts.output_limit.unwrap_or(8192),
            effort: agent.voice.effort.clone(),
        };
        let (provider, feedback, buffer) = (Arc::clone(&agent.voice.provider), self.feedback.clone(), StreamBuffer::shared());
        let sink: Sink = {
            let (feedback, buffer) = (feedback.clone(), Arc::clone(&buffer));
            Arc::new(move |event| {
                if buffer.push(event) {
                    let _ = feedback.send(Feedback::Stream { agent: id, epoch });
                }
            })
        };
        let work = tokio::spawn(async move { retry::send(provider.as_ref(), &request, &sink).await });
        let abort = work.abort_handle();
        tokio::spawn(async move {
            let result = match work.await {
                Ok(result) => result,
                Err(e) if e.is_cancelled() => return,
                Err(e) => Err(ProviderError {
                    kind: ErrorKind::InvalidRequest,
                    message: format!("the provider's code panicked: {e}"),
                    hint: "please report this".into(),
                    retry_after: None,
                }),
            };
            let _ = feedback.send(Feedback::Reply { agent: id, epoch, result });
        });
        let event = EventKind::RequestStarted { n: agent.state.requests(), max: agent.state.limits.max_requests };
        agent.running = Some(Running { epoch, abort, buffer, text: String::new(), summary: false });
        self.out.emit(id, event);
    }

    /// Pieces of the stream arrived.
    pub(super) fn stream_came(&mut self, id: AgentId, epoch: u64) {
        let Some(agent) = self.agents.get_mut(&id) else { return };
        let Some(running) = agent.running.as_mut().filter(|r| r.epoch == epoch) else { return };
        agent.heard = Instant::now();
        for event in running.buffer.take() {
            let kind = match event {
                StreamEvent::Text(text) => {
                    running.text.push_str(&text);
                    EventKind::TextDelta { text }
                }
                StreamEvent::Thinking(text) => EventKind::ThinkingDelta { text },
                StreamEvent::Reset => {
                    running.text.clear();
                    EventKind::StreamReset
                }
                StreamEvent::Retrying { attempt, max, wait, reason } => {
                    EventKind::Retrying { attempt, max, wait_ms: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX), reason }
                }
            };
            self.out.emit(id, kind);
        }
    }

    /// What the running request has streamed, as a message.
    pub(super) fn partial(&mut self, id: AgentId) -> AssistantMessage {
        let epoch = self.agents.get(&id).and_then(|a| a.running.as_ref()).map(|r| r.epoch);
        if let Some(epoch) = epoch {
            self.stream_came(id, epoch);
        }
        let text = self.agents.get(&id).and_then(|a| a.running.as_ref()).filter(|r| !r.summary).map(|r| r.text.clone()).unwrap_or_default();
        let blocks = if text.trim().is_empty() { Vec::new() } else { vec![AssistantBlock::Text { text }] };
        AssistantMessage { blocks }
    }

    /// A request ended.
    pub(super) fn reply_came(&mut self, id: AgentId, epoch: u64, result: Result<Reply, ProviderError>) {
        if self.agents.get(&id).and_then(|a| a.running.as_ref()).is_none_or(|r| r.epoch != epoch) {
            return;
        }
        self.stream_came(id, epoch);
        match result {
            Ok(reply) => self.good_reply(id, reply),
            Err(error) => self.bad_reply(id, error),
        }
    }

    fn good_reply(&mut self, id: AgentId, mut reply: Reply) {
        let toolbox = std::sync::Arc::clone(&self.toolbox);
        let Some(agent) = self.agents.get_mut(&id) else { return };
        agent.running = None;
        agent.heard = Instant::now();
        agent.compaction.overflow_retried = false;
        // What was sent and said is the context now; what comes behind it is estimated.
        agent.gauge.used = reply.usage.all_input().saturating_add(reply.usage.output);
        agent.gauge.estimated = false;
        if std::mem::take(&mut agent.compaction.unproved) {
            agent.compaction.stuck = agent.gauge.compact_at > 0 && agent.gauge.used >= agent.gauge.compact_at;
        }
        make_ids_unique(agent, &mut reply.message);
        agent.facts.tool_uses += u32::try_from(reply.message.calls().filter(|c| c.fault.is_none()).count()).unwrap_or(0);
        let classes: Vec<CallClass> = reply.message.calls().map(|c| toolbox.class(&c.name, &c.input)).collect();
        let children = classes.iter().filter(|c| **c == CallClass::Agent).count();
        let consent = children > self.setup.config.subagents.ask_above;
        self.out.emit(id, EventKind::ReplyFinished { usage: reply.usage });
        self.charge(id, reply.usage);
        self.mind_budget(id);
        let cut = reply.stop == Stop::OutputLimit;
        self.feed(id, Input::Reply { message: reply.message, cut, classes, consent });
    }

    fn bad_reply(&mut self, id: AgentId, error: ProviderError) {
        let partial = self.partial(id);
        let Some(agent) = self.agents.get_mut(&id) else { return };
        agent.running = None;
        if error.kind == ErrorKind::ContextOverflow && !agent.compaction.overflow_retried && agent.state.history.len() > 2 {
            agent.compaction.overflow_retried = true;
            agent.compaction.stuck = false;
            agent.facts.requests = agent.facts.requests.saturating_sub(1);
            self.notice(Level::Info, "The conversation is larger than the model's window: it is summed up, then asked again.", "");
            return self.start_summary(id);
        }
        self.out.emit(id, EventKind::ReplyFinished { usage: Usage::default() });
        let error = TurnError { kind: error.kind.name().into(), message: self.redact(error.message), hint: error.hint };
        self.feed(id, Input::Failed { error, partial });
    }

    /// Count tokens and cost, in the agent and in the pools that it draws from.
    pub(super) fn charge(&mut self, id: AgentId, usage: Usage) {
        let Some(agent) = self.agents.get_mut(&id) else { return };
        let cost = catalog::cost(&usage, &agent.voice.facts);
        agent.facts.usage += usage;
        agent.facts.cost_usd += cost;
        let spent = Amount { tokens: usage.total(), cost_usd: cost, seconds: 0.0 };
        let mut at = Some(id);
        while let Some(agent) = at.and_then(|a| self.agents.get_mut(&a)) {
            agent.pool.charge(spent);
            // A child with a budget of its own is settled with its parent at its end.
            at = if agent.reserved.is_some() { None } else { agent.parent() };
        }
        self.emit_usage(id);
    }

    /// Tell of 80 %, ask for the report at 100 % (SPEC S16).
    pub(super) fn mind_budget(&mut self, id: AgentId) {
        let mut at = Some(id);
        let mut used: f64 = 0.0;
        let mut warning = String::new();
        while let Some(agent) = at.and_then(|a| self.agents.get(&a)) {
            let part = agent.pool.used();
            if part > used {
                used = part;
                warning = budget::warning(&agent.pool);
            }
            at = if agent.reserved.is_some() { None } else { agent.parent() };
        }
        let Some(agent) = self.agents.get_mut(&id) else { return };
        if agent.state.is_last_request() || agent.forced.is_some() {
            return;
        }
        if used >= 1.0 {
            agent.forced = Some((Ending::OverBudget, "the budget is used up".into()));
            self.feed(id, Input::ReportNow { note: budget::USED_UP.into(), cancel: false });
        } else if used >= WARN_AT && !agent.warned {
            agent.warned = true;
            self.feed(id, Input::Note { text: warning });
        }
    }

    /// Send the gauge of an agent.
    pub(super) fn emit_usage(&mut self, id: AgentId) {
        let Some(agent) = self.agents.get(&id) else { return };
        let kind = EventKind::UsageUpdated { gauge: agent.gauge, usage: agent.facts.usage, cost_usd: agent.facts.cost_usd };
        self.out.emit(id, kind);
    }
}

/// No call id twice in a history (SPEC L3): a repeated one gets a number.
fn make_ids_unique(agent: &super::agent::Agent, message: &mut AssistantMessage) {
    let mut seen: Vec<CallId> = Vec::new();
    for block in &mut message.blocks {
        let AssistantBlock::ToolUse(call) = block else { continue };
        let mut n = 1;
        let base = call.id.0.clone();
        while base.is_empty() || agent.state.history.has_call(&call.id) || seen.contains(&call.id) {
            n += 1;
            call.id = CallId(format!("{}_{n}", if base.is_empty() { "call" } else { &base }));
            if !agent.state.history.has_call(&call.id) && !seen.contains(&call.id) {
                break;
            }
        }
        seen.push(call.id.clone());
    }
}
