//! Identifiers. Agents are `main`, `a1`, `a2`…; background commands `b1`, `b2`… (SPEC S24).

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// One agent of the tree. `main` is the parent that the person talks to; children are `a1`, `a2`… in order of their creation.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AgentId(u32);

impl AgentId {
    /// The agent that the person talks to.
    pub const MAIN: Self = Self(0);

    /// The n-th child of the session; 0 is `main`.
    #[must_use]
    pub const fn child(n: u32) -> Self {
        Self(n)
    }

    /// 0 for `main`, else the number behind the `a`.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// Whether this is the agent that the person talks to.
    #[must_use]
    pub const fn is_main(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 { f.write_str("main") } else { write!(f, "a{}", self.0) }
    }
}

impl FromStr for AgentId {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        if s == "main" {
            return Ok(Self::MAIN);
        }
        s.strip_prefix('a').and_then(|n| n.parse().ok()).filter(|n| *n > 0).map(Self).ok_or_else(|| format!("not an agent id: {s:?} (expected a1, a2, …)"))
    }
}

impl TryFrom<String> for AgentId {
    type Error = String;
    fn try_from(s: String) -> Result<Self, String> {
        s.parse()
    }
}

impl From<AgentId> for String {
    fn from(id: AgentId) -> Self {
        id.to_string()
    }
}

/// Anything that can run in the background: a child agent (`a1`) or a shell command (`b1`).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum TaskId {
    /// A child agent.
    Agent(AgentId),
    /// A shell command; the number behind the `b`.
    Command(u32),
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent(id) => id.fmt(f),
            Self::Command(n) => write!(f, "b{n}"),
        }
    }
}

impl FromStr for TaskId {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        if let Some(n) = s.strip_prefix('b').and_then(|n| n.parse().ok()).filter(|n| *n > 0) {
            return Ok(Self::Command(n));
        }
        s.parse().map(Self::Agent).map_err(|_| format!("not a task id: {s:?} (expected a1, a2, … or b1, b2, …)"))
    }
}

impl TryFrom<String> for TaskId {
    type Error = String;
    fn try_from(s: String) -> Result<Self, String> {
        s.parse()
    }
}

impl From<TaskId> for String {
    fn from(id: TaskId) -> Self {
        id.to_string()
    }
}

impl From<AgentId> for TaskId {
    fn from(id: AgentId) -> Self {
        Self::Agent(id)
    }
}

/// The id of one tool call, unique in its history. Made by the provider, or by us when missing or repeated.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(pub String);

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One question in the approval queue, unique in the process.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ApprovalId(pub u64);
