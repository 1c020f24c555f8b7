//! The keyboard task panel: the pane of tasks over the screen, with the selection's keys (SPEC U4).

use super::{Next, Overlay, child};
use crate::action::Action;
use crate::config::keymap::{Context, Key};
use crate::protocol::{Level, Op, TaskId};
use crate::ui::model::{AgentState, Model};
use crate::ui::msg::Effect;
use crate::ui::panes::tasks::{State, draw_panel};
use crate::ui::update::Ui;
use ratatui::buffer::Buffer;
use ratatui::layout::Position;

/// All tasks in the order of the panel: needs you, running, done; each by age.
#[must_use]
pub fn order(model: &Model) -> Vec<TaskId> {
    let agents = model.agents.iter().filter(|(_, a)| !a.dismissed).map(|(id, a)| {
        let group = match a.state {
            AgentState::Asking => 0,
            AgentState::Running | AgentState::Pending => 1,
            AgentState::Finished => 2,
        };
        (group, a.started, TaskId::Agent(*id))
    });
    let commands = model.commands.values().filter(|c| !c.dismissed).map(|c| (if c.ended.is_none() { 1 } else { 2 }, c.started, c.id));
    let mut all: Vec<_> = agents.chain(commands).collect();
    all.sort_by_key(|(group, started, id)| (*group, *started, *id));
    all.into_iter().map(|(_, _, id)| id).collect()
}

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

/// Open the panel on the first task.
#[must_use]
#[allow(clippy::needless_update, reason = "the pane's state has more fields than the one set here")]
pub fn open(ui: &Ui) -> State {
    State { selected: order(&ui.model).first().copied(), ..State::default() }
}

/// A key for the panel.
pub fn key(state: &mut State, ui: &mut Ui, key: Key, out: &mut Vec<Effect>) -> Next {
    let order = order(&ui.model);
    let at = state.selected.and_then(|s| order.iter().position(|id| *id == s));
    let selected = at.or_else(|| order.first().map(|_| 0)).and_then(|n| order.get(n)).copied();
    let action = ui.keymap.find(&[Context::List, Context::Global], key);
    let running = selected.is_some_and(|s| is_running(&ui.model, s));
    match (action, selected) {
        (Some(Action::SelectUp | Action::ScrollUp), _) => state.selected = order.get(at.unwrap_or(0).saturating_sub(1)).copied(),
        (Some(Action::SelectDown | Action::ScrollDown), _) => {
            state.selected = order.get(at.map_or(0, |n| (n + 1).min(order.len().saturating_sub(1)))).copied();
        }
        (Some(Action::Choose), Some(TaskId::Agent(id))) => return Next::Open(Overlay::Child(child::State::new(id))),
        (Some(Action::AbortTask), Some(task)) if running => out.push(Effect::Op(Op::Abort { task })),
        (Some(Action::StopTask), Some(TaskId::Agent(agent))) if running => out.push(Effect::Op(Op::Stop { agent })),
        (Some(Action::BackgroundTask), Some(TaskId::Agent(agent))) if running => out.push(Effect::Op(Op::ToBackground { agent: Some(agent) })),
        (Some(Action::DismissTask), Some(task)) if !running => {
            // The next one is selected, so that several can be taken off in a row.
            let next = at.map_or(0, |n| n + 1);
            state.selected = order.get(next).or_else(|| order.get(next.saturating_sub(2))).copied();
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
pub fn draw(state: &mut State, ui: &Ui, buf: &mut Buffer) -> Option<Position> {
    let order = order(&ui.model);
    if state.selected.is_none_or(|s| !order.contains(&s)) {
        state.selected = order.first().copied();
    }
    let areas = ui.areas();
    draw_panel(buf, areas.over_composer(), &ui.model, state, ui.now, &ui.theme);
    None
}
