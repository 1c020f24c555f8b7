//! The tools that a model can call, behind one trait, in one ordered list.
//!
//! Must not: know the engine, the interface, another tool, or decide about permissions. A tool says what a call
//! touches ([`Tool::access`]); the engine decides and runs it. What only the engine can do (spawn a child, read a
//! task) a tool asks for as plain data ([`EngineCall`]).

pub mod access;
pub mod agent;
pub mod args;
pub mod ask_user_question;
pub mod bash;
pub mod blocking;
pub mod cap;
pub mod context;
pub mod edit;
pub mod files;
pub mod git;
pub mod glob;
pub mod grep;
pub mod multi_edit;
pub mod read;
pub mod registry;
pub mod schema;
pub mod send_message;
pub mod session;
pub mod skill;
pub mod task_output;
pub mod task_stop;
pub mod todo_write;
pub mod write;

use crate::protocol::permission::Question;
use crate::protocol::{AgentId, Budget, Display, TaskId, Todo, ToolSpec};
pub use access::Access;
pub use context::ToolContext;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// Arguments of a call: always an object, already checked against the schema.
pub type Input = Map<String, Value>;

/// How calls of one reply may run beside each other (SPEC L5).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Class {
    /// Changes nothing: eight at a time.
    Read,
    /// May change something: one by one, in order.
    Write,
    /// Spawns a child: runs of them at the same time, apart from all other calls.
    Agent,
}

/// What came of a call.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Outcome {
    /// For the model; capped by the tool (SPEC T5). Empty becomes a short fixed note.
    pub text: String,
    /// For models that take images: (media type, base64).
    pub images: Vec<(String, String)>,
    /// Whether it is an error result.
    pub is_error: bool,
    /// A few words for the person: `12 matches`.
    pub summary: String,
    /// How to draw it.
    pub display: Display,
    /// Files that were written, absolute and resolved.
    pub written: Vec<PathBuf>,
    /// The exit code, for commands.
    pub exit: Option<i32>,
}

impl Outcome {
    /// A good outcome.
    #[must_use]
    pub fn ok(text: impl Into<String>, summary: impl Into<String>, display: Display) -> Self {
        Self { text: text.into(), summary: summary.into(), display, ..Self::default() }
    }

    /// An error result: what was wrong and what to do.
    #[must_use]
    pub fn error(text: impl Into<String>) -> Self {
        let text = text.into();
        let summary = text.lines().next().unwrap_or_default().chars().take(120).collect();
        Self { text, is_error: true, summary, ..Self::default() }
    }
}

/// What a tool needs the engine for.
#[derive(Clone, PartialEq, Debug)]
pub enum EngineCall {
    /// `Agent`.
    Spawn(SpawnRequest),
    /// `TaskOutput`.
    TaskOutput {
        /// Which.
        task: TaskId,
        /// Wait for its end.
        block: bool,
        /// Milliseconds to wait at most.
        timeout_ms: u64,
    },
    /// `TaskStop`.
    TaskStop {
        /// Which.
        task: TaskId,
        /// Let a child report first.
        report: bool,
    },
    /// `SendMessage`.
    SendMessage {
        /// The child.
        agent: AgentId,
        /// The words.
        message: String,
        /// Do not wait for a finished child's new report.
        background: bool,
    },
    /// `TodoWrite`.
    Todos(Vec<Todo>),
    /// `AskUserQuestion`.
    Ask(Vec<Question>),
    /// `Skill`.
    Skill {
        /// Its name.
        name: String,
        /// What to do with it.
        args: String,
    },
    /// `Bash` with `run_in_background`: run as usual, but detached from the turn.
    Background {
        /// The model's words for it.
        description: String,
    },
}

/// The arguments of `Agent` (SPEC S5).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SpawnRequest {
    /// Short; never empty.
    pub description: String,
    /// Byte for byte; never empty.
    pub prompt: String,
    /// None means `general-purpose`.
    pub kind: Option<String>,
    /// Return at once; None leaves it to the type.
    pub background: Option<bool>,
    /// Narrows the type's tools.
    pub tool_names: Option<Vec<String>>,
    /// Another model.
    pub model: Option<String>,
    /// Requests at most.
    pub max_turns: Option<u32>,
    /// Start from the parent's history.
    pub fork: bool,
    /// `worktree` or none.
    pub isolation: Option<String>,
    /// Own limits.
    pub budget: Budget,
}

/// A tool. One folder each; a line in [`registry::all`].
pub trait Tool: Send + Sync {
    /// Name, description and schema, byte-stable for the session.
    fn spec(&self) -> ToolSpec;

    /// Other names under which models call it; not offered.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    /// How it may run beside others.
    fn class(&self, input: &Input) -> Class;

    /// What a call touches; paths are resolved here (SPEC T3). Must be quick (file metadata at most).
    ///
    /// # Errors
    /// Arguments that make no sense, in words for the model.
    fn access(&self, input: &Input, ctx: &ToolContext) -> Result<Access, String>;

    /// One line for the person: the command, the path, the pattern. Need not be clean.
    fn title(&self, input: &Input) -> String;

    /// A preview of a change for the approval dialog, when the call writes a file.
    fn preview(&self, _input: &Input, _ctx: &ToolContext) -> Option<Display> {
        None
    }

    /// What the engine has to do, for the tools that need it; [`Tool::run`] is then not called, but for
    /// [`EngineCall::Background`].
    ///
    /// # Errors
    /// Arguments that make no sense, in words for the model.
    fn engine_call(&self, _input: &Input) -> Result<Option<EngineCall>, String> {
        Ok(None)
    }

    /// Do it. Must not panic and must end soon after `ctx.cancel` fires; it may block only in `spawn_blocking`.
    fn run<'a>(&'a self, input: &'a Input, ctx: &'a ToolContext) -> BoxFuture<'a, Outcome>;
}
