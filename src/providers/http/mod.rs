//! HTTP for the providers: the shared connection pools, and one streamed request with its idle limit (SPEC P5).
//!
//! Must not: retry (see `retry`), follow redirects (a key would travel with them), put a key into a text.

pub mod date;
pub mod errors;
pub mod stream;
#[cfg(test)]
mod tests;

pub use errors::About;
pub use stream::{Decoder, Emitter, Endpoint, Fault, Flow};

use super::{ErrorKind, ProviderError};
use reqwest::{Client, Url, redirect};
use std::net::IpAddr;
use std::sync::{Once, OnceLock};
use std::time::Duration;

/// How long making a connection may take.
const CONNECT: Duration = Duration::from_secs(15);

/// The one client for the world outside: system proxy, platform certificates. Built at its first use.
///
/// # Errors
/// When the platform's certificates cannot be read.
pub fn http_client() -> Result<Client, ProviderError> {
    static CLIENT: OnceLock<Result<Client, String>> = OnceLock::new();
    made(CLIENT.get_or_init(|| build(Client::builder())))
}

/// The one client for servers of this machine: no proxy, and no certificates, whose loading costs more than a request.
///
/// # Errors
/// When the library cannot be set up.
pub fn local_client() -> Result<Client, ProviderError> {
    static CLIENT: OnceLock<Result<Client, String>> = OnceLock::new();
    made(CLIENT.get_or_init(|| build(Client::builder().no_proxy().tls_certs_only([]))))
}

/// The client for an address.
///
/// # Errors
/// As [`http_client`].
pub fn client_for(url: &Url) -> Result<Client, ProviderError> {
    if url.scheme() == "http" && is_local(url) { local_client() } else { http_client() }
}

/// Whether an address is on this machine.
#[must_use]
pub fn is_local(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.ends_with(".localhost") || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

fn build(builder: reqwest::ClientBuilder) -> Result<Client, String> {
    // Without a default crypto provider the library panics, for plain http too.
    static CRYPTO: Once = Once::new();
    CRYPTO.call_once(|| {
        // An error only means that another module was first.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    builder
        .connect_timeout(CONNECT)
        .redirect(redirect::Policy::none())
        // Compressed streams are held back by some proxies until a block is full.
        .no_gzip()
        .user_agent(concat!("tui-agent/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|e| errors::causes(&e))
}

fn made(client: &Result<Client, String>) -> Result<Client, ProviderError> {
    client.clone().map_err(|message| ProviderError {
        kind: ErrorKind::Network,
        message: format!("cannot set up HTTP: {message}"),
        hint: "check the system's certificates (SSL_CERT_FILE)".to_owned(),
        retry_after: None,
    })
}
