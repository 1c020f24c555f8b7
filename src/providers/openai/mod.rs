//! OpenAI Chat Completions, streaming: OpenAI, OpenRouter, DeepSeek, vLLM, llama.cpp, Ollama, LM Studio, and Gemini's
//! compatible endpoint.
//!
//! Must not: retry, run tools, or send reasoning to a model that did not make it.

mod assemble;
mod body;
mod stream;
#[cfg(test)]
mod tests;

use super::http::Endpoint;
use super::{Provider, ProviderError, Reply, Request, Sink};
use futures_util::future::BoxFuture;
use std::collections::BTreeMap;
use std::time::Duration;

/// What is needed to reach a server.
#[derive(Clone, Debug)]
pub struct Settings<'a> {
    /// The provider's name.
    pub name: &'a str,
    /// Usually ends in `/v1`; `/chat/completions` is appended.
    pub base_url: &'a str,
    /// The key; none for servers that want none.
    pub key: Option<&'a str>,
    /// The variable that should hold the key, for hints.
    pub key_env: &'a str,
    /// More headers.
    pub headers: &'a BTreeMap<String, String>,
    /// The longest time without a real event.
    pub idle: Duration,
}

/// A server that speaks Chat Completions.
#[derive(Debug)]
pub struct OpenAi {
    endpoint: Endpoint,
    dialect: body::Dialect,
}

impl OpenAi {
    /// A provider; connects to nothing yet.
    ///
    /// # Errors
    /// When the address or a header cannot be used.
    pub fn new(settings: &Settings<'_>) -> Result<Self, ProviderError> {
        let base = settings.base_url.trim_end_matches('/');
        let url = format!("{}/chat/completions", base.strip_suffix("/chat/completions").unwrap_or(base));
        let secret: Vec<(&str, String)> = settings.key.iter().map(|key| ("authorization", format!("Bearer {key}"))).collect();
        let endpoint = Endpoint::new(settings.name, &url, settings.headers, &secret, settings.key_env, settings.idle)?;
        let dialect = body::Dialect::of_host(endpoint.host());
        Ok(Self { endpoint, dialect })
    }

    async fn reply(&self, request: &Request, sink: &Sink) -> Result<Reply, ProviderError> {
        let source = format!("{}/{}", self.endpoint.name(), request.model);
        let bytes = body::write(request, &source, self.dialect);
        let mut decoder = stream::Completion::new(source);
        self.endpoint.stream(&request.model, bytes, &mut decoder, sink).await?;
        Ok(decoder.reply())
    }
}

impl Provider for OpenAi {
    fn name(&self) -> &str {
        self.endpoint.name()
    }

    fn attempt<'a>(&'a self, request: &'a Request, sink: &'a Sink) -> BoxFuture<'a, Result<Reply, ProviderError>> {
        Box::pin(self.reply(request, sink))
    }
}
