//! The verbs for one child (SPEC S19): steer, stop, abort; and going on with a finished one.

use super::finish;
use crate::engine::agent::{Status, WorkClock};
use crate::engine::run::Engine;
use crate::engine::turn::{Input, State};
use crate::protocol::{AgentId, Ending, EventKind, History, Origin};
use crate::session::child::{ChildMeta, load_child};
use std::sync::Arc;

/// What a child is told when it is stopped.
const STOP_NOTE: &str =
    "You are asked to stop now. This is your last request, without tools: give the report of what you have found so far, and say what is missing.";

impl Engine {
    /// Words for a running child, at its next safe point.
    pub(in crate::engine) fn steer(&mut self, id: AgentId, text: &str, origin: Origin) {
        self.out.emit(id, EventKind::AgentSteered { text: text.to_owned() });
        let Some(agent) = self.agents.get_mut(&id) else { return };
        if agent.status == Status::Pending {
            if let Some((first, _)) = agent.first.as_mut() {
                first.push_str("\n\n");
                first.push_str(text);
            }
            return;
        }
        self.feed(id, Input::Say { text: text.to_owned(), images: Vec::new(), origin });
    }

    /// The person speaks to a child: steer it, or go on with it when it has ended.
    pub(in crate::engine) fn steer_by_person(&mut self, id: AgentId, text: &str) {
        match self.agents.get(&id) {
            Some(agent) if agent.is_live() => self.steer(id, text, Origin::Steer),
            Some(_) if !id.is_main() => match self.revive(id, true) {
                Ok(()) => self.begin(id, text.to_owned(), Origin::Person, None),
                Err(why) => self.notice(crate::protocol::Level::Warning, &why, ""),
            },
            Some(_) | None => self.notice(crate::protocol::Level::Warning, &format!("There is no agent {id}."), ""),
        }
    }

    /// Report now: one last request without tools.
    pub(in crate::engine) fn stop_agent(&mut self, id: AgentId, why: &str) {
        let Some(agent) = self.agents.get_mut(&id) else { return };
        if !agent.is_live() {
            return;
        }
        if agent.status == Status::Pending || agent.state.is_idle() {
            return self.abort_agent(id, Ending::Cancelled, why);
        }
        agent.forced = Some((Ending::Partial, why.to_owned()));
        self.approvals_of_gone(id);
        self.feed(id, Input::ReportNow { note: STOP_NOTE.into(), cancel: true });
    }

    /// End a child at once; its partial text is kept.
    pub(in crate::engine) fn abort_agent(&mut self, id: AgentId, ending: Ending, why: &str) {
        let Some(agent) = self.agents.get_mut(&id) else { return };
        if !agent.is_live() {
            return;
        }
        agent.forced = Some((ending, why.to_owned()));
        if agent.status == Status::Pending {
            self.pending.retain(|p| *p != id);
            return self.finish_child(id, finish::empty(ending, why));
        }
        let partial = self.partial(id);
        self.approvals_of_gone(id);
        let idle = self.agents.get(&id).is_some_and(|a| a.state.is_idle());
        if idle {
            return self.child_turn_ended(id, &crate::protocol::event::TurnEnding::Interrupted);
        }
        if let Some(agent) = self.agents.get_mut(&id) {
            agent.state.clear_inbox();
        }
        self.feed(id, Input::Interrupt { partial });
    }

    /// Make a finished child ready to go on: its history, system and tools as they were (SPEC S19, S28).
    ///
    /// # Errors
    /// In words for the model: its transcript is gone.
    pub(in crate::engine) fn revive(&mut self, id: AgentId, background: bool) -> Result<(), String> {
        let dir = self.journal.dir().join("subagents");
        let Some(agent) = self.agents.get_mut(&id) else { return Err(format!("there is no agent {id}")) };
        if agent.forgotten {
            let stored = load_child(&dir, id).map_err(|why| format!("{id} cannot go on: {why}"))?;
            let history = History::from_messages(stored.messages).map_err(|e| format!("{id} cannot go on: its transcript is damaged: {e}"))?;
            agent.voice.system = Arc::new(stored.meta.system);
            agent.voice.tools = Arc::new(stored.meta.tools);
            agent.state = State::new(history, agent.state.limits);
            agent.forgotten = false;
        }
        agent.state.renew();
        agent.clock = WorkClock::stopped();
        agent.warned = false;
        agent.forced = None;
        agent.isolation = false;
        agent.call = None;
        if let Some(info) = agent.info.as_mut() {
            info.background = background;
        }
        Ok(())
    }

    /// The sidecar's content.
    pub(in crate::engine) fn child_meta(&self, id: AgentId) -> Option<ChildMeta> {
        let agent = self.agents.get(&id)?;
        let info = agent.info.as_ref()?;
        Some(ChildMeta {
            v: crate::session::child::CHILD_VERSION,
            id,
            kind: info.kind.clone(),
            description: info.description.clone(),
            prompt: info.prompt.clone(),
            system: agent.voice.system.as_ref().clone(),
            tools: agent.voice.tools.as_ref().clone(),
            provider: self.provider_name.clone(),
            model: info.model.clone(),
            effort: agent.voice.effort.clone(),
            depth: info.depth,
            parent: info.parent,
            background: info.background,
            read_only: info.read_only,
            fork: info.fork,
            max_requests: info.max_requests,
            budget: info.budget,
            workspace: agent.place.branch.as_ref().map(|_| agent.place.workspace.clone()),
            ending: agent.outcome.as_ref().filter(|_| agent.status == Status::Finished).map(|o| o.ending),
            reason: agent.outcome.as_ref().map(|o| o.reason.clone()).unwrap_or_default(),
            usage: agent.facts.usage,
            requests: agent.facts.requests,
            tool_uses: agent.facts.tool_uses,
        })
    }
}
