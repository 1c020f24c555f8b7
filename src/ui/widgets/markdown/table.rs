//! Tables: columns aligned, shrunk to the width, cells wrapped.

use crate::ui::theme::Theme;
use crate::ui::widgets::row;
use crate::ui::widgets::wrap::{Break, Indent, wrap};
use pulldown_cmark::Alignment;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

/// The least cells of a column.
const LEAST: usize = 3;
/// What stands between columns.
const BETWEEN: &str = " │ ";

/// A table that is being read.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// Of each column.
    pub(super) align: Vec<Alignment>,
    /// The head is the first row.
    pub(super) rows: Vec<Vec<Vec<Span<'static>>>>,
}

impl Table {
    /// Lay it out to rows of at most `width` cells behind `prefix`.
    pub(super) fn lines(&self, prefix: &[Span<'static>], width: usize, theme: &Theme) -> Vec<Line<'static>> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let room = width.saturating_sub(row::width(prefix)).saturating_sub(columns.saturating_sub(1) * 3);
        if columns == 0 {
            return Vec::new();
        }
        if room < columns * LEAST {
            return self.narrow(prefix, width, theme);
        }
        let widths = self.widths(columns, room);
        let mut out = Vec::new();
        for (n, cells) in self.rows.iter().enumerate() {
            self.row(&mut out, cells, &widths, prefix, n == 0, theme);
            if n == 0 {
                let rule = widths.iter().map(|w| "─".repeat(*w)).collect::<Vec<_>>().join("─┼─");
                out.push(Line::from([prefix.to_vec(), vec![Span::styled(rule, theme.border)]].concat()));
            }
        }
        out
    }

    /// The natural width of each column; the widest are shrunk until all fit.
    fn widths(&self, columns: usize, room: usize) -> Vec<usize> {
        let natural = |c: usize| self.rows.iter().filter_map(|r| r.get(c)).map(|cell| row::width(cell)).max().unwrap_or(0);
        let mut widths: Vec<usize> = (0..columns).map(|c| natural(c).clamp(LEAST, room)).collect();
        let mut over = widths.iter().sum::<usize>().saturating_sub(room);
        while over > 0 {
            let Some(widest) = widths.iter_mut().max() else { break };
            *widest = widest.saturating_sub(1).max(1);
            over -= 1;
        }
        widths
    }

    fn row(&self, out: &mut Vec<Line<'static>>, cells: &[Vec<Span<'static>>], widths: &[usize], prefix: &[Span<'static>], head: bool, theme: &Theme) {
        let empty = Vec::new();
        let mut columns: Vec<Vec<Line<'static>>> = Vec::with_capacity(widths.len());
        for (c, w) in widths.iter().enumerate() {
            columns.push(wrap(cells.get(c).unwrap_or(&empty), *w, &Indent::none(), Break::Words));
        }
        let height = columns.iter().map(Vec::len).max().unwrap_or(0);
        for y in 0..height {
            let mut spans = prefix.to_vec();
            for (c, (w, lines)) in widths.iter().zip(&columns).enumerate() {
                if c > 0 {
                    spans.push(Span::styled(BETWEEN, theme.border));
                }
                let text = lines.get(y).map(|l| l.spans.clone()).unwrap_or_default();
                let gap = w.saturating_sub(row::width(&text));
                let left = match self.align.get(c) {
                    Some(Alignment::Right) => gap,
                    Some(Alignment::Center) => gap / 2,
                    Some(Alignment::Left | Alignment::None) | None => 0,
                };
                spans.push(Span::raw(" ".repeat(left)));
                spans.extend(text.into_iter().map(|s| if head { s.patch_style(Modifier::BOLD) } else { s }));
                // Nothing is painted behind the last column.
                if c + 1 < widths.len() {
                    spans.push(Span::raw(" ".repeat(gap - left)));
                }
            }
            out.push(Line::from(spans));
        }
    }

    /// Without room for columns: each row as text.
    fn narrow(&self, prefix: &[Span<'static>], width: usize, theme: &Theme) -> Vec<Line<'static>> {
        let indent = Indent { first: prefix.to_vec(), rest: prefix.to_vec() };
        let mut out = Vec::new();
        for cells in &self.rows {
            let mut spans = Vec::new();
            for (c, cell) in cells.iter().enumerate() {
                if c > 0 {
                    spans.push(Span::styled(BETWEEN, theme.border));
                }
                spans.extend(cell.iter().cloned());
            }
            out.extend(wrap(&spans, width, &indent, Break::Words));
        }
        out
    }
}
