//! Who may do what (SPEC R1–R5, R8). Pure decisions over data; the only IO is reading where links lead and what a repository is set to (R4).
//!
//! Must not: know tools by type, ask anybody, or start a process. A tool's call arrives as a [`Touch`].

pub mod paths;
pub mod policy;
pub mod rules;
pub mod shell;

pub use crate::protocol::Mode;
pub use policy::{Question, decide};
pub use rules::Rule;

use std::path::PathBuf;

/// What a call touches. The same fields as the tools' own description of a call, which this module must not import.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Touch {
    /// Resolved absolute paths that are read.
    pub reads: Vec<PathBuf>,
    /// Resolved absolute paths that are written.
    pub writes: Vec<PathBuf>,
    /// A shell command, exactly as it would run.
    pub command: Option<String>,
    /// A host that is contacted.
    pub host: Option<String>,
    /// Touches only the session itself: always allowed unless a rule denies it.
    pub session_only: bool,
}

/// What is decided about a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It runs.
    Allow,
    /// It does not; the model is told why.
    Deny {
        /// For the model and the report: what refused it.
        reason: String,
    },
    /// The person decides. Headless this is a denial, and the reason names the flag that would allow it.
    Ask {
        /// What makes it ask: the uncovered command, the protected file, the folder outside.
        reason: String,
        /// The rule that would cover calls like this; none when no rule may (protected files).
        rule: Option<String>,
        /// A file that decides rights (R8): asks in every mode, and no "session" or "always" is offered.
        protected: bool,
    },
}
