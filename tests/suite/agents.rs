//! Children: how many, how deep, and what of them reaches the parent (CASES B01, B02; SPEC S16–S18, S21).

use crate::support::reply::{Reply, agent, background, call, calls, child, main, rule, rule_said, say};
use crate::support::server::Server;
use crate::support::wire::Request;
use crate::support::world::World;
use serde_json::json;

/// Every reply of this model is one more child with the same prompt (S10).
#[test]
fn b01_agents_that_spawn_agents_end_at_the_depth_limit() {
    let world = World::new();
    world.config("[subagents]\nmax_depth = 2\n");
    let again = || call("Agent", json!({"description": "again", "prompt": "K:again"}));
    // A refused call is answered with the report: the model has no other way to end.
    let server =
        Server::start([rule("child", "K:again", [again(), again(), say("refused, so I report"), say("my child reported")]), main([again(), say("DONE")])]);
    let run = world.run(&server, "go", &[]);
    assert_eq!(run.code, 0, "{}", run.err);
    let children = server.only("child", 4);
    assert!(children[0].tools().contains(&"Agent".to_owned()), "depth 1 may still spawn");
    assert!(!children[1].tools().contains(&"Agent".to_owned()), "depth 2 has no Agent tool");
    let refused = &children[2].results()[0];
    assert!(refused.error && refused.text.contains("max_depth"), "{refused:?}");
    assert_eq!(run.endings(), [("a1".into(), "completed".into()), ("a2".into(), "completed".into())]);
}

/// A model that can do nothing else is stopped by the limits: the whole run ends (S10, L9).
#[test]
fn b01_a_model_that_only_spawns_ends_too() {
    let world = World::new();
    world.config("[subagents]\nmax_turns = 6\n");
    let again = || call("Agent", json!({"description": "again", "prompt": "K:again"}));
    let server = Server::start([rule("child", "K:again", [again()]), main([again()])]);
    let run = world.run(&server, "go", &["--max-turns", "3"]);
    assert_eq!((run.code, run.result()["ending"].as_str()), (3, Some("partial")), "{}", run.err);
    assert_eq!(server.count("main"), 3);
    assert!(server.count("child") <= 3 * 6, "{} requests", server.count("child"));
    assert!(run.endings().iter().all(|(_, ending)| ending != "completed"), "{:?}", run.endings());
}

/// 50 KB read three times, words on the way, then the report.
fn reader(world: &World) -> Vec<Reply> {
    for n in 0..3 {
        world.write(&format!("big{n}.txt"), &"FILEMARK of fifty kilobytes, line by line\n".repeat(1250));
    }
    let mut replies: Vec<Reply> = (0..3).map(|n| call("Read", json!({"file_path": world.path(&format!("big{n}.txt"))})).saying("thinking…")).collect();
    replies.push(say("ANSWER"));
    replies
}

/// How many characters of the parent's history a child may take beside its report.
const ENVELOPE: usize = 700;

fn small_and_clean(request: &Request, reports: usize) {
    let talk = request.talk();
    for mark in ["FILEMARK", "thinking…", "big0.txt"] {
        assert!(!talk.contains(mark), "{mark} reached the parent");
    }
    assert_eq!(talk.matches("ANSWER").count(), reports);
    assert!(talk.len() < 400 + reports * ENVELOPE, "{} characters for {reports} reports: {talk}", talk.len());
}

/// S11, S12: only the report comes back from the foreground.
#[test]
fn b02_the_parent_grows_by_the_report_of_a_foreground_child() {
    let world = World::new();
    let server = Server::start([rule("child", "K:a", reader(&world)), main([calls([child("read", "K:a")]), say("DONE")])]);
    let run = world.run(&server, "go", &[]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(server.only("child", 4)[3].talk().len() > 100_000, "the child has read what it was to read");
    small_and_clean(&server.only("main", 2)[1], 1);
    let (consumed, entered) = (run.agent("a1")["usage"]["input_tokens"].as_u64(), run.agent("a1")["entered_parent_tokens"].as_u64());
    assert!(consumed.is_some() && entered.is_some_and(|n| (1..200).contains(&n)), "{consumed:?} {entered:?}");
}

/// S23, S25: the same from the background.
#[test]
fn b02_the_parent_grows_by_the_report_of_a_background_child() {
    let world = World::new();
    let mut replies = reader(&world);
    replies[0] = replies[0].clone().after("main", 2);
    let server = Server::start([rule("child", "K:a", replies), main([calls([background("read", "K:a")]), say("waiting"), say("DONE")])]);
    let run = world.run(&server, "go", &[]);
    assert_eq!(run.code, 0, "{}", run.err);
    let last = &server.only("main", 3)[2];
    assert_eq!(last.notices().len(), 1);
    small_and_clean(last, 1);
}

/// L5, S11: four at the same time, none waits for another.
#[test]
fn b02_the_parent_grows_by_the_reports_of_four_parallel_children() {
    let world = World::new();
    let mut replies = reader(&world);
    replies.pop();
    let one = |n: usize| {
        let mut mine = replies.clone();
        // No first reply before all four have asked: they really run at the same time.
        mine[0] = mine[0].clone().after(&format!("c{}", (n + 1) % 4), 1);
        mine.push(say(&format!("ANSWER {n}")));
        rule(&format!("c{n}"), &format!("K:{n}"), mine)
    };
    let all = calls((0..4).map(|n| child(&format!("read {n}"), &format!("K:{n}"))));
    let server = Server::start([one(0), one(1), one(2), one(3), main([all, say("DONE")])]);
    let run = world.run(&server, "go", &[]);
    assert_eq!(run.code, 0, "{}", run.err);
    let last = &server.only("main", 2)[1];
    small_and_clean(last, 4);
    for (n, result) in last.results().iter().enumerate() {
        assert!(result.text.contains(&format!("ANSWER {n}")), "results stand in the order of the calls: {result:?}");
    }
}

/// S11: a huge report is cut at its head, with a note.
#[test]
fn b02_a_huge_report_is_cut_with_a_note() {
    let world = World::new();
    let report = format!("HEADMARK {} TAILMARK", "many words ".repeat(10_000));
    let server = Server::start([rule("child", "K:a", [say(&report)]), main([calls([child("talk", "K:a")]), say("DONE")])]);
    world.run(&server, "go", &[]);
    let text = server.only("main", 2)[1].results()[0].text.clone();
    assert!(text.len() < 34_000 && text.contains("TAILMARK") && !text.contains("HEADMARK"), "{} characters", text.len());
    assert!(text.contains("left out"), "a note says so");
}

/// S17: more children in one reply than may start unasked are all refused, without a request, and the limit is named.
#[test]
fn s17_a_large_fan_out_needs_consent_headless() {
    let world = World::new();
    world.config("[subagents]\nask_above = 3\n");
    let four = calls((0..4).map(|n| child(&format!("part {n}"), "K:part")));
    let three = calls((0..3).map(|n| child(&format!("part {n}"), "K:part")));
    let server = Server::start([rule("child", "K:part", [say("part done")]), main([four, three, say("DONE")])]);
    let run = world.run(&server, "go", &[]);
    assert_eq!(run.code, 0, "{}", run.err);
    let results = server.only("main", 3)[2].results();
    assert!(results[..4].iter().all(|r| r.error && r.text.contains("subagents.ask_above = 3")), "{results:?}");
    assert!(results[4..].iter().all(|r| !r.error), "three are within the limit: {results:?}");
    assert_eq!(server.count("child"), 3);
}

/// S17: `--no-subagents` takes the tool away.
#[test]
fn s17_no_subagents_removes_the_tool() {
    let world = World::new();
    let server = Server::start([main([calls([child("x", "y")]), say("DONE")])]);
    world.run(&server, "go", &["--no-subagents"]);
    let main = server.only("main", 2);
    assert!(!main[0].tools().contains(&"Agent".to_owned()) && main[1].results()[0].error);
}

/// S21: a fork starts from the parent's history with a byte-equal prefix; only its conclusion comes back.
#[test]
fn s21_a_fork_has_a_byte_equal_prefix() {
    let world = World::new();
    world.write("f.txt", "HISTORYMARK\n");
    let fork = calls([agent("judge", "K:fork judge it", &json!({"fork": true}))]);
    let nested = calls([agent("deeper", "K:fork again", &json!({"fork": true}))]).saying("let me fork again");
    let read = call("Read", json!({"file_path": world.path("f.txt")}));
    let server = Server::start([rule_said("fork", "K:fork", [nested, say("CONCLUSION")]), main([read, fork, say("DONE")])]);
    let run = world.run(&server, "PARENTQUESTION", &[]);
    assert_eq!(run.code, 0, "{}", run.err);
    let (parent, fork) = (server.requests("main")[1].clone(), server.only("fork", 2)[0].clone());
    assert_eq!(fork.prefix(), parent.prefix(), "system, tools and model");
    let (old, new) = (parent.messages(), fork.messages());
    assert_eq!(new[..old.len()], old[..], "the parent's messages");
    assert_eq!((new.len(), fork.last_kinds()), (old.len() + 2, vec!["tool_result".to_owned(), "text".to_owned()]));
    assert!(fork.last().contains("K:fork judge it") && fork.talk().contains("HISTORYMARK"));
    let refused = server.requests("fork")[1].results().pop().unwrap();
    assert!(refused.error && refused.text.contains("fork"), "a fork cannot fork: {refused:?}");
    let last = server.last("main");
    assert!(last.talk().contains("CONCLUSION") && !last.talk().contains("let me fork again"), "only the conclusion comes back");
    assert!(run.agent("a1")["ending"] == "completed");
}

/// S18: a child's own worktree: its change is on a branch that the result names, the project is untouched.
#[test]
fn s18_a_worktree_child_works_on_its_own_branch() {
    let world = World::new();
    world.write("f.txt", "old\n");
    world.git(&["init", "-q"]);
    world.git(&["add", "f.txt"]);
    world.git(&["commit", "-q", "-m", "first"]);
    let isolated = json!({"isolation": "worktree"});
    let work = vec![calls([("Bash".into(), json!({"command": "echo changed > f.txt && pwd"}))]), say("WORKDONE")];
    let main = main([calls([agent("change", "K:work", &isolated), agent("look", "K:look", &isolated)]), say("DONE")]);
    let server = Server::start([rule("work", "K:work", work), rule("look", "K:look", [say("nothing to do")]), main]);
    let run = world.run(&server, "go", &["--permission-mode", "bypass"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(world.read("f.txt"), "old\n", "the project's own copy");
    let results = server.only("main", 2)[1].results();
    let branch = results[0].text.split("branch ").nth(1).unwrap_or_default().split_whitespace().next().unwrap_or_default().to_owned();
    assert!(branch.starts_with("tui-agent/"), "{results:?}");
    assert_eq!(world.git(&["show", &format!("{branch}:f.txt")]), "changed\n");
    assert!(!results[1].text.contains("branch"), "an unchanged one is removed: {results:?}");
    assert_eq!(world.git(&["branch", "--list", "tui-agent/*"]).lines().count(), 1);
}

/// S1: a type may run in the background by itself; the call's own word wins.
#[test]
fn s1_a_type_runs_in_the_background_unless_the_call_says_otherwise() {
    let world = World::new();
    world.agent_type("later", "---\nname: later\ndescription: works aside\nbackground: true\n---\nBODY\n");
    let spawn = |name: &str, prompt: &str, more: serde_json::Value| {
        let mut input = serde_json::json!({"description": name, "prompt": prompt, "subagent_type": "later"});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        crate::support::reply::tool("Agent", input)
    };
    let aside = spawn("aside", "K:a", serde_json::json!({}));
    let waited = spawn("waited", "K:b", serde_json::json!({"run_in_background": false}));
    let server =
        Server::start([rule("a", "K:a", [say("REPORTA")]), rule("b", "K:b", [say("REPORTB")]), main([calls([aside, waited]), say("waiting"), say("DONE")])]);
    let run = world.run(&server, "go", &[]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!((run.agent("a1")["background"].as_bool(), run.agent("a2")["background"].as_bool()), (Some(true), Some(false)));
    let results = server.requests("main")[1].results();
    assert!(results[0].text.contains("Async agent launched.") && results[1].text.contains("REPORTB"), "{results:?}");
}
