//! Own wrapping of styled text by display width, before anything reaches a buffer (CASES E01).
//!
//! Graphemes are never cut; a wide one that does not fit moves to the next row; tabs are expanded; control bytes are left out.
//! Must not: lose a visible grapheme, give a row wider than asked, or keep borrowed text.

use ratatui::buffer::CellWidth;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Cells between tab stops.
pub const TAB: usize = 4;

/// What stands before the first row and before the others.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Indent {
    /// Before the first row.
    pub first: Vec<Span<'static>>,
    /// Before all other rows.
    pub rest: Vec<Span<'static>>,
}

impl Indent {
    /// Nothing.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// The same spaces before every row.
    #[must_use]
    pub fn spaces(n: usize) -> Self {
        let pad = vec![Span::raw(" ".repeat(n))];
        Self { first: pad.clone(), rest: pad }
    }

    /// A sign before the first row, spaces of its width before the others.
    #[must_use]
    pub fn hanging(sign: &'static str, style: Style) -> Self {
        let first = vec![Span::styled(sign, style)];
        let rest = vec![Span::raw(" ".repeat(sign.width()))];
        Self { first, rest }
    }
}

/// Where rows may be broken.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Break {
    /// Between words (and beside wide glyphs); spaces at a break go.
    Words,
    /// Anywhere between graphemes; all spaces stay: code.
    Cells,
}

/// Wrap spans to rows of at most `width` cells and add them to `out`. Line ends inside spans end a row. Without text: one row of the indent.
pub fn wrap_into(out: &mut Vec<Line<'static>>, spans: &[Span<'_>], width: usize, indent: &Indent, how: Break) {
    if width == 0 {
        return;
    }
    let mut w = Wrapper::new(out, width, indent, how);
    for span in spans {
        w.feed(&span.content, span.style);
    }
    w.finish();
}

/// As [`wrap_into`], into a new list.
#[must_use]
pub fn wrap(spans: &[Span<'_>], width: usize, indent: &Indent, how: Break) -> Vec<Line<'static>> {
    let mut out = Vec::new();
    wrap_into(&mut out, spans, width, indent, how);
    out
}

struct Wrapper<'a> {
    out: &'a mut Vec<Line<'static>>,
    width: usize,
    /// The rest indent, or nothing when it would leave no room.
    rest: &'a [Span<'static>],
    how: Break,
    /// The row that is being made.
    row: Vec<Span<'static>>,
    text: String,
    style: Style,
    /// Cells of content in the row, without the indent.
    used: usize,
    /// Cells for content in the row.
    room: usize,
    /// Spaces that wait for a word.
    spaces: (usize, Style),
    /// The word that is being read: its text, and where each style ends.
    word: String,
    styles: Vec<(usize, Style)>,
    word_wide: usize,
}

impl<'a> Wrapper<'a> {
    fn new(out: &'a mut Vec<Line<'static>>, width: usize, indent: &'a Indent, how: Break) -> Self {
        let fits = |spans: &'a [Span<'static>]| if super::row::width(spans) < width { spans } else { &[] };
        let (first, rest) = (fits(&indent.first), fits(&indent.rest));
        Self {
            out,
            width,
            rest,
            how,
            row: first.to_vec(),
            text: String::new(),
            style: Style::new(),
            used: 0,
            room: width - super::row::width(first),
            spaces: (0, Style::new()),
            word: String::new(),
            styles: Vec::new(),
            word_wide: 0,
        }
    }

    fn feed(&mut self, text: &str, style: Style) {
        let mut rest = text;
        while let Some(first) = rest.as_bytes().first() {
            let n = match first {
                b'\n' => {
                    self.flush_word();
                    self.end_row();
                    self.spaces.0 = 0;
                    1
                }
                b'\t' => {
                    self.flush_word();
                    let column = self.used + self.spaces.0;
                    self.space(TAB - column % TAB, style);
                    1
                }
                b' ' => {
                    self.flush_word();
                    let n = rest.bytes().take_while(|b| *b == b' ').count();
                    self.space(n, style);
                    n
                }
                0..=0x1f | 0x7f => 1,
                0x21..=0x7e => self.ascii(rest, style),
                _ => self.grapheme(rest, style),
            };
            rest = rest.get(n..).unwrap_or_default();
        }
    }

    fn space(&mut self, n: usize, style: Style) {
        match self.how {
            Break::Words => {
                if self.spaces.0 == 0 {
                    self.spaces.1 = style;
                }
                self.spaces.0 += n;
            }
            Break::Cells => (0..n).for_each(|_| self.cell(" ", 1, style)),
        }
    }

    /// A run of plain characters. The last one may carry a combining mark: then it is a grapheme of its own.
    fn ascii(&mut self, rest: &str, style: Style) -> usize {
        let bytes = rest.as_bytes();
        let run = bytes.iter().take_while(|b| (0x21..=0x7e).contains(*b)).count();
        let run = if bytes.get(run).is_some_and(|b| *b >= 0x80) { run - 1 } else { run };
        let Some(text) = rest.get(..run).filter(|t| !t.is_empty()) else { return self.grapheme(rest, style) };
        match self.how {
            Break::Words => self.add_word(text, run, style),
            Break::Cells => {
                let mut text = text;
                while !text.is_empty() {
                    if self.used >= self.room {
                        self.end_row();
                    }
                    let (now, later) = text.split_at(text.len().min(self.room.saturating_sub(self.used).max(1)));
                    self.emit(now, now.len(), style);
                    text = later;
                }
            }
        }
        run
    }

    fn grapheme(&mut self, rest: &str, style: Style) -> usize {
        let Some(g) = rest.graphemes(true).next() else { return rest.len() };
        if !g.chars().any(char::is_control) {
            let wide = usize::from(g.cell_width());
            match self.how {
                Break::Cells => self.cell(g, wide, style),
                // Between wide glyphs a row may be broken: scripts without spaces.
                Break::Words if wide > 1 => {
                    self.flush_word();
                    self.add_word(g, wide, style);
                    self.flush_word();
                }
                Break::Words => self.add_word(g, wide, style),
            }
        }
        g.len()
    }

    fn add_word(&mut self, text: &str, wide: usize, style: Style) {
        self.word.push_str(text);
        self.word_wide += wide;
        match self.styles.last_mut() {
            Some((end, s)) if *s == style => *end = self.word.len(),
            _ => self.styles.push((self.word.len(), style)),
        }
    }

    fn flush_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let (mut spaces, space_style) = std::mem::take(&mut self.spaces);
        if self.used + spaces + self.word_wide > self.room {
            if self.used > 0 {
                self.end_row();
                spaces = 0;
            } else {
                spaces = spaces.min(self.room / 2);
            }
        }
        if spaces > 0 {
            self.emit(&" ".repeat(spaces), spaces, space_style);
        }
        let word = std::mem::take(&mut self.word);
        let styles = std::mem::take(&mut self.styles);
        let fits = self.used + self.word_wide <= self.room;
        let mut from = 0;
        for (end, style) in &styles {
            let piece = word.get(from..*end).unwrap_or_default();
            if fits {
                self.emit(piece, 0, *style);
            } else {
                for g in piece.graphemes(true) {
                    self.cell(g, usize::from(g.cell_width()), *style);
                }
            }
            from = *end;
        }
        if fits {
            self.used += self.word_wide;
        }
        // Keep the allocations for the next word.
        (self.word, self.styles) = (word, styles);
        self.word.clear();
        self.styles.clear();
        self.word_wide = 0;
    }

    /// One grapheme, on the next row when it does not fit here; a placeholder when it fits nowhere.
    fn cell(&mut self, g: &str, wide: usize, style: Style) {
        if wide > self.room.max(self.width - super::row::width(self.rest)) {
            return self.cell("…", 1, style);
        }
        if self.used + wide > self.room {
            self.end_row();
        }
        self.emit(g, wide, style);
    }

    fn emit(&mut self, text: &str, wide: usize, style: Style) {
        if style != self.style {
            self.end_span();
            self.style = style;
        }
        self.text.push_str(text);
        self.used += wide;
    }

    fn end_span(&mut self) {
        if !self.text.is_empty() {
            self.row.push(Span::styled(std::mem::take(&mut self.text), self.style));
        }
    }

    fn end_row(&mut self) {
        self.end_span();
        let row = std::mem::replace(&mut self.row, self.rest.to_vec());
        self.out.push(Line::from(row));
        self.room = self.width - super::row::width(self.rest);
        self.used = 0;
    }

    fn finish(mut self) {
        self.flush_word();
        self.end_row();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::widgets::testing::texts;
    use proptest::prelude::*;

    fn words(text: &str, width: usize) -> Vec<String> {
        texts(&wrap(&[Span::raw(text)], width, &Indent::none(), Break::Words))
    }

    #[test]
    fn e01_wide_character_at_the_edge() {
        assert_eq!(words("a🌞b", 2), ["a", "🌞", "b"]);
        assert_eq!(words("a你b", 2), ["a", "你", "b"]);
        assert_eq!(words("a你b", 1), ["a", "…", "b"]);
        assert_eq!(words("你好吗", 5), ["你好", "吗"]);
    }

    #[test]
    fn e03_tabs_are_expanded_and_control_bytes_left_out() {
        assert_eq!(words("a\tb", 20), ["a   b"]);
        assert_eq!(words("a\0b\rc\x07d", 20), ["abcd"]);
        let code = wrap(&[Span::raw("\tx\ty")], 20, &Indent::none(), Break::Cells);
        assert_eq!(texts(&code), ["    x   y"]);
    }

    #[test]
    fn rows_break_between_words_and_long_words_anywhere() {
        assert_eq!(words("one two three", 8), ["one two", "three"]);
        assert_eq!(words("a abcdefghij b", 4), ["a", "abcd", "efgh", "ij b"]);
        assert_eq!(words("  deep", 10), ["  deep"]);
        assert_eq!(words("one\n\ntwo", 10), ["one", "", "two"]);
        assert_eq!(words("", 10), [""]);
        assert!(words("x", 0).is_empty());
    }

    #[test]
    fn styles_and_hanging_indents_survive() {
        let bold = Style::new().add_modifier(ratatui::style::Modifier::BOLD);
        let spans = [Span::raw("one "), Span::styled("tw", bold), Span::raw("o three")];
        let lines = wrap(&spans, 9, &Indent::hanging("- ", Style::new()), Break::Words);
        assert_eq!(texts(&lines), ["- one two", "  three"]);
        assert_eq!(lines[0].spans.iter().find(|s| s.style == bold).unwrap().content, "tw");
        let narrow = wrap(&spans, 2, &Indent::hanging("- ", Style::new()), Break::Words);
        assert!(narrow.iter().all(|l| l.width() <= 2), "an indent without room is left out");
    }

    fn visible(text: &str) -> String {
        text.chars().filter(|c| unicode_width::UnicodeWidthChar::width(*c).unwrap_or(0) > 0 && !c.is_control() && *c != ' ').collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn e01_no_row_is_too_wide_and_no_visible_grapheme_is_lost(text in "(\\PC|[ \t\n]|你|🌞|é|👩‍👩‍👧|\u{200b}){0,60}", width in 2usize..30, cells: bool) {
            let how = if cells { Break::Cells } else { Break::Words };
            prop_assume!(text.graphemes(true).all(|g| g.chars().any(char::is_control) || usize::from(g.cell_width()) <= width));
            let lines = wrap(&[Span::raw(text.clone())], width, &Indent::none(), how);
            let mut all = String::new();
            for line in &lines {
                prop_assert!(line.width() <= width, "{:?} is wider than {width}", line);
                all.extend(line.spans.iter().map(|s| s.content.as_ref()));
            }
            prop_assert_eq!(visible(&all), visible(&text));
        }
    }
}
