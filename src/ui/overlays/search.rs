//! Search in the conversation: pages are drawn unseen until the words stand on one; hits on the screen are marked.
//!
//! So it finds exactly what a person could read, whatever a cell looks like, and needs no knowledge of cells.

use super::Next;
use crate::action::Action;
use crate::config::keymap::{Context, Key};
use crate::protocol::AgentId;
use crate::ui::draw::paint;
use crate::ui::model::ItemKind;
use crate::ui::panes::composer::line::Line;
use crate::ui::panes::conversation::{self, Scroll};
use crate::ui::update::Ui;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::fmt::Write;

/// Pages looked at for one search.
const PAGES: usize = 3_000;

/// The state of the search line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct State {
    /// What is looked for.
    pub line: Line,
    nothing: bool,
}

/// Words whose hits on the screen are marked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Found {
    words: String,
}

/// A key for the search line.
pub fn key(state: &mut State, ui: &mut Ui, key: Key) -> Next {
    match ui.keymap.find(&[Context::Composer, Context::Global], key) {
        Some(Action::Interrupt | Action::ClearOrQuit) => {
            ui.search.words.clear();
            return Next::Close;
        }
        Some(Action::Submit | Action::LineUp | Action::Search) => look(state, ui, true),
        Some(Action::LineDown) => look(state, ui, false),
        Some(action) => {
            if state.line.act(action) {
                typed(state, ui);
            } else if let Some(scroll) = crate::ui::update::scroll_of(action) {
                super::scroll(ui, scroll);
            }
        }
        None => {
            if let Some(c) = key.typed() {
                ui.typed_at = ui.now;
                state.line.insert(c.encode_utf8(&mut [0; 4]));
                typed(state, ui);
            }
        }
    }
    Next::Stay
}

fn typed(state: &mut State, ui: &mut Ui) {
    state.nothing = false;
    ui.search.words = state.line.text().to_lowercase();
}

/// Go to the next page that holds the words, towards the start or the end; stays where it is when there is none.
fn look(state: &mut State, ui: &mut Ui, up: bool) {
    let words = state.line.text().to_lowercase();
    ui.search.words.clone_from(&words);
    let area = Rect { x: 0, y: 0, ..ui.areas().conversation };
    if words.trim().is_empty() || area.is_empty() {
        return;
    }
    let mut position = ui.conversation.clone();
    let mut buf = Buffer::empty(area);
    let step = isize::try_from(area.height).unwrap_or(1).saturating_sub(1).max(1) * if up { -1 } else { 1 };
    for _ in 0..PAGES {
        let before = position.clone();
        position.scroll(Scroll::Lines(step), &ui.model, AgentId::MAIN, &mut ui.cache, area, &ui.theme);
        if position == before {
            break;
        }
        buf.reset();
        conversation::draw(&mut buf, area, &ui.model, AgentId::MAIN, &mut position, &mut ui.cache, &ui.theme);
        if !hits(&buf, area, &words).is_empty() {
            ui.conversation = position;
            state.nothing = false;
            return;
        }
    }
    // The page that is shown may hold them already.
    state.nothing = true;
}

/// Places of the words in the rows of an area: (row, first column, behind the last column).
fn hits(buf: &Buffer, area: Rect, words: &str) -> Vec<(u16, u16, u16)> {
    let mut found = Vec::new();
    for y in area.top()..area.bottom() {
        let mut row = String::new();
        let mut columns = Vec::new();
        let mut covered = area.left();
        for x in area.left()..area.right() {
            // The cell behind a wide character belongs to it.
            if x < covered {
                continue;
            }
            let symbol = buf.cell((x, y)).map_or(" ", |c| c.symbol()).to_lowercase();
            columns.extend(std::iter::repeat_n(x, symbol.len()));
            row.push_str(&symbol);
            covered = x.saturating_add(u16::try_from(paint::width(&symbol)).unwrap_or(1).max(1));
        }
        for (at, hit) in row.match_indices(words) {
            let first = columns.get(at).copied().unwrap_or(area.left());
            let last = columns.get(at + hit.len() - 1).copied().unwrap_or(first);
            found.push((y, first, last.saturating_add(1)));
        }
    }
    found
}

/// Mark the hits on the drawn conversation.
pub fn mark(ui: &Ui, buf: &mut Buffer, area: Rect) {
    if ui.search.words.trim().is_empty() {
        return;
    }
    for (y, from, to) in hits(buf, area, &ui.search.words) {
        for x in from..to {
            if let Some(cell) = buf.cell_mut((x, y)) {
                cell.set_style(ui.theme.selected);
            }
        }
    }
}

/// Draw the search line in place of the hint line.
pub fn draw(state: &mut State, ui: &Ui, buf: &mut Buffer) -> Option<Position> {
    let areas = ui.areas();
    let area = if areas.hint.is_empty() { areas.composer } else { areas.hint };
    paint::clear(buf, area, ui.theme.text);
    let x = paint::put(buf, area, area.x, area.y, area.width, " find: ", ui.theme.accent);
    let hint = if state.nothing { "nothing more · esc close" } else { "↵ ↑ before · ↓ after · esc close" };
    let hint_width = u16::try_from(paint::width(hint) + 1).unwrap_or(0);
    let room = area.right().saturating_sub(x);
    let input = Rect { x, width: if room > hint_width + 12 { room - hint_width } else { room }, height: 1.min(area.height), y: area.y };
    if room > hint_width + 12 {
        paint::put(buf, area, area.right() - hint_width, area.y, hint_width, hint, if state.nothing { ui.theme.warn } else { ui.theme.muted });
    }
    Some(super::permission::input(buf, input, &state.line, ui))
}

/// The newest finished words of the model.
#[must_use]
pub fn last_reply(ui: &Ui) -> Option<String> {
    let items = &ui.model.transcripts.get(&AgentId::MAIN)?.items;
    items.iter().rev().find_map(|i| if let ItemKind::Assistant { text, .. } = &i.kind { Some(text.clone()) } else { None })
}

/// The main conversation as plain text, for the pager.
#[must_use]
pub fn transcript(ui: &Ui) -> String {
    let mut out = String::new();
    let items = ui.model.transcripts.get(&AgentId::MAIN).map(|t| t.items.as_slice()).unwrap_or_default();
    for item in items {
        let _ = match &item.kind {
            ItemKind::User { text, .. } => writeln!(out, "❯ {text}\n"),
            ItemKind::Assistant { text, .. } => writeln!(out, "{text}\n"),
            ItemKind::Thinking { text, .. } => writeln!(out, "(thinking) {text}\n"),
            ItemKind::Tool(tool) => writeln!(out, "⏺ {} {}  {}\n", tool.name, tool.title, tool.summary),
            ItemKind::Notice { text, hint, .. } => writeln!(out, "{text} {hint}\n"),
            ItemKind::Compacted { summary, .. } => writeln!(out, "(the conversation was summed up)\n{summary}\n"),
        };
    }
    // Nothing of a model or a tool may reach the terminal as a control sequence, also not through a pager.
    out.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}
