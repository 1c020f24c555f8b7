//! A server behind an address: streamable HTTP with the configured headers.

use reqwest::header::{HeaderName, HeaderValue};
use reqwest::{Client, StatusCode, Url, redirect};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Once;
use std::time::Duration;

/// How long making a connection may take.
const CONNECT: Duration = Duration::from_secs(15);
/// Redirects that are followed.
const MAX_REDIRECTS: usize = 5;

/// The way to a server; nothing is sent yet.
///
/// # Errors
/// An address or header that cannot be sent; certificates that cannot be read. Never with a header's value.
pub(super) fn transport(url: &str, headers: &[(String, String)]) -> Result<StreamableHttpClientTransport<Client>, String> {
    let parsed = Url::parse(url).map_err(|e| format!("url: {e}"))?;
    let mut custom = HashMap::new();
    for (name, value) in headers {
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| format!("{name:?} is not a header's name"))?;
        let mut value = HeaderValue::from_str(value).map_err(|_| format!("the value of the header {name} cannot be sent"))?;
        value.set_sensitive(true);
        custom.insert(key, value);
    }
    let config = StreamableHttpClientTransportConfig::with_uri(url).custom_headers(custom);
    Ok(StreamableHttpClientTransport::with_client(client(&parsed)?, config))
}

fn client(url: &Url) -> Result<Client, String> {
    // Without a default crypto provider the library panics, for plain http too.
    static CRYPTO: Once = Once::new();
    CRYPTO.call_once(|| {
        // An error only means that another module was first.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    let mut builder = Client::builder()
        .connect_timeout(CONNECT)
        // A reused connection waits for delayed acknowledgements when the last answer was not read to its end.
        .pool_max_idle_per_host(0)
        .redirect(redirect::Policy::custom(same_origin))
        .user_agent(concat!("tui-agent/", env!("CARGO_PKG_VERSION")));
    if url.scheme() == "http" && is_local(url) {
        builder = builder.no_proxy().tls_certs_only([]);
    }
    builder.build().map_err(|e| format!("cannot set up HTTP: {}", causes(&e)))
}

/// Only redirects that keep the message and stay at the server: others would lose it, or show the headers to somebody else.
fn same_origin(attempt: redirect::Attempt) -> redirect::Action {
    let keeps = matches!(attempt.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
    let same = attempt.previous().first().is_some_and(|first| first.origin() == attempt.url().origin());
    if keeps && same && attempt.previous().len() <= MAX_REDIRECTS { attempt.follow() } else { attempt.stop() }
}

fn is_local(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// An error with its causes in one line, none said twice.
pub(super) fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut out = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause.to_string();
        if !out.contains(&text) {
            out.push_str(": ");
            out.push_str(&text);
        }
        next = cause.source();
    }
    out
}
