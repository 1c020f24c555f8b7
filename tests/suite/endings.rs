//! How children end, and that no ending is lost or looks like another one (CASES B05; SPEC S13, S15, S16).

use crate::support::reply::{Reply, agent, bash, call, calls, child, fails, main, rule, say, tool};
use crate::support::server::Server;
use crate::support::world::{Run, World};
use serde_json::json;

fn read(world: &World, text: &str) -> Reply {
    world.write("f.txt", "f\n");
    call("Read", json!({"file_path": world.path("f.txt")})).saying(text)
}

fn ending(run: &Run, id: &str) -> String {
    run.agent(id)["ending"].as_str().unwrap().to_owned()
}

/// S15: the provider's refusal is the child's error result; its sibling's answer arrives.
#[test]
fn b05_a_child_whose_model_does_not_exist_fails_alone() {
    let world = World::new();
    let gone = fails(404, "not_found_error", "model: gone-model");
    let broken = agent("broken", "K:broken", &json!({"model": "gone-model"}));
    let main = main([calls([broken, child("fine", "K:fine")]), say("DONE")]);
    let server = Server::start([rule("broken", "K:broken", [gone]), rule("fine", "K:fine", [say("ANSWER B")]), main]);
    let run = world.run(&server, "go", &[]);
    assert_eq!((run.code, server.count("broken")), (0, 1), "a 404 is never retried: {}", run.err);
    assert_eq!(server.requests("broken")[0].body["model"], "gone-model");
    let results = server.only("main", 2)[1].results();
    assert!(results[0].error && results[0].text.contains("gone-model") && results[0].text.contains("failed"), "{results:?}");
    assert!(!results[1].error && results[1].text.contains("ANSWER B"), "{results:?}");
    assert_eq!((ending(&run, "a1"), ending(&run, "a2")), ("failed".into(), "completed".into()));
}

/// S13: a turn limit is never a success, and its words are kept.
#[test]
fn b05_a_child_at_its_turn_limit_is_partial_with_its_words() {
    let world = World::new();
    let main = main([calls([agent("endless", "K:a", &json!({"max_turns": 2}))]), say("DONE")]);
    let server = Server::start([rule("a", "K:a", [read(&world, "looking"), read(&world, "found A")]), main]);
    let run = world.run(&server, "go", &[]);
    let result = server.only("main", 2)[1].results()[0].clone();
    assert_eq!((server.count("a"), ending(&run, "a1").as_str()), (2, "partial"));
    assert!(result.text.starts_with("[partial] [Agent: endless]") && result.text.contains("found A"), "{result:?}");
}

/// S13: an end without words is an error that says so.
#[test]
fn b05_a_child_that_ends_without_text_is_an_error() {
    let world = World::new();
    let server = Server::start([rule("a", "K:a", [say("")]), main([calls([child("silent", "K:a")]), say("DONE")])]);
    let run = world.run(&server, "go", &[]);
    let result = server.only("main", 2)[1].results()[0].clone();
    assert!(result.error && result.text.contains("(no summary)") && result.text.contains("Agent finished without text"), "{result:?}");
    assert_eq!(ending(&run, "a1"), "failed");
}

/// S15, S19: one hangs and is aborted, the other's answer arrives; the aborted one's words are kept.
#[test]
fn b05_a_hanging_sibling_takes_nothing_with_it() {
    let world = World::new();
    let both = calls([agent("hangs", "K:hangs", &json!({"run_in_background": true})), agent("answers", "K:answers", &json!({"run_in_background": true}))]);
    let hangs = rule("hangs", "K:hangs", [read(&world, "PARTIALWORDS"), say("more").stalls("never")]);
    let answers = rule("answers", "K:answers", [say("ANSWER B").after("hangs", 2)]);
    let wait = call("TaskOutput", json!({"task_id": "a2", "block": true, "timeout": 60_000}));
    let stop = call("TaskStop", json!({"task_id": "a1"}));
    let server = Server::start([hangs, answers, main([both, wait, stop, say("DONE")])]);
    let run = world.run(&server, "go", &[]);
    assert_eq!(run.code, 0, "{}", run.err);
    let last = server.only("main", 4)[3].clone();
    let results = last.results();
    assert!(results[2].text.contains("ANSWER B") && !results[2].error, "{results:?}");
    assert!(results[3].text.contains("cancelled") && (results[3].text.contains("PARTIALWORDS") || results[3].text.contains("more")), "{results:?}");
    assert!(last.notices().is_empty(), "both were delivered by the calls: {:?}", last.notices());
    assert_eq!((ending(&run, "a1"), ending(&run, "a2")), ("cancelled".into(), "completed".into()));
    server.wait_dropped("hangs");
}

/// S15: a tool that never ends is ended by its time limit, and the child goes on.
#[test]
fn b05_a_tool_that_never_ends_does_not_hold_the_child() {
    let world = World::new();
    let endless = calls([tool("Bash", json!({"command": "sleep 600", "timeout": 300}))]);
    let server = Server::start([rule("a", "K:a", [endless, say("went on")]), main([calls([child("slow", "K:a")]), say("DONE")])]);
    let run = world.run(&server, "go", &["--permission-mode", "bypass"]);
    assert!(server.only("a", 2)[1].results()[0].error, "the timeout is an error result");
    assert_eq!(ending(&run, "a1"), "completed");
}

/// S16: the child is told at 80 %, gets one last request without tools at 100 %, and is `over_budget`.
#[test]
fn s16_a_childs_token_budget_ends_it_with_a_report() {
    let world = World::new();
    let step = || read(&world, "looking").usage(280, 10);
    let replies = [step(), step(), step(), step(), say("FINALREPORT").usage(10, 5)];
    let main = main([calls([agent("costly", "K:a", &json!({"budget": {"tokens": 1000}}))]), say("DONE")]);
    let server = Server::start([rule("a", "K:a", replies), main]);
    let run = world.run(&server, "go", &[]);
    let requests = server.only("a", 5);
    assert!(requests[4].tools().is_empty() && requests[..4].iter().all(|r| !r.tools().is_empty()), "the last request has no tools");
    assert!(!requests[2].last().contains("budget") && requests[3].last().contains("budget"), "told at 87 %, not at 58 %");
    let result = server.only("main", 2)[1].results()[0].text.clone();
    assert!(result.starts_with("[over budget] [Agent: costly]") && result.contains("FINALREPORT"), "{result}");
    assert_eq!(ending(&run, "a1"), "over_budget");
    assert_eq!(run.code, 0, "the parent itself had no limit");
}

/// S16, O1: the tree's budget holds for children without one of their own, and the run's exit code says so.
#[test]
fn s16_the_budget_of_the_tree_ends_with_exit_code_3() {
    let world = World::new();
    let replies = [read(&world, "looking").usage(900, 50), read(&world, "looking on").usage(900, 50), say("CHILDWORDS").usage(20, 5)];
    let server = Server::start([rule("a", "K:a", replies), main([calls([child("costly", "K:a")]), say("PARENTWORDS")])]);
    let run = world.run(&server, "go", &["--budget-tokens", "1500"]);
    assert_eq!((run.code, run.result()["ending"].as_str()), (3, Some("over_budget")), "{}", run.err);
    assert_eq!(run.result()["error"]["kind"], "budget");
    let total = &run.result()["total_usage"];
    let sum = total["input_tokens"].as_u64().unwrap() + total["output_tokens"].as_u64().unwrap();
    assert!(sum < 3000, "at most a request past the limit, and the last words: {sum}");
    assert!(server.count("main") <= 2 && server.count("a") <= 3, "{} and {}", server.count("main"), server.count("a"));
}

/// S16: with nothing left a further child is refused without a request.
#[test]
fn s16_zero_left_is_refused() {
    let world = World::new();
    let none = agent("late", "K:late", &json!({"budget": {"tokens": 0}}));
    let server = Server::start([rule("late", "K:late", [say("never")]), main([calls([none]), say("DONE")])]);
    let run = world.run(&server, "go", &[]);
    let result = server.only("main", 2)[1].results()[0].clone();
    assert!(result.text.contains("budget"), "{result:?}");
    assert!(server.count("late") <= 1 && run.endings().iter().all(|(_, e)| e != "completed"), "{:?}", run.endings());
}

/// L2: the shape holds also when everything in one reply goes wrong in another way.
#[test]
fn b05_every_call_of_a_reply_gets_its_own_result() {
    let world = World::new();
    let reply = calls([
        tool("NoSuchTool", json!({"path": "x"})),
        tool("Read", json!({"file_path": 5})),
        agent("unknown", "K:x", &json!({"subagent_type": "nobody"})),
        bash("touch refused.txt"),
        tool("Glob", json!({"pattern": "*.txt"})),
    ]);
    let server = Server::start([main([reply, say("DONE")])]);
    world.run(&server, "go", &[]);
    let results = server.only("main", 2)[1].results();
    assert_eq!(results.iter().map(|r| r.error).collect::<Vec<_>>(), [true, true, true, true, false], "{results:?}");
    assert!(results[2].text.contains("general-purpose"), "names the types that exist: {results:?}");
    assert!(!world.exists("refused.txt"));
}
