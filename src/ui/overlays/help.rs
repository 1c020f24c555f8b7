//! Keys and commands, from the tables themselves (SPEC U7).

use super::Next;
use crate::action::Action;
use crate::commands::COMMANDS;
use crate::config::keymap::{Context, Key};
use crate::ui::draw::paint;
use crate::ui::panes::conversation::Scroll;
use crate::ui::update::Ui;
use crate::ui::widgets::row::flat;
use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

/// The words above the tables.
const INTRO: &str = include_str!("../../../assets/help/help.md");

/// The state of the view.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct State {
    top: usize,
    page: usize,
}

impl State {
    /// Move the text; the drawing keeps it in range.
    pub fn scroll(&mut self, scroll: Scroll) {
        let page = isize::try_from(self.page).unwrap_or(1).max(1);
        let lines = match scroll {
            Scroll::Lines(n) | Scroll::Message(n) => n,
            Scroll::Pages(n) => n.saturating_mul(page),
            Scroll::Top => isize::MIN,
            Scroll::End => isize::MAX / 2,
        };
        self.top = self.top.saturating_add_signed(lines);
    }
}

/// A key for the view.
pub fn key(state: &mut State, ui: &Ui, key: Key) -> Next {
    match ui.keymap.find(&[Context::Agent, Context::Global], key) {
        Some(Action::Close | Action::Interrupt | Action::Help | Action::ClearOrQuit) => return Next::Close,
        Some(action) => {
            if let Some(scroll) = crate::ui::update::scroll_of(action) {
                state.scroll(scroll);
            }
        }
        None => {}
    }
    Next::Stay
}

/// The text: (words, style).
fn text(ui: &Ui) -> Vec<(String, Style)> {
    let theme = &ui.theme;
    let mut rows: Vec<(String, Style)> = INTRO.lines().map(|l| (l.to_owned(), theme.text)).collect();
    rows.push((String::new(), theme.text));
    rows.push(("Commands".into(), theme.heading));
    for command in COMMANDS {
        let name = format!("/{} {}", command.name, command.usage);
        rows.push((format!("  {name:<34} {}", command.about), theme.text));
    }
    for (name, about) in &ui.model.own_commands {
        let name = format!("/{name}");
        rows.push((flat(&format!("  {name:<34} {}", about.lines().next().unwrap_or_default())), theme.text));
    }
    for context in Context::ALL {
        rows.push((String::new(), theme.text));
        rows.push((context.title().into(), theme.heading));
        for (action, keys) in ui.keymap.of(*context).filter(|(_, keys)| !keys.is_empty()) {
            let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
            rows.push((format!("  {:<34} {}", keys.join("  "), action.about()), theme.text));
        }
    }
    rows
}

/// Draw the view.
pub fn draw(state: &mut State, ui: &Ui, buf: &mut Buffer) -> Option<Position> {
    let rows = text(ui);
    let area = ui.areas().over_composer();
    let inside = paint::frame(buf, area, "Help", "", "↑↓ pageup pagedown scroll · esc close", ui.theme.border, ui.theme.heading);
    state.page = usize::from(inside.height).max(1);
    state.top = state.top.min(rows.len().saturating_sub(state.page));
    for (n, (words, style)) in rows.iter().skip(state.top).take(state.page).enumerate() {
        paint::put_cut(buf, inside, inside.x, inside.y + u16::try_from(n).unwrap_or(0), inside.width, words, *style);
    }
    None
}
