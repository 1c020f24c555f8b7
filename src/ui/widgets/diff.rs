//! Diff rows: line numbers, signs, and the changed words of a replaced line picked out.
//!
//! Unified below [`SIDE_BY_SIDE`] columns, else the old file left and the new one right.

use super::row;
use super::wrap::{Break, Indent, wrap};
use crate::ui::theme::Theme;
use crate::util::clean::for_screen;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use similar::{ChangeTag, TextDiff};
use std::time::Duration;

/// From this width on both sides stand beside each other.
pub const SIDE_BY_SIDE: usize = 140;
/// Bytes of a line whose words are compared at most.
const MAX_WORDS: usize = 1_000;
/// Time for comparing the words of one line.
const WORDS_TIME: Duration = Duration::from_millis(20);

/// What happened to a line.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Nothing: shown for orientation.
    Same,
    /// It is new.
    Added,
    /// It is gone.
    Removed,
}

/// A line of a diff.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Row<'a> {
    /// What happened.
    pub kind: Kind,
    /// Line number before, from 1.
    pub old: Option<usize>,
    /// Line number after, from 1.
    pub new: Option<usize>,
    /// The line without its line end.
    pub text: &'a str,
}

/// A changed place laid out to rows of at most `width` cells.
#[must_use]
pub fn hunk(rows: &[Row<'_>], width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let painted = paint(rows, theme);
    let digits = rows.iter().filter_map(|r| r.old.max(r.new)).max().unwrap_or(0).to_string().len().max(3);
    if width >= SIDE_BY_SIDE { beside(rows, &painted, width, digits, theme) } else { unified(rows, &painted, width, digits, theme) }
}

type Painted = Vec<Span<'static>>;

/// The styled text of each row.
fn paint(rows: &[Row<'_>], theme: &Theme) -> Vec<Painted> {
    let mut out: Vec<Painted> = rows.iter().map(|r| vec![Span::styled(for_screen(r.text).into_owned(), style_of(r.kind, theme))]).collect();
    for (old, new) in pairs(rows) {
        let (Some(a), Some(b)) = (rows.get(old), rows.get(new)) else { continue };
        if let Some((left, right)) = words(&for_screen(a.text), &for_screen(b.text), theme) {
            out[old] = left;
            out[new] = right;
        }
    }
    out
}

fn style_of(kind: Kind, theme: &Theme) -> Style {
    match kind {
        Kind::Same => theme.muted,
        Kind::Added => theme.added,
        Kind::Removed => theme.removed,
    }
}

/// Rows that replace each other: the n-th removed one of a block and the n-th added one behind it.
fn pairs(rows: &[Row<'_>]) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < rows.len() {
        let count = |from: usize, kind| rows.iter().skip(from).take_while(|r| r.kind == kind).count();
        let removed = count(at, Kind::Removed);
        let added = count(at + removed, Kind::Added);
        out.extend((0..removed.min(added)).map(|n| (at + n, at + removed + n)));
        at += (removed + added).max(1);
    }
    out
}

/// The words that differ, picked out. None when the lines have too little in common for that to help.
fn words(old: &str, new: &str, theme: &Theme) -> Option<(Painted, Painted)> {
    if old.len() > MAX_WORDS || new.len() > MAX_WORDS {
        return None;
    }
    let diff = TextDiff::configure().timeout(WORDS_TIME).diff_unicode_words(old, new);
    if diff.ratio() < 0.4 {
        return None;
    }
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for change in diff.iter_all_changes() {
        let text = change.value().to_owned();
        match change.tag() {
            ChangeTag::Equal => {
                left.push(Span::styled(text.clone(), theme.removed));
                right.push(Span::styled(text, theme.added));
            }
            ChangeTag::Delete => left.push(Span::styled(text, theme.removed_word)),
            ChangeTag::Insert => right.push(Span::styled(text, theme.added_word)),
        }
    }
    Some((left, right))
}

fn sign(kind: Kind) -> &'static str {
    match kind {
        Kind::Same => "  ",
        Kind::Added => "+ ",
        Kind::Removed => "- ",
    }
}

/// `123 + text`, wrapped under the text.
fn side(number: Option<usize>, kind: Kind, text: &[Span<'static>], width: usize, digits: usize, theme: &Theme) -> Vec<Line<'static>> {
    let number = number.map_or_else(|| " ".repeat(digits), |n| format!("{n:>digits$}"));
    let indent = Indent {
        first: vec![Span::styled(format!("{number} "), theme.muted), Span::styled(sign(kind), style_of(kind, theme))],
        rest: vec![Span::raw(" ".repeat(digits + 3))],
    };
    wrap(text, width, &indent, Break::Cells)
}

fn unified(rows: &[Row<'_>], painted: &[Painted], width: usize, digits: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut out = Vec::new();
    for (r, text) in rows.iter().zip(painted) {
        let number = if r.kind == Kind::Removed { r.old } else { r.new };
        out.extend(side(number, r.kind, text, width, digits, theme));
    }
    out
}

fn beside(rows: &[Row<'_>], painted: &[Painted], width: usize, digits: usize, theme: &Theme) -> Vec<Line<'static>> {
    let half = (width - 3) / 2;
    let cell = |n: Option<usize>, new: bool| -> Vec<Line<'static>> {
        let Some((r, text)) = n.and_then(|n| rows.get(n).zip(painted.get(n))) else { return Vec::new() };
        side(if new { r.new } else { r.old }, r.kind, text, half, digits, theme)
    };
    let mut out = Vec::new();
    for (old, new) in places(rows) {
        let (left, right) = (cell(old, false), cell(new, true));
        let rows = left.len().max(right.len());
        let (mut left, mut right) = (left.into_iter(), right.into_iter());
        for _ in 0..rows {
            let mut spans = left.next().unwrap_or_default().spans;
            spans.push(Span::raw(" ".repeat(half.saturating_sub(row::width(&spans)))));
            spans.push(Span::styled(" │ ", theme.border));
            spans.extend(right.next().unwrap_or_default().spans);
            out.push(Line::from(spans));
        }
    }
    out
}

/// What stands left and right in each row.
fn places(rows: &[Row<'_>]) -> Vec<(Option<usize>, Option<usize>)> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < rows.len() {
        let count = |from: usize, kind| rows.iter().skip(from).take_while(|r| r.kind == kind).count();
        let removed = count(at, Kind::Removed);
        let added = count(at + removed, Kind::Added);
        if removed + added == 0 {
            out.push((Some(at), Some(at)));
            at += 1;
            continue;
        }
        out.extend((0..removed.max(added)).map(|n| ((n < removed).then_some(at + n), (n < added).then_some(at + removed + n))));
        at += removed + added;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::widgets::testing::texts;

    fn rows() -> Vec<Row<'static>> {
        vec![
            Row { kind: Kind::Same, old: Some(9), new: Some(9), text: "fn x() {" },
            Row { kind: Kind::Removed, old: Some(10), new: None, text: "    let page = 20;" },
            Row { kind: Kind::Added, old: None, new: Some(10), text: "    let page = 50;" },
            Row { kind: Kind::Added, old: None, new: Some(11), text: "\tnew\x1b[31m();" },
        ]
    }

    #[test]
    fn u5_unified_with_numbers_signs_and_changed_words() {
        let theme = Theme::default();
        let lines = hunk(&rows(), 40, &theme);
        assert_eq!(texts(&lines), ["  9   fn x() {", " 10 -     let page = 20;", " 10 +     let page = 50;", " 11 +     new();"]);
        let word = |line: &Line<'_>, style| line.spans.iter().filter(|s| s.style == style).map(|s| s.content.to_string()).collect::<String>();
        assert_eq!(word(&lines[1], theme.removed_word), "20");
        assert_eq!(word(&lines[2], theme.added_word), "50");
    }

    #[test]
    fn u5_side_by_side_when_there_is_room() {
        let lines = hunk(&rows(), 141, &Theme::default());
        let texts = texts(&lines);
        assert_eq!(texts.len(), 3);
        assert!(texts[1].contains("20;") && texts[1].contains("│  10 +     let page = 50;"), "{}", texts[1]);
        assert!(texts[2].trim_start().starts_with("│  11 +"), "{}", texts[2]);
        assert!(lines.iter().all(|l| l.width() <= 141));
    }

    #[test]
    fn unlike_lines_are_not_compared_by_words() {
        let theme = Theme::default();
        let rows = [Row { kind: Kind::Removed, old: Some(1), new: None, text: "alpha beta" }, Row { kind: Kind::Added, old: None, new: Some(1), text: "x()" }];
        assert!(hunk(&rows, 40, &theme).iter().flat_map(|l| &l.spans).all(|s| s.style != theme.added_word));
    }
}
