//! Text from outside made harmless for a terminal: escape sequences, control bytes and direction marks are taken out.
//!
//! Must not: touch line ends and tabs (tabs are expanded where columns are known), or copy a text that is clean.

use std::borrow::Cow;

/// A text without anything that a terminal would act on. Escape sequences go as a whole; of a line that was written over
/// with carriage returns the last state stays.
#[must_use]
pub fn clean(text: &str) -> Cow<'_, str> {
    if is_clean(text) { Cow::Borrowed(text) } else { Cow::Owned(scrub(text)) }
}

/// Nothing but printable characters, line ends and tabs. A scan of bytes: it runs over everything that is drawn.
fn is_clean(text: &str) -> bool {
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

fn scrub(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut line = 0;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' => {
                out.push(c);
                line = out.len();
            }
            '\t' => out.push(c),
            '\r' => {
                // A line end of two characters, the end of the text, or a line that is written anew.
                if chars.peek().is_some_and(|n| !matches!(n, '\n' | '\r')) {
                    out.truncate(line);
                }
            }
            '\u{8}' => {
                if out.len() > line {
                    out.pop();
                }
            }
            '\u{1b}' => escape(&mut chars),
            '\u{9b}' => control_sequence(&mut chars),
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => string(&mut chars),
            '\u{2028}' | '\u{2029}' => out.push(' '),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => {}
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Behind ESC.
fn escape(chars: &mut Chars<'_>) {
    match chars.peek() {
        Some('[') => {
            chars.next();
            control_sequence(chars);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            chars.next();
            string(chars);
        }
        Some(' '..='/') => {
            while chars.next_if(|c| matches!(c, ' '..='/')).is_some() {}
            chars.next_if(|c| matches!(c, '0'..='~'));
        }
        Some('0'..='~') => {
            chars.next();
        }
        _ => {}
    }
}

/// Parameters and one final character. Anything else ends it unread.
fn control_sequence(chars: &mut Chars<'_>) {
    while chars.next_if(|c| matches!(c, ' '..='?')).is_some() {}
    chars.next_if(|c| matches!(c, '@'..='~'));
}

/// A title, a clipboard or another string: until BEL, ST or the end of the line (an unended one must not swallow the rest).
fn string(chars: &mut Chars<'_>) {
    while let Some(c) = chars.next_if(|c| *c != '\n') {
        match c {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                chars.next_if(|c| *c == '\\');
                return;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e03_sequences_go_whole_and_progress_lines_show_their_last_state() {
        assert_eq!(clean("\x1b[32mok\x1b[0m"), "ok");
        assert_eq!(clean("a\0b\x07d"), "abd");
        assert_eq!(clean("\x1b]0;EVIL\x07after\tb\r\nnext"), "after\tb\nnext");
        assert_eq!(clean("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\"), "link");
        assert_eq!(clean("10%\r50%\rdone\n"), "done\n");
        assert_eq!(clean("\u{9b}2Jx\u{85}"), "x");
        assert_eq!(clean("a\u{202e}b\u{2066}c"), "abc");
        assert_eq!(clean("\x1b]0;no end\nrest"), "\nrest");
        assert_eq!(clean("ab\u{8}c"), "ac");
        assert_eq!(clean("\x1b(Bx\x1b[?1049ly\x1b"), "xy");
    }

    #[test]
    fn clean_text_is_not_copied() {
        assert!(matches!(clean("plain 你好 🌞\n\tcode – “q”"), Cow::Borrowed(_)));
    }
}
