//! The Anthropic Messages API, streaming: Anthropic itself and servers that speak like it.
//!
//! Must not: retry, run tools, or send reasoning to a model that did not make it.

mod body;
mod stream;
#[cfg(test)]
mod tests;

use super::http::Endpoint;
use super::{Provider, ProviderError, Reply, Request, Sink};
use futures_util::future::BoxFuture;
use std::collections::BTreeMap;
use std::time::Duration;

/// The version of the interface that is spoken.
const VERSION: &str = "2023-06-01";

/// How a key is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Auth {
    /// As `x-api-key`.
    ApiKey,
    /// As `authorization: Bearer`.
    Bearer,
}

/// What is needed to reach a server.
#[derive(Clone, Debug)]
pub struct Settings<'a> {
    /// The provider's name.
    pub name: &'a str,
    /// With or without a closing `/` or `/v1`.
    pub base_url: &'a str,
    /// The key and how it is sent; none for servers that want none.
    pub key: Option<(Auth, &'a str)>,
    /// The variable that should hold the key, for hints.
    pub key_env: &'a str,
    /// More headers.
    pub headers: &'a BTreeMap<String, String>,
    /// The longest time without a real event.
    pub idle: Duration,
}

/// A server that speaks the Messages API.
#[derive(Debug)]
pub struct Anthropic {
    endpoint: Endpoint,
}

impl Anthropic {
    /// A provider; connects to nothing yet.
    ///
    /// # Errors
    /// When the address or a header cannot be used.
    pub fn new(settings: &Settings<'_>) -> Result<Self, ProviderError> {
        let base = settings.base_url.trim_end_matches('/');
        let base = base.strip_suffix("/messages").unwrap_or(base);
        let url = format!("{}/v1/messages", base.strip_suffix("/v1").unwrap_or(base));
        let secret: Vec<(&str, String)> = settings
            .key
            .iter()
            .map(|(auth, key)| match auth {
                Auth::ApiKey => ("x-api-key", (*key).to_owned()),
                Auth::Bearer => ("authorization", format!("Bearer {key}")),
            })
            .collect();
        let mut headers = settings.headers.clone();
        headers.entry("anthropic-version".to_owned()).or_insert_with(|| VERSION.to_owned());
        Ok(Self { endpoint: Endpoint::new(settings.name, &url, &headers, &secret, settings.key_env, settings.idle)? })
    }

    async fn reply(&self, request: &Request, sink: &Sink) -> Result<Reply, ProviderError> {
        let source = format!("{}/{}", self.endpoint.name(), request.model);
        let bytes = body::write(request, &source);
        let mut decoder = stream::Messages::new(source);
        self.endpoint.stream(&request.model, bytes, &mut decoder, sink).await?;
        Ok(decoder.reply())
    }
}

impl Provider for Anthropic {
    fn name(&self) -> &str {
        self.endpoint.name()
    }

    fn attempt<'a>(&'a self, request: &'a Request, sink: &'a Sink) -> BoxFuture<'a, Result<Reply, ProviderError>> {
        Box::pin(self.reply(request, sink))
    }
}
