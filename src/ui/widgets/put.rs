//! Lines into a buffer. Whatever the area, nothing is written outside the buffer, and no wide glyph is cut.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

/// The part of an area that lies inside the buffer.
#[must_use]
pub fn inside(buf: &Buffer, area: Rect) -> Rect {
    area.intersection(buf.area)
}

/// Write a line into row `row` (from 0) of an area; what does not fit is left out. Outside the area nothing happens.
pub fn line(buf: &mut Buffer, area: Rect, row: u16, line: &Line<'_>) {
    let area = inside(buf, area);
    if row >= area.height || area.width == 0 {
        return;
    }
    buf.set_line(area.x, area.y + row, line, area.width);
}

/// Write a line from column `col` (from 0) of row `row`.
pub fn line_at(buf: &mut Buffer, area: Rect, col: u16, row: u16, text: &Line<'_>) {
    let area = inside(buf, area);
    if col < area.width {
        line(buf, Rect { x: area.x + col, width: area.width - col, ..area }, row, text);
    }
}

/// Make every cell of an area blank in a style.
pub fn fill(buf: &mut Buffer, area: Rect, style: Style) {
    let area = inside(buf, area);
    for y in area.top()..area.bottom() {
        for x in area.left()..area.right() {
            if let Some(cell) = buf.cell_mut((x, y)) {
                cell.reset();
                cell.set_style(style);
            }
        }
    }
}

/// Add a style to a row of an area: the selection.
pub fn tint(buf: &mut Buffer, area: Rect, row: u16, style: Style) {
    let area = inside(buf, area);
    if row < area.height {
        buf.set_style(Rect { y: area.y + row, height: 1, ..area }, style);
    }
}
