//! Drawing of the sidebar and the strip.

use super::{Group, background, elapsed, group, todo_counts};
use crate::protocol::{TaskId, Todo, TodoStatus};
use crate::ui::cells::signs;
use crate::ui::model::Model;
use crate::ui::theme::Theme;
use crate::ui::widgets::{put, row};
use crate::util::time::clock;
use crate::util::tokens::short;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Draw the sidebar (120 columns and more).
pub fn draw_sidebar(buf: &mut Buffer, area: Rect, model: &Model, now: u64, theme: &Theme) {
    let area = put::inside(buf, area);
    let width = usize::from(area.width);
    let height = usize::from(area.height);
    let mut lines = vec![head("TASKS", &summary(model), width, theme)];
    let tasks = background(model);
    if tasks.is_empty() {
        lines.push(muted(" none in the background", width, theme));
    }
    for task in tasks {
        lines.extend(task_lines(model, task, width, now, theme));
    }
    let todos = todo_lines(model, width, theme);
    // To-dos keep up to half of the height.
    let room = height.saturating_sub(if todos.is_empty() { 0 } else { (todos.len() + 1).min(height / 2) });
    if lines.len() > room && room > 0 {
        let hidden = lines.len() - room + 1;
        lines.truncate(room - 1);
        lines.push(muted(&format!(" … {hidden} more lines"), width, theme));
    }
    if !todos.is_empty() {
        lines.push(Line::default());
        lines.extend(todos);
    }
    for (y, line) in (0..area.height).zip(&lines) {
        put::line(buf, area, y, line);
    }
}

fn muted(text: &str, width: usize, theme: &Theme) -> Line<'static> {
    Line::from(Span::styled(row::cut(text, width), theme.muted))
}

fn head(title: &'static str, right: &str, width: usize, theme: &Theme) -> Line<'static> {
    row::sides(vec![Span::styled(format!(" {title}"), theme.heading)], vec![Span::styled(right.to_owned(), theme.muted)], width)
}

/// `1 needs you · 2 running`
fn summary(model: &Model) -> String {
    let count = |g| background(model).into_iter().filter(|t| group(model, *t) == Some(g)).count();
    let (asking, running) = (count(Group::NeedsYou), count(Group::Running));
    let mut parts = Vec::new();
    if asking > 0 {
        parts.push(format!("{asking} needs you"));
    }
    if running > 0 {
        parts.push(format!("{running} running"));
    }
    parts.join(" · ")
}

/// A task as sign, style, name and word.
pub(super) struct Label<'a> {
    pub(super) sign: &'static str,
    pub(super) style: Style,
    pub(super) name: String,
    /// `running`, `done`, or the ending's name.
    pub(super) word: &'a str,
}

/// What a task is called and how far it is.
pub(super) fn label<'a>(model: &'a Model, task: TaskId, theme: &Theme) -> Option<Label<'a>> {
    match task {
        TaskId::Agent(id) => model.agents.get(&id).map(|r| {
            let (sign, style, word) = signs::agent(r, theme);
            Label { sign, style, name: format!("{} {}", row::flat(&r.info.kind), row::flat(&r.info.description)), word }
        }),
        TaskId::Command(_) => model.commands.get(&task).map(|r| {
            let (sign, style, word) = signs::command(r, theme);
            Label { sign, style, name: row::flat(if r.description.is_empty() { &r.command } else { &r.description }), word }
        }),
    }
}

/// ` ● a2 Explore offset use       0:14` and what it is about.
fn task_lines(model: &Model, task: TaskId, width: usize, now: u64, theme: &Theme) -> Vec<Line<'static>> {
    let Some(l) = label(model, task, theme) else { return Vec::new() };
    let word = match l.word {
        "running" => String::new(),
        "completed" => "done  ".to_owned(),
        word => format!("{word}  "),
    };
    let left = vec![Span::styled(format!(" {} ", l.sign), l.style), Span::styled(format!("{task} "), theme.accent), Span::styled(l.name, theme.text)];
    let right = vec![Span::styled(word, l.style), Span::styled(clock(elapsed(model, task, now)), theme.muted)];
    let mut out = vec![row::sides(left, right, width)];
    if group(model, task) != Some(Group::Done) {
        out.extend(about(model, task, width, theme));
    }
    out
}

/// The running call, or the end of the output.
fn about(model: &Model, task: TaskId, width: usize, theme: &Theme) -> Option<Line<'static>> {
    match task {
        TaskId::Agent(id) => {
            let r = model.agents.get(&id)?;
            let what = match (&r.current, r.recent.last()) {
                (Some((name, title, _)), _) => format!("{} {}", row::flat(name), row::flat(title)),
                (None, Some(call)) => {
                    let tool = model.transcripts.get(&id).and_then(|t| t.tool(call)).map(|(_, tool)| tool);
                    tool.map(|t| format!("{} {}", row::flat(&t.name), row::flat(&t.title))).unwrap_or_default()
                }
                (None, None) => "waits for the model".to_owned(),
            };
            let counts = format!("{} · {}", r.requests, short(r.usage.total()));
            Some(row::sides(vec![Span::styled(format!("   {what}"), theme.muted)], vec![Span::styled(counts, theme.muted)], width))
        }
        TaskId::Command(_) => {
            let r = model.commands.get(&task)?;
            let last = r.tail.lines().rev().find(|l| !l.trim().is_empty())?;
            Some(muted(&format!("   …{}", row::flat(last.trim())), width, theme))
        }
    }
}

/// `TODO   2/5` and its entries.
pub(super) fn todo_lines(model: &Model, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let (done, all) = todo_counts(model);
    if all == 0 {
        return Vec::new();
    }
    let mut out = vec![head("TODO", &format!("{done}/{all}"), width, theme)];
    out.extend(model.todos.iter().map(|t| todo_line(t, width, theme)));
    out
}

fn todo_line(todo: &Todo, width: usize, theme: &Theme) -> Line<'static> {
    let (sign, style) = signs::todo(todo.status, theme);
    let (text, text_style) = match todo.status {
        TodoStatus::InProgress if !todo.active_form.is_empty() => (&todo.active_form, theme.text),
        TodoStatus::InProgress | TodoStatus::Pending => (&todo.content, theme.text),
        TodoStatus::Completed => (&todo.content, theme.muted),
    };
    Line::from(row::cut_spans(vec![Span::styled(format!(" {sign} "), style), Span::styled(row::flat(text), text_style)], width))
}

/// Draw the one-line strip (80 to 119 columns). Empty when there is nothing to show.
pub fn draw_strip(buf: &mut Buffer, area: Rect, model: &Model, now: u64, theme: &Theme) {
    let tasks = background(model);
    let (done, all) = todo_counts(model);
    if tasks.is_empty() && all == 0 {
        return;
    }
    let mut left = vec![Span::styled(" tasks ", theme.heading), Span::styled(summary(model), theme.muted)];
    for (n, task) in tasks.into_iter().enumerate() {
        let Some(l) = label(model, task, theme) else { continue };
        let over = group(model, task) == Some(Group::Done);
        let word = if l.word == "completed" { "done" } else { l.word };
        let age = clock(elapsed(model, task, now));
        left.push(Span::styled(if n == 0 { " " } else { " · " }, theme.muted));
        left.push(Span::styled(format!("{} ", l.sign), l.style));
        left.push(Span::styled(format!("{task} "), theme.accent));
        let name = short_name(model, task).unwrap_or(l.name);
        left.push(Span::styled(format!("{} ", row::cut(&name, 24)), theme.text));
        left.push(Span::styled(if over { word.to_owned() } else { age }, theme.muted));
    }
    let right = if all > 0 { vec![Span::styled(format!("todo {done}/{all} "), theme.muted)] } else { Vec::new() };
    put::line(buf, area, 0, &row::sides(left, right, usize::from(area.width)));
}

/// A child's description without its type.
fn short_name(model: &Model, task: TaskId) -> Option<String> {
    match task {
        TaskId::Agent(id) => model.agents.get(&id).map(|r| row::flat(&r.info.description)),
        TaskId::Command(_) => None,
    }
}
