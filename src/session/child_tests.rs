//! A child's transcript and sidecar, as they are written and as they come back.

use super::*;
use crate::protocol::{AssistantBlock, AssistantMessage, CallId, Origin, ToolCall, ToolResult, UserMessage};
use serde_json::{Value, json};
use std::fs;

fn meta() -> ChildMeta {
    ChildMeta {
        v: CHILD_VERSION,
        id: AgentId::child(1),
        kind: "Explore".into(),
        description: "find paging".into(),
        prompt: "find\r\nit ".into(),
        system: vec!["base\n".into(), "type".into()],
        tools: vec![ToolSpec { name: "Read".into(), description: "reads".into(), schema: json!({"type": "object", "z": 1, "a": {"default": 0.1}}) }],
        provider: "p".into(),
        model: "m".into(),
        effort: Some("low".into()),
        depth: 1,
        parent: AgentId::MAIN,
        background: false,
        read_only: true,
        fork: false,
        max_requests: 30,
        budget: Budget::default(),
        workspace: None,
        ending: None,
        reason: String::new(),
        usage: Usage::default(),
        requests: 0,
        tool_uses: 0,
    }
}

fn messages() -> Vec<Message> {
    let input = serde_json::from_str(r#"{"z":1,"a":"x"}"#).unwrap();
    let call = ToolCall { id: CallId("c1".into()), name: "Read".into(), input, fault: None };
    let thinking = AssistantBlock::Thinking { text: "abc".into(), signature: Some("SIG".into()), source: "p/m".into() };
    vec![
        Message::User(UserMessage::text("find\r\nit ", Origin::Person)),
        Message::Assistant(AssistantMessage { blocks: vec![thinking, AssistantBlock::Text { text: "PARTIAL".into() }, AssistantBlock::ToolUse(call)] }),
        Message::User(UserMessage { results: vec![ToolResult::ok(CallId("c1".into()), "out")], content: Vec::new() }),
        Message::Assistant(AssistantMessage { blocks: vec![AssistantBlock::Text { text: "report".into() }] }),
    ]
}

fn write(dir: &Path, messages: &[Message]) {
    let mut log = ChildLog::new(dir, AgentId::child(1));
    for m in messages {
        log.append(m, 5).unwrap();
    }
}

#[test]
fn s28_lines_are_marked_and_the_sidecar_has_its_keys() {
    let dir = tempfile::tempdir().unwrap();
    let sub = dir.path().join("subagents");
    write(&sub, &messages());
    write_meta(&sub, &ChildMeta { ending: Some(Ending::Completed), ..meta() }).unwrap();
    let text = fs::read_to_string(sub.join("agent-a1.jsonl")).unwrap();
    assert_eq!(text.lines().count(), 4);
    for line in text.lines() {
        let v: Value = serde_json::from_str(line).unwrap();
        assert_eq!((&v["type"], &v["isSidechain"], &v["agentId"]), (&json!("message"), &json!(true), &json!("a1")));
    }
    let v: Value = serde_json::from_str(&fs::read_to_string(sub.join("agent-a1.meta.json")).unwrap()).unwrap();
    for key in ["v", "type", "description", "system", "tools", "model", "depth", "ending", "usage"] {
        assert!(v.get(key).is_some(), "{key}");
    }
    assert_eq!((&v["type"], &v["ending"]), (&json!("Explore"), &json!("completed")));
}

#[test]
fn s19_a_child_comes_back_byte_for_byte() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &messages());
    write_meta(dir.path(), &meta()).unwrap();
    let back = load_child(dir.path(), AgentId::child(1)).unwrap();
    assert_eq!((back.meta.clone(), back.messages.clone(), back.unsaved, back.damaged.len()), (meta(), messages(), 0, 0));
    assert_eq!(serde_json::to_string(&back.messages).unwrap(), serde_json::to_string(&messages()).unwrap());
    assert_eq!(serde_json::to_string(&back.meta.tools).unwrap(), serde_json::to_string(&meta().tools).unwrap());
    assert!(load_child(dir.path(), AgentId::child(77)).unwrap_err().contains("agent-a77"));
}

#[test]
fn f01_a_child_that_died_in_a_call_goes_on_with_a_legal_history() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &messages()[..2]);
    write_meta(dir.path(), &meta()).unwrap();
    append_private(&dir.path().join("agent-a1.jsonl")).unwrap().write_all(b"{\"type\":\"mess").unwrap();
    assert_eq!(glance(dir.path(), AgentId::child(1)), Glance { last_text: "PARTIAL".into(), requests: 1, tool_uses: 1 });
    let back = load_child(dir.path(), AgentId::child(1)).unwrap();
    assert_eq!((back.messages.len(), back.unsaved, &back.damaged[..]), (3, 1, &[3][..]));
    // Going on: the synthetic results are appended, then more.
    write(dir.path(), &back.messages[2..]);
    let again = load_child(dir.path(), AgentId::child(1)).unwrap();
    assert_eq!((again.messages, again.unsaved), (back.messages, 0));
    assert_eq!(glance(dir.path(), AgentId::child(5)), Glance::default());
    assert_eq!(numbers(dir.path()).max(), Some(1));
}
