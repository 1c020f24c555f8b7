//! The conversation of one agent: a virtual list of cells; only what is visible is laid out (SPEC U5, U8).

use crate::protocol::AgentId;
use crate::ui::cells::Cache;
use crate::ui::model::Model;
use crate::ui::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Where a conversation is read. One for `main`, one for an opened child.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct State {}

/// A move of the reading position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Scroll {
    /// Lines; negative is towards the start.
    Lines(isize),
    /// Pages; negative is towards the start.
    Pages(isize),
    /// To the first line.
    Top,
    /// To the last line, and follow what comes.
    End,
    /// To the person's message before or after; negative is towards the start.
    Message(isize),
}

impl State {
    /// Move the reading position.
    pub fn scroll(&mut self, _scroll: Scroll, _model: &Model, _agent: AgentId, _cache: &mut Cache, _area: Rect, _theme: &Theme) {}
}

/// Draw the conversation of an agent. Lays out what is visible and returns nothing else; `cache` keeps finished cells.
pub fn draw(_buf: &mut Buffer, _area: Rect, _model: &Model, _agent: AgentId, _state: &mut State, _cache: &mut Cache, _theme: &Theme) {}
