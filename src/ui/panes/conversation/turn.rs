//! The line under the last cell: what the agent is about while nothing of it is to be seen.

use crate::protocol::AgentId;
use crate::ui::cells::{signs, thousands};
use crate::ui::model::{AgentRow, AgentState, Model, RetryView};
use crate::ui::theme::Theme;
use crate::ui::widgets::{row, spinner};
use crate::util::time::clock;
use crate::util::tokens::short;
use ratatui::text::{Line, Span};

/// The line for an agent, at most `width` cells; none when its words or nothing is to be expected.
pub(super) fn line(model: &Model, agent: AgentId, now: u64, width: usize, theme: &Theme) -> Option<Line<'static>> {
    let spans = if agent.is_main() { main(model, now, theme) } else { model.agents.get(&agent).and_then(|row| child(model, row, now, theme)) };
    spans.map(|spans| Line::from(row::cut_spans(spans, width)))
}

fn main(model: &Model, now: u64, theme: &Theme) -> Option<Vec<Span<'static>>> {
    let since = model.turn_since?;
    if let Some(retry) = &model.retry {
        return Some(retrying(retry, now, theme));
    }
    if streams(model, AgentId::MAIN) {
        return None;
    }
    if model.approvals.iter().any(|a| a.agent.is_main()) {
        return Some(vec![Span::styled(format!("{} waiting for your answer", signs::ASKING), theme.warn)]);
    }
    Some(vec![
        Span::styled(format!("{} working ", spinner::frame(now)), theme.busy),
        Span::styled(format!("{} · esc interrupts", clock(now.saturating_sub(since))), theme.muted),
    ])
}

fn child(model: &Model, row: &AgentRow, now: u64, theme: &Theme) -> Option<Vec<Span<'static>>> {
    let (sign, style, word) = signs::agent(row, theme);
    match row.state {
        AgentState::Pending => Some(vec![Span::styled(format!("{sign} waits for a free place"), style)]),
        AgentState::Asking => Some(vec![Span::styled(format!("{sign} waiting for your answer"), style)]),
        AgentState::Running => match &row.retry {
            Some(retry) => Some(retrying(retry, now, theme)),
            None if streams(model, row.info.id) => None,
            None => {
                let what = if row.stalled { "stalled" } else { "working" };
                let age = clock(signs::elapsed(row, now));
                Some(vec![Span::styled(format!("{} {what} ", spinner::frame(now)), style), Span::styled(age, theme.muted)])
            }
        },
        AgentState::Finished => {
            let entered = row.outcome.as_ref().map_or(0, |o| o.entered_parent_tokens);
            let ledger = format!(" · {} · {} read → {} report", clock(signs::elapsed(row, now)), short(row.usage.total()), thousands(entered));
            Some(vec![Span::styled(format!("{sign} {word}"), style), Span::styled(ledger, theme.muted)])
        }
    }
}

fn streams(model: &Model, agent: AgentId) -> bool {
    model.transcripts.get(&agent).is_some_and(|t| t.stream.text.is_some() || t.stream.thinking.is_some())
}

/// `retrying in 12 s (attempt 2 of 6): rate limited`
fn retrying(retry: &RetryView, now: u64, theme: &Theme) -> Vec<Span<'static>> {
    let seconds = retry.until.saturating_sub(now).div_ceil(1000);
    let when = if seconds == 0 { "retrying now".to_owned() } else { format!("retrying in {seconds} s") };
    vec![
        Span::styled(format!("{} {when} ", spinner::frame(now)), theme.warn),
        Span::styled(format!("(attempt {} of {}): {}", retry.attempt, retry.max, row::flat(&retry.reason)), theme.muted),
    ]
}
