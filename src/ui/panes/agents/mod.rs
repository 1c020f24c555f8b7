//! The subagent trace pane: a tree of children with their live calls (SPEC U3).

use crate::protocol::AgentId;
use crate::ui::model::Model;
use crate::ui::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// What is selected, unfolded and scrolled.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct State {
    /// The selected child.
    pub selected: Option<AgentId>,
}

/// Rows that the pane would like at this width (0 when there is nothing to show).
#[must_use]
pub fn wanted_height(_model: &Model, _state: &State, _width: u16) -> u16 {
    0
}

/// The one line of the folded pane: a spinner and counts.
pub fn draw_folded(_buf: &mut Buffer, _area: Rect, _model: &Model, _now: u64, _theme: &Theme) {}

/// Draw the pane. `now` is milliseconds since the Unix epoch, for ages; `focused` shows the selection.
pub fn draw(_buf: &mut Buffer, _area: Rect, _model: &Model, _state: &State, _now: u64, _focused: bool, _theme: &Theme) {}
