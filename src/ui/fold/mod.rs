//! Events into the model: the one path for live, resume, replay and tests.
//!
//! Must not: know the clock or the screen, grow without bounds, or cost more for a long session than for a short one.

mod agents;
mod bounds;
mod transcript;

#[cfg(test)]
pub(in crate::ui) mod testing;
#[cfg(test)]
mod tests;

use super::model::{CommandRow, Header, ItemKind, Model, RetryView, Toast, Transcript};
use crate::protocol::event::TurnEnding;
use crate::protocol::{AgentId, Approval, ApprovalId, Event, EventKind, Level, TaskId};

/// Toasts that are kept.
const TOASTS: usize = 5;

/// Take one event into the model.
pub fn apply(model: &mut Model, event: &Event) {
    model.at = event.at;
    model.version += 1;
    let (agent, at) = (event.agent, event.at);
    match &event.kind {
        EventKind::SessionStarted { session_id, cwd, provider, model: name, mode, .. } => {
            let header =
                Header { cwd: cwd.clone(), provider: provider.clone(), model: name.clone(), mode: *mode, session: session_id.clone(), ..Header::default() };
            session_started(model, header);
        }
        EventKind::BranchRead { branch, changed } => {
            model.header.branch.clone_from(branch);
            model.header.changed = *changed;
        }
        EventKind::TurnStarted => turn_started(model, agent, at),
        EventKind::TurnEnded { ending } => turn_ended(model, agent, at, ending),
        EventKind::UserMessage { text, origin } => transcript::user(model, agent, at, text, origin),
        EventKind::QueueChanged { texts } => model.queued.clone_from(texts),
        EventKind::RequestStarted { n, .. } => {
            clear_retry(model, agent);
            transcript::request_started(model, agent);
            agents::change(model, agent, |row| row.requests = row.requests.max(*n));
        }
        EventKind::TextDelta { text } => transcript::text_delta(model, agent, at, text),
        EventKind::ThinkingDelta { text } => transcript::thinking_delta(model, agent, at, text),
        EventKind::StreamReset => transcript::reset(model, agent),
        EventKind::ReplyFinished { .. } => {
            clear_retry(model, agent);
            transcript::close(transcript_of(model, agent), at);
        }
        EventKind::Retrying { attempt, max, wait_ms, reason } => {
            set_retry(model, agent, RetryView { attempt: *attempt, max: *max, until: at.saturating_add(*wait_ms), reason: reason.clone() });
        }
        EventKind::ToolStarted { call, name, title } => transcript::tool_started(model, agent, at, call, name, title),
        EventKind::ToolProgressed { call, tail } => transcript::tool_progressed(model, agent, call, tail),
        EventKind::ToolFinished { call, is_error, summary, display } => {
            let end = transcript::ToolEnd { is_error: *is_error, summary, display };
            transcript::tool_finished(model, agent, at, call, &end);
        }
        EventKind::PermissionAsked { approval } => permission_asked(model, at, approval),
        EventKind::PermissionResolved { id, .. } => permission_resolved(model, *id),
        EventKind::AgentSpawned { info, call, pending } => agents::spawned(model, at, info, call.as_ref(), *pending),
        EventKind::AgentStarted => agents::started(model, agent, at),
        EventKind::AgentBackgrounded => agents::change(model, agent, |row| row.info.background = true),
        EventKind::AgentSteered { text } => transcript::steered(model, agent, at, text),
        EventKind::AgentStalled { stalled } => agents::change(model, agent, |row| row.stalled = *stalled),
        EventKind::AgentFinished { outcome } => agents::finished(model, agent, at, outcome),
        EventKind::TaskStarted { task, command, description } => task_started(model, at, *task, command, description),
        EventKind::TaskOutput { task, tail } => {
            if let Some(row) = model.commands.get_mut(task) {
                row.tail.clone_from(tail);
            }
        }
        EventKind::TaskFinished { task, exit, status } => task_finished(model, at, *task, *exit, status),
        EventKind::TaskDismissed { task } => dismissed(model, *task),
        EventKind::TodosChanged { todos } => model.todos.clone_from(todos),
        EventKind::UsageUpdated { gauge, usage, cost_usd } => {
            if agent.is_main() {
                (model.gauge, model.usage, model.cost_usd) = (*gauge, *usage, *cost_usd);
            } else {
                agents::change(model, agent, |row| (row.gauge, row.usage, row.cost_usd) = (*gauge, *usage, *cost_usd));
            }
        }
        EventKind::Compacted { before, after, summary } => {
            transcript::push(model, agent, at, ItemKind::Compacted { before: *before, after: *after, summary: summary.clone() });
        }
        EventKind::ModeChanged { mode } => model.header.mode = *mode,
        EventKind::ModelChanged { provider, model: name } => {
            model.header.provider.clone_from(provider);
            model.header.model.clone_from(name);
        }
        EventKind::AgentTypes { types } => model.agent_types.clone_from(types),
        EventKind::Commands { commands } => model.own_commands.clone_from(commands),
        EventKind::TrustAsked { items } => model.trust = Some(items.clone()),
        EventKind::Notice { level, text, hint } => notice(model, agent, at, *level, text, hint),
        // The composer takes an unqueued text from the event itself; a refusal is said by the call's own end.
        EventKind::Unqueued { .. } | EventKind::CallRefused { .. } | EventKind::Settled => {}
        EventKind::Closed => model.closed = true,
    }
}

/// The conversation of an agent, made when it is missing.
fn transcript_of(model: &mut Model, agent: AgentId) -> &mut Transcript {
    model.transcripts.entry(agent).or_default()
}

/// Everything of the former session goes; what belongs to the program (types, commands, an open trust question) stays.
/// Words that came before the first session are kept: they say what is wrong with the configuration.
fn session_started(model: &mut Model, mut header: Header) {
    if header.cwd == model.header.cwd {
        header.branch = model.header.branch.take();
        header.changed = model.header.changed;
    }
    let first = model.header.session.is_empty();
    let old = std::mem::take(model);
    *model = Model {
        header,
        agent_types: old.agent_types,
        own_commands: old.own_commands,
        trust: old.trust,
        at: old.at,
        version: old.version,
        next_item: old.next_item,
        ..Model::default()
    };
    if first {
        model.toasts = old.toasts;
        model.transcripts.extend(old.transcripts.into_iter().filter(|(agent, _)| agent.is_main()));
    }
}

fn turn_started(model: &mut Model, agent: AgentId, at: u64) {
    if agent.is_main() {
        model.turn_since = Some(at);
        model.last_ending = None;
    }
    clear_retry(model, agent);
}

fn turn_ended(model: &mut Model, agent: AgentId, at: u64, ending: &TurnEnding) {
    clear_retry(model, agent);
    let t = transcript_of(model, agent);
    transcript::close(t, at);
    transcript::end_live(t, at);
    if agent.is_main() {
        model.turn_since = None;
        model.last_ending = Some(ending.clone());
    }
    let (level, text, hint) = match ending {
        TurnEnding::Completed => return,
        TurnEnding::Interrupted => (Level::Warning, "Interrupted.".to_owned(), String::new()),
        TurnEnding::Limit { max } => (Level::Warning, format!("Stopped at the limit of {max} requests."), "Send a message to go on.".to_owned()),
        TurnEnding::OverBudget => (Level::Warning, "Stopped: the budget is used up.".to_owned(), String::new()),
        TurnEnding::Failed { error } => (Level::Error, error.message.clone(), error.hint.clone()),
    };
    // The engine may have said it already, in more words.
    let said = transcript_of(model, agent).items.last().is_some_and(|i| matches!(&i.kind, ItemKind::Notice { text: t, .. } if *t == text));
    if !said {
        transcript::push(model, agent, at, ItemKind::Notice { level, text, hint });
    }
}

fn notice(model: &mut Model, agent: AgentId, at: u64, level: Level, text: &str, hint: &str) {
    if level == Level::Warning {
        toast(model, at, level, text);
    }
    transcript::push(model, agent, at, ItemKind::Notice { level, text: text.to_owned(), hint: hint.to_owned() });
}

/// Short words for some seconds; the oldest go when there are too many.
fn toast(model: &mut Model, at: u64, level: Level, text: &str) {
    let text = crate::util::text::one_line(text, 200);
    model.toasts.push(Toast { level, text, at });
    let more = model.toasts.len().saturating_sub(TOASTS);
    model.toasts.drain(..more);
}

fn set_retry(model: &mut Model, agent: AgentId, retry: RetryView) {
    if agent.is_main() {
        model.retry = Some(retry);
    } else {
        agents::change(model, agent, |row| row.retry = Some(retry));
    }
}

fn clear_retry(model: &mut Model, agent: AgentId) {
    if agent.is_main() {
        model.retry = None;
    } else if model.agents.get(&agent).is_some_and(|row| row.retry.is_some()) {
        agents::change(model, agent, |row| row.retry = None);
    }
}

fn permission_asked(model: &mut Model, at: u64, approval: &Approval) {
    if model.approvals.iter().any(|a| a.id == approval.id) {
        return;
    }
    model.approvals.push(approval.clone());
    if let Some(call) = &approval.call {
        transcript::set_asking(transcript_of(model, approval.agent), call, true);
    }
    agents::asking(model, approval.agent);
    if approval.background {
        toast(model, at, Level::Warning, &format!("{} needs you: {}", approval.path, approval.tool));
    }
}

fn permission_resolved(model: &mut Model, id: ApprovalId) {
    let Some(place) = model.approvals.iter().position(|a| a.id == id) else { return };
    let gone = model.approvals.remove(place);
    if let Some(call) = &gone.call {
        transcript::set_asking(transcript_of(model, gone.agent), call, false);
    }
    agents::asking(model, gone.agent);
}

fn task_started(model: &mut Model, at: u64, task: TaskId, command: &str, description: &str) {
    let row = CommandRow {
        id: task,
        command: command.to_owned(),
        description: description.to_owned(),
        tail: String::new(),
        started: at,
        ended: None,
        exit: None,
        status: "running".to_owned(),
        dismissed: false,
    };
    model.commands.insert(task, row);
}

fn task_finished(model: &mut Model, at: u64, task: TaskId, exit: Option<i32>, status: &str) {
    let Some(row) = model.commands.get_mut(&task) else { return };
    (row.ended, row.exit) = (Some(at), exit);
    status.clone_into(&mut row.status);
    let name = if row.description.is_empty() { &row.command } else { &row.description };
    let text = format!("{task} {}: {status}", crate::util::text::one_line(name, 60));
    let level = if status == "completed" { Level::Info } else { Level::Warning };
    toast(model, at, level, &text);
}

fn dismissed(model: &mut Model, task: TaskId) {
    match task {
        TaskId::Agent(id) => agents::change(model, id, |row| row.dismissed = true),
        TaskId::Command(_) => {
            if let Some(row) = model.commands.get_mut(&task) {
                row.dismissed = true;
            }
        }
    }
}
