//! Tries again what can be tried again (SPEC P5; cases A09, A12).
//!
//! Must not: run tools or retry anything behind them; a request is one reply, and its broken start is voided before
//! the next try. Dropping the future ends a wait at once.

use super::calls::random;
use super::{Provider, ProviderError, Reply, Request, Sink, StreamEvent};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[cfg(test)]
mod tests;

/// Tries at most, the first one included.
pub const MAX_TRIES: u32 = 6;
/// The longest wait that a provider can ask for.
const MAX_ASKED: Duration = Duration::from_mins(10);
/// The longest wait of our own.
const MAX_OWN: Duration = Duration::from_secs(30);

/// A reply, after up to [`MAX_TRIES`] tries. Before a further try the sink gets [`StreamEvent::Reset`] when something
/// had streamed, then [`StreamEvent::Retrying`].
///
/// # Errors
/// The last error, or the first one that another try cannot help.
pub async fn send(provider: &dyn Provider, request: &Request, sink: &Sink) -> Result<Reply, ProviderError> {
    let mut attempt = 1;
    loop {
        let streamed = Arc::new(AtomicBool::new(false));
        let inner: Sink = {
            let (streamed, sink) = (Arc::clone(&streamed), Arc::clone(sink));
            Arc::new(move |event| {
                streamed.store(true, Ordering::Relaxed);
                sink(event);
            })
        };
        let error = match provider.attempt(request, &inner).await {
            Ok(reply) => return Ok(reply),
            Err(error) => error,
        };
        if !error.kind.retryable() || attempt >= MAX_TRIES {
            return Err(error);
        }
        if streamed.load(Ordering::Relaxed) {
            sink(StreamEvent::Reset);
        }
        let wait = error.retry_after.map_or_else(|| own_wait(attempt, random()), |w| w.min(MAX_ASKED));
        attempt += 1;
        sink(StreamEvent::Retrying { attempt, max: MAX_TRIES, wait, reason: error.message });
        tokio::time::sleep(wait).await;
    }
}

/// 1 s · 2ⁿ⁻¹ behind the n-th try, up to 30 s, of which a quarter at most is taken off by chance.
fn own_wait(attempt: u32, chance: u64) -> Duration {
    let base = Duration::from_secs(1).saturating_mul(1u32.checked_shl(attempt.saturating_sub(1)).unwrap_or(u32::MAX)).min(MAX_OWN);
    let part = u32::try_from(chance % 1024).unwrap_or_default();
    base.saturating_sub(base / 4 * part / 1024)
}
