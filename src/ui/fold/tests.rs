//! Tests of the fold from events to the model of the screen.

use super::bounds::{CHILD_BYTES, CHILD_ITEMS};
use super::testing::*;
use super::*;
use crate::protocol::event::TurnError;
use crate::protocol::{Answer, Display, Ending, Mode, Origin, Usage};
use crate::ui::model::{AgentState, ToolState};

#[test]
fn u1_text_and_reasoning_grow_in_their_open_items_until_the_reply_is_finished() {
    let mut p = Play::new();
    p.user("hi").request(MAIN, 1).think(MAIN, "let ").think(MAIN, "me see").text(MAIN, "Hel").text(MAIN, "lo");
    assert_eq!(p.said(MAIN), ["user hi", "thought let me see", "says Hello"]);
    p.reply(MAIN);
    assert_eq!(p.said(MAIN), ["user hi", "thought let me see", "said Hello"]);
    p.request(MAIN, 2).text(MAIN, "again");
    assert_eq!(p.said(MAIN)[3], "says again", "a new request has its own item");
}

#[test]
fn a09_a_broken_stream_doubles_nothing_and_leaves_what_was_before() {
    let mut p = Play::new();
    p.user("hi").request(MAIN, 1).text(MAIN, "first").reply(MAIN).start(MAIN, "c", "Read", "f").finish(MAIN, "c", "1 line", Display::None);
    p.request(MAIN, 2).think(MAIN, "hm").text(MAIN, "Hel").notice(Level::Info, "in between").text(MAIN, "lo");
    p.push(MAIN, EventKind::StreamReset);
    p.push(MAIN, EventKind::Retrying { attempt: 2, max: 6, wait_ms: 2_000, reason: "stream broken".into() });
    assert_eq!(p.said(MAIN), ["user hi", "said first", "Done Read f 1 line", "notice in between"]);
    assert_eq!(p.model.retry.as_ref().unwrap().until, p.at + 2_000);
    let before: Vec<u64> = p.items(MAIN).iter().map(|i| i.id).collect();
    p.text(MAIN, "Hello world").reply(MAIN);
    assert_eq!(p.said(MAIN)[4], "said Hello world");
    assert!(p.model.retry.is_none());
    assert!(p.items(MAIN)[4].id > *before.iter().max().unwrap(), "a new id: the render cache must not append to void text");
}

#[test]
fn u5_a_tool_opens_behind_the_text_and_ends_with_its_outcome() {
    let mut p = Play::new();
    p.user("hi").request(MAIN, 1).text(MAIN, "I look").start(MAIN, "c1", "Bash", "ls").wait(500);
    assert_eq!(p.said(MAIN), ["user hi", "said I look", "Running Bash ls"]);
    p.push(MAIN, EventKind::ToolProgressed { call: call("c1"), tail: "a\nb".into() });
    p.push(
        MAIN,
        EventKind::ToolFinished {
            call: call("c1"),
            is_error: true,
            summary: "exit 1".into(),
            display: Display::Command { output: "a\nb\nc".into(), exit: Some(1) },
        },
    );
    let (item, tool) = p.model.transcripts[&MAIN].tool(&call("c1")).unwrap();
    assert_eq!((tool.state, tool.ended, tool.tail.as_str()), (ToolState::Failed, Some(10_500), ""));
    assert_eq!(item.version, 2);
    p.push(MAIN, EventKind::ToolFinished { call: call("unknown"), is_error: false, summary: String::new(), display: Display::None });
    assert_eq!(p.items(MAIN).len(), 3);
}

#[test]
fn s22_a_child_has_a_row_a_transcript_that_starts_with_its_prompt_and_a_link_from_the_call() {
    let mut p = Play::new();
    p.user("go").start(MAIN, "c1", "Agent", "look").spawn(info(1, "look", false), Some("c1"));
    let prompt = "PROMPT of look";
    p.push(child(1), EventKind::UserMessage { text: prompt.into(), origin: Origin::Person });
    assert_eq!(p.said(child(1)), [format!("user {prompt}")], "the prompt stands there once");
    assert_eq!(p.model.transcripts[&MAIN].tool(&call("c1")).unwrap().1.agent, Some(child(1)));
    p.request(child(1), 1).start(child(1), "t1", "Grep", "x").start(child(1), "t2", "Read", "y").wait(100);
    let row = &p.model.agents[&child(1)];
    assert_eq!((row.requests, row.tool_uses), (1, 2));
    assert_eq!(row.current, Some(("Read".into(), "y".into(), 10_000)));
    p.finish(child(1), "t2", "", Display::None);
    assert_eq!(p.model.agents[&child(1)].current, Some(("Grep".into(), "x".into(), 10_000)), "the other one still runs");
    p.finish(child(1), "t1", "", Display::None).used(child(1), usage(5, 6));
    assert_eq!(p.model.agents[&child(1)].current, None);
    assert_eq!(p.model.agents[&child(1)].usage, usage(5, 6));
    assert_eq!(p.model.usage, Usage::default(), "the parent's own gauge is untouched");
    p.push(child(1), EventKind::AgentStalled { stalled: true });
    assert!(p.model.agents[&child(1)].stalled);
    p.push(child(1), EventKind::AgentFinished { outcome: outcome(Ending::Partial) });
    let row = &p.model.agents[&child(1)];
    assert_eq!((row.state, row.ended, row.stalled, row.requests), (AgentState::Finished, Some(p.at), false, 3));
    assert!(p.model.toasts.is_empty(), "a foreground child ends in the conversation");
}

#[test]
fn s19_a_steered_child_shows_the_message_once_and_works_again() {
    let mut p = Play::new();
    p.spawn(info(1, "look", true), None).push(child(1), EventKind::AgentFinished { outcome: outcome(Ending::Completed) });
    assert_eq!(p.model.toasts.len(), 1);
    p.wait(50).spawn(info(1, "look", true), None);
    p.push(child(1), EventKind::AgentSteered { text: "also y".into() });
    p.push(child(1), EventKind::UserMessage { text: "also y".into(), origin: Origin::Steer });
    let row = &p.model.agents[&child(1)];
    assert_eq!((row.state, row.ended, row.started, row.outcome.is_none()), (AgentState::Running, None, 10_050, true));
    assert_eq!(p.said(child(1)), ["user PROMPT of look", "user also y"]);
}

#[test]
fn s17_a_waiting_child_starts_its_clock_when_it_starts() {
    let mut p = Play::new();
    let info = info(1, "later", true);
    p.push(child(1), EventKind::AgentSpawned { info, call: None, pending: true });
    assert_eq!(p.model.agents[&child(1)].state, AgentState::Pending);
    p.wait(3_000).push(child(1), EventKind::AgentStarted).push(child(1), EventKind::AgentBackgrounded);
    let row = &p.model.agents[&child(1)];
    assert_eq!((row.state, row.started, row.info.background), (AgentState::Running, 13_000, true));
}

#[test]
fn r6_a_question_marks_the_call_and_the_child_until_it_is_gone() {
    let mut p = Play::new();
    p.spawn(info(1, "x", true), None).start(child(1), "t1", "Bash", "rm").start(child(1), "t2", "Bash", "mv");
    let asked = EventKind::PermissionAsked { approval: approval(7, child(1), Some("t1"), true) };
    p.push(child(1), asked.clone()).push(child(1), asked);
    p.push(child(1), EventKind::PermissionAsked { approval: approval(8, child(1), Some("t2"), true) });
    assert_eq!(p.model.approvals.len(), 2, "the same question is kept once");
    let state = |p: &Play, c| p.model.transcripts[&child(1)].tool(&call(c)).unwrap().1.state;
    assert_eq!((state(&p, "t1"), p.model.agents[&child(1)].state), (ToolState::Asking, AgentState::Asking));
    p.push(child(1), EventKind::PermissionResolved { id: ApprovalId(7), answer: Some(Answer::Once) });
    assert_eq!((state(&p, "t1"), p.model.agents[&child(1)].state), (ToolState::Running, AgentState::Asking), "one question is left");
    p.push(child(1), EventKind::PermissionResolved { id: ApprovalId(8), answer: None });
    assert_eq!((p.model.approvals.len(), p.model.agents[&child(1)].state), (0, AgentState::Running));
    p.push(child(1), EventKind::PermissionResolved { id: ApprovalId(8), answer: None });
    p.finish(child(1), "t1", "", Display::None);
    p.push(child(1), EventKind::PermissionAsked { approval: approval(9, child(1), Some("t1"), true) });
    assert_eq!(state(&p, "t1"), ToolState::Done, "a finished call is not asked about");
}

#[test]
fn l7_an_interrupt_closes_what_was_open_and_says_so() {
    let mut p = Play::new();
    p.user("go").request(MAIN, 1).text(MAIN, "part").start(MAIN, "c", "Bash", "sleep");
    assert!(p.model.turn_since.is_some());
    p.end(TurnEnding::Interrupted);
    assert_eq!(p.said(MAIN), ["user go", "said part", "Failed Bash sleep interrupted", "notice Interrupted."]);
    assert_eq!((p.model.turn_since, p.model.last_ending.clone()), (None, Some(TurnEnding::Interrupted)));
    let error = TurnError { kind: "network".into(), message: "no route".into(), hint: "check".into() };
    p.user("more").end(TurnEnding::Failed { error }).user("x").end(TurnEnding::Limit { max: 2 }).user("y").end(TurnEnding::Completed);
    p.notice(Level::Warning, "Interrupted.").end(TurnEnding::Interrupted);
    assert_eq!(p.said(MAIN).pop().as_deref(), Some("notice Interrupted."));
    assert_eq!(p.said(MAIN).len(), 10, "it is not said twice in a row");
    assert_eq!(p.said(MAIN)[4..9], ["user more", "notice no route", "user x", "notice Stopped at the limit of 2 requests.", "user y"]);
}

#[test]
fn u4_toasts_are_few_and_tell_of_completions_and_warnings() {
    let mut p = Play::new();
    for n in 1..=9 {
        p.command(n, "cargo test");
        p.push(
            MAIN,
            EventKind::TaskFinished { task: TaskId::Command(n), exit: Some(i32::from(n > 8)), status: if n > 8 { "failed" } else { "completed" }.into() },
        );
    }
    assert_eq!(p.model.toasts.len(), TOASTS);
    assert_eq!(p.model.toasts[4].text, "b9 cargo test: failed");
    assert_eq!((p.model.toasts[3].level, p.model.toasts[4].level), (Level::Info, Level::Warning));
    p.notice(Level::Warning, "disk full\nreally").notice(Level::Info, "fyi");
    assert_eq!(p.model.toasts[4].text, "disk full…");
    assert_eq!(p.said(MAIN), ["notice disk full\nreally", "notice fyi"]);
}

#[test]
fn h2_another_session_clears_the_view_but_not_the_program() {
    let mut p = Play::default();
    p.notice(Level::Warning, "config.toml: unknown key");
    let start = |id: &str| EventKind::SessionStarted {
        session_id: id.into(),
        cwd: "/p".into(),
        provider: "p".into(),
        model: "m".into(),
        mode: Mode::Plan,
        resumed: false,
    };
    p.push(MAIN, EventKind::BranchRead { branch: Some("main".into()), changed: 3 }).push(MAIN, start("one"));
    assert_eq!(p.said(MAIN), ["notice config.toml: unknown key"], "words before the first session stay");
    p.push(MAIN, EventKind::BranchRead { branch: Some("main".into()), changed: 3 });
    p.push(MAIN, EventKind::Commands { commands: vec![("x".into(), "y".into())] });
    p.user("hi").spawn(info(1, "x", true), None).command(1, "ls");
    let (version, next) = (p.model.version, p.model.next_item);
    p.push(MAIN, start("two"));
    let m = &p.model;
    assert!(m.transcripts.is_empty() && m.agents.is_empty() && m.commands.is_empty() && m.turn_since.is_none());
    assert_eq!((m.header.session.as_str(), m.header.branch.as_deref(), m.header.mode), ("two", Some("main"), Mode::Plan));
    assert_eq!(m.own_commands.len(), 1);
    assert!(m.version > version && m.next_item == next, "ids go on: the render cache must not mix sessions");
}

#[test]
fn small_facts_are_taken_over() {
    let mut p = Play::new();
    p.push(MAIN, EventKind::QueueChanged { texts: vec!["a".into()] }).push(MAIN, EventKind::Unqueued { text: "a".into() });
    p.push(MAIN, EventKind::ModeChanged { mode: Mode::Plan }).push(MAIN, EventKind::ModelChanged { provider: "q".into(), model: "n".into() });
    p.push(MAIN, EventKind::TrustAsked { items: vec!["hooks".into()] }).push(MAIN, EventKind::Compacted { before: 9, after: 1, summary: "s".into() });
    p.push(MAIN, EventKind::AgentTypes { types: Vec::new() }).push(MAIN, EventKind::Closed);
    p.command(1, "ls").push(MAIN, EventKind::TaskDismissed { task: TaskId::Command(1) });
    p.spawn(info(1, "x", true), None).push(MAIN, EventKind::TaskDismissed { task: child(1).into() });
    let m = &p.model;
    assert_eq!((m.queued.len(), m.header.mode, m.header.model.as_str(), m.closed), (1, Mode::Plan, "n", true));
    assert!(m.trust.is_some() && m.commands[&TaskId::Command(1)].dismissed && m.agents[&child(1)].dismissed);
    assert_eq!(p.said(MAIN), ["compacted 9 1"]);
}

#[test]
fn targets_a_child_with_very_many_calls_stays_small_and_keeps_its_prompt() {
    let mut p = Play::new();
    p.spawn(info(1, "busy", true), None);
    for n in 0..10_000 {
        let id = format!("t{n}");
        p.start(child(1), &id, "Read", "f.rs").finish(child(1), &id, "88 lines", Display::Text { text: "x".repeat(if n % 2 == 0 { 10 } else { 3_000 }) });
    }
    let t = &p.model.transcripts[&child(1)];
    assert!(t.items.len() <= CHILD_ITEMS && t.bytes <= CHILD_BYTES + 4_000, "{} items, {} bytes", t.items.len(), t.bytes);
    assert_eq!(t.bytes, t.items.iter().map(super::bounds::weight).sum::<usize>(), "the count is right");
    assert!(t.calls.len() < t.items.len() && t.live.is_empty());
    let said = p.said(child(1));
    assert_eq!(said[0], "user PROMPT of busy");
    assert_eq!(said[1], format!("notice … {} earlier items are in the transcript file", 10_001 + 1 - said.len()));
    assert!(t.items.windows(2).all(|w| w[0].id < w[1].id), "ids rise");
    assert!(p.model.agents[&child(1)].recent.iter().all(|c| t.tool(c).is_some()));
}

#[test]
fn a_very_long_reply_of_a_child_is_never_cut_while_it_is_open() {
    let mut p = Play::new();
    p.spawn(info(1, "busy", true), None);
    for n in 0..40 {
        p.start(child(1), &format!("t{n}"), "Read", "f").finish(child(1), &format!("t{n}"), "", Display::None);
    }
    p.request(child(1), 1);
    for _ in 0..100 {
        p.text(child(1), &"word ".repeat(2_000));
    }
    p.notice(Level::Info, "other").reply(child(1)).start(child(1), "z", "Read", "f");
    let text = p.said(child(1)).into_iter().find(|s| s.starts_with("said")).unwrap();
    assert_eq!(text.len(), 5 + 1_000_000);
}
