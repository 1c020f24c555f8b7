//! The task panel: all tasks in groups, and what is known of the selected one. A child's prompt is not part of it: that
//! opens with the child.

use super::view::{label, todo_lines};
use super::{Group, State, elapsed, group, rows};
use crate::protocol::{AgentId, TaskId};
use crate::ui::cells::{signs, thousands};
use crate::ui::model::{AgentRow, CommandRow, Model};
use crate::ui::theme::Theme;
use crate::ui::widgets::markdown::{self, Look};
use crate::ui::widgets::wrap::{Break, Indent, wrap, wrap_into};
use crate::ui::widgets::{put, row};
use crate::util::clean::for_screen;
use crate::util::text::head;
use crate::util::time::clock;
use crate::util::tokens::short;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

/// From this width on the details stand beside the list.
const BESIDE: u16 = 100;
/// Bytes of a report that are shown here; the whole opens with the child.
const REPORT: usize = 8 * 1024;

/// Draw the keyboard task panel over the screen: grouped needs you / running / done, with an output tail.
pub fn draw_panel(buf: &mut Buffer, area: Rect, model: &Model, state: &State, now: u64, theme: &Theme) {
    let area = put::inside(buf, area);
    if area.is_empty() {
        return;
    }
    put::fill(buf, area, theme.text);
    let width = usize::from(area.width);
    put::line(buf, area, 0, &Line::from(row::cut_spans(title(model, theme), width)));
    let keys = " Enter open · s stop · x abort · d dismiss · Esc";
    if area.height > 2 {
        put::line(buf, area, area.height - 1, &Line::from(Span::styled(row::cut(keys, width), theme.muted)));
    }
    let body = Rect { y: area.y + 1, height: area.height.saturating_sub(2), ..area };
    let (list, detail) = split(body, rows(model).len());
    let current = state.current(model);
    draw_list(buf, list, model, current, now, theme);
    if let Some(task) = current {
        let lines = details(model, task, usize::from(detail.width), now, theme);
        for (y, line) in (0..detail.height).zip(&lines) {
            put::line(buf, detail, y, line);
        }
    }
}

fn title(model: &Model, theme: &Theme) -> Vec<Span<'static>> {
    let all = rows(model);
    let mut parts = Vec::new();
    for g in [Group::NeedsYou, Group::Running, Group::Done] {
        let n = all.iter().filter(|t| group(model, **t) == Some(g)).count();
        if n > 0 {
            parts.push(format!("{n} {}", g.name()));
        }
    }
    let words = if parts.is_empty() { "nothing runs".to_owned() } else { parts.join(" · ") };
    vec![Span::styled(" TASKS  ", theme.heading), Span::styled(words, theme.muted)]
}

/// List and details: beside each other, or below.
fn split(body: Rect, tasks: usize) -> (Rect, Rect) {
    if body.width >= BESIDE {
        let left = body.width / 2;
        let detail = Rect { x: body.x + left + 1, width: body.width - left - 1, ..body };
        return (Rect { width: left, ..body }, detail);
    }
    let wanted = u16::try_from(tasks + 4).unwrap_or(u16::MAX);
    let height = wanted.min(body.height / 2).max(body.height.min(3));
    let below = body.height - height;
    let detail = Rect { y: body.y + height + 1, height: below.saturating_sub(1), ..body };
    (Rect { height, ..body }, detail.intersection(body))
}

fn draw_list(buf: &mut Buffer, area: Rect, model: &Model, current: Option<TaskId>, now: u64, theme: &Theme) {
    let width = usize::from(area.width);
    let mut lines: Vec<(Line<'static>, bool)> = Vec::new();
    let mut before = None;
    for task in rows(model) {
        let here = group(model, task);
        if here != before {
            before = here;
            let name = here.map_or("", Group::name);
            lines.push((Line::from(Span::styled(row::cut(&format!(" {name}"), width), theme.muted.add_modifier(Modifier::BOLD))), false));
        }
        lines.push((entry(model, task, current == Some(task), width, now, theme), current == Some(task)));
    }
    lines.extend(todo_lines(model, width, theme).into_iter().map(|l| (l, false)));
    let selected = lines.iter().position(|l| l.1).unwrap_or(0);
    let from = (selected + 1).saturating_sub(usize::from(area.height));
    for (y, (line, chosen)) in (0..area.height).zip(lines.iter().skip(from)) {
        put::line(buf, area, y, line);
        if *chosen {
            put::tint(buf, area, y, theme.selected);
        }
    }
}

/// ` ❯ ● a2 Explore offset use      running  0:14`
fn entry(model: &Model, task: TaskId, chosen: bool, width: usize, now: u64, theme: &Theme) -> Line<'static> {
    let Some(l) = label(model, task, theme) else { return Line::default() };
    let left = vec![
        Span::styled(if chosen { " ❯ " } else { "   " }, theme.accent),
        Span::styled(format!("{} ", l.sign), l.style),
        Span::styled(format!("{task} "), theme.accent),
        Span::styled(l.name, theme.text),
    ];
    let right = vec![Span::styled(format!("{}  ", l.word), l.style), Span::styled(format!("{} ", clock(elapsed(model, task, now))), theme.muted)];
    row::sides(left, right, width)
}

fn details(model: &Model, task: TaskId, width: usize, now: u64, theme: &Theme) -> Vec<Line<'static>> {
    match task {
        TaskId::Agent(id) => model.agents.get(&id).map(|r| child(model, id, r, width, now, theme)).unwrap_or_default(),
        TaskId::Command(_) => model.commands.get(&task).map(|r| command(r, width, now, theme)).unwrap_or_default(),
    }
}

/// A name and a value, wrapped.
fn fact(out: &mut Vec<Line<'static>>, name: &'static str, value: &str, width: usize, theme: &Theme) {
    if !value.is_empty() {
        let first = vec![Span::styled(format!("{name:<10}"), theme.muted)];
        let indent = Indent { first, rest: vec![Span::raw(" ".repeat(10))] };
        wrap_into(out, &[Span::styled(row::flat(value), theme.text)], width, &indent, Break::Words);
    }
}

fn child(model: &Model, id: AgentId, r: &AgentRow, width: usize, now: u64, theme: &Theme) -> Vec<Line<'static>> {
    let (sign, style, word) = signs::agent(r, theme);
    let title = vec![
        Span::styled(format!("{id} "), theme.accent),
        Span::styled(format!("{} · {}", row::flat(&r.info.kind), row::flat(&r.info.description)), theme.text),
    ];
    let mut out = wrap(&title, width, &Indent::none(), Break::Words);
    let place = if r.info.background { "in the background" } else { "in the foreground" };
    let rights = if r.info.read_only { " · read-only" } else { "" };
    let state = vec![Span::styled(format!("{sign} {word} "), style), Span::styled(format!("{} · {place}{rights}", clock(signs::elapsed(r, now))), theme.muted)];
    wrap_into(&mut out, &state, width, &Indent::none(), Break::Words);
    out.push(Line::default());
    fact(&mut out, "model", &r.info.model, width, theme);
    fact(&mut out, "requests", &format!("{} of {}", r.requests, r.info.max_requests), width, theme);
    fact(&mut out, "tools", &format!("{} calls", r.tool_uses), width, theme);
    let cost = if r.cost_usd > 0.0 { format!(" · ${:.4}", r.cost_usd) } else { String::new() };
    fact(&mut out, "tokens", &format!("{} in, {} out{cost}", short(r.usage.all_input()), short(r.usage.output)), width, theme);
    fact(&mut out, "kept out", &ledger(r), width, theme);
    fact(&mut out, "limits", &limits(r), width, theme);
    if let Some(retry) = &r.retry {
        let seconds = retry.until.saturating_sub(now).div_ceil(1000);
        fact(&mut out, "retry", &format!("{} of {} in {seconds} s: {}", retry.attempt, retry.max, retry.reason), width, theme);
    }
    if let Some(o) = &r.outcome {
        fact(&mut out, "ended", &if o.reason == o.ending.name() { o.reason.clone() } else { format!("{}: {}", o.ending.name(), o.reason) }, width, theme);
        fact(&mut out, "wrote", &o.files_written.join(", "), width, theme);
        fact(&mut out, "branch", o.branch.as_deref().unwrap_or_default(), width, theme);
        fact(&mut out, "refused", &o.denied.iter().map(|d| format!("{} {}", d.tool, d.input)).collect::<Vec<_>>().join(", "), width, theme);
        fact(&mut out, "not found", &o.bad_citations.join(", "), width, theme);
        out.push(Line::default());
        out.extend(markdown::lines(head(&o.report, REPORT), &Look { theme, width, indent: 0 }));
        return out;
    }
    out.push(Line::default());
    for call in &r.recent {
        let Some((_, tool)) = model.transcripts.get(&id).and_then(|t| t.tool(call)) else { continue };
        let (sign, style) = signs::tool(tool.state, theme);
        let left = vec![Span::styled(format!("{sign} "), style), Span::styled(format!("{} {}", row::flat(&tool.name), row::flat(&tool.title)), theme.text)];
        out.push(row::sides(left, vec![Span::styled(row::cut(&row::flat(&tool.summary), width / 3), theme.muted)], width));
    }
    out
}

/// `43k → 0.3k`, while it works what it used so far.
fn ledger(r: &AgentRow) -> String {
    match &r.outcome {
        Some(o) => format!("{} → {}", short(o.usage.total()), thousands(o.entered_parent_tokens)),
        None => format!("{} so far", short(r.usage.total())),
    }
}

fn limits(r: &AgentRow) -> String {
    let b = &r.info.budget;
    let parts = [b.tokens.map(|t| format!("{} tokens", short(t))), b.cost_usd.map(|c| format!("${c}")), b.seconds.map(|s| format!("{s} s"))];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn command(r: &CommandRow, width: usize, now: u64, theme: &Theme) -> Vec<Line<'static>> {
    let (sign, style, word) = signs::command(r, theme);
    let mut out = wrap(&[Span::styled(for_screen(&r.command), theme.text)], width, &Indent::hanging("$ ", theme.accent), Break::Words);
    let exit = r.exit.map_or_else(String::new, |e| format!(" · exit {e}"));
    let age = clock(r.ended.unwrap_or(now).saturating_sub(r.started));
    let state = vec![Span::styled(format!("{sign} {word} "), style), Span::styled(format!("{age}{exit}"), theme.muted)];
    wrap_into(&mut out, &state, width, &Indent::none(), Break::Words);
    out.push(Line::default());
    wrap_into(&mut out, &[Span::styled(for_screen(r.tail.trim_end()), theme.muted)], width, &Indent::none(), Break::Cells);
    out
}
