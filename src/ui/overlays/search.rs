//! Search in the main conversation; what was found is marked and brought into view. Also what is copied and paged.

use super::Next;
use crate::action::Action;
use crate::config::keymap::{Context, Key};
use crate::protocol::AgentId;
use crate::ui::cells::plain;
use crate::ui::draw::paint;
use crate::ui::model::ItemKind;
use crate::ui::panes::composer::line::Line;
use crate::ui::panes::conversation::find;
use crate::ui::update::Ui;
use crate::ui::widgets::put::fill;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// The state of the search line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct State {
    /// What is looked for.
    pub line: Line,
    /// The cell that was found last, by its place in the transcript.
    hit: Option<usize>,
    nothing: bool,
}

/// A key for the search line.
pub fn key(state: &mut State, ui: &mut Ui, key: Key) -> Next {
    match ui.keymap.find(&[Context::Composer, Context::Global], key) {
        Some(Action::Interrupt | Action::ClearOrQuit) => {
            ui.conversation.highlight.clear();
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
    (state.nothing, state.hit) = (false, None);
    state.line.text().clone_into(&mut ui.conversation.highlight);
}

/// Go to the next cell that holds the words, towards the start or the end, around the ends.
fn look(state: &mut State, ui: &mut Ui, back: bool) {
    let main = AgentId::MAIN;
    let count = ui.model.transcripts.get(&main).map_or(0, |t| t.items.len()).max(1);
    let from = match state.hit {
        Some(n) => (if back { n + count - 1 } else { n + 1 }) % count,
        // The newest first: what was said last is looked for most.
        None if back => count - 1,
        None => ui.conversation.first_place(&ui.model, main),
    };
    let found = find(&ui.model, main, state.line.text(), from, back);
    state.nothing = found.is_none();
    state.hit = found;
    if let Some(place) = found {
        let area = ui.areas().conversation;
        ui.conversation.reveal(place, &ui.model, main, &mut ui.cache, area, &ui.theme);
    }
}

/// Draw the search line in place of the hint line.
pub fn draw(state: &mut State, ui: &Ui, buf: &mut Buffer) -> Option<Position> {
    let areas = ui.areas();
    let area = if areas.hint.is_empty() { areas.composer } else { areas.hint };
    fill(buf, area, ui.theme.text);
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
    let items = ui.model.transcripts.get(&AgentId::MAIN).map(|t| t.items.as_slice()).unwrap_or_default();
    let text = items.iter().map(plain).collect::<Vec<_>>().join("\n\n");
    // Nothing of a model or a tool may reach the terminal as a control sequence, also not through a pager.
    text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}
