//! The Messages API over a raw loopback server (SPEC P1, P3 to P8; cases A01 to A16, H03, H04).

use super::*;
use crate::protocol::{AssistantBlock, AssistantMessage, CallFault, CallId, Message, Origin, ToolCall, ToolResult, Usage, UserContent, UserMessage};
use crate::providers::testserver::{Captured, Reply as Answer, Step, TestServer, attempt, check_pairing, request, streamed};
use crate::providers::{ErrorKind, Request, Stop, StreamEvent};
use serde_json::{Value, json};
use std::sync::Arc;

fn provider(server: &TestServer) -> Anthropic {
    with_idle(server, Duration::from_secs(20))
}

fn with_idle(server: &TestServer, idle: Duration) -> Anthropic {
    let headers = BTreeMap::new();
    Anthropic::new(&Settings {
        name: "anthropic",
        base_url: &server.url(),
        key: Some((Auth::ApiKey, "sk-test-secret")),
        key_env: "ANTHROPIC_API_KEY",
        headers: &headers,
        idle,
    })
    .unwrap()
}

fn sse(events: &[Value]) -> String {
    events.iter().flat_map(|e| ["event: ".to_owned(), e["type"].as_str().unwrap().to_owned(), format!("\ndata: {e}\n\n")]).collect()
}

fn start() -> Value {
    json!({"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 4, "cache_read_input_tokens": 90_000, "cache_creation_input_tokens": 6_000, "output_tokens": 1}}})
}

fn block(index: u64, content: &Value, deltas: &[Value]) -> Vec<Value> {
    let mut all = vec![json!({"type": "content_block_start", "index": index, "content_block": content})];
    all.extend(deltas.iter().map(|d| json!({"type": "content_block_delta", "index": index, "delta": d})));
    all.push(json!({"type": "content_block_stop", "index": index}));
    all
}

fn text(index: u64, pieces: &[&str]) -> Vec<Value> {
    block(index, &json!({"type": "text", "text": ""}), &pieces.iter().map(|p| json!({"type": "text_delta", "text": p})).collect::<Vec<_>>())
}

fn tool(index: u64, id: &str, pieces: &[&str]) -> Vec<Value> {
    block(
        index,
        &json!({"type": "tool_use", "id": id, "name": "Read", "input": {}}),
        &pieces.iter().map(|p| json!({"type": "input_json_delta", "partial_json": p})).collect::<Vec<_>>(),
    )
}

fn end(reason: &str) -> Vec<Value> {
    vec![json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 500}}), json!({"type": "message_stop"})]
}

fn body_of(parts: &[Vec<Value>]) -> String {
    sse(&[vec![start()], parts.concat()].concat())
}

async fn ask(answer: Answer, what: &Request) -> (Result<Reply, ProviderError>, Vec<StreamEvent>, Captured) {
    let server = TestServer::start(vec![answer]);
    let (result, events) = attempt(&provider(&server), what).await;
    let captured = server.requests().remove(0);
    check_pairing(&captured.body());
    (result, events, captured)
}

async fn reply(body: &str) -> Reply {
    ask(Answer::sse(body), &request("m", Vec::new())).await.0.unwrap()
}

fn call(id: &str) -> AssistantBlock {
    AssistantBlock::ToolUse(ToolCall { id: CallId(id.into()), name: "Read".into(), input: serde_json::Map::new(), fault: None })
}

fn assistant(blocks: Vec<AssistantBlock>) -> Message {
    Message::Assistant(AssistantMessage { blocks })
}

fn results(results: Vec<ToolResult>) -> Message {
    Message::User(UserMessage { results, content: Vec::new() })
}

#[tokio::test]
async fn a01_split_character() {
    let body = body_of(&[text(0, &["grüße 台", "北 🌍"]), end("end_turn")]).into_bytes();
    let bytewise = Answer::stream(body.iter().map(|b| Step::Send(vec![*b])).collect());
    let (result, events, _) = ask(bytewise, &request("m", Vec::new())).await;
    assert_eq!((result.unwrap().message.text(), streamed(&events)), ("grüße 台北 🌍".into(), "grüße 台北 🌍".into()));
}

#[tokio::test]
async fn a02_framing_variants() {
    let body = body_of(&[text(0, &["a\u{2028}b"]), vec![json!({"type": "future_event", "x": 1}), json!({"type": "ping"})], end("end_turn")]);
    let odd = format!("\u{feff}: hello\n\n{}", body.replace("data: ", "data:")).replace('\n', "\r\n");
    assert_eq!(reply(&odd).await.message.text(), "a\u{2028}b");
    assert_eq!(reply(body.trim_end()).await.message.text(), "a\u{2028}b", "without the last newline");
    let nameless: String = body.split_inclusive('\n').filter(|l| !l.starts_with("event:")).collect();
    assert_eq!(reply(&nameless).await.message.text(), "a\u{2028}b", "without event names");
}

#[tokio::test]
async fn a04_empty_arguments_are_an_empty_object() {
    let r = reply(&body_of(&[tool(0, "t1", &[]), tool(1, "t2", &[""]), end("tool_use")])).await;
    let calls: Vec<_> = r.message.calls().collect();
    assert_eq!(calls.len(), 2);
    assert!(calls.iter().all(|c| c.input.is_empty() && c.fault.is_none() && c.name == "Read"));
    let whole = json!({"type": "tool_use", "id": "t", "name": "Read", "input": {"path": "x"}});
    let r = reply(&body_of(&[block(0, &whole, &[]), end("tool_use")])).await;
    assert_eq!(r.message.calls().next().unwrap().input["path"], "x", "arguments that came whole with the start");
}

#[tokio::test]
async fn a05_interleaved_blocks_keep_their_fragments() {
    let piece = |index: u64, p: &str| json!({"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": p}});
    let open = |index: u64, id: &str| json!({"type": "content_block_start", "index": index, "content_block": {"type": "tool_use", "id": id, "name": "Read", "input": {}}});
    let r = reply(&body_of(&[
        vec![open(0, "a"), open(1, "b"), piece(0, "{\"pa"), piece(1, "{\"q\":"), piece(0, "th\":\"x\"}"), piece(1, "\"y\"}")],
        end("tool_use"),
    ]))
    .await;
    let calls: Vec<_> = r.message.calls().map(|c| (c.id.0.clone(), Value::Object(c.input.clone()))).collect();
    assert_eq!(calls, [("a".into(), json!({"path": "x"})), ("b".into(), json!({"q": "y"}))]);
}

#[tokio::test]
async fn a06_repeated_and_bad_ids_become_unique() {
    let r = reply(&body_of(&[tool(0, "same", &["{}"]), tool(1, "same", &["{}"]), tool(2, "f.x:0", &["{}"]), end("tool_use")])).await;
    let ids: std::collections::HashSet<_> = r.message.calls().map(|c| c.id.clone()).collect();
    assert_eq!(ids.len(), 3);
    assert!(ids.contains(&CallId("same".into())) && !ids.contains(&CallId("f.x:0".into())));
}

#[tokio::test]
async fn a07_calls_stand_whatever_the_label_says() {
    let r = reply(&body_of(&[tool(0, "t", &["{}"]), end("end_turn")])).await;
    assert_eq!((r.message.calls().count(), r.stop), (1, Stop::End));
}

#[tokio::test]
async fn a08_a_cut_call_is_marked_and_empty() {
    let r = reply(&body_of(&[tool(0, "a", &["{\"path\":\"x\"}"]), tool(1, "b", &["{\"path\":\"a.txt\",\"content\":\"line1\\nli"]), end("max_tokens")])).await;
    let calls: Vec<_> = r.message.calls().collect();
    assert_eq!((r.stop, calls[0].fault.clone(), calls[1].fault.clone()), (Stop::OutputLimit, None, Some(CallFault::Cut)));
    assert!(calls[1].input.is_empty());
    let r = reply(&body_of(&[tool(0, "a", &["{\"path\":\"x\"}"]), end("max_tokens")])).await;
    assert_eq!(r.message.calls().next().unwrap().fault, None, "a complete call at the limit is fine");
    let r = reply(&body_of(&[tool(0, "a", &["{\"path\":"]), end("tool_use")])).await;
    assert!(matches!(r.message.calls().next().unwrap().fault, Some(CallFault::NotJson { .. })));
    let r = reply(&body_of(&[tool(0, "a", &["[]"]), end("tool_use")])).await;
    assert_eq!(r.message.calls().next().unwrap().fault, Some(CallFault::NotAnObject), "a17");
}

#[tokio::test]
async fn a09_an_end_without_its_mark() {
    let half = body_of(&[text(0, &["Hel", "lo"])[0..3].to_vec()]);
    let (result, events, _) = ask(Answer::sse(&half), &request("m", Vec::new())).await;
    assert_eq!((result.unwrap_err().kind, streamed(&events)), (ErrorKind::Stream, "Hello".into()));
    let cut = Answer::stream(vec![Step::Send(half.clone().into_bytes()), Step::Cut]);
    assert_eq!(ask(cut, &request("m", Vec::new())).await.0.unwrap_err().kind, ErrorKind::Stream);
    let torn = format!("{half}data: {{\"type\":\"content_block_del");
    assert_eq!(ask(Answer::sse(&torn), &request("m", Vec::new())).await.0.unwrap_err().kind, ErrorKind::Stream);
    let reason = body_of(&[text(0, &["Hello"]), end("end_turn")[..1].to_vec()]);
    assert_eq!(reply(&reason).await.message.text(), "Hello", "a stop reason is an end");
    let cut = Answer::stream(vec![Step::Send(reason.into_bytes()), Step::Cut]);
    assert_eq!(ask(cut, &request("m", Vec::new())).await.0.unwrap().message.text(), "Hello");
    assert_eq!(ask(Answer::sse(""), &request("m", Vec::new())).await.0.unwrap_err().kind, ErrorKind::Stream);
}

#[tokio::test]
async fn a10_an_error_inside_the_stream() {
    for (class, kind) in [
        ("overloaded_error", ErrorKind::Overloaded),
        ("rate_limit_error", ErrorKind::RateLimit),
        ("api_error", ErrorKind::Server),
        ("authentication_error", ErrorKind::Authentication),
        ("invalid_request_error", ErrorKind::InvalidRequest),
    ] {
        let body = body_of(&[text(0, &["Par"])[..2].to_vec(), vec![json!({"type": "error", "error": {"type": class, "message": "Real words"}})]]);
        let (result, events, _) = ask(Answer::sse(&body), &request("m", Vec::new())).await;
        let error = result.unwrap_err();
        assert_eq!((error.kind, streamed(&events).as_str()), (kind, "Par"));
        assert!(error.message.contains("Real words"));
    }
}

#[tokio::test]
async fn a11_keep_alives_do_not_hide_a_dead_stream() {
    let ping = |text: &str| vec![Step::Send(text.into()), Step::Pause(Duration::from_millis(20))];
    let mut steps = vec![Step::Send(sse(&[start()]).into_bytes())];
    for _ in 0..100 {
        steps.extend(ping(": ping\n\n"));
        steps.extend(ping("event: ping\ndata: {\"type\": \"ping\"}\n\n"));
        steps.extend(ping("data: {\"type\":\"ping\"}\n\n"));
    }
    let server = TestServer::start(vec![Answer::stream(steps), Answer::hold()]);
    let idle = with_idle(&server, Duration::from_millis(300));
    for _ in 0..2 {
        let error = attempt(&idle, &request("m", Vec::new())).await.0.unwrap_err();
        assert_eq!((error.kind, error.kind.retryable()), (ErrorKind::Idle, true));
        assert!(error.message.contains("anthropic"), "{error:?}");
    }
}

#[tokio::test]
async fn a13_signed_reasoning_goes_back_byte_for_byte() {
    let thought = block(
        0,
        &json!({"type": "thinking", "thinking": "", "signature": ""}),
        &[
            json!({"type": "thinking_delta", "thinking": "ab"}),
            json!({"type": "thinking_delta", "thinking": "c"}),
            json!({"type": "signature_delta", "signature": "SIG"}),
        ],
    );
    let hidden = block(1, &json!({"type": "redacted_thinking", "data": "XYZ"}), &[]);
    let silent = block(2, &json!({"type": "thinking", "thinking": "", "signature": "S2"}), &[]);
    let (result, events, _) = ask(Answer::sse(&body_of(&[thought, hidden, silent, tool(3, "t", &["{}"]), end("tool_use")])), &request("m", Vec::new())).await;
    assert_eq!(events, [StreamEvent::Thinking("abc".into())]);
    let said = Message::Assistant(result.unwrap().message);
    let stored: Message = serde_json::from_str(&serde_json::to_string(&said).unwrap()).unwrap();
    let back = vec![stored, results(vec![ToolResult::ok(CallId("t".into()), "fine")])];
    let (_, _, seen) = ask(Answer::sse(""), &request("m", back.clone())).await;
    let expected = json!([{"type": "thinking", "thinking": "abc", "signature": "SIG"}, {"type": "redacted_thinking", "data": "XYZ"}, {"type": "thinking", "thinking": "", "signature": "S2"}, {"type": "tool_use", "id": "t", "name": "Read", "input": {}}]);
    assert_eq!(seen.body()["messages"][1]["content"], expected);
    let (_, _, seen) = ask(Answer::sse(""), &request("another", back)).await;
    assert_eq!(seen.body()["messages"][1]["content"], json!([{"type": "tool_use", "id": "t", "name": "Read", "input": {}}]), "not to another model");
}

#[tokio::test]
async fn p6_unsigned_and_foreign_reasoning_is_not_sent() {
    let thought =
        |signature: Option<&str>, source: &str| AssistantBlock::Thinking { text: "x".into(), signature: signature.map(str::to_owned), source: source.into() };
    let alone = assistant(vec![thought(None, "anthropic/m"), thought(Some("S"), "openai/m")]);
    let (_, _, seen) = ask(Answer::sse(""), &request("m", vec![alone, Message::User(UserMessage::text("more", Origin::Person))])).await;
    assert_eq!(seen.body()["messages"][1]["content"], json!([{"type": "text", "text": "(reasoning omitted)"}]));
}

#[tokio::test]
async fn a14_nothing_empty_is_kept_or_sent() {
    let r = reply(&body_of(&[text(0, &[""]), text(1, &["\n", " "]), tool(2, "t", &["{}"]), end("tool_use")])).await;
    assert_eq!(r.message.blocks, [call("t")]);
    let blank = Message::User(UserMessage {
        results: vec![ToolResult::ok(CallId("t".into()), "")],
        content: vec![UserContent::Text { text: " ".into(), origin: Origin::Person }],
    });
    let (_, _, seen) = ask(Answer::sse(""), &request("m", vec![assistant(vec![call("t")]), blank])).await;
    let content = seen.body()["messages"][2]["content"].clone();
    assert_eq!((content.as_array().unwrap().len(), content[0]["content"].as_str()), (1, Some("(no output)")));
}

#[tokio::test]
async fn a16_overflow_is_recognised_as_status_and_as_event() {
    let words = "prompt is too long: 210000 tokens > 200000 maximum";
    let error = json!({"type": "error", "error": {"type": "invalid_request_error", "message": words}});
    let e = ask(Answer::json(400, &error.to_string()), &request("m", Vec::new())).await.0.unwrap_err();
    assert_eq!((e.kind, e.kind.retryable(), e.message.contains(words)), (ErrorKind::ContextOverflow, false, true));
    let e = ask(Answer::sse(&sse(&[start(), error])), &request("m", Vec::new())).await.0.unwrap_err();
    assert_eq!(e.kind, ErrorKind::ContextOverflow);
}

#[tokio::test]
async fn h03_all_counts_are_taken() {
    let r = reply(&body_of(&[text(0, &["x"]), end("end_turn")])).await;
    assert_eq!(r.usage, Usage { input: 4, output: 500, cache_read: 90_000, cache_write: 6_000 });
    let late = json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"input_tokens": 7, "output_tokens": 9, "cache_read_input_tokens": null}});
    let r = reply(&body_of(&[text(0, &["x"]), vec![late]])).await;
    assert_eq!(r.usage, Usage { input: 7, output: 9, cache_read: 90_000, cache_write: 6_000 }, "counts of the end win, null changes nothing");
}

#[tokio::test]
async fn p7_the_body_and_its_cache_marks() {
    let more = vec![
        assistant(vec![call("t")]),
        results(vec![ToolResult::error(CallId("t".into()), "bad")]),
        assistant(vec![AssistantBlock::Text { text: "ok".into() }]),
        Message::User(UserMessage::text("next", Origin::Person)),
    ];
    let (_, _, seen) = ask(Answer::sse(""), &request("m", more)).await;
    let (body, mark) = (seen.body(), json!({"type": "ephemeral"}));
    let keys: Vec<&String> = body.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["model", "max_tokens", "stream", "system", "tools", "messages"], "no thinking, no effort unless asked");
    assert_eq!(body["system"], json!([{"type": "text", "text": "base"}, {"type": "text", "text": "project", "cache_control": mark}]));
    assert_eq!(body["tools"][0]["cache_control"], mark);
    assert_eq!(body["messages"][2]["content"], json!([{"type": "tool_result", "tool_use_id": "t", "content": "bad", "is_error": true, "cache_control": mark}]));
    assert_eq!(body["messages"][4]["content"][0]["cache_control"], mark);
    assert_eq!(seen.text.matches("cache_control").count(), 4);
    assert_eq!(seen.line, "POST /v1/messages HTTP/1.1");
    assert_eq!(
        (seen.header("x-api-key"), seen.header("anthropic-version"), seen.header("content-type")),
        (Some("sk-test-secret"), Some("2023-06-01"), Some("application/json"))
    );
    assert!(seen.header("user-agent").unwrap().starts_with("tui-agent/"));
    let (_, _, one) = ask(Answer::sse(""), &request("m", Vec::new())).await;
    assert_eq!(one.text.matches("cache_control").count(), 3);
}

#[tokio::test]
async fn h04_a_request_is_a_prefix_of_the_next() {
    let first = request("m", Vec::new());
    let mut second = first.clone();
    second.messages.push(Arc::new(assistant(vec![call("t")])));
    second.messages.push(Arc::new(results(vec![ToolResult::ok(CallId("t".into()), "fine")])));
    let bare = |r: &Request| String::from_utf8(body::write(r, "anthropic/m")).unwrap().replace(",\"cache_control\":{\"type\":\"ephemeral\"}", "");
    let (a, b) = (bare(&first), bare(&second));
    assert_eq!(a, bare(&first));
    assert!(b.starts_with(a.strip_suffix("]}").unwrap()), "{a}\n{b}");
}

#[tokio::test]
async fn p8_images_effort_and_no_tools() {
    let mut result = ToolResult::ok(CallId("t".into()), "see");
    result.images.push(("image/png".into(), "QUJD".into()));
    let image = UserContent::Image { media_type: "image/png".into(), data: "QUJD".into() };
    let user = Message::User(UserMessage { results: vec![result], content: vec![image] });
    let mut what = request("claude-opus-5", vec![assistant(vec![call("t")]), user]);
    what.tools = Arc::default();
    what.effort = Some("high".into());
    let (_, _, seen) = ask(Answer::sse(""), &what).await;
    let body = seen.body();
    let source = json!({"type": "base64", "media_type": "image/png", "data": "QUJD"});
    assert_eq!(body["messages"][2]["content"][0]["content"], json!([{"type": "text", "text": "see"}, {"type": "image", "source": source}]));
    assert_eq!(body["messages"][2]["content"][1]["source"], source);
    assert_eq!((body["thinking"].clone(), body["output_config"].clone(), body.get("tools")), (json!({"type": "adaptive"}), json!({"effort": "high"}), None));
    what.effort = Some("low".into());
    assert!(ask(Answer::sse(""), &what).await.2.body().get("thinking").is_none());
}

#[tokio::test]
async fn p1_addresses_and_bearer_tokens() {
    let server = TestServer::start(vec![Answer::sse(&body_of(&[text(0, &["x"]), end("end_turn")]))]);
    let headers = BTreeMap::from([("x-team".to_owned(), "red".to_owned())]);
    for base in ["", "/", "/v1", "/v1/", "/v1/messages"] {
        let settings = Settings {
            name: "own",
            base_url: &format!("{}{base}", server.url()),
            key: Some((Auth::Bearer, "tok")),
            key_env: "K",
            headers: &headers,
            idle: Duration::from_secs(9),
        };
        assert!(attempt(&Anthropic::new(&settings).unwrap(), &request("m", Vec::new())).await.0.is_ok());
        let seen = server.requests().pop().unwrap();
        assert_eq!(
            (seen.line.as_str(), seen.header("authorization"), seen.header("x-api-key"), seen.header("x-team")),
            ("POST /v1/messages HTTP/1.1", Some("Bearer tok"), None, Some("red"))
        );
    }
}

#[tokio::test]
async fn p3_an_answer_that_is_not_streamed() {
    let whole = json!({"type": "message", "role": "assistant", "content": [{"type": "text", "text": "hi"}, {"type": "tool_use", "id": "t", "name": "Read", "input": {"path": "x"}}], "stop_reason": "tool_use", "usage": {"input_tokens": 1, "output_tokens": 2}});
    let (result, events, _) = ask(Answer::json(200, &whole.to_string()), &request("m", Vec::new())).await;
    let r = result.unwrap();
    assert_eq!((r.message.text(), r.message.calls().count(), streamed(&events), r.usage.output), ("hi".into(), 1, "hi".into(), 2));
}

#[tokio::test]
async fn l7_dropping_the_future_ends_the_request_and_keeps_what_streamed() {
    let begun = body_of(&[text(0, &["PARTIAL"])[..2].to_vec()]).into_bytes();
    let server = TestServer::start(vec![Answer::stream(vec![Step::Send(begun), Step::Hold])]);
    let (provider, what) = (provider(&server), request("m", Vec::new()));
    let (tx, mut rx) = tokio::sync::mpsc::unbounded_channel();
    let sink: Sink = Arc::new(move |e| tx.send(e).unwrap());
    tokio::select! {
        result = provider.attempt(&what, &sink) => panic!("{result:?}"),
        event = rx.recv() => assert_eq!(event, Some(StreamEvent::Text("PARTIAL".into()))),
    }
    while server.left() == 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a12_a_limited_request_is_sent_again_unchanged() {
    let limited =
        Answer::json(429, &json!({"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}}).to_string()).header("retry-after", "0");
    let server = TestServer::start(vec![limited, Answer::sse(&body_of(&[text(0, &["fine"]), end("end_turn")]))]);
    let (tx, mut rx) = tokio::sync::mpsc::unbounded_channel();
    let sink: Sink = Arc::new(move |e| tx.send(e).unwrap());
    let reply = crate::providers::retry::send(&provider(&server), &request("m", Vec::new()), &sink).await.unwrap();
    assert_eq!(reply.message.text(), "fine");
    assert!(matches!(rx.recv().await, Some(StreamEvent::Retrying { attempt: 2, wait: Duration::ZERO, reason, .. }) if reason.contains("slow down")));
    let seen = server.requests();
    assert_eq!((seen.len(), &seen[0].text), (2, &seen[1].text));
}
