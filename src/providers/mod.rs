//! Model providers behind one trait. A provider turns a [`Request`] into a streamed [`Reply`].
//!
//! Must not: know tools, permissions, the engine or the interface; retry a request after a tool ran on its behalf
//! (it never runs one); keep a key anywhere but in the request's headers.

pub mod anthropic;
pub mod calls;
pub mod catalog;
pub mod http;
pub mod offline;
pub mod openai;
pub mod resolve;
pub mod retry;
pub mod script;
pub mod sse;
#[cfg(test)]
pub(crate) mod testserver;

use crate::protocol::{AgentId, AssistantMessage, Message, ToolSpec, Usage};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;

/// One model call. Everything that is large is shared.
#[derive(Clone, Debug)]
pub struct Request {
    /// Who asks; the `script` provider plays by the description.
    pub agent: AgentLabel,
    /// The model's name.
    pub model: String,
    /// System blocks, byte-stable for the session (SPEC P7). The last one gets the cache mark.
    pub system: Arc<Vec<String>>,
    /// Sorted by name in byte order; empty means that no tools are offered.
    pub tools: Arc<Vec<ToolSpec>>,
    /// A legal conversation that ends with a user message.
    pub messages: Vec<Arc<Message>>,
    /// Output tokens at most.
    pub max_output: u32,
    /// How much to think; `low` for explorers.
    pub effort: Option<String>,
}

/// Who makes a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentLabel {
    /// The agent.
    pub id: AgentId,
    /// Its description; empty for `main`.
    pub description: String,
    /// Its type; empty for `main`.
    pub kind: String,
}

/// What comes while a reply streams.
#[derive(Clone, PartialEq, Debug)]
pub enum StreamEvent {
    /// A piece of visible text.
    Text(String),
    /// A piece of reasoning.
    Thinking(String),
    /// What came of this request so far is void: it is asked again.
    Reset,
    /// The request failed and will be tried again after a wait.
    Retrying {
        /// The coming try, from 2.
        attempt: u32,
        /// Tries at most.
        max: u32,
        /// The wait.
        wait: Duration,
        /// Why.
        reason: String,
    },
}

/// Takes stream events; must not block. Called in order.
pub type Sink = Arc<dyn Fn(StreamEvent) + Send + Sync>;

/// Why a reply ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// By itself, with or without calls.
    End,
    /// At the output limit (SPEC L8).
    OutputLimit,
    /// The model refused.
    Refusal,
}

/// A complete reply. Calls have ids that are unique within the reply; the engine makes them unique in the history.
#[derive(Clone, PartialEq, Debug)]
pub struct Reply {
    /// Blocks in order; no empty text. May be empty as a whole.
    pub message: AssistantMessage,
    /// Why it ended.
    pub stop: Stop,
    /// What it cost.
    pub usage: Usage,
}

/// The classes of failure (SPEC P5).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// 401, 403.
    Authentication,
    /// 404: no such model or address.
    NotFound,
    /// 400 and other refusals of the request itself.
    InvalidRequest,
    /// The conversation is larger than the window (SPEC C5).
    ContextOverflow,
    /// 429.
    RateLimit,
    /// 529, 503, `overloaded_error`.
    Overloaded,
    /// Other 5xx.
    Server,
    /// No connection.
    Network,
    /// The stream ended without its end, or cannot be read.
    Stream,
    /// Nothing but pings for too long.
    Idle,
    /// A script ran out of lines or has an error.
    Script,
}

impl ErrorKind {
    /// The word used in JSON and events.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Authentication => "authentication",
            Self::NotFound => "not_found",
            Self::InvalidRequest => "invalid_request",
            Self::ContextOverflow => "context_overflow",
            Self::RateLimit => "rate_limit",
            Self::Overloaded => "overloaded",
            Self::Server => "server",
            Self::Network => "network",
            Self::Stream => "stream",
            Self::Idle => "idle",
            Self::Script => "script",
        }
    }

    /// Whether another try can help.
    #[must_use]
    pub const fn retryable(self) -> bool {
        matches!(self, Self::RateLimit | Self::Overloaded | Self::Server | Self::Network | Self::Stream | Self::Idle)
    }
}

/// A failed request.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct ProviderError {
    /// The class.
    pub kind: ErrorKind,
    /// What happened, with the provider's own words. Never a key.
    pub message: String,
    /// What to do; may be empty.
    pub hint: String,
    /// The wait that the provider asked for.
    pub retry_after: Option<Duration>,
}

/// A source of replies. One value serves all agents of a session at the same time (one connection pool).
pub trait Provider: Send + Sync {
    /// The name shown to the person: `anthropic`, `openai`, `script`, `offline`, or an own name.
    fn name(&self) -> &str;

    /// One try, without retries. Dropping the future cancels the request at once.
    /// Must not panic; errors are typed. Sends [`StreamEvent::Text`] and [`StreamEvent::Thinking`] as they come.
    fn attempt<'a>(&'a self, request: &'a Request, sink: &'a Sink) -> BoxFuture<'a, Result<Reply, ProviderError>>;
}
