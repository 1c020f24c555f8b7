//! SPEC S25 as a property: whatever happens in whatever order, each completion enters the history exactly once, in
//! order of arrival, behind tool results; and the history stays legal. Every step is one of the things that can happen
//! to a parent: streaming, in a tool, idle, compacting, interrupted, failed, crashed and resumed.
#![allow(clippy::wildcard_enum_match_arm)] // Tests look at the effects that they are about.

use super::tests::{calls, main_state, notice, ok, reply, say};
use super::*;
use crate::protocol::event::TurnError;
use crate::protocol::{AssistantBlock, AssistantMessage, History, Message, Origin, TaskId, UserContent};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Happens {
    Notice,
    Say,
    ReplyText,
    ReplyCalls(u8),
    Result,
    Interrupt,
    Fail,
    CutText,
    Crash,
}

fn happens() -> impl Strategy<Value = Happens> {
    prop_oneof![
        4 => Just(Happens::Notice),
        1 => Just(Happens::Say),
        3 => Just(Happens::ReplyText),
        3 => (1u8..4).prop_map(Happens::ReplyCalls),
        6 => Just(Happens::Result),
        1 => Just(Happens::Interrupt),
        1 => Just(Happens::Fail),
        1 => Just(Happens::CutText),
        1 => Just(Happens::Crash),
    ]
}

/// The world around a machine: the session log that survives a crash, and who is owed what.
struct World {
    state: State,
    log: Vec<Message>,
    notices: u32,
    completed: Vec<u32>,
    ids: u32,
    running: Vec<String>,
}

impl World {
    fn take(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Appended(m) => self.log.push(m.as_ref().clone()),
                Effect::Run(c) => self.running.push(c.id.0),
                Effect::CancelCalls(ids) => self.running.retain(|r| !ids.iter().any(|i| i.0 == *r)),
                _ => {}
            }
        }
    }

    fn delivered(&self) -> Vec<u32> {
        let mut found = Vec::new();
        for message in &self.log {
            let Message::User(m) = message else { continue };
            for c in &m.content {
                if let UserContent::Text { origin: Origin::Notification { task: TaskId::Command(n) }, .. } = c {
                    found.push(*n);
                }
            }
        }
        found
    }

    /// `kill -9`: only the log is left. Open calls get their error results, what is owed waits again.
    fn crash(&mut self) {
        let mut history = History::new();
        for m in self.log.clone() {
            history.push(m).unwrap();
        }
        let results = history.open_calls().iter().map(|c| crate::protocol::ToolResult::error(c.id.clone(), "interrupted")).collect::<Vec<_>>();
        if !results.is_empty() {
            let m = Message::User(crate::protocol::UserMessage { results, content: Vec::new() });
            history.push(m.clone()).unwrap();
            self.log.push(m);
        }
        self.state = State::new(history, Limits::default());
        self.running.clear();
        let done = self.delivered();
        for n in self.completed.clone() {
            if !done.contains(&n) {
                self.state.owe(TaskId::Command(n), format!("notice {n}"), String::from("short"), 10);
            }
        }
    }

    fn happen(&mut self, what: &Happens) {
        let effects = match what {
            Happens::Notice => {
                self.notices += 1;
                self.completed.push(self.notices);
                step(&mut self.state, notice(self.notices))
            }
            Happens::Say => step(&mut self.state, say("words")),
            Happens::ReplyText if self.state.is_requesting() => {
                reply(&mut self.state, AssistantMessage { blocks: vec![AssistantBlock::Text { text: "done".into() }] })
            }
            Happens::CutText if self.state.is_requesting() => {
                let message = AssistantMessage { blocks: vec![AssistantBlock::Text { text: "half".into() }] };
                step(&mut self.state, Input::Reply { message, cut: true, classes: vec![], consent: false })
            }
            Happens::ReplyCalls(n) if self.state.is_requesting() => {
                let ids: Vec<String> = (0..*n)
                    .map(|_| {
                        self.ids += 1;
                        format!("c{}", self.ids)
                    })
                    .collect();
                let names = ["Read", "Bash", "Agent"];
                let pairs: Vec<(&str, &str)> = ids.iter().enumerate().map(|(i, id)| (id.as_str(), names[i % 3])).collect();
                reply(&mut self.state, calls(&pairs))
            }
            Happens::Result => match self.running.pop() {
                Some(id) => ok(&mut self.state, &id),
                None => Vec::new(),
            },
            Happens::Interrupt => step(&mut self.state, Input::Interrupt { partial: AssistantMessage::default() }),
            Happens::Fail if self.state.is_requesting() => {
                let error = TurnError { kind: "server".into(), message: "m".into(), hint: String::new() };
                step(&mut self.state, Input::Failed { error, partial: AssistantMessage::default() })
            }
            Happens::Crash => {
                self.crash();
                Vec::new()
            }
            Happens::ReplyText | Happens::CutText | Happens::ReplyCalls(_) | Happens::Fail => Vec::new(),
        };
        self.take(effects);
    }

    /// Let everything come to rest, with a word of the person when only that brings what is owed.
    fn settle(&mut self) {
        for _ in 0..200 {
            if self.state.is_requesting() {
                self.happen(&Happens::ReplyText);
            } else if !self.state.is_idle() {
                self.happen(&Happens::Result);
            } else if self.delivered().len() < self.completed.len() {
                self.happen(&Happens::Say);
            } else {
                return;
            }
        }
        panic!("the machine does not come to rest");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn s25_each_completion_is_delivered_exactly_once_in_order(script in proptest::collection::vec(happens(), 1..60)) {
        let mut w = World { state: main_state(), log: Vec::new(), notices: 0, completed: Vec::new(), ids: 0, running: Vec::new() };
        w.happen(&Happens::Say);
        for what in &script {
            w.happen(what);
            let all = w.delivered();
            let mut sorted = all.clone();
            sorted.sort_unstable();
            sorted.dedup();
            prop_assert_eq!(&all, &sorted, "never twice, always in order");
        }
        w.settle();
        prop_assert_eq!(w.delivered(), w.completed.clone());
        // The log is a legal conversation, and it is the history.
        let history = History::from_messages(w.log.clone());
        prop_assert!(history.is_ok() && history.unwrap().check().is_ok());
        for m in &w.log {
            if let Message::User(u) = m {
                prop_assert!(!(u.results.is_empty() && u.content.is_empty()));
            }
        }
    }
}
