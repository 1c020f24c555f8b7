//! Effects of the turn machine, performed.

use super::run::Engine;
use super::turn::Effect;
use crate::protocol::event::TurnEnding;
use crate::protocol::{AgentId, EventKind, Level, Message, Origin, UserContent};
use crate::session::Record;
use crate::util::time::now_ms;
use std::sync::Arc;

impl Engine {
    pub(super) fn perform_one(&mut self, id: AgentId, effect: Effect) {
        match effect {
            Effect::TurnStarted => {
                if let Some(agent) = self.agents.get_mut(&id) {
                    agent.clock.start();
                    agent.compaction.overflow_retried = false;
                }
                self.out.emit(id, EventKind::TurnStarted);
            }
            Effect::Appended(message) => self.appended(id, &message),
            Effect::QueueChanged => self.queue_changed(id),
            Effect::Request { tools } => self.request_due(id, tools),
            Effect::Run(call) => self.dispatch(id, &call),
            Effect::AskConsent(calls) => self.ask_consent(id, &calls),
            Effect::CancelRequest => self.cancel_request(id),
            Effect::CancelCalls(calls) => self.cancel_calls(id, &calls),
            Effect::TurnEnded(ending) => self.turn_ended(id, ending),
        }
    }

    fn appended(&mut self, id: AgentId, message: &Arc<Message>) {
        if id.is_main() {
            let usage = None;
            self.journal.record(&Record::Message { message: message.as_ref().clone(), at: now_ms(), usage });
        } else if let Some(log) = self.agents.get_mut(&id).and_then(|a| a.log.as_mut()) {
            let _ = log.append(message, now_ms());
        }
        let Message::User(m) = message.as_ref() else { return };
        let tokens = super::context::message_tokens(message);
        if let Some(agent) = self.agents.get_mut(&id) {
            agent.gauge.used = agent.gauge.used.saturating_add(tokens);
            agent.gauge.estimated = true;
        }
        for content in &m.content {
            let UserContent::Text { text, origin } = content else { continue };
            match origin {
                Origin::Person if id.is_main() => {
                    if let Some(agent) = self.agents.get_mut(&id) {
                        agent.compaction.stuck = false;
                    }
                }
                Origin::Notification { task } => self.delivered(*task),
                Origin::Person | Origin::Steer | Origin::Engine | Origin::Summary | Origin::Fork { .. } => {}
            }
            // A child's prompt stands in its spawn event already.
            if id.is_main() || *origin != Origin::Person {
                self.out.emit(id, EventKind::UserMessage { text: text.clone(), origin: origin.clone() });
            }
        }
    }

    pub(super) fn queue_changed(&mut self, id: AgentId) {
        if !id.is_main() {
            return;
        }
        let texts = self.agents.get(&id).map(|a| super::background::queued_texts(&a.state)).unwrap_or_default();
        self.out.emit(id, EventKind::QueueChanged { texts });
    }

    pub(super) fn cancel_request(&mut self, id: AgentId) {
        if let Some(running) = self.agents.get_mut(&id).and_then(|a| a.running.take()) {
            running.abort.abort();
            self.out.emit(id, EventKind::ReplyFinished { usage: crate::protocol::Usage::default() });
        }
    }

    fn turn_ended(&mut self, id: AgentId, ending: TurnEnding) {
        if let Some(agent) = self.agents.get_mut(&id) {
            agent.running = None;
            if id.is_main() {
                agent.clock.stop();
            }
        }
        let ending = match (&ending, self.agents.get(&id).and_then(|a| a.forced.as_ref())) {
            (TurnEnding::Completed | TurnEnding::Limit { .. }, Some((crate::protocol::Ending::OverBudget, _))) if id.is_main() => TurnEnding::OverBudget,
            _ => ending,
        };
        self.out.emit(id, EventKind::TurnEnded { ending: ending.clone() });
        if id.is_main() {
            self.journal.sync();
            if let TurnEnding::Limit { max } = &ending {
                self.notice(Level::Warning, &format!("Stopped at the limit of {max} requests per turn."), "say “go on” to continue, or raise max_turns");
            }
        } else {
            self.child_turn_ended(id, &ending);
        }
    }
}
