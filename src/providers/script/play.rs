//! What providers without a network share: streaming in pieces, and an estimate of what a request would cost.
//!
//! Must not: decide what is said.

use crate::protocol::{AssistantBlock, Message, Usage, UserContent};
use crate::providers::{Request, Sink, StreamEvent};
use crate::util::tokens;
use std::time::Duration;

/// Characters of one streamed piece.
const PIECE: usize = 24;
/// Waits within one reply at most, so that long texts don't wait for the timer's resolution.
const WAITS: usize = 60;

/// A text in pieces of 24 characters.
pub fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.char_indices().nth(PIECE).map_or(rest.len(), |(at, _)| at);
        let (piece, more) = rest.split_at(end);
        rest = more;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Stream reasoning, then text, spread over `time` (none: at once).
pub async fn stream(thinking: &str, text: &str, time: Duration, sink: &Sink) {
    let events: Vec<StreamEvent> = pieces(thinking).map(|p| StreamEvent::Thinking(p.into())).chain(pieces(text).map(|p| StreamEvent::Text(p.into()))).collect();
    let every = events.len().div_ceil(WAITS).max(1);
    let waits = u32::try_from(events.len().div_ceil(every)).unwrap_or(u32::MAX).max(1);
    for (n, event) in events.into_iter().enumerate() {
        if !time.is_zero() && n % every == 0 {
            tokio::time::sleep(time / waits).await;
        }
        sink(event);
    }
}

/// Estimated tokens of a request and its reply.
#[must_use]
pub fn estimate(request: &Request, blocks: &[AssistantBlock]) -> Usage {
    let system: u64 = request.system.iter().map(|s| tokens::estimate(s)).sum();
    let tools: u64 = request.tools.iter().map(|t| tokens::estimate(&t.name) + tokens::estimate(&t.description) + tokens::estimate(&t.schema.to_string())).sum();
    let messages: u64 = request.messages.iter().map(|m| of_message(m)).sum();
    Usage { input: system + tools + messages, output: of_blocks(blocks), ..Usage::default() }
}

fn of_message(message: &Message) -> u64 {
    match message {
        Message::Assistant(m) => of_blocks(&m.blocks),
        Message::User(m) => {
            let results: u64 = m.results.iter().map(|r| tokens::estimate(&r.text)).sum();
            let content: u64 = m
                .content
                .iter()
                .map(|c| match c {
                    UserContent::Text { text, .. } => tokens::estimate(text),
                    UserContent::Image { .. } => 1_500,
                })
                .sum();
            results + content
        }
    }
}

fn of_blocks(blocks: &[AssistantBlock]) -> u64 {
    blocks
        .iter()
        .map(|b| match b {
            AssistantBlock::Text { text } | AssistantBlock::Thinking { text, .. } => tokens::estimate(text),
            AssistantBlock::RedactedThinking { data, .. } => tokens::estimate(data),
            AssistantBlock::ToolUse(call) => {
                tokens::estimate(&call.name) + call.input.iter().map(|(k, v)| tokens::estimate(k) + tokens::estimate(&v.to_string())).sum::<u64>()
            }
        })
        .sum()
}
