//! The rows of the children.

use super::{toast, transcript, transcript_of};
use crate::protocol::{AgentId, AgentInfo, AgentOutcome, CallId, Ending, Gauge, Level, Origin, Usage};
use crate::ui::model::{AgentRow, AgentState, ItemKind, Model};

/// Calls that a row remembers.
const RECENT: usize = 8;

/// Change a child's row, if there is one.
pub(super) fn change(model: &mut Model, agent: AgentId, change: impl FnOnce(&mut AgentRow)) {
    if let Some(row) = model.agents.get_mut(&agent) {
        change(row);
        row.version += 1;
    }
}

/// A child exists: a new one, or a finished one that was steered and works again.
pub(super) fn spawned(model: &mut Model, at: u64, info: &AgentInfo, call: Option<&CallId>, pending: bool) {
    let state = if pending { AgentState::Pending } else { AgentState::Running };
    let again = model.agents.contains_key(&info.id);
    if again {
        change(model, info.id, |row| {
            row.info = info.clone();
            (row.state, row.started, row.ended, row.outcome) = (state, at, None, None);
            (row.stalled, row.retry, row.dismissed) = (false, None, false);
        });
    } else {
        model.agents.insert(info.id, new_row(info, state, at));
    }
    if transcript_of(model, info.id).items.is_empty() {
        transcript::handed(transcript_of(model, info.id), &info.prompt);
        let origin = if info.fork { Origin::Fork { agent: info.id } } else { Origin::Person };
        transcript::push(model, info.id, at, ItemKind::User { text: info.prompt.clone(), origin });
    }
    if let Some(call) = call {
        transcript::link(transcript_of(model, info.parent), call, info.id);
    }
}

fn new_row(info: &AgentInfo, state: AgentState, at: u64) -> AgentRow {
    AgentRow {
        info: info.clone(),
        state,
        requests: 0,
        tool_uses: 0,
        usage: Usage::default(),
        cost_usd: 0.0,
        gauge: Gauge::default(),
        current: None,
        recent: Vec::new(),
        started: at,
        ended: None,
        stalled: false,
        retry: None,
        outcome: None,
        dismissed: false,
        version: 0,
    }
}

/// A waiting child began to work: its clock starts now.
pub(super) fn started(model: &mut Model, agent: AgentId, at: u64) {
    change(model, agent, |row| {
        row.state = AgentState::Running;
        row.started = at;
    });
}

/// A call of a child began.
pub(super) fn tool_started(model: &mut Model, agent: AgentId, at: u64, call: &CallId, name: &str, title: &str) {
    change(model, agent, |row| {
        row.tool_uses = row.tool_uses.saturating_add(1);
        row.current = Some((name.to_owned(), title.to_owned(), at));
        row.stalled = false;
        row.recent.push(call.clone());
        let more = row.recent.len().saturating_sub(RECENT);
        row.recent.drain(..more);
    });
}

/// A call of a child ended: another one that still runs becomes the current one.
pub(super) fn tool_finished(model: &mut Model, agent: AgentId) {
    if agent.is_main() {
        return;
    }
    let t = transcript_of(model, agent);
    let live = t.live.last().cloned();
    let current = live.and_then(|call| t.calls.get(&call).copied()).and_then(|id| transcript::item_mut(t, id)).and_then(|item| match &item.kind {
        ItemKind::Tool(tool) => Some((tool.name.clone(), tool.title.clone(), item.at)),
        ItemKind::User { .. } | ItemKind::Assistant { .. } | ItemKind::Thinking { .. } | ItemKind::Notice { .. } | ItemKind::Compacted { .. } => None,
    });
    change(model, agent, |row| row.current = current);
}

/// Whether the child waits for the person follows the open questions.
pub(super) fn asking(model: &mut Model, agent: AgentId) {
    let asks = model.approvals.iter().any(|a| a.agent == agent);
    change(model, agent, |row| {
        row.state = match (row.state, asks) {
            (AgentState::Running, true) => AgentState::Asking,
            (AgentState::Asking, false) => AgentState::Running,
            (state, _) => state,
        };
    });
}

/// A child ended.
pub(super) fn finished(model: &mut Model, agent: AgentId, at: u64, outcome: &AgentOutcome) {
    let t = transcript_of(model, agent);
    transcript::close(t, at);
    transcript::end_live(t, at);
    change(model, agent, |row| {
        (row.state, row.ended, row.current, row.retry, row.stalled) = (AgentState::Finished, Some(at), None, None, false);
        (row.requests, row.tool_uses, row.usage, row.cost_usd) = (outcome.requests, outcome.tool_uses, outcome.usage, outcome.cost_usd);
        row.outcome = Some(outcome.clone());
    });
    let Some(row) = model.agents.get(&agent).filter(|row| row.info.background) else { return };
    let level = if outcome.ending == Ending::Completed { Level::Info } else { Level::Warning };
    let text = format!("{agent} {} · {}: {}", row.info.kind, row.info.description, outcome.ending.name());
    toast(model, at, level, &text);
}
