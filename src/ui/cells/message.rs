//! Cells of words: the person's, the model's, the program's.

use super::Ctx;
use super::signs;
use crate::protocol::{Level, Origin, TaskId};
use crate::ui::model::{Item, ItemKind};
use crate::ui::theme::Theme;
use crate::ui::widgets::markdown::{Look, Rows, Stream, lines};
use crate::ui::widgets::row;
use crate::ui::widgets::wrap::{Break, Indent, wrap};
use crate::util::clean::for_screen;
use crate::util::text::{head, one_line};
use crate::util::tokens::short;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

/// Bytes of a person's message that are shown unfolded.
const LONG_MESSAGE: usize = 8 * 1024;
/// Cells before the model's words: the bullet's.
pub(super) const INDENT: usize = 2;
/// Bytes of folded reasoning that are shown.
const GIST: usize = 400;

/// A text on the user's side.
pub(super) fn user(text: &str, origin: &Origin, ctx: &Ctx<'_>) -> Vec<Line<'static>> {
    let theme = ctx.theme;
    match origin {
        Origin::Person | Origin::Fork { .. } => spoken("❯ ", text, theme.accent, ctx),
        Origin::Steer => spoken("↪ ", text, theme.accent, ctx),
        Origin::Notification { task } => notification(*task, text, ctx),
        Origin::Engine => folded("· ", &one_line(&for_screen(text), 500), text, ctx),
        Origin::Summary => folded("≡ ", "summary of the earlier messages", text, ctx),
    }
}

fn spoken(sign: &'static str, text: &str, style: Style, ctx: &Ctx<'_>) -> Vec<Line<'static>> {
    let shown = if ctx.expand { text } else { head(text, LONG_MESSAGE) };
    let words = for_screen(shown.trim_end());
    let mut out = wrap(&[Span::styled(words, style)], ctx.width, &Indent::hanging(sign, style.add_modifier(Modifier::BOLD)), Break::Words);
    let more = text.len().saturating_sub(shown.len());
    if more > 0 {
        out.push(Line::from(Span::styled(format!("  … {} more", size(more)), ctx.theme.muted)));
    }
    out
}

/// `12 kB`.
fn size(bytes: usize) -> String {
    if bytes < 1_000 { format!("{bytes} bytes") } else { format!("{} kB", bytes / 1_000) }
}

/// One muted line; the whole when everything is unfolded.
fn folded(sign: &'static str, gist: &str, text: &str, ctx: &Ctx<'_>) -> Vec<Line<'static>> {
    let style = ctx.theme.muted;
    if ctx.expand {
        return wrap(&[Span::styled(for_screen(text.trim_end()), style)], ctx.width, &Indent::hanging(sign, style), Break::Words);
    }
    vec![Line::from(row::cut_spans(vec![Span::styled(format!("{sign}{}", row::flat(gist)), style)], ctx.width))]
}

/// The delivery of a completion: who, and how it ended.
fn notification(task: TaskId, text: &str, ctx: &Ctx<'_>) -> Vec<Line<'static>> {
    let theme = ctx.theme;
    let (name, word, style) = match task {
        TaskId::Agent(id) => match ctx.model.agents.get(&id) {
            Some(r) => {
                let (_, style, word) = signs::agent(r, theme);
                (format!("{} · {}", r.info.kind, r.info.description), word.to_owned(), style)
            }
            None => (String::new(), String::new(), theme.muted),
        },
        TaskId::Command(_) => match ctx.model.commands.get(&task) {
            Some(r) => {
                let (_, style, word) = signs::command(r, theme);
                (if r.description.is_empty() { r.command.clone() } else { r.description.clone() }, word.to_owned(), style)
            }
            None => (String::new(), String::new(), theme.muted),
        },
    };
    let left = vec![
        Span::styled(format!("◆ {task} "), theme.accent),
        Span::styled(format!("{} ", row::flat(&name)), theme.text),
        Span::styled("reported", theme.muted),
    ];
    let mut out = vec![row::sides(left, vec![Span::styled(word, style)], ctx.width)];
    if ctx.expand {
        out.extend(wrap(&[Span::styled(for_screen(text.trim_end()), theme.muted)], ctx.width, &Indent::spaces(2), Break::Words));
    }
    out
}

/// Words of the model, brought up to date with what came. The first row carries the bullet.
pub(super) fn assistant(text: &str, done: bool, stream: &mut Stream, rows: &mut Rows, ctx: &Ctx<'_>) {
    stream.update(text, done, rows, &Look { theme: ctx.theme, width: ctx.width, indent: INDENT });
    bullet(&mut rows.lines, Span::styled("● ", ctx.theme.text));
}

fn bullet(rows: &mut [Line<'static>], sign: Span<'static>) {
    if let Some(first) = rows.first_mut().and_then(|l| l.spans.first_mut()).filter(|s| s.content == "  ") {
        *first = sign;
    }
}

/// Reasoning, unfolded.
pub(super) fn thinking(text: &str, done: bool, stream: &mut Stream, rows: &mut Rows, ctx: &Ctx<'_>) {
    let theme = Theme { text: ctx.theme.muted.add_modifier(Modifier::ITALIC), ..ctx.theme.clone() };
    stream.update(text, done, rows, &Look { theme: &theme, width: ctx.width, indent: INDENT });
    bullet(&mut rows.lines, Span::styled("∴ ", ctx.theme.muted));
}

/// Reasoning in one line: for how long, and its beginning (while it comes: its end).
pub(super) fn thought(item: &Item, text: &str, done: bool, ctx: &Ctx<'_>) -> Vec<Line<'static>> {
    let seconds = item.until.saturating_sub(item.at) / 1000;
    let gist = if done { one_line(&for_screen(head(text.trim_start(), GIST)), GIST) } else { last_line(text) };
    let label = match (done, seconds) {
        (false, _) => "∴ thinking".to_owned(),
        (true, 0) => "∴ thought".to_owned(),
        (true, s) => format!("∴ thought for {s} s"),
    };
    let style = ctx.theme.muted;
    let spans = vec![
        Span::styled(label, style),
        Span::styled(if gist.is_empty() { String::new() } else { format!(" · {gist}") }, style.add_modifier(Modifier::ITALIC)),
    ];
    vec![Line::from(row::cut_spans(spans, ctx.width))]
}

fn last_line(text: &str) -> String {
    let end = crate::util::text::tail(text, GIST);
    let line = end.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or_default();
    row::flat(line.trim())
}

/// Words of the program.
pub(super) fn notice(level: Level, text: &str, hint: &str, ctx: &Ctx<'_>) -> Vec<Line<'static>> {
    let theme = ctx.theme;
    let text = for_screen(text.trim_end());
    let mut out = match level {
        // The answer of a slash command has its own layout.
        Level::Output => wrap(&[Span::styled(text, theme.text)], ctx.width, &Indent::spaces(2), Break::Words),
        Level::Info => wrap(&[Span::styled(text, theme.muted)], ctx.width, &Indent::hanging("• ", theme.muted), Break::Words),
        Level::Warning => wrap(&[Span::styled(text, theme.warn)], ctx.width, &Indent::hanging("▲ ", theme.warn), Break::Words),
        Level::Error => wrap(&[Span::styled(text, theme.bad)], ctx.width, &Indent::hanging("✖ ", theme.bad), Break::Words),
    };
    if !hint.trim().is_empty() {
        out.extend(wrap(&[Span::styled(for_screen(hint.trim()), theme.muted)], ctx.width, &Indent::hanging("  → ", theme.muted), Break::Words));
    }
    out
}

/// The place where the history was summed up.
pub(super) fn compacted(before: u64, after: u64, summary: &str, ctx: &Ctx<'_>) -> Vec<Line<'static>> {
    let text = format!("── summed up: {} → {} tokens ", short(before), short(after));
    let fill = ctx.width.saturating_sub(text.chars().count());
    let rule = row::cut(&format!("{text}{}", "─".repeat(fill)), ctx.width);
    let mut out = vec![Line::from(Span::styled(rule, ctx.theme.muted))];
    if ctx.expand {
        out.extend(lines(summary, &Look { theme: ctx.theme, width: ctx.width, indent: 2 }));
    }
    out
}

/// The text of a cell for searching and copying.
#[must_use]
pub fn plain(item: &Item) -> String {
    match &item.kind {
        ItemKind::User { text, .. } | ItemKind::Assistant { text, .. } | ItemKind::Thinking { text, .. } => text.clone(),
        ItemKind::Tool(tool) => {
            let mut out = format!("{} {} {}", tool.name, tool.title, tool.summary);
            super::tool::output_text(tool, &mut out);
            out
        }
        ItemKind::Notice { text, hint, .. } => format!("{text}\n{hint}"),
        ItemKind::Compacted { summary, .. } => summary.clone(),
    }
}
