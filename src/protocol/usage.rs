//! Token counts and the context gauge (SPEC P8, C1).

use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// Tokens of one request, or a sum of requests. `input` excludes what came from or went to the cache.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Input tokens that were neither read from nor written to the cache.
    #[serde(rename = "input_tokens", default)]
    pub input: u64,
    /// Output tokens, reasoning included.
    #[serde(rename = "output_tokens", default)]
    pub output: u64,
    /// Input tokens read from the cache.
    #[serde(rename = "cache_read_input_tokens", default)]
    pub cache_read: u64,
    /// Input tokens written to the cache.
    #[serde(rename = "cache_creation_input_tokens", default)]
    pub cache_write: u64,
}

impl Usage {
    /// All input: plain, cache reads and cache writes.
    #[must_use]
    pub fn all_input(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }

    /// All input and output.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.all_input().saturating_add(self.output)
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, o: Self) {
        self.input = self.input.saturating_add(o.input);
        self.output = self.output.saturating_add(o.output);
        self.cache_read = self.cache_read.saturating_add(o.cache_read);
        self.cache_write = self.cache_write.saturating_add(o.cache_write);
    }
}

/// How full a context is.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Gauge {
    /// Tokens in the context.
    pub used: u64,
    /// The model's window in tokens; 0 when unknown.
    pub window: u64,
    /// Whether `used` is (in part) an estimate, shown as `~`.
    pub estimated: bool,
    /// Where automatic compaction starts, in tokens; 0 when it is off.
    pub compact_at: u64,
}

impl Gauge {
    /// 0 to 100, never more, never undefined.
    #[must_use]
    pub fn percent(&self) -> u8 {
        let p = self.used.saturating_mul(100).checked_div(self.window).unwrap_or(0).min(100);
        u8::try_from(p).unwrap_or(100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h03_gauge_is_clamped_and_defined() {
        let g = |used, window| Gauge { used, window, estimated: false, compact_at: 0 }.percent();
        assert_eq!(g(96_004, 200_000), 48);
        assert_eq!(g(500, 100), 100);
        assert_eq!(g(500, 0), 0);
        assert_eq!(g(u64::MAX, 1), 100);
    }
}
