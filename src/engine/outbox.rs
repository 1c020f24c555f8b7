//! Events on their way to the interface: numbered, merged where they may be, sent as the bounded channel has room.

use crate::protocol::event::EVENT_VERSION;
use crate::protocol::{AgentId, Event, EventKind};
use crate::util::time::now_ms;
use std::collections::VecDeque;

/// Events that wait for room in the channel. Only deltas and tails are merged; nothing else is dropped.
#[derive(Debug, Default)]
pub struct Outbox {
    waiting: VecDeque<Event>,
    seq: u64,
}

impl Outbox {
    /// Add an event.
    pub fn emit(&mut self, agent: AgentId, kind: EventKind) {
        if let Some(last) = self.waiting.back_mut()
            && last.agent == agent
        {
            match (&mut last.kind, &kind) {
                (EventKind::TextDelta { text }, EventKind::TextDelta { text: new })
                | (EventKind::ThinkingDelta { text }, EventKind::ThinkingDelta { text: new }) => {
                    text.push_str(new);
                    return;
                }
                (EventKind::ToolProgressed { call, tail }, EventKind::ToolProgressed { call: c, tail: new }) if call == c => {
                    tail.clone_from(new);
                    return;
                }
                (EventKind::UsageUpdated { .. }, EventKind::UsageUpdated { .. }) => {
                    last.kind = kind;
                    return;
                }
                _ => {}
            }
        }
        self.seq += 1;
        self.waiting.push_back(Event { v: EVENT_VERSION, seq: self.seq, at: now_ms(), agent, kind });
    }

    /// Whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The oldest event.
    pub fn pop(&mut self) -> Option<Event> {
        self.waiting.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_deltas_are_merged() {
        let mut out = Outbox::default();
        let text = |t: &str| EventKind::TextDelta { text: t.into() };
        out.emit(AgentId::MAIN, text("a"));
        out.emit(AgentId::MAIN, text("b"));
        out.emit(AgentId::child(1), text("c"));
        out.emit(AgentId::MAIN, EventKind::TurnStarted);
        out.emit(AgentId::MAIN, EventKind::TurnStarted);
        let all: Vec<Event> = std::iter::from_fn(|| out.pop()).collect();
        assert_eq!(all.len(), 4);
        assert_eq!(all[0].kind, text("ab"));
        assert_eq!(all.iter().map(|e| e.seq).collect::<Vec<_>>(), [1, 2, 3, 4]);
    }
}
