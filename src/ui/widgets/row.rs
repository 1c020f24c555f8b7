//! Rows with a left and a right side, cut to a width with `…`.

use crate::util::clean::for_screen;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Cells that spans take.
#[must_use]
pub fn width(spans: &[Span<'_>]) -> usize {
    spans.iter().map(|s| s.content.width()).sum()
}

/// One line's words: cleaned, line ends and tabs as spaces. For titles and summaries.
#[must_use]
pub fn flat(text: &str) -> String {
    for_screen(text).replace(['\n', '\t'], " ")
}

/// The start of a text that fits into `max` cells, with `…` when cut. Never cuts a grapheme.
#[must_use]
pub fn cut(text: &str, max: usize) -> String {
    if text.width() <= max {
        return text.to_owned();
    }
    let Some(room) = max.checked_sub(1) else { return String::new() };
    let mut out = String::new();
    let mut used = 0;
    for g in text.graphemes(true) {
        used += g.width();
        if used > room {
            break;
        }
        out.push_str(g);
    }
    out.push('…');
    out
}

/// Spans that fit into `max` cells, with `…` when cut.
#[must_use]
pub fn cut_spans(spans: Vec<Span<'_>>, max: usize) -> Vec<Span<'_>> {
    if width(&spans) <= max {
        return spans;
    }
    let mut out = Vec::with_capacity(spans.len());
    let mut left = max;
    for span in spans {
        let wide = span.content.width();
        if wide < left {
            left -= wide;
            out.push(span);
            continue;
        }
        // Here it ends, even if this span fits exactly: more would follow.
        let text = if wide == left { cut(&format!("{}  ", span.content), left) } else { cut(&span.content, left) };
        out.push(Span::styled(text, span.style));
        break;
    }
    out
}

/// A row of `max` cells: `left` cut where needed, `right` at the right edge. When there is no room for both, `right` goes first.
#[must_use]
pub fn sides<'a>(left: Vec<Span<'a>>, right: Vec<Span<'a>>, max: usize) -> Line<'a> {
    let right_wide = width(&right);
    if right_wide == 0 || right_wide + 2 > max {
        return Line::from(cut_spans(left, max));
    }
    let room = max - right_wide - 1;
    let mut spans = cut_spans(left, room);
    let gap = max.saturating_sub(width(&spans)).saturating_sub(right_wide);
    spans.push(Span::raw(" ".repeat(gap)));
    spans.extend(right);
    Line::from(spans)
}

/// Those of the pieces, in their order, that fit into `max` cells with two spaces between; the ones with the highest number go first.
#[must_use]
pub fn fitting(pieces: Vec<(u8, Vec<Span<'static>>)>, max: usize) -> Vec<Span<'static>> {
    let mut keep = pieces;
    keep.retain(|(_, spans)| width(spans) > 0);
    let total = |pieces: &[(u8, Vec<Span<'static>>)]| pieces.iter().map(|(_, s)| width(s) + 2).sum::<usize>().saturating_sub(2);
    while total(&keep) > max {
        let Some(worst) = keep.iter().enumerate().max_by_key(|(_, (p, _))| *p).map(|(i, _)| i) else { break };
        keep.remove(worst);
    }
    let mut out = Vec::new();
    for (n, (_, spans)) in keep.into_iter().enumerate() {
        if n > 0 {
            out.push(Span::raw("  "));
        }
        out.extend(spans);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(line: &Line<'_>) -> String {
        line.spans.iter().map(|s| s.content.as_ref()).collect()
    }

    #[test]
    fn cuts_stand_between_graphemes_and_say_so() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "ab…");
        assert_eq!(cut("你好吗", 5), "你好…");
        assert_eq!(cut("你好吗", 4), "你…");
        assert_eq!(cut("ab", 0), "");
        let spans = vec![Span::raw("ab"), Span::raw("cd")];
        assert_eq!(text(&Line::from(cut_spans(spans.clone(), 2))), "a…");
        assert_eq!(text(&Line::from(cut_spans(spans, 3))), "ab…");
    }

    #[test]
    fn e03_a_title_is_one_line_without_sequences_and_control_bytes() {
        assert_eq!(flat("a\tb\0c\x07\nd"), "a bc d");
        assert_eq!(flat("\x1b[32mok"), "ok");
    }

    #[test]
    fn two_sides_share_a_row() {
        let row = |max| text(&sides(vec![Span::raw("left side")], vec![Span::raw("right")], max));
        assert_eq!(row(20), "left side      right");
        assert_eq!(row(12), "left … right");
        assert_eq!(row(5), "left…");
        assert_eq!(row(0), "");
    }

    #[test]
    fn less_important_pieces_go_first() {
        let pieces = || vec![(0, vec![Span::raw("aa")]), (2, vec![Span::raw("bb")]), (1, vec![Span::raw("cc")])];
        assert_eq!(text(&Line::from(fitting(pieces(), 10))), "aa  bb  cc");
        assert_eq!(text(&Line::from(fitting(pieces(), 9))), "aa  cc");
        assert_eq!(text(&Line::from(fitting(pieces(), 1))), "");
    }
}
