//! What is kept of one file: matching lines and those around them, long ones cut to a window around the match.

use super::search::Mode;
use crate::util::clean::visible;
use grep_matcher::Matcher as _;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};
use std::fmt::Write as _;
use std::io;
use tokio_util::sync::CancellationToken;

/// Characters of a line that are shown whole.
const WHOLE: usize = 500;
/// Characters of the window of a longer one.
const WINDOW: usize = 300;

/// A line of the output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// From 1.
    pub number: u64,
    /// Whether it matches; else it stands around a match.
    pub matches: bool,
    /// Lines are missing before it.
    pub gap: bool,
    /// Without its end, control characters shown, cut.
    pub text: String,
}

/// Takes what the searcher finds in one file.
#[derive(Debug)]
pub struct Collector<'a> {
    matcher: &'a RegexMatcher,
    mode: Mode,
    cancel: &'a CancellationToken,
    /// Lines at most; then the search of this file ends.
    room: usize,
    gap: bool,
    /// What was found, in order. Empty but for [`Mode::Content`].
    pub lines: Vec<Line>,
    /// Matching lines.
    pub count: usize,
    /// The file is binary: the search ended at its first NUL.
    pub binary: bool,
}

impl<'a> Collector<'a> {
    /// Ready for one file.
    pub const fn new(matcher: &'a RegexMatcher, mode: Mode, room: usize, cancel: &'a CancellationToken) -> Self {
        Self { matcher, mode, cancel, room, gap: false, lines: Vec::new(), count: 0, binary: false }
    }

    fn add(&mut self, number: u64, matches: bool, bytes: &[u8]) {
        let gap = std::mem::take(&mut self.gap) && !self.lines.is_empty();
        self.lines.push(Line { number, matches, gap, text: cut(bytes, self.matcher) });
    }

    fn goes_on(&self) -> bool {
        !self.cancel.is_cancelled() && self.lines.len() <= self.room
    }
}

impl Sink for Collector<'_> {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        let first = found.line_number().unwrap_or(0);
        match self.mode {
            Mode::Files => {
                self.count = 1;
                return Ok(false);
            }
            Mode::Count => self.count += found.lines().count(),
            Mode::Content => {
                for (number, line) in (first..).zip(found.lines()) {
                    self.count += 1;
                    self.add(number, true, line);
                    if !self.goes_on() {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(self.goes_on())
    }

    fn context(&mut self, _searcher: &Searcher, context: &SinkContext<'_>) -> Result<bool, io::Error> {
        if self.mode == Mode::Content {
            self.add(context.line_number().unwrap_or(0), false, context.bytes());
        }
        Ok(self.goes_on())
    }

    fn context_break(&mut self, _searcher: &Searcher) -> Result<bool, io::Error> {
        self.gap = true;
        Ok(true)
    }

    fn binary_data(&mut self, _searcher: &Searcher, _offset: u64) -> Result<bool, io::Error> {
        self.binary = true;
        Ok(false)
    }

    fn finish(&mut self, _searcher: &Searcher, end: &SinkFinish) -> Result<(), io::Error> {
        self.binary |= end.binary_byte_offset().is_some();
        Ok(())
    }
}

/// A line for the output: whole when short, else a window with its first match in the middle and the cuts marked.
fn cut(bytes: &[u8], matcher: &RegexMatcher) -> String {
    let bytes = bytes.strip_suffix(b"\n").map_or(bytes, |b| b.strip_suffix(b"\r").unwrap_or(b));
    // At most four bytes a character: a short line needs no counting.
    let short = bytes.len() <= WHOLE || String::from_utf8_lossy(bytes).chars().count() <= WHOLE;
    if short {
        return visible(&String::from_utf8_lossy(bytes)).into_owned();
    }
    let (start, end) = matcher.find(bytes).ok().flatten().map_or((0, 0), |m| (m.start(), m.end()));
    let before = String::from_utf8_lossy(bytes.get(..start).unwrap_or_default());
    let after = String::from_utf8_lossy(bytes.get(start..).unwrap_or_default());
    let long = end.saturating_sub(start);
    // The match in the middle; what one side does not need goes to the other.
    let side = WINDOW.saturating_sub(long.min(WINDOW)) / 2;
    let left = before.chars().count();
    let lead = left.min(side);
    let mut out = String::new();
    if left > lead {
        out.push('…');
    }
    out.extend(before.chars().skip(left - lead));
    let mut rest = after.chars();
    out.extend(rest.by_ref().take(WINDOW - lead));
    let more = rest.count();
    if more > 0 {
        out.push('…');
    }
    let _ = write!(out, " [a line of {} characters, cut]", left + after.chars().count());
    visible(&out).into_owned()
}
