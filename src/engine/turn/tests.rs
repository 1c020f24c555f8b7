//! One test per arrow of the machine.
#![allow(clippy::wildcard_enum_match_arm)] // Tests look at the effects that they are about.

use super::*;
use crate::protocol::event::{TurnEnding, TurnError};
use crate::protocol::{AssistantBlock, AssistantMessage, CallFault, CallId, History, Message, Origin, TaskId, ToolCall, ToolResult, UserContent};
use serde_json::{Map, Value};

pub(super) fn main_state() -> State {
    State::new(History::new(), Limits::default())
}

fn child(max: u32) -> State {
    State::new(History::new(), Limits { max_requests: max, per_turn: false, press_for_report: true, announce_last: true, ..Limits::default() })
}

pub(super) fn say(text: &str) -> Input {
    Input::Say { text: text.into(), images: Vec::new(), origin: Origin::Person }
}

fn call(id: &str, name: &str) -> ToolCall {
    ToolCall { id: CallId(id.into()), name: name.into(), input: Map::from_iter([("x".to_owned(), Value::from(1))]), fault: None }
}

fn text(t: &str) -> AssistantMessage {
    AssistantMessage { blocks: vec![AssistantBlock::Text { text: t.into() }] }
}

pub(super) fn calls(ids: &[(&str, &str)]) -> AssistantMessage {
    AssistantMessage { blocks: ids.iter().map(|(id, name)| AssistantBlock::ToolUse(call(id, name))).collect() }
}

fn classes(message: &AssistantMessage) -> Vec<CallClass> {
    message
        .calls()
        .map(|c| match c.name.as_str() {
            "Read" => CallClass::Read,
            "Agent" => CallClass::Agent,
            _ => CallClass::Write,
        })
        .collect()
}

pub(super) fn reply(s: &mut State, message: AssistantMessage) -> Vec<Effect> {
    let classes = classes(&message);
    step(s, Input::Reply { message, cut: false, classes, consent: false })
}

pub(super) fn ok(s: &mut State, id: &str) -> Vec<Effect> {
    step(s, Input::Result { result: ToolResult::ok(CallId(id.into()), format!("result of {id}")) })
}

fn runs(effects: &[Effect]) -> Vec<String> {
    effects
        .iter()
        .filter_map(|e| match e {
            Effect::Run(c) => Some(c.id.0.clone()),
            _ => None,
        })
        .collect()
}

fn requests(effects: &[Effect]) -> usize {
    effects.iter().filter(|e| matches!(e, Effect::Request { .. })).count()
}

fn ending(effects: &[Effect]) -> Option<TurnEnding> {
    effects.iter().find_map(|e| match e {
        Effect::TurnEnded(ending) => Some(ending.clone()),
        _ => None,
    })
}

fn last_user(s: &State) -> crate::protocol::UserMessage {
    s.history
        .messages()
        .iter()
        .rev()
        .find_map(|m| match m.as_ref() {
            Message::User(u) => Some(u.clone()),
            Message::Assistant(_) => None,
        })
        .unwrap()
}

fn texts(s: &State) -> Vec<String> {
    last_user(s)
        .content
        .into_iter()
        .filter_map(|c| match c {
            UserContent::Text { text, .. } => Some(text),
            UserContent::Image { .. } => None,
        })
        .collect()
}

#[test]
fn l1_a_message_starts_a_turn_and_a_reply_without_calls_ends_it() {
    let mut s = main_state();
    let out = step(&mut s, say("hi"));
    assert!(matches!(out[..], [Effect::TurnStarted, Effect::QueueChanged, Effect::Appended(_), Effect::Request { tools: true }]), "{out:?}");
    assert_eq!(ending(&reply(&mut s, text("hello"))), Some(TurnEnding::Completed));
    assert!(s.is_idle() && s.history.check().is_ok());
}

#[test]
fn a07_calls_decide_and_their_results_go_out_in_call_order() {
    let mut s = main_state();
    step(&mut s, say("hi"));
    assert_eq!(runs(&reply(&mut s, calls(&[("a", "Read"), ("b", "Read")]))), ["a", "b"]);
    assert!(ok(&mut s, "b").is_empty());
    assert_eq!(requests(&ok(&mut s, "a")), 1);
    assert_eq!(last_user(&s).results.iter().map(|r| r.call_id.0.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert!(s.history.check().is_ok());
}

#[test]
fn l5_reads_run_together_writers_alone_children_apart() {
    let mut s = main_state();
    step(&mut s, say("go"));
    let m = calls(&[("r1", "Read"), ("r2", "Read"), ("w1", "Bash"), ("w2", "Bash"), ("k1", "Agent"), ("k2", "Agent"), ("r3", "Read")]);
    assert_eq!(runs(&reply(&mut s, m)), ["r1", "r2"]);
    assert!(ok(&mut s, "r1").is_empty());
    assert_eq!(runs(&ok(&mut s, "r2")), ["w1"]);
    assert_eq!(runs(&ok(&mut s, "w1")), ["w2"]);
    assert_eq!(runs(&ok(&mut s, "w2")), ["k1", "k2"]);
    assert!(runs(&ok(&mut s, "k2")).is_empty(), "the read waits for all children");
    assert_eq!(runs(&ok(&mut s, "k1")), ["r3"]);
    assert_eq!(requests(&ok(&mut s, "r3")), 1);
}

#[test]
fn l5_eight_reads_and_four_children_at_most() {
    let ids: Vec<String> = (0..12).map(|i| format!("c{i}")).collect();
    for (name, max) in [("Read", 8), ("Agent", 4)] {
        let mut s = main_state();
        step(&mut s, say("go"));
        let pairs: Vec<(&str, &str)> = ids.iter().map(|i| (i.as_str(), name)).collect();
        assert_eq!(runs(&reply(&mut s, calls(&pairs))).len(), max);
        assert_eq!(runs(&ok(&mut s, "c1")), [format!("c{max}")], "a place that is free is taken");
    }
}

#[test]
fn l6_the_limit_stops_and_the_next_message_goes_on() {
    let mut s = State::new(History::new(), Limits { max_requests: 2, ..Limits::default() });
    step(&mut s, say("go"));
    reply(&mut s, calls(&[("a", "Read")]));
    assert_eq!(requests(&ok(&mut s, "a")), 1);
    reply(&mut s, calls(&[("b", "Read")]));
    assert_eq!(ending(&ok(&mut s, "b")), Some(TurnEnding::Limit { max: 2 }));
    assert!(s.history.check().is_ok(), "every call has its result");
    assert_eq!(requests(&step(&mut s, say("go on"))), 1);
    assert_eq!(s.requests(), 1, "the limit is per turn");
}

#[test]
fn l7_a15_an_interrupt_answers_every_call() {
    let mut s = main_state();
    step(&mut s, say("go"));
    reply(&mut s, calls(&[("a", "Bash"), ("b", "Bash"), ("c", "Bash")]));
    ok(&mut s, "a");
    let out = step(&mut s, Input::Interrupt { partial: AssistantMessage::default() });
    assert!(out.contains(&Effect::CancelCalls(vec![CallId("b".into())])), "only what runs is cancelled");
    assert_eq!(ending(&out), Some(TurnEnding::Interrupted));
    let results = last_user(&s).results;
    assert_eq!(results.iter().map(|r| r.is_error).collect::<Vec<_>>(), [false, true, true]);
    assert!(results[1].text.contains("interrupted"));
    assert!(ok(&mut s, "b").is_empty(), "a late result does nothing");
    step(&mut s, say("hi"));
    assert!(s.history.check().is_ok());
}

#[test]
fn l7_an_interrupt_keeps_the_partial_text_and_a14_no_empty_one() {
    for (partial, len) in [(text("Par"), 2), (text(" "), 1), (AssistantMessage::default(), 1)] {
        let mut s = main_state();
        step(&mut s, say("go"));
        let out = step(&mut s, Input::Interrupt { partial });
        assert!(out.contains(&Effect::CancelRequest));
        assert_eq!(s.history.len(), len);
        step(&mut s, say("next"));
        assert!(s.history.check().is_ok());
    }
}

#[test]
fn l7_b07_what_waits_goes_behind_the_results_in_order() {
    let mut s = main_state();
    step(&mut s, say("go"));
    reply(&mut s, calls(&[("a", "Bash"), ("b", "Bash")]));
    ok(&mut s, "a");
    step(&mut s, say("typed"));
    step(&mut s, notice(1));
    step(&mut s, say("typed later"));
    ok(&mut s, "b");
    assert_eq!(last_user(&s).results.len(), 2);
    assert_eq!(texts(&s), ["typed", "notice 1", "typed later"]);
}

pub(super) fn notice(n: u32) -> Input {
    Input::Notice { task: TaskId::Command(n), full: format!("notice {n}"), short: format!("short {n}"), tokens: 10 }
}

#[test]
fn l7_what_waits_at_the_end_starts_the_next_turn() {
    let mut s = main_state();
    step(&mut s, say("go"));
    step(&mut s, say("queued"));
    let out = reply(&mut s, text("done"));
    assert_eq!(ending(&out), Some(TurnEnding::Completed));
    assert_eq!(requests(&out), 1);
    assert_eq!(texts(&s), ["queued"]);
}

#[test]
fn l8_a_cut_call_is_never_run_and_the_limit_is_named() {
    let mut s = main_state();
    step(&mut s, say("go"));
    for n in 0..4 {
        let mut m = calls(&[("x", "Write")]);
        if let Some(AssistantBlock::ToolUse(c)) = m.blocks.first_mut() {
            c.id = CallId(format!("x{n}"));
            c.fault = Some(CallFault::Cut);
        }
        let out = step(&mut s, Input::Reply { message: m, cut: true, classes: vec![CallClass::Write], consent: false });
        assert!(runs(&out).is_empty());
        assert!(last_user(&s).results[0].text.contains("output limit"));
        assert_eq!(requests(&out), usize::from(n < 3), "three continuations at most");
    }
    assert!(s.is_idle() && s.history.check().is_ok());
}

#[test]
fn l8_a_cut_text_is_continued() {
    let mut s = main_state();
    step(&mut s, say("go"));
    let out = step(&mut s, Input::Reply { message: text("first half, "), cut: true, classes: vec![], consent: false });
    assert_eq!(requests(&out), 1);
    reply(&mut s, text("second half"));
    assert_eq!(s.final_text(), "first half, second half");
}

#[test]
fn l9_the_same_failing_call_runs_five_times_at_most() {
    let mut s = main_state();
    step(&mut s, say("go"));
    for n in 1..=5 {
        let id = format!("c{n}");
        reply(&mut s, calls(&[(&id, "Read")]));
        let out = step(&mut s, Input::Result { result: ToolResult::error(CallId(id), "no such file") });
        assert_eq!(requests(&out), usize::from(n < 5));
        if n == 5 {
            assert!(matches!(ending(&out), Some(TurnEnding::Failed { error }) if error.kind == "loop"));
        }
    }
    assert!(s.history.check().is_ok());
}

#[test]
fn l9_a_success_or_another_call_in_between_starts_the_count_anew() {
    let mut s = main_state();
    step(&mut s, say("go"));
    for n in 0..12 {
        let id = format!("c{n}");
        reply(&mut s, calls(&[(&id, if n % 4 == 3 { "Bash" } else { "Read" })]));
        let out = step(&mut s, Input::Result { result: ToolResult::error(CallId(id), "no") });
        assert_eq!(requests(&out), 1);
    }
}

#[test]
fn s16_a_child_makes_exactly_its_requests_and_is_told_before_the_last() {
    let mut s = child(3);
    step(&mut s, say("prompt"));
    reply(&mut s, calls(&[("a", "Read")]));
    ok(&mut s, "a");
    assert!(texts(&s).is_empty());
    reply(&mut s, calls(&[("b", "Read")]));
    ok(&mut s, "b");
    assert!(texts(&s)[0].contains("last request of 3"));
    let mut last = text("words so far");
    last.blocks.extend(calls(&[("c", "Read")]).blocks);
    let out = reply(&mut s, last);
    assert_eq!(ending(&out), Some(TurnEnding::Limit { max: 3 }));
    assert!(runs(&out).is_empty(), "the last calls are not run");
    assert_eq!(s.final_text(), "words so far");
    assert!(s.history.check().is_ok());
}

#[test]
fn s16_s19_report_now_asks_once_without_tools() {
    // While a request is out, its reply is awaited; its calls are not run.
    let mut s = child(30);
    step(&mut s, say("prompt"));
    step(&mut s, Input::ReportNow { note: "REPORT".into(), cancel: false });
    let out = reply(&mut s, calls(&[("a", "Read")]));
    assert!(runs(&out).is_empty() && out.contains(&Effect::Request { tools: false }));
    assert_eq!(texts(&s), ["REPORT"]);
    let out = reply(&mut s, calls(&[("b", "Read")]));
    assert_eq!(ending(&out), Some(TurnEnding::Completed), "calls in the last reply are answered, not run");
    assert!(s.history.check().is_ok());
    // While calls run, they are cancelled.
    let mut s = child(30);
    step(&mut s, say("prompt"));
    reply(&mut s, calls(&[("a", "Bash")]));
    let out = step(&mut s, Input::ReportNow { note: "REPORT".into(), cancel: true });
    assert!(out.contains(&Effect::CancelCalls(vec![CallId("a".into())])) && out.contains(&Effect::Request { tools: false }));
    assert!(s.history.check().is_ok());
}

#[test]
fn s13_an_announcement_is_asked_again_once() {
    let mut s = child(30);
    step(&mut s, say("prompt"));
    assert_eq!(requests(&reply(&mut s, text("I will now look."))), 1);
    assert_eq!(ending(&reply(&mut s, text("Let me look."))), Some(TurnEnding::Completed));
}

#[test]
fn s17_children_wait_for_consent_and_the_refused_get_their_result() {
    let mut s = main_state();
    step(&mut s, say("go"));
    let m = calls(&[("r", "Read"), ("k1", "Agent"), ("k2", "Agent"), ("k3", "Agent")]);
    let classes = classes(&m);
    let out = step(&mut s, Input::Reply { message: m, cut: false, classes, consent: true });
    assert_eq!(runs(&out), ["r"]);
    let out = ok(&mut s, "r");
    assert!(runs(&out).is_empty() && matches!(&out[..], [Effect::AskConsent(ids)] if ids.len() == 3));
    let out = step(&mut s, Input::Consent { allowed: vec![CallId("k2".into())], reason: "not allowed".into() });
    assert_eq!(runs(&out), ["k2"]);
    assert_eq!(requests(&ok(&mut s, "k2")), 1);
    assert_eq!(last_user(&s).results.iter().map(|r| r.is_error).collect::<Vec<_>>(), [false, true, false, true]);
}

#[test]
fn s21_a_fork_answers_its_parents_open_calls_in_front_of_its_task() {
    let mut parent = main_state();
    step(&mut parent, say("question"));
    reply(&mut parent, calls(&[("a", "Agent"), ("b", "Read")]));
    let mut fork = State::fork(parent.history.clone(), Limits::default(), "placeholder");
    step(&mut fork, say("task"));
    assert_eq!(fork.history.len(), parent.history.len() + 1);
    assert_eq!(last_user(&fork).results.len(), 2);
    assert_eq!(texts(&fork), ["task"]);
    assert!(fork.history.check().is_ok());
}

#[test]
fn p5_a_failed_request_ends_the_turn_and_keeps_the_text_once() {
    let mut s = main_state();
    step(&mut s, say("go"));
    let error = TurnError { kind: "server".into(), message: "m".into(), hint: String::new() };
    let out = step(&mut s, Input::Failed { error: error.clone(), partial: text("Hel") });
    assert_eq!(ending(&out), Some(TurnEnding::Failed { error }));
    assert_eq!(s.final_text(), "Hel");
    assert_eq!(requests(&step(&mut s, say("again"))), 1);
    assert!(s.history.check().is_ok());
}

#[test]
fn s26_a_report_that_does_not_fit_arrives_in_short() {
    let mut s = main_state();
    s.room = 15;
    step(&mut s, say("go"));
    step(&mut s, notice(1));
    step(&mut s, notice(2));
    reply(&mut s, calls(&[("a", "Read")]));
    ok(&mut s, "a");
    assert_eq!(texts(&s), ["notice 1", "short 2"]);
}

#[test]
fn a14_an_empty_reply_ends_the_turn_without_a_message() {
    let mut s = main_state();
    step(&mut s, say("go"));
    assert_eq!(ending(&reply(&mut s, AssistantMessage::default())), Some(TurnEnding::Completed));
    assert_eq!(s.history.len(), 1);
    step(&mut s, say("again"));
    assert!(s.history.check().is_ok());
}
