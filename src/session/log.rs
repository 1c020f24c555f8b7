//! Writing a session: each record is one line, appended with one write, as it happens (SPEC H1, H4, R9).
//!
//! Must not: stop the session. A failing disk gives a typed error; what could not be written is kept (bounded) and
//! tried again, in order, with the next record.

use super::id::new_session_id;
use super::lock::{LockError, SessionLock};
use super::record::{Record, SESSION_VERSION};
use crate::config::Paths;
use crate::util::fs::{append_private, create_private_dir, write_private};
use crate::util::time::now_ms;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Bytes of unwritten lines that are kept for another try.
const MAX_BACKLOG: usize = 16 * 1024 * 1024;

/// Why a record is not on disk.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The file or its folder cannot be made or written.
    #[error("the session is not saved: {}: {source}", .path.display())]
    Io {
        /// What could not be written.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// Another process writes to this session.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The record has no JSON form; it is left out.
    #[error("a record could not be written: {0}")]
    Json(#[from] serde_json::Error),
}

/// What a new session is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionStart {
    /// The project folder, canonical.
    pub cwd: PathBuf,
    /// The provider's name.
    pub provider: String,
    /// The model's name.
    pub model: String,
}

/// The writing end of one session's file.
#[derive(Debug)]
pub struct SessionLog {
    id: String,
    path: PathBuf,
    dir: PathBuf,
    file: Option<File>,
    lock: Option<SessionLock>,
    /// Nothing is written before the first record of the conversation.
    begun: bool,
    /// The file ends in the middle of a line.
    torn: bool,
    /// Lines that are not on disk yet.
    backlog: VecDeque<Vec<u8>>,
    backlog_bytes: usize,
    failed: bool,
    lost: bool,
}

impl SessionLog {
    /// A new session. Nothing is on disk before the first message.
    #[must_use]
    pub fn create(paths: &Paths, start: &SessionStart) -> Self {
        let id = new_session_id();
        let mut log = Self::closed(paths, &start.cwd, id.clone());
        let first = Record::Session {
            v: SESSION_VERSION,
            id,
            cwd: start.cwd.to_string_lossy().into_owned(),
            provider: start.provider.clone(),
            model: start.model.clone(),
            at: now_ms(),
        };
        if let Ok(line) = line_of(&first) {
            log.keep(line);
        }
        log
    }

    /// An existing session, locked for this process. A torn last line is closed before the next record.
    ///
    /// # Errors
    /// Another process uses it, or it cannot be opened.
    pub fn open(paths: &Paths, cwd: &Path, id: &str) -> Result<Self, LogError> {
        let mut log = Self::closed(paths, cwd, id.to_owned());
        let fail = |source| LogError::Io { path: log.path.clone(), source };
        // Without this an unknown id would leave a lock and its folder behind.
        let mut existing = File::open(&log.path).map_err(fail)?;
        let lock = SessionLock::acquire(&log.dir)?;
        let size = existing.metadata().map_err(fail)?.len();
        let mut last = [b'\n'];
        if size > 0 {
            existing.seek(SeekFrom::End(-1)).and_then(|_| existing.read_exact(&mut last)).map_err(fail)?;
        }
        let file = append_private(&log.path).map_err(fail)?;
        (log.lock, log.file, log.begun, log.torn) = (Some(lock), Some(file), true, last != [b'\n']);
        Ok(log)
    }

    fn closed(paths: &Paths, cwd: &Path, id: String) -> Self {
        let (path, dir) = (paths.session_file(cwd, &id), paths.session_dir(cwd, &id));
        Self { id, path, dir, file: None, lock: None, begun: false, torn: false, backlog: VecDeque::new(), backlog_bytes: 0, failed: false, lost: false }
    }

    /// The session's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The session's file; it may not exist yet.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of the session's other files; it may not exist yet.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Whether everything so far is in the file, so that a resume may be promised. False before the first message.
    #[must_use]
    pub fn is_saved(&self) -> bool {
        self.begun && !self.failed && !self.lost && self.backlog.is_empty()
    }

    /// Whether something could not be written: the lasting warning is due.
    #[must_use]
    pub fn is_failing(&self) -> bool {
        self.failed || self.lost
    }

    /// Append one record. Settings before the first message wait for it.
    ///
    /// # Errors
    /// The record is not on disk. It is kept and tried again with the next one; the session can go on.
    pub fn append(&mut self, record: &Record) -> Result<(), LogError> {
        self.keep(line_of(record)?);
        self.begun |= !is_setting(record);
        if !self.begun {
            return Ok(());
        }
        let done = self.flush();
        self.failed = done.is_err();
        if done.is_ok()
            && let Record::Title { title } = record
        {
            // So that a list of sessions needs no look into the middle of the file.
            let _ = write_private(&self.dir.join(TITLE_FILE), title.as_bytes());
        }
        done
    }

    /// Make the system write everything to the disk itself.
    ///
    /// # Errors
    /// As the system says.
    pub fn sync(&mut self) -> Result<(), LogError> {
        if self.begun {
            self.flush()?;
        }
        let Some(file) = &self.file else { return Ok(()) };
        file.sync_data().map_err(|source| LogError::Io { path: self.path.clone(), source })
    }

    fn keep(&mut self, line: Vec<u8>) {
        self.backlog_bytes += line.len();
        self.backlog.push_back(line);
        while self.backlog_bytes > MAX_BACKLOG && self.backlog.len() > 1 {
            // The first line of a new file says what it is; what follows it can go.
            let at = usize::from(self.file.is_none());
            let gone = self.backlog.remove(at.min(self.backlog.len() - 2)).unwrap_or_default();
            self.backlog_bytes = self.backlog_bytes.saturating_sub(gone.len());
            self.lost = true;
        }
    }

    fn flush(&mut self) -> Result<(), LogError> {
        let fail = |path: &Path, source| LogError::Io { path: path.to_path_buf(), source };
        if self.lock.is_none() {
            create_private_dir(&self.dir).map_err(|e| fail(&self.dir, e))?;
            self.lock = Some(SessionLock::acquire(&self.dir)?);
        }
        if self.file.is_none() {
            self.file = Some(append_private(&self.path).map_err(|e| fail(&self.path, e))?);
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        while let Some(line) = self.backlog.front_mut() {
            if self.torn {
                line.insert(0, b'\n');
                self.torn = false;
            }
            if let Err(source) = write_whole(file, line) {
                self.torn = !ends_with_newline(&self.path);
                return Err(fail(&self.path, source));
            }
            self.backlog_bytes = self.backlog_bytes.saturating_sub(line.len());
            self.backlog.pop_front();
        }
        Ok(())
    }
}

/// Name of the file in the session's folder that holds the title given by the person.
pub(super) const TITLE_FILE: &str = "title";

fn line_of(record: &Record) -> Result<Vec<u8>, serde_json::Error> {
    let mut line = serde_json::to_vec(record)?;
    line.push(b'\n');
    Ok(line)
}

/// One write; when only a part went in, the part is taken back so that no half line stays.
fn write_whole(file: &mut File, line: &[u8]) -> io::Result<()> {
    let before = file.metadata()?.len();
    file.write_all(line).inspect_err(|_| {
        let _ = file.set_len(before);
    })
}

fn ends_with_newline(path: &Path) -> bool {
    let last = || -> io::Result<u8> {
        let (mut file, mut byte) = (File::open(path)?, [b'\n']);
        if file.metadata()?.len() > 0 {
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut byte)?;
        }
        Ok(byte[0])
    };
    last().is_ok_and(|b| b == b'\n')
}

/// Records that alone are not worth a file.
fn is_setting(record: &Record) -> bool {
    match record {
        Record::Session { .. } | Record::Todos { .. } | Record::Mode { .. } | Record::Model { .. } | Record::Rule { .. } | Record::Title { .. } => true,
        Record::Message { .. }
        | Record::AgentSpawned { .. }
        | Record::AgentFinished { .. }
        | Record::AgentBackgrounded { .. }
        | Record::TaskStarted { .. }
        | Record::TaskFinished { .. }
        | Record::Delivered { .. }
        | Record::Compacted { .. } => false,
    }
}

#[cfg(test)]
#[path = "log_tests.rs"]
mod tests;
