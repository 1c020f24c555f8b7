//! What the file tools share: what an agent has read, locks over read-modify-write, resolved paths, atomic writes.
//!
//! Must not: decide about permissions.

use crate::protocol::AgentId;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A content hash (any good 64-bit or longer hash, as bytes).
pub type Hash = [u8; 16];

/// What one agent has read or written: path → hash of the content that it knows. Per agent (SPEC S9).
#[derive(Debug, Default)]
pub struct ReadState {
    known: Mutex<HashMap<PathBuf, Hash>>,
}

impl ReadState {
    /// The hash of the content that the agent knows.
    #[must_use]
    pub fn known(&self, path: &Path) -> Option<Hash> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).get(path).copied()
    }

    /// The agent has seen or made this content.
    pub fn learn(&self, path: &Path, hash: Hash) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_path_buf(), hash);
    }

    /// All files that the agent knows, sorted.
    #[must_use]
    pub fn paths(&self) -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> = self.known.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect();
        all.sort();
        all
    }
}

/// One lock per file over read-modify-write, and who wrote last, for the whole session (SPEC S18).
#[derive(Debug, Default)]
pub struct FileLocks {
    locks: Mutex<HashMap<PathBuf, Arc<tokio::sync::Mutex<()>>>>,
    writers: Mutex<HashMap<PathBuf, (AgentId, Hash)>>,
}

impl FileLocks {
    /// The lock of a resolved path; hold it from reading to writing.
    #[must_use]
    pub fn of(&self, path: &Path) -> Arc<tokio::sync::Mutex<()>> {
        Arc::clone(self.locks.lock().unwrap_or_else(PoisonError::into_inner).entry(path.to_path_buf()).or_default())
    }

    /// Note a write.
    pub fn wrote(&self, path: &Path, agent: AgentId, hash: Hash) {
        self.writers.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_path_buf(), (agent, hash));
    }

    /// The agent of this session that wrote the file last, and the hash of what it wrote.
    #[must_use]
    pub fn last_writer(&self, path: &Path) -> Option<(AgentId, Hash)> {
        self.writers.lock().unwrap_or_else(PoisonError::into_inner).get(path).copied()
    }
}
