//! The input line: several lines, undo, pasted blocks as pills, history, completion (SPEC U6).
//!
//! Must not: send anything or touch a file. Edits go through the text area library; rows, cursor and pills are our own, because the
//! cursor must stand exactly where the text goes, also behind emoji and wide characters.

pub mod complete;
pub mod files;
pub mod history;
pub mod line;
pub mod rows;
pub mod view;

#[cfg(test)]
mod tests;

use crate::action::Action;
use complete::Popup;
use history::{History, Search};
use ratatui::layout::Rect;
use rows::Row;
use tui_textarea::{AtomicDeleteDirection, AtomicRange, CursorMove, TextArea};
use unicode_segmentation::UnicodeSegmentation;

/// A pasted text with more characters than this becomes a pill.
const PILL_CHARS: usize = 1_000;
/// A pasted text with more lines than this becomes a pill.
const PILL_LINES: usize = 10;
/// A text that is put into the line as a whole (history, editor) becomes a pill only when it is larger than this.
const WHOLE_CHARS: usize = 50_000;

/// A pasted block: its label stands in the text, its content is sent.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Pill {
    label: String,
    content: String,
}

/// The input line.
#[derive(Debug)]
pub struct Composer {
    area: TextArea<'static>,
    pills: Vec<Pill>,
    /// The first visible row.
    top: usize,
    /// Columns of the text at the last drawing: what "a line up" means on the screen.
    columns: usize,
    /// Earlier messages.
    pub history: History,
    /// A running search in the history.
    pub search: Option<Search>,
    /// Open completions.
    pub popup: Option<Popup>,
}

impl Default for Composer {
    fn default() -> Self {
        let mut area = TextArea::default();
        area.set_undo_coalescing(true);
        area.set_max_histories(200);
        Self { area, pills: Vec::new(), top: 0, columns: 80, history: History::default(), search: None, popup: None }
    }
}

/// What an action did.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Edited {
    /// The text changed.
    Text,
    /// The cursor moved, or nothing did.
    Cursor,
    /// Not an action of the input line.
    No,
}

impl Composer {
    /// Nothing is typed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// What stands in the line, pills as their labels.
    #[must_use]
    pub fn shown(&self) -> String {
        self.area.lines().join("\n")
    }

    /// What would be sent: pills replaced by their content.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (n, line) in self.area.lines().iter().enumerate() {
            if n > 0 {
                out.push('\n');
            }
            let mut rest = line.as_str();
            while let Some((at, pill)) = self.pills.iter().filter_map(|p| rest.find(&p.label).map(|at| (at, p))).min_by_key(|(at, _)| *at) {
                let (before, from) = rest.split_at(at);
                out.push_str(before);
                out.push_str(&pill.content);
                rest = &from[pill.label.len()..];
            }
            out.push_str(rest);
        }
        out
    }

    /// Cursor as (line, character), from 0.
    #[must_use]
    pub fn cursor(&self) -> (usize, usize) {
        self.area.cursor()
    }

    /// The lines as typed.
    #[must_use]
    pub fn lines(&self) -> &[String] {
        self.area.lines()
    }

    /// Forget everything in the line.
    pub fn clear(&mut self) {
        self.area.set_lines(vec![String::new()], (0, 0));
        self.pills.clear();
        self.top = 0;
        self.popup = None;
        self.search = None;
    }

    /// Put a text in place of what stands there, the cursor at its end. Very large texts become a pill.
    pub fn set(&mut self, text: &str) {
        self.clear();
        let text = sanitize(text);
        if text.chars().count() > WHOLE_CHARS {
            self.insert_pill(text);
        } else {
            self.area.set_lines(text.split('\n').map(str::to_owned).collect(), (usize::MAX, usize::MAX));
            self.sync();
        }
    }

    /// Take the text out: what is sent, with the line empty afterwards.
    pub fn take(&mut self) -> String {
        let text = self.text();
        self.clear();
        self.history.leave();
        text
    }

    /// Type a character. Control characters are ignored.
    pub fn insert(&mut self, c: char) {
        if !c.is_control() {
            self.area.insert_char(c);
            self.sync();
        }
    }

    /// A paste: never sends; line ends become one kind; control bytes are taken out; a large one becomes one pill.
    pub fn paste(&mut self, text: &str) {
        let text = sanitize(text);
        if text.is_empty() {
            return;
        }
        if text.len() > PILL_CHARS && text.chars().nth(PILL_CHARS).is_some() || text.split('\n').count() > PILL_LINES {
            self.insert_pill(text);
        } else {
            self.area.insert_str(text);
            self.sync();
        }
    }

    fn insert_pill(&mut self, content: String) {
        let lines = content.split('\n').count();
        let what = if lines > 1 { format!("{lines} lines") } else { format!("{} characters", content.chars().count()) };
        let mut label = format!("[pasted {what}]");
        let mut n = 2;
        while self.pills.iter().any(|p| p.label == label) {
            label = format!("[pasted {what} #{n}]");
            n += 1;
        }
        self.area.insert_str(&label);
        self.pills.push(Pill { label, content });
        self.sync();
    }

    /// Where pills stand: (line, first character, behind the last one).
    #[must_use]
    pub fn pill_ranges(&self) -> Vec<(usize, usize, usize)> {
        if self.pills.is_empty() {
            return Vec::new();
        }
        let mut ranges = Vec::new();
        for (row, line) in self.area.lines().iter().enumerate() {
            for pill in &self.pills {
                for (at, _) in line.match_indices(&pill.label) {
                    let start = line[..at].chars().count();
                    ranges.push((row, start, start + pill.label.chars().count()));
                }
            }
        }
        ranges.sort_unstable();
        ranges
    }

    /// After an edit: pills are one unit for the cursor.
    fn sync(&mut self) {
        let ranges = self.pill_ranges();
        let ranges = ranges.into_iter().map(|(row, start_col, end_col)| AtomicRange { row, start_col, end_col });
        if self.area.try_set_atomic_ranges(ranges).is_err() {
            self.area.clear_atomic_ranges();
        }
    }

    /// The line before the cursor, up to it.
    fn before_cursor(&self) -> &str {
        let (row, col) = self.area.cursor();
        let line = self.area.lines().get(row).map_or("", String::as_str);
        let end = line.char_indices().nth(col).map_or(line.len(), |(i, _)| i);
        &line[..end]
    }

    /// The line behind the cursor.
    fn after_cursor(&self) -> &str {
        let (row, _) = self.area.cursor();
        let line = self.area.lines().get(row).map_or("", String::as_str);
        &line[self.before_cursor().len()..]
    }

    /// A `\` right before the cursor at the end of a line: Enter then begins a new line. Takes the `\` away.
    pub fn continue_line(&mut self) -> bool {
        let continued = self.before_cursor().ends_with('\\') && self.after_cursor().is_empty();
        if continued {
            self.area.delete_char();
            self.area.insert_newline();
            self.sync();
        }
        continued
    }

    /// Replace the `chars` characters before the cursor.
    pub fn replace_before(&mut self, chars: usize, with: &str) {
        for _ in 0..chars {
            self.area.move_cursor(CursorMove::Back);
        }
        if chars > 0 {
            self.area.delete_str(chars);
        }
        self.area.insert_str(with);
        self.sync();
    }

    /// An editing or moving action.
    #[expect(clippy::wildcard_enum_match_arm, reason = "every other action belongs to somebody else")]
    pub fn act(&mut self, action: Action) -> Edited {
        let before = self.before_cursor().graphemes(true).next_back().map_or(0, |g| g.chars().count());
        let after = self.after_cursor().graphemes(true).next().map_or(0, |g| g.chars().count());
        let area = &mut self.area;
        let edited = match action {
            Action::Newline => {
                area.insert_newline();
                Edited::Text
            }
            Action::CharLeft => moved(area, CursorMove::Back, before.max(1)),
            Action::CharRight => moved(area, CursorMove::Forward, after.max(1)),
            Action::WordLeft => moved(area, CursorMove::WordBack, 1),
            Action::WordRight => moved(area, CursorMove::WordForward, 1),
            Action::LineStart => moved(area, CursorMove::Head, 1),
            Action::LineEnd => moved(area, CursorMove::End, 1),
            Action::DeleteBack => {
                if area.delete_atomic_range_at_cursor(AtomicDeleteDirection::Backward).is_none() {
                    if before > 1 {
                        moved(area, CursorMove::Back, before);
                        area.delete_str(before);
                    } else {
                        area.delete_char();
                    }
                }
                Edited::Text
            }
            Action::DeleteForward => {
                if area.delete_atomic_range_at_cursor(AtomicDeleteDirection::Forward).is_none() {
                    if after > 1 {
                        area.delete_str(after);
                    } else {
                        area.delete_next_char();
                    }
                }
                Edited::Text
            }
            Action::DeleteWordBack => text(area.delete_word()),
            Action::DeleteWordForward => text(area.delete_next_word()),
            Action::ClearLine => text(area.delete_line_by_head()),
            Action::DeleteToEnd => text(area.delete_line_by_end()),
            Action::Undo => text(area.undo()),
            Action::Redo => text(area.redo()),
            other => return self.vertical(other),
        };
        if edited == Edited::Text {
            self.sync();
        }
        edited
    }

    /// Up and down by rows of the screen, then through the history.
    fn vertical(&mut self, action: Action) -> Edited {
        let up = action == Action::LineUp;
        if !up && action != Action::LineDown {
            return Edited::No;
        }
        let (rows, (at, column)) = self.rows(self.columns);
        let target = if up { at.checked_sub(1) } else { Some(at + 1).filter(|n| *n < rows.len()) };
        if let Some(row) = target.and_then(|n| rows.get(n)) {
            let (line, character) = (row.line, row.char_at(column));
            self.jump(line, character);
            return Edited::Cursor;
        }
        let draft = self.text();
        let found = if up { self.history.older(draft) } else { self.history.newer() };
        if let Some(text) = found {
            self.set(&text);
            return Edited::Text;
        }
        Edited::Cursor
    }

    /// The rows at a width, and the cursor as (row, column) in them.
    #[must_use]
    pub fn rows(&self, columns: usize) -> (Vec<Row>, (usize, usize)) {
        let rows = rows::rows(self.area.lines(), columns);
        let at = rows::locate(&rows, self.area.cursor());
        (rows, at)
    }

    /// Rows that the text takes at a width of the whole pane (sign and air included), 1 at least.
    #[must_use]
    pub fn wanted_rows(&self, width: u16) -> u16 {
        if self.search.is_some() {
            return 1;
        }
        let rows = rows::rows(self.area.lines(), usize::from(view::text_columns(width)));
        u16::try_from(rows.len()).unwrap_or(u16::MAX).max(1)
    }

    /// A click at (`x`, `y`) of the screen, with the pane at `area`: the cursor goes there.
    pub fn click(&mut self, area: Rect, x: u16, y: u16) {
        let columns = view::text_columns(area.width);
        let (rows, _) = self.rows(usize::from(columns));
        let row = self.top + usize::from(y.saturating_sub(area.y));
        let column = x.saturating_sub(area.x + (area.width - columns));
        if let Some(row) = rows.get(row.min(rows.len().saturating_sub(1))) {
            let (line, character) = (row.line, row.char_at(usize::from(column)));
            self.jump(line, character);
        }
    }

    fn jump(&mut self, line: usize, character: usize) {
        let clamp = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        self.area.move_cursor(CursorMove::Jump(clamp(line), clamp(character)));
    }
}

fn moved(area: &mut TextArea<'static>, to: CursorMove, times: usize) -> Edited {
    for _ in 0..times {
        area.move_cursor(to);
    }
    Edited::Cursor
}

fn text(changed: bool) -> Edited {
    if changed { Edited::Text } else { Edited::Cursor }
}

/// Line ends as `\n`; no control characters but tabs and line ends.
#[must_use]
pub fn sanitize(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' => {
                if chars.peek() == Some(&'\n') {
                    chars.next();
                }
                out.push('\n');
            }
            '\n' | '\t' => out.push(c),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}
