//! An interrupt reaches everything below: streams, processes, queued calls (CASES B04, A15; SPEC L2, L7, S19).

use crate::support::pty::Tui;
use crate::support::reply::{background, bash, calls, child, main, rule, say};
use crate::support::server::Server;
use crate::support::world::World;
use crate::support::{living, odd_sleep, until_gone, until_living};

const BYPASS: [&str; 2] = ["--permission-mode", "bypass"];

/// A command with processes of its own, recognised by its number.
fn nest(long: &str) -> String {
    format!("bash -c 'trap \"\" TERM; sleep {long} & sleep {long}; wait'; echo never")
}

/// L7: Esc ends the child's process group and its queued calls; the parent can go on at once with a well-formed history.
#[test]
fn b04_esc_ends_the_childs_processes() {
    let (world, long) = (World::new(), odd_sleep());
    let server = Server::start([
        rule("a", "K:a", [calls([bash(&nest(&long)), bash("touch queued.txt")]).saying("CHILDWORDS"), say("never")]),
        main([calls([child("long one", "K:a")]), say("AFTERWARDS")]),
    ]);
    let mut tui = Tui::start(&world, &server, &BYPASS);
    tui.prompt("go");
    until_living(&long);
    tui.keys("\x1b");
    until_gone(&long);
    tui.wait_for("Interrupted");
    tui.prompt("hi there");
    tui.wait_for("AFTERWARDS");
    let last = server.only("main", 2)[1].clone();
    let result = last.results()[0].clone();
    assert!(result.error && result.text.contains("interrupted"), "{result:?}");
    assert_eq!(last.turn_kinds(), ["tool_result", "text"], "the result before the words");
    assert_eq!(server.count("a"), 1, "the child asks nothing more");
    assert!(!world.exists("queued.txt"));
}

/// L7: the child's stream is dropped too.
#[test]
fn b04_esc_closes_the_childs_stream() {
    let world = World::new();
    let server = Server::start([rule("a", "K:a", [say("CHILDWORDS").stalls("never")]), main([calls([child("streams", "K:a")]), say("AFTERWARDS")])]);
    let mut tui = Tui::start(&world, &server, &[]);
    tui.prompt("go");
    server.wait("a", 1);
    tui.wait_for("streams");
    tui.keys("\x1b");
    server.wait_dropped("a");
    tui.wait_for("Interrupted");
}

/// O1: SIGINT ends a headless run with 130, and nothing is left behind, in the foreground and in the background.
#[test]
fn b04_sigint_leaves_no_process_behind() {
    let (world, front, back) = (World::new(), odd_sleep(), odd_sleep());
    let server = Server::start([
        rule("a", "K:a", [calls([bash(&nest(&front))])]),
        rule("b", "K:b", [calls([bash(&nest(&back))])]),
        main([calls([background("behind", "K:b"), child("before", "K:a")])]),
    ]);
    let live = world.start(&server, "go", &BYPASS);
    until_living(&front);
    until_living(&back);
    live.signal(2);
    let run = live.wait();
    assert_eq!((run.code, run.result()["ending"].as_str()), (130, Some("cancelled")), "{}", run.err);
    until_gone(&front);
    until_gone(&back);
    assert!(run.endings().iter().all(|(_, ending)| ending == "cancelled"), "{:?}", run.endings());
}

/// The rule for background children: Esc leaves them alone; `/exit` with "stop all" ends them.
#[test]
fn b04_background_children_survive_esc_and_end_at_the_exit() {
    let (world, long) = (World::new(), odd_sleep());
    let server =
        Server::start([rule("b", "K:b", [calls([bash(&nest(&long))])]), main([calls([background("behind", "K:b")]), say("STREAMING").stalls("never")])]);
    let mut tui = Tui::start(&world, &server, &BYPASS);
    tui.prompt("go");
    until_living(&long);
    tui.wait_for("STREAMING");
    tui.keys("\x1b");
    tui.wait_for("Interrupted");
    server.wait_dropped("main");
    assert!(!living(&long).is_empty(), "a background child goes on");
    tui.prompt("/exit");
    tui.wait_for("[s]top all");
    tui.keys("s");
    assert_eq!(tui.wait_end(), 0);
    until_gone(&long);
}

/// L2: one call done, one running, one queued: each has its result, in order, before the next words.
#[test]
fn a15_an_interrupt_leaves_no_call_without_a_result() {
    let (world, long) = (World::new(), odd_sleep());
    let three = calls([bash("echo FIRSTDONE"), bash(&format!("sleep {long}")), bash("touch third.txt")]);
    let server = Server::start([main([three, say("HELLO")])]);
    let mut tui = Tui::start(&world, &server, &BYPASS);
    tui.prompt("go");
    until_living(&long);
    tui.keys("\x1b");
    tui.wait_for("Interrupted");
    until_gone(&long);
    tui.prompt("hi there");
    tui.wait_for("HELLO");
    let last = server.only("main", 2)[1].clone();
    let results = last.results();
    assert_eq!(results.iter().map(|r| r.error).collect::<Vec<_>>(), [false, true, true], "{results:?}");
    assert!(results[0].text.contains("FIRSTDONE") && results[1].text.contains("interrupted") && results[2].text.contains("interrupted"), "{results:?}");
    assert_eq!(last.turn_kinds(), ["tool_result", "tool_result", "tool_result", "text"]);
    assert!(!world.exists("third.txt"));
}
