//! What a call touches, as data for the permission policy. Knows no tool and decides nothing.

use std::path::PathBuf;

/// What a call touches.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Access {
    /// Resolved absolute paths that are read.
    pub reads: Vec<PathBuf>,
    /// Resolved absolute paths that are written.
    pub writes: Vec<PathBuf>,
    /// A shell command, exactly as it would run.
    pub command: Option<String>,
    /// A host that is contacted.
    pub host: Option<String>,
    /// Touches only the session itself (to-dos, tasks, questions, children): always allowed unless a rule denies it.
    pub session_only: bool,
}

impl Access {
    /// A call that touches only the session.
    #[must_use]
    pub fn session() -> Self {
        Self { session_only: true, ..Self::default() }
    }

    /// A call that reads paths.
    #[must_use]
    pub fn read(paths: Vec<PathBuf>) -> Self {
        Self { reads: paths, ..Self::default() }
    }

    /// A call that writes paths.
    #[must_use]
    pub fn write(paths: Vec<PathBuf>) -> Self {
        Self { writes: paths, ..Self::default() }
    }
}
