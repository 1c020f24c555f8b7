//! A change of a file as data for the view: hunks with three lines around, bounded, nothing hidden without a word.

use super::decode::{decode, detect};
use crate::protocol::{DiffHunk, DiffLine, DiffLineKind, Display};
use crate::util::clean::visible;
use similar::{ChangeTag, TextDiff};
use std::fmt::Write as _;
use std::time::Duration;

/// Lines of all hunks, at most.
const MAX_LINES: usize = 400;
/// Characters of one line, at most.
const MAX_WIDTH: usize = 2_000;
/// Unchanged lines around a change.
const AROUND: usize = 3;
/// Time for the exact difference; after it a coarser one is taken.
const PATIENCE: Duration = Duration::from_millis(300);

/// The change from one content to another; `before` is none for a new file.
#[must_use]
pub fn diff(path: String, before: Option<&[u8]>, after: &[u8]) -> Display {
    let old = text(before.unwrap_or_default());
    let new = text(after);
    // In a file of CRLF lines throughout the CR says nothing; where line ends differ it must be seen.
    let crlf = only_crlf(&old) && only_crlf(&new);
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old.as_str(), new.as_str());
    let (mut added, mut removed, mut shown, mut hidden) = (0usize, 0usize, 0usize, 0usize);
    let mut hunks = Vec::new();
    for group in diff.grouped_ops(AROUND) {
        let mut lines = Vec::new();
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let kind = match change.tag() {
                ChangeTag::Equal => DiffLineKind::Context,
                ChangeTag::Insert => DiffLineKind::Added,
                ChangeTag::Delete => DiffLineKind::Removed,
            };
            added += usize::from(kind == DiffLineKind::Added);
            removed += usize::from(kind == DiffLineKind::Removed);
            if shown >= MAX_LINES {
                hidden += 1;
                continue;
            }
            shown += 1;
            let (old, new) = (change.old_index().map(|i| i + 1), change.new_index().map(|i| i + 1));
            lines.push(DiffLine { kind, old, new, text: line(change.value(), crlf) });
        }
        if !lines.is_empty() {
            hunks.push(DiffHunk { lines });
        }
    }
    if hidden > 0 {
        hunks.push(DiffHunk { lines: vec![note(format!("… {hidden} more lines are not shown"))] });
    }
    if hunks.is_empty() && before.is_some_and(|b| b != after) {
        hunks.push(DiffHunk { lines: vec![note("… the bytes differ, the shown text does not".to_owned())] });
    }
    Display::Diff { path, hunks, added, removed }
}

/// `+3 −1`.
#[must_use]
pub fn summary(display: &Display) -> String {
    if let Display::Diff { added, removed, .. } = display { format!("+{added} −{removed}") } else { String::new() }
}

fn note(text: String) -> DiffLine {
    DiffLine { kind: DiffLineKind::Context, old: None, new: None, text }
}

/// The text for the view; a binary content as such.
fn text(bytes: &[u8]) -> String {
    match detect(bytes) {
        Some(coding) => decode(bytes, coding).into_owned(),
        None => format!("(binary content, {} bytes)\n", bytes.len()),
    }
}

fn only_crlf(text: &str) -> bool {
    text.split_inclusive('\n').all(|l| l.ends_with("\r\n") || !l.ends_with('\n'))
}

/// A line without its end, control characters shown, bounded.
fn line(raw: &str, crlf: bool) -> String {
    let raw = raw.strip_suffix('\n').unwrap_or(raw);
    let raw = if crlf { raw.strip_suffix('\r').unwrap_or(raw) } else { raw };
    let text = visible(raw);
    let more = text.chars().count().saturating_sub(MAX_WIDTH);
    if more == 0 {
        return text.into_owned();
    }
    let mut out: String = text.chars().take(MAX_WIDTH).collect();
    let _ = write!(out, "… (+{more} characters)");
    out
}
