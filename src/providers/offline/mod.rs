//! The `offline` provider (SPEC P9): an honest default without key, network or language model. A rule-based explorer
//! that sends real children, who search with the real tools; so everything that it does can be watched and checked.
//!
//! Each reply is a pure function of the request. Must not: touch the file system, keep state between requests, or
//! pretend to be a model.

pub mod child;
pub mod explore;
pub mod lines;
pub mod needle;
pub mod parent;
pub mod rank;
pub mod report;
pub mod terms;
#[cfg(test)]
mod tests;
pub mod view;
pub mod words;

use super::script::play;
use super::{Provider, ProviderError, Reply, Request, Sink, Stop};
use crate::protocol::{AgentId, AssistantBlock, AssistantMessage, CallId, Message, ToolCall};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;
use view::{Plan, View};

/// The embedded explorer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Offline;

impl Provider for Offline {
    fn name(&self) -> &'static str {
        "offline"
    }

    fn attempt<'a>(&'a self, request: &'a Request, sink: &'a Sink) -> BoxFuture<'a, Result<Reply, ProviderError>> {
        async move {
            let message = answer(request);
            play::stream("", &message.text(), Duration::ZERO, sink).await;
            let usage = play::estimate(request, &message.blocks);
            Ok(Reply { message, stop: Stop::End, usage })
        }
        .boxed()
    }
}

/// The reply to a request: the same for the same request.
#[must_use]
pub fn answer(request: &Request) -> AssistantMessage {
    let view = View::new(request);
    let plan = if request.agent.id.is_main() { parent::reply(&view) } else { child::reply(&view) };
    message(plan, request.agent.id, &request.messages)
}

fn message(plan: Plan, agent: AgentId, messages: &[Arc<Message>]) -> AssistantMessage {
    let prefix = format!("call_{agent}_");
    let number = |m: &Arc<Message>| match m.as_ref() {
        Message::Assistant(a) => a.calls().filter_map(|c| c.id.0.strip_prefix(&prefix)?.parse::<u64>().ok()).max(),
        Message::User(_) => None,
    };
    let used = messages.iter().filter_map(number).max().unwrap_or(0);
    let mut blocks = Vec::new();
    if !plan.text.trim().is_empty() {
        blocks.push(AssistantBlock::Text { text: plan.text });
    }
    for ((name, input), n) in plan.calls.into_iter().zip(used.saturating_add(1)..) {
        blocks.push(AssistantBlock::ToolUse(ToolCall { id: CallId(format!("{prefix}{n}")), name: name.into(), input, fault: None }));
    }
    AssistantMessage { blocks }
}
