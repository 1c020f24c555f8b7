//! Modes, questions to the person and their answers (SPEC R1, R6, S17, T7).

use super::ids::{AgentId, ApprovalId, CallId};
use super::tool::DiffHunk;
use serde::{Deserialize, Serialize};

/// What may run without asking.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Writes and commands ask.
    #[default]
    Default,
    /// Writes inside the workspace run; commands ask.
    AcceptEdits,
    /// Nothing writes.
    Plan,
    /// Nothing asks, but deny rules, read-only agents and protected files hold.
    Bypass,
}

impl Mode {
    /// The name used on the command line, in files and on the screen.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::AcceptEdits => "accept-edits",
            Self::Plan => "plan",
            Self::Bypass => "bypass",
        }
    }

    /// The mode of a name, as [`Mode::name`] gives it.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Default, Self::AcceptEdits, Self::Plan, Self::Bypass].into_iter().find(|m| m.name() == name)
    }
}

/// A question in the one approval queue of the whole tree.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Approval {
    /// Names the question in the answer.
    pub id: ApprovalId,
    /// Who asks.
    pub agent: AgentId,
    /// The asker's place in the tree for reading, for example `a1 Explore › a2 general-purpose`; `main` for the parent.
    pub path: String,
    /// The asker's description; empty for the parent.
    pub description: String,
    /// The call in question; none for a fan-out.
    pub call: Option<CallId>,
    /// The tool's name.
    pub tool: String,
    /// What is asked.
    pub body: ApprovalBody,
    /// Why it asks: the part that no rule covers, the protected file, the folder outside.
    pub reason: String,
    /// The rule that "session" and "always" would add, for example `Bash(cargo test:*)`; none when no rule can cover it.
    pub rule: Option<String>,
    /// Asked by a background agent: parked as a badge, never takes the keys by itself (SPEC S23).
    pub background: bool,
}

/// What a question shows in full.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ApprovalBody {
    /// A command, exactly as it would run.
    Command {
        /// The whole command line; may have several lines.
        command: String,
    },
    /// A change of a file.
    Edit {
        /// The file.
        path: String,
        /// The change.
        hunks: Vec<DiffHunk>,
    },
    /// Anything else, as text.
    Call {
        /// Arguments in a readable form.
        text: String,
    },
    /// More children than may start unasked (SPEC S17).
    FanOut {
        /// (type, description) of each call.
        children: Vec<(String, String)>,
    },
    /// Questions of the model to the person (SPEC T7).
    Questions {
        /// One to four.
        questions: Vec<Question>,
    },
}

/// A question of the model to the person.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Question {
    /// The whole question.
    pub question: String,
    /// A word or two above it.
    #[serde(default)]
    pub header: String,
    /// What can be chosen; free text is always possible.
    #[serde(default)]
    pub options: Vec<QuestionOption>,
    /// Whether several can be chosen.
    #[serde(rename = "multiSelect", default)]
    pub multi_select: bool,
}

/// One choice of a question.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct QuestionOption {
    /// Short.
    pub label: String,
    /// What it means.
    #[serde(default)]
    pub description: String,
}

/// An answer of the person. The first one wins; later ones do nothing.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer {
    /// This call only.
    Once,
    /// Calls like this of the same agent.
    Agent,
    /// Calls like this in this session.
    Session,
    /// Kept in the project's settings.
    AlwaysProject,
    /// Kept in the user's settings.
    AlwaysUser,
    /// No.
    Deny,
    /// No, and the model is told why.
    DenyBecause {
        /// The person's words.
        reason: String,
    },
    /// No, and the asking agent is stopped.
    StopAgent,
    /// Of a fan-out: the calls that may start, by position. All, some or none.
    Start {
        /// Positions from 0.
        chosen: Vec<usize>,
    },
    /// Of questions: one answer text for each.
    Answers {
        /// In the order of the questions.
        texts: Vec<String>,
    },
}
