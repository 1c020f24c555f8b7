//! What children may do, and how the person is asked (CASES B03, B08; SPEC R2, R6, S23).

use crate::support::pty::Tui;
use crate::support::reply::{agent, background, bash, call, calls, child, main, rule, say};
use crate::support::server::Server;
use crate::support::world::World;
use serde_json::json;

/// R6: nobody can be asked, so the call is denied at once, with the reason and the flag that would allow it.
#[test]
fn b03_a_childs_question_is_denied_at_once_when_headless() {
    let world = World::new();
    let server = Server::start([
        rule("a", "K:a", [calls([bash("touch asked.txt")]), say("it was refused")]),
        rule("b", "K:b", [calls([bash("touch asked.txt")]), say("refused here too")]),
        main([calls([child("wants", "K:a")]), calls([background("wants too", "K:b")]), say("waiting"), say("DONE")]),
    ]);
    let run = world.run(&server, "go", &[]);
    assert!(!world.exists("asked.txt"));
    for name in ["a", "b"] {
        let denied = server.only(name, 2)[1].results()[0].clone();
        assert!(denied.error && denied.text.contains("headless") && denied.text.contains("--allow"), "{denied:?}");
    }
    let denied = run.result()["denied"].as_array().unwrap().clone();
    assert_eq!(denied.iter().map(|d| d["agent"].as_str().unwrap()).collect::<Vec<_>>(), ["a1", "a2"]);
    assert_eq!((run.code, run.agent("a1")["ending"].as_str()), (0, Some("completed")), "a child that reports after refusals is completed");
    let result = server.last("main").results()[0].text.clone();
    assert!(result.contains("Refused calls: 1") && result.contains("touch asked.txt"), "{result}");
}

/// R6: the dialog names who asks; the answer goes to that call.
#[test]
fn b03_the_dialog_names_the_asking_child() {
    let world = World::new();
    let server = Server::start([
        rule("a", "K:a", [calls([bash("touch first.txt")]), calls([bash("touch second.txt")]), say("CHILDREPORT")]),
        main([calls([child("make files", "K:a")]), say("PARENTEND")]),
    ]);
    let mut tui = Tui::start(&world, &server, &[]);
    tui.prompt("go");
    tui.wait_for("touch first.txt");
    tui.wait_for("[o]nce");
    let screen = tui.screen();
    assert!(screen.contains("a1 general-purpose") && screen.contains("make files"), "{screen}");
    tui.answer("o", "[o]nce");
    server.wait("a", 2);
    tui.wait_for("touch second.txt");
    tui.answer("d", "[o]nce");
    tui.wait_for("PARENTEND");
    let results = server.only("a", 3)[2].results();
    assert!(!results[0].error && results[1].error, "{results:?}");
    assert!(world.exists("first.txt") && !world.exists("second.txt"));
}

/// S23, R6: a question of a background child opens no dialog by itself; it waits, and the person opens it.
#[test]
fn b03_a_background_childs_question_takes_no_keys() {
    let world = World::new();
    let server = Server::start([
        rule("b", "K:b", [calls([bash("touch parked.txt")]), say("CHILDREPORT")]),
        main([calls([background("parked one", "K:b")]), say("PARENTFREE"), say("PARENTWOKEN")]),
    ]);
    let mut tui = Tui::start(&world, &server, &[]);
    tui.prompt("go");
    tui.wait_for("PARENTFREE");
    tui.wait_for("needs you");
    // Letters that would answer a dialog go into the composer.
    tui.keys("o do not answer");
    tui.wait_for("o do not answer");
    assert!(!world.exists("parked.txt") && !tui.screen().contains("[o]nce"), "{}", tui.screen());
    tui.keys("\x15\x19");
    tui.answer("o", "[o]nce");
    tui.wait_for("PARENTWOKEN");
    assert!(world.exists("parked.txt"));
}

/// R2, S10: whatever its type allows, a child's rights are never more than its parent's.
#[test]
fn b08_read_only_holds_for_grandchildren() {
    let world = World::new();
    world.config("[subagents]\nmax_depth = 2\n");
    world.agent_type("scout", "---\nname: scout\ndescription: looks only\nread_only: true\n---\nYou look.\n");
    world.write("a.txt", "original\n");
    let edit = || call("Edit", json!({"file_path": world.path("a.txt"), "old_string": "original", "new_string": "changed"}));
    let write = || call("Write", json!({"file_path": world.path("new.txt"), "content": "x"}));
    let reading = || call("Read", json!({"file_path": world.path("a.txt")}));
    let grand = [reading(), edit(), write(), calls([bash("touch grand.txt")]), say("tried")];
    let down = calls([agent("deeper", "K:grand", &json!({"subagent_type": "general-purpose"}))]);
    let server = Server::start([
        rule("grand", "K:grand", grand),
        rule("scout", "K:scout", [down, write(), say("tried too")]),
        main([calls([agent("scout", "K:scout", &json!({"subagent_type": "scout"}))]), say("DONE")]),
    ]);
    world.run(&server, "go", &["--permission-mode", "bypass"]);
    let results = server.only("grand", 5)[4].results();
    assert_eq!(results.iter().map(|r| r.error).collect::<Vec<_>>(), [false, true, true, true], "{results:?}");
    assert!(server.only("scout", 3)[2].results()[1].error);
    assert_eq!(world.read("a.txt"), "original\n");
    assert!(!world.exists("new.txt") && !world.exists("grand.txt"));
}

/// R4, R5: a read-only child's shell changes nothing, in bypass mode too; what is not known to read only is refused.
#[test]
fn b08_read_only_holds_in_the_shell() {
    let world = World::new();
    world.write("f.txt", "needle\n");
    let commands = [
        "python3 -c 'open(\"M1\",\"w\").write(\"x\")'",
        "touch M1",
        "cat f.txt | tee M1",
        "cat f.txt > M1",
        "grep needle f.txt && touch M1",
        "grep \"$(touch M1)\" f.txt",
        "bash -c 'touch M1'",
    ];
    let mut all: Vec<_> = commands.iter().map(|c| bash(c)).collect();
    all.push(bash("grep -n needle f.txt"));
    let server =
        Server::start([rule("a", "K:a", [calls(all), say("tried")]), main([calls([agent("try", "K:a", &json!({"subagent_type": "Explore"}))]), say("DONE")])]);
    world.run(&server, "go", &["--permission-mode", "bypass"]);
    let results = server.only("a", 2)[1].results();
    for (command, result) in commands.iter().zip(&results) {
        assert!(result.error && result.text.contains("read-only"), "{command}: {result:?}");
    }
    assert!(results[7].text.contains("needle") && !results[7].error, "{results:?}");
    assert!(!world.exists("M1"));
}
