//! Draws the input line, its completions and the history search.

use super::Composer;
use super::complete::ROWS;
use crate::ui::draw::paint;
use crate::ui::theme::Theme;
use crate::ui::widgets::put::fill;
use crate::ui::widgets::row::flat;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// The sign before the text, with the air around it.
const SIGN: &str = " ❯ ";
/// Its columns.
const SIGN_COLUMNS: u16 = 3;

/// Columns of the text in a pane of this width.
#[must_use]
pub const fn text_columns(width: u16) -> u16 {
    if width > SIGN_COLUMNS + 4 { width - SIGN_COLUMNS } else { width }
}

/// Draw the line; returns where the hardware cursor belongs.
pub fn draw(buf: &mut Buffer, area: Rect, composer: &mut Composer, theme: &Theme) -> Option<Position> {
    if area.is_empty() {
        return None;
    }
    if composer.search.is_some() {
        return Some(draw_search(buf, area, composer, theme));
    }
    let columns = text_columns(area.width);
    let x = area.x + (area.width - columns);
    if columns < area.width {
        paint::put(buf, area, area.x, area.y, SIGN_COLUMNS, SIGN, theme.accent);
    }
    composer.columns = usize::from(columns);
    let (rows, (at, column)) = composer.rows(composer.columns);
    let height = usize::from(area.height);
    let highest = rows.len().saturating_sub(height);
    composer.top = composer.top.min(highest).clamp(at.saturating_sub(height - 1), at);
    let pills = composer.pill_ranges();
    for (n, row) in rows.iter().skip(composer.top).take(height).enumerate() {
        let y = area.y + u16::try_from(n).unwrap_or(0);
        let (mut to, mut char) = (x, row.start);
        for (chars, _, shown) in &row.cells {
            let pill = pills.iter().any(|(line, start, end)| *line == row.line && (*start..*end).contains(&char));
            to = paint::put(buf, area, to, y, area.right().saturating_sub(to), shown, if pill { theme.accent } else { theme.text });
            char += chars;
        }
    }
    let column = u16::try_from(column).unwrap_or(u16::MAX);
    Some(Position { x: x.saturating_add(column).min(area.right() - 1), y: area.y + u16::try_from(at - composer.top).unwrap_or(0) })
}

fn draw_search(buf: &mut Buffer, area: Rect, composer: &Composer, theme: &Theme) -> Position {
    let search = composer.search.clone().unwrap_or_default();
    let found = composer.history.find(&search);
    let x = paint::put(buf, area, area.x, area.y, area.width, &format!(" search: {}", flat(&search.query)), theme.accent);
    let cursor = Position { x: x.min(area.right() - 1), y: area.y };
    let (text, style) = found.map_or(("nothing found".to_owned(), theme.warn), |t| (flat(&t.replace('\n', " ⏎ ")), theme.text));
    paint::put_cut(buf, area, x.saturating_add(3), area.y, area.right().saturating_sub(x.saturating_add(3)), &text, style);
    cursor
}

/// Draw open completions in the lower end of `over` (the place above the input line).
pub fn draw_popup(buf: &mut Buffer, over: Rect, composer: &Composer, theme: &Theme) {
    let Some(popup) = &composer.popup else { return };
    let rows = popup.items.len().min(ROWS).min(usize::from(over.height));
    if rows == 0 || over.width < 8 {
        return;
    }
    let first = (popup.selected + 1).saturating_sub(rows);
    let height = u16::try_from(rows).unwrap_or(0);
    let area = Rect { y: over.bottom() - height, height, ..over };
    fill(buf, area, theme.text);
    let shown = || popup.items.iter().enumerate().skip(first).take(rows);
    let label_width = shown().map(|(_, i)| paint::width(&i.label)).max().unwrap_or(0).min(usize::from(area.width) * 2 / 3);
    let label_width = u16::try_from(label_width).unwrap_or(0);
    for (n, (index, item)) in shown().enumerate() {
        let y = area.y + u16::try_from(n).unwrap_or(0);
        let selected = index == popup.selected;
        paint::put(buf, area, area.x, y, 3, if selected { " ▸ " } else { "   " }, theme.accent);
        let style = if selected { theme.accent } else { theme.text };
        paint::put_cut(buf, area, area.x + 3, y, label_width, &item.label, style);
        let x = area.x.saturating_add(3 + label_width + 2);
        paint::put_cut(buf, area, x, y, area.right().saturating_sub(x), &flat(&item.detail), theme.muted);
    }
}
