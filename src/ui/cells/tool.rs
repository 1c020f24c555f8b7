//! Cells of tool calls: one line with the state, and the outcome folded under it.

use super::{Ctx, agent, signs};
use crate::protocol::{DiffHunk, DiffLineKind, Display, Todo, TodoStatus};
use crate::ui::model::{Item, ToolItem, ToolState};
use crate::ui::widgets::diff::{self, Kind};
use crate::ui::widgets::row;
use crate::ui::widgets::wrap::{Break, Indent, wrap_into};
use crate::util::clean::for_screen;
use crate::util::time::clock;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

/// Lines of a folded output.
const FOLDED: usize = 8;
/// Lines of a folded listing or text.
const SHORT: usize = 5;
/// Lines of a running call's tail.
const TAIL: usize = 4;
/// Rows of a diff while folded.
const DIFF: usize = 40;
/// Rows of anything while unfolded.
const MOST: usize = 2_000;
/// Milliseconds before a running call shows its age.
const AGE: u64 = 2_000;

/// A call.
pub(super) fn tool(item: &Item, tool: &ToolItem, ctx: &Ctx<'_>) -> Vec<Line<'static>> {
    if let Some(row) = tool.agent.and_then(|id| ctx.model.agents.get(&id)) {
        return agent::call(tool, row, ctx);
    }
    let mut out = vec![headline(item, tool, ctx)];
    match tool.state {
        ToolState::Running | ToolState::Asking => tail(&mut out, &tool.tail, ctx),
        ToolState::Done | ToolState::Failed => outcome(&mut out, tool, ctx),
    }
    out
}

/// `⏺ Grep page_size                12 matches  ✔`
fn headline(item: &Item, tool: &ToolItem, ctx: &Ctx<'_>) -> Line<'static> {
    let theme = ctx.theme;
    let (sign, style) = signs::tool(tool.state, theme);
    let age = ctx.now.saturating_sub(item.at);
    let words = match tool.state {
        ToolState::Asking => "needs you".to_owned(),
        ToolState::Running if age >= AGE => clock(age),
        ToolState::Running | ToolState::Done | ToolState::Failed => row::flat(&tool.summary),
    };
    let words_style = if tool.state == ToolState::Failed { theme.bad } else { theme.muted };
    let left = vec![
        Span::styled("⏺ ", style),
        Span::styled(row::flat(&tool.name), theme.text.add_modifier(Modifier::BOLD)),
        Span::styled(format!(" {}", row::flat(&tool.title)), theme.text),
    ];
    let words = row::cut(&words, ctx.width / 2);
    let gap = if words.is_empty() { "" } else { "  " };
    row::sides(left, vec![Span::styled(words, words_style), Span::raw(gap), Span::styled(sign, style)], ctx.width)
}

fn tail(out: &mut Vec<Line<'static>>, tail: &str, ctx: &Ctx<'_>) {
    let tail = for_screen(tail.trim_end());
    let lines: Vec<&str> = tail.lines().collect();
    let from = lines.len().saturating_sub(TAIL);
    for line in lines.get(from..).unwrap_or_default() {
        out.push(one(line, ctx));
    }
}

/// One row of output, cut at the edge.
fn one(line: &str, ctx: &Ctx<'_>) -> Line<'static> {
    let spans = vec![Span::raw("    "), Span::styled(row::flat(line), ctx.theme.muted)];
    Line::from(row::cut_spans(spans, ctx.width))
}

fn outcome(out: &mut Vec<Line<'static>>, tool: &ToolItem, ctx: &Ctx<'_>) {
    match &tool.display {
        Display::None | Display::Agent { .. } | Display::Task { .. } => {}
        Display::Text { text } => {
            let most = if tool.state == ToolState::Failed { FOLDED } else { SHORT };
            output(out, &for_screen(text), most, ctx);
        }
        Display::Command { output: text, .. } => output(out, &for_screen(text), FOLDED, ctx),
        Display::Listing { lines, total } => listing(out, lines, *total, ctx),
        Display::Diff { path, hunks, added, removed } => {
            let head = vec![
                Span::styled(format!("    {}  ", row::flat(path)), ctx.theme.muted),
                Span::styled(format!("+{added}"), ctx.theme.added),
                Span::raw(" "),
                Span::styled(format!("-{removed}"), ctx.theme.removed),
            ];
            out.push(Line::from(row::cut_spans(head, ctx.width)));
            changes(out, hunks, ctx);
        }
        Display::Todos { todos } => list_todos(out, todos, ctx),
    }
}

/// The first lines of an output, and how many more there are.
fn output(out: &mut Vec<Line<'static>>, text: &str, most: usize, ctx: &Ctx<'_>) {
    let text = text.trim_end();
    let total = text.lines().count();
    let most = if ctx.expand { MOST } else { most };
    // A fold of one line would take as much room as the line.
    let shown = if total <= most + 1 { total } else { most };
    for line in text.lines().take(shown) {
        if ctx.expand {
            wrap_into(out, &[Span::styled(line, ctx.theme.muted)], ctx.width, &Indent::spaces(4), Break::Cells);
        } else {
            out.push(one(line, ctx));
        }
    }
    more(out, total - shown, ctx);
}

fn more(out: &mut Vec<Line<'static>>, n: usize, ctx: &Ctx<'_>) {
    if n > 0 {
        let lines = if n == 1 { "line" } else { "lines" };
        out.push(Line::from(row::cut_spans(vec![Span::styled(format!("    … {n} more {lines}"), ctx.theme.muted)], ctx.width)));
    }
}

fn listing(out: &mut Vec<Line<'static>>, lines: &[String], total: usize, ctx: &Ctx<'_>) {
    let most = if ctx.expand { MOST } else { SHORT };
    let shown = lines.len().min(most);
    for line in lines.iter().take(shown) {
        out.push(one(line, ctx));
    }
    more(out, total.max(lines.len()) - shown, ctx);
}

fn changes(out: &mut Vec<Line<'static>>, hunks: &[DiffHunk], ctx: &Ctx<'_>) {
    let most = if ctx.expand { MOST } else { DIFF };
    let total: usize = hunks.iter().map(|h| h.lines.len()).sum();
    let mut left = most;
    for (n, hunk) in hunks.iter().enumerate() {
        if left == 0 {
            break;
        }
        if n > 0 {
            out.push(Line::from(Span::styled("      ⋮", ctx.theme.muted)));
        }
        let rows: Vec<diff::Row<'_>> = hunk.lines.iter().take(left).map(|l| diff::Row { kind: kind(l.kind), old: l.old, new: l.new, text: &l.text }).collect();
        left -= rows.len();
        for mut line in diff::hunk(&rows, ctx.width.saturating_sub(2), ctx.theme) {
            line.spans.insert(0, Span::raw("  "));
            out.push(line);
        }
    }
    more(out, total.saturating_sub(most), ctx);
}

fn kind(kind: DiffLineKind) -> Kind {
    match kind {
        DiffLineKind::Context => Kind::Same,
        DiffLineKind::Added => Kind::Added,
        DiffLineKind::Removed => Kind::Removed,
    }
}

fn list_todos(out: &mut Vec<Line<'static>>, todos: &[Todo], ctx: &Ctx<'_>) {
    for todo in todos {
        let (sign, style) = signs::todo(todo.status, ctx.theme);
        let text = match todo.status {
            TodoStatus::InProgress if !todo.active_form.is_empty() => &todo.active_form,
            TodoStatus::InProgress | TodoStatus::Pending | TodoStatus::Completed => &todo.content,
        };
        let text_style = if todo.status == TodoStatus::Completed { ctx.theme.muted } else { ctx.theme.text };
        let spans = vec![Span::styled(format!("    {sign} "), style), Span::styled(row::flat(text), text_style)];
        out.push(Line::from(row::cut_spans(spans, ctx.width)));
    }
}

/// What a call gave, as text.
pub(super) fn output_text(tool: &ToolItem, out: &mut String) {
    match &tool.display {
        Display::None | Display::Agent { .. } | Display::Task { .. } => {}
        Display::Text { text } | Display::Command { output: text, .. } => {
            out.push('\n');
            out.push_str(text);
        }
        Display::Listing { lines, .. } => lines.iter().for_each(|l| {
            out.push('\n');
            out.push_str(l);
        }),
        Display::Diff { hunks, .. } => hunks.iter().flat_map(|h| &h.lines).for_each(|l| {
            out.push('\n');
            out.push_str(&l.text);
        }),
        Display::Todos { todos } => todos.iter().for_each(|t| {
            out.push('\n');
            out.push_str(&t.content);
        }),
    }
}
