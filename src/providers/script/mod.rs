//! The `script` provider: plays a file instead of asking a model (SPEC P10). For tours, tests and repeatable runs.
//!
//! Must not: open a connection, or let a child see its parent's lines: each agent plays its own list from the start.

pub mod format;
pub mod play;
#[cfg(test)]
mod tests;

pub use format::{Script, Turn, load};

use crate::protocol::{AgentId, AssistantBlock, AssistantMessage, CallId, ToolCall};
use crate::providers::{AgentLabel, ErrorKind, Provider, ProviderError, Reply, Request, Sink, Stop};
use format::Fault;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How far one agent has come.
#[derive(Default)]
struct Cursor {
    lines: usize,
    calls: usize,
}

/// Plays a [`Script`]. One value serves a whole tree of agents.
pub struct ScriptProvider {
    script: Script,
    cursors: Mutex<HashMap<(AgentId, String), Cursor>>,
}

impl ScriptProvider {
    /// A player at the start of every list.
    #[must_use]
    pub fn new(script: Script) -> Self {
        Self { script, cursors: Mutex::default() }
    }

    /// The next line of an agent, and the number of its first call (from 1).
    fn next(&self, agent: &AgentLabel) -> Result<(Turn, usize), ProviderError> {
        let (list, who) = if agent.id.is_main() {
            (&self.script.main, "main".to_owned())
        } else {
            let known = || self.script.agents.keys().map(|k| format!("\"{k}\"")).collect::<Vec<_>>().join(", ");
            let list = self.script.agents.get(&agent.description).ok_or_else(|| {
                fail(format!(
                    "the script has no lines for {} \"{}\" (its descriptions: {})",
                    agent.id,
                    agent.description,
                    if self.script.agents.is_empty() { "none".into() } else { known() }
                ))
            })?;
            (list, format!("{} \"{}\"", agent.id, agent.description))
        };
        let mut cursors = self.cursors.lock().unwrap_or_else(PoisonError::into_inner);
        let cursor = cursors.entry((agent.id, agent.description.clone())).or_default();
        cursor.lines = cursor.lines.saturating_add(1);
        let turn = list.get(cursor.lines - 1).ok_or_else(|| fail(format!("the script has no more lines for {who} (it asked for line {})", cursor.lines)))?;
        let first = cursor.calls + 1;
        cursor.calls = cursor.calls.saturating_add(turn.tools.len());
        Ok((turn.clone(), first))
    }

    async fn play(&self, request: &Request, sink: &Sink) -> Result<Reply, ProviderError> {
        let (turn, first) = self.next(&request.agent)?;
        // The first half is the silence before a reply, the second half its streaming.
        let delay = Duration::from_millis(turn.delay_ms);
        let streaming = if turn.text.is_empty() && turn.thinking.is_empty() { Duration::ZERO } else { delay / 2 };
        if !delay.is_zero() {
            tokio::time::sleep(delay.saturating_sub(streaming)).await;
        }
        play::stream(&turn.thinking, &turn.text, streaming, sink).await;
        if let Some(fault) = &turn.error {
            return Err(classify(fault));
        }
        let mut blocks = Vec::new();
        if !turn.thinking.trim().is_empty() {
            blocks.push(AssistantBlock::Thinking { text: turn.thinking, signature: None, source: format!("script/{}", request.model) });
        }
        if !turn.text.trim().is_empty() {
            blocks.push(AssistantBlock::Text { text: turn.text });
        }
        for (n, call) in turn.tools.into_iter().enumerate() {
            let id = CallId(format!("call_{}_{}", request.agent.id, first + n));
            blocks.push(AssistantBlock::ToolUse(ToolCall { id, name: call.name, input: call.input, fault: None }));
        }
        let usage = turn.usage.unwrap_or_else(|| play::estimate(request, &blocks));
        Ok(Reply { message: AssistantMessage { blocks }, stop: Stop::End, usage })
    }
}

impl Provider for ScriptProvider {
    fn name(&self) -> &'static str {
        "script"
    }

    fn attempt<'a>(&'a self, request: &'a Request, sink: &'a Sink) -> BoxFuture<'a, Result<Reply, ProviderError>> {
        self.play(request, sink).boxed()
    }
}

fn fail(message: String) -> ProviderError {
    ProviderError { kind: ErrorKind::Script, message, hint: "Add lines to the script's file.".into(), retry_after: None }
}

/// The class of a scripted failure, as a real provider's answer would be read (SPEC P5, C5): its type first, then its status.
fn classify(fault: &Fault) -> ProviderError {
    let low = fault.message.to_lowercase();
    let overflow = ["prompt is too long", "context_length_exceeded", "context size", "context length", "context window"];
    let too_long = matches!(fault.status, Some(400 | 413)) && overflow.iter().any(|o| low.contains(o));
    let kind = match fault.kind.as_str() {
        "context_length_exceeded" | "context_overflow" => ErrorKind::ContextOverflow,
        "invalid_request_error" | "" if too_long => ErrorKind::ContextOverflow,
        "authentication_error" | "permission_error" => ErrorKind::Authentication,
        "not_found_error" => ErrorKind::NotFound,
        "invalid_request_error" => ErrorKind::InvalidRequest,
        "rate_limit_error" => ErrorKind::RateLimit,
        "overloaded_error" => ErrorKind::Overloaded,
        "network" => ErrorKind::Network,
        "stream" => ErrorKind::Stream,
        "idle" | "timeout_error" => ErrorKind::Idle,
        _ => by_status(fault.status),
    };
    let told = if fault.message.is_empty() { "the script's error" } else { &fault.message };
    let message = match (fault.status, fault.kind.as_str()) {
        (Some(status), "") => format!("{status}: {told}"),
        (Some(status), word) => format!("{status} {word}: {told}"),
        (None, "") => told.to_owned(),
        (None, word) => format!("{word}: {told}"),
    };
    ProviderError { kind, message, hint: String::new(), retry_after: None }
}

fn by_status(status: Option<u16>) -> ErrorKind {
    match status {
        Some(401 | 403) => ErrorKind::Authentication,
        Some(404) => ErrorKind::NotFound,
        Some(429) => ErrorKind::RateLimit,
        Some(503 | 529) => ErrorKind::Overloaded,
        Some(400..=499) => ErrorKind::InvalidRequest,
        Some(_) | None => ErrorKind::Server,
    }
}
