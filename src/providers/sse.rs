//! Server-sent events, read from bytes (SPEC P3).
//!
//! Works on whole lines of bytes and decodes a line only when it is complete, so that no split of the stream can
//! tear a character. Must not: know JSON or a provider, do IO, grow without limit.

#[cfg(test)]
mod tests;

/// Bytes that one event may have, its unfinished line included.
pub const MAX_EVENT: usize = 32 * 1024 * 1024;

/// One event of the stream.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SseEvent {
    /// The `event` field; empty when there was none.
    pub name: String,
    /// The `data` lines, joined by newlines.
    pub data: String,
}

impl SseEvent {
    /// Whether this only keeps the connection alive. Comments never become events at all.
    #[must_use]
    pub fn is_ping(&self) -> bool {
        self.name == "ping" || self.data.len() < 64 && self.data.chars().filter(|c| !c.is_whitespace()).eq("{\"type\":\"ping\"}".chars())
    }
}

/// An event is larger than [`MAX_EVENT`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("an event of the stream is larger than {} MiB", MAX_EVENT / 1024 / 1024)]
pub struct EventTooLarge;

/// Takes bytes in any pieces, gives events.
#[derive(Debug, Default)]
pub struct SseParser {
    /// The start of a line whose end has not come.
    line: Vec<u8>,
    /// The last byte was CR; an LF that follows belongs to it.
    after_cr: bool,
    /// A line was read, so a byte order mark is no longer expected.
    begun: bool,
    name: String,
    data: String,
    has_data: bool,
}

impl SseParser {
    /// A parser at the start of a stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Read a piece; complete events are appended to `out`.
    ///
    /// # Errors
    /// When an event grows beyond [`MAX_EVENT`]; the parser cannot be used further.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<SseEvent>) -> Result<(), EventTooLarge> {
        let mut rest = bytes;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(at) = rest.iter().position(|b| *b == b'\n' || *b == b'\r') {
            let (head, tail) = rest.split_at(at);
            if self.line.is_empty() {
                self.end_line(head, out);
            } else {
                let mut line = std::mem::take(&mut self.line);
                line.extend_from_slice(head);
                self.end_line(&line, out);
                line.clear();
                self.line = line;
            }
            rest = match tail {
                [b'\r', b'\n', more @ ..] | [_, more @ ..] => more,
                [] => &[],
            };
            self.after_cr = rest.is_empty() && tail == b"\r";
            self.check()?;
        }
        self.line.extend_from_slice(rest);
        self.check()
    }

    /// The stream is over: an event without its closing blank line, or without its last newline, still counts.
    pub fn finish(&mut self, out: &mut Vec<SseEvent>) {
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            self.end_line(&line, out);
        }
        self.dispatch(out);
    }

    fn check(&self) -> Result<(), EventTooLarge> {
        if self.line.len().saturating_add(self.data.len()) > MAX_EVENT { Err(EventTooLarge) } else { Ok(()) }
    }

    fn end_line(&mut self, line: &[u8], out: &mut Vec<SseEvent>) {
        let line = if self.begun { line } else { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) };
        self.begun = true;
        if line.is_empty() {
            self.dispatch(out);
            return;
        }
        let colon = line.iter().position(|b| *b == b':').unwrap_or(line.len());
        let (field, value) = line.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if self.has_data {
                    self.data.push('\n');
                }
                self.has_data = true;
                self.data.push_str(&String::from_utf8_lossy(value));
            }
            b"event" => self.name = String::from_utf8_lossy(value).into_owned(),
            // Comments have an empty field name; `id`, `retry` and unknown fields mean nothing to us.
            _ => {}
        }
    }

    fn dispatch(&mut self, out: &mut Vec<SseEvent>) {
        let name = std::mem::take(&mut self.name);
        if self.has_data {
            out.push(SseEvent { name, data: std::mem::take(&mut self.data) });
        }
        self.has_data = false;
    }
}
