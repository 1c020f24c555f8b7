//! Children: what they are and how they ended (SPEC S12, S13, S16).

use super::ids::AgentId;
use super::usage::Usage;
use serde::{Deserialize, Serialize};

/// What a child is, known at its start.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AgentInfo {
    /// The child.
    pub id: AgentId,
    /// Who spawned it.
    pub parent: AgentId,
    /// 1 for children of `main`.
    pub depth: u32,
    /// The name of its type, for example `Explore`.
    #[serde(rename = "type")]
    pub kind: String,
    /// From the call; never empty.
    pub description: String,
    /// From the call, byte for byte.
    pub prompt: String,
    /// The model that it uses.
    pub model: String,
    /// Whether its parent goes on without waiting.
    pub background: bool,
    /// Requests at most.
    pub max_requests: u32,
    /// Its own limits beside requests.
    pub budget: Budget,
    /// Whether it can change nothing.
    pub read_only: bool,
    /// Started from its parent's whole history.
    pub fork: bool,
}

/// Limits of a child or a tree. None means unlimited.
#[derive(Copy, Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Budget {
    /// Input (cached too) plus output tokens of all its requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Seconds of its own time; waiting for the person does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// How an agent ended: the same words in every place (SPEC S13).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// By itself, with a report.
    Completed,
    /// At the request limit.
    Partial,
    /// At a budget.
    OverBudget,
    /// No report because calls were refused, or the person stopped it.
    Denied,
    /// By an error.
    Failed,
    /// By an abort.
    Cancelled,
    /// The program died.
    Interrupted,
}

impl Ending {
    /// The word used everywhere.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Partial => "partial",
            Self::OverBudget => "over_budget",
            Self::Denied => "denied",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Interrupted => "interrupted",
        }
    }
}

/// A refused call.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Denied {
    /// Whose call.
    pub agent: AgentId,
    /// The tool.
    pub tool: String,
    /// The arguments, shortened.
    pub input: String,
    /// Why, and what would allow it.
    pub reason: String,
}

/// How a child ended and what it cost: the durable completion record.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AgentOutcome {
    /// The typed ending.
    pub ending: Ending,
    /// In words: the provider's message, the limit; the ending's name when there is nothing to add.
    pub reason: String,
    /// The whole report (the text that reaches the parent is capped from this); empty when there is none.
    pub report: String,
    /// Requests made.
    pub requests: u32,
    /// Tool calls made.
    pub tool_uses: u32,
    /// Its own tokens.
    pub usage: Usage,
    /// US dollars, when prices are known.
    pub cost_usd: f64,
    /// Estimated tokens of what entered the parent.
    pub entered_parent_tokens: u64,
    /// Relative to the project where possible, sorted.
    pub files_written: Vec<String>,
    /// Its refused calls.
    pub denied: Vec<Denied>,
    /// Tools that the call asked for and the type does not have.
    pub dropped_tools: Vec<String>,
    /// `path:line` claims of the report that do not exist (SPEC S14).
    pub bad_citations: Vec<String>,
    /// The git branch that holds its changes, with worktree isolation.
    pub branch: Option<String>,
    /// Milliseconds of work, without waiting for the person.
    pub elapsed_ms: u64,
}
