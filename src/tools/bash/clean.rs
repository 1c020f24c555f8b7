//! Makes the bytes of a program's output safe to keep and to show, chunk by chunk (SPEC T5).
//!
//! Escape sequences and control characters are dropped, invalid UTF-8 becomes U+FFFD, of a line that was redrawn with carriage returns the last
//! state stays. Must not: keep more than a few kilobytes, whatever comes.

/// Longer lines are passed on in pieces; a carriage return then only starts a new line.
const MAX_LINE: usize = 8 * 1024;

/// Longer control strings (titles, pictures) are taken for broken, and text goes on.
const MAX_STRING: usize = 64 * 1024;

/// Where in an escape sequence the stream is.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
enum State {
    #[default]
    Text,
    /// After ESC.
    Escape,
    /// After ESC and bytes that select a character set.
    Charset,
    /// After `ESC [`.
    Csi,
    /// In a string that BEL or `ESC \` ends, with its length so far.
    String(usize),
    /// After ESC in such a string.
    StringEscape(usize),
}

/// The state of one stream.
#[derive(Debug, Default)]
pub(super) struct Cleaner {
    state: State,
    /// A character that was cut by the end of a chunk.
    partial: Vec<u8>,
    line: String,
    /// The line was passed on in part.
    is_flushed: bool,
    /// A carriage return came, and nothing after it.
    is_returned: bool,
}

impl Cleaner {
    /// Clean a chunk; whole lines, and long parts of lines, are added to `out`.
    pub(super) fn push(&mut self, chunk: &[u8], out: &mut String) {
        let joined;
        let mut rest = if self.partial.is_empty() {
            chunk
        } else {
            self.partial.extend_from_slice(chunk);
            joined = std::mem::take(&mut self.partial);
            joined.as_slice()
        };
        loop {
            match std::str::from_utf8(rest) {
                Ok(text) => {
                    self.text(text, out);
                    return;
                }
                Err(error) => {
                    let (good, bad) = rest.split_at(error.valid_up_to());
                    self.text(std::str::from_utf8(good).unwrap_or_default(), out);
                    let Some(len) = error.error_len() else {
                        self.partial = bad.to_vec();
                        return;
                    };
                    self.text("\u{fffd}", out);
                    rest = &bad[len..];
                }
            }
        }
    }

    /// The stream ended: what is left of it.
    pub(super) fn finish(&mut self, out: &mut String) {
        if !std::mem::take(&mut self.partial).is_empty() {
            self.text("\u{fffd}", out);
        }
        out.push_str(&std::mem::take(&mut self.line));
        self.state = State::Text;
    }

    /// The line that is not complete yet.
    pub(super) fn line(&self) -> &str {
        &self.line
    }

    fn text(&mut self, text: &str, out: &mut String) {
        let mut rest = text;
        while !rest.is_empty() {
            if self.state == State::Text {
                // Most output is plain: take it in runs.
                let run = rest.bytes().position(|b| b < 0x20 || b == 0x7f || b == 0xc2).unwrap_or(rest.len());
                if run > 0 {
                    self.plain(&rest[..run], out);
                    rest = &rest[run..];
                    continue;
                }
            }
            let Some(c) = rest.chars().next() else { return };
            rest = &rest[c.len_utf8()..];
            self.one(c, out);
        }
    }

    fn plain(&mut self, text: &str, out: &mut String) {
        if std::mem::take(&mut self.is_returned) {
            if self.is_flushed {
                self.end_line(out);
            } else {
                self.line.clear();
            }
        }
        self.line.push_str(text);
        if self.line.len() > MAX_LINE {
            out.push_str(&self.line);
            self.line.clear();
            self.is_flushed = true;
        }
    }

    fn end_line(&mut self, out: &mut String) {
        out.push_str(&self.line);
        out.push('\n');
        self.line.clear();
        self.is_flushed = false;
        self.is_returned = false;
    }

    #[expect(clippy::match_same_arms, reason = "a table of states")]
    fn one(&mut self, c: char, out: &mut String) {
        self.state = match (self.state, c) {
            (State::Text, '\x1b') => State::Escape,
            (State::Text, c) => {
                self.control(c, out);
                State::Text
            }
            (State::Escape, '[') => State::Csi,
            (State::Escape, ']' | 'P' | 'X' | '^' | '_') => State::String(0),
            (State::Escape | State::Charset, ' '..='/') => State::Charset,
            (State::String(_), '\x07' | '\u{9c}') | (State::StringEscape(_), '\\') => State::Text,
            (State::String(len) | State::StringEscape(len), '\x1b') if len < MAX_STRING => State::StringEscape(len + 1),
            (State::String(len) | State::StringEscape(len), _) if len < MAX_STRING => State::String(len + 1),
            (State::Csi | State::Escape | State::Charset, '\x1b') => State::Escape,
            // What a terminal does with a control character in a sequence: it acts, and the sequence goes on.
            (state @ (State::Csi | State::Escape | State::Charset), c) if c.is_ascii_control() => {
                self.control(c, out);
                if c == '\n' { State::Text } else { state }
            }
            (State::Csi, ' '..='?') => State::Csi,
            (State::Csi, '@'..='~') | (State::Escape | State::Charset, _) => State::Text,
            (State::Csi | State::String(_) | State::StringEscape(_), c) => {
                self.control(c, out);
                State::Text
            }
        };
    }

    /// A character outside of sequences that may be a control character.
    fn control(&mut self, c: char, out: &mut String) {
        match c {
            '\n' => self.end_line(out),
            '\r' => self.is_returned = true,
            '\x08' => {
                self.line.pop();
            }
            '\t' => self.plain("\t", out),
            c if c.is_control() => {}
            c => self.plain(c.encode_utf8(&mut [0; 4]), out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(chunks: &[&[u8]]) -> String {
        let (mut cleaner, mut out) = (Cleaner::default(), String::new());
        for chunk in chunks {
            cleaner.push(chunk, &mut out);
        }
        cleaner.finish(&mut out);
        out
    }

    #[test]
    fn c05_control_bytes_and_sequences_are_dropped_however_they_are_cut() {
        let cases: &[(&[u8], &str)] = &[
            (b"a\0b", "ab"),
            (b"a\x1b[31mred\x1b[0m\x1b[2J\x1b[?1049l end\n", "ared end\n"),
            (b"\xff\xfe ok", "\u{fffd}\u{fffd} ok"),
            (b"\x1b]0;EVIL\x07AFTER\tb\r\n", "AFTER\tb\n"),
            (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\.", "link."),
            (b"\x1bPq#0\x1b\\x\x1b(By\x1b=z\x1bM", "xyz"),
            (b"10%\r50%\r100%\ndone\r\n", "100%\ndone\n"),
            (b"a\r\r\nb\r", "a\nb"),
            (b"ab\x08c\x07", "ac"),
            ("é─🌍\u{9b}31m\u{85}x".as_bytes(), "é─🌍31mx"),
            (b"\x1b[1", ""),
            (b"cut\xe2\x94", "cut\u{fffd}"),
            (b"\x1b\x1b[1mx", "x"),
            (b"n\x1b[3\n1m", "n\n1m"),
        ];
        for (bytes, want) in cases {
            assert_eq!(clean(&[bytes]), *want, "{bytes:?}");
            for at in 0..bytes.len() {
                assert_eq!(clean(&[&bytes[..at], &bytes[at..]]), *want, "{bytes:?} cut at {at}");
            }
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            assert_eq!(clean(&single), *want, "{bytes:?} byte by byte");
        }
    }

    #[test]
    fn an_endless_control_string_or_line_keeps_little() {
        let mut cleaner = Cleaner::default();
        let mut out = String::new();
        cleaner.push(b"\x1b]", &mut out);
        cleaner.push(&vec![b'x'; MAX_STRING * 2], &mut out);
        assert!(out.len() + cleaner.line().len() > MAX_STRING / 2, "text goes on behind a broken string");
        let mut out = String::new();
        cleaner.push(&vec![b'y'; 1 << 20], &mut out);
        assert!(cleaner.line.capacity() < 4 << 20 && out.len() > 1 << 19);
        cleaner.push(b"\rnew\n", &mut out);
        assert!(out.ends_with("y\nnew\n"));
    }
}
