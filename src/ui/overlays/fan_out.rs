//! Consent before many subagents start: one list, all, some or none (SPEC S17).

use super::ask::{self, Verdict};
use crate::action::Action;
use crate::config::keymap::{Context, Key};
use crate::protocol::{Answer, Approval, ApprovalBody};
use crate::ui::draw::paint;
use crate::ui::update::Ui;
use crate::util::clean::escape_hidden;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// The state of the list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    top: usize,
    /// Choosing some: the selected row.
    selected: Option<usize>,
    chosen: Vec<bool>,
}

impl State {
    /// A list of this many, all of them chosen.
    #[must_use]
    pub fn new(children: usize) -> Self {
        Self { top: 0, selected: None, chosen: vec![true; children] }
    }

    /// Move the list; the drawing keeps it in range.
    pub const fn scroll_by(&mut self, lines: isize) {
        self.top = self.top.saturating_add_signed(lines);
    }
}

/// A key for the list.
pub fn key(state: &mut State, ui: &Ui, key: Key) -> Verdict {
    let Some(selected) = state.selected else {
        match ui.keymap.find(&[Context::FanOut, Context::Global], key) {
            Some(Action::StartAll) => return Verdict::Answer(Answer::Start { chosen: (0..state.chosen.len()).collect() }),
            Some(Action::StartNone) => return Verdict::Answer(Answer::Start { chosen: Vec::new() }),
            Some(Action::StartSome) => state.selected = Some(0),
            Some(Action::AnswerLater) => return Verdict::Later,
            Some(Action::ScrollUp) => state.scroll_by(-1),
            Some(Action::ScrollDown) => state.scroll_by(1),
            Some(Action::PageUp) => state.scroll_by(-8),
            Some(Action::PageDown) => state.scroll_by(8),
            _ => {}
        }
        return Verdict::Open;
    };
    match ui.keymap.find(&[Context::List], key) {
        Some(Action::SelectUp) => state.selected = Some(selected.saturating_sub(1)),
        Some(Action::SelectDown) => state.selected = Some((selected + 1).min(state.chosen.len().saturating_sub(1))),
        Some(Action::Toggle) => {
            if let Some(on) = state.chosen.get_mut(selected) {
                *on = !*on;
            }
        }
        Some(Action::Choose) => {
            let chosen = state.chosen.iter().enumerate().filter(|(_, on)| **on).map(|(n, _)| n).collect();
            return Verdict::Answer(Answer::Start { chosen });
        }
        Some(Action::Close) => state.selected = None,
        _ => {}
    }
    Verdict::Open
}

/// Draw the list over the lower end of the conversation.
pub fn draw(state: &mut State, ui: &Ui, approval: &Approval, buf: &mut Buffer) -> Option<Position> {
    let ApprovalBody::FanOut { children } = &approval.body else { return None };
    let theme = &ui.theme;
    let over = ui.areas().over_composer();
    let wanted = u16::try_from(children.len()).unwrap_or(u16::MAX).saturating_add(4);
    let height = wanted.min(over.height);
    let rect = Rect { y: over.bottom() - height, height, ..over };
    let title = format!("{} wants to start {} subagents at once", escape_hidden(&approval.path), children.len());
    let inside = paint::frame(buf, rect, &title, &ask::place(ui, approval.id), "", theme.warn, theme.text);
    let rows = usize::from(inside.height.saturating_sub(2)).max(1);
    let last = children.len().saturating_sub(rows);
    state.top = state.top.min(last);
    if let Some(selected) = state.selected {
        state.top = state.top.clamp((selected + 1).saturating_sub(rows), selected);
    }
    let kinds = children.iter().map(|(k, _)| paint::width(k)).max().unwrap_or(0).min(24);
    for (n, (kind, description)) in children.iter().enumerate().skip(state.top).take(rows) {
        let y = inside.y + u16::try_from(n - state.top).unwrap_or(0);
        let on = state.chosen.get(n).copied().unwrap_or(true);
        let sign = if state.selected == Some(n) { "▸" } else { " " };
        let text = format!("{sign} {} {kind:kinds$}  {}", if on { "✔" } else { "○" }, escape_hidden(description).replace('\n', " "));
        let style = if state.selected == Some(n) {
            theme.accent
        } else if on {
            theme.text
        } else {
            theme.muted
        };
        paint::put_cut(buf, inside, inside.x, y, inside.width, &text, style);
    }
    let y = inside.bottom().saturating_sub(2);
    if children.len() > rows {
        paint::put_cut(
            buf,
            inside,
            inside.x,
            y,
            inside.width,
            &format!("{} to {} of {}", state.top + 1, (state.top + rows).min(children.len()), children.len()),
            theme.muted,
        );
    } else if !approval.reason.is_empty() {
        paint::put_cut(buf, inside, inside.x, y, inside.width, &escape_hidden(&approval.reason).replace('\n', " "), theme.muted);
    }
    let hints = if state.selected.is_some() { "[space] on or off  [↵] start the chosen ones  [esc] back" } else { "[a]ll  [s]ome  [n]one" };
    paint::put_cut(buf, inside, inside.x, inside.bottom().saturating_sub(1), inside.width, hints, theme.text);
    None
}
