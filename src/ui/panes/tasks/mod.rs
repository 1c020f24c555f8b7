//! The task sidebar and the keyboard task panel: background children, commands and to-dos (SPEC U4).

use crate::protocol::TaskId;
use crate::ui::model::Model;
use crate::ui::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// What is selected.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct State {
    /// The selected task.
    pub selected: Option<TaskId>,
}

/// Draw the sidebar (120 columns and more).
pub fn draw_sidebar(_buf: &mut Buffer, _area: Rect, _model: &Model, _now: u64, _theme: &Theme) {}

/// Draw the one-line strip (80 to 119 columns). Empty when there is nothing to show.
pub fn draw_strip(_buf: &mut Buffer, _area: Rect, _model: &Model, _now: u64, _theme: &Theme) {}

/// Draw the keyboard task panel over the screen: grouped needs you / running / done, with an output tail.
pub fn draw_panel(_buf: &mut Buffer, _area: Rect, _model: &Model, _state: &State, _now: u64, _theme: &Theme) {}
