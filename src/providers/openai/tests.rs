//! Chat Completions over a raw loopback server (SPEC P1, P3 to P8; cases A01 to A16, H04).

use super::*;
use crate::protocol::{AssistantBlock, AssistantMessage, CallFault, CallId, Message, Origin, ToolCall, ToolResult, Usage, UserContent, UserMessage};
use crate::providers::testserver::{Captured, Reply as Answer, Step, TestServer, attempt, check_pairing, request, streamed};
use crate::providers::{ErrorKind, Request, Stop, StreamEvent};
use serde_json::{Value, json};
use std::sync::Arc;

async fn ask(answer: Answer, what: &Request) -> (Result<Reply, ProviderError>, Vec<StreamEvent>, Captured) {
    let server = TestServer::start(vec![answer]);
    let headers = BTreeMap::new();
    let settings = Settings {
        name: "openai",
        base_url: &format!("{}/v1", server.url()),
        key: Some("sk-test-secret"),
        key_env: "OPENAI_API_KEY",
        headers: &headers,
        idle: Duration::from_secs(20),
    };
    let (result, events) = attempt(&OpenAi::new(&settings).unwrap(), what).await;
    let captured = server.requests().remove(0);
    check_pairing(&captured.body());
    (result, events, captured)
}

fn delta(delta: &Value) -> String {
    format!("data: {}\n\n", json!({"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]}))
}

fn content(text: &str) -> String {
    delta(&json!({"content": text}))
}

fn fragment(call: &Value) -> String {
    delta(&json!({"tool_calls": [call]}))
}

fn finish(reason: &str) -> String {
    format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}))
}

const DONE: &str = "data: [DONE]\n\n";

async fn reply(parts: &[&str]) -> Reply {
    ask(Answer::sse(&parts.concat()), &request("m", Vec::new())).await.0.unwrap()
}

/// The calls of a stream of fragments: (id, name, input).
async fn calls(fragments: &[Value]) -> Vec<(String, String, Value)> {
    let body: String = fragments.iter().map(fragment).collect();
    let r = reply(&[&body, &finish("tool_calls"), DONE]).await;
    r.message.calls().map(|c| (c.id.0.clone(), c.name.clone(), c.fault.as_ref().map_or_else(|| Value::Object(c.input.clone()), |f| json!(f)))).collect()
}

fn named(calls: &[(String, String, Value)]) -> Vec<(&str, &Value)> {
    let ids: std::collections::HashSet<_> = calls.iter().map(|c| &c.0).collect();
    assert_eq!(ids.len(), calls.len(), "ids are unique: {calls:?}");
    assert!(ids.iter().all(|id| !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))));
    calls.iter().map(|c| (c.1.as_str(), &c.2)).collect()
}

#[tokio::test]
async fn a01_split_character() {
    let body = [content("台"), content("é🌍"), finish("stop"), DONE.into()].concat().into_bytes();
    let at = body.iter().position(|b| *b == 0x8f).unwrap() + 1;
    for pieces in [vec![body[..at].to_vec(), body[at..].to_vec()], body.iter().map(|b| vec![*b]).collect()] {
        let (result, events, _) = ask(Answer::stream(pieces.into_iter().map(Step::Send).collect()), &request("m", Vec::new())).await;
        assert_eq!((result.unwrap().message.text(), streamed(&events)), ("台é🌍".into(), "台é🌍".into()));
    }
}

#[tokio::test]
async fn a02_framing_variants() {
    let body = ": OPENROUTER PROCESSING\r\n\r\nevent: ping\r\ndata: {\"type\":\"ping\"}\r\n\r\ndata:{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\u{2028}b\"}}]}\r\n\r\ndata: [DONE]\r\n\r\n";
    assert_eq!(reply(&[body]).await.message.text(), "a\u{2028}b");
}

#[tokio::test]
async fn a03_chunks_without_choices() {
    let usage = r#"{"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":3,"total_tokens":15}}"#;
    for empty in [r#""choices":[]"#, r#""choices":null"#, r#""x":1"#] {
        let tail = usage.replace(r#""choices":[]"#, empty);
        let r = reply(&[&format!("data: {{{empty}}}\n\n"), &content("hi"), &finish("stop"), &format!("data: {tail}\n\n"), DONE]).await;
        assert_eq!((r.message.text().as_str(), r.usage), ("hi", Usage { input: 12, output: 3, ..Usage::default() }));
    }
}

#[tokio::test]
async fn a04_empty_arguments_are_an_empty_object() {
    let call = |arguments: Value| json!({"index": 0, "id": "c1", "type": "function", "function": {"name": "list_tasks", "arguments": arguments}});
    for arguments in [json!(""), Value::Null, json!({}), json!("{}"), json!(" ")] {
        assert_eq!(calls(&[call(arguments)]).await, [("c1".into(), "list_tasks".into(), json!({}))]);
    }
    let bare = json!({"index": 0, "id": "c1", "function": {"name": "list_tasks"}});
    assert_eq!(calls(&[bare]).await, [("c1".into(), "list_tasks".into(), json!({}))]);
    assert_eq!(calls(&[call(json!({"a": [1]}))]).await[0].2, json!({"a": [1]}), "arguments as an object");
}

#[tokio::test]
async fn a05_interleaved_calls_keep_their_fragments() {
    let f = |i: u64, id: Option<&str>, name: Option<&str>, args: &str| json!({"index": i, "id": id, "function": {"name": name, "arguments": args}});
    let all = calls(&[
        f(0, Some("a"), Some("read"), "{\"pa"),
        f(1, Some("b"), Some("grep"), "{\"q\":"),
        f(0, None, None, "th\":\"x\"}"),
        f(1, None, Some(""), "\"y\"}"),
    ])
    .await;
    assert_eq!(all, [("a".into(), "read".into(), json!({"path": "x"})), ("b".into(), "grep".into(), json!({"q": "y"}))]);
    let late = calls(&[f(1, Some("b"), Some("grep"), "{}"), f(0, Some("a"), Some("read"), "{}")]).await;
    assert_eq!(named(&late).iter().map(|c| c.0).collect::<Vec<_>>(), ["read", "grep"], "in the order of the index");
}

#[tokio::test]
async fn a06_name_and_id_quirks() {
    let frag = |at: Value, id: Value, name: Value, args: &str| json!({"index": at, "id": id, "function": {"name": name, "arguments": args}});
    let none = Value::Null;
    let (x, y) = (json!({"p": "x"}), json!({"q": 1}));
    // The name again in every chunk; also with the id each time, and with a new id each time.
    for ids in [[none.clone(), none.clone(), none.clone()], [json!("a"), json!("a"), json!("a")], [json!("a"), json!("b"), json!("c")]] {
        let [first, second, third] = ids;
        let all = calls(&[
            frag(json!(0), first, json!("read"), "{\"p"),
            frag(json!(0), second, json!("read"), "\":\"x"),
            frag(json!(0), third, json!("read"), "\"}"),
        ])
        .await;
        assert_eq!(named(&all), [("read", &x)]);
    }
    // The name only later.
    let all = calls(&[frag(json!(0), json!("a"), none.clone(), "{\"p\":"), frag(json!(0), none.clone(), json!("read"), "\"x\"}")]).await;
    assert_eq!(named(&all), [("read", &x)]);
    // No id anywhere; with and without an index; all in one list.
    let all = calls(&[frag(json!(0), none.clone(), json!("read"), "{\"p\":\"x\"}"), frag(json!(1), none.clone(), json!("grep"), "{\"q\":1}")]).await;
    assert_eq!(named(&all), [("read", &x), ("grep", &y)]);
    let all = calls(&[frag(none.clone(), none.clone(), json!("read"), "{\"p\":\"x\"}"), frag(none.clone(), none.clone(), json!("grep"), "{\"q\":1}")]).await;
    assert_eq!(named(&all), [("read", &x), ("grep", &y)]);
    let list = delta(
        &json!({"tool_calls": [frag(none.clone(), none.clone(), json!("read"), "{\"p\":\"x\"}"), frag(none.clone(), none.clone(), json!("grep"), "{\"q\":1}"), frag(none.clone(), none.clone(), json!("list"), "")]}),
    );
    assert_eq!(reply(&[&list, DONE]).await.message.calls().count(), 3);
    // The same id twice, with different and with the same index.
    for second in [1, 0] {
        let id = json!("functions.bash:0");
        let all = calls(&[frag(json!(0), id.clone(), json!("read"), "{\"p\":\"x\"}"), frag(json!(second), id, json!("grep"), "{\"q\":1}")]).await;
        assert_eq!(named(&all), [("read", &x), ("grep", &y)]);
    }
    // Every call at index 0 with its own id, some without arguments.
    let all = calls(&[
        frag(json!(0), json!("a"), json!("list"), ""),
        frag(json!(0), json!("b"), json!("list"), ""),
        frag(json!(0), json!("c"), json!("read"), "{\"p\":\"x\"}"),
    ])
    .await;
    assert_eq!(named(&all), [("list", &json!({})), ("list", &json!({})), ("read", &x)]);
    // A finished call sent once more, and an entry with nothing in it.
    let all =
        calls(&[frag(json!(0), json!("a"), json!("read"), "{\"p\":\"x\"}"), frag(json!(0), json!("a"), json!("read"), "{\"p\":\"x\"}"), json!({"index": 1})])
            .await;
    assert_eq!(named(&all), [("read", &x)]);
}

#[tokio::test]
async fn a07_calls_stand_whatever_the_label_says() {
    let call = fragment(&json!({"index": 0, "id": "a", "function": {"name": "read", "arguments": "{}"}}));
    for end in [finish("stop"), String::new(), finish("end_turn")] {
        assert_eq!(reply(&[&call, &end, DONE]).await.message.calls().count(), 1);
    }
}

#[tokio::test]
async fn a08_a_cut_call_is_marked_and_empty() {
    let call = |args: &str| fragment(&json!({"index": 0, "id": "a", "function": {"name": "write", "arguments": args}}));
    let r = reply(&[&call("{\"path\":\"a.txt\",\"content\":\"line1\\nli"), &finish("length"), DONE]).await;
    let cut = r.message.calls().next().unwrap();
    assert_eq!((r.stop.clone(), cut.fault.clone(), cut.input.len()), (Stop::OutputLimit, Some(CallFault::Cut), 0));
    assert_eq!(reply(&[&call("{\"path\":\"a\"}"), &finish("length"), DONE]).await.message.calls().next().unwrap().fault, None);
    assert!(matches!(reply(&[&call("{\"path\":"), &finish("stop"), DONE]).await.message.calls().next().unwrap().fault, Some(CallFault::NotJson { .. })));
    assert_eq!(reply(&[&call("[]"), &finish("stop"), DONE]).await.message.calls().next().unwrap().fault, Some(CallFault::NotAnObject), "a17");
}

#[tokio::test]
async fn a09_an_end_without_its_mark() {
    let two = [content("Hel"), content("lo")].concat();
    let (result, events, _) = ask(Answer::sse(&two), &request("m", Vec::new())).await;
    assert_eq!((result.unwrap_err().kind, streamed(&events)), (ErrorKind::Stream, "Hello".into()));
    assert_eq!(reply(&[&two, DONE]).await.message.text(), "Hello");
    assert_eq!(reply(&[&two, &finish("stop")]).await.message.text(), "Hello");
    let cut = Answer::stream(vec![Step::Send([two.clone(), finish("stop")].concat().into_bytes()), Step::Cut]);
    assert_eq!(ask(cut, &request("m", Vec::new())).await.0.unwrap().message.text(), "Hello", "the reason had come");
    let open = Answer::stream(vec![Step::Send([two, DONE.into()].concat().into_bytes()), Step::Hold]);
    assert_eq!(ask(open, &request("m", Vec::new())).await.0.unwrap().message.text(), "Hello", "the mark ends it, the connection need not");
}

#[tokio::test]
async fn a10_an_error_inside_the_stream() {
    let cases = [
        (json!({"error": {"message": "Real words", "type": "server_error", "code": null}}), ErrorKind::Server),
        (
            json!({"error": {"message": "Real words", "code": 429}, "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}]}),
            ErrorKind::RateLimit,
        ),
        (json!({"error": {"message": "Real words", "code": "rate_limit_exceeded"}}), ErrorKind::RateLimit),
        (json!({"object": "error", "message": "Real words", "code": 400}), ErrorKind::InvalidRequest),
        (json!({"error": "Real words"}), ErrorKind::Server),
        (json!([{"error": {"code": 503, "message": "Real words", "status": "UNAVAILABLE"}}]), ErrorKind::Overloaded),
    ];
    for (event, kind) in cases {
        let (result, events, _) = ask(Answer::sse(&format!("{}data: {event}\n\n", content("Par"))), &request("m", Vec::new())).await;
        let error = result.unwrap_err();
        assert_eq!((error.kind, streamed(&events).as_str()), (kind, "Par"), "{event}");
        assert!(error.message.contains("Real words"), "{error:?}");
    }
    let torn = format!("{}data: {{\"choices\":[{{\n\n{}", content("Par"), content("more"));
    assert_eq!(ask(Answer::sse(&torn), &request("m", Vec::new())).await.0.unwrap_err().kind, ErrorKind::Stream, "a broken event is no silence");
}

#[tokio::test]
async fn a13_reasoning_goes_back_to_its_own_model() {
    for key in ["reasoning_content", "reasoning"] {
        let body = [
            delta(&json!({key: "wh"})),
            delta(&json!({key: "y", "content": null})),
            fragment(&json!({"index": 0, "id": "t", "function": {"name": "Read", "arguments": "{}"}})),
            finish("tool_calls"),
            DONE.into(),
        ]
        .concat();
        let (result, events, _) = ask(Answer::sse(&body), &request("m", Vec::new())).await;
        assert_eq!(events, [StreamEvent::Thinking("why".into())]);
        let said = Message::Assistant(result.unwrap().message);
        let stored: Message = serde_json::from_str(&serde_json::to_string(&said).unwrap()).unwrap();
        let back = vec![stored, Message::User(UserMessage { results: vec![ToolResult::ok(CallId("t".into()), "fine")], content: Vec::new() })];
        let own = ask(Answer::sse(""), &request("m", back.clone())).await.2.body();
        assert_eq!((own["messages"][2]["reasoning_content"].as_str(), &own["messages"][2]["content"]), (Some("why"), &Value::Null));
        let other = ask(Answer::sse(""), &request("n", back)).await.2.body();
        assert!(other["messages"][2].get("reasoning_content").is_none());
    }
    let parts = delta(&json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "why"}]}, {"type": "text", "text": "so"}]}));
    let r = reply(&[&parts, DONE]).await;
    assert_eq!((r.message.text().as_str(), r.message.blocks.len()), ("so", 2), "content in parts");
}

#[tokio::test]
async fn a14_nothing_empty_is_kept_or_sent() {
    let r = reply(&[&delta(&json!({"role": "assistant", "content": ""})), &content("\n"), DONE]).await;
    assert!(r.message.blocks.is_empty());
    let thought = AssistantBlock::Thinking { text: "x".into(), signature: None, source: "other/m".into() };
    let more = vec![Message::Assistant(AssistantMessage { blocks: vec![thought] }), Message::User(UserMessage::text("more", Origin::Person))];
    let body = ask(Answer::sse(""), &request("m", more)).await.2.body();
    assert_eq!(body["messages"][2], json!({"role": "assistant", "content": "(reasoning omitted)"}));
}

#[tokio::test]
async fn a16_overflow_is_recognised_as_status_and_as_event() {
    let bodies = [
        r#"{"error":{"code":"context_length_exceeded","message":"Too much","type":"invalid_request_error"}}"#,
        r#"{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}"#,
        r#"{"error":"Trying to keep the first 9000 tokens when context the overflows; the prompt is greater than the context length"}"#,
        r#"[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]"#,
        r#"{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens","type":"BadRequestError","code":400}"#,
    ];
    for body in bodies {
        let e = ask(Answer::json(400, body), &request("m", Vec::new())).await.0.unwrap_err();
        assert_eq!(e.kind, ErrorKind::ContextOverflow, "{body}");
        let event = format!("{}event: error\ndata: {body}\n\n", content("Par"));
        let e = ask(Answer::sse(&event), &request("m", Vec::new())).await.0.unwrap_err();
        assert_eq!(e.kind, ErrorKind::ContextOverflow, "as an event: {body}");
    }
    let plain = ask(Answer::json(400, r#"{"error":{"message":"bad tool"}}"#), &request("m", Vec::new())).await.0.unwrap_err();
    assert_eq!(plain.kind, ErrorKind::InvalidRequest);
}

#[tokio::test]
async fn p8_cached_tokens_are_not_counted_twice() {
    let usage = |u: &Value| format!("data: {}\n\n", json!({"choices": [], "usage": u}));
    let r = reply(&[
        &content("x"),
        &finish("stop"),
        &usage(&json!({"prompt_tokens": 100, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 30}})),
        DONE,
    ])
    .await;
    assert_eq!(r.usage, Usage { input: 10, output: 5, cache_read: 60, cache_write: 30 });
    let r = reply(&[&content("x"), &usage(&json!({"prompt_tokens": 100, "completion_tokens": 5, "prompt_cache_hit_tokens": 900})), DONE]).await;
    assert_eq!(r.usage, Usage { input: 0, output: 5, cache_read: 100, cache_write: 0 });
}

#[tokio::test]
async fn p1_the_body() {
    let call = |id: &str| AssistantBlock::ToolUse(ToolCall { id: CallId(id.into()), name: "Read".into(), input: serde_json::Map::new(), fault: None });
    let mut pictured = ToolResult::ok(CallId("a".into()), "see");
    pictured.images.push(("image/png".into(), "QUJD".into()));
    let user = UserMessage {
        results: vec![pictured, ToolResult::error(CallId("b".into()), "bad")],
        content: vec![UserContent::Text { text: "and".into(), origin: Origin::Steer }],
    };
    let said = AssistantMessage { blocks: vec![AssistantBlock::Text { text: "well".into() }, call("a"), call("b")] };
    let mut what = request("m", vec![Message::Assistant(said), Message::User(user)]);
    let (_, _, seen) = ask(Answer::sse(""), &what).await;
    let body = seen.body();
    let keys: Vec<&String> = body.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["model", "stream", "stream_options", "max_tokens", "tools", "messages"]);
    assert_eq!((seen.line.as_str(), seen.header("authorization")), ("POST /v1/chat/completions HTTP/1.1", Some("Bearer sk-test-secret")));
    let tool_call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "Read", "arguments": "{}"}});
    let expected = json!([
        {"role": "system", "content": "base\n\nproject"},
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "well", "tool_calls": [tool_call("a"), tool_call("b")]},
        {"role": "tool", "tool_call_id": "a", "content": "see"},
        {"role": "tool", "tool_call_id": "b", "content": "bad"},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}}, {"type": "text", "text": "and"}]},
    ]);
    assert_eq!(body["messages"], expected);
    what.tools = Arc::default();
    assert!(ask(Answer::sse(""), &what).await.2.body().get("tools").is_none());
}

#[test]
fn p1_openai_itself_names_some_limits_differently() {
    assert_eq!(
        (body::Dialect::of_host("api.openai.com"), body::Dialect::of_host("x.openai.azure.com"), body::Dialect::of_host("api.openai.com.evil.example")),
        (body::Dialect::Own, body::Dialect::Own, body::Dialect::Compatible)
    );
    let mut what = request("gpt-6-sol", Vec::new());
    let write = |r: &Request, d| serde_json::from_slice::<Value>(&body::write(r, "openai/m", d)).unwrap();
    let own = write(&what, body::Dialect::Own);
    assert_eq!((own["max_completion_tokens"].as_u64(), own.get("max_tokens"), own["reasoning_effort"].as_str()), (Some(1000), None, Some("none")));
    assert!(write(&what, body::Dialect::Compatible).get("reasoning_effort").is_none());
    what.tools = Arc::default();
    assert!(write(&what, body::Dialect::Own).get("reasoning_effort").is_none(), "without tools the model may reason");
}

#[test]
fn h04_a_request_is_a_prefix_of_the_next() {
    let first = request("m", Vec::new());
    let mut second = first.clone();
    second.messages.push(Arc::new(Message::Assistant(AssistantMessage { blocks: vec![AssistantBlock::Text { text: "x".into() }] })));
    second.messages.push(Arc::new(Message::User(UserMessage::text("y", Origin::Person))));
    let write = |r: &Request| String::from_utf8(body::write(r, "openai/m", body::Dialect::Compatible)).unwrap();
    assert!(write(&second).starts_with(write(&first).strip_suffix("]}").unwrap()));
}

#[tokio::test]
async fn p3_an_answer_that_is_not_streamed() {
    let whole = json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": "hi", "tool_calls": [{"id": "t", "type": "function", "function": {"name": "Read", "arguments": "{}"}}]}, "finish_reason": "tool_calls"}], "usage": {"prompt_tokens": 1, "completion_tokens": 2}});
    let (result, _, _) = ask(Answer::json(200, &whole.to_string()), &request("m", Vec::new())).await;
    let r = result.unwrap();
    assert_eq!((r.message.text(), r.message.calls().count(), r.usage.output), ("hi".into(), 1, 2));
}

#[tokio::test]
async fn p5_a_fast_stream_is_merged_and_linear() {
    let pieces: Vec<String> = (0..20_000).map(|n| format!("word{n} ")).collect();
    let body: String = pieces.iter().map(|p| content(p)).chain([finish("stop"), DONE.into()]).collect();
    let (result, events, _) = ask(Answer::sse(&body), &request("m", Vec::new())).await;
    assert_eq!(result.unwrap().message.text(), pieces.concat());
    assert_eq!(streamed(&events), pieces.concat());
    assert!(events.len() < pieces.len() / 4, "{} events for {} pieces", events.len(), pieces.len());
}
