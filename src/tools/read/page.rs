//! One page of a text: numbered lines from a line or a byte on, bounded in lines and characters, and how to go on.

use crate::util::clean::visible;
use std::fmt::Write as _;

/// Lines of a page, at most.
pub const MAX_LINES: usize = 2_000;
/// Characters of a page, at most (without the notes).
pub const MAX_CHARS: usize = 49_000;
/// Characters of a line that are shown when reading by lines.
pub const MAX_WIDTH: usize = 2_000;
/// Cut lines that get a note of their own, at most.
const MAX_CUT_NOTES: usize = 3;

/// What was asked for.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Ask {
    /// The first line, from 1; 0 counts as 1.
    pub offset: Option<usize>,
    /// Lines at most.
    pub limit: Option<usize>,
    /// The first byte of the text instead of a line.
    pub byte: Option<u64>,
}

/// A page.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Page {
    /// The numbered lines.
    pub text: String,
    /// How many lines.
    pub lines: usize,
    /// What must be known beside the lines: how to go on, what was cut.
    pub notes: Vec<String>,
}

/// A stretch of a text and where it lies in the whole.
#[derive(Copy, Clone, Debug)]
pub struct Stretch<'a> {
    /// From the first line or byte to show.
    pub text: &'a str,
    /// The number of its first line.
    pub line: usize,
    /// The byte of the whole text where it begins.
    pub byte: u64,
    /// Lines in the whole, when known.
    pub total: Option<usize>,
    /// The whole goes on behind it.
    pub more: bool,
}

impl Page {
    /// The page of a whole text.
    ///
    /// # Errors
    /// A start behind the end.
    pub fn of(text: &str, ask: &Ask) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self { text: "(the file has no text)".to_owned(), ..Self::default() });
        }
        let total = text.lines().count();
        if let Some(byte) = ask.byte {
            let at = usize::try_from(byte).unwrap_or(usize::MAX);
            if at >= text.len() {
                return Err(format!("byte_offset {byte} is behind the end: the text has {} bytes.", text.len()));
            }
            let at = text.floor_char_boundary(at);
            let line = 1 + text[..at].matches('\n').count();
            let byte = u64::try_from(at).unwrap_or(u64::MAX);
            return Ok(Self::of_stretch(&Stretch { text: &text[at..], line, byte, total: Some(total), more: false }, ask));
        }
        let line = ask.offset.unwrap_or(1).max(1);
        let start = if line == 1 { Some(0) } else { text.match_indices('\n').nth(line - 2).map(|(i, _)| i + 1) };
        match start.filter(|s| *s < text.len()) {
            Some(at) => {
                let byte = u64::try_from(at).unwrap_or(u64::MAX);
                Ok(Self::of_stretch(&Stretch { text: &text[at..], line, byte, total: Some(total), more: false }, ask))
            }
            None => Err(format!("offset {line} is behind the end: the file has {total} {}.", plural(total))),
        }
    }

    /// The page of a stretch.
    #[must_use]
    pub fn of_stretch(stretch: &Stretch<'_>, ask: &Ask) -> Self {
        let by_bytes = ask.byte.is_some();
        let width = if by_bytes { MAX_CHARS } else { MAX_WIDTH };
        let limit = ask.limit.unwrap_or(MAX_LINES).max(1);
        let (mut page, mut chars, mut at, mut cut) = (Self::default(), 0usize, 0usize, 0usize);
        let mut inside = None;
        for raw in stretch.text.split_inclusive('\n') {
            let room = MAX_CHARS.saturating_sub(chars);
            let line = raw.strip_suffix('\n').map_or(raw, |l| l.strip_suffix('\r').unwrap_or(l));
            let length = line.chars().count();
            let shown = length.min(width);
            // A whole line that does not fit any more is for the next page; a first one is shown in part.
            if page.lines >= limit || (page.lines > 0 && shown + 8 > room) {
                break;
            }
            let shown = shown.min(room.saturating_sub(8));
            let part = start(line, shown);
            let _ = writeln!(page.text, "{:>6}\t{}{}", stretch.line + page.lines, visible(part), if shown < length { "…" } else { "" });
            chars = chars.saturating_add(shown + 8);
            page.lines += 1;
            if shown < length {
                let byte = stretch.byte.saturating_add(u64::try_from(at + part.len()).unwrap_or(u64::MAX));
                cut += 1;
                if by_bytes {
                    inside = Some(byte);
                    break;
                }
                if cut <= MAX_CUT_NOTES {
                    let number = stretch.line + page.lines - 1;
                    page.notes.push(format!("line {number} has {length} characters and is cut; go on inside it with byte_offset {byte}"));
                }
            }
            at += raw.len();
        }
        page.text.truncate(page.text.trim_end_matches('\n').len());
        if cut > MAX_CUT_NOTES {
            page.notes.push(format!("{} more lines are cut at {MAX_WIDTH} characters", cut - MAX_CUT_NOTES));
        }
        page.ending(stretch, at, inside);
        page
    }

    /// The note on how to go on.
    fn ending(&mut self, stretch: &Stretch<'_>, at: usize, inside: Option<u64>) {
        let next = stretch.line + self.lines;
        let of = stretch.total.map(|t| format!(" of {t}")).unwrap_or_default();
        if let Some(byte) = inside {
            self.notes.push(format!("the line goes on; read on with byte_offset {byte}"));
        } else if at < stretch.text.len() {
            self.notes.push(format!("lines {}-{}{of}; go on with offset {next}", stretch.line, next - 1));
        } else if stretch.more {
            let byte = stretch.byte.saturating_add(u64::try_from(at).unwrap_or(u64::MAX));
            self.notes.push(format!("the file goes on; read on with byte_offset {byte}"));
        }
    }
}

const fn plural(n: usize) -> &'static str {
    if n == 1 { "line" } else { "lines" }
}

/// The first characters of a line.
fn start(line: &str, chars: usize) -> &str {
    line.char_indices().nth(chars).map_or(line, |(i, _)| line.get(..i).unwrap_or(line))
}
