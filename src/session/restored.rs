//! What became of children and commands of a former run, and what the parent is still owed (SPEC S25, S27).

use super::child::{self, Glance};
use super::replay::{Restored, RestoredAgent, RestoredTask, State};
use crate::protocol::{AgentId, AgentOutcome, CallId, Ending, TaskId, ToolCall, Usage};
use crate::util::text::{escape_own_tags, tail};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

/// Characters of a report that enter the parent (SPEC S11), here counted in bytes.
const MAX_REPORT: usize = 32 * 1024;

/// A completion and its place in the file; those without an end come last.
pub(super) type Owed = (usize, TaskId);

/// Children and commands in order of their ids. What has no end died with the program.
pub(super) fn settle(state: &mut State, subagents: &Path) -> Vec<Owed> {
    let mut owed = Vec::new();
    let mut agents: Vec<_> = std::mem::take(&mut state.agents).into_values().collect();
    agents.sort_by_key(|a| a.info.id);
    let agents = agents.into_iter().map(|a| {
        let id = a.info.id;
        if let Some((outcome, notify, seq)) = a.end {
            owed.push((seq, id.into()));
            // A grandchild's report is owed to its own parent, whose transcript shows what it got.
            let delivered = a.delivered || a.info.parent != AgentId::MAIN;
            return RestoredAgent { info: a.info, outcome, died: false, notify, delivered };
        }
        owed.push((usize::MAX, id.into()));
        let notify = a.info.background && a.info.parent == AgentId::MAIN;
        let outcome = died(&child::glance(subagents, id), child::load_usage(subagents, id));
        RestoredAgent { info: a.info, outcome, died: true, notify, delivered: a.delivered || !notify }
    });
    let agents = agents.collect();
    let mut tasks: Vec<_> = std::mem::take(&mut state.tasks).into_values().collect();
    tasks.sort_by_key(|t| t.task.id);
    let tasks: Vec<RestoredTask> = tasks
        .into_iter()
        .map(|t| {
            owed.push((t.end.unwrap_or(usize::MAX), TaskId::Command(t.task.id)));
            t.task
        })
        .collect();
    state.put(agents, tasks);
    owed
}

/// What the parent has not got, in the order in which it happened.
pub(super) fn undelivered(out: &Restored, mut owed: Vec<Owed>) -> Vec<TaskId> {
    owed.sort_unstable();
    let waits = |id: &TaskId| match id {
        TaskId::Agent(a) => out.agents.iter().any(|r| r.info.id == *a && !r.delivered),
        TaskId::Command(n) => out.tasks.iter().any(|t| t.id == *n && !t.delivered),
    };
    owed.into_iter().map(|(_, id)| id).filter(|id| waits(id)).collect()
}

/// Words for calls that never returned. A call of a foreground child gets what the child had to say; that is its
/// delivery.
pub(super) fn fates(open: &[ToolCall], agents: &mut [RestoredAgent]) -> HashMap<CallId, String> {
    let mut used: Vec<AgentId> = Vec::new();
    let mut texts = HashMap::new();
    // From behind: of several children with the same prompt, the newest belongs to the last call.
    for call in open.iter().rev() {
        let of = |key: &str| call.input.get(key).and_then(Value::as_str);
        let Some(prompt) = of("prompt") else { continue };
        let fits = |a: &&mut RestoredAgent| a.info.prompt == prompt && a.info.parent == AgentId::MAIN && !used.contains(&a.info.id);
        let Some(agent) = agents.iter_mut().rev().filter(fits).find(|a| of("description").is_none_or(|d| d.trim() == a.info.description.trim())) else {
            continue;
        };
        used.push(agent.info.id);
        texts.insert(call.id.clone(), fate(agent));
    }
    texts
}

fn fate(agent: &mut RestoredAgent) -> String {
    let (id, kind) = (agent.info.id, &agent.info.kind);
    if agent.notify && !agent.delivered {
        return format!("interrupted: the program ended before this call returned. Agent {id} ({kind}) was at work in the background; a notification follows.");
    }
    agent.delivered = true;
    let words = if agent.outcome.report.trim().is_empty() { "(no text)".into() } else { escape_own_tags(tail(&agent.outcome.report, MAX_REPORT)) };
    let how =
        if agent.died { "was interrupted at work; its last words".to_owned() } else { format!("had ended ({}); its report", agent.outcome.ending.name()) };
    format!("interrupted: the program ended before this call returned. Agent {id} ({kind}) {how}:\n\n{words}\n\nSendMessage with agent_id {id} continues it.")
}

fn died(glance: &Glance, usage: Usage) -> AgentOutcome {
    AgentOutcome {
        ending: Ending::Interrupted,
        reason: "the program ended while it was at work".into(),
        report: glance.last_text.clone(),
        requests: glance.requests,
        tool_uses: glance.tool_uses,
        usage,
        cost_usd: 0.0,
        entered_parent_tokens: 0,
        files_written: Vec::new(),
        denied: Vec::new(),
        dropped_tools: Vec::new(),
        bad_citations: Vec::new(),
        branch: None,
        elapsed_ms: 0,
    }
}
