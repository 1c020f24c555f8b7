//! Plain text into a buffer, by graphemes and display width; styled lines and whole cells are the widgets' part.
//!
//! Must not: write outside its area, cut a wide character in half, or let a control byte through.

use crate::ui::widgets::put::fill;
use crate::ui::widgets::wrap::{self, Break, Indent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Display width in columns of what [`put`] writes.
#[must_use]
pub fn width(text: &str) -> usize {
    text.graphemes(true).map(|g| if g.chars().any(char::is_control) { 0 } else { g.width() }).sum()
}

/// Write one line at (`x`, `y`) inside `area`, at most `max` columns; returns the column behind it. What does not fit is left out;
/// a wide character that would stand half outside is left out whole.
pub fn put(buf: &mut Buffer, area: Rect, x: u16, y: u16, max: u16, text: &str, style: Style) -> u16 {
    let area = area.intersection(buf.area);
    if y < area.top() || y >= area.bottom() || x < area.left() {
        return x;
    }
    let end = area.right().min(x.saturating_add(max));
    let mut at = x;
    for g in text.graphemes(true) {
        if g.chars().any(char::is_control) {
            continue;
        }
        let w = u16::try_from(g.width()).unwrap_or(u16::MAX);
        if w == 0 {
            continue;
        }
        let Some(next) = at.checked_add(w).filter(|n| *n <= end) else { break };
        if let Some(cell) = buf.cell_mut((at, y)) {
            cell.set_symbol(g).set_style(style);
        }
        for rest in at.saturating_add(1)..next {
            if let Some(cell) = buf.cell_mut((rest, y)) {
                cell.reset();
                cell.set_style(style);
            }
        }
        at = next;
    }
    at
}

/// Write one line, with `…` at its end when it does not fit. Returns the column behind it.
pub fn put_cut(buf: &mut Buffer, area: Rect, x: u16, y: u16, max: u16, text: &str, style: Style) -> u16 {
    if width(text) <= usize::from(max) {
        return put(buf, area, x, y, max, text, style);
    }
    let at = put(buf, area, x, y, max.saturating_sub(1), text, style);
    put(buf, area, at, y, 1, "…", style)
}

/// A horizontal line.
pub fn rule(buf: &mut Buffer, area: Rect, style: Style) {
    let area = area.intersection(buf.area);
    for x in area.left()..area.right() {
        put(buf, area, x, area.top(), 1, "─", style);
    }
}

/// A box with a title in its upper edge and words in its lower one; returns the inside (one column of air at each side).
pub fn frame(buf: &mut Buffer, area: Rect, title: &str, right: &str, foot: &str, border: Style, text: Style) -> Rect {
    fill(buf, area, Style::new());
    if area.width < 4 || area.height < 3 {
        return area;
    }
    let (left, top, edge, bottom) = (area.left(), area.top(), area.right() - 1, area.bottom() - 1);
    for x in left..area.right() {
        put(buf, area, x, top, 1, "─", border);
        put(buf, area, x, bottom, 1, "─", border);
    }
    for y in top..area.bottom() {
        put(buf, area, left, y, 1, "│", border);
        put(buf, area, edge, y, 1, "│", border);
    }
    for (x, y, corner) in [(left, top, "┌"), (edge, top, "┐"), (left, bottom, "└"), (edge, bottom, "┘")] {
        put(buf, area, x, y, 1, corner, border);
    }
    let room = area.width - 4;
    let right_width = u16::try_from(width(right)).unwrap_or(0);
    let reserve = if right_width == 0 { 0 } else { right_width + 3 };
    if !title.is_empty() {
        let end = put_cut(buf, area, left + 2, top, room.saturating_sub(reserve), &format!(" {title} "), text);
        if right_width > 0 && end + right_width + 3 < edge {
            put(buf, area, edge - right_width - 3, top, right_width + 2, &format!(" {right} "), text);
        }
    }
    if !foot.is_empty() {
        put_cut(buf, area, left + 2, bottom, room, &format!(" {foot} "), border);
    }
    Rect { x: left + 2, y: top + 1, width: area.width - 4, height: area.height - 2 }
}

/// Break a text into rows of at most `columns` (one at least), between words where possible. Never empty.
#[must_use]
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let rows = wrap::wrap(&[Span::raw(text)], columns.max(1), &Indent::none(), Break::Words);
    rows.into_iter().map(|row| row.spans.into_iter().map(|s| s.content).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn row(buf: &Buffer, y: u16) -> String {
        (0..buf.area.width).map(|x| buf[(x, y)].symbol().to_owned()).collect()
    }

    #[test]
    fn e01_a_wide_character_at_the_edge_is_left_out_whole() {
        let area = Rect::new(0, 0, 2, 1);
        for text in ["a🌞b", "a你b"] {
            let mut buf = Buffer::empty(area);
            assert_eq!(put(&mut buf, area, 0, 0, 9, text, Style::new()), 1);
            assert_eq!(row(&buf, 0), "a ");
        }
        let mut buf = Buffer::empty(Rect::new(0, 0, 4, 1));
        put_cut(&mut buf, Rect::new(0, 0, 4, 1), 0, 0, 4, "你好你", Style::new());
        assert_eq!(buf[(0, 0)].symbol(), "你");
        assert_eq!(buf[(2, 0)].symbol(), "…");
    }

    #[test]
    fn rows_break_at_blanks_and_long_words_anywhere() {
        assert_eq!(wrap("aa bb cc", 5), ["aa bb", "cc"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("a你好", 2), ["a", "你", "好"]);
        assert_eq!(wrap("", 3), [""]);
        assert_eq!(wrap("x", 0), ["x"]);
        assert_eq!(wrap("a\n\nb", 3), ["a", "", "b"]);
    }

    proptest! {
        #[test]
        fn e01_any_text_at_any_size_draws_without_panic(text in "\\PC{0,40}|[\u{0}-\u{20}a你🌞\u{200d}\u{fe0f}é]{0,40}", w in 0u16..12, h in 0u16..4, x in 0u16..14, y in 0u16..6, max in 0u16..14) {
            let area = Rect::new(0, 0, w, h);
            let mut buf = Buffer::empty(area);
            put(&mut buf, area, x, y, max, &text, Style::new());
            put_cut(&mut buf, Rect::new(1, 1, 20, 20), x, y, max, &text, Style::new());
            frame(&mut buf, Rect::new(x, y, max, h), &text, &text, &text, Style::new(), Style::new());
            for row in wrap(&text, usize::from(w)) {
                // A single grapheme may be wider than a row of one column; nothing else is.
                prop_assert!(width(&row) <= usize::from(w.max(1)) || row.graphemes(true).filter(|g| g.width() > 0).count() <= 1, "{row:?}");
            }
        }

        #[test]
        fn wrapping_loses_nothing_but_blanks(text in "[a-c 你]{0,60}", w in 2usize..20) {
            let bare = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(bare(&wrap(&text, w).concat()), bare(&text));
        }
    }
}
