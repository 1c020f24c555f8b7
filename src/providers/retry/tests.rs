//! Retries on a paused clock (SPEC P5; cases A09, A12).

use super::*;
use crate::protocol::{AgentId, AssistantBlock, AssistantMessage, Usage};
use crate::providers::{AgentLabel, ErrorKind, Stop};
use futures_util::future::BoxFuture;
use std::sync::Mutex;
use tokio::time::Instant;

/// Plays a list of outcomes: (text that streams first, error or success).
struct Played {
    turns: Mutex<Vec<(&'static str, Option<ProviderError>)>>,
    at: Mutex<Vec<Instant>>,
}

impl Provider for Played {
    fn name(&self) -> &'static str {
        "played"
    }
    fn attempt<'a>(&'a self, _: &'a Request, sink: &'a Sink) -> BoxFuture<'a, Result<Reply, ProviderError>> {
        self.at.lock().unwrap().push(Instant::now());
        let (text, error) = self.turns.lock().unwrap().remove(0);
        if !text.is_empty() {
            sink(StreamEvent::Text(text.into()));
        }
        let message = AssistantMessage { blocks: vec![AssistantBlock::Text { text: text.into() }] };
        Box::pin(async move { error.map_or(Ok(Reply { message, stop: Stop::End, usage: Usage::default() }), Err) })
    }
}

#[allow(clippy::unnecessary_wraps)] // It stands beside `None` in the lists.
fn failed(kind: ErrorKind, retry_after: Option<Duration>) -> Option<ProviderError> {
    Some(ProviderError { kind, message: "no".into(), hint: String::new(), retry_after })
}

async fn play(turns: Vec<(&'static str, Option<ProviderError>)>) -> (Result<Reply, ProviderError>, Vec<StreamEvent>, Vec<Duration>) {
    let provider = Played { turns: Mutex::new(turns), at: Mutex::default() };
    let label = AgentLabel { id: AgentId::MAIN, description: String::new(), kind: String::new() };
    let request = Request { agent: label, model: "m".into(), system: Arc::default(), tools: Arc::default(), messages: Vec::new(), max_output: 1, effort: None };
    let events = Arc::new(Mutex::new(Vec::new()));
    let sink: Sink = {
        let events = Arc::clone(&events);
        Arc::new(move |e| events.lock().unwrap().push(e))
    };
    let result = send(&provider, &request, &sink).await;
    let at = provider.at.lock().unwrap().clone();
    let waits = at.windows(2).map(|w| w[1] - w[0]).collect();
    let events = events.lock().unwrap().clone();
    (result, events, waits)
}

#[tokio::test(start_paused = true)]
async fn a12_rate_limit() {
    let limited = failed(ErrorKind::RateLimit, Some(Duration::from_secs(2)));
    let (result, events, waits) = play(vec![("", limited), ("fine", None)]).await;
    assert_eq!(result.unwrap().message.text(), "fine");
    assert!(waits[0] >= Duration::from_secs(2) && waits[0] < Duration::from_secs(3), "{waits:?}");
    let retrying = StreamEvent::Retrying { attempt: 2, max: MAX_TRIES, wait: Duration::from_secs(2), reason: "no".into() };
    assert_eq!(events, [retrying, StreamEvent::Text("fine".into())], "nothing had streamed, so nothing is void");
}

#[tokio::test(start_paused = true)]
async fn a12_some_errors_are_never_retried() {
    for kind in [ErrorKind::Authentication, ErrorKind::NotFound, ErrorKind::InvalidRequest, ErrorKind::ContextOverflow, ErrorKind::Script] {
        let (result, events, waits) = play(vec![("", failed(kind, None))]).await;
        assert_eq!((result.unwrap_err().kind, events.len(), waits.len()), (kind, 0, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn a09_a_broken_start_is_void_before_the_next_try() {
    let (result, events, _) = play(vec![("Hel", failed(ErrorKind::Stream, None)), ("Hello world", None)]).await;
    assert_eq!(result.unwrap().message.text(), "Hello world");
    assert!(
        matches!(&events[..], [StreamEvent::Text(a), StreamEvent::Reset, StreamEvent::Retrying { attempt: 2, .. }, StreamEvent::Text(b)] if a == "Hel" && b == "Hello world"),
        "{events:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn p5_six_tries_with_growing_waits() {
    let (result, _, waits) = play((0..6).map(|_| ("", failed(ErrorKind::Overloaded, None))).collect()).await;
    assert_eq!(result.unwrap_err().kind, ErrorKind::Overloaded);
    assert_eq!(waits.len(), 5);
    for (wait, base) in waits.iter().zip([1.0, 2.0, 4.0, 8.0, 16.0]) {
        assert!((base * 0.74..base * 1.01).contains(&wait.as_secs_f64()), "{waits:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn p5_an_absurd_wait_is_capped() {
    let (_, _, waits) = play(vec![("", failed(ErrorKind::RateLimit, Some(Duration::from_hours(24)))), ("x", None)]).await;
    assert_eq!(waits[0].as_secs(), 600);
    assert_eq!(own_wait(40, 0), MAX_OWN);
    assert!(own_wait(6, 1023) >= MAX_OWN * 3 / 4);
}
