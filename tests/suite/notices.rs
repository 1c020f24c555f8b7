//! Completions of background work: exactly once, in order, in the right place (CASES B06, B07, H05; SPEC S25–S27).

use crate::support::reply::{Reply, background, bash, call, calls, main, rule, say, tool};
use crate::support::server::Server;
use crate::support::until;
use crate::support::wire::Request;
use crate::support::world::World;
use serde_json::json;

const BYPASS: [&str; 2] = ["--permission-mode", "bypass"];

/// A command that ends when a file appears: the test decides when.
fn until_file(world: &World, name: &str) -> String {
    format!("while [ ! -e {} ]; do sleep 0.02; done; echo CAME", world.path(name))
}

fn in_background(command: &str) -> (String, serde_json::Value) {
    tool("Bash", json!({"command": command, "run_in_background": true}))
}

/// The `<id>` of each notification.
fn ids(request: &Request) -> Vec<String> {
    let id = |n: &String| n.split("<id>").nth(1).and_then(|r| r.split("</id>").next()).unwrap_or_default().to_owned();
    request.notices().iter().map(id).collect()
}

/// S25: six children that end at the same moment give six notices, each once, in the order of their ends; then nothing.
#[test]
fn b06_six_children_that_end_together_are_delivered_once_each() {
    let world = World::new();
    let all = calls((1..=6).map(|n| background(&format!("child {n}"), &format!("K:{n}"))));
    let mut rules: Vec<_> = (1..=6).map(|n| rule(&format!("c{n}"), &format!("K:{n}"), [say(&format!("REPORT{n}")).held("go")])).collect();
    rules.push(main([all, say("waiting"), say("more")]));
    let server = Server::start(rules);
    let live = world.start(&server, "go", &[]);
    for n in 1..=6 {
        server.wait(&format!("c{n}"), 1);
    }
    server.wait("main", 2);
    server.open("go");
    let run = live.wait();
    assert_eq!(run.code, 0, "{}", run.err);
    let last = server.last("main");
    let ended: Vec<String> = run.events.iter().filter(|e| e["kind"] == "agent_finished").map(|e| e["agent"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids(&last), ended, "in the order of their ends");
    assert_eq!(ended.len(), 6);
    for n in 1..=6 {
        assert_eq!(last.talk().matches(&format!("REPORT{n}")).count(), 1);
    }
    // A later session of the same conversation hears nothing again.
    let again = Server::start([main([say("fresh")])]);
    world.run(&again, "anything new?", &["--continue"]);
    assert_eq!(ids(&again.last("main")), ended, "no duplicates after a resume");
}

/// S25: an idle parent is woken by a command's end.
#[test]
fn b06_a_command_that_ends_wakes_the_idle_parent() {
    let world = World::new();
    let server = Server::start([main([calls([in_background(&until_file(&world, "now"))]), say("IDLE"), say("WOKEN")])]);
    let live = world.start(&server, "go", &BYPASS);
    live.wait_event("the end of the first turn", |e| e["kind"] == "turn_ended" && e["agent"] == "main");
    world.write("now", "");
    let run = live.wait();
    let last = server.only("main", 3)[2].clone();
    assert_eq!(ids(&last), ["b1"]);
    assert!(last.notices()[0].contains("CAME") && last.notices()[0].contains("completed"), "{:?}", last.notices());
    assert_eq!(run.result()["text"], "WOKEN");
}

/// S25: while the parent streams, the notice waits for the end of that reply and then comes once.
#[test]
fn b06_a_command_that_ends_while_the_parent_streams_waits() {
    let world = World::new();
    let streaming = say("STREAMING words").stalls("stream");
    let server = Server::start([main([calls([in_background(&until_file(&world, "now"))]), streaming, say("HEARD")])]);
    let live = world.start(&server, "go", &BYPASS);
    live.wait_event("the stream", |e| e["kind"] == "text_delta" && e["text"].as_str().unwrap().contains("STREAMING"));
    world.write("now", "");
    live.wait_event("the end of b1", |e| e["kind"] == "task_finished");
    server.open("stream");
    let run = live.wait();
    let requests = server.only("main", 3);
    assert_eq!((ids(&requests[1]), ids(&requests[2])), (vec![], vec!["b1".to_owned()]));
    assert!(requests[2].messages()[3].to_string().contains("STREAMING words"), "the reply stands whole before the notice");
    assert_eq!(run.result()["text"], "HEARD");
}

/// S25: a child's own background command wakes the child, not its parent.
#[test]
fn b06_a_childs_command_wakes_the_child() {
    let world = World::new();
    let server = Server::start([
        rule("a", "K:a", [calls([in_background(&until_file(&world, "now"))]), say("I wait for it"), say("CHILDHEARD the command")]),
        main([calls([background("runs a command", "K:a")]), say("IDLE"), say("DONE")]),
    ]);
    let live = world.start(&server, "go", &BYPASS);
    live.wait_event("the child's rest", |e| e["kind"] == "turn_ended" && e["agent"] == "a1");
    world.write("now", "");
    let run = live.wait();
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(ids(&server.only("a", 3)[2]), ["b1"]);
    let last = server.last("main");
    assert_eq!(ids(&last), ["a1"]);
    assert!(last.talk().contains("CHILDHEARD"));
}

/// L2, S25: a notice between two results waits for both; it stands behind them in the same message.
#[test]
fn b07_a_notice_between_two_results_stands_behind_both() {
    let world = World::new();
    let two = calls([bash("true"), bash(&until_file(&world, "second"))]);
    let server = Server::start([
        rule("b", "K:b", [say("CHILDREPORT").held("report")]),
        main([calls([background("quick", "K:b")]), two, calls([bash("true")]), say("THEEND")]),
    ]);
    let live = world.start(&server, "go", &BYPASS);
    // The launch and the first of the two have their results, the second runs.
    live.wait_event("the first result", |_| live.events().iter().filter(|e| e["kind"] == "tool_finished" && e["agent"] == "main").count() == 2);
    server.open("report");
    live.wait_ended("a1");
    world.write("second", "");
    let run = live.wait();
    let main = server.only("main", 4);
    assert_eq!(main.iter().map(|r| r.notices().len()).collect::<Vec<_>>(), [0, 0, 1, 1], "once, with the next request");
    assert_eq!(main[2].last_kinds(), ["tool_result", "tool_result", "text"]);
    assert!(main[2].last().contains("CHILDREPORT"));
    assert_eq!(run.result()["text"], "THEEND");
}

/// S25: `TaskOutput` that waits is the delivery; no notice follows.
#[test]
fn b06_a_waited_for_report_is_not_announced_again() {
    let world = World::new();
    let server = Server::start([
        rule("b", "K:b", [say("CHILDREPORT").after("main", 2)]),
        main([calls([background("waited for", "K:b")]), call("TaskOutput", json!({"task_id": "a1", "block": true, "timeout": 60_000})), say("DONE")]),
    ]);
    world.run(&server, "go", &[]);
    let last = server.only("main", 3)[2].clone();
    assert_eq!((last.notices().len(), last.talk().matches("CHILDREPORT").count()), (0, 1));
}

/// S27, C4: after a summary the parent still knows what runs, can stop it by id, and goes on without being told.
#[test]
fn h05_compaction_does_not_forget_what_runs() {
    let world = World::new();
    world.config("[models.\"scripted-model\"]\nwindow = 20000\noutput_limit = 2000\n");
    world.write("f.txt", "f\n");
    let reading = |used: u64| -> Reply { call("Read", json!({"file_path": world.path("f.txt")})).saying("a step").usage(used, 20) };
    let server = Server::start([
        rule("b", "K:b", [say("never").held("never")]),
        main([
            calls([background("long one", "K:b"), in_background("sleep 300.77")]),
            reading(9_000),
            reading(9_500),
            // Above the limit: the next request is the summary.
            reading(17_000),
            say("SUMMARY of everything"),
            call("TaskStop", json!({"task_id": "a1"})),
            call("TaskStop", json!({"task_id": "b1"})),
            say("THEEND"),
        ]),
    ]);
    let run = world.run(&server, "do the work", &BYPASS);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.events.iter().any(|e| e["kind"] == "compacted"), "it was summed up");
    let requests = server.only("main", 8);
    assert!(requests[4].tools().is_empty(), "the summary's request has no tools");
    let after = &requests[5];
    let talk = after.talk();
    assert!(talk.contains("SUMMARY of everything") && talk.contains("<running-tasks>"), "{talk}");
    for mark in ["a1 general-purpose “long one”: running", "b1 command sleep 300.77: running"] {
        assert!(talk.contains(mark), "{mark} is restated: {talk}");
    }
    assert!(server.last("main").results().iter().rev().take(2).all(|r| !r.error), "both could be stopped by id");
    assert_eq!((run.result()["text"].as_str(), run.agent("a1")["ending"].as_str()), (Some("THEEND"), Some("cancelled")));
    until("the command to end", String::new, || crate::support::living("sleep 300.77").is_empty().then_some(()));
}
