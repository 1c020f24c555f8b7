//! The text of a permission question as rows: complete, in order, with everything visible that could hide something.

use crate::protocol::{Approval, ApprovalBody, DiffLineKind};
use crate::ui::draw::paint;
use crate::ui::theme::Theme;
use ratatui::style::Style;
use std::fmt::Write;

/// A text with invisible, direction-changing and control characters as `\u{…}`, so that nothing can hide in it or reorder it.
/// Line ends and tabs stay.
#[must_use]
pub fn escape_hidden(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if hides(c) {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

/// Characters that are not seen, look like a blank, or change the order of others.
fn hides(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c,
            '\u{a0}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{1680}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' | '\u{2800}'
            | '\u{3000}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// The rows of what is asked, wrapped to `columns`.
#[must_use]
pub fn rows(approval: &Approval, columns: usize, theme: &Theme) -> Vec<(String, Style)> {
    let mut out = Vec::new();
    let mut add = |text: &str, style: Style| out.extend(paint::wrap(&escape_hidden(text), columns).into_iter().map(|row| (row, style)));
    match &approval.body {
        ApprovalBody::Command { command } => add(command, theme.text),
        ApprovalBody::Call { text } => add(text, theme.text),
        ApprovalBody::Edit { path, hunks } => {
            // The dialog's title cuts long names; here it stands whole.
            add(&path.replace('\n', "\\n"), theme.heading);
            for (n, hunk) in hunks.iter().enumerate() {
                if n > 0 {
                    add("⋯", theme.muted);
                }
                for line in &hunk.lines {
                    let (sign, style) = match line.kind {
                        DiffLineKind::Context => (' ', theme.muted),
                        DiffLineKind::Added => ('+', theme.added),
                        DiffLineKind::Removed => ('-', theme.removed),
                    };
                    let number = line.new.or(line.old).map_or(String::new(), |n| n.to_string());
                    add(&format!("{number:>4} {sign} {}", line.text.replace('\n', "\\n")), style);
                }
            }
        }
        ApprovalBody::FanOut { .. } | ApprovalBody::Questions { .. } => {}
    }
    out
}

/// What the asker wants, for the title.
#[must_use]
pub fn wish(approval: &Approval) -> String {
    match &approval.body {
        ApprovalBody::Command { .. } => "wants to run".into(),
        ApprovalBody::Edit { path, .. } => format!("wants to change {}", escape_hidden(path)),
        ApprovalBody::Call { .. } | ApprovalBody::FanOut { .. } | ApprovalBody::Questions { .. } => format!("wants to use {}", approval.tool),
    }
}
