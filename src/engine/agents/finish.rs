//! How a child ends (SPEC S11–S15): outcome, durable record, result or notification, places and budgets given back.

use super::budget::Amount;
use super::{citations, report};
use crate::engine::agent::{Agent, Status};
use crate::engine::run::Engine;
use crate::protocol::event::TurnEnding;
use crate::protocol::{AgentId, AgentOutcome, Display, Ending, EventKind, History, TaskId};
use crate::session::Record;
use crate::session::child::write_meta;
use crate::tools::Outcome;
use crate::util::time::now_ms;

impl Engine {
    /// A child's turn ended: it has ended too, unless it goes on or waits for children of its own.
    pub(in crate::engine) fn child_turn_ended(&mut self, id: AgentId, ending: &TurnEnding) {
        let Some(agent) = self.agents.get(&id) else { return };
        // Words that waited started the next turn already.
        if !agent.state.is_idle() || agent.status == Status::Finished {
            return;
        }
        let waits = self.agents.values().any(|a| a.parent() == Some(id) && a.is_live()) || self.commands.all().any(|c| c.owner == id && c.runs());
        if waits && *ending == TurnEnding::Completed && agent.forced.is_none() {
            return;
        }
        let outcome = self.outcome_of(id, ending);
        self.close_child(id, outcome);
    }

    fn outcome_of(&self, id: AgentId, ending: &TurnEnding) -> AgentOutcome {
        let Some(agent) = self.agents.get(&id) else { return empty(Ending::Failed, "the agent is gone") };
        let text = agent.state.final_text();
        let blank = text.trim().is_empty();
        let (ending, reason) = match (&agent.forced, ending) {
            (Some((forced, why)), _) => (*forced, why.clone()),
            (None, TurnEnding::Completed) if !blank => (Ending::Completed, Ending::Completed.name().into()),
            (None, TurnEnding::Completed) if !agent.facts.denied.is_empty() => (Ending::Denied, "its calls were refused".into()),
            (None, TurnEnding::Completed) => (Ending::Failed, "the model ended without any text".into()),
            (None, TurnEnding::Limit { max }) => (Ending::Partial, format!("limit of {max} requests")),
            (None, TurnEnding::OverBudget) => (Ending::OverBudget, "the budget is used up".into()),
            (None, TurnEnding::Interrupted) => (Ending::Cancelled, "interrupted".into()),
            (None, TurnEnding::Failed { error }) if error.kind == "context_overflow" && !blank => (Ending::Partial, format!("context full: {}", error.message)),
            (None, TurnEnding::Failed { error }) => (Ending::Failed, error.message.clone()),
        };
        let cwd = agent.place.shell_cwd.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        AgentOutcome {
            ending,
            reason: self.redact(reason),
            bad_citations: citations::bad(&text, &[&agent.place.workspace, &cwd, &self.setup.workspace]),
            report: text,
            requests: agent.facts.requests,
            tool_uses: agent.facts.tool_uses,
            usage: agent.facts.usage,
            cost_usd: agent.facts.cost_usd,
            entered_parent_tokens: 0,
            files_written: agent
                .facts
                .written
                .iter()
                .map(|p| p.strip_prefix(&agent.place.workspace).map_or_else(|_| self.relative(p), |r| r.display().to_string()))
                .collect(),
            denied: agent.facts.denied.clone(),
            dropped_tools: agent.facts.dropped.clone(),
            branch: None,
            elapsed_ms: u64::try_from(agent.clock.worked().as_millis()).unwrap_or(u64::MAX),
        }
    }

    /// With a worktree of its own, look at it first.
    fn close_child(&mut self, id: AgentId, outcome: AgentOutcome) {
        let Some(agent) = self.agents.get_mut(&id) else { return };
        agent.status = Status::Finished;
        agent.clock.stop();
        self.end_descendants(id);
        let Some(agent) = self.agents.get_mut(&id) else { return };
        if agent.place.branch.is_some() && !self.closing {
            agent.outcome = Some(outcome);
            return self.close_worktree(id);
        }
        self.finish_child(id, outcome);
    }

    /// Children and commands of an ended child end with it.
    fn end_descendants(&mut self, id: AgentId) {
        let below: Vec<AgentId> = self.agents.values().filter(|a| a.parent() == Some(id) && a.is_live()).map(|a| a.id).collect();
        for child in below {
            self.abort_agent(child, Ending::Cancelled, "its parent ended");
        }
        let commands: Vec<u32> = self.commands.all().filter(|c| c.owner == id && c.runs()).map(|c| c.n).collect();
        for n in commands {
            self.commands.cancel(n);
        }
    }

    /// The end itself: recorded, shown, handed to the parent.
    pub(in crate::engine) fn finish_child(&mut self, id: AgentId, mut outcome: AgentOutcome) {
        let Some(agent) = self.agents.get_mut(&id) else { return };
        let Some(info) = agent.info.clone() else { return };
        agent.status = Status::Finished;
        agent.clock.stop();
        agent.forced = None;
        let (text, is_error) = report::result(&info, &outcome);
        outcome.entered_parent_tokens = crate::util::tokens::estimate(&text);
        agent.outcome = Some(outcome.clone());
        let call = agent.call.take();
        self.approvals_of_gone(id);
        let notify = info.background;
        self.journal.record(&Record::AgentFinished { id, outcome: outcome.clone(), notify, at: now_ms() });
        self.store_meta(id);
        self.out.emit(id, EventKind::AgentFinished { outcome: outcome.clone() });
        self.settle(id);
        self.forget_history(id);
        let woke = self.wake_waits(TaskId::Agent(id));
        if notify {
            if !woke && !self.closing {
                let (full, short) = report::notification(&info, &outcome);
                let to = if info.parent.is_main() || self.agents.get(&info.parent).is_some_and(Agent::is_live) { info.parent } else { AgentId::MAIN };
                self.announce(to, TaskId::Agent(id), full, short);
            }
        } else if let Some(call) = call {
            let display = Display::Agent { id };
            let summary = outcome.ending.name().replace('_', " ");
            self.finish_call(info.parent, &call, Outcome { text, is_error, summary, display, ..Outcome::default() });
        }
        if !self.closing {
            self.start_pending();
            self.parent_may_end(info.parent);
        }
    }

    /// A child that only waited for its own children may end now.
    fn parent_may_end(&mut self, parent: AgentId) {
        if parent.is_main() {
            return;
        }
        let idle = self.agents.get(&parent).is_some_and(|a| a.status == Status::Active && a.state.is_idle() && a.first.is_none());
        if idle {
            self.child_turn_ended(parent, &TurnEnding::Completed);
        }
    }

    /// Give the child's reservation back and charge what it used.
    fn settle(&mut self, id: AgentId) {
        let Some(agent) = self.agents.get_mut(&id) else { return };
        let Some(given) = agent.reserved.take() else { return };
        let spent = Amount { tokens: agent.pool.spent.tokens, cost_usd: agent.pool.spent.cost_usd, seconds: 0.0 };
        let mut at = agent.parent();
        let mut first = true;
        while let Some(above) = at.and_then(|a| self.agents.get_mut(&a)) {
            if above.pool.is_limited() && first {
                above.pool.settle(given, spent);
                first = false;
            } else {
                above.pool.charge(spent);
            }
            at = if above.reserved.is_some() { None } else { above.parent() };
        }
    }

    /// The sidecar with the ending.
    fn store_meta(&mut self, id: AgentId) {
        let dir = self.journal.dir().join("subagents");
        let Some(agent) = self.agents.get(&id) else { return };
        if agent.log.is_none() {
            return;
        }
        if let Some(meta) = self.child_meta(id) {
            let _ = write_meta(&dir, &meta);
        }
    }

    /// A finished child's history is on disk; memory keeps only what cannot be read again.
    fn forget_history(&mut self, id: AgentId) {
        let saved = self.journal.is_saved();
        let Some(agent) = self.agents.get_mut(&id) else { return };
        if saved && agent.log.take().is_some() {
            let limits = agent.state.limits;
            agent.state = crate::engine::turn::State::new(History::new(), limits);
            agent.forgotten = true;
        }
    }
}

/// An outcome without work.
#[must_use]
pub fn empty(ending: Ending, reason: &str) -> AgentOutcome {
    AgentOutcome {
        ending,
        reason: reason.to_owned(),
        report: String::new(),
        requests: 0,
        tool_uses: 0,
        usage: crate::protocol::Usage::default(),
        cost_usd: 0.0,
        entered_parent_tokens: 0,
        files_written: Vec::new(),
        denied: Vec::new(),
        dropped_tools: Vec::new(),
        bad_citations: Vec::new(),
        branch: None,
        elapsed_ms: 0,
    }
}
