//! The task sidebar and the keyboard task panel: background children, commands and to-dos (SPEC U4).

mod panel;
mod view;

#[cfg(test)]
mod tests;

pub use panel::draw_panel;
pub use view::{draw_sidebar, draw_strip};

use crate::protocol::{TaskId, TodoStatus};
use crate::ui::cells::signs;
use crate::ui::model::{AgentState, Model};

/// What is selected.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct State {
    /// The selected task.
    pub selected: Option<TaskId>,
}

impl State {
    /// Select the next task.
    pub fn select_next(&mut self, model: &Model) {
        self.step(model, 1);
    }

    /// Select the task before.
    pub fn select_prev(&mut self, model: &Model) {
        self.step(model, -1);
    }

    fn step(&mut self, model: &Model, by: isize) {
        let list = rows(model);
        let at = self.current(model).and_then(|id| list.iter().position(|r| *r == id)).unwrap_or(0);
        self.selected = list.get(at.saturating_add_signed(by).min(list.len().saturating_sub(1))).copied();
    }

    /// The selected task if it is still listed, else the first one.
    #[must_use]
    pub fn current(&self, model: &Model) -> Option<TaskId> {
        let list = rows(model);
        self.selected.filter(|id| list.contains(id)).or_else(|| list.first().copied())
    }
}

/// The groups of the lists, in their order.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Group {
    /// Waits for the person.
    NeedsYou,
    /// At work, or waiting for a place.
    Running,
    /// Ended.
    Done,
}

impl Group {
    /// Its heading.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NeedsYou => "needs you",
            Self::Running => "running",
            Self::Done => "done",
        }
    }
}

/// The group of a task; none when it is not listed.
#[must_use]
pub fn group(model: &Model, task: TaskId) -> Option<Group> {
    match task {
        TaskId::Agent(id) => model.agents.get(&id).filter(|r| !r.dismissed).map(|r| match r.state {
            AgentState::Asking => Group::NeedsYou,
            AgentState::Pending | AgentState::Running => Group::Running,
            AgentState::Finished => Group::Done,
        }),
        TaskId::Command(_) => model.commands.get(&task).filter(|r| !r.dismissed).map(|r| if r.ended.is_some() { Group::Done } else { Group::Running }),
    }
}

/// All tasks that are listed, children in the foreground too: those that need the person, those at work, then the ended
/// ones, the newest first.
#[must_use]
pub fn rows(model: &Model) -> Vec<TaskId> {
    listed(model, |_| true)
}

/// The tasks of the sidebar: what runs in the background, and whoever waits for the person.
fn background(model: &Model) -> Vec<TaskId> {
    listed(model, |task| match task {
        TaskId::Agent(id) => model.agents.get(&id).is_some_and(|r| r.info.background || r.state == AgentState::Asking),
        TaskId::Command(_) => true,
    })
}

fn listed(model: &Model, wanted: impl Fn(TaskId) -> bool) -> Vec<TaskId> {
    let all = model.agents.keys().map(|id| TaskId::Agent(*id)).chain(model.commands.keys().copied());
    let mut out: Vec<(Group, u64, TaskId)> = all
        .filter(|task| wanted(*task))
        .filter_map(|task| {
            let group = group(model, task)?;
            let (started, ended) = times(model, task);
            let order = if group == Group::Done { u64::MAX - ended.unwrap_or(0) } else { started };
            Some((group, order, task))
        })
        .collect();
    out.sort_unstable();
    out.into_iter().map(|r| r.2).collect()
}

/// When a task started and ended.
fn times(model: &Model, task: TaskId) -> (u64, Option<u64>) {
    match task {
        TaskId::Agent(id) => model.agents.get(&id).map_or((0, None), |r| (r.started, r.ended)),
        TaskId::Command(_) => model.commands.get(&task).map_or((0, None), |r| (r.started, r.ended)),
    }
}

/// Milliseconds of a task.
fn elapsed(model: &Model, task: TaskId, now: u64) -> u64 {
    match task {
        TaskId::Agent(id) => model.agents.get(&id).map_or(0, |r| signs::elapsed(r, now)),
        TaskId::Command(_) => {
            let (started, ended) = times(model, task);
            ended.unwrap_or(now).saturating_sub(started)
        }
    }
}

/// Done to-dos, and all.
fn todo_counts(model: &Model) -> (usize, usize) {
    (model.todos.iter().filter(|t| t.status == TodoStatus::Completed).count(), model.todos.len())
}
