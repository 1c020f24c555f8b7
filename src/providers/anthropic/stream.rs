//! Events of the Messages API become a [`Reply`] (SPEC P4, P6, P8).
//!
//! Must not: trust the order, the presence or the type of anything; drop a block that it knows.

use crate::protocol::{AssistantBlock, AssistantMessage, Usage};
use crate::providers::calls::CallMaker;
use crate::providers::http::errors::Words;
use crate::providers::http::{Decoder, Emitter, Fault, Flow};
use crate::providers::sse::SseEvent;
use crate::providers::{Reply, Stop};
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;

/// Blocks of one reply at most; more are ignored.
const MAX_BLOCKS: usize = 1000;

/// A block that is being put together.
enum Building {
    Text(String),
    Thinking { text: String, signature: String },
    Redacted(String),
    Call { id: String, name: String, json: String, whole: String },
    Unknown,
}

/// The hot path: a delta, read without a tree.
#[derive(Deserialize)]
struct DeltaEvent<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    index: u64,
    #[serde(borrow)]
    delta: Piece<'a>,
}

#[derive(Deserialize)]
struct Piece<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    text: Cow<'a, str>,
    #[serde(borrow, default)]
    thinking: Cow<'a, str>,
    #[serde(borrow, default)]
    signature: Cow<'a, str>,
    #[serde(borrow, default)]
    partial_json: Cow<'a, str>,
}

/// Decoder of one reply.
pub(super) struct Messages {
    source: String,
    blocks: Vec<(u64, Building)>,
    usage: Usage,
    stop: Option<String>,
    ended: bool,
}

impl Messages {
    /// A decoder; `source` is `provider/model` and marks the reasoning.
    pub(super) fn new(source: String) -> Self {
        Self { source, blocks: Vec::new(), usage: Usage::default(), stop: None, ended: false }
    }

    /// The reply, once the stream is complete.
    pub(super) fn reply(self) -> Reply {
        let stop = match self.stop.as_deref() {
            Some("max_tokens" | "model_context_window_exceeded") => Stop::OutputLimit,
            Some("refusal") => Stop::Refusal,
            Some(_) | None => Stop::End,
        };
        let (mut maker, last) = (CallMaker::default(), self.blocks.len().saturating_sub(1));
        let source = self.source;
        let blocks = self.blocks.into_iter().enumerate().filter_map(|(at, (_, block))| match block {
            Building::Text(text) => Some(AssistantBlock::Text { text }).filter(|b| !matches!(b, AssistantBlock::Text { text } if text.trim().is_empty())),
            Building::Thinking { text, signature } if text.is_empty() && signature.is_empty() => None,
            Building::Thinking { text, signature } => {
                Some(AssistantBlock::Thinking { text, signature: Some(signature).filter(|s| !s.is_empty()), source: source.clone() })
            }
            Building::Redacted(data) => Some(AssistantBlock::RedactedThinking { data, source: source.clone() }),
            Building::Call { id, name, json, whole } => {
                let arguments = if json.trim().is_empty() { &whole } else { &json };
                Some(AssistantBlock::ToolUse(maker.make(id, name, arguments, at == last && stop == Stop::OutputLimit)))
            }
            Building::Unknown => None,
        });
        Reply { message: AssistantMessage { blocks: blocks.collect() }, stop, usage: self.usage }
    }

    fn block(&mut self, index: u64) -> Option<&mut Building> {
        self.blocks.iter_mut().rev().find(|(i, _)| *i == index).map(|(_, b)| b)
    }

    fn open(&mut self, index: u64, block: Building) {
        if self.blocks.len() < MAX_BLOCKS {
            self.blocks.push((index, block));
        }
    }

    fn start(&mut self, index: u64, block: &Value, out: &mut Emitter<'_>) {
        let get = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let new = match block.get("type").and_then(Value::as_str).unwrap_or_default() {
            "text" => {
                out.text(&get("text"));
                Building::Text(get("text"))
            }
            "thinking" => {
                out.thinking(&get("thinking"));
                Building::Thinking { text: get("thinking"), signature: get("signature") }
            }
            "redacted_thinking" => Building::Redacted(get("data")),
            "tool_use" => {
                let whole = block.get("input").filter(|i| i.as_object().is_some_and(|o| !o.is_empty())).map(Value::to_string).unwrap_or_default();
                Building::Call { id: get("id"), name: get("name"), json: String::new(), whole }
            }
            _ => Building::Unknown,
        };
        self.open(index, new);
    }

    fn delta(&mut self, index: u64, piece: &Piece<'_>, out: &mut Emitter<'_>) {
        if self.block(index).is_none() {
            // Some servers leave out the start of a block.
            match piece.kind.as_ref() {
                "text_delta" => self.open(index, Building::Text(String::new())),
                "thinking_delta" => self.open(index, Building::Thinking { text: String::new(), signature: String::new() }),
                _ => return,
            }
        }
        match (self.block(index), piece.kind.as_ref()) {
            (Some(Building::Text(text)), "text_delta") => {
                text.push_str(&piece.text);
                out.text(&piece.text);
            }
            (Some(Building::Thinking { text, .. }), "thinking_delta") => {
                text.push_str(&piece.thinking);
                out.thinking(&piece.thinking);
            }
            (Some(Building::Thinking { signature, .. }), "signature_delta") => signature.push_str(&piece.signature),
            (Some(Building::Call { json, .. }), "input_json_delta") => json.push_str(&piece.partial_json),
            (Some(_) | None, _) => {}
        }
    }

    /// Counts come at the start and, cumulative, at the end; a zero never replaces a number.
    fn count(&mut self, usage: Option<&Value>) {
        let Some(usage) = usage else { return };
        let slots = [
            ("input_tokens", &mut self.usage.input),
            ("output_tokens", &mut self.usage.output),
            ("cache_read_input_tokens", &mut self.usage.cache_read),
            ("cache_creation_input_tokens", &mut self.usage.cache_write),
        ];
        for (key, slot) in slots {
            if let Some(n) = usage.get(key).and_then(Value::as_u64).filter(|n| *n > 0) {
                *slot = n;
            }
        }
    }

    fn other(&mut self, event: &Value, name: &str, out: &mut Emitter<'_>) -> Result<Flow, Fault> {
        let index = event.get("index").and_then(Value::as_u64).unwrap_or_default();
        match event.get("type").and_then(Value::as_str).unwrap_or(name) {
            "message_start" => self.count(event.pointer("/message/usage")),
            "content_block_start" => {
                if let Some(block) = event.get("content_block") {
                    self.start(index, block, out);
                }
            }
            "content_block_delta" => {
                let get = |key: &str| Cow::Borrowed(event.pointer(&format!("/delta/{key}")).and_then(Value::as_str).unwrap_or_default());
                let piece =
                    Piece { kind: get("type"), text: get("text"), thinking: get("thinking"), signature: get("signature"), partial_json: get("partial_json") };
                self.delta(index, &piece, out);
            }
            "message_delta" => {
                self.count(event.get("usage"));
                if let Some(reason) = event.pointer("/delta/stop_reason").and_then(Value::as_str) {
                    self.stop = Some(reason.to_owned());
                }
            }
            "message_stop" => {
                self.ended = true;
                return Ok(Flow::Done);
            }
            "message" => self.whole(event, out),
            "error" => return Err(Fault::Reported(Words::from_value(event))),
            _ if name == "error" || event.get("error").is_some_and(|e| !e.is_null()) => return Err(Fault::Reported(Words::from_value(event))),
            _ => {}
        }
        Ok(Flow::Continue)
    }

    /// A server answered with the whole message instead of a stream.
    fn whole(&mut self, message: &Value, out: &mut Emitter<'_>) {
        self.count(message.get("usage"));
        for (index, block) in (0u64..).zip(message.get("content").and_then(Value::as_array).into_iter().flatten()) {
            self.start(index, block, out);
        }
        self.stop = message.get("stop_reason").and_then(Value::as_str).map(str::to_owned);
        self.ended = true;
    }
}

impl Decoder for Messages {
    fn event(&mut self, event: &SseEvent, out: &mut Emitter<'_>) -> Result<Flow, Fault> {
        if let Ok(fast) = serde_json::from_str::<DeltaEvent<'_>>(&event.data)
            && fast.kind == "content_block_delta"
        {
            self.delta(fast.index, &fast.delta, out);
            return Ok(Flow::Continue);
        }
        match serde_json::from_str::<Value>(&event.data) {
            Ok(value) => self.other(&value, &event.name, out),
            Err(_) if event.name == "error" => Err(Fault::Reported(Words::from_body(&event.data))),
            Err(e) if event.data.trim_start().starts_with('{') => Err(Fault::Unreadable(e.to_string())),
            Err(_) => Ok(Flow::Continue),
        }
    }

    fn complete(&self) -> bool {
        self.ended || self.stop.is_some()
    }
}
