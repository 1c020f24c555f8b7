//! What is left after `kill -9`, a torn file, a second writer (CASES F01, F02; SPEC S25, S27, H1).

use crate::support::reply::{background, bash, call, calls, main, rule, say};
use crate::support::server::Server;
use crate::support::world::World;
use crate::support::{living, odd_sleep, until_gone, until_living};
use serde_json::json;
use std::io::Write;

const BYPASS: [&str; 2] = ["--permission-mode", "bypass"];

/// S27: three children in flight are listed as interrupted with their words, to the person and in the parent's next
/// request; each can be continued; nobody is told twice.
#[test]
fn s27_three_children_in_flight_survive_kill_9() {
    let world = World::new();
    world.write("f.txt", "f\n");
    let read = |n: usize| call("Read", json!({"file_path": world.path("f.txt")})).saying(&format!("PARTIAL{n} words"));
    let all = calls((1..=3).map(|n| background(&format!("flight {n}"), &format!("K:{n}"))));
    let mut rules: Vec<_> = (1..=3).map(|n| rule(&format!("c{n}"), &format!("K:{n}"), [read(n), say("never").held("never")])).collect();
    rules.push(main([all, say("I wait")]));
    let server = Server::start(rules);
    let live = world.start(&server, "FIRSTQUESTION", &[]);
    for n in 1..=3 {
        server.wait(&format!("c{n}"), 2);
    }
    live.wait_event("the parent's rest", |e| e["kind"] == "turn_ended" && e["agent"] == "main");
    live.kill();
    drop(server);
    let on = calls((1..=3).map(|n| ("SendMessage".to_owned(), json!({"agent_id": format!("a{n}"), "message": format!("GOON{n}")}))));
    let mut rules: Vec<_> = (1..=3).map(|n| rule(&format!("c{n}"), &format!("K:{n}"), [say(&format!("FINISHED{n}"))])).collect();
    rules.push(main([on, say("all went on")]));
    let second = Server::start(rules);
    let run = world.run(&second, "go on", &["--continue"]);
    assert_eq!(run.code, 0, "{}", run.err);
    for n in 1..=3 {
        assert!(run.err.contains(&format!("flight {n}")), "the person is told: {}", run.err);
    }
    let requests = second.only("main", 2);
    let notices = requests[0].notices();
    assert_eq!(notices.len(), 3, "{notices:?}");
    for (n, notice) in (1..=3).zip(&notices) {
        for mark in [format!("<id>a{n}</id>"), "<status>interrupted</status>".into(), format!("PARTIAL{n} words")] {
            assert!(notice.contains(&mark), "{mark}: {notice}");
        }
        let child = second.only(&format!("c{n}"), 1)[0].clone();
        assert!(child.talk().contains(&format!("PARTIAL{n} words")) && child.last().contains(&format!("GOON{n}")), "its own history goes on");
        assert!(requests[1].results()[3 + n - 1].text.contains(&format!("FINISHED{n}")), "{:?}", requests[1].results());
    }
    let third = Server::start([main([say("fine")])]);
    let run = world.run(&third, "and now?", &["--continue"]);
    assert_eq!(third.last("main").notices().len(), 3, "nobody is told twice");
    assert!(!run.err.contains("flight"), "{}", run.err);
}

/// S25, H1, T4: an end that was not delivered before the kill is delivered once; the cut command has its error result and is gone.
#[test]
fn s25_an_undelivered_end_survives_kill_9() {
    let (world, long) = (World::new(), odd_sleep());
    let server = Server::start([
        rule("b", "K:b", [say("LATEREPORT").after("main", 2)]),
        main([calls([background("late one", "K:b")]), calls([bash(&format!("sleep {long}"))])]),
    ]);
    let live = world.start(&server, "FIRSTQUESTION", &BYPASS);
    until_living(&long);
    live.wait_ended("a1");
    live.kill();
    until_gone(&long);
    for (prompt, words) in [("go on", "resumed"), ("and again", "resumed again")] {
        let server = Server::start([main([say(words)])]);
        world.run(&server, prompt, &["--continue"]);
        let last = server.only("main", 1)[0].clone();
        assert_eq!(last.notices().len(), 1, "once, also after a second resume");
        assert!(last.notices()[0].contains("LATEREPORT") && last.talk().contains("FIRSTQUESTION"));
        let cut = last.results()[1].clone();
        assert!(cut.error && cut.text.contains("interrupted"), "{cut:?}");
    }
    assert!(living(&long).is_empty());
}

/// H1: a torn last line is reported and takes nothing behind it away.
#[test]
fn f01_a_torn_last_line_takes_nothing_away() {
    let world = World::new();
    let first = Server::start([main([say("FIRSTANSWER")])]);
    let session = world.run(&first, "FIRSTQUESTION", &[]).session();
    let mut file = std::fs::OpenOptions::new().append(true).open(world.session_file(&session)).unwrap();
    file.write_all(b"{\"type\":\"assistant\",\"text\":\"abc").unwrap();
    drop(file);
    let second = Server::start([main([say("SECONDANSWER")])]);
    let run = world.run(&second, "SECONDQUESTION", &["--continue"]);
    assert!(run.err.contains("warning"), "a visible note: {:?}", run.err);
    let third = Server::start([main([say("THIRDANSWER")])]);
    world.run(&third, "THIRDQUESTION", &["--continue"]);
    let talk = third.last("main").talk();
    for mark in ["FIRSTQUESTION", "FIRSTANSWER", "SECONDQUESTION", "SECONDANSWER", "THIRDQUESTION"] {
        assert_eq!(talk.matches(mark).count(), 1, "{mark}: {talk}");
    }
}

/// H1: a second writer gets a session of its own; the first one's lines stay whole.
#[test]
fn f02_a_second_writer_gets_a_session_of_its_own() {
    let world = World::new();
    let first = Server::start([main([say("OPENING")])]);
    let session = world.run(&first, "FIRSTQUESTION", &[]).session();
    let held = Server::start([main([say("HELDANSWER").held("go")])]);
    let live = world.start(&held, "HELDQUESTION", &["--continue"]);
    held.wait("main", 1);
    let other = Server::start([main([say("OTHERANSWER")])]);
    let run = world.run(&other, "OTHERQUESTION", &["--resume", &session]);
    assert_ne!(run.session(), session, "the second one does not write into it");
    assert!(run.err.contains("cannot be continued"), "{}", run.err);
    held.open("go");
    assert_eq!(live.wait().session(), session);
    let text = std::fs::read_to_string(world.session_file(&session)).unwrap();
    assert!(text.contains("HELDANSWER") && !text.contains("OTHERQUESTION"));
    assert!(text.lines().all(|l| serde_json::from_str::<serde_json::Value>(l).is_ok()), "every line is whole");
}
