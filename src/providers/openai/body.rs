//! A request as a Chat Completions body, written straight from the shared history (SPEC P6, P7).
//!
//! Key order is the order of the fields here, so equal requests have equal bytes. Must not: change what stands in an
//! earlier message from one request to the next; put anything between calls and their results.

use crate::protocol::{AssistantBlock, AssistantMessage, Message, UserContent, UserMessage};
use crate::providers::calls::wire_name;
use crate::providers::{Request, catalog};
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;

/// Stands for a message of which nothing else may be sent.
const OMITTED: &str = "(reasoning omitted)";

/// What differs between the servers of this interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Dialect {
    /// OpenAI's own service and Azure's: other names for some limits.
    Own,
    /// Everybody else.
    Compatible,
}

impl Dialect {
    /// By the host of the address.
    pub(super) fn of_host(host: &str) -> Self {
        if host == "api.openai.com" || host.ends_with(".api.openai.com") || host.ends_with(".openai.azure.com") { Self::Own } else { Self::Compatible }
    }
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    stream_options: StreamOptions,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    messages: Vec<Turn<'a>>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    function: FunctionSpec<'a>,
}

#[derive(Serialize)]
struct FunctionSpec<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum Turn<'a> {
    System {
        content: String,
    },
    User {
        content: Content<'a>,
    },
    Assistant {
        content: Option<Cow<'a, str>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning_content: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Call<'a>>,
    },
    Tool {
        tool_call_id: &'a str,
        content: &'a str,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<Part<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part<'a> {
    Text { text: &'a str },
    ImageUrl { image_url: ImageUrl },
}

#[derive(Serialize)]
struct ImageUrl {
    url: String,
}

#[derive(Serialize)]
struct Call<'a> {
    id: &'a str,
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: Cow<'a, str>,
    arguments: String,
}

/// The body of a request; `source` is `provider/model`, whose own reasoning goes back.
pub(super) fn write(request: &Request, source: &str, dialect: Dialect) -> Vec<u8> {
    let mut messages = Vec::with_capacity(request.messages.len() + 1);
    let system: Vec<&str> = request.system.iter().map(String::as_str).filter(|s| !s.trim().is_empty()).collect();
    if !system.is_empty() {
        messages.push(Turn::System { content: system.join("\n\n") });
    }
    for message in &request.messages {
        match message.as_ref() {
            Message::User(m) => user(m, &mut messages),
            Message::Assistant(m) => messages.push(assistant(m, source)),
        }
    }
    let tools: Vec<Tool<'_>> = request
        .tools
        .iter()
        .map(|t| Tool { r#type: "function", function: FunctionSpec { name: &t.name, description: &t.description, parameters: &t.schema } })
        .collect();
    let (limit, own) = (request.max_output.max(1), dialect == Dialect::Own);
    // Some of OpenAI's models take tools over this interface only when they are told not to reason.
    let no_effort = own && !tools.is_empty() && catalog::tools_without_effort(&request.model);
    let body = Body {
        model: &request.model,
        stream: true,
        stream_options: StreamOptions { include_usage: true },
        max_tokens: Some(limit).filter(|_| !own),
        max_completion_tokens: Some(limit).filter(|_| own),
        reasoning_effort: Some("none").filter(|_| no_effort),
        tools,
        messages,
    };
    // Strings and maps with string keys cannot fail to serialise.
    serde_json::to_vec(&body).unwrap_or_default()
}

fn user<'a>(message: &'a UserMessage, out: &mut Vec<Turn<'a>>) {
    let mut parts = Vec::new();
    for result in &message.results {
        let content = if result.text.trim().is_empty() { if result.images.is_empty() { "(no output)" } else { "(an image, see below)" } } else { &result.text };
        out.push(Turn::Tool { tool_call_id: &result.call_id.0, content });
        // Results can only be text here; the images follow behind all of them.
        parts.extend(result.images.iter().map(|(kind, data)| image(kind, data)));
    }
    for content in &message.content {
        match content {
            UserContent::Text { text, .. } if text.trim().is_empty() => {}
            UserContent::Text { text, .. } => parts.push(Part::Text { text }),
            UserContent::Image { media_type, data } => parts.push(image(media_type, data)),
        }
    }
    if parts.is_empty() {
        if message.results.is_empty() {
            out.push(Turn::User { content: Content::Text("(empty)".into()) });
        }
        return;
    }
    out.push(Turn::User { content: content(parts) });
}

/// Plain text where possible: not every server takes parts.
fn content(parts: Vec<Part<'_>>) -> Content<'_> {
    let texts: Option<Vec<&str>> = parts
        .iter()
        .map(|p| match p {
            Part::Text { text } => Some(*text),
            Part::ImageUrl { .. } => None,
        })
        .collect();
    match texts.as_deref() {
        Some([one]) => Content::Text(Cow::Borrowed(*one)),
        Some(many) => Content::Text(many.join("\n\n").into()),
        None => Content::Parts(parts),
    }
}

fn image<'a>(media_type: &str, data: &str) -> Part<'a> {
    Part::ImageUrl { image_url: ImageUrl { url: format!("data:{media_type};base64,{data}") } }
}

fn assistant<'a>(message: &'a AssistantMessage, own: &str) -> Turn<'a> {
    let (mut texts, mut reasoning, mut tool_calls) = (Vec::new(), None::<String>, Vec::new());
    for block in &message.blocks {
        match block {
            AssistantBlock::Text { text } if text.trim().is_empty() => {}
            AssistantBlock::Text { text } => texts.push(text.as_str()),
            AssistantBlock::Thinking { text, source, .. } if source == own => reasoning.get_or_insert_default().push_str(text),
            AssistantBlock::ToolUse(call) => tool_calls.push(Call {
                id: &call.id.0,
                r#type: "function",
                function: Function { name: wire_name(&call.name), arguments: serde_json::to_string(&call.input).unwrap_or_else(|_| "{}".to_owned()) },
            }),
            AssistantBlock::Thinking { .. } | AssistantBlock::RedactedThinking { .. } => {}
        }
    }
    let content = match texts[..] {
        [] if tool_calls.is_empty() => Some(Cow::Borrowed(OMITTED)),
        [] => None,
        [one] => Some(Cow::Borrowed(one)),
        _ => Some(Cow::Owned(texts.concat())),
    };
    Turn::Assistant { content, reasoning_content: reasoning, tool_calls }
}
