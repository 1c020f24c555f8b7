//! For tests: the cells of a buffer as text.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use unicode_width::UnicodeWidthStr;

/// The rows of a buffer, the cells behind a wide glyph left out, spaces at the ends trimmed.
pub fn rows(buf: &Buffer) -> Vec<String> {
    let a = buf.area;
    (a.top()..a.bottom())
        .map(|y| {
            let mut text = String::new();
            let mut skip = 0;
            for x in a.left()..a.right() {
                if skip > 0 {
                    skip -= 1;
                    continue;
                }
                let symbol = buf[(x, y)].symbol();
                skip = symbol.width().saturating_sub(1);
                text.push_str(symbol);
            }
            text.trim_end().to_owned()
        })
        .collect()
}

/// The rows joined by line ends, empty ones at the end left out.
pub fn screen(buf: &Buffer) -> String {
    rows(buf).join("\n").trim_end().to_owned()
}

/// An empty buffer of a size.
pub fn buffer(width: u16, height: u16) -> Buffer {
    Buffer::empty(Rect::new(0, 0, width, height))
}

/// The text of a line.
pub fn text(line: &Line<'_>) -> String {
    line.spans.iter().map(|s| s.content.as_ref()).collect()
}

/// The texts of lines.
pub fn texts(lines: &[Line<'_>]) -> Vec<String> {
    lines.iter().map(text).collect()
}
