//! What a failed request means (SPEC P5, C5): status, headers and body become a typed error with a hint.
//!
//! Must not: hide the provider's own words; show a key.

use super::date;
use crate::providers::{ErrorKind, ProviderError};
use crate::util::{text, time};
use reqwest::header::HeaderMap;
use serde_json::Value;
use std::error::Error;
use std::time::Duration;

/// Longest text taken from a provider, in characters.
const MAX_MESSAGE: usize = 1000;

/// How the vendors and local servers say that the conversation is larger than the window; lower case.
const OVERFLOW: [&str; 27] = [
    "context_length_exceeded",
    "context length exceeded",
    "model_context_window_exceeded",
    "exceed_context_size",
    "context_window_exceeded",
    "prompt is too long",
    "prompt too long",
    "input is too long",
    "input too long",
    "maximum context length",
    "max context length",
    "exceeds the context window",
    "exceed the context window",
    "exceeds the model's context",
    "exceed context limit",
    "context window exceeds limit",
    "available context size",
    "greater than the context length",
    "larger than the context length",
    "longer than the model's context length",
    "exceeds the maximum number of tokens allowed",
    "maximum prompt length is",
    "reduce the length of the messages",
    "exceeded model token limit",
    "range of input length should be",
    "request_too_large",
    "too many tokens in the prompt",
];

/// What the texts of an error speak about.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// The provider's name.
    pub provider: &'a str,
    /// The model asked for.
    pub model: &'a str,
    /// The variable that holds the key; empty when none is needed.
    pub key_env: &'a str,
    /// Values that must never be shown.
    pub secrets: &'a [String],
}

/// The parts of an error body, whatever its shape.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Words {
    /// `type`, `code` and `status` words, joined by spaces.
    pub class: String,
    /// A numeric `code` or `status`.
    pub status: Option<u16>,
    /// The message.
    pub message: String,
}

impl Words {
    /// Read an error body, or the `error` of a stream event.
    #[must_use]
    pub fn from_body(body: &str) -> Self {
        serde_json::from_str::<Value>(body).map_or_else(|_| Self { message: text::one_line(body, 300), ..Self::default() }, |v| Self::from_value(&v))
    }

    /// Read an error object in any of the known shapes.
    #[must_use]
    pub fn from_value(value: &Value) -> Self {
        let value = value.as_array().and_then(|list| list.first()).unwrap_or(value);
        let inner = value.get("error").filter(|e| !e.is_null()).unwrap_or(value);
        let mut words = Self::default();
        for key in ["type", "code", "status"] {
            match inner.get(key) {
                Some(Value::String(s)) if s != "error" => words.class = if words.class.is_empty() { s.clone() } else { format!("{} {s}", words.class) },
                Some(Value::Number(n)) => words.status = n.as_u64().and_then(|n| u16::try_from(n).ok()).or(words.status),
                Some(_) | None => {}
            }
        }
        let said = ["message", "detail", "error", "msg"].iter().find_map(|k| inner.get(k)).unwrap_or(inner);
        words.message = said.as_str().map_or_else(|| said.to_string(), str::to_owned);
        // A gateway wraps what the service behind it said.
        if let Some(raw) = inner.pointer("/metadata/raw").and_then(Value::as_str) {
            words.message = format!("{}: {raw}", words.message);
        }
        words.message = text::head(words.message.trim(), MAX_MESSAGE).to_owned();
        words
    }

    fn lower(&self) -> String {
        format!("{} {}", self.class, self.message).to_lowercase()
    }
}

/// The error of a reply with a status that is no success.
#[must_use]
pub fn refused(about: About<'_>, status: u16, headers: &HeaderMap, body: &str) -> ProviderError {
    let words = Words::from_body(body);
    let kind = by_status(status, &words);
    let class = if words.class.is_empty() { String::new() } else { format!(" {}", words.class) };
    let mut said = if words.message.is_empty() { String::new() } else { format!(": {}", words.message) };
    if let Some(to) = headers.get("location").and_then(|v| v.to_str().ok()).filter(|_| (300..400).contains(&status)) {
        said = format!(": redirected to {}", text::head(to, 200));
    }
    error(about, kind, &format!("{} answered {status}{class}{said}", about.provider), wait(headers))
}

/// The error that came as an event of a stream which had begun well (A10).
#[must_use]
pub fn in_stream(about: About<'_>, words: &Words) -> ProviderError {
    let class = words.class.to_lowercase();
    let has = |list: &[&str]| list.iter().any(|w| class.contains(w));
    let kind = if is_overflow(words) {
        ErrorKind::ContextOverflow
    } else if has(&["overloaded", "unavailable"]) {
        ErrorKind::Overloaded
    } else if has(&["insufficient_quota", "billing", "invalid_request"]) {
        ErrorKind::InvalidRequest
    } else if has(&["rate_limit", "resource_exhausted", "too_many_requests"]) {
        ErrorKind::RateLimit
    } else if has(&["authentication", "permission", "unauthorized"]) {
        ErrorKind::Authentication
    } else if has(&["not_found"]) {
        ErrorKind::NotFound
    } else if let Some(status) = words.status.filter(|s| (400..600).contains(s)) {
        by_status(status, words)
    } else {
        ErrorKind::Server
    };
    let class = if words.class.is_empty() { "an error".to_owned() } else { words.class.clone() };
    error(about, kind, &format!("{} reported {class} in the stream: {}", about.provider, words.message), None)
}

/// An error of our own making about this provider.
#[must_use]
pub fn error(about: About<'_>, kind: ErrorKind, message: &str, retry_after: Option<Duration>) -> ProviderError {
    let mut message = message.to_owned();
    for secret in about.secrets.iter().filter(|s| s.len() >= 8) {
        message = message.replace(secret.as_str(), "[key]");
    }
    ProviderError { kind, hint: hint(about, kind, &message), message, retry_after }
}

fn hint(about: About<'_>, kind: ErrorKind, message: &str) -> String {
    let lower = message.to_lowercase();
    match kind {
        ErrorKind::Authentication if about.key_env.is_empty() => "the server refuses access: check its address and whether it wants a key".to_owned(),
        ErrorKind::Authentication => format!("set {} to a valid key", about.key_env),
        ErrorKind::NotFound => format!("check --model ({}) and --base-url", about.model),
        ErrorKind::InvalidRequest if ["credit", "billing", "quota", "insufficient balance"].iter().any(|w| lower.contains(w)) => {
            "check the account's credit and limits at the provider".to_owned()
        }
        ErrorKind::InvalidRequest if lower.contains("/v1/responses") => {
            "this model takes tools only over another interface: choose another one with --model".to_owned()
        }
        ErrorKind::InvalidRequest => "the provider refuses this request; another model (--model) or a new session may help".to_owned(),
        ErrorKind::ContextOverflow => "/compact shortens the conversation, /new starts another one".to_owned(),
        ErrorKind::RateLimit | ErrorKind::Overloaded | ErrorKind::Server => "try again later, or choose another model with --model".to_owned(),
        ErrorKind::Network => "check the network, the proxy and --base-url".to_owned(),
        ErrorKind::Stream => "send it again".to_owned(),
        ErrorKind::Idle => "send it again, or raise idle_timeout_seconds in the configuration".to_owned(),
        ErrorKind::Script => String::new(),
    }
}

fn by_status(status: u16, words: &Words) -> ErrorKind {
    // Rate limits speak of tokens too; only refusals of the request itself can be an overflow.
    if matches!(status, 400 | 413 | 422 | 500) && (status == 413 || is_overflow(words)) {
        return ErrorKind::ContextOverflow;
    }
    match status {
        401 | 403 => ErrorKind::Authentication,
        404 => ErrorKind::NotFound,
        // Out of money does not get better by waiting.
        429 if words.lower().contains("insufficient_quota") => ErrorKind::InvalidRequest,
        429 => ErrorKind::RateLimit,
        503 | 529 => ErrorKind::Overloaded,
        408 | 500.. if words.class.contains("overloaded") => ErrorKind::Overloaded,
        408 | 500.. => ErrorKind::Server,
        _ if words.class.contains("overloaded") => ErrorKind::Overloaded,
        _ => ErrorKind::InvalidRequest,
    }
}

fn is_overflow(words: &Words) -> bool {
    let lower = words.lower();
    OVERFLOW.iter().any(|p| lower.contains(p)) || lower.contains("too large for model with") && lower.contains("context")
}

fn wait(headers: &HeaderMap) -> Option<Duration> {
    let get = |name: &str| headers.get(name).and_then(|v| v.to_str().ok());
    let ms = get("retry-after-ms").and_then(|v| v.trim().parse::<f64>().ok()).and_then(|ms| Duration::try_from_secs_f64(ms / 1000.0).ok());
    ms.or_else(|| date::retry_after(get("retry-after")?, time::now_ms()))
}

/// An error with what caused it, innermost last; addresses are left out because they may hold secrets.
#[must_use]
pub fn causes(error: &dyn Error) -> String {
    let mut parts = vec![error.to_string()];
    let mut next = error.source();
    while let Some(e) = next {
        let said = e.to_string();
        if parts.last().is_none_or(|last| !last.contains(&said)) {
            parts.push(said);
        }
        next = e.source();
    }
    text::one_line(&parts.join(": "), 400)
}
