//! One streamed request: send, read events, feed a decoder, with the idle limit (SPEC P5; cases A09 to A11).
//!
//! Must not: know a wire format (that is the decoder's), retry.

use super::errors::{self, About, Words};
use super::{client_for, is_local};
use crate::providers::sse::{SseEvent, SseParser};
use crate::providers::{ErrorKind, ProviderError, Sink, StreamEvent};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Response, Url};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};

/// Bytes of one stream at most.
const MAX_STREAM: usize = 512 * 1024 * 1024;
/// Bytes of an error body that are read.
const MAX_ERROR: usize = 64 * 1024;
/// Bytes of a reply that came whole, as JSON.
const MAX_WHOLE: usize = 32 * 1024 * 1024;
/// How long the rest (usage, end mark) is waited for once the reason of the end is known.
const GRACE: Duration = Duration::from_secs(5);
/// How long the end of an already complete body is waited for, so that the connection can be used again.
const DRAIN: Duration = Duration::from_secs(2);

/// What a decoder says about the stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// More is expected.
    Continue,
    /// The end mark came; nothing after it matters.
    Done,
}

/// Why a decoder gave up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The provider reports an error inside the stream.
    Reported(Words),
    /// An event cannot be read.
    Unreadable(String),
}

/// Reads one wire format.
pub trait Decoder: Send {
    /// One event. Must not panic on any input.
    ///
    /// # Errors
    /// When the provider reports an error, or the event is broken.
    fn event(&mut self, event: &SseEvent, out: &mut Emitter<'_>) -> Result<Flow, Fault>;

    /// Whether a stream that ends here is a whole reply.
    fn complete(&self) -> bool;
}

/// Passes pieces on, merged to one event per network read: a fast stream costs a few events, a slow one has no delay.
pub struct Emitter<'a> {
    sink: &'a Sink,
    text: String,
    thinking: String,
}

impl<'a> Emitter<'a> {
    /// An emitter into a sink.
    pub fn new(sink: &'a Sink) -> Self {
        Self { sink, text: String::new(), thinking: String::new() }
    }

    /// A piece of text.
    pub fn text(&mut self, piece: &str) {
        if !self.thinking.is_empty() {
            self.flush();
        }
        self.text.push_str(piece);
    }

    /// A piece of reasoning.
    pub fn thinking(&mut self, piece: &str) {
        if !self.text.is_empty() {
            self.flush();
        }
        self.thinking.push_str(piece);
    }

    /// Send what is held.
    pub fn flush(&mut self) {
        if !self.thinking.is_empty() {
            (self.sink)(StreamEvent::Thinking(std::mem::take(&mut self.thinking)));
        }
        if !self.text.is_empty() {
            (self.sink)(StreamEvent::Text(std::mem::take(&mut self.text)));
        }
    }
}

/// Where requests of one provider go.
pub struct Endpoint {
    name: String,
    url: Url,
    headers: HeaderMap,
    key_env: String,
    secrets: Vec<String>,
    idle: Duration,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("name", &self.name).field("host", &self.url.host_str()).finish_non_exhaustive()
    }
}

impl Endpoint {
    /// An endpoint that sends `headers`; values of `secret` ones are marked sensitive and never shown.
    ///
    /// # Errors
    /// When the address or a header cannot be used.
    pub fn new(
        name: &str,
        url: &str,
        headers: &BTreeMap<String, String>,
        secret: &[(&str, String)],
        key_env: &str,
        idle: Duration,
    ) -> Result<Self, ProviderError> {
        let bad = |message: String, hint: &str| ProviderError { kind: ErrorKind::InvalidRequest, message, hint: hint.to_owned(), retry_after: None };
        let url = Url::parse(url).ok().filter(|u| matches!(u.scheme(), "http" | "https") && u.host_str().is_some());
        let url = url.ok_or_else(|| bad(format!("the base_url of {name} is no http address"), "check --base-url; it looks like https://host/v1"))?;
        let mut map = HeaderMap::new();
        map.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        map.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        let plain = headers.iter().map(|(k, v)| (k.as_str(), v, true));
        for (key, value, own) in plain.chain(secret.iter().map(|(k, v)| (*k, v, false))) {
            let header = HeaderName::from_bytes(key.as_bytes()).ok().zip(HeaderValue::from_str(value).ok());
            let (key, mut value) = header.ok_or_else(|| {
                let what = if own { format!("the header {key:?} of {name}") } else { format!("the key of {name}") };
                bad(
                    format!("{what} has characters that HTTP does not allow"),
                    if own { "check the provider's headers in the configuration" } else { "check the key for line breaks and quotes" },
                )
            })?;
            // Own headers often hold a key as well.
            value.set_sensitive(true);
            map.insert(key, value);
        }
        let secrets = secret.iter().map(|(_, v)| v.strip_prefix("Bearer ").unwrap_or(v).to_owned()).chain(headers.values().cloned()).collect();
        Ok(Self { name: name.to_owned(), url, headers: map, key_env: key_env.to_owned(), secrets, idle })
    }

    /// The provider's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The host of the address.
    pub fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// Send `body` and feed the reply's events to `decoder`. Dropping the future closes the connection.
    ///
    /// # Errors
    /// Typed; after `Ok` the decoder holds a whole reply.
    pub async fn stream<D: Decoder>(&self, model: &str, body: Vec<u8>, decoder: &mut D, sink: &Sink) -> Result<(), ProviderError> {
        let about = About { provider: &self.name, model, key_env: &self.key_env, secrets: &self.secrets };
        let request = client_for(&self.url)?.post(self.url.clone()).headers(self.headers.clone()).body(body).send();
        let sent = timeout(self.idle, request).await.map_err(|_| self.idle_error(about))?;
        let response = sent.map_err(|e| self.unreachable(about, &e))?;
        let status = response.status();
        if !status.is_success() {
            let headers = response.headers().clone();
            let body = timeout(Duration::from_secs(10), whole(response, MAX_ERROR)).await.unwrap_or_default();
            return Err(errors::refused(about, status.as_u16(), &headers, &String::from_utf8_lossy(&body)));
        }
        let mut run = Run { about, decoder, out: Emitter::new(sink), parser: SseParser::new(), events: Vec::new() };
        let json = response.headers().get(CONTENT_TYPE).and_then(|v| v.to_str().ok()).is_some_and(|t| t.starts_with("application/json"));
        let result = if json { self.read_whole(&mut run, response).await } else { self.read(&mut run, response).await };
        run.out.flush();
        result
    }

    async fn read<D: Decoder>(&self, run: &mut Run<'_, D>, mut response: Response) -> Result<(), ProviderError> {
        let (mut deadline, mut received) = (Instant::now() + self.idle, 0usize);
        loop {
            let limit = if run.decoder.complete() { deadline.min(Instant::now() + GRACE) } else { deadline };
            let bytes = match timeout_at(limit, response.chunk()).await {
                Ok(Ok(Some(bytes))) => bytes,
                Ok(Ok(None)) => return run.finish(),
                // The reason of the end is known: what is missing is only the end mark.
                Ok(Err(_)) | Err(_) if run.decoder.complete() => return Ok(()),
                Ok(Err(e)) => {
                    return Err(errors::error(
                        run.about,
                        ErrorKind::Stream,
                        &format!("the stream of {} broke: {}", self.name, errors::causes(&e.without_url())),
                        None,
                    ));
                }
                Err(_) => return Err(self.idle_error(run.about)),
            };
            received = received.saturating_add(bytes.len());
            if received > MAX_STREAM {
                return Err(errors::error(run.about, ErrorKind::Stream, &format!("{} sent more than {} MiB", self.name, MAX_STREAM / 1024 / 1024), None));
            }
            let (flow, real) = run.push(&bytes)?;
            if real {
                deadline = Instant::now() + self.idle;
            }
            if flow == Flow::Done {
                // The last bytes of the body are usually on their way; reading them saves the connection.
                tokio::spawn(timeout(DRAIN, whole(response, MAX_ERROR)));
                return Ok(());
            }
        }
    }

    /// Some servers answer a streaming request with one JSON document.
    async fn read_whole<D: Decoder>(&self, run: &mut Run<'_, D>, response: Response) -> Result<(), ProviderError> {
        let body = timeout(self.idle, whole(response, MAX_WHOLE)).await.map_err(|_| self.idle_error(run.about))?;
        let event = SseEvent { name: String::new(), data: String::from_utf8_lossy(&body).into_owned() };
        run.events.push(event);
        run.feed()?;
        run.finish()
    }

    fn idle_error(&self, about: About<'_>) -> ProviderError {
        let limit = self.idle.as_secs_f64();
        errors::error(about, ErrorKind::Idle, &format!("{} sent nothing but keep-alives for {limit} s", self.name), None)
    }

    fn unreachable(&self, about: About<'_>, e: &reqwest::Error) -> ProviderError {
        let place = format!("{}:{}", self.host(), self.url.port_or_known_default().unwrap_or_default());
        // The outermost words only repeat the address.
        let why = std::error::Error::source(e).map_or_else(|| e.to_string(), errors::causes);
        let kind = if e.is_builder() { ErrorKind::InvalidRequest } else { ErrorKind::Network };
        let mut error = errors::error(about, kind, &format!("cannot reach {} at {place}: {why}", self.name), None);
        if is_local(&self.url) {
            error.hint = format!("is the server running? Start it, or check --base-url ({place})");
        }
        error
    }
}

struct Run<'a, D> {
    about: About<'a>,
    decoder: &'a mut D,
    out: Emitter<'a>,
    parser: SseParser,
    events: Vec<SseEvent>,
}

impl<D: Decoder> Run<'_, D> {
    /// Whether the stream is done, and whether anything but keep-alives came.
    fn push(&mut self, bytes: &[u8]) -> Result<(Flow, bool), ProviderError> {
        self.parser.push(bytes, &mut self.events).map_err(|e| errors::error(self.about, ErrorKind::Stream, &format!("{}: {e}", self.about.provider), None))?;
        let real = self.events.iter().any(|e| !e.is_ping());
        let flow = self.feed()?;
        self.out.flush();
        Ok((flow, real))
    }

    fn feed(&mut self) -> Result<Flow, ProviderError> {
        for event in std::mem::take(&mut self.events) {
            if event.is_ping() {
                continue;
            }
            match self.decoder.event(&event, &mut self.out) {
                Ok(Flow::Continue) => {}
                Ok(Flow::Done) => return Ok(Flow::Done),
                Err(Fault::Reported(words)) => return Err(errors::in_stream(self.about, &words)),
                Err(Fault::Unreadable(why)) => {
                    return Err(errors::error(
                        self.about,
                        ErrorKind::Stream,
                        &format!("{} sent an event that cannot be read: {why}", self.about.provider),
                        None,
                    ));
                }
            }
        }
        Ok(Flow::Continue)
    }

    /// The connection was closed.
    fn finish(&mut self) -> Result<(), ProviderError> {
        self.parser.finish(&mut self.events);
        let last = self.feed();
        match last {
            // Half an event at the end is the same as none.
            Err(e) if e.kind != ErrorKind::Stream => Err(e),
            Ok(Flow::Done) => Ok(()),
            Ok(Flow::Continue) | Err(_) if self.decoder.complete() => Ok(()),
            Ok(Flow::Continue) | Err(_) => {
                Err(errors::error(self.about, ErrorKind::Stream, &format!("the stream of {} ended before the reply was complete", self.about.provider), None))
            }
        }
    }
}

/// A body up to a limit; what cannot be read is left out.
async fn whole(mut response: Response, max: usize) -> Vec<u8> {
    let mut body = Vec::new();
    while let Ok(Some(bytes)) = response.chunk().await {
        let room = max.saturating_sub(body.len());
        body.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if body.len() >= max {
            break;
        }
    }
    body
}
