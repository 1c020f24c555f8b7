//! Any sequence of stored messages gives a history that every provider takes.

use super::*;
use proptest::prelude::*;

fn call(id: &str) -> AssistantBlock {
    AssistantBlock::ToolUse(ToolCall { id: CallId(id.into()), name: "Read".into(), input: serde_json::Map::new(), fault: None })
}

fn reply(blocks: Vec<AssistantBlock>) -> Message {
    Message::Assistant(AssistantMessage { blocks })
}

fn text(t: &str) -> AssistantBlock {
    AssistantBlock::Text { text: t.into() }
}

fn said(t: &str) -> Message {
    Message::User(UserMessage::text(t, Origin::Person))
}

fn results(ids: &[&str]) -> Message {
    Message::User(UserMessage { results: ids.iter().map(|i| ToolResult::ok(CallId((*i).into()), format!("out {i}"))).collect(), content: Vec::new() })
}

fn repaired(messages: impl IntoIterator<Item = Message>) -> (Vec<Message>, Vec<String>) {
    let mut repair = Repair::default();
    messages.into_iter().for_each(|m| repair.push(m));
    repair.finish(&|_| INTERRUPTED.to_owned())
}

#[test]
fn l2_a_sound_history_is_left_as_it_is() {
    let sound = vec![said("q"), reply(vec![text("t"), call("a"), call("b")]), results(&["a", "b"]), reply(vec![text("done")])];
    assert_eq!(repaired(sound.clone()), (sound, Vec::new()));
}

#[test]
fn a15_open_calls_at_the_end_are_answered_as_interrupted() {
    let (messages, _) = repaired([said("q"), reply(vec![call("a"), call("b")])]);
    let Some(Message::User(m)) = messages.last() else { panic!("{messages:?}") };
    assert!(m.results.iter().all(|r| r.is_error && r.text.contains("interrupted")), "{m:?}");
    assert_eq!(m.results.len(), 2);
}

#[test]
fn a_lost_line_in_the_middle_costs_no_more_than_itself() {
    // The results were lost.
    let (m, notes) = repaired([said("q"), reply(vec![call("a")]), said("next"), reply(vec![text("t")])]);
    assert_eq!((m.len(), notes.len()), (4, 1));
    let Message::User(u) = &m[2] else { panic!() };
    assert!(u.results[0].is_error && u.content.len() == 1);
    // The reply with the calls was lost.
    let (m, notes) = repaired([said("q"), results(&["a"]), reply(vec![text("t")])]);
    assert_eq!((m.len(), notes.len()), (2, 2), "{notes:?}");
    // The person's message was lost.
    assert_eq!(repaired([reply(vec![text("t")]), said("q")]).0.len(), 3);
    // Two replies follow each other.
    assert_eq!(repaired([said("q"), reply(vec![text("t")]), reply(vec![text("u")])]).0.len(), 4);
    // A reply was written twice.
    assert_eq!(repaired([said("q"), reply(vec![call("a")]), reply(vec![call("a")]), results(&["a"])]).0.len(), 3);
}

#[test]
fn l3_ids_that_stand_twice_are_changed_together_with_their_results() {
    let (m, _) = repaired([said("q"), reply(vec![call("a")]), results(&["a"]), reply(vec![text("t"), call("a")]), results(&["a"])]);
    let Message::User(u) = &m[4] else { panic!() };
    assert_eq!((u.results[0].call_id.0.as_str(), u.results[0].is_error, u.results[0].text.as_str()), ("a-2", false, "out a"));
}

fn any_message() -> impl Strategy<Value = Message> {
    let ids = prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "a-2"]), 0..4);
    prop_oneof![
        "[ x]{0,2}".prop_map(|t| said(&t)),
        ids.clone().prop_map(|ids| results(&ids)),
        (ids.clone(), "[ y]{0,2}").prop_map(|(ids, t)| {
            let Message::User(mut m) = results(&ids) else { unreachable!() };
            m.content.push(UserContent::Text { text: t, origin: Origin::Engine });
            Message::User(m)
        }),
        (ids, "[ z]{0,2}").prop_map(|(ids, t)| reply(std::iter::once(text(&t)).chain(ids.iter().map(|i| call(i))).collect())),
    ]
}

proptest! {
    #[test]
    fn l2_l3_every_sequence_becomes_legal(messages in prop::collection::vec(any_message(), 0..12)) {
        let (fixed, _) = repaired(messages);
        let history = History::from_messages(fixed.clone()).unwrap();
        prop_assert!(history.check().is_ok());
        prop_assert_eq!(repaired(fixed.clone()), (fixed, Vec::new()), "repairing twice changes nothing");
    }
}
