//! Errors by status, waits, secrets, and the connection (SPEC P5, R9; case A12).

use super::*;
use crate::providers::Sink;
use crate::providers::sse::SseEvent;
use crate::providers::testserver::{Reply, TestServer};
use reqwest::header::{HeaderMap, HeaderValue};
use std::collections::BTreeMap;
use std::sync::Arc;

const SECRET: &str = "sk-very-secret-key";

fn about(secrets: &[String]) -> About<'_> {
    About { provider: "acme", model: "m1", key_env: "ACME_KEY", secrets }
}

fn kind(status: u16, body: &str) -> ErrorKind {
    errors::refused(about(&[]), status, &HeaderMap::new(), body).kind
}

#[test]
fn p5_status_decides_the_kind() {
    use ErrorKind as E;
    let cases = [
        (401, E::Authentication),
        (403, E::Authentication),
        (404, E::NotFound),
        (400, E::InvalidRequest),
        (402, E::InvalidRequest),
        (422, E::InvalidRequest),
        (301, E::InvalidRequest),
        (408, E::Server),
        (413, E::ContextOverflow),
        (429, E::RateLimit),
        (500, E::Server),
        (502, E::Server),
        (503, E::Overloaded),
        (529, E::Overloaded),
    ];
    for (status, expected) in cases {
        for body in ["", "<html>no</html>", "{\"error\":{\"message\":\"words\"}}", "[]", "null", "{\"detail\":[{\"msg\":\"words\"}]}"] {
            assert_eq!(kind(status, body), expected, "{status} {body}");
        }
    }
    assert_eq!(kind(500, r#"{"error":{"type":"overloaded_error","message":"x"}}"#), E::Overloaded);
    assert_eq!(kind(429, r#"{"error":{"message":"too many tokens per minute, maximum context length is 5"}}"#), E::RateLimit, "a limit that speaks of tokens");
    assert_eq!(kind(429, r#"{"error":{"code":"insufficient_quota","message":"x"}}"#), E::InvalidRequest, "waiting does not fill an account");
}

#[test]
fn a16_every_wording_of_an_overflow() {
    let wordings = [
        "prompt is too long: 210000 tokens > 200000 maximum",
        "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
        "Your input exceeds the context window of this model",
        "This model's maximum context length is 128000 tokens",
        "the request exceeds the available context size (4096 tokens)",
        "The number of tokens to keep from the initial prompt is greater than the context length",
        "Input is too long for requested model.",
        "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
        "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
        "Please reduce the length of the messages or completion.",
        "This endpoint's maximum context length is 32768 tokens.",
        "invalid params, context window exceeds limit",
        "Your request exceeded model token limit: 262144",
        "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
        "prompt too long; exceeded max context length by 5 tokens",
        "Range of input length should be [1, 129024]",
    ];
    for words in wordings {
        assert_eq!(kind(400, &serde_json::json!({"error": {"message": words}}).to_string()), ErrorKind::ContextOverflow, "{words}");
        assert_eq!(kind(400, words), ErrorKind::ContextOverflow, "as plain text: {words}");
    }
    assert_eq!(kind(400, "max_tokens must be at most 8192"), ErrorKind::InvalidRequest);
}

#[test]
fn p5_texts_have_the_providers_words_a_hint_and_no_key() {
    let secrets = [SECRET.to_owned()];
    let error =
        errors::refused(about(&secrets), 401, &HeaderMap::new(), &format!(r#"{{"error":{{"type":"authentication_error","message":"bad key {SECRET}!"}}}}"#));
    assert_eq!(error.message, "acme answered 401 authentication_error: bad key [key]!");
    assert!(error.hint.contains("ACME_KEY"));
    let error = errors::refused(about(&[]), 404, &HeaderMap::new(), r#"{"error":{"message":"no model m1"}}"#);
    assert!(error.hint.contains("--model") && error.message.contains("no model m1"));
    let error = errors::refused(about(&[]), 400, &HeaderMap::new(), &"é".repeat(50_000));
    assert!(error.message.chars().count() < 1200, "bounded");
    let wrapped = errors::refused(about(&[]), 400, &HeaderMap::new(), r#"{"error":{"message":"Provider returned error","metadata":{"raw":"the reason"}}}"#);
    assert!(wrapped.message.contains("the reason"));
}

#[test]
fn a12_retry_after_in_every_form() {
    let wait = |name: &'static str, value: &str| {
        let headers = HeaderMap::from_iter([(name.parse().unwrap(), HeaderValue::from_str(value).unwrap())]);
        errors::refused(about(&[]), 429, &headers, "").retry_after
    };
    assert_eq!(wait("retry-after", "2"), Some(Duration::from_secs(2)));
    assert_eq!(wait("retry-after-ms", "1500"), Some(Duration::from_millis(1500)));
    assert!(wait("retry-after", "Fri, 31 Dec 2100 23:59:59 GMT").unwrap() > Duration::from_hours(24));
    assert_eq!(wait("retry-after", "later"), None);
}

#[test]
fn p2_local_addresses() {
    for (url, local) in [
        ("http://127.0.0.1:1", true),
        ("http://localhost", true),
        ("http://[::1]:8", true),
        ("http://127.0.0.1.evil.example", false),
        ("http://10.0.0.1", false),
        ("https://api.openai.com", false),
    ] {
        assert_eq!(is_local(&Url::parse(url).unwrap()), local, "{url}");
    }
}

#[test]
fn p5_both_clients_can_be_built() {
    assert!(http_client().is_ok() && local_client().is_ok());
}

/// Takes everything, is never complete.
struct Nothing;

impl Decoder for Nothing {
    fn event(&mut self, _: &SseEvent, _: &mut Emitter<'_>) -> Result<Flow, Fault> {
        Ok(Flow::Continue)
    }
    fn complete(&self) -> bool {
        false
    }
}

fn endpoint(url: &str) -> Result<Endpoint, ProviderError> {
    Endpoint::new("acme", url, &BTreeMap::new(), &[("x-api-key", SECRET.to_owned())], "ACME_KEY", Duration::from_secs(20))
}

async fn failure(url: &str) -> ProviderError {
    let sink: Sink = Arc::new(|_| {});
    endpoint(url).unwrap().stream("m1", b"{}".to_vec(), &mut Nothing, &sink).await.unwrap_err()
}

#[tokio::test]
async fn p5_no_connection_is_a_network_error_that_says_where() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let error = failure(&format!("http://127.0.0.1:{port}/v1/messages")).await;
    assert_eq!(error.kind, ErrorKind::Network);
    assert!(error.message.contains(&port.to_string()) && error.message.to_lowercase().contains("refused"), "{error:?}");
    assert!(error.hint.contains("running"));
}

#[tokio::test]
async fn r9_redirects_are_not_followed_with_the_key() {
    let other = TestServer::start(vec![Reply::sse("")]);
    let server = TestServer::start(vec![Reply::json(307, "").header("location", &other.url())]);
    let error = failure(&server.url()).await;
    assert_eq!(error.kind, ErrorKind::InvalidRequest);
    assert!(error.message.contains(&other.url()) && other.requests().is_empty(), "{error:?}");
}

#[test]
fn p5_unusable_addresses_and_headers_are_errors() {
    for url in ["", "api.example.com", "ftp://x", "http://", "file:///etc/passwd"] {
        assert_eq!(endpoint(url).unwrap_err().kind, ErrorKind::InvalidRequest, "{url}");
    }
    let headers = BTreeMap::from([("bad name".to_owned(), "x".to_owned())]);
    assert!(Endpoint::new("acme", "http://x", &headers, &[], "", Duration::from_secs(1)).is_err());
    assert!(!format!("{:?}", endpoint("http://user:pass@x/v1").unwrap()).contains("pass"));
    assert!(!format!("{:?}", endpoint("http://x/v1").unwrap()).contains(SECRET));
}
