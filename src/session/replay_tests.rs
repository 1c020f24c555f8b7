//! Session files, sound and damaged, and what comes back from them.

use super::*;
use crate::protocol::{AssistantBlock, AssistantMessage, Budget, Ending, ToolCall, ToolResult, UserMessage};
use crate::session::child::ChildLog;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

fn said(text: &str) -> Record {
    message(Message::User(UserMessage::text(text, Origin::Person)))
}

fn message(message: Message) -> Record {
    Record::Message { message, at: 1, usage: None }
}

fn replied(text: &str) -> Record {
    message(Message::Assistant(AssistantMessage { blocks: vec![AssistantBlock::Text { text: text.into() }] }))
}

fn called(calls: &[(&str, &str, &str)]) -> Record {
    let block = |(id, name, prompt): &(&str, &str, &str)| {
        let input = serde_json::from_value(serde_json::json!({"description": "d", "prompt": prompt})).unwrap();
        AssistantBlock::ToolUse(ToolCall { id: CallId((*id).into()), name: (*name).into(), input, fault: None })
    };
    message(Message::Assistant(AssistantMessage { blocks: calls.iter().map(block).collect() }))
}

fn results(ids: &[&str], size: usize) -> Record {
    let results = ids.iter().map(|i| ToolResult::ok(CallId((*i).into()), "r".repeat(size))).collect();
    message(Message::User(UserMessage { results, content: Vec::new() }))
}

fn notified(task: &str) -> Record {
    let origin = Origin::Notification { task: task.parse().unwrap() };
    message(Message::User(UserMessage::text("<task-notification>", origin)))
}

fn info(n: u32, background: bool) -> AgentInfo {
    AgentInfo {
        id: AgentId::child(n),
        parent: AgentId::MAIN,
        depth: 1,
        kind: "Explore".into(),
        description: "d".into(),
        prompt: format!("prompt {n}"),
        model: "m".into(),
        background,
        max_requests: 30,
        budget: Budget::default(),
        read_only: true,
        fork: false,
    }
}

fn spawned(n: u32, background: bool) -> Record {
    Record::AgentSpawned { info: info(n, background), at: 2 }
}

fn finished(n: u32, notify: bool) -> Record {
    let outcome = AgentOutcome {
        ending: Ending::Completed,
        reason: "completed".into(),
        report: format!("REPORT{n}"),
        requests: 1,
        tool_uses: 0,
        usage: Usage::default(),
        cost_usd: 0.0,
        entered_parent_tokens: 1,
        files_written: Vec::new(),
        denied: Vec::new(),
        dropped_tools: Vec::new(),
        bad_citations: Vec::new(),
        branch: None,
        elapsed_ms: 1,
    };
    Record::AgentFinished { id: AgentId::child(n), outcome, notify, at: 3 }
}

fn session() -> Record {
    Record::Session { v: 1, id: "the-id".into(), cwd: "/w".into(), provider: "p".into(), model: "m".into(), at: 7 }
}

struct OnDisk {
    dir: tempfile::TempDir,
    path: PathBuf,
}

fn disk(records: &[Record]) -> OnDisk {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("the-id.jsonl");
    let text: String = records.iter().map(|r| serde_json::to_string(r).unwrap() + "\n").collect();
    fs::write(&path, text).unwrap();
    OnDisk { dir, path }
}

fn back(records: &[Record]) -> Restored {
    replay(&disk(records).path).unwrap()
}

fn ids(tasks: &[TaskId]) -> Vec<String> {
    tasks.iter().map(ToString::to_string).collect()
}

fn last_results(r: &Restored) -> Vec<ToolResult> {
    let Some(Message::User(m)) = r.history.last() else { panic!("{:?}", r.history) };
    m.results.clone()
}

#[test]
fn h2_settings_usage_and_history_come_back() {
    let usage = |input| Some(Usage { input, output: 1, ..Usage::default() });
    let Record::Message { message: m, .. } = replied("t") else { unreachable!() };
    let r = back(&[
        session(),
        Record::Mode { mode: Mode::Plan },
        said("q"),
        Record::Message { message: m.clone(), at: 1, usage: usage(10) },
        said("q2"),
        Record::Message { message: m, at: 1, usage: usage(20) },
        Record::Model { provider: "p2".into(), model: "m2".into() },
        Record::Rule { rule: "Bash(ls)".into(), agent: Some(AgentId::child(2)) },
        Record::Title { title: "T".into() },
        Record::Todos { todos: Vec::new() },
    ]);
    assert_eq!((r.meta.id.as_str(), r.meta.cwd.as_str(), r.meta.at), ("the-id", "/w", 7));
    assert_eq!((r.mode, r.provider.as_str(), r.model.as_str()), (Some(Mode::Plan), "p2", "m2"));
    assert_eq!((r.usage.input, r.last_usage.map(|u| u.input), r.history.len(), r.unsaved), (30, Some(20), 4, 0));
    assert_eq!((&r.rules[..], r.title.as_deref()), (&[("Bash(ls)".to_owned(), Some(AgentId::child(2)))][..], Some("T")));
    assert_eq!((r.next_agent, r.next_command, r.notice()), (1, 1, None));
}

#[test]
fn h1_damaged_lines_are_reported_and_what_follows_is_kept() {
    let d = disk(&[session(), said("FIRST"), replied("A")]);
    let mut bytes = fs::read(&d.path).unwrap();
    bytes.extend_from_slice(b"{\"type\": \"broken\", \"x\": \xff\n\n{\"type\":\"weather\",\"sun\":true}\n");
    bytes.extend_from_slice(serde_json::to_string(&said("SECOND")).unwrap().as_bytes());
    bytes.extend_from_slice(b"\n\x00\x00\x00\n[1,2]\n{\"type\":\"assistant\",\"text\":\"TORN");
    fs::write(&d.path, bytes).unwrap();
    let r = replay(&d.path).unwrap();
    assert_eq!((r.history.len(), &r.damaged[..], &r.newer[..]), (3, &[4, 8, 9, 10][..], &[6][..]));
    let notice = r.notice().unwrap();
    assert!(notice.contains("4 lines damaged") && notice.contains("4, 8, 9, 10") && notice.contains("newer"), "{notice}");
}

#[test]
fn h1_a_damaged_first_line_costs_only_the_meta() {
    let d = disk(&[said("q"), replied("t")]);
    let whole = fs::read_to_string(&d.path).unwrap();
    fs::write(&d.path, format!("{{\"type\":\"sess\n{whole}")).unwrap();
    let r = replay(&d.path).unwrap();
    assert_eq!((r.meta.id.as_str(), r.history.len(), r.damaged.len()), ("the-id", 2, 1));
    assert!(replay(Path::new("/nonexistent/x.jsonl")).is_err(), "a real error is an error");
}

#[test]
fn l2_open_calls_are_answered_and_marked_as_unsaved() {
    let r = back(&[session(), said("q"), called(&[("c1", "Bash", ""), ("c2", "Bash", "")])]);
    assert!(last_results(&r).iter().all(|r| r.is_error && r.text.contains("interrupted")));
    assert_eq!((r.history.len(), r.unsaved), (3, 1));
}

#[test]
fn s25_a_completion_is_owed_until_a_later_message_or_record_delivers_it() {
    let start = [session(), said("q"), spawned(1, true), spawned(2, true), replied("t")];
    let with = |more: &[Record]| ids(&back(&[&start[..], more].concat()).undelivered);
    assert_eq!(with(&[finished(2, true), finished(1, true)]), ["a2", "a1"], "in completion order");
    assert_eq!(with(&[finished(2, true), finished(1, true), notified("a2")]), ["a1"]);
    assert_eq!(with(&[finished(2, true), Record::Delivered { id: AgentId::child(2).into() }, finished(1, false)]), Vec::<String>::new());
    assert_eq!(with(&[finished(1, true), notified("a1"), spawned(1, true), finished(1, true), finished(2, false)]), ["a1"], "a resumed child owes again");
    let Record::Message { message, .. } = notified("a1") else { unreachable!() };
    assert_eq!(with(&[finished(1, true), notified("a1"), Record::Compacted { messages: vec![message] }, finished(2, false)]), Vec::<String>::new());
}

#[test]
fn s27_a_background_child_without_an_end_is_interrupted_and_owed_once() {
    let records = [
        session(),
        said("q"),
        spawned(1, true),
        spawned(2, false),
        Record::AgentBackgrounded { id: AgentId::child(2) },
        spawned(3, true),
        replied("t"),
        finished(3, true),
    ];
    let d = disk(&records);
    let mut log = ChildLog::new(&d.dir.path().join("the-id/subagents"), AgentId::child(1));
    for r in [said("prompt 1"), called(&[("c", "Read", "")])] {
        let Record::Message { mut message, .. } = r else { unreachable!() };
        if let Message::Assistant(m) = &mut message {
            m.blocks.insert(0, AssistantBlock::Text { text: "PARTIALWORDS".into() });
        }
        log.append(&message, 1).unwrap();
    }
    let r = replay(&d.path).unwrap();
    assert_eq!(ids(&r.undelivered), ["a3", "a1", "a2"], "what ended comes before what died");
    let a1 = &r.agents[0];
    assert_eq!(
        (a1.died, a1.outcome.ending, a1.outcome.report.as_str(), a1.outcome.requests, a1.outcome.tool_uses),
        (true, Ending::Interrupted, "PARTIALWORDS", 1, 1)
    );
    assert_eq!(r.next_agent, 4);
    let mut file = fs::OpenOptions::new().append(true).open(&d.path).unwrap();
    for n in ["a3", "a1", "a2"] {
        writeln!(file, "{}", serde_json::to_string(&notified(n)).unwrap()).unwrap();
    }
    assert!(replay(&d.path).unwrap().undelivered.is_empty(), "delivered on the first resume, not on the second");
}

#[test]
fn s27_the_call_of_a_foreground_child_tells_what_became_of_it() {
    let calls = called(&[("c1", "Agent", "prompt 1"), ("c2", "Agent", "prompt 2"), ("c3", "Read", "x")]);
    let r = back(&[session(), said("q"), calls, spawned(1, false), spawned(2, false), finished(1, false)]);
    let texts: Vec<String> = last_results(&r).into_iter().map(|r| r.text).collect();
    assert!(texts.iter().all(|t| t.contains("interrupted")), "{texts:?}");
    assert!(texts[0].contains("a1") && texts[0].contains("REPORT1") && texts[1].contains("a2") && !texts[2].contains("Agent"), "{texts:?}");
    assert!(r.undelivered.is_empty() && r.agents.iter().all(|a| a.delivered));

    let twins = called(&[("c1", "Agent", "same"), ("c2", "Agent", "same")]);
    let same = |n| Record::AgentSpawned { info: AgentInfo { prompt: "same".into(), ..info(n, false) }, at: 1 };
    let r = back(&[session(), said("q"), twins, same(1), same(2), finished(1, false), finished(2, false)]);
    let texts: Vec<String> = last_results(&r).into_iter().map(|r| r.text).collect();
    assert!(texts[0].contains("REPORT1") && texts[1].contains("REPORT2"), "{texts:?}");
}

#[test]
fn s24_numbers_go_on_even_when_records_are_lost() {
    let d = disk(&[session(), said("q"), spawned(2, false), finished(2, false)]);
    let sub = d.dir.path().join("the-id/subagents");
    fs::create_dir_all(&sub).unwrap();
    fs::write(sub.join("agent-a7.meta.json"), "{}").unwrap();
    assert_eq!(replay(&d.path).unwrap().next_agent, 8);
}

#[test]
fn s25_commands_are_owed_like_children() {
    let start = |n| Record::TaskStarted { id: TaskId::Command(n), command: "make".into(), description: String::new(), at: 1 };
    let end = |n| Record::TaskFinished { id: TaskId::Command(n), exit: Some(0), status: "completed".into(), output: "OUT".into(), notify: true, at: 2 };
    let r = back(&[session(), said("q"), start(1), start(2), start(3), replied("t"), end(2), end(1), notified("b1")]);
    assert_eq!(ids(&r.undelivered), ["b2", "b3"]);
    assert_eq!((r.tasks[2].status.as_str(), r.tasks[1].output.as_str(), r.tasks[1].command.as_str(), r.next_command), ("interrupted", "OUT", "make", 4));
}

#[test]
fn c4_a_compaction_replaces_the_history() {
    let Record::Message { message, .. } = said("SUMMARY") else { unreachable!() };
    let r = back(&[session(), said("old"), replied("old"), Record::Compacted { messages: vec![message] }, replied("new")]);
    assert_eq!((r.history.len(), r.last_usage), (2, None));
    assert!(matches!(&r.history[0], Message::User(m) if format!("{m:?}").contains("SUMMARY")));
}

#[test]
fn f03_a_large_session_keeps_its_shape_within_the_limit() {
    let mut records = vec![session(), said("q")];
    for n in 0..40 {
        let id = format!("c{n}");
        records.push(called(&[(&id, "Read", "")]));
        records.push(results(&[&id], 100_000));
    }
    records.push(replied("end"));
    let d = disk(&records);
    let r = replay_bounded(&d.path, 1_000_000).unwrap();
    assert_eq!(r.history.len(), 82);
    let size: usize = r.history.iter().map(|m| serde_json::to_string(m).unwrap().len()).sum();
    assert!(size < 1_100_000, "{size}");
    let text = |m: &Message| if let Message::User(u) = m { u.results[0].text.clone() } else { String::new() };
    assert!(text(&r.history[2]).contains("left out") && text(&r.history[80]).len() == 100_000, "the oldest give way, the newest stay");
    assert!(crate::protocol::History::from_messages(r.history.clone()).unwrap().check().is_ok());
    assert!(r.notice().unwrap().contains("very large"));
}
