//! The subagent trace pane: a tree of children with their live calls (SPEC U3, S22, S29).
//!
//! Must not: show anything of a child but what it does (its prompt and words are in its own conversation).

mod view;

#[cfg(test)]
mod tests;

pub use view::{draw, draw_folded};

use crate::protocol::AgentId;
use crate::ui::cells::signs;
use crate::ui::model::{AgentRow, AgentState, Model};
use std::collections::{BTreeMap, BTreeSet};

/// Calls that an unfolded child lists.
const CALLS: usize = 4;
/// Rows that the pane asks for at most.
const MOST: usize = 14;
/// Levels of the tree that are drawn.
const DEPTH: usize = 8;

/// What is selected and unfolded.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct State {
    /// The selected child.
    pub selected: Option<AgentId>,
    /// Children that the person folded or unfolded; the others are unfolded while they work.
    pub unfolded: BTreeMap<AgentId, bool>,
}

impl State {
    /// Select the next child of the list.
    pub fn select_next(&mut self, model: &Model) {
        self.step(model, 1);
    }

    /// Select the child before.
    pub fn select_prev(&mut self, model: &Model) {
        self.step(model, -1);
    }

    fn step(&mut self, model: &Model, by: isize) {
        let list = rows(model);
        let at = self.current(model).and_then(|id| list.iter().position(|r| r.0 == id)).unwrap_or(0);
        let next = at.saturating_add_signed(by).min(list.len().saturating_sub(1));
        self.selected = list.get(next).map(|r| r.0);
    }

    /// The selected child if it is still listed, else the first.
    #[must_use]
    pub fn current(&self, model: &Model) -> Option<AgentId> {
        let list = rows(model);
        self.selected.filter(|id| list.iter().any(|r| r.0 == *id)).or_else(|| list.first().map(|r| r.0))
    }

    /// Fold or unfold the selected child.
    pub fn toggle(&mut self, model: &Model) {
        if let Some(row) = self.current(model).and_then(|id| model.agents.get(&id)) {
            self.unfolded.insert(row.info.id, !self.is_unfolded(row));
        }
    }

    /// Whether a child's calls are listed.
    #[must_use]
    pub fn is_unfolded(&self, row: &AgentRow) -> bool {
        self.unfolded.get(&row.info.id).copied().unwrap_or(!signs::is_over(row))
    }

    /// The child at a row of the drawn pane (from 0): for the mouse.
    #[must_use]
    pub fn agent_at(&self, row: u16, model: &Model, height: u16) -> Option<AgentId> {
        view::agent_at(row, model, self, height)
    }
}

/// The children as they are listed, with their level: a tree, those at work first, then the newest.
#[must_use]
pub fn rows(model: &Model) -> Vec<(AgentId, usize)> {
    let shown = |row: &&AgentRow| !row.dismissed;
    let mut below: BTreeMap<AgentId, Vec<&AgentRow>> = BTreeMap::new();
    for row in model.agents.values().filter(shown) {
        let parent = row.info.parent;
        let known = model.agents.get(&parent).is_some_and(|p| !p.dismissed);
        below.entry(if known { parent } else { AgentId::MAIN }).or_default().push(row);
    }
    let active = active(model);
    for list in below.values_mut() {
        list.sort_by_key(|r| {
            let works = active.contains(&r.info.id);
            (!works, if works { i64::from(r.info.id.number()) } else { -i64::from(r.info.id.number()) })
        });
    }
    let mut out = Vec::new();
    let mut stack: Vec<(&AgentRow, usize)> = below.get(&AgentId::MAIN).map(|l| l.iter().rev().map(|r| (*r, 0)).collect()).unwrap_or_default();
    while let Some((row, level)) = stack.pop() {
        out.push((row.info.id, level));
        if level < DEPTH && !row.info.id.is_main() {
            stack.extend(below.get(&row.info.id).into_iter().flatten().rev().map(|r| (*r, level + 1)));
        }
    }
    out
}

/// Children that work, or have one below them that does.
fn active(model: &Model) -> BTreeSet<AgentId> {
    let mut out = BTreeSet::new();
    for row in model.agents.values().filter(|r| !signs::is_over(r)) {
        let mut id = row.info.id;
        while out.insert(id) {
            let Some(above) = model.agents.get(&id) else { break };
            id = above.info.parent;
        }
    }
    out
}

/// What the header line says.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Children that are listed.
    pub shown: usize,
    /// At work, in the foreground and the background.
    pub running: usize,
    /// Those of them in the background.
    pub background: usize,
    /// Waiting for a place.
    pub pending: usize,
    /// Waiting for the person.
    pub asking: usize,
    /// Tokens that the parent never saw.
    pub kept_out: u64,
}

/// Count the children.
#[must_use]
pub fn counts(model: &Model) -> Counts {
    let mut c = Counts::default();
    for row in model.agents.values() {
        c.kept_out = c.kept_out.saturating_add(signs::kept_out(row));
        c.shown += usize::from(!row.dismissed);
        match row.state {
            AgentState::Pending => c.pending += 1,
            AgentState::Asking => c.asking += 1,
            AgentState::Running => c.running += 1,
            AgentState::Finished => {}
        }
        c.background += usize::from(row.info.background && !signs::is_over(row));
    }
    c
}

/// Rows that the pane would like at this width (0 when there is nothing to show).
#[must_use]
pub fn wanted_height(model: &Model, state: &State, _width: u16) -> u16 {
    let list = rows(model);
    if list.is_empty() {
        return 0;
    }
    let rows: usize = list.iter().filter_map(|(id, _)| model.agents.get(id)).map(|r| 1 + if state.is_unfolded(r) { view::calls_of(r) } else { 0 }).sum();
    u16::try_from((rows + 1).min(MOST)).unwrap_or(1)
}
