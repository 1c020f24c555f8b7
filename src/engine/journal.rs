//! The session file as the engine uses it: a failing disk never stops the session, and is said once (SPEC H4).

use crate::session::Record;
use crate::session::log::SessionLog;
use std::path::{Path, PathBuf};

/// The open session's file.
pub struct Journal {
    log: SessionLog,
    dir: PathBuf,
    broken: Option<String>,
    told: bool,
}

impl Journal {
    /// Over an open log; `dir` is the session's folder (`subagents/`, `tool-results/`).
    #[must_use]
    pub fn new(log: SessionLog, dir: PathBuf) -> Self {
        Self { log, dir, broken: None, told: false }
    }

    /// The session's id.
    #[must_use]
    pub fn id(&self) -> &str {
        self.log.id()
    }

    /// The session's folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Append a record. A failure is kept for [`Journal::take_warning`]; a later success clears it.
    pub fn record(&mut self, record: &Record) {
        match self.log.append(record) {
            Ok(()) => self.broken = None,
            Err(e) => self.broken = Some(e.to_string()),
        }
    }

    /// Flush to the disk at the end of a turn.
    pub fn sync(&mut self) {
        if let Err(e) = self.log.sync() {
            self.broken = Some(e.to_string());
        }
    }

    /// Whether everything so far was saved.
    #[must_use]
    pub fn is_saved(&self) -> bool {
        self.broken.is_none()
    }

    /// The reason for a warning that was not given yet.
    pub fn take_warning(&mut self) -> Option<String> {
        if self.told {
            return None;
        }
        let why = self.broken.clone()?;
        self.told = true;
        Some(why)
    }
}
