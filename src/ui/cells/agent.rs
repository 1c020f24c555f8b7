//! The cell of an `Agent` call: what the child is and what it cost. Its work stays in its own transcript.

use super::{Ctx, signs};
use crate::ui::model::{AgentRow, ToolItem};
use crate::ui::widgets::markdown::{Look, lines};
use crate::ui::widgets::row;
use crate::ui::widgets::wrap::{Break, Indent, wrap};
use crate::util::time::clock;
use crate::util::tokens::short;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

/// `⏺ Agent Explore · find pagination      0:09  ●` and its counts.
pub(super) fn call(tool: &ToolItem, child: &AgentRow, ctx: &Ctx<'_>) -> Vec<Line<'static>> {
    let theme = ctx.theme;
    let (sign, style, word) = signs::agent(child, theme);
    let left = vec![
        Span::styled("⏺ ", style),
        Span::styled(row::flat(&tool.name), theme.text.add_modifier(Modifier::BOLD)),
        Span::styled(format!(" {} · {}", row::flat(&child.info.kind), row::flat(&child.info.description)), theme.text),
    ];
    let mut right = Vec::new();
    let ended = signs::is_over(child);
    if child.info.background && !ended {
        right.push(Span::styled("in background  ", theme.muted));
    } else {
        right.push(Span::styled(format!("{}  ", clock(signs::elapsed(child, ctx.now))), theme.muted));
    }
    // The sign says running and completed; every other state is also said in a word.
    if !matches!(word, "running" | "completed") {
        right.insert(0, Span::styled(format!("{word}  "), style));
    }
    right.push(Span::styled(sign, style));
    let mut out = vec![row::sides(left, right, ctx.width)];
    let counts = counts(child);
    if !counts.is_empty() {
        out.push(Line::from(row::cut_spans(vec![Span::styled(format!("  {counts}"), theme.muted)], ctx.width)));
    }
    facts(&mut out, child, ctx);
    if ctx.expand
        && let Some(outcome) = &child.outcome
    {
        out.extend(lines(&outcome.report, &Look { theme, width: ctx.width, indent: 4 }));
    }
    out
}

/// `9 tool calls · 43k read → 0.3k report`, while it runs `Grep "offset" · 4 tool calls · 21k`.
fn counts(child: &AgentRow) -> String {
    let mut parts = Vec::new();
    if let Some((name, title, _)) = &child.current {
        parts.push(format!("{} {}", row::flat(name), row::cut(&row::flat(title), 40)));
    }
    match child.tool_uses {
        0 => {}
        1 => parts.push("1 tool call".to_owned()),
        n => parts.push(format!("{n} tool calls")),
    }
    let total = child.usage.total();
    match &child.outcome {
        Some(outcome) if total > 0 => parts.push(format!("{} read → {} report", short(total), thousands(outcome.entered_parent_tokens))),
        None if total > 0 => parts.push(short(total)),
        Some(_) | None => {}
    }
    parts.join(" · ")
}

/// Below a thousand in tenths, so that both sides of the ledger have one unit: `0.3k`.
#[must_use]
pub fn thousands(n: u64) -> String {
    if (1..1_000).contains(&n) { format!("0.{}k", (n / 100).max(1)) } else { short(n) }
}

/// What the person should know about the end.
fn facts(out: &mut Vec<Line<'static>>, child: &AgentRow, ctx: &Ctx<'_>) {
    let Some(outcome) = &child.outcome else { return };
    let theme = ctx.theme;
    let mut say = |text: String, style| {
        out.extend(wrap(&[Span::styled(row::flat(&text), style)], ctx.width, &Indent::spaces(2), Break::Words));
    };
    if outcome.reason != outcome.ending.name() && !outcome.reason.trim().is_empty() {
        say(outcome.reason.clone(), signs::ending(outcome.ending, theme).1);
    }
    if !outcome.files_written.is_empty() {
        say(format!("wrote {}", outcome.files_written.join(", ")), theme.muted);
    }
    if let Some(branch) = &outcome.branch {
        say(format!("on branch {branch}"), theme.muted);
    }
    if !outcome.denied.is_empty() {
        say(format!("refused calls: {}", outcome.denied.len()), theme.warn);
    }
    if !outcome.bad_citations.is_empty() {
        say(format!("! not found: {}", outcome.bad_citations.join(", ")), theme.warn);
    }
}
