//! What lies over the screen: a stack, the topmost takes the keys. Open questions ([`ask`]) lie over all of them.
//!
//! To add one: a file, a variant, and the compiler lists the rest.

pub mod ask;
pub mod child;
pub mod exit;
pub mod fan_out;
pub mod help;
pub mod permission;
pub mod picker;
pub mod question;
pub mod search;
pub mod tasks;
pub mod trust;

#[cfg(test)]
mod tests;

use super::msg::Effect;
use super::panes::conversation::Scroll;
use super::update::Ui;
use crate::config::keymap::Key;
use crate::protocol::AgentId;
use ratatui::buffer::Buffer;
use ratatui::layout::Position;

/// One of the stack.
#[derive(Debug)]
pub enum Overlay {
    /// Keys and commands.
    Help(help::State),
    /// Subagent types.
    Agents(picker::State),
    /// The task panel.
    Tasks(super::panes::tasks::State),
    /// A child on the whole screen.
    Child(child::State),
    /// A search in the conversation.
    Search(search::State),
    /// May the project's files be used?
    Trust(trust::State),
    /// Leaving while something runs.
    Exit,
}

/// What becomes of an overlay after a key.
#[derive(Debug)]
pub enum Next {
    /// It stays.
    Stay,
    /// It goes.
    Close,
    /// Another one takes its place.
    Instead(Overlay),
}

impl Overlay {
    /// Still right when another session is opened.
    #[must_use]
    pub const fn outlives_session(&self) -> bool {
        match self {
            Self::Help(_) | Self::Agents(_) | Self::Trust(_) => true,
            Self::Tasks(_) | Self::Child(_) | Self::Search(_) | Self::Exit => false,
        }
    }

    /// Holds words that the person is typing.
    #[must_use]
    pub fn has_draft(&self) -> bool {
        match self {
            Self::Child(state) => !state.line.text().is_empty(),
            Self::Search(_) => true,
            Self::Help(_) | Self::Agents(_) | Self::Tasks(_) | Self::Trust(_) | Self::Exit => false,
        }
    }
}

/// A key for the topmost overlay.
pub fn key(ui: &mut Ui, key: Key, out: &mut Vec<Effect>) {
    // Taken out while it works on the rest of the state, and put back where it was.
    let Some(mut top) = ui.overlays.pop() else { return };
    let next = match &mut top {
        Overlay::Help(state) => help::key(state, ui, key),
        Overlay::Agents(state) => picker::key(state, ui, key, out),
        Overlay::Tasks(state) => tasks::key(state, ui, key, out),
        Overlay::Child(state) => child::key(state, ui, key, out),
        Overlay::Search(state) => search::key(state, ui, key),
        Overlay::Trust(state) => trust::key(state, ui, key, out),
        Overlay::Exit => exit::key(ui, key, out),
    };
    match next {
        Next::Stay => ui.overlays.push(top),
        Next::Close => {}
        Next::Instead(other) => ui.overlays.push(other),
    }
}

/// Pasted text for the topmost overlay; those without an input ignore it.
pub fn paste(ui: &mut Ui, text: &str) {
    match ui.overlays.last_mut() {
        Some(Overlay::Child(state)) => {
            state.focused = true;
            state.line.insert(text);
        }
        Some(Overlay::Search(state)) => state.line.insert(text),
        Some(Overlay::Help(_) | Overlay::Agents(_) | Overlay::Tasks(_) | Overlay::Trust(_) | Overlay::Exit) | None => {}
    }
}

/// Scroll what is read: the topmost overlay with a text, else the main conversation.
pub fn scroll(ui: &mut Ui, scroll: Scroll) {
    let areas = ui.areas();
    for overlay in ui.overlays.iter_mut().rev() {
        match overlay {
            Overlay::Help(state) => return state.scroll(scroll),
            Overlay::Child(state) => {
                let area = child::areas(&ui.model, state, areas.screen).conversation;
                return state.conversation.scroll(scroll, &ui.model, state.agent, &mut ui.cache, area, &ui.theme);
            }
            Overlay::Agents(_) | Overlay::Tasks(_) | Overlay::Trust(_) | Overlay::Exit => return,
            Overlay::Search(_) => {}
        }
    }
    ui.conversation.scroll(scroll, &ui.model, AgentId::MAIN, &mut ui.cache, areas.conversation, &ui.theme);
}

/// Draw the stack; the answer is where the cursor belongs when an overlay has the keys: `Some(None)` hides it.
pub fn draw(ui: &mut Ui, buf: &mut Buffer) -> Option<Option<Position>> {
    let mut cursor = None;
    let mut stack = std::mem::take(&mut ui.overlays);
    for overlay in &mut stack {
        cursor = Some(match overlay {
            Overlay::Help(state) => help::draw(state, ui, buf),
            Overlay::Agents(state) => picker::draw(state, ui, buf),
            Overlay::Tasks(state) => tasks::draw(state, ui, buf),
            Overlay::Child(state) => child::draw(state, ui, buf),
            Overlay::Search(state) => search::draw(state, ui, buf),
            Overlay::Trust(state) => trust::draw(state, ui, buf),
            Overlay::Exit => exit::draw(ui, buf),
        });
    }
    ui.overlays = stack;
    if ui.ask.is_some() { Some(ask::draw(ui, buf)) } else { cursor }
}
