//! Cuts growing Markdown into blocks that are finished: what was cut off never has to be read again.
//!
//! A cut depends on the text before it only, never on how the text was delivered: so a streamed reply and the same reply
//! after a resume are drawn alike. Every open block is bounded, whatever the text: that keeps streaming linear.

use std::ops::Range;

/// From this size on a paragraph is cut at the next good place.
const LONG: usize = 4 * 1024;
/// From here on at any space, from twice of it on anywhere.
const TOO_LONG: usize = 16 * 1024;
/// From this size on a list is cut before its next item.
const LIST: usize = 2 * 1024;
/// From this size on a quote is cut before its next line.
const QUOTE: usize = 8 * 1024;
/// From this size on a table is cut before its next row; its head is repeated.
const TABLE: usize = 16 * 1024;
/// From this size on anything is cut before the next line.
const ANYTHING: usize = 64 * 1024;

/// A part of the text, in order. Ranges are bytes of the whole text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Blocks to be parsed.
    Text {
        /// Where they are.
        range: Range<usize>,
        /// The head of a table that goes on here.
        head: Option<Range<usize>>,
        /// An empty row stands before it.
        gap: bool,
    },
    /// A fenced code block begins.
    CodeStart {
        /// Its language word.
        language: Range<usize>,
        /// An empty row stands before it.
        gap: bool,
    },
    /// A line of code without its line end.
    CodeLine(Range<usize>),
    /// The code block ends.
    CodeEnd,
}

/// What the open block is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Kind {
    Paragraph,
    Heading,
    List,
    Quote,
    Table,
    /// Indented code, HTML.
    Other,
}

/// An open code fence.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Fence {
    mark: u8,
    len: usize,
    indent: usize,
}

/// Where the reading of a growing text stands.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Splitter {
    /// Start of the open block.
    start: usize,
    /// Start of the line that is being read.
    line: usize,
    /// Everything before is read (differs from `line` inside a very long line).
    pos: usize,
    /// The start of the current line was judged already.
    begun: bool,
    kind: Option<Kind>,
    /// Lines of the open block so far.
    lines: usize,
    /// The last line was empty.
    blank: bool,
    gap: bool,
    head: Option<Range<usize>>,
    carried: Option<Range<usize>>,
    /// A code block at the top level.
    code: Option<Fence>,
    /// A piece of the current code line was given.
    code_cut: bool,
    /// A fence inside a list or quote.
    nested: Option<Fence>,
}

impl Splitter {
    /// Read what is new and give the pieces that are finished.
    pub fn feed(&mut self, text: &str) -> Vec<Piece> {
        let mut out = Vec::new();
        while let Some(n) = text.as_bytes().get(self.pos..).and_then(|rest| rest.iter().position(|b| *b == b'\n')) {
            let end = self.pos + n;
            self.whole_line(text, end, (end + 1).min(text.len()), &mut out);
        }
        if text.len().saturating_sub(self.line) >= LONG {
            if !self.begun {
                self.begin(text, text.len(), &mut out);
            }
            self.inside_line(text, text.len(), &mut out);
            if self.code.is_none() {
                self.pos = text.len();
            }
        }
        out
    }

    /// Take the rest of the text as its end.
    pub fn finish(&mut self, text: &str) -> Vec<Piece> {
        let mut out = Vec::new();
        if self.line < text.len() {
            self.whole_line(text, text.len(), text.len(), &mut out);
        }
        self.flush(text.len(), &mut out);
        if self.code.take().is_some() {
            out.push(Piece::CodeEnd);
        }
        out
    }

    /// A line from `self.line` to `end`; the next one starts at `next`.
    fn whole_line(&mut self, text: &str, end: usize, next: usize, out: &mut Vec<Piece>) {
        if !self.begun {
            self.begin(text, end, out);
        }
        if self.code.is_some() {
            if self.kind.is_none() {
                self.inside_line(text, end, out);
                let rest = self.pos.max(self.line)..end;
                if !(self.code_cut && rest.is_empty()) {
                    out.push(Piece::CodeLine(self.unindented(text, rest)));
                }
            }
            self.kind = None;
            self.start = next;
        } else if self.kind.is_none() {
            self.start = next;
        } else {
            self.lines += 1;
            if self.kind == Some(Kind::Table) && self.lines == 2 && self.head.is_none() {
                if is_delimiter(slice(text, self.line..end)) {
                    self.head = Some(self.start..next);
                } else {
                    // Bars alone make no table.
                    self.kind = Some(Kind::Paragraph);
                }
            }
            self.inside_line(text, end, out);
            if self.kind == Some(Kind::Heading) {
                self.flush(next, out);
            }
        }
        (self.line, self.pos, self.begun, self.code_cut) = (next, next, false, false);
    }

    /// Judge the start of a line: does it end the open block?
    fn begin(&mut self, text: &str, end: usize, out: &mut Vec<Piece>) {
        self.begun = true;
        let line = slice(text, self.line..end);
        if let Some(fence) = self.code {
            if fence.is_closed_by(line) {
                self.code = None;
                out.push(Piece::CodeEnd);
            }
            return;
        }
        if line.trim().is_empty() {
            self.blank = self.kind.is_some();
            return;
        }
        if let Some(fence) = self.nested {
            if fence.is_closed_by(inner(line)) {
                self.nested = None;
            }
            if self.line - self.start >= ANYTHING {
                self.cut(false, out);
                self.kind = Some(Kind::Other);
            }
            self.blank = false;
            return;
        }
        let (kind, fence) = classify(line);
        match self.kind {
            None => (self.start, self.gap, self.kind, self.lines) = (self.line, true, Some(kind), 0),
            Some(open) => {
                if let Some(gap) = self.ends(open, kind, fence.is_some(), line) {
                    let head = (open == Kind::Table && kind == Kind::Table && !self.blank).then(|| self.head.clone()).flatten();
                    self.cut(gap, out);
                    self.carried.clone_from(&head);
                    (self.head, self.kind) = (head, Some(kind));
                }
            }
        }
        self.blank = false;
        if let Some(fence) = fence
            && self.start == self.line
        {
            let language = self.language(text, end);
            out.push(Piece::CodeStart { language, gap: self.gap });
            self.code = Some(fence);
            // The fence itself is no line of code.
            self.kind = Some(Kind::Other);
            return;
        }
        if matches!(self.kind, Some(Kind::List | Kind::Quote)) {
            self.nested = Fence::open(inner(line));
        }
    }

    /// Whether the open block ends before this line, and whether an empty row comes between.
    fn ends(&self, open: Kind, kind: Kind, fence: bool, line: &str) -> Option<bool> {
        let size = self.line - self.start;
        let inside = open == Kind::List && indent_of(line) >= 2;
        if self.blank {
            return (!inside).then_some(true);
        }
        if size >= ANYTHING {
            return Some(false);
        }
        if inside {
            return None;
        }
        if fence || kind == Kind::Heading {
            return Some(true);
        }
        match (open, kind) {
            (Kind::List, Kind::List) => (size >= LIST).then_some(false),
            (Kind::Paragraph, Kind::List) => interrupts(line).then_some(false),
            (Kind::Paragraph, Kind::Quote | Kind::Table) | (Kind::Quote, Kind::List) => Some(true),
            (Kind::Quote, Kind::Quote) => (size >= QUOTE).then_some(false),
            (Kind::Table, Kind::Table) => (size >= TABLE && self.head.is_some()).then_some(false),
            _ => None,
        }
    }

    /// End the open block before the current line.
    fn cut(&mut self, gap: bool, out: &mut Vec<Piece>) {
        let at = self.line;
        self.flush(at, out);
        (self.start, self.gap, self.lines) = (at, gap, 0);
    }

    fn flush(&mut self, end: usize, out: &mut Vec<Piece>) {
        if self.kind.take().is_some() && self.code.is_none() && self.start < end {
            out.push(Piece::Text { range: self.start..end, head: self.carried.take(), gap: self.gap });
        }
        (self.start, self.blank, self.nested, self.head, self.carried) = (end, false, None, None, None);
    }

    /// Cuts inside a long line or paragraph; a long line of code is given in pieces.
    fn inside_line(&mut self, text: &str, end: usize, out: &mut Vec<Piece>) {
        if self.code.is_some() {
            while self.kind.is_none() && end.saturating_sub(self.pos) >= LONG {
                let to = text.floor_char_boundary(self.pos + LONG);
                out.push(Piece::CodeLine(self.unindented(text, self.pos..to)));
                (self.pos, self.code_cut) = (to, true);
            }
            return;
        }
        while self.kind.is_some() {
            let from = if self.kind == Some(Kind::Paragraph) { self.start } else { self.line.max(self.start) };
            let Some(at) = good_place(slice(text, from..end)).map(|n| from + n) else { break };
            let gap = std::mem::replace(&mut self.gap, false);
            out.push(Piece::Text { range: self.start..at, head: self.carried.take(), gap });
            (self.start, self.kind, self.nested, self.head) = (at, Some(Kind::Paragraph), None, None);
        }
    }

    /// A code line without the spaces that its fence is indented by.
    fn unindented(&self, text: &str, range: Range<usize>) -> Range<usize> {
        let most = if range.start == self.line { self.code.map_or(0, |f| f.indent) } else { 0 };
        let spaces = slice(text, range.clone()).bytes().take(most).take_while(|b| *b == b' ').count();
        range.start + spaces..range.end
    }

    /// The word behind an opening fence.
    fn language(&self, text: &str, end: usize) -> Range<usize> {
        let line = slice(text, self.line..end);
        let marks = line.len() - line.trim_start().trim_start_matches(['`', '~']).len();
        let rest = line.get(marks..).unwrap_or_default();
        let from = marks + rest.len() - rest.trim_start().len();
        let word = rest.trim_start().find(|c: char| c.is_whitespace() || matches!(c, ',' | '{')).unwrap_or(rest.trim_start().len());
        self.line + from..self.line + from + word
    }
}

impl Fence {
    fn open(line: &str) -> Option<Self> {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let text = line.trim_start_matches(' ');
        let mark = *text.as_bytes().first().filter(|b| matches!(b, b'`' | b'~'))?;
        let len = text.bytes().take_while(|b| *b == mark).count();
        let info = text.get(len..).unwrap_or_default();
        (len >= 3 && indent <= 3 && !(mark == b'`' && info.contains('`'))).then_some(Self { mark, len, indent })
    }

    fn is_closed_by(self, line: &str) -> bool {
        let text = line.trim();
        text.len() >= self.len && text.bytes().all(|b| b == self.mark)
    }
}

fn slice(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

fn indent_of(line: &str) -> usize {
    line.bytes().map_while(|b| if b == b' ' { Some(1) } else { (b == b'\t').then_some(4) }).sum()
}

/// What a line would begin.
fn classify(line: &str) -> (Kind, Option<Fence>) {
    let text = line.trim_start();
    if indent_of(line) >= 4 {
        return (Kind::Other, None);
    }
    if let Some(fence) = Fence::open(line) {
        return (Kind::Other, Some(fence));
    }
    let hashes = text.bytes().take_while(|b| *b == b'#').count();
    let kind = match text.as_bytes().first() {
        Some(b'#') if hashes <= 6 && text.as_bytes().get(hashes).is_none_or(|b| matches!(b, b' ' | b'\t' | b'\r')) => Kind::Heading,
        Some(b'>') => Kind::Quote,
        Some(b'|') => Kind::Table,
        Some(b'<') => Kind::Other,
        _ if item(text).is_some() => Kind::List,
        _ => Kind::Paragraph,
    };
    (kind, None)
}

/// The length of a list marker with the space behind it.
fn item(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let digits = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
    let mark = match bytes.get(digits) {
        Some(b'-' | b'*' | b'+') if digits == 0 => 1,
        Some(b'.' | b')') if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    matches!(bytes.get(mark), Some(b' ' | b'\t')).then_some(mark + 1)
}

/// A list may interrupt a paragraph with a bullet or the number one.
fn interrupts(line: &str) -> bool {
    let text = line.trim_start();
    !text.starts_with(|c: char| c.is_ascii_digit()) || text.starts_with("1.") || text.starts_with("1)")
}

/// A line without its list and quote markers.
fn inner(line: &str) -> &str {
    let mut text = line.trim_start();
    for _ in 0..16 {
        let rest = text.strip_prefix('>').or_else(|| item(text).and_then(|n| text.get(n..)));
        let Some(rest) = rest else { break };
        text = rest.trim_start();
    }
    text
}

fn is_delimiter(line: &str) -> bool {
    line.contains('-') && line.bytes().all(|b| matches!(b, b'|' | b'-' | b':' | b' ' | b'\t' | b'\r'))
}

/// The first place in a long paragraph where a cut does no harm: behind a space, before a letter, with no inline mark
/// open; if there is none for long, behind any space; then anywhere.
fn good_place(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    if bytes.len() < LONG {
        return None;
    }
    let (mut ticks, mut stars, mut brackets) = (0usize, 0usize, 0isize);
    for (n, b) in bytes.iter().enumerate() {
        let n = n + 1;
        match b {
            b'`' => ticks += 1,
            b'*' | b'_' | b'~' => stars += 1,
            b'[' | b'(' | b'<' => brackets += 1,
            b']' | b')' | b'>' => brackets -= 1,
            b' ' | b'\n' if n >= LONG => {
                let next = bytes.get(n)?;
                let letter = next.is_ascii_alphabetic() || *next >= 0x80;
                let even = ticks % 2 == 0 && stars % 2 == 0 && brackets == 0;
                if letter && (even || n >= TOO_LONG) {
                    return Some(n);
                }
            }
            _ => {}
        }
        if n >= 2 * TOO_LONG && text.is_char_boundary(n) {
            return Some(n);
        }
    }
    None
}
