//! The keyboard task panel: the pane of tasks over the screen, with the selection's keys (SPEC U4).

use super::{Next, Overlay, child};
use crate::action::Action;
use crate::config::keymap::{Context, Key};
use crate::protocol::{Level, Op, TaskId};
use crate::ui::model::{AgentState, Model};
use crate::ui::msg::Effect;
use crate::ui::panes::tasks::{State, draw_panel, rows};
use crate::ui::update::Ui;
use ratatui::buffer::Buffer;
use ratatui::layout::Position;

/// Whether a task still runs.
#[must_use]
pub fn is_running(model: &Model, task: TaskId) -> bool {
    match task {
        TaskId::Agent(id) => model.agents.get(&id).is_some_and(|a| a.state != AgentState::Finished),
        TaskId::Command(_) => model.commands.get(&task).is_some_and(|c| c.ended.is_none()),
    }
}

/// How many background tasks run.
#[must_use]
pub fn running(model: &Model) -> usize {
    let agents = model.agents.values().filter(|a| a.info.background && a.state != AgentState::Finished).count();
    agents + model.commands.values().filter(|c| c.ended.is_none()).count()
}

/// A key for the panel.
pub fn key(state: &mut State, ui: &mut Ui, key: Key, out: &mut Vec<Effect>) -> Next {
    let selected = state.current(&ui.model);
    let action = ui.keymap.find(&[Context::List, Context::Global], key);
    let running = selected.is_some_and(|s| is_running(&ui.model, s));
    match (action, selected) {
        (Some(Action::SelectUp | Action::ScrollUp), _) => state.select_prev(&ui.model),
        (Some(Action::SelectDown | Action::ScrollDown), _) => state.select_next(&ui.model),
        (Some(Action::Choose), Some(TaskId::Agent(id))) => return Next::Instead(Overlay::Child(child::State::new(id))),
        (Some(Action::AbortTask), Some(task)) if running => out.push(Effect::Op(Op::Abort { task })),
        (Some(Action::StopTask), Some(TaskId::Agent(agent))) if running => out.push(Effect::Op(Op::Stop { agent })),
        (Some(Action::BackgroundTask), Some(TaskId::Agent(agent))) if running => out.push(Effect::Op(Op::ToBackground { agent: Some(agent) })),
        (Some(Action::DismissTask), Some(task)) if !running => {
            // The next one is selected, so that several can be taken off in a row.
            let list = rows(&ui.model);
            state.select_next(&ui.model);
            if state.selected == Some(task) {
                state.selected = list.iter().rev().nth(1).copied();
            }
            out.push(Effect::Op(Op::Dismiss { task }));
        }
        (Some(Action::DismissTask), Some(_)) => ui.flash(Level::Info, "it still runs: x ends it"),
        (Some(Action::AnswerQuestion), _) => super::ask::open_parked(ui),
        (Some(Action::ClearOrQuit | Action::Close | Action::Interrupt | Action::ToggleTasks), _) => return Next::Close,
        _ => {}
    }
    Next::Stay
}

/// Draw the panel.
pub fn draw(state: &State, ui: &Ui, buf: &mut Buffer) -> Option<Position> {
    draw_panel(buf, ui.areas().over_composer(), &ui.model, state, ui.now, &ui.theme);
    None
}
