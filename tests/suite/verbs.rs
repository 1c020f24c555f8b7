//! Steer, stop, abort, background: the verbs for one child (SPEC S19, S20, S28).

use crate::support::pty::Tui;
use crate::support::reply::{background, bash, call, calls, child, main, rule, say};
use crate::support::server::Server;
use crate::support::world::World;
use serde_json::json;

/// S19: a running child gets the words behind the results of its next request; its sibling gets nothing.
#[test]
fn s19_a_message_reaches_a_running_child_at_its_next_safe_point() {
    let world = World::new();
    world.write("f.txt", "f\n");
    let read = || call("Read", json!({"file_path": world.path("f.txt")}));
    let server = Server::start([
        // The message is there once the parent has asked for the third time.
        rule("a", "K:a", [read().after("main", 3), say("STEEREDREPORT")]),
        rule("b", "K:b", [read().after("main", 3), say("OTHERREPORT")]),
        main([
            calls([background("one", "K:a"), background("two", "K:b")]),
            call("SendMessage", json!({"agent_id": "a1", "message": "STEERMARK"})),
            say("sent"),
            say("DONE"),
        ]),
    ]);
    let run = world.run(&server, "go", &[]);
    assert_eq!(run.code, 0, "{}", run.err);
    let child = server.only("a", 2);
    assert!(!child[0].talk().contains("STEERMARK") && child[1].last().contains("STEERMARK"));
    assert_eq!(child[1].last_kinds(), ["tool_result", "text"]);
    assert!(!server.last("b").talk().contains("STEERMARK"), "siblings are not touched");
}

/// S19: stop asks for the report: one last request without tools; the result carries it and counts as the delivery.
#[test]
fn s19_stop_brings_the_report() {
    let world = World::new();
    let server = Server::start([
        rule("a", "K:a", [say("on my way").stalls("never"), say("LASTREPORT")]),
        main([calls([background("long", "K:a")]), call("TaskStop", json!({"task_id": "a1", "report": true})).after("a", 1), say("DONE")]),
    ]);
    let run = world.run(&server, "go", &[]);
    let child = server.only("a", 2);
    assert!(child[1].tools().is_empty(), "the last request has no tools");
    let last = server.only("main", 3)[2].clone();
    assert!(last.results()[1].text.contains("LASTREPORT") && last.notices().is_empty(), "{:?}", last.results());
    assert_eq!(run.agent("a1")["ending"], "partial");
}

/// S19: abort ends at once and keeps the words.
#[test]
fn s19_abort_keeps_the_partial_text() {
    let world = World::new();
    world.write("f.txt", "f\n");
    let read = call("Read", json!({"file_path": world.path("f.txt")})).saying("PARTIALWORDS");
    let server = Server::start([
        rule("a", "K:a", [read, say("never").held("never")]),
        main([calls([background("long", "K:a")]), call("TaskStop", json!({"task_id": "a1"})).after("a", 2), say("DONE")]),
    ]);
    let run = world.run(&server, "go", &[]);
    let result = server.only("main", 3)[2].results()[1].clone();
    assert!(result.text.contains("PARTIALWORDS") && result.text.contains("cancelled"), "{result:?}");
    assert_eq!((run.agent("a1")["ending"].as_str(), server.count("a")), (Some("cancelled"), 2));
    server.wait_dropped("a");
}

/// S19, S28: after a restart, and without its type's file, a finished child goes on with a byte-equal prefix.
#[test]
fn s19_a_finished_child_goes_on_after_a_restart_with_a_byte_equal_prefix() {
    let world = World::new();
    world.write("f.txt", "x = 1\n");
    world.agent_type("finder", "---\nname: finder\ndescription: finds\ntools: Read\n---\nFINDERBODY\n");
    let read = call("Read", json!({"file_path": world.path("f.txt")}));
    let spawn = calls([("Agent".into(), json!({"description": "find", "prompt": "K:a list", "subagent_type": "finder"}))]);
    let server = Server::start([rule("a", "K:a", [read, say("FIRSTREPORT")]), main([spawn, say("ok")])]);
    let first = world.run(&server, "find it", &[]);
    let old = server.only("a", 2)[1].clone();
    assert!(old.all().contains("FINDERBODY"));
    world.agent_type("finder", "---\nname: finder\ndescription: finds\n---\nOTHERBODY\n");
    let again = |background: bool| call("SendMessage", json!({"agent_id": "a1", "message": "NEWQUESTION", "run_in_background": background}));
    let second = Server::start([rule("a", "K:a", [say("SECONDREPORT")]), main([again(false), say("passed on")])]);
    let run = world.run(&second, "ask again", &["--continue"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let new = second.only("a", 1)[0].clone();
    assert_eq!(new.prefix(), old.prefix(), "system, tools and model");
    let (before, now) = (old.messages(), new.messages());
    assert_eq!(now[..before.len()], before[..], "the old messages");
    assert_eq!(now.len(), before.len() + 2);
    assert!(new.last().contains("NEWQUESTION") && now[before.len()].to_string().contains("FIRSTREPORT"));
    let last = second.last("main");
    assert!(last.results().pop().unwrap().text.contains("SECONDREPORT"), "it waits for the new report");
    // prompt, call, result, report, question, report
    assert_eq!(world.child_lines(&first.session(), "a1").len(), 6);
    // A third time, in the background: a notice comes.
    let third = Server::start([rule("a", "K:a", [say("THIRDREPORT")]), main([again(true), say("waiting"), say("heard")])]);
    world.run(&third, "once more", &["--continue"]);
    assert!(third.last("main").notices().pop().unwrap_or_default().contains("THIRDREPORT"));
}

/// S20, S23: Ctrl+B moves a foreground child: the parent gets the launch result and goes on, the report comes as a notice.
#[test]
fn s20_ctrl_b_moves_a_child_to_the_background() {
    let world = World::new();
    let server =
        Server::start([rule("a", "K:a", [say("LATEREPORT").held("late")]), main([calls([child("slow one", "K:a")]), say("PARENTGOES"), say("PARENTWOKEN")])]);
    let mut tui = Tui::start(&world, &server, &[]);
    tui.prompt("go");
    server.wait("a", 1);
    tui.wait_for("slow one");
    tui.keys("\x02");
    tui.wait_for("PARENTGOES");
    let launch = server.requests("main")[1].results()[0].text.clone();
    assert!(launch.contains("Async agent launched.") && launch.contains("agentId: a1"), "{launch}");
    server.open("late");
    tui.wait_for("PARENTWOKEN");
    let last = server.only("main", 3)[2].clone();
    assert!(last.notices()[0].contains("LATEREPORT"), "{:?}", last.notices());
    assert_eq!(server.count("a"), 1, "it was moved, not started again");
}

/// S20, T4: a foreground command moves as well.
#[test]
fn s20_ctrl_b_moves_a_command_to_the_background() {
    let world = World::new();
    let wait = format!("while [ ! -e {} ]; do sleep 0.02; done; echo CAME", world.path("now"));
    let server = Server::start([main([calls([bash(&wait)]), say("PARENTGOES"), say("PARENTWOKEN")])]);
    let mut tui = Tui::start(&world, &server, &["--permission-mode", "bypass"]);
    tui.prompt("go");
    crate::support::until_living(&world.path("now"));
    tui.keys("\x02");
    tui.wait_for("PARENTGOES");
    world.write("now", "");
    tui.wait_for("PARENTWOKEN");
    let last = server.only("main", 3)[2].clone();
    assert!(last.results()[0].text.contains("taskId: b1") && last.notices()[0].contains("CAME"), "{:?}", last.notices());
}
