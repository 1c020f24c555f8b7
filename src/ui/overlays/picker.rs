//! The `/agents` picker: all subagent types with source, tools and model; Enter or Space switches one at once (SPEC S4).

use super::Next;
use crate::action::Action;
use crate::config::keymap::{Context, Key};
use crate::protocol::Op;
use crate::ui::draw::paint;
use crate::ui::msg::Effect;
use crate::ui::update::Ui;
use crate::ui::widgets::row::flat;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// The state of the picker.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct State {
    selected: usize,
    top: usize,
}

/// A key for the picker.
pub fn key(state: &mut State, ui: &mut Ui, key: Key, out: &mut Vec<Effect>) -> Next {
    let last = ui.model.agent_types.len().saturating_sub(1);
    match ui.keymap.find(&[Context::List, Context::Global], key) {
        Some(Action::SelectUp | Action::ScrollUp) => state.selected = state.selected.saturating_sub(1),
        Some(Action::SelectDown | Action::ScrollDown) => state.selected = (state.selected + 1).min(last),
        Some(Action::PageUp) => state.selected = state.selected.saturating_sub(10),
        Some(Action::PageDown) => state.selected = (state.selected + 10).min(last),
        Some(Action::Choose | Action::Toggle) => {
            if let Some(kind) = ui.model.agent_types.get_mut(state.selected) {
                // Seen at once; the engine's answer brings the same.
                kind.enabled = !kind.enabled;
                out.push(Effect::Op(Op::EnableAgentType { name: kind.name.clone(), enabled: kind.enabled }));
            }
        }
        Some(Action::Close | Action::Interrupt | Action::ClearOrQuit) => return Next::Close,
        _ => {}
    }
    Next::Stay
}

/// Draw the picker.
pub fn draw(state: &mut State, ui: &Ui, buf: &mut Buffer) -> Option<Position> {
    let theme = &ui.theme;
    let types = &ui.model.agent_types;
    let over = ui.areas().over_composer();
    let height = u16::try_from(types.len().max(1)).unwrap_or(u16::MAX).saturating_add(3).min(over.height);
    let rect = Rect { height, ..over };
    let on = types.iter().filter(|t| t.enabled).count();
    let inside = paint::frame(buf, rect, "Subagent types", &format!("{on} of {} enabled", types.len()), "", theme.border, theme.heading);
    state.selected = state.selected.min(types.len().saturating_sub(1));
    let rows = usize::from(inside.height.saturating_sub(1)).max(1);
    state.top = state.top.clamp((state.selected + 1).saturating_sub(rows), state.selected);
    let width_of =
        |get: fn(&crate::protocol::event::AgentTypeView) -> &str, most: usize| types.iter().map(|t| paint::width(get(t))).max().unwrap_or(0).min(most);
    let columns = [width_of(|t| &t.name, 24), width_of(|t| &t.source, 20), width_of(|t| &t.tools, 26), width_of(|t| &t.model, 16)];
    for (n, kind) in types.iter().enumerate().skip(state.top).take(rows) {
        let y = inside.y + u16::try_from(n - state.top).unwrap_or(0);
        let selected = n == state.selected;
        let mut x = paint::put(buf, inside, inside.x, y, 4, if selected { "▸ " } else { "  " }, theme.accent);
        x = paint::put(buf, inside, x, y, 2, if kind.enabled { "✔ " } else { "○ " }, if kind.enabled { theme.good } else { theme.muted });
        let name = if selected {
            theme.accent
        } else if kind.enabled {
            theme.text
        } else {
            theme.muted
        };
        for (text, wide, style) in [
            (&kind.name, columns[0], name),
            (&kind.source, columns[1], theme.muted),
            (&kind.tools, columns[2], theme.muted),
            (&kind.model, columns[3], theme.muted),
        ] {
            let wide = u16::try_from(wide).unwrap_or(0);
            paint::put_cut(buf, inside, x, y, wide.min(inside.right().saturating_sub(x)), &flat(text), style);
            x = x.saturating_add(wide + 2);
        }
        let words = if kind.enabled { kind.description.clone() } else { format!("(off) {}", kind.description) };
        let words = flat(words.lines().next().unwrap_or_default());
        paint::put_cut(buf, inside, x, y, inside.right().saturating_sub(x), &words, if kind.enabled { theme.text } else { theme.muted });
    }
    if types.is_empty() {
        paint::put_cut(buf, inside, inside.x, inside.y, inside.width, "none are known yet", theme.muted);
    }
    paint::put_cut(buf, inside, inside.x, inside.bottom().saturating_sub(1), inside.width, "space on or off · ↑↓ choose · esc close", theme.muted);
    None
}
