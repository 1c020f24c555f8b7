//! The whole way of a person through the full screen (SPEC U1, U2, U9, R6, L7).

use crate::support::pty::Tui;
use crate::support::reply::{agent, call, calls, main, rule, say};
use crate::support::server::Server;
use crate::support::until;
use crate::support::world::World;
use serde_json::json;

/// The last place of a sequence in the bytes.
fn last(raw: &[u8], sequence: &str) -> Option<usize> {
    raw.windows(sequence.len()).rposition(|w| w == sequence.as_bytes())
}

/// Start, a turn with a child whose calls are visible, an approved write, an interrupt, resizes, `/exit`, a terminal as before.
#[test]
fn u1_from_the_start_to_a_restored_terminal() {
    let world = World::new();
    world.write("posts.py", "def list_posts(page_size):  # FILEMARK\n");
    let read = call("Read", json!({"file_path": world.path("posts.py")}));
    let grep = call("Grep", json!({"pattern": "page_size"}));
    let write = call("Write", json!({"file_path": world.path("new.txt"), "content": "NEWCONTENT\n"}));
    let server = Server::start([
        rule("a", "K:a", [grep, read, say("CHILDREPORT").held("report")]),
        main([
            calls([agent("find paging", "K:a", &json!({"subagent_type": "Explore"}))]).saying("I send an explorer."),
            say("FIRSTEND of it"),
            write,
            say("SECONDEND"),
            say("STREAMWORDS go on").stalls("never"),
        ]),
    ]);
    let mut tui = Tui::start(&world, &server, &[]);
    tui.prompt("where is paging?");
    // The child at work: who it is and what it calls.
    server.wait("a", 3);
    for mark in ["find paging", "Explore", "a1", "Grep", "posts.py", "I send an explorer."] {
        tui.wait_for(mark);
    }
    server.open("report");
    tui.wait_for("FIRSTEND of it");
    let second = server.requests("main")[1].clone();
    assert!(second.talk().contains("CHILDREPORT") && !second.talk().contains("FILEMARK") && !second.talk().contains("Grep"), "the parent stays clean");

    tui.prompt("write it");
    tui.wait_for("NEWCONTENT");
    assert!(!world.exists("new.txt"), "not before the answer");
    tui.answer("o", "[o]nce");
    tui.wait_for("SECONDEND");
    assert_eq!(world.read("new.txt"), "NEWCONTENT\n");

    tui.prompt("talk on");
    tui.wait_for("STREAMWORDS go on");
    tui.keys("\x1b");
    tui.wait_for("Interrupted");
    server.wait_dropped("main");
    assert!(tui.screen().contains("STREAMWORDS go on"), "the partial text stays");

    tui.keys("DRAFTTEXT");
    tui.wait_for("DRAFTTEXT");
    for columns in [60, 120] {
        tui.resize(columns, 40);
        tui.wait_for("DRAFTTEXT");
        tui.wait_for("STREAMWORDS go on");
    }
    tui.keys("\x15");
    tui.wait_gone("DRAFTTEXT");
    tui.prompt("/exit");
    assert_eq!(tui.wait_end(), 0);
    tui.wait_for("tui-agent --resume");
    let raw = tui.raw();
    for mode in [1049, 2004, 1000, 1002, 1003, 1006] {
        let (on, off) = (last(&raw, &format!("\x1b[?{mode}h")), last(&raw, &format!("\x1b[?{mode}l")));
        assert!(on.is_none() || off > on, "mode {mode} is off at the end");
    }
    for mode in ["\x1b[?1049l", "\x1b[?2004l"] {
        assert!(last(&raw, mode).is_some(), "{mode:?} was written");
    }
    assert!(last(&raw, "\x1b[?25h") > last(&raw, "\x1b[?25l"), "the cursor is visible");
}

/// U2, U6: a key that comes together with a resize is neither lost nor late, and neither is the resize.
#[test]
fn u2_a_key_and_a_resize_at_once_both_arrive() {
    let world = World::new();
    let server = Server::start([main([say("never")])]);
    let mut tui = Tui::start(&world, &server, &[]);
    let mut typed = String::new();
    for (n, letter) in ('a'..='t').enumerate() {
        let columns = if n % 2 == 0 { 100 } else { 120 };
        typed.push(letter);
        if n % 4 < 2 {
            tui.resize(columns, 40);
            tui.keys(&letter.to_string());
        } else {
            tui.keys(&letter.to_string());
            tui.resize(columns, 40);
        }
        tui.wait_for(&format!("❯ {typed}"));
        let widest = |screen: String| screen.lines().map(|l| l.chars().count()).max().unwrap_or(0);
        until(&format!("{columns} columns"), || tui.screen(), || (widest(tui.screen()) == usize::from(columns)).then_some(()));
    }
}
