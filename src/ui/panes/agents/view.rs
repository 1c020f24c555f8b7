//! Drawing of the trace pane.

use super::{CALLS, Counts, State, counts, rows};
use crate::protocol::{AgentId, Budget};
use crate::ui::cells::{signs, thousands};
use crate::ui::model::{AgentRow, AgentState, Item, Model, ToolItem, ToolState};
use crate::ui::theme::Theme;
use crate::ui::widgets::{bar, put, row, spinner};
use crate::util::time::clock;
use crate::util::tokens::short;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

/// Cells of the budget bar.
const BAR: usize = 4;
/// Cells that a description keeps in any case.
const LEFT: usize = 24;

/// The one line of the folded pane: a spinner and counts.
pub fn draw_folded(buf: &mut Buffer, area: Rect, model: &Model, now: u64, theme: &Theme) {
    let c = counts(model);
    if c.shown > 0 {
        let sign = if c.running > 0 { spinner::frame(now) } else { "▸" };
        put::line(buf, area, 0, &header(&c, sign, "^O show", area.width, theme));
    }
}

/// Draw the pane. `now` is milliseconds since the Unix epoch, for ages; `focused` shows the selection.
pub fn draw(buf: &mut Buffer, area: Rect, model: &Model, state: &State, now: u64, focused: bool, theme: &Theme) {
    let c = counts(model);
    if c.shown == 0 {
        return;
    }
    put::line(buf, area, 0, &header(&c, "", "^O hide", area.width, theme));
    let width = usize::from(area.width);
    let selected = if focused { state.current(model) } else { None };
    let (slots, hidden) = visible(model, state, area.height);
    for (y, slot) in (1..area.height).zip(&slots) {
        let Some(child) = model.agents.get(&slot.agent) else { continue };
        let line = match slot.call {
            None => headline(child, state, slot.level, width, now, theme),
            Some(n) => call_line(model, child, n, slot.level, width, now, theme),
        };
        put::line(buf, area, y, &line);
        if slot.call.is_none() && selected == Some(slot.agent) {
            put::tint(buf, area, y, theme.selected);
        }
    }
    if hidden > 0 {
        let text = format!("   … {hidden} more rows");
        put::line(buf, area, area.height.saturating_sub(1), &Line::from(Span::styled(row::cut(&text, width), theme.muted)));
    }
}

/// A row of the list: a child, or the n-th of its lines.
struct Slot {
    agent: AgentId,
    level: usize,
    call: Option<usize>,
}

/// The rows that are drawn under the header, scrolled so that the selected child is among them, and how many are not drawn.
fn visible(model: &Model, state: &State, height: u16) -> (Vec<Slot>, usize) {
    let mut all = Vec::new();
    let mut selected = 0;
    for (agent, level) in rows(model) {
        let Some(child) = model.agents.get(&agent) else { continue };
        if state.selected == Some(agent) {
            selected = all.len();
        }
        all.push(Slot { agent, level, call: None });
        if state.is_unfolded(child) {
            all.extend((0..calls_of(child)).map(|n| Slot { agent, level, call: Some(n) }));
        }
    }
    let room = usize::from(height.saturating_sub(1));
    let total = all.len();
    if total <= room {
        return (all, 0);
    }
    let room = room.saturating_sub(1);
    let from = (selected + 1).saturating_sub(room);
    let shown: Vec<Slot> = all.into_iter().skip(from).take(room).collect();
    let hidden = total - shown.len();
    (shown, hidden)
}

pub(super) fn agent_at(row: u16, model: &Model, state: &State, height: u16) -> Option<AgentId> {
    let n = usize::from(row.checked_sub(1)?);
    visible(model, state, height).0.get(n).map(|s| s.agent)
}

/// ` SUBAGENTS  1 running · 1 background · 174k kept out      ^O hide`
fn header(c: &Counts, sign: &str, key: &str, width: u16, theme: &Theme) -> Line<'static> {
    let mut parts = Vec::new();
    let mut say = |n: usize, word: &str| {
        if n > 0 {
            parts.push(format!("{n} {word}"));
        }
    };
    say(c.asking, "needs you");
    say(c.running, "running");
    say(c.pending, "pending");
    say(c.background, "background");
    if parts.is_empty() {
        parts.push(format!("{} done", c.shown));
    }
    if c.kept_out > 0 {
        parts.push(format!("{} kept out", short(c.kept_out)));
    }
    let sign = if sign.is_empty() { String::new() } else { format!("{sign} ") };
    let left = vec![
        Span::styled(format!(" {sign}"), theme.busy),
        Span::styled("SUBAGENTS  ", theme.heading),
        Span::styled(parts.join(" · "), if c.asking > 0 { theme.warn } else { theme.text }),
    ];
    row::sides(left, vec![Span::styled(format!("{key} "), theme.muted)], usize::from(width))
}

/// ` ▾ a1 Explore  find pagination      ● 0:09  req 4/30  in 43k out 1.2k  ▰▱▱▱`
fn headline(child: &AgentRow, state: &State, level: usize, width: usize, now: u64, theme: &Theme) -> Line<'static> {
    let fold = if state.is_unfolded(child) { "▾" } else { "▸" };
    let left = vec![
        Span::styled(format!(" {}{fold} ", "  ".repeat(level)), theme.muted),
        Span::styled(format!("{} ", child.info.id), theme.accent),
        Span::styled(row::flat(&child.info.kind), theme.text.add_modifier(Modifier::BOLD)),
        Span::styled(format!("  {}", row::flat(&child.info.description)), theme.text),
    ];
    let pieces = pieces(child, state, now, theme);
    let mut right = row::fitting(pieces, width.saturating_sub(LEFT.min(width / 2)).saturating_sub(2));
    right.push(Span::raw("  "));
    row::sides(left, right, width)
}

type Piece = (u8, Vec<Span<'static>>);

/// What stands at the right of a child, each with the order in which it goes when there is no room.
fn pieces(child: &AgentRow, state: &State, now: u64, theme: &Theme) -> Vec<Piece> {
    let (sign, style, word) = signs::agent(child, theme);
    let over = signs::is_over(child);
    let mut first = format!("{sign} {}", clock(signs::elapsed(child, now)));
    if word != "running" {
        first = format!("{sign} {word} {}", clock(signs::elapsed(child, now)));
    }
    let mut out: Vec<Piece> = vec![(0, vec![Span::styled(first, style)])];
    let muted = |text: String| vec![Span::styled(text, theme.muted)];
    if let Some(retry) = &child.retry {
        let wait = retry.until.saturating_sub(now).div_ceil(1000);
        out.push((1, vec![Span::styled(format!("retry {}/{} in {wait} s", retry.attempt, retry.max), theme.warn)]));
    }
    if child.info.background && !over {
        out.push((6, muted("background".into())));
    }
    match &child.outcome {
        Some(o) => {
            out.push((4, muted(format!("req {}", o.requests))));
            out.push((1, muted(format!("{} → {}", short(o.usage.total()), thousands(o.entered_parent_tokens)))));
        }
        None if child.state != AgentState::Pending => {
            out.push((3, muted(format!("req {}/{}", child.requests, child.info.max_requests))));
            out.push((4, muted(format!("in {} out {}", short(child.usage.all_input()), short(child.usage.output)))));
            if child.gauge.window > 0 {
                out.push((7, muted(format!("ctx {}%", child.gauge.percent()))));
            }
        }
        None => {}
    }
    if let Some((part, whole)) = spent(&child.info.budget, child, now) {
        let style = if part * 5 >= whole * 4 { theme.warn } else { theme.muted };
        out.push((5, vec![Span::styled(bar::bar(part, whole, BAR), style)]));
    }
    if let (Some((name, title, since)), false) = (&child.current, state.is_unfolded(child)) {
        let what = format!("{} {}", row::flat(name), row::cut(&row::flat(title), 24));
        out.push((2, vec![Span::styled(format!("{what} {}", age(now.saturating_sub(*since))), theme.text)]));
    }
    out
}

/// The part of the tightest limit that is used up, in thousandths.
fn spent(budget: &Budget, child: &AgentRow, now: u64) -> Option<(u64, u64)> {
    let share = |used: f64, limit: f64| if limit > 0.0 { (used / limit).clamp(0.0, 1.0) } else { 1.0 };
    #[expect(clippy::cast_precision_loss, reason = "a share for a bar of a few cells")]
    let parts = [
        budget.tokens.map(|t| share(child.usage.total() as f64, t as f64)),
        budget.cost_usd.map(|c| share(child.cost_usd, c)),
        budget.seconds.map(|s| share(signs::elapsed(child, now) as f64 / 1000.0, s)),
    ];
    let most = parts.into_iter().flatten().reduce(f64::max)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0..=1 above")]
    let thousandths = (most * 1000.0) as u64;
    Some((thousandths, 1000))
}

/// Lines under an unfolded child: its last calls, or one about the model.
pub(super) fn calls_of(child: &AgentRow) -> usize {
    let calls = child.recent.len().min(CALLS);
    calls + usize::from(waits(child))
}

/// At work without a running call: the model's turn.
fn waits(child: &AgentRow) -> bool {
    child.state == AgentState::Running && child.current.is_none()
}

/// The n-th line under a child.
fn call_line(model: &Model, child: &AgentRow, n: usize, level: usize, width: usize, now: u64, theme: &Theme) -> Line<'static> {
    let pad = format!("     {}", "  ".repeat(level));
    let from = child.recent.len().saturating_sub(CALLS);
    let transcript = model.transcripts.get(&child.info.id);
    let Some(call) = child.recent.get(from + n) else {
        let stream = transcript.map(|t| &t.stream);
        let what = match stream {
            Some(s) if s.text.is_some() => "writes",
            Some(s) if s.thinking.is_some() => "thinks",
            Some(_) | None => "waits for the model",
        };
        return Line::from(row::cut_spans(vec![Span::styled(format!("{pad}{} {what}", spinner::frame(now)), theme.muted)], width));
    };
    match transcript.and_then(|t| t.tool(call)) {
        Some((item, tool)) => tool_line(item, tool, &pad, width, now, theme),
        None => Line::from(Span::styled(row::cut(&format!("{pad}…"), width), theme.muted)),
    }
}

/// `     Read   api/posts.py            88 lines`
fn tool_line(item: &Item, tool: &ToolItem, pad: &str, width: usize, now: u64, theme: &Theme) -> Line<'static> {
    let (sign, style) = signs::tool(tool.state, theme);
    let left = vec![Span::styled(format!("{pad}{:<6} ", row::flat(&tool.name)), theme.muted), Span::styled(row::flat(&tool.title), theme.text)];
    let summary = row::cut(&row::flat(&tool.summary), width / 3);
    let right = match tool.state {
        ToolState::Running => vec![Span::styled(format!("{sign} {}  ", age(now.saturating_sub(item.at))), style)],
        ToolState::Asking => vec![Span::styled(format!("{sign} needs you  "), style)],
        ToolState::Failed => vec![Span::styled(format!("{summary} {sign}  "), style)],
        ToolState::Done if summary.is_empty() => vec![Span::styled(format!("{sign}  "), style)],
        ToolState::Done => vec![Span::styled(format!("{summary}  "), theme.muted)],
    };
    row::sides(left, right, width)
}

/// `0.4 s` below ten seconds, then a clock.
fn age(ms: u64) -> String {
    if ms < 10_000 { format!("{}.{} s", ms / 1000, ms % 1000 / 100) } else { clock(ms) }
}
