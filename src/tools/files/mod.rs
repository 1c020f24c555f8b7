//! What the file tools share: what an agent has read, locks over read-modify-write, resolved paths, atomic writes.
//!
//! Must not: decide about permissions.

pub mod atomic;
pub mod change;
pub mod decode;
pub mod diff;
pub mod edit;
pub mod load;
pub mod missing;
pub mod resolve;
pub mod walk;

use crate::protocol::{AgentId, CallId};
use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A content hash (any good 64-bit or longer hash, as bytes).
pub type Hash = [u8; 16];

/// Decisions that are remembered, at most; calls that were refused never take theirs back.
const MAX_DECISIONS: usize = 1024;

/// The hash of a content; takes it piece by piece. The same within a process, not meant to be stored.
#[derive(Clone, Debug)]
pub struct ContentHash {
    one: DefaultHasher,
    two: DefaultHasher,
}

impl Default for ContentHash {
    fn default() -> Self {
        let mut two = DefaultHasher::new();
        two.write_u8(1);
        Self { one: DefaultHasher::new(), two }
    }
}

impl ContentHash {
    /// Take the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.one.write(bytes);
        self.two.write(bytes);
    }

    /// The hash of all bytes so far.
    #[must_use]
    pub fn end(&self) -> Hash {
        let mut hash = [0; 16];
        hash[..8].copy_from_slice(&self.one.finish().to_le_bytes());
        hash[8..].copy_from_slice(&self.two.finish().to_le_bytes());
        hash
    }
}

/// The hash of a whole content.
#[must_use]
pub fn hash(content: &[u8]) -> Hash {
    let mut hash = ContentHash::default();
    hash.push(content);
    hash.end()
}

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
    decisions: Mutex<VecDeque<(AgentId, CallId, PathBuf)>>,
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

    /// Note what a call's path resolved to when it was decided about (SPEC T3); the last note of a call counts.
    pub fn decide(&self, agent: AgentId, call: &CallId, path: &Path) {
        let mut all = self.decisions.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(a, c, _)| !(*a == agent && c == call));
        if all.len() >= MAX_DECISIONS {
            all.pop_front();
        }
        all.push_back((agent, call.clone(), path.to_path_buf()));
    }

    /// What the call's path resolved to when it was decided about; the note is used up.
    #[must_use]
    pub fn decided(&self, agent: AgentId, call: &CallId) -> Option<PathBuf> {
        let mut all = self.decisions.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().position(|(a, c, _)| *a == agent && c == call)?;
        all.remove(at).map(|(_, _, path)| path)
    }
}

#[cfg(test)]
mod tests;
