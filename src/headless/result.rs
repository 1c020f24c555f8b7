//! The result object of a run without a screen, as a fold of events (SPEC O1).

use crate::protocol::event::{TurnEnding, TurnError};
use crate::protocol::{AgentId, AgentInfo, AgentOutcome, Denied, Ending, Event, EventKind, Usage};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What a run has done so far.
#[derive(Debug, Default)]
pub struct Tally {
    /// The text of the main agent's last turn.
    pub text: String,
    /// Ended by a signal.
    pub interrupted: bool,
    session: String,
    requests: u32,
    tool_uses: u32,
    usage: Usage,
    cost: f64,
    agents: BTreeMap<AgentId, (AgentInfo, Option<AgentOutcome>)>,
    earlier: Vec<AgentId>,
    resumed: bool,
    costs: BTreeMap<AgentId, f64>,
    denied: Vec<Denied>,
    ending: Option<TurnEnding>,
    mark: usize,
    tools_since: bool,
}

impl Tally {
    /// Take an event in.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the result is made of a few kinds only")]
    pub fn take(&mut self, event: &Event) {
        let main = event.agent.is_main();
        match &event.kind {
            EventKind::SessionStarted { session_id, resumed, .. } => {
                self.session.clone_from(session_id);
                self.resumed = *resumed;
            }
            // The end of the restored events: what was counted so far belongs to former runs.
            EventKind::Settled if self.requests == 0 && self.ending.is_none() => {
                if self.resumed {
                    self.earlier = self.agents.keys().copied().collect();
                }
                self.tool_uses = 0;
                self.text.clear();
            }
            EventKind::TurnStarted if main => {
                self.text.clear();
                self.tools_since = false;
            }
            EventKind::RequestStarted { .. } if main => {
                self.requests += 1;
                if std::mem::take(&mut self.tools_since) {
                    self.text.clear();
                }
                self.mark = self.text.len();
            }
            EventKind::TextDelta { text } if main => self.text.push_str(text),
            EventKind::StreamReset if main => self.text.truncate(self.mark),
            EventKind::ToolStarted { .. } if main => {
                self.tool_uses += 1;
                self.tools_since = true;
            }
            EventKind::ReplyFinished { usage } if main => self.usage += *usage,
            EventKind::UsageUpdated { cost_usd, .. } => {
                self.costs.insert(event.agent, *cost_usd);
                self.cost = self.costs.values().sum();
            }
            EventKind::TurnEnded { ending } if main => self.ending = Some(ending.clone()),
            EventKind::AgentSpawned { info, .. } => {
                self.earlier.retain(|id| *id != info.id);
                self.agents.insert(info.id, (info.clone(), None));
            }
            EventKind::AgentBackgrounded => {
                if let Some((info, _)) = self.agents.get_mut(&event.agent) {
                    info.background = true;
                }
            }
            EventKind::AgentFinished { outcome } => {
                if let Some((_, slot)) = self.agents.get_mut(&event.agent) {
                    *slot = Some(outcome.clone());
                }
            }
            EventKind::CallRefused { denied } => self.denied.push(denied.clone()),
            _ => {}
        }
    }

    /// The word for how the run ended.
    #[must_use]
    pub fn ending(&self) -> Ending {
        if self.interrupted {
            return Ending::Cancelled;
        }
        match &self.ending {
            Some(TurnEnding::Completed) if self.text.trim().is_empty() && self.denied.iter().any(|d| d.agent.is_main()) => Ending::Denied,
            // None: nothing but slash commands were played.
            Some(TurnEnding::Completed) | None => Ending::Completed,
            Some(TurnEnding::Interrupted) => Ending::Cancelled,
            Some(TurnEnding::Limit { .. }) => Ending::Partial,
            Some(TurnEnding::OverBudget) => Ending::OverBudget,
            Some(TurnEnding::Failed { .. }) => Ending::Failed,
        }
    }

    /// The error that ended the last turn.
    #[must_use]
    pub fn error(&self) -> Option<TurnError> {
        match &self.ending {
            Some(TurnEnding::Failed { error }) => Some(error.clone()),
            Some(TurnEnding::Limit { max }) => Some(TurnError {
                kind: "limit".into(),
                message: format!("stopped at the limit of {max} requests per turn"),
                hint: "continue with --continue, or raise --max-turns".into(),
            }),
            Some(TurnEnding::OverBudget) => Some(TurnError {
                kind: "budget".into(),
                message: "the budget is used up".into(),
                hint: "raise --budget-tokens, --budget-usd or --budget-seconds".into(),
            }),
            Some(TurnEnding::Completed | TurnEnding::Interrupted) | None => None,
        }
    }

    /// The object that `json` prints.
    #[must_use]
    pub fn object(&self) -> Value {
        let mut total = self.usage;
        let mut agents = Vec::new();
        for (id, (info, outcome)) in self.agents.iter().filter(|(id, _)| !self.earlier.contains(id)) {
            if let Some(o) = outcome {
                total += o.usage;
            }
            agents.push(agent(*id, info, outcome.as_ref()));
        }
        json!({
            "type": "result",
            "ending": self.ending().name(),
            "text": self.text.trim_end(),
            "session_id": self.session,
            "requests": self.requests,
            "tool_uses": self.tool_uses,
            "usage": self.usage,
            "total_usage": total,
            "cost_usd": self.cost,
            "agents": agents,
            "denied": self.denied,
            "error": self.error().map(|e| json!({"kind": e.kind, "message": e.message, "hint": e.hint})),
        })
    }
}

fn agent(id: AgentId, info: &AgentInfo, outcome: Option<&AgentOutcome>) -> Value {
    json!({
        "id": id,
        "type": info.kind,
        "description": info.description,
        "depth": info.depth,
        "background": info.background,
        "ending": outcome.map_or(Ending::Interrupted, |o| o.ending).name(),
        "requests": outcome.map_or(0, |o| o.requests),
        "tool_uses": outcome.map_or(0, |o| o.tool_uses),
        "usage": outcome.map(|o| o.usage).unwrap_or_default(),
        "entered_parent_tokens": outcome.map_or(0, |o| o.entered_parent_tokens),
        "files_written": outcome.map(|o| o.files_written.clone()).unwrap_or_default(),
        "denied": outcome.map(|o| o.denied.clone()).unwrap_or_default(),
    })
}

/// 0 done, 1 failed, 3 limit or partial, 4 permission denied, 130 interrupted.
#[must_use]
pub fn exit_code(tally: &Tally) -> u8 {
    match tally.ending() {
        Ending::Completed => 0,
        Ending::Failed => 1,
        Ending::Partial | Ending::OverBudget => 3,
        Ending::Denied => 4,
        Ending::Cancelled | Ending::Interrupted => 130,
    }
}
