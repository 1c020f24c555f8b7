//! Whole sessions over a project in memory (SPEC P9).

use super::super::Offline;
use super::world::{Session, World, called, notification, request, user, world};
use crate::protocol::{AgentId, History, Message, Origin, TaskId, ToolResult, UserContent, UserMessage};
use crate::providers::{Provider, Sink, StreamEvent};
use serde_json::json;
use std::sync::{Arc, Mutex};

fn posts() -> World {
    world(&[
        ("README.md", "# Posts\n\nA small project.\n"),
        (
            "api/http.py",
            "import time\n\n\ndef fetch(url):\n    for attempt in range(3):\n        try:\n            return get(url)\n        except Timeout:\n            # retry with a backoff\n            time.sleep(2 ** attempt)\n",
        ),
        ("api/posts.py", "import db\n\ndef list_posts(page, page_size):\n    return db.page(page, page_size)\n"),
        ("web/app.js", "fetch('/posts?page=1')\n"),
        ("web/views.py", "from api.posts import list_posts\n\n\ndef index(request):\n    return render(list_posts(request.page, 20))\n"),
    ])
}

#[test]
fn p9_the_first_question_sends_a_real_child_and_reports_exact_places() {
    let mut s = Session::new(posts());
    let replies = s.ask("Where is list_posts defined?");
    assert_eq!(replies.len(), 2);
    assert!(replies[0].text().contains("no language model") && replies[0].text().contains("ANTHROPIC_API_KEY"));
    let calls: Vec<_> = replies[0].calls().collect();
    assert_eq!((calls.len(), calls[0].name.as_str(), calls[0].input["description"].as_str()), (1, "Agent", Some("find list_posts")));
    let text = replies[1].text();
    assert!(text.contains("- `api/posts.py:3` `def list_posts(page, page_size):` (definition)"), "{text}");
    assert!(text.contains("web/views.py:5") && text.contains("inside index, line 4"), "{text}");
    assert!(text.contains("no language model"), "{text}");
    assert!(text.find("api/posts.py:3") < text.find("web/views.py:5"), "{text}");
    assert!(s.world.log.len() >= 3 && s.world.log.iter().all(|(who, c)| !who.is_main() && c.name != "Bash"), "only children search");
    History::from_messages(s.messages.iter().map(|m| m.as_ref().clone())).unwrap().check().unwrap();
}

#[test]
fn p9_every_search_has_a_limit() {
    let mut s = Session::new(posts());
    s.ask("where is the retry logic with backoff?");
    for (_, call) in &s.world.log {
        match call.name.as_str() {
            "Grep" => assert!(call.input["head_limit"].as_u64().unwrap() <= 200),
            "Read" => assert!(call.input["limit"].as_u64().unwrap() <= 60),
            _ => {}
        }
    }
    assert!(s.world.log.len() <= 14, "{}", s.world.log.len());
}

#[test]
fn p9_a_member_is_found_by_its_definition_though_its_name_is_a_common_word() {
    let mut w = posts();
    let uses = "    // a client to get posts\n    client.get(1)\n".repeat(30);
    w.files.push(("src/client.rs".into(), format!("pub struct Client;\n\nimpl Client {{\n{uses}    pub fn get<U>(&self, url: U) -> X {{\n    }}\n}}\n")));
    w.files.push(("src/pool.rs".into(), "fn get_pooled_client(key: Key) {\n}\n".into()));
    let text = Session::new(w).final_text("Where is Client::get defined?");
    let first = text.lines().find(|l| l.starts_with("- `")).unwrap();
    assert!(first.starts_with("- `src/client.rs:64` `pub fn get<U>"), "{text}");
}

#[test]
fn p9_two_topics_get_two_children_and_one_answer() {
    let mut s = Session::new(posts());
    let replies = s.ask("Where is list_posts defined? How does the backoff work?");
    assert_eq!(replies[0].calls().count(), 2);
    let text = replies[1].text();
    assert!(text.contains("api/posts.py:3") && text.contains("api/http.py:9"), "{text}");
}

#[test]
fn p9_another_topic_runs_in_the_background_and_is_reported_when_it_ends() {
    let mut s = Session::new(posts());
    s.ask("Where is list_posts defined?");
    let replies = s.ask("where is the backoff?");
    assert_eq!(replies[0].calls().next().unwrap().input["run_in_background"], true);
    assert!(replies[1].text().contains("runs in the background as a2"), "{}", replies[1].text());
    assert!(!replies[1].text().contains("api/http.py:9"));
    let text = s.deliver();
    assert!(text.contains("background search a2") && text.contains("api/http.py:9") && text.contains("inside fetch, line 4"), "{text}");
    let replies = s.ask("and who calls list_posts?");
    assert!(replies[0].calls().next().unwrap().input.get("run_in_background").is_none(), "a question about a known topic waits for its child");
}

#[test]
fn p9_nothing_found_is_said_with_what_was_searched() {
    let mut s = Session::new(posts());
    let text = s.final_text("Where is zebra_crossing defined?");
    assert!(text.contains("nothing was found") && text.contains("`zebra_crossing`") && text.contains("Try"), "{text}");
    assert!(s.world.log.iter().any(|(_, c)| c.name == "Grep" && c.input["pattern"] == "zebra|crossing"), "the parts of the name are tried");
    let text = s.final_text("Where is list_articles? posts_page_number");
    assert!(text.contains("background"), "{text}");
    assert!(s.pending[0].1.contains("api/posts.py") && s.pending[0].1.contains("parts of them"), "{}", s.pending[0].1);
}

#[test]
fn p9_what_needs_a_model_gets_an_honest_short_answer_without_calls() {
    for (question, mark) in [("hi", "Ask for example"), ("fix the bug in posts.py", "look for `posts.py`"), ("", "cannot"), ("修复这个错误", "cannot")] {
        let mut s = Session::new(posts());
        let replies = s.ask(if question.is_empty() { "…" } else { question });
        assert_eq!((replies.len(), replies[0].calls().count()), (1, 0), "{question}");
        assert!(replies[0].text().contains(mark) && replies[0].text().contains("no language model"), "{}", replies[0].text());
    }
}

#[test]
fn p9_without_children_the_parent_searches_itself() {
    let mut s = Session::new(World { agents: false, ..posts() });
    let text = s.final_text("Where is list_posts defined?");
    assert!(text.contains("`api/posts.py:3`") && text.contains("no language model"), "{text}");
    assert!(s.world.log.iter().all(|(who, _)| who.is_main()));
    let text = s.final_text("where is the backoff?");
    assert!(text.contains("api/http.py:9") && !text.contains("api/posts.py:3"), "a second question is its own search: {text}");
}

#[test]
fn p9_a_disabled_type_makes_the_parent_search_itself_and_other_failures_are_told() {
    let mut s = Session::new(World { broken: vec![("Agent", "The agent type Explore is disabled.")], ..posts() });
    let replies = s.ask("Where is list_posts defined?");
    assert!(replies[1].text().contains("is disabled"), "{}", replies[1].text());
    assert!(replies.last().unwrap().text().contains("`api/posts.py:3`"));
    let mut s = Session::new(World { broken: vec![("Agent", "[Agent: find list_posts]\n(no summary)\nAgent finished without text (failed)")], ..posts() });
    let replies = s.ask("Where is list_posts defined?");
    assert_eq!(replies.len(), 2);
    assert!(replies[1].text().contains("brought no report"), "{}", replies[1].text());
}

#[test]
fn p9_failing_tools_are_reported_and_end_the_search() {
    let mut s = Session::new(World { broken: vec![("Grep", "permission denied by the person")], ..posts() });
    let text = s.final_text("Where is posts.py?");
    assert!(text.contains("api/posts.py:1"), "found by name: {text}");
    let mut w = World { broken: vec![("Grep", "no"), ("Glob", "no"), ("Read", "no")], ..posts() };
    let report = w.child(AgentId::child(1), "Where is list_posts?");
    assert!(report.contains("Nothing was found") && report.contains("A tool failed: Grep: no"), "{report}");
}

#[test]
fn p9_absolute_paths_are_reported_relative() {
    let mut s = Session::new(World { prefix: "/srv/project/", ..posts() });
    let text = s.final_text("Where is list_posts defined?");
    assert!(text.contains("`api/posts.py:3`") && !text.contains("/srv/project"), "{text}");
}

#[test]
fn p9_a_project_question_is_answered_with_its_readme() {
    let mut s = Session::new(posts());
    let text = s.final_text("What does this project do?");
    assert!(text.contains("`README.md:1` `# Posts`"), "{text}");
}

#[test]
fn p9_questions_in_other_languages_find_the_same_place() {
    for question in [
        "Wo ist list_posts definiert?",
        "Où est définie list_posts ?",
        "¿Dónde se define list_posts?",
        "list_posts在哪里定义？",
        "list_postsはどこで定義されていますか？",
    ] {
        let text = Session::new(posts()).final_text(question);
        assert!(text.contains("`api/posts.py:3`"), "{question}: {text}");
    }
    for question in ["重试逻辑在哪里？", "リトライ処理はどこですか", "Wo ist die Wiederholung?", "재시도 로직은 어디에 있나요"]
    {
        let text = Session::new(posts()).final_text(question);
        assert!(text.contains("`api/http.py:9`"), "{question}: {text}");
    }
}

#[test]
fn p9_many_hits_are_narrowed_to_the_best_files() {
    let mut w = posts();
    for n in 0..400 {
        w.files.insert(0, (format!("docs/a{n:03}.md"), "one list_posts here\nand list_posts there\n".into()));
    }
    let report = w.child(AgentId::child(1), "Who uses list_posts?");
    assert!(report.contains("web/views.py:5") || report.contains("api/posts.py:3"), "{report}");
    assert!(report.contains("at least") && report.contains("may be more"), "{report}");
    assert!(w.log.len() <= 16);
    let report = w.child(AgentId::child(2), "Where is list_posts defined?");
    let first = report.lines().find(|l| l.starts_with("- ")).unwrap();
    assert_eq!(first, "- api/posts.py:3: def list_posts(page, page_size):", "{report}");
}

#[test]
fn p9_a_last_request_without_tools_gets_what_was_found_so_far() {
    let messages = [
        user("Where is list_posts?", Origin::Person),
        called("c1", "Grep", json!({"pattern": "list_posts", "output_mode": "content", "head_limit": 9})),
        Arc::new(Message::User(UserMessage {
            results: vec![ToolResult::ok(crate::protocol::CallId("c1".into()), "api/posts.py:3:def list_posts(page):")],
            content: vec![UserContent::Text { text: "The budget is used up. Report now.".into(), origin: Origin::Engine }],
        })),
    ];
    let reply = super::super::answer(&request(AgentId::child(1), &[], &messages));
    assert!(reply.calls().next().is_none());
    assert!(reply.text().contains("- api/posts.py:3: def list_posts(page):") && reply.text().contains("stopped before its end"), "{}", reply.text());
}

#[test]
fn p9_a_steered_child_searches_for_the_new_words() {
    let mut w = posts();
    let id = AgentId::child(1);
    let mut messages = vec![user("Where is list_posts?", Origin::Person)];
    let reply = super::super::answer(&request(id, &["Grep", "Read"], &messages));
    let results = reply.calls().map(|c| w.run(id, c)).collect();
    messages.push(Arc::new(Message::Assistant(reply)));
    messages
        .push(Arc::new(Message::User(UserMessage { results, content: vec![UserContent::Text { text: "also the backoff".into(), origin: Origin::Steer }] })));
    let reply = super::super::answer(&request(id, &["Grep", "Read"], &messages));
    let patterns: Vec<_> = reply.calls().filter(|c| c.name == "Grep").map(|c| c.input["pattern"].to_string()).collect();
    assert!(patterns.iter().any(|p| p.contains("backoff") && p.contains("list_posts")), "{patterns:?}");
    let ids: Vec<_> = messages
        .iter()
        .filter_map(|m| if let Message::Assistant(a) = m.as_ref() { Some(a) } else { None })
        .flat_map(crate::protocol::AssistantMessage::calls)
        .chain(reply.calls())
        .map(|c| &c.id)
        .collect();
    assert_eq!(ids.len(), ids.iter().collect::<std::collections::HashSet<_>>().len(), "ids are unique");
}

#[test]
fn p9_a_queued_question_and_a_notice_are_both_answered() {
    let mut s = Session::new(posts());
    s.ask("Where is list_posts defined?");
    let task: TaskId = "a2".parse().unwrap();
    let report = "Found 1 line in 1 file for `backoff`.\n\nOther places:\n- api/http.py:9: # retry with a backoff";
    let content = vec![
        UserContent::Text { text: notification(task, report), origin: Origin::Notification { task } },
        UserContent::Text { text: "who calls list_posts?".into(), origin: Origin::Person },
    ];
    let replies = s.turn(Arc::new(Message::User(UserMessage { results: Vec::new(), content })));
    assert!(replies[0].text().contains("`api/http.py:9`") && replies[0].calls().count() == 1, "{}", replies[0].text());
    assert!(replies[1].text().contains("web/views.py:5"));
}

#[test]
fn p9_a_summary_lists_questions_and_findings() {
    let mut s = Session::new(posts());
    s.ask("Where is list_posts defined?");
    s.messages.push(user("Summarise the conversation so far.", Origin::Engine));
    let text = super::super::answer(&request(AgentId::MAIN, &[], &s.messages)).text();
    assert!(text.contains("- Where is list_posts defined?") && text.contains("- `api/posts.py:3`"), "{text}");
    let again = [user(&text, Origin::Summary), user("Summarise the conversation so far.", Origin::Engine)];
    let text = super::super::answer(&request(AgentId::MAIN, &[], &again)).text();
    assert!(text.contains("- Where is list_posts defined?") && text.contains("- `api/posts.py:3`"), "a summary of a summary keeps them: {text}");
}

#[tokio::test]
async fn p9_the_reply_streams_in_pieces_and_has_an_estimated_usage() {
    let seen: Arc<Mutex<String>> = Arc::default();
    let into = Arc::clone(&seen);
    let sink: Sink = Arc::new(move |e| match e {
        StreamEvent::Text(t) => into.lock().unwrap().push_str(&t),
        StreamEvent::Thinking(_) | StreamEvent::Reset | StreamEvent::Retrying { .. } => panic!("only text"),
    });
    let reply = Offline.attempt(&request(AgentId::MAIN, &["Agent"], &[user("Where is list_posts?", Origin::Person)]), &sink).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), reply.message.text());
    assert!(reply.usage.input > 0 && reply.usage.output > 0);
    assert_eq!(Offline.name(), "offline");
}
