//! The text of a permission question as rows: complete, in order, with everything visible that could hide something.

use crate::protocol::{Approval, ApprovalBody, DiffLineKind};
use crate::ui::draw::paint;
use crate::ui::theme::Theme;
use crate::util::clean::escape_hidden;
use ratatui::style::Style;

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
