//! Text from outside made safe for the history and the screen (SPEC T5): escape sequences and control bytes go,
//! progress lines keep their last state, tabs stay. Works on streams: nothing depends on where a read was split.

use std::borrow::Cow;

/// Characters of an unfinished line that are held back for a carriage return, at most; then they are final.
const MAX_PENDING: usize = 64 * 1024;
/// Characters of an escape sequence, at most; what follows is text again.
const MAX_SEQUENCE: usize = 4096;

/// The whole text cleaned: escape sequences (CSI, OSC, DCS and others) and control characters removed, `\r\n` as `\n`,
/// of a line that was overwritten by carriage returns the last state, backspaces applied, tabs kept.
#[must_use]
pub fn clean(text: &str) -> String {
    if !text.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
        return text.to_owned();
    }
    let mut cleaner = Cleaner::default();
    let mut out = cleaner.push(text.as_bytes());
    out.push_str(&cleaner.finish());
    out
}

/// As [`clean`], for bytes; what is not valid UTF-8 becomes U+FFFD.
#[must_use]
pub fn clean_bytes(bytes: &[u8]) -> String {
    let mut cleaner = Cleaner::default();
    let mut out = cleaner.push(bytes);
    out.push_str(&cleaner.finish());
    out
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

/// Where the cleaner stands in an escape sequence.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
enum State {
    #[default]
    Ground,
    /// After ESC.
    Escape,
    /// After ESC and an intermediate character: one more follows.
    EscapeRest,
    /// After CSI, until a final character.
    Csi,
    /// After OSC, DCS, SOS, PM or APC, until ST, BEL or the end of the line.
    Text,
    /// As `Text`, after ESC: a backslash ends it.
    TextEscape,
}

/// Cleans a stream piece by piece. Memory is bounded: an unfinished line of at most 64 Ki characters is held.
#[derive(Clone, Debug, Default)]
pub struct Cleaner {
    state: State,
    /// Characters since the escape sequence began.
    sequence: usize,
    /// Bytes of a character that is not complete yet; three at most.
    partial: Vec<u8>,
    /// The current line, not final: a carriage return may start it anew.
    line: String,
    /// Characters in `line`.
    count: usize,
    /// A carriage return was seen; the next visible character starts the line anew.
    rewind: bool,
}

impl Cleaner {
    /// Take the next bytes; returns what became final: whole lines (with their `\n`), or pieces of very long ones.
    #[must_use]
    pub fn push(&mut self, bytes: &[u8]) -> String {
        let mut out = String::new();
        let joined: Vec<u8>;
        let mut rest = bytes;
        if !self.partial.is_empty() {
            joined = [std::mem::take(&mut self.partial).as_slice(), bytes].concat();
            rest = &joined;
        }
        while !rest.is_empty() {
            match std::str::from_utf8(rest) {
                Ok(text) => {
                    self.take(text, &mut out);
                    break;
                }
                Err(e) => {
                    let (good, bad) = rest.split_at(e.valid_up_to());
                    self.take(std::str::from_utf8(good).unwrap_or_default(), &mut out);
                    let Some(len) = e.error_len() else {
                        self.partial = bad.to_vec();
                        break;
                    };
                    self.take("\u{fffd}", &mut out);
                    rest = bad.get(len..).unwrap_or_default();
                }
            }
        }
        out
    }

    /// The unfinished line as it stands now, for a live view.
    #[must_use]
    pub fn pending(&self) -> &str {
        &self.line
    }

    /// The stream has ended: the rest. The cleaner is as new afterwards.
    #[must_use]
    pub fn finish(&mut self) -> String {
        let mut rest = std::mem::take(&mut self.line);
        if !self.partial.is_empty() && self.state == State::Ground {
            if self.rewind {
                rest.clear();
            }
            rest.push('\u{fffd}');
        }
        *self = Self::default();
        rest
    }

    fn take(&mut self, text: &str, out: &mut String) {
        for c in text.chars() {
            self.step(c, out);
        }
    }

    fn step(&mut self, c: char, out: &mut String) {
        if self.state == State::Ground {
            return self.ground(c, out);
        }
        self.sequence += 1;
        if matches!(c, '\u{18}' | '\u{1a}') || self.sequence > MAX_SEQUENCE {
            self.state = State::Ground;
            return;
        }
        // A line end inside a sequence means that the sequence was cut off: the text goes on.
        if c == '\n' {
            self.state = State::Ground;
            return self.ground(c, out);
        }
        self.state = match (self.state, c) {
            // The end of a sequence: ST or BEL of a string, the final character of the others.
            (State::Text | State::TextEscape, '\u{7}' | '\u{9c}') | (State::TextEscape, '\\') | (State::Csi, '@'..='~') | (State::Ground, _) => State::Ground,
            (State::Text | State::TextEscape, '\u{1b}') => State::TextEscape,
            (State::Text, _) => State::Text,
            // ESC ended the string without a backslash: it begins a new sequence with this character.
            (State::TextEscape | State::Escape, c) => escape(c),
            (State::EscapeRest | State::Csi, '\u{1b}') => State::Escape,
            (State::EscapeRest, ' '..='/') => State::EscapeRest,
            (State::EscapeRest, _) => State::Ground,
            (State::Csi, _) => State::Csi,
        };
    }

    fn ground(&mut self, c: char, out: &mut String) {
        match c {
            '\n' => {
                out.push_str(&self.line);
                out.push('\n');
                self.clear();
            }
            '\r' => self.rewind = true,
            '\u{8}' => {
                if self.line.pop().is_some() {
                    self.count = self.count.saturating_sub(1);
                }
            }
            '\u{1b}' => self.enter(State::Escape),
            '\u{9b}' => self.enter(State::Csi),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => self.enter(State::Text),
            c if c.is_control() && c != '\t' => {}
            c => {
                if self.rewind {
                    self.clear();
                }
                self.line.push(c);
                self.count += 1;
                if self.count >= MAX_PENDING {
                    out.push_str(&self.line);
                    self.clear();
                }
            }
        }
    }

    fn enter(&mut self, state: State) {
        self.state = state;
        self.sequence = 0;
    }

    fn clear(&mut self) {
        self.line.clear();
        self.count = 0;
        self.rewind = false;
    }
}

/// The state after ESC and this character.
fn escape(c: char) -> State {
    match c {
        '[' => State::Csi,
        ']' | 'P' | 'X' | '^' | '_' => State::Text,
        ' '..='/' => State::EscapeRest,
        '\u{1b}' => State::Escape,
        _ => State::Ground,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c05_control_bytes_and_escape_sequences_are_removed() {
        assert_eq!(clean_bytes(b"a\0b\x1b[31mred\x1b[0m\x1b[2J\xff end\n"), "abred\u{fffd} end\n");
        assert_eq!(clean("\x1b[?1049l\x1b]0;title\x07x\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\"), "xlink");
        assert_eq!(clean("\x1bPq#0;2;0\x1b\\a\x1b(Bb\x1b7c\u{9b}31md"), "abcd");
        assert_eq!(clean_bytes(b"\xff\xfe ok"), "\u{fffd}\u{fffd} ok");
        assert_eq!(clean("plain ─ 🌍\ttab\n"), "plain ─ 🌍\ttab\n");
    }

    #[test]
    fn an_unfinished_sequence_swallows_no_further_line() {
        assert_eq!(clean("a\x1b]0;never ended\nb\n"), "a\nb\n");
        assert_eq!(clean("a\x1b[31\nb"), "a\nb");
        assert_eq!(clean(&format!("\x1b]{}END", "x".repeat(MAX_SEQUENCE))), "END");
    }

    #[test]
    fn e03_progress_lines_show_the_last_state() {
        assert_eq!(clean("10%\r20%\r100%\ndone\r\n"), "100%\ndone\n");
        assert_eq!(clean("50%\r"), "50%");
        assert_eq!(clean("Downloading 100%\r\x1b[KDone\n"), "Done\n");
        assert_eq!(clean("|\u{8}/\u{8}-\u{8} ok"), " ok");
    }

    #[test]
    fn c05_the_result_does_not_depend_on_where_the_stream_is_split() {
        let raw = "a\u{301}─🌍\x1b[1;31mred\x1b]0;t\x1b\\x\r50%\ré\r\n\u{9b}1mend\x08".as_bytes();
        let whole = clean_bytes(raw);
        for at in 0..=raw.len() {
            let mut cleaner = Cleaner::default();
            let mut out = cleaner.push(&raw[..at]);
            out += &cleaner.push(&raw[at..]);
            out += &cleaner.finish();
            assert_eq!(out, whole, "split at {at}");
        }
        let mut cleaner = Cleaner::default();
        let mut out: String = raw.iter().map(|b| cleaner.push(&[*b])).collect();
        out += &cleaner.finish();
        assert_eq!(out, whole);
    }

    #[test]
    fn a_cut_character_at_the_end_is_replaced_and_a_line_without_end_is_bounded() {
        assert_eq!(clean_bytes("ab─".as_bytes().get(..4).unwrap()), "ab\u{fffd}");
        let mut cleaner = Cleaner::default();
        let out = cleaner.push("x".repeat(3 * MAX_PENDING + 5).as_bytes());
        assert_eq!((out.len(), cleaner.pending().len()), (3 * MAX_PENDING, 5));
    }

    #[test]
    fn visible_hides_nothing() {
        assert_eq!(visible("a\0b\x1b[1m\x7f\tx\n"), "a␀b␛[1m␡\tx\n");
        assert!(matches!(visible("plain\n"), Cow::Borrowed(_)));
    }
}
