//! Markdown to styled rows at a width, for texts that may still grow.
//!
//! A [`Stream`] keeps what is finished and reads only the open block again, so the cost of a streamed reply is linear.
//! Must not: know where the text comes from, or keep anything but rows and reading positions.

mod render;
mod rows;
mod split;
mod table;
#[cfg(test)]
mod tests;

pub use rows::Rows;

use crate::ui::theme::Theme;
use ratatui::text::Line;
use rows::Mark;
use split::{Piece, Splitter};

/// How to lay out.
#[derive(Copy, Clone, Debug)]
pub struct Look<'a> {
    /// Colours.
    pub theme: &'a Theme,
    /// Cells of a row, the indent included.
    pub width: usize,
    /// Spaces before every row.
    pub indent: usize,
}

/// A text that grows at its end, laid out as far as it is known.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    splitter: Splitter,
    /// Rows that are finished.
    frozen: Mark,
    /// Bytes that were laid out so far, for tests of linearity.
    work: usize,
}

impl Stream {
    /// Bring `rows` (from the former call, unchanged but for colours) up to date with a text that starts with the former
    /// one. With `done` the text is whole.
    pub fn update(&mut self, text: &str, done: bool, rows: &mut Rows, look: &Look<'_>) {
        rows.truncate(self.frozen);
        let pieces = self.splitter.feed(text);
        self.render(&pieces, text, false, rows, look);
        self.frozen = rows.mark();
        let mut rest = self.clone();
        let pieces = rest.splitter.finish(text);
        rest.render(&pieces, text, !done, rows, look);
        if done {
            rest.frozen = rows.mark();
            *self = rest;
        } else {
            self.work = rest.work;
        }
    }

    /// Bytes that were laid out so far, repetitions included.
    #[must_use]
    pub fn work(&self) -> usize {
        self.work
    }

    fn render(&mut self, pieces: &[Piece], text: &str, open: bool, rows: &mut Rows, look: &Look<'_>) {
        for piece in pieces {
            match piece {
                Piece::Text { range, head, gap } => {
                    let part = text.get(range.clone()).unwrap_or_default();
                    self.work += part.len();
                    space(rows, *gap);
                    match head.clone().and_then(|h| text.get(h)) {
                        Some(head) => render::blocks(&format!("{head}{part}"), look, open, &mut rows.lines),
                        None => render::blocks(part, look, open, &mut rows.lines),
                    }
                }
                Piece::CodeStart { language, gap } => {
                    space(rows, *gap);
                    rows.start_code(text.get(language.clone()).unwrap_or_default());
                }
                Piece::CodeLine(range) => {
                    let line = text.get(range.clone()).unwrap_or_default();
                    self.work += line.len();
                    rows.push_code(line, range.clone(), open, look);
                }
                Piece::CodeEnd => {}
            }
        }
    }
}

/// An empty row between blocks, not before the first.
fn space(rows: &mut Rows, gap: bool) {
    if gap && !rows.lines.is_empty() {
        rows.lines.push(Line::default());
    }
}

/// A whole text, with all its colours.
#[must_use]
pub fn lines(text: &str, look: &Look<'_>) -> Vec<Line<'static>> {
    let mut rows = Rows::default();
    Stream::default().update(text, true, &mut rows, look);
    rows.paint_all(text, look);
    rows.lines
}
