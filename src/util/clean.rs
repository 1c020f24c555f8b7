//! Text from outside made safe for the history and the screen (SPEC T5): the one place that knows escape sequences, control bytes and hidden characters.
//!
//! Either they go ([`clean`], [`for_screen`], [`Cleaner`] for streams: nothing depends on where a read was split), or they are shown
//! ([`visible`], [`escape_hidden`]). Must not: keep more than a few kilobytes of a stream, whatever comes.

use std::borrow::Cow;
use std::fmt::Write;

/// Bytes of a line that is held back for a carriage return, at most. Longer lines are passed on in pieces; a carriage return then starts a new line.
const MAX_LINE: usize = 8 * 1024;
/// Longer control strings (titles, pictures) are taken for broken, and text goes on.
const MAX_STRING: usize = 64 * 1024;

/// The whole text cleaned: escape sequences (CSI, OSC, DCS and others) and control characters removed, `\r\n` as `\n`,
/// of a line that was overwritten by carriage returns the last state, backspaces applied, tabs kept.
#[must_use]
pub fn clean(text: &str) -> String {
    if text.chars().any(|c| c.is_control() && c != '\n' && c != '\t') { clean_bytes(text.as_bytes()) } else { text.to_owned() }
}

/// As [`clean`], for bytes; what is not valid UTF-8 becomes U+FFFD.
#[must_use]
pub fn clean_bytes(bytes: &[u8]) -> String {
    let (mut cleaner, mut out) = (Cleaner::default(), String::with_capacity(bytes.len()));
    cleaner.push(bytes, &mut out);
    cleaner.finish(&mut out);
    out
}

/// As [`clean`], and without direction marks (they would reorder the screen); line and paragraph separators become blanks. A text without
/// any of it is not copied.
#[must_use]
pub fn for_screen(text: &str) -> Cow<'_, str> {
    if is_harmless(text) {
        return Cow::Borrowed(text);
    }
    let mut text = clean(text);
    if text.contains(['\u{2028}', '\u{2029}']) {
        text = text.replace(['\u{2028}', '\u{2029}'], " ");
    }
    text.retain(|c| !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'));
    Cow::Owned(text)
}

/// Nothing but printable characters, line ends and tabs. A scan of bytes: it runs over everything that is drawn.
fn is_harmless(text: &str) -> bool {
    let bytes = text.as_bytes();
    for (i, b) in bytes.iter().enumerate() {
        let bad = match b {
            b'\n' | b'\t' => false,
            0..=0x1f | 0x7f => true,
            // U+0080 to U+009F.
            0xc2 => bytes.get(i + 1).is_some_and(|n| *n < 0xa0),
            // U+2028 to U+202E and U+2066 to U+2069.
            0xe2 => match (bytes.get(i + 1), bytes.get(i + 2)) {
                (Some(0x80), Some(n)) => (0xa8..=0xae).contains(n),
                (Some(0x81), Some(n)) => (0xa6..=0xa9).contains(n),
                _ => false,
            },
            // U+FEFF.
            0xef => bytes.get(i + 1) == Some(&0xbb) && bytes.get(i + 2) == Some(&0xbf),
            _ => false,
        };
        if bad {
            return false;
        }
    }
    true
}

/// Text of a file with control characters made visible instead of removed (`␀`, `␛`), tabs and line ends kept.
/// For views that must not hide anything: numbered lines, diffs, names.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(picture).collect())
}

/// A control character as its picture.
fn picture(c: char) -> char {
    match c {
        '\n' | '\t' => c,
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}

/// A text with invisible, direction-changing and control characters as `\u{…}`, so that nothing can hide in it or reorder it.
/// Line ends and tabs stay.
#[must_use]
pub fn escape_hidden(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if hides(c) {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

/// Characters that are not seen, look like a blank, or change the order of others.
fn hides(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c,
            '\u{a0}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{1680}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' | '\u{2800}'
            | '\u{3000}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Where in an escape sequence the stream is.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
enum State {
    #[default]
    Text,
    /// After ESC.
    Escape,
    /// After ESC and bytes that select a character set.
    Charset,
    /// After `ESC [`, until a final character.
    Csi,
    /// In a string that BEL, ST or the end of the line ends, with its length so far.
    String(usize),
    /// After ESC in such a string: a backslash ends it.
    StringEscape,
}

/// Cleans a stream piece by piece.
#[derive(Clone, Debug, Default)]
pub struct Cleaner {
    state: State,
    /// A character that was cut by the end of a chunk: three bytes at most.
    partial: Vec<u8>,
    /// The current line, not final: a carriage return may start it anew.
    line: String,
    /// The line was passed on in part.
    is_flushed: bool,
    /// A carriage return came, and nothing after it.
    is_returned: bool,
}

impl Cleaner {
    /// Clean a chunk; whole lines, and long parts of lines, are added to `out`.
    pub fn push(&mut self, chunk: &[u8], out: &mut String) {
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

    /// The stream ended: what is left of it. The cleaner is as new afterwards.
    pub fn finish(&mut self, out: &mut String) {
        if !std::mem::take(&mut self.partial).is_empty() {
            self.text("\u{fffd}", out);
        }
        out.push_str(&self.line);
        *self = Self::default();
    }

    /// The line that is not complete yet, for a live view.
    #[must_use]
    pub fn line(&self) -> &str {
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

    fn one(&mut self, c: char, out: &mut String) {
        self.state = match (self.state, c) {
            // A line end inside a sequence means that the sequence was cut off: it must not swallow the text behind it.
            (_, '\n') => {
                self.end_line(out);
                State::Text
            }
            // CAN and SUB, and the ends of strings and sequences.
            (_, '\u{18}' | '\u{1a}')
            | (State::String(_) | State::StringEscape, '\u{7}' | '\u{9c}')
            | (State::StringEscape, '\\')
            | (State::Csi, '@'..='~')
            | (State::Charset, '0'..='~') => State::Text,
            (State::String(_), '\u{1b}') => State::StringEscape,
            (State::String(len), _) if len < MAX_STRING => State::String(len + 1),
            (_, '\u{1b}') => State::Escape,
            (State::Text, '\u{9b}') | (State::Escape | State::StringEscape, '[') | (State::Csi, ' '..='?') => State::Csi,
            (State::Text, '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}') | (State::Escape | State::StringEscape, ']' | 'P' | 'X' | '^' | '_') => State::String(0),
            (State::Escape | State::StringEscape | State::Charset, ' '..='/') => State::Charset,
            (State::Escape | State::StringEscape, '0'..='~') => State::Text,
            // What a terminal does with a control character in a sequence: it acts, and the sequence goes on.
            (state @ (State::Csi | State::Escape | State::StringEscape | State::Charset), c) if c.is_ascii_control() => {
                self.control(c, out);
                state
            }
            // Text, and what no sequence can hold.
            (State::Text | State::Escape | State::StringEscape | State::Charset | State::Csi | State::String(_), c) => {
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
#[path = "clean_tests.rs"]
mod tests;
