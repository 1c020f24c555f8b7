//! What a server says beside the protocol: its standard error and lines on standard output that are no messages. Only
//! the end is kept, for error messages.

use crate::util::clean::clean_bytes;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// Bytes that are kept at least, of as much as was said.
const KEEP: usize = 4 * 1024;

#[derive(Debug, Default)]
struct Inner {
    tail: Vec<u8>,
    noise: u64,
}

/// The end of what a server said; clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Log(Arc<Mutex<Inner>>);

impl Log {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, bytes: &[u8]) {
        let mut inner = self.lock();
        let bytes = bytes.get(bytes.len().saturating_sub(KEEP)..).unwrap_or_default();
        inner.tail.extend_from_slice(bytes);
        if inner.tail.len() > 2 * KEEP {
            let cut = inner.tail.len() - KEEP;
            inner.tail.drain(..cut);
        }
    }

    /// A line of standard output that is no message.
    pub(super) fn noise(&self, line: &[u8]) {
        self.push(line.get(..line.len().min(KEEP)).unwrap_or_default());
        self.push(b"\n");
        let mut inner = self.lock();
        inner.noise = inner.noise.saturating_add(1);
    }

    /// How many lines of standard output were no messages.
    pub(super) fn noise_lines(&self) -> u64 {
        self.lock().noise
    }

    /// The last lines that say something, joined, at most `max` characters; escape sequences and control bytes cleaned.
    pub(super) fn last(&self, max: usize) -> String {
        let text = clean_bytes(&self.lock().tail);
        let mut lines: Vec<&str> = text.lines().map(str::trim).filter(|l| !l.is_empty()).rev().take(3).collect();
        lines.reverse();
        let joined = lines.join(" | ");
        let skip = joined.chars().count().saturating_sub(max);
        if skip == 0 { joined } else { format!("…{}", joined.chars().skip(skip).collect::<String>()) }
    }

    /// Read standard error to its end, so that the server never waits for a reader.
    pub(super) async fn drain<R: AsyncRead + Unpin>(self, mut from: R) {
        let mut buffer = vec![0; 8 * 1024];
        while let Ok(n @ 1..) = from.read(&mut buffer).await {
            self.push(buffer.get(..n).unwrap_or_default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_end_is_kept_and_it_is_clean() {
        let log = Log::default();
        let text = format!("{}\nfirst\n\n\x1b[31mTraceback\x1b[0m\nNo module named 'x'\x07\n", "y".repeat(100_000));
        log.clone().drain(text.as_bytes()).await;
        assert_eq!(log.last(200), "first | Traceback | No module named 'x'");
        assert_eq!(log.last(5), "…d 'x'");
        assert!(log.lock().tail.len() <= 2 * KEEP);
        log.noise(&vec![b'z'; 1_000_000]);
        assert_eq!(log.noise_lines(), 1);
        assert!(log.lock().tail.len() <= 2 * KEEP);
    }

    #[test]
    fn c05_a_cut_in_a_character_shows_no_panic() {
        let log = Log::default();
        for _ in 0..5_000 {
            log.push("─é🌍".as_bytes());
        }
        assert_eq!(log.last(10).chars().count(), 11);
    }
}
