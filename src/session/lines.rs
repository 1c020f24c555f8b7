//! Reading JSONL line by line in bounded memory: one line at a time, and lines beyond a limit are passed over unread.

use std::io::{self, BufRead};

/// A line longer than this counts as damaged. No record of ours comes near it.
pub const MAX_LINE: usize = 64 * 1024 * 1024;

/// One line of a file.
#[derive(Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// From 1.
    pub number: usize,
    /// Without the line end. Empty when `too_long`.
    pub bytes: &'a [u8],
    /// It was passed over.
    pub too_long: bool,
    /// It has its line end; only the last line of a file may have none.
    pub whole: bool,
}

/// Reads lines with one buffer.
#[derive(Debug)]
pub struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    max: usize,
    number: usize,
}

impl<R: BufRead> Lines<R> {
    /// Lines of an input, each of at most [`MAX_LINE`] bytes.
    pub fn new(input: R) -> Self {
        Self::with_max(input, MAX_LINE)
    }

    /// Lines of an input, each of at most `max` bytes.
    pub fn with_max(input: R, max: usize) -> Self {
        Self { input, buffer: Vec::new(), max, number: 0 }
    }

    /// The next line; none at the end. Blank lines are given as they are.
    ///
    /// # Errors
    /// As the system says.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        self.buffer.clear();
        if self.buffer.capacity() > 4 * 1024 * 1024 {
            self.buffer.shrink_to(64 * 1024);
        }
        let (mut too_long, mut any, mut whole) = (false, false, false);
        while !whole {
            let chunk = match self.input.fill_buf() {
                Ok(chunk) => chunk,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            };
            if chunk.is_empty() {
                break;
            }
            any = true;
            let end = chunk.iter().position(|b| *b == b'\n');
            let part = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or_default();
            if self.buffer.len() + part.len() > self.max {
                too_long = true;
                self.buffer.clear();
            }
            if !too_long {
                self.buffer.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.input.consume(used);
            whole = end.is_some();
        }
        if !any {
            return Ok(None);
        }
        self.number += 1;
        Ok(Some(Line { number: self.number, bytes: &self.buffer, too_long, whole }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    #[test]
    fn f03_lines_beyond_the_limit_are_passed_over_and_the_next_ones_read() {
        let text = b"ab\n\nxxxxxxxxxxxx\nlast";
        for capacity in [1, 3, 64] {
            let mut lines = Lines::with_max(BufReader::with_capacity(capacity, &text[..]), 8);
            let mut seen = Vec::new();
            while let Some(l) = lines.next_line().unwrap() {
                seen.push((l.number, String::from_utf8_lossy(l.bytes).into_owned(), l.too_long, l.whole));
            }
            let want = [(1, "ab", false, true), (2, "", false, true), (3, "", true, true), (4, "last", false, false)];
            assert_eq!(seen, want.map(|(n, s, t, w)| (n, s.to_owned(), t, w)), "buffer of {capacity}");
            assert!(lines.buffer.capacity() <= 16);
        }
    }
}
