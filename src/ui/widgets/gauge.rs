//! The context gauge as words and a bar (SPEC C1).

use super::bar::bar;
use crate::util::tokens::short;

/// What a gauge shows. All in tokens; `window` and `compact_at` may be 0 for unknown and off.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Reading {
    /// In the context.
    pub used: u64,
    /// The model's window.
    pub window: u64,
    /// Where compaction starts.
    pub compact_at: u64,
    /// Whether `used` is an estimate.
    pub estimated: bool,
}

/// `▰▰▱▱ 41%  82k/200k`; without a bar for 0 cells; `~` before an estimate; `82k` alone when the window is unknown.
#[must_use]
pub fn text(reading: &Reading, cells: usize) -> String {
    let about = if reading.estimated { "~" } else { "" };
    let used = short(reading.used);
    if reading.window == 0 {
        return format!("{about}{used} used");
    }
    let percent = reading.used.saturating_mul(100).checked_div(reading.window).unwrap_or(0).min(100);
    let window = short(reading.window);
    if cells == 0 {
        return format!("{about}{percent}%  {used}/{window}");
    }
    format!("{} {about}{percent}%  {used}/{window}", bar(reading.used, reading.window, cells))
}

/// Tokens until compaction, as `compacts in 78k`; none when it is off.
#[must_use]
pub fn distance(reading: &Reading) -> Option<String> {
    (reading.compact_at > 0).then(|| format!("compacts in {}", short(reading.compact_at.saturating_sub(reading.used))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h03_the_gauge_is_never_above_a_hundred_percent() {
        let r = |used, window| Reading { used, window, compact_at: 160_000, estimated: false };
        assert_eq!(text(&r(82_000, 200_000), 10), "▰▰▰▰▱▱▱▱▱▱ 41%  82k/200k");
        assert_eq!(text(&r(300_000, 200_000), 0), "100%  300k/200k");
        assert_eq!(text(&r(300, 0), 10), "300 used");
        assert_eq!(text(&Reading { estimated: true, ..r(2_000, 200_000) }, 0), "~1%  2.0k/200k");
        assert_eq!(distance(&r(200_000, 200_000)).as_deref(), Some("compacts in 0"));
        assert_eq!(distance(&Reading::default()), None);
    }
}
