//! Tests of the script's format and player (SPEC P10, P5).

use super::format::parse;
use super::*;
use crate::protocol::{Message, Origin, Usage, UserMessage};
use crate::providers::StreamEvent;
use std::path::Path;
use std::sync::Arc;

fn request(id: AgentId, description: &str) -> Request {
    Request {
        agent: AgentLabel { id, description: description.into(), kind: String::new() },
        model: "script".into(),
        system: Arc::new(vec!["be brief".into()]),
        tools: Arc::new(Vec::new()),
        messages: vec![Arc::new(Message::User(UserMessage::text("go on with it", Origin::Person)))],
        max_output: 1000,
        effort: None,
    }
}

/// A reply or error, and what was streamed (text, thinking).
async fn ask(provider: &ScriptProvider, request: &Request) -> (Result<Reply, ProviderError>, Vec<String>, Vec<String>) {
    let seen: Arc<Mutex<(Vec<String>, Vec<String>)>> = Arc::default();
    let into = Arc::clone(&seen);
    let sink: Sink = Arc::new(move |event| match event {
        StreamEvent::Text(t) => into.lock().unwrap().0.push(t),
        StreamEvent::Thinking(t) => into.lock().unwrap().1.push(t),
        StreamEvent::Reset | StreamEvent::Retrying { .. } => panic!("one attempt never retries"),
    });
    let reply = provider.attempt(request, &sink).await;
    let (text, thinking) = seen.lock().unwrap().clone();
    (reply, text, thinking)
}

fn player(json: &str) -> ScriptProvider {
    ScriptProvider::new(parse(json).unwrap())
}

#[tokio::test]
async fn p10_each_agent_plays_its_own_copy_of_its_own_list() {
    let p = player(r#"{"main":[{"text":"M1"},{"text":"M2"}],"agents":{"dig":[{"text":"D1"},{"text":"D2"}],"look":[{"text":"L1"}]}}"#);
    for (id, description, expected) in [(1, "dig", "D1"), (0, "", "M1"), (2, "dig", "D1"), (1, "dig", "D2"), (3, "look", "L1"), (0, "", "M2"), (2, "dig", "D2")]
    {
        let (reply, ..) = ask(&p, &request(AgentId::child(id), description)).await;
        assert_eq!(reply.unwrap().message.text(), expected);
    }
}

#[tokio::test]
async fn p10_running_out_of_lines_is_a_clear_error_again_and_again() {
    let p = player(r#"{"main":[{"text":"M1"}],"agents":{"dig":[]}}"#);
    assert!(ask(&p, &request(AgentId::MAIN, "")).await.0.is_ok());
    let error = ask(&p, &request(AgentId::MAIN, "")).await.0.unwrap_err();
    assert_eq!((error.kind, error.message.as_str()), (ErrorKind::Script, "the script has no more lines for main (it asked for line 2)"));
    let error = ask(&p, &request(AgentId::child(1), "dig")).await.0.unwrap_err();
    assert_eq!(error.message, "the script has no more lines for a1 \"dig\" (it asked for line 1)");
    assert!(!error.kind.retryable());
    let error = ask(&p, &request(AgentId::child(2), "dug")).await.0.unwrap_err();
    assert_eq!((error.kind, error.message.as_str()), (ErrorKind::Script, "the script has no lines for a2 \"dug\" (its descriptions: \"dig\")"));
    assert!(ask(&p, &request(AgentId::MAIN, "")).await.0.unwrap_err().message.contains("line 3"));
}

#[tokio::test]
async fn p10_blocks_keep_their_order_and_call_ids_are_unique_per_agent() {
    let p = player(
        r#"{"main":[{"thinking":"hm","text":"look","tools":[{"name":"Read","input":{"file_path":"a"}},{"name":"Glob"}]},{"tools":[{"name":"Read"}]}],
            "agents":{"d":[{"tools":[{"name":"Read"}]}]}}"#,
    );
    let reply = ask(&p, &request(AgentId::MAIN, "")).await.0.unwrap();
    let [AssistantBlock::Thinking { text, .. }, AssistantBlock::Text { .. }, AssistantBlock::ToolUse(a), AssistantBlock::ToolUse(b)] =
        reply.message.blocks.as_slice()
    else {
        panic!("{reply:?}")
    };
    assert_eq!((text.as_str(), a.id.0.as_str(), b.id.0.as_str()), ("hm", "call_main_1", "call_main_2"));
    assert_eq!(a.input.get("file_path").and_then(|v| v.as_str()), Some("a"));
    let second = ask(&p, &request(AgentId::MAIN, "")).await.0.unwrap();
    let child = ask(&p, &request(AgentId::child(7), "d")).await.0.unwrap();
    let ids: Vec<_> = second.message.calls().chain(child.message.calls()).map(|c| c.id.0.clone()).collect();
    assert_eq!(ids, ["call_main_3", "call_a7_1"]);
}

#[tokio::test]
async fn p10_usage_is_as_written_or_an_estimate() {
    let p = player(r#"{"main":[{"text":"x","usage":{"input_tokens":70,"output_tokens":7,"cache_read_input_tokens":3}},{"text":"four words of text"},{}]}"#);
    assert_eq!(ask(&p, &request(AgentId::MAIN, "")).await.0.unwrap().usage, Usage { input: 70, output: 7, cache_read: 3, cache_write: 0 });
    let estimated = ask(&p, &request(AgentId::MAIN, "")).await.0.unwrap().usage;
    assert!(estimated.input >= 5 && estimated.output >= 4, "{estimated:?}");
    assert_eq!(ask(&p, &request(AgentId::MAIN, "")).await.0.unwrap().message.blocks, [], "an empty turn is an empty reply");
}

#[tokio::test(start_paused = true)]
async fn p10_text_streams_in_pieces_over_the_delay_and_joins_to_the_whole() {
    let text = "台北 🌍 é ".repeat(200);
    let p =
        player(&serde_json::json!({"main":[{"text":text,"thinking":"weighing it","delay_ms":2000},{"tools":[{"name":"Glob"}],"delay_ms":500}]}).to_string());
    let start = tokio::time::Instant::now();
    let (reply, texts, thoughts) = ask(&p, &request(AgentId::MAIN, "")).await;
    assert_eq!((texts.concat(), thoughts.concat()), (text.clone(), "weighing it".into()));
    assert!(texts.len() > 20 && texts.iter().all(|t| t.chars().count() <= 24));
    assert_eq!(reply.unwrap().message.text(), text);
    let took = start.elapsed().as_millis();
    assert!((1990..=2200).contains(&took), "{took} of the paused clock");
    let start = tokio::time::Instant::now();
    ask(&p, &request(AgentId::MAIN, "")).await.0.unwrap();
    assert!((500..=510).contains(&start.elapsed().as_millis()), "without text the whole delay is silence");
}

#[tokio::test]
async fn p5_errors_are_classified_and_the_next_attempt_takes_the_next_line() {
    let cases = [
        (r#"{"status":401,"type":"authentication_error","message":"bad key"}"#, ErrorKind::Authentication),
        (r#"{"status":403}"#, ErrorKind::Authentication),
        (r#"{"status":404}"#, ErrorKind::NotFound),
        (r#"{"status":400,"message":"bad"}"#, ErrorKind::InvalidRequest),
        (r#"{"status":400,"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}"#, ErrorKind::ContextOverflow),
        (r#"{"status":429}"#, ErrorKind::RateLimit),
        (r#"{"status":529,"type":"overloaded_error"}"#, ErrorKind::Overloaded),
        (r#"{"type":"overloaded_error"}"#, ErrorKind::Overloaded),
        (r#"{"status":502}"#, ErrorKind::Server),
        (r#"{"type":"network"}"#, ErrorKind::Network),
        (r#"{"type":"stream"}"#, ErrorKind::Stream),
        (r"{}", ErrorKind::Server),
    ];
    let lines: Vec<String> = cases.iter().map(|(e, _)| format!(r#"{{"text":"part","error":{e}}}"#)).collect();
    let p = player(&format!(r#"{{"main":[{},{{"text":"at last"}}]}}"#, lines.join(",")));
    for (written, kind) in cases {
        let (reply, texts, _) = ask(&p, &request(AgentId::MAIN, "")).await;
        let error = reply.unwrap_err();
        assert_eq!(error.kind, kind, "{written}");
        assert!(!error.message.is_empty());
        assert_eq!(texts.concat(), "part", "what came before the failure is streamed");
    }
    assert_eq!(ask(&p, &request(AgentId::MAIN, "")).await.0.unwrap().message.text(), "at last");
}

#[test]
fn p10_faults_of_the_file_name_the_place_and_what_is_expected() {
    let dir = tempfile::tempdir().unwrap();
    let load_text = |text: &str| {
        let file = dir.path().join("s.json");
        std::fs::write(&file, text).unwrap();
        load(&file)
    };
    let fault = |text: &str| load_text(text).unwrap_err();
    let error = fault("{\"main\":[\n  {\"txt\":\"x\"}]}");
    assert!(error.contains("s.json:2:8: unknown field `txt`") && error.contains("did you mean `text`"), "{error}");
    let error = fault(r#"{"main":[{"tools":[{"nam":"Read"}]}]}"#);
    assert!(error.contains("did you mean `name`"), "{error}");
    let error = fault(r#"{"main":[{"usage":{"input":5}}]}"#);
    assert!(error.contains("`input`") && error.contains("did you mean `input_tokens`"), "{error}");
    let error = fault(r#"{"main":[{"zzzzzzzz":5}]}"#);
    assert!(error.contains("expected one of `text`") && !error.contains("did you mean"), "{error}");
    let error = fault(r#"{"main":"x"}"#);
    assert!(error.contains("s.json:1:") && error.contains("expected a sequence"), "{error}");
    assert!(fault(r#"{"main":[5]}"#).contains("expected a turn: an object"), "{}", fault(r#"{"main":[5]}"#));
    assert!(fault(r#"{"main":[{"tools":[{"name":"Glob","input":[]}]}]}"#).contains("expected a map"));
    assert!(fault(r#"{"agents":{}}"#).contains("missing field `main`"));
    assert!(fault(r#"{"main":["#).contains("ends too early"));
    assert!(fault(r#"{"main":[],"agents":{"a":[],"a":[]}}"#).contains("`a` stands twice"));
    assert!(fault("").contains("s.json:1:0"));
    assert!(load(Path::new("/nonexistent/s.json")).unwrap_err().contains("/nonexistent/s.json: the script cannot be read"));
    let good = load_text("\u{feff}{\"main\":[{\"usage\":null}]}").unwrap();
    assert_eq!((good.main.len(), good.main[0].usage), (1, None), "a byte order mark and null are fine");
    std::fs::write(dir.path().join("b.json"), b"{\"main\":[]}\xff").unwrap();
    assert!(load(&dir.path().join("b.json")).unwrap_err().contains("not UTF-8"));
}

/// SPEC P10: the tour in `assets/demo` plays to its end: it parses, every child has its lines, and the calls fit.
#[test]
fn p10_the_demo_tour_loads_and_is_complete() {
    let script = load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo/tour.json")).unwrap();
    let calls = script.main.iter().chain(script.agents.values().flatten()).flat_map(|t| &t.tools);
    let mut children: Vec<&str> = Vec::new();
    for call in calls {
        let field = |name: &str| call.input.get(name).and_then(|v| v.as_str()).unwrap_or_default();
        match call.name.as_str() {
            "Agent" => {
                assert!(script.agents.contains_key(field("description")), "no lines for {:?}", field("description"));
                assert!(!field("prompt").is_empty());
                children.push(field("description"));
            }
            "SendMessage" => assert!(!field("message").is_empty() && field("agent_id").parse::<AgentId>().is_ok()),
            "Bash" => assert!(!field("command").is_empty()),
            "Glob" | "Grep" => assert!(!field("pattern").is_empty()),
            "Read" | "Write" => assert!(!field("file_path").is_empty()),
            other => panic!("the tour calls {other}"),
        }
    }
    children.sort_unstable();
    let mut lists: Vec<&str> = script.agents.keys().map(String::as_str).collect();
    lists.sort_unstable();
    assert_eq!(children, lists, "each list is played by one child");
    let last = script.main.last().unwrap();
    assert!(last.tools.is_empty() && !last.text.is_empty(), "the tour ends with words");
    for (description, list) in &script.agents {
        let end = list.last().unwrap();
        assert!(end.tools.is_empty() && !end.text.is_empty(), "{description} ends with a report");
    }
}
