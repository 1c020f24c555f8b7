//! The Anthropic wire: events of a reply, requests as data, and the shape that every request must have (SPEC L2, L3).
//! Two messages of the user in a row are fine there (they count as one turn): what was sent once is never changed.

use super::reply::Reply;
use serde_json::{Value, json};
use std::collections::HashSet;

/// A recorded request.
#[derive(Clone, Debug)]
pub struct Request {
    pub rule: String,
    pub body: Value,
}

/// A result of a call as the model sees it.
#[derive(Clone, Debug)]
pub struct Seen {
    pub text: String,
    pub error: bool,
}

/// Every string inside a value, joined.
pub fn strings(value: &Value) -> String {
    match value {
        Value::String(s) => s.clone(),
        Value::Array(list) => list.iter().map(strings).filter(|s| !s.is_empty()).collect::<Vec<_>>().join("\n"),
        Value::Object(map) => map.values().map(strings).filter(|s| !s.is_empty()).collect::<Vec<_>>().join("\n"),
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}

/// Without cache marks: they move from request to request by design.
pub fn bare(value: &Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(map.iter().filter(|(k, _)| *k != "cache_control").map(|(k, v)| (k.clone(), bare(v))).collect()),
        Value::Array(list) => Value::Array(list.iter().map(bare).collect()),
        other => other.clone(),
    }
}

/// The blocks of a message, whatever the shape of its content.
pub fn blocks(message: &Value) -> Vec<Value> {
    match &message["content"] {
        Value::String(text) => vec![json!({"type": "text", "text": text})],
        Value::Array(list) => list.clone(),
        _ => Vec::new(),
    }
}

/// Texts of the user's side (no results), in order.
pub fn user_texts(body: &Value) -> Vec<String> {
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    let users = messages.iter().filter(|m| m["role"] == "user").flat_map(blocks);
    users.filter(|b| b["type"] == "text").map(|b| strings(&b["text"])).collect()
}

impl Request {
    /// The messages without cache marks, in one shape.
    pub fn messages(&self) -> Vec<Value> {
        let list = self.body["messages"].as_array().cloned().unwrap_or_default();
        list.iter().map(|m| json!({"role": m["role"], "content": blocks(&bare(m))})).collect()
    }

    /// All strings of the messages.
    pub fn talk(&self) -> String {
        strings(&self.body["messages"])
    }

    /// All strings.
    pub fn all(&self) -> String {
        strings(&self.body)
    }

    /// The strings of the last message.
    pub fn last(&self) -> String {
        self.messages().last().map(strings).unwrap_or_default()
    }

    /// The kinds of the blocks of the last message.
    pub fn last_kinds(&self) -> Vec<String> {
        self.messages().last().map(blocks).unwrap_or_default().iter().map(|b| strings(&b["type"])).collect()
    }

    /// The kinds of all blocks behind the last reply: the user's turn.
    pub fn turn_kinds(&self) -> Vec<String> {
        let messages = self.messages();
        let start = messages.iter().rposition(|m| m["role"] == "assistant").map_or(0, |n| n + 1);
        messages[start..].iter().flat_map(blocks).map(|b| strings(&b["type"])).collect()
    }

    /// Names of the offered tools.
    pub fn tools(&self) -> Vec<String> {
        self.body["tools"].as_array().into_iter().flatten().map(|t| strings(&t["name"])).collect()
    }

    /// All results in order.
    pub fn results(&self) -> Vec<Seen> {
        let all = self.messages().iter().flat_map(blocks).filter(|b| b["type"] == "tool_result").collect::<Vec<_>>();
        all.iter().map(|b| Seen { text: strings(&b["content"]), error: b["is_error"] == true }).collect()
    }

    /// The notifications in the history, in order.
    pub fn notices(&self) -> Vec<String> {
        let texts = user_texts(&self.body).join("\n");
        let parts = texts.split("<task-notification>").skip(1);
        parts.map(|p| p.split("</task-notification>").next().unwrap_or_default().to_owned()).collect()
    }

    /// System and tools as bytes.
    pub fn prefix(&self) -> String {
        json!([bare(&self.body["system"]), bare(&self.body["tools"]), self.body["model"]]).to_string()
    }
}

/// What is wrong with the shape of a request.
pub fn problems(body: &Value) -> Vec<String> {
    let mut bad = Vec::new();
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    let mut used = HashSet::new();
    let mut open: Vec<String> = Vec::new();
    if messages.last().is_none_or(|m| m["role"] != "user") {
        bad.push("the last message is not the user's".to_owned());
    }
    for (n, message) in messages.iter().enumerate() {
        let after_user = n > 0 && messages[n - 1]["role"] == "user";
        if message["role"] != "user" && !(message["role"] == "assistant" && after_user) {
            bad.push(format!("messages.{n}: role {} does not belong here", message["role"]));
        }
        let blocks = blocks(message);
        if blocks.is_empty() {
            bad.push(format!("messages.{n}: no content"));
        }
        if blocks.iter().any(|b| b["type"] == "text" && strings(&b["text"]).trim().is_empty()) {
            bad.push(format!("messages.{n}: an empty text"));
        }
        let results: Vec<String> = blocks.iter().filter(|b| b["type"] == "tool_result").map(|b| strings(&b["tool_use_id"])).collect();
        if results != open {
            bad.push(format!("messages.{n}: results {results:?} for the calls {open:?}"));
        }
        if blocks.iter().take(results.len()).any(|b| b["type"] != "tool_result") {
            bad.push(format!("messages.{n}: a text before a result"));
        }
        let uses: Vec<&Value> = blocks.iter().filter(|b| b["type"] == "tool_use").collect();
        open = uses.iter().map(|b| strings(&b["id"])).collect();
        for call in uses {
            if !call["input"].is_object() {
                bad.push(format!("messages.{n}: arguments that are no object"));
            }
            if !used.insert(strings(&call["id"])) {
                bad.push(format!("messages.{n}: the call id {} is used twice", call["id"]));
            }
        }
    }
    bad
}

fn event(out: &mut String, body: &Value) {
    out.push_str(&format!("event: {}\ndata: {body}\n\n", strings(&body["type"])));
}

/// The events of a reply: up to the end of its text, and the rest. `first_id` numbers its calls.
pub fn stream(reply: &Reply, first_id: u64) -> (String, String) {
    let (mut head, mut rest) = (String::new(), String::new());
    let usage = json!({"input_tokens": reply.usage.0, "output_tokens": 1});
    let message =
        json!({"id": format!("msg_{first_id}"), "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": null, "usage": usage});
    event(&mut head, &json!({"type": "message_start", "message": message}));
    let mut index = 0;
    if !reply.text.is_empty() {
        event(&mut head, &json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}));
        event(&mut head, &json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": reply.text}}));
        event(&mut rest, &json!({"type": "content_block_stop", "index": 0}));
        index = 1;
    }
    for (n, (name, input)) in reply.tools.iter().enumerate() {
        let id = format!("toolu_{}", first_id + n as u64);
        event(&mut rest, &json!({"type": "content_block_start", "index": index, "content_block": {"type": "tool_use", "id": id, "name": name, "input": {}}}));
        let delta = json!({"type": "input_json_delta", "partial_json": input.to_string()});
        event(&mut rest, &json!({"type": "content_block_delta", "index": index, "delta": delta}));
        event(&mut rest, &json!({"type": "content_block_stop", "index": index}));
        index += 1;
    }
    let stop = if reply.tools.is_empty() { "end_turn" } else { "tool_use" };
    event(&mut rest, &json!({"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": reply.usage.1}}));
    event(&mut rest, &json!({"type": "message_stop"}));
    (head, rest)
}

#[test]
fn the_pairing_check_sees_what_it_looks_for() {
    let user = |content: Value| json!({"role": "user", "content": content});
    let asks = json!({"role": "assistant", "content": [{"type": "tool_use", "id": "x", "name": "Read", "input": {}}]});
    let result = json!({"type": "tool_result", "tool_use_id": "x", "content": "r"});
    let text = json!({"type": "text", "text": "t"});
    let good = json!({"messages": [user(json!("q")), asks, user(json!([result, text]))]});
    assert_eq!(problems(&good), Vec::<String>::new());
    for bad in [
        json!({"messages": [user(json!("q")), asks, user(json!([text, result]))]}),
        json!({"messages": [user(json!("q")), asks, user(json!([text]))]}),
        json!({"messages": [user(json!("q")), asks]}),
        json!({"messages": [user(json!("q")), asks, user(json!("hi")), user(json!([result]))]}),
        json!({"messages": [{"role": "assistant", "content": "a"}, user(json!("q"))]}),
        json!({"messages": [user(json!([result]))]}),
        json!({"messages": [user(json!([]))]}),
        json!({"messages": [user(json!(""))]}),
        json!({"messages": [user(json!("q")), asks, user(json!([result])), asks, user(json!([result]))]}),
    ] {
        assert!(!problems(&bad).is_empty(), "{bad}");
    }
}
