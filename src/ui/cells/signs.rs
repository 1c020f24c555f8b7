//! Signs, colours and words for states: one sign for each, so that a screen without colour reads the same.

use crate::protocol::{Ending, TodoStatus};
use crate::ui::model::{AgentRow, AgentState, CommandRow, ToolState};
use crate::ui::theme::Theme;
use ratatui::style::Style;

/// What works.
pub const RUNNING: &str = "●";
/// What waits for the person.
pub const ASKING: &str = "◐";
/// What waits for a free place.
pub const PENDING: &str = "○";
/// What is done.
pub const DONE: &str = "✔";
/// What failed.
pub const FAILED: &str = "✖";

/// Of a tool call.
#[must_use]
pub fn tool(state: ToolState, theme: &Theme) -> (&'static str, Style) {
    match state {
        ToolState::Running => (RUNNING, theme.busy),
        ToolState::Asking => (ASKING, theme.warn),
        ToolState::Done => (DONE, theme.good),
        ToolState::Failed => (FAILED, theme.bad),
    }
}

/// Of an ending.
#[must_use]
pub fn ending(ending: Ending, theme: &Theme) -> (&'static str, Style) {
    match ending {
        Ending::Completed => (DONE, theme.good),
        Ending::Partial => ("◑", theme.warn),
        Ending::OverBudget => ("◕", theme.warn),
        Ending::Denied => ("⊘", theme.bad),
        Ending::Failed => (FAILED, theme.bad),
        Ending::Cancelled => ("◌", theme.muted),
        Ending::Interrupted => ("‖", theme.warn),
    }
}

/// Of a child: sign, style and word.
#[must_use]
pub fn agent(row: &AgentRow, theme: &Theme) -> (&'static str, Style, &'static str) {
    match (row.state, &row.outcome) {
        (AgentState::Pending, _) => (PENDING, theme.muted, "pending"),
        (AgentState::Asking, _) => (ASKING, theme.warn, "needs you"),
        (AgentState::Running, _) if row.stalled => (RUNNING, theme.warn, "stalled"),
        (AgentState::Running, _) => (RUNNING, theme.busy, "running"),
        (AgentState::Finished, Some(outcome)) => {
            let (sign, style) = ending(outcome.ending, theme);
            (sign, style, outcome.ending.name())
        }
        (AgentState::Finished, None) => (DONE, theme.muted, "done"),
    }
}

/// Of a background command: sign, style and word.
#[must_use]
pub fn command<'a>(row: &'a CommandRow, theme: &Theme) -> (&'static str, Style, &'a str) {
    let (sign, style) = match row.status.as_str() {
        "running" => (RUNNING, theme.busy),
        "completed" => ending(Ending::Completed, theme),
        "cancelled" => ending(Ending::Cancelled, theme),
        "interrupted" => ending(Ending::Interrupted, theme),
        _ => ending(Ending::Failed, theme),
    };
    (sign, style, &row.status)
}

/// Of a to-do.
#[must_use]
pub fn todo(status: TodoStatus, theme: &Theme) -> (&'static str, Style) {
    match status {
        TodoStatus::Pending => (PENDING, theme.muted),
        TodoStatus::InProgress => ("▸", theme.accent),
        TodoStatus::Completed => (DONE, theme.good),
    }
}

/// Milliseconds that a child has worked: measured by the engine once it is known.
#[must_use]
pub fn elapsed(row: &AgentRow, now: u64) -> u64 {
    match &row.outcome {
        Some(outcome) if outcome.elapsed_ms > 0 => outcome.elapsed_ms,
        Some(_) | None => row.ended.unwrap_or(now).saturating_sub(row.started),
    }
}

/// Tokens of a child that its parent never saw (SPEC S29): all that it consumed, less what entered the parent.
#[must_use]
pub fn kept_out(row: &AgentRow) -> u64 {
    row.usage.total().saturating_sub(row.outcome.as_ref().map_or(0, |o| o.entered_parent_tokens))
}

/// Whether it has ended.
#[must_use]
pub fn is_over(row: &AgentRow) -> bool {
    match row.state {
        AgentState::Finished => true,
        AgentState::Pending | AgentState::Running | AgentState::Asking => false,
    }
}
