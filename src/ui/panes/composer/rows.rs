//! The typed lines as rows of the screen, by graphemes and display width, and the way back from a place to a character.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Distance of tab stops in columns.
const TAB: usize = 4;

/// One row of the screen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The typed line, from 0.
    pub line: usize,
    /// The first character of the row in its line.
    pub start: usize,
    /// Behind the last character.
    pub end: usize,
    /// The last row of its line.
    pub last: bool,
    /// (characters, columns, what is drawn) of each grapheme.
    pub cells: Vec<(usize, usize, String)>,
}

impl Row {
    fn new(line: usize, start: usize) -> Self {
        Self { line, start, end: start, last: false, cells: Vec::new() }
    }

    fn columns(&self) -> usize {
        self.cells.iter().map(|c| c.1).sum()
    }

    fn push(&mut self, grapheme: &str) {
        let (width, shown) = draw_as(grapheme, self.columns());
        let chars = grapheme.chars().count();
        self.end += chars;
        self.cells.push((chars, width, shown));
    }

    /// The character (in its line) that stands at or before a column.
    #[must_use]
    pub fn char_at(&self, column: usize) -> usize {
        let (mut at, mut char) = (0, self.start);
        for (i, (chars, width, _)) in self.cells.iter().enumerate() {
            // The place behind the last character of a broken line belongs to the next row.
            if at + width > column || (!self.last && i + 1 == self.cells.len()) {
                break;
            }
            at += width;
            char += chars;
        }
        char
    }
}

/// Width and look of a grapheme that begins at a column. A character without width of its own (a joiner typed alone) is drawn as
/// a dot, so that the cursor never stands inside nothing.
fn draw_as(grapheme: &str, column: usize) -> (usize, String) {
    if grapheme == "\t" {
        let n = TAB - column % TAB;
        return (n, " ".repeat(n));
    }
    match grapheme.width() {
        0 => (1, "·".into()),
        n => (n, grapheme.to_owned()),
    }
}

/// Break lines into rows of `columns` columns, one of which stays free for the cursor. Never empty.
#[must_use]
pub fn rows(lines: &[String], columns: usize) -> Vec<Row> {
    let room = columns.saturating_sub(1).max(1);
    let mut out = Vec::new();
    for (n, line) in lines.iter().enumerate() {
        let mut row = Row::new(n, 0);
        let mut used = 0;
        for word in line.split_word_bounds() {
            let wide: usize = word.graphemes(true).map(|g| draw_as(g, 0).0).sum();
            if used > 0 && used + wide > room && wide <= room && !word.trim().is_empty() {
                let next = Row::new(n, row.end);
                out.push(std::mem::replace(&mut row, next));
                used = 0;
            }
            for g in word.graphemes(true) {
                let width = draw_as(g, used).0;
                if used > 0 && used + width > room {
                    let next = Row::new(n, row.end);
                    out.push(std::mem::replace(&mut row, next));
                    used = 0;
                }
                row.push(g);
                used = row.cells.last().map_or(used, |c| used + c.1);
            }
        }
        row.last = true;
        out.push(row);
    }
    if out.is_empty() {
        out.push(Row { last: true, ..Row::new(0, 0) });
    }
    out
}

/// The cursor (line, character) as (row, column).
#[must_use]
pub fn locate(rows: &[Row], (line, character): (usize, usize)) -> (usize, usize) {
    let found = rows.iter().position(|r| r.line == line && (character < r.end || (r.last && character >= r.start)));
    let n = found.unwrap_or(rows.len().saturating_sub(1));
    let Some(row) = rows.get(n) else { return (0, 0) };
    let (mut at, mut column) = (row.start, 0);
    for (chars, width, _) in &row.cells {
        if at + chars > character {
            break;
        }
        at += chars;
        column += width;
    }
    (n, column)
}
