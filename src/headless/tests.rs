//! Tests of `headless`.

use super::*;
use crate::protocol::event::{EVENT_VERSION, TurnEnding, TurnError};
use crate::protocol::{Denied, Usage};

fn tally(kinds: Vec<EventKind>) -> Tally {
    let mut tally = Tally::default();
    for (seq, kind) in kinds.into_iter().enumerate() {
        tally.take(&Event { v: EVENT_VERSION, seq: seq as u64, at: 0, agent: AgentId::MAIN, kind });
    }
    tally
}

fn text(t: &str) -> EventKind {
    EventKind::TextDelta { text: t.into() }
}

fn request() -> EventKind {
    EventKind::RequestStarted { n: 1, max: 9 }
}

fn ended(ending: TurnEnding) -> EventKind {
    EventKind::TurnEnded { ending }
}

#[test]
fn o1_the_text_is_that_of_the_last_message_continuations_joined() {
    let tool = EventKind::ToolStarted { call: crate::protocol::CallId("c".into()), name: "Read".into(), title: String::new() };
    let t = tally(vec![
        EventKind::TurnStarted,
        request(),
        text("looking"),
        tool,
        request(),
        text("first half, "),
        request(),
        text("second half"),
        ended(TurnEnding::Completed),
    ]);
    assert_eq!(t.text, "first half, second half");
    assert_eq!((t.object()["requests"].as_u64(), t.object()["tool_uses"].as_u64()), (Some(3), Some(1)));
}

#[test]
fn p5_a_broken_stream_leaves_nothing_behind() {
    let t = tally(vec![EventKind::TurnStarted, request(), text("Hel"), EventKind::StreamReset, text("Hello"), ended(TurnEnding::Completed)]);
    assert_eq!(t.text, "Hello");
}

#[test]
fn o1_exit_codes_follow_the_ending() {
    let error = TurnError { kind: "server".into(), message: "m".into(), hint: String::new() };
    let denied = EventKind::CallRefused { denied: Denied { agent: AgentId::MAIN, tool: "Write".into(), input: String::new(), reason: String::new() } };
    for (kinds, code, word) in [
        (vec![text("x"), ended(TurnEnding::Completed)], 0, "completed"),
        (vec![text("x"), denied.clone(), ended(TurnEnding::Completed)], 0, "completed"),
        (vec![denied, ended(TurnEnding::Completed)], 4, "denied"),
        (vec![ended(TurnEnding::Failed { error })], 1, "failed"),
        (vec![ended(TurnEnding::Limit { max: 3 })], 3, "partial"),
        (vec![ended(TurnEnding::OverBudget)], 3, "over_budget"),
        (vec![ended(TurnEnding::Interrupted)], 130, "cancelled"),
    ] {
        let t = tally(kinds);
        assert_eq!((exit_code(&t), t.object()["ending"].as_str()), (code, Some(word)));
    }
}

#[test]
fn o1_usage_counts_the_main_agent() {
    let usage = Usage { input: 5, output: 7, cache_read: 1, cache_write: 2 };
    let t = tally(vec![EventKind::ReplyFinished { usage }, EventKind::ReplyFinished { usage }]);
    assert_eq!(t.object()["usage"]["input_tokens"], 10);
    assert_eq!(t.object()["usage"]["cache_creation_input_tokens"], 4);
}
