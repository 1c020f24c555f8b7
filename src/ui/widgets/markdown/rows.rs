//! Laid-out rows, and the code blocks among them that get their colours only when somebody looks at them.
//!
//! Colouring is by far the dearest step: a long reply holds thousands of lines of code that scroll by unseen.

use super::Look;
use crate::ui::widgets::highlight::Painter;
use crate::ui::widgets::wrap::{Break, Indent, wrap, wrap_into};
use crate::util::clean::for_screen;
use ratatui::text::{Line, Span};
use std::ops::Range;

/// Rows of a text.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// The rows.
    pub lines: Vec<Line<'static>>,
    code: Vec<Code>,
}

/// A fenced code block.
#[derive(Clone, Debug)]
struct Code {
    language: String,
    lines: Vec<CodeLine>,
    /// Row behind its last line.
    end: usize,
    /// Lines that have their colours.
    painted: usize,
    paint: Paint,
}

#[derive(Clone, Debug)]
struct CodeLine {
    /// Its first row.
    row: usize,
    /// Where its text stands.
    text: Range<usize>,
    /// It may still grow.
    open: bool,
}

#[derive(Clone, Debug)]
enum Paint {
    NotYet,
    /// No colours for this language or theme.
    Never,
    With(Painter),
}

/// A place up to which rows are finished.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Mark {
    pub(super) rows: usize,
    blocks: usize,
    /// Lines of the last block.
    lines: usize,
}

impl Rows {
    /// Rows without code blocks.
    #[must_use]
    pub fn plain(lines: Vec<Line<'static>>) -> Self {
        Self { lines, code: Vec::new() }
    }

    /// The place behind the last row.
    pub(super) fn mark(&self) -> Mark {
        Mark { rows: self.lines.len(), blocks: self.code.len(), lines: self.code.last().map_or(0, |c| c.lines.len()) }
    }

    /// Forget what is behind a place.
    pub(super) fn truncate(&mut self, mark: Mark) {
        self.lines.truncate(mark.rows);
        self.code.truncate(mark.blocks);
        if let Some(last) = self.code.last_mut() {
            last.lines.truncate(mark.lines);
            last.end = last.end.min(mark.rows);
        }
    }

    /// A code block begins.
    pub(super) fn start_code(&mut self, language: &str) {
        let end = self.lines.len();
        self.code.push(Code { language: language.to_owned(), lines: Vec::new(), end, painted: 0, paint: Paint::NotYet });
    }

    /// A line of the last code block, without colours.
    pub(super) fn push_code(&mut self, text: &str, range: Range<usize>, open: bool, look: &Look<'_>) {
        let row = self.lines.len();
        let line = for_screen(text);
        wrap_into(&mut self.lines, &[Span::styled(line, look.theme.code)], look.width, &indent(look), Break::Cells);
        let end = self.lines.len();
        if let Some(code) = self.code.last_mut() {
            code.lines.push(CodeLine { row, text: range, open });
            code.end = end;
        }
    }

    /// Give a row its colours, if it is a row of code without. `text` is what the rows were made from.
    pub fn paint(&mut self, row: usize, text: &str, look: &Look<'_>) {
        let block = self.code.partition_point(|c| c.lines.first().is_none_or(|l| l.row <= row));
        let Some(code) = block.checked_sub(1).and_then(|n| self.code.get_mut(n)) else { return };
        if row < code.end {
            let line = code.lines.partition_point(|l| l.row <= row);
            code.paint_to(line, text, &mut self.lines, look);
        }
    }

    /// Give all rows their colours.
    pub fn paint_all(&mut self, text: &str, look: &Look<'_>) {
        for code in &mut self.code {
            code.paint_to(code.lines.len(), text, &mut self.lines, look);
        }
    }
}

fn indent(look: &Look<'_>) -> Indent {
    Indent::spaces(look.indent + 2)
}

impl Code {
    /// Colour the lines before the `to`-th. Colours follow from the lines before, so none is left out.
    fn paint_to(&mut self, to: usize, text: &str, rows: &mut [Line<'static>], look: &Look<'_>) {
        if self.painted >= to {
            return;
        }
        if matches!(self.paint, Paint::NotYet) {
            let painter = Painter::new(&self.language, &look.theme.syntax, look.theme.code);
            self.paint = if painter.has_colours() { Paint::With(painter) } else { Paint::Never };
        }
        let Paint::With(painter) = &mut self.paint else { return };
        for n in self.painted..to {
            let Some(line) = self.lines.get(n) else { break };
            let words = for_screen(text.get(line.text.clone()).unwrap_or_default());
            // A line that may still grow must not leave a trace in the painter.
            let spans = if line.open { painter.clone().line(&words) } else { painter.line(&words) };
            let fresh = wrap(&spans, look.width, &indent(look), Break::Cells);
            let end = self.lines.get(n + 1).map_or(self.end, |l| l.row);
            // Colours could part a grapheme; then the plain rows stay.
            if let Some(old) = rows.get_mut(line.row..end).filter(|old| old.len() == fresh.len()) {
                for (old, new) in old.iter_mut().zip(fresh) {
                    *old = new;
                }
            }
            if line.open {
                return;
            }
            self.painted = n + 1;
        }
    }
}
