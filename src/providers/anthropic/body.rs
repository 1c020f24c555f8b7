//! A request as a Messages API body, written straight from the shared history (SPEC P6, P7).
//!
//! Key order is the order of the fields here, so equal requests have equal bytes. Must not: change what stands in an
//! earlier message from one request to the next, cache marks aside.

use crate::protocol::{AssistantBlock, AssistantMessage, Message, ToolResult, UserContent, UserMessage};
use crate::providers::calls::wire_name;
use crate::providers::{Request, catalog};
use serde::Serialize;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// Stands for a message of which nothing else may be sent.
const OMITTED: &str = "(reasoning omitted)";

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Thinking>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Block<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    messages: Vec<Turn<'a>>,
}

#[derive(Serialize)]
struct Thinking {
    r#type: &'static str,
}

#[derive(Serialize)]
struct OutputConfig<'a> {
    effort: &'a str,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Mark>,
}

#[derive(Serialize)]
struct Turn<'a> {
    role: &'static str,
    content: Vec<Block<'a>>,
}

#[derive(Clone, Copy, Serialize)]
struct Mark {
    r#type: &'static str,
}

const MARK: Option<Mark> = Some(Mark { r#type: "ephemeral" });

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block<'a> {
    Text {
        text: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<Mark>,
    },
    Image {
        source: Source<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<Mark>,
    },
    ToolResult {
        tool_use_id: &'a str,
        content: ResultContent<'a>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<Mark>,
    },
    ToolUse {
        id: &'a str,
        name: Cow<'a, str>,
        input: &'a Map<String, Value>,
    },
    Thinking {
        thinking: &'a str,
        signature: &'a str,
    },
    RedactedThinking {
        data: &'a str,
    },
}

#[derive(Serialize)]
struct Source<'a> {
    r#type: &'static str,
    media_type: &'a str,
    data: &'a str,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ResultContent<'a> {
    Text(&'a str),
    Blocks(Vec<Block<'a>>),
}

impl Block<'_> {
    fn mark(&mut self) {
        match self {
            Self::Text { cache_control, .. } | Self::Image { cache_control, .. } | Self::ToolResult { cache_control, .. } => *cache_control = MARK,
            Self::ToolUse { .. } | Self::Thinking { .. } | Self::RedactedThinking { .. } => {}
        }
    }
}

/// The body of a request; `source` is `provider/model`, whose own reasoning goes back.
pub(super) fn write(request: &Request, source: &str) -> Vec<u8> {
    let mut system: Vec<Block<'_>> = request.system.iter().filter(|s| !s.trim().is_empty()).map(|s| text(s)).collect();
    if let Some(last) = system.last_mut() {
        last.mark();
    }
    let mut tools: Vec<Tool<'_>> =
        request.tools.iter().map(|t| Tool { name: &t.name, description: &t.description, input_schema: &t.schema, cache_control: None }).collect();
    if let Some(last) = tools.last_mut() {
        last.cache_control = MARK;
    }
    let mut messages: Vec<Turn<'_>> = request.messages.iter().map(|m| turn(m, source)).collect();
    for turn in messages.iter_mut().rev().filter(|t| t.role == "user").take(2) {
        if let Some(last) = turn.content.last_mut() {
            last.mark();
        }
    }
    let effort = request.effort.as_deref().filter(|e| matches!(*e, "medium" | "high") && catalog::adaptive_thinking(&request.model));
    let body = Body {
        model: &request.model,
        max_tokens: request.max_output.max(1),
        stream: true,
        thinking: effort.map(|_| Thinking { r#type: "adaptive" }),
        output_config: effort.map(|effort| OutputConfig { effort }),
        system,
        tools,
        messages,
    };
    // Strings and maps with string keys cannot fail to serialise.
    serde_json::to_vec(&body).unwrap_or_default()
}

fn text(text: &str) -> Block<'_> {
    Block::Text { text, cache_control: None }
}

fn image<'a>(media_type: &'a str, data: &'a str) -> Block<'a> {
    Block::Image { source: Source { r#type: "base64", media_type, data }, cache_control: None }
}

fn turn<'a>(message: &'a Message, source: &str) -> Turn<'a> {
    match message {
        Message::User(m) => Turn { role: "user", content: user(m) },
        Message::Assistant(m) => Turn { role: "assistant", content: assistant(m, source) },
    }
}

fn user(message: &UserMessage) -> Vec<Block<'_>> {
    let mut content: Vec<Block<'_>> = message.results.iter().map(result).collect();
    content.extend(message.content.iter().filter_map(|c| match c {
        UserContent::Text { text: words, .. } => Some(text(words)).filter(|_| !words.trim().is_empty()),
        UserContent::Image { media_type, data } => Some(image(media_type, data)),
    }));
    if content.is_empty() {
        content.push(text("(empty)"));
    }
    content
}

fn result(result: &ToolResult) -> Block<'_> {
    let words = Some(result.text.as_str()).filter(|t| !t.trim().is_empty());
    let content = if result.images.is_empty() {
        ResultContent::Text(words.unwrap_or("(no output)"))
    } else {
        ResultContent::Blocks(words.map(text).into_iter().chain(result.images.iter().map(|(kind, data)| image(kind, data))).collect())
    };
    Block::ToolResult { tool_use_id: &result.call_id.0, content, is_error: result.is_error, cache_control: None }
}

fn assistant<'a>(message: &'a AssistantMessage, own: &str) -> Vec<Block<'a>> {
    let mut content: Vec<Block<'a>> = message
        .blocks
        .iter()
        .filter_map(|b| match b {
            AssistantBlock::Text { text: words } => Some(text(words)).filter(|_| !words.trim().is_empty()),
            AssistantBlock::Thinking { text, signature: Some(signature), source } if source == own => Some(Block::Thinking { thinking: text, signature }),
            AssistantBlock::RedactedThinking { data, source } if source == own => Some(Block::RedactedThinking { data }),
            AssistantBlock::ToolUse(call) => Some(Block::ToolUse { id: &call.id.0, name: wire_name(&call.name), input: &call.input }),
            AssistantBlock::Thinking { .. } | AssistantBlock::RedactedThinking { .. } => None,
        })
        .collect();
    if !content.iter().any(|b| matches!(b, Block::Text { .. } | Block::ToolUse { .. })) {
        content.push(text(OMITTED));
    }
    content
}
