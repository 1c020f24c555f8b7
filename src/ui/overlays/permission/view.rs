//! Draws a permission question over the lower end of the conversation, and knows how much of it was seen.

use super::{Stage, State, body, choices, hint};
use crate::action::Action;
use crate::config::keymap::Context;
use crate::protocol::Approval;
use crate::ui::draw::paint;
use crate::ui::overlays::ask;
use crate::ui::update::Ui;
use crate::ui::widgets::row::flat;
use crate::util::clean::escape_hidden;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

/// Where the parts of the dialog stand.
#[derive(Debug)]
pub struct Measure {
    rect: Rect,
    rows: Vec<(String, Style)>,
    reason: Vec<String>,
    hints: Vec<String>,
    /// Rows of the body on the screen.
    pub visible: usize,
}

/// Lay the dialog out on the present screen.
#[must_use]
pub fn measure(state: &State, ui: &Ui, approval: &Approval) -> Measure {
    let over = ui.areas().over_composer();
    let columns = usize::from(over.width.saturating_sub(4)).max(1);
    let rows = body::rows(approval, columns, &ui.theme);
    let reason = if approval.reason.is_empty() { Vec::new() } else { paint::wrap(&escape_hidden(&approval.reason), columns) };
    let hints = hint_rows(state, ui, approval, columns);
    let height = usize::from(over.height);
    // A part of the conversation stays in view where there is room; on a low screen the reason goes before the body does.
    let most = if height >= 16 { height - height / 4 } else { height };
    let reason: Vec<String> = if most >= hints.len() + 2 + 3 + reason.len().min(3) { reason.into_iter().take(3).collect() } else { Vec::new() };
    let fixed = reason.len() + hints.len() + 2;
    // One row for the count of hidden lines when not everything fits.
    let room = most.saturating_sub(fixed);
    let visible = if rows.len() <= room { rows.len() } else { room.saturating_sub(1) };
    let height = u16::try_from(fixed + rows.len().min(room)).unwrap_or(u16::MAX).min(over.height);
    Measure { rect: Rect { y: over.bottom() - height, height, ..over }, rows, reason, hints, visible }
}

/// Lines of the body that were never on the screen.
#[must_use]
pub fn unseen(state: &State, ui: &Ui, approval: &Approval) -> usize {
    let m = measure(state, ui, approval);
    m.rows.len().saturating_sub(state.seen)
}

/// Move the body by lines, at most so far that no line is skipped unseen.
pub fn scroll(state: &mut State, ui: &Ui, approval: &Approval, lines: isize) {
    let m = measure(state, ui, approval);
    let last = m.rows.len().saturating_sub(m.visible);
    state.top = state.top.saturating_add_signed(lines).min(last).min(state.seen);
}

fn hint_rows(state: &State, ui: &Ui, approval: &Approval, columns: usize) -> Vec<String> {
    let words: Vec<String> = match state.stage {
        Stage::Choose => choices(approval).iter().map(|(action, words)| hint(ui.keymap.keys(Context::Dialog, *action).first(), words)).collect(),
        Stage::Always => {
            let rule = approval.rule.as_deref().unwrap_or_default();
            let key = |action, words: &str| hint(ui.keymap.keys(Context::Always, action).first(), words);
            vec![
                format!("always allow {}:", escape_hidden(rule)),
                key(Action::AlwaysProject, "project"),
                key(Action::AlwaysUser, "user"),
                key(Action::Close, "back"),
            ]
        }
        Stage::Reason(_) => vec!["why not?".into()],
    };
    let mut rows: Vec<String> = Vec::new();
    for word in words {
        match rows.last_mut() {
            Some(row) if paint::width(row) + 2 + paint::width(&word) <= columns => {
                row.push_str("  ");
                row.push_str(&word);
            }
            _ => rows.push(word),
        }
    }
    rows
}

/// Draw; returns where the cursor belongs.
pub fn draw(state: &mut State, ui: &Ui, approval: &Approval, buf: &mut Buffer) -> Option<Position> {
    let theme = &ui.theme;
    let m = measure(state, ui, approval);
    let quoted = if approval.description.is_empty() { String::new() } else { format!(" “{}”", escape_hidden(&approval.description)) };
    let title = format!("{}{quoted} {}", escape_hidden(&approval.path), body::wish(approval));
    let foot = format!("{} later", ui.keymap.sign(Context::Dialog, Action::AnswerLater));
    // Rows of another width say nothing about what was seen.
    if state.columns != m.rect.width {
        (state.columns, state.top, state.seen) = (m.rect.width, 0, 0);
    }
    let inside = paint::frame(buf, m.rect, &flat(&title.replace('\n', " ")), &ask::place(ui, approval.id), &foot, theme.warn, theme.text);
    state.top = state.top.min(m.rows.len().saturating_sub(m.visible));
    let mut y = inside.y;
    for (text, style) in m.rows.iter().skip(state.top).take(m.visible) {
        if y < inside.bottom() {
            paint::put(buf, inside, inside.x, y, inside.width, text, *style);
            y += 1;
        }
    }
    // Only what reached the screen counts as seen.
    let drawn = usize::from(y - inside.y);
    if state.top <= state.seen {
        state.seen = state.seen.max(state.top + drawn);
    }
    if m.visible < m.rows.len() {
        let more = m.rows.len().saturating_sub(state.seen);
        let below = m.rows.len().saturating_sub(state.top + drawn);
        let words = if more > 0 { format!("… {more} more lines, scroll to allow") } else { format!("… {below} lines below") };
        paint::put_cut(buf, inside, inside.x, y, inside.width, &words, theme.warn);
        y = y.saturating_add(1);
    }
    for line in &m.reason {
        paint::put_cut(buf, inside, inside.x, y, inside.width, line, theme.muted);
        y = y.saturating_add(1);
    }
    let mut x = inside.x;
    for line in &m.hints {
        x = paint::put_cut(buf, inside, inside.x, y, inside.width, line, theme.text);
        y = y.saturating_add(1);
    }
    let Stage::Reason(line) = &state.stage else { return None };
    Some(draw_input(buf, Rect { x: (x + 1).min(inside.right()), y: y.saturating_sub(1), width: inside.right().saturating_sub(x + 1), height: 1 }, line, ui))
}

/// A one-line input; the end before the cursor is what stays visible. Returns the cursor.
pub fn draw_input(buf: &mut Buffer, area: Rect, line: &crate::ui::panes::composer::line::Line, ui: &Ui) -> Position {
    let room = usize::from(area.width.saturating_sub(1));
    let mut before = line.before();
    while paint::width(before) > room {
        let first = before.chars().next().map_or(1, char::len_utf8);
        before = before.get(first..).unwrap_or_default();
    }
    let x = paint::put(buf, area, area.x, area.y, area.width, before, ui.theme.accent);
    let after = line.text().get(line.before().len()..).unwrap_or_default();
    paint::put(buf, area, x, area.y, area.right().saturating_sub(x), after, ui.theme.accent);
    Position { x: x.min(buf.area.right().saturating_sub(1)), y: area.y.min(buf.area.bottom().saturating_sub(1)) }
}
