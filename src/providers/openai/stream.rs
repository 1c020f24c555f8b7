//! Chunks of Chat Completions become a [`Reply`] (SPEC P4, P6, P8; cases A03 to A09).
//!
//! Must not: let the label of the end decide anything but the output limit and a refusal.

use super::assemble::Assembler;
use crate::protocol::{AssistantBlock, AssistantMessage, Usage};
use crate::providers::calls::CallMaker;
use crate::providers::http::errors::Words;
use crate::providers::http::{Decoder, Emitter, Fault, Flow};
use crate::providers::sse::SseEvent;
use crate::providers::{Reply, Stop};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::borrow::Cow;

/// The hot path: a chunk with nothing but a piece of text, read without a tree.
#[derive(Deserialize)]
struct TextChunk<'a> {
    #[serde(borrow)]
    choices: (TextChoice<'a>,),
    #[serde(default)]
    usage: Option<IgnoredAny>,
    #[serde(default)]
    error: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct TextChoice<'a> {
    #[serde(borrow)]
    delta: TextDelta<'a>,
    #[serde(default)]
    finish_reason: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TextDelta<'a> {
    #[serde(borrow)]
    content: Cow<'a, str>,
    #[serde(default, rename = "role")]
    _role: Option<IgnoredAny>,
}

/// Decoder of one reply.
pub(super) struct Completion {
    source: String,
    text: String,
    thinking: String,
    calls: Assembler,
    usage: Usage,
    finish: Option<String>,
    refused: bool,
    ended: bool,
}

impl Completion {
    /// A decoder; `source` is `provider/model` and marks the reasoning.
    pub(super) fn new(source: String) -> Self {
        let (text, thinking) = (String::new(), String::new());
        Self { source, text, thinking, calls: Assembler::default(), usage: Usage::default(), finish: None, refused: false, ended: false }
    }

    /// The reply, once the stream is complete.
    pub(super) fn reply(self) -> Reply {
        let stop = match self.finish.as_deref() {
            Some("length" | "max_tokens") => Stop::OutputLimit,
            Some("content_filter") => Stop::Refusal,
            Some(_) | None if self.refused => Stop::Refusal,
            Some(_) | None => Stop::End,
        };
        let mut blocks = Vec::new();
        if !self.thinking.is_empty() {
            blocks.push(AssistantBlock::Thinking { text: self.thinking, signature: None, source: self.source });
        }
        if !self.text.trim().is_empty() {
            blocks.push(AssistantBlock::Text { text: self.text });
        }
        let (mut maker, slots) = (CallMaker::default(), self.calls.finish());
        let last = slots.len().saturating_sub(1);
        for (at, slot) in slots.into_iter().enumerate() {
            let cut = at == last && stop == Stop::OutputLimit;
            blocks.push(AssistantBlock::ToolUse(maker.make(slot.id, slot.name, &slot.arguments, cut)));
        }
        Reply { message: AssistantMessage { blocks }, stop, usage: self.usage }
    }

    fn chunk(&mut self, chunk: &Value, name: &str, out: &mut Emitter<'_>) -> Result<Flow, Fault> {
        let failed = chunk.get("error").is_some_and(|e| !e.is_null()) || name == "error" || chunk.get("object").and_then(Value::as_str) == Some("error");
        if failed {
            return Err(Fault::Reported(Words::from_value(chunk)));
        }
        if let Some(usage) = chunk.get("usage").filter(|u| u.is_object()) {
            self.count(usage);
        }
        let Some(choice) = chunk.get("choices").and_then(Value::as_array).and_then(|c| c.first()) else { return Ok(Flow::Continue) };
        // A server that does not stream sends `message` instead.
        if let Some(delta) = choice.get("delta").or_else(|| choice.get("message")) {
            self.delta(delta, out);
        }
        match choice.get("finish_reason").and_then(Value::as_str).unwrap_or_default() {
            "" => {}
            "error" => return Err(Fault::Reported(Words { message: "the provider ended the reply with an error".to_owned(), ..Words::default() })),
            reason => self.finish = Some(reason.to_owned()),
        }
        Ok(Flow::Continue)
    }

    fn delta(&mut self, delta: &Value, out: &mut Emitter<'_>) {
        let reasoning = ["reasoning_content", "reasoning"].iter().find_map(|k| delta.get(k).and_then(Value::as_str).filter(|s| !s.is_empty()));
        if let Some(piece) = reasoning {
            self.thinking.push_str(piece);
            out.thinking(piece);
        }
        match delta.get("content") {
            Some(Value::String(piece)) => self.words(piece, out),
            Some(Value::Array(parts)) => parts.iter().for_each(|p| self.part(p, out)),
            Some(_) | None => {}
        }
        if let Some(piece) = delta.get("refusal").and_then(Value::as_str).filter(|s| !s.is_empty()) {
            self.refused = true;
            self.words(piece, out);
        }
        match delta.get("tool_calls") {
            Some(Value::Array(list)) => self.calls.push(list),
            Some(one @ Value::Object(_)) => self.calls.push(std::slice::from_ref(one)),
            Some(_) | None => {}
        }
    }

    /// Content in parts, as Mistral sends it.
    fn part(&mut self, part: &Value, out: &mut Emitter<'_>) {
        if let Some(text) = part.get("text").and_then(Value::as_str) {
            self.words(text, out);
        }
        for piece in part.get("thinking").and_then(Value::as_array).into_iter().flatten().filter_map(|p| p.get("text").and_then(Value::as_str)) {
            self.thinking.push_str(piece);
            out.thinking(piece);
        }
    }

    fn words(&mut self, piece: &str, out: &mut Emitter<'_>) {
        if !piece.is_empty() {
            self.text.push_str(piece);
            out.text(piece);
        }
    }

    fn count(&mut self, usage: &Value) {
        let get = |path: &str| usage.pointer(path).and_then(Value::as_u64);
        let all = get("/prompt_tokens").unwrap_or_default();
        let read = get("/prompt_tokens_details/cached_tokens").or_else(|| get("/prompt_cache_hit_tokens")).unwrap_or_default().min(all);
        let write = get("/prompt_tokens_details/cache_write_tokens").unwrap_or_default().min(all - read);
        let output = get("/completion_tokens").unwrap_or_default();
        let new = Usage { input: all - read - write, output, cache_read: read, cache_write: write };
        // Servers that count in every chunk count up; an empty count at the end is none.
        if new.total() > 0 {
            self.usage = new;
        }
    }
}

impl Decoder for Completion {
    fn event(&mut self, event: &SseEvent, out: &mut Emitter<'_>) -> Result<Flow, Fault> {
        if let Ok(TextChunk { choices: (TextChoice { delta, finish_reason: None },), usage: None, error: None }) = serde_json::from_str(&event.data) {
            self.words(&delta.content, out);
            return Ok(Flow::Continue);
        }
        if event.data.trim() == "[DONE]" {
            self.ended = true;
            return Ok(Flow::Done);
        }
        match serde_json::from_str::<Value>(&event.data) {
            // Gemini wraps its errors in a list.
            Ok(value) => self.chunk(value.as_array().and_then(|l| l.first()).unwrap_or(&value), &event.name, out),
            Err(_) if event.name == "error" => Err(Fault::Reported(Words::from_body(&event.data))),
            Err(e) if event.data.trim_start().starts_with('{') => Err(Fault::Unreadable(e.to_string())),
            Err(_) => Ok(Flow::Continue),
        }
    }

    fn complete(&self) -> bool {
        self.ended || self.finish.is_some()
    }
}
