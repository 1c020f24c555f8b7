//! Transcripts of children (SPEC S28): `subagents/agent-<id>.jsonl`, one message per line, and a sidecar
//! `agent-<id>.meta.json` with everything that a resume needs for a byte-equal prefix.

use super::lines::Lines;
use super::log::LogError;
use super::repair::{INTERRUPTED, Repair};
use crate::protocol::{AgentId, Budget, Ending, Message, ToolSpec, Usage};
use crate::util::fs::{append_private, create_private_dir, read_regular, write_private};
use crate::util::text::tail;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

/// Version of the sidecar's format.
pub const CHILD_VERSION: u32 = 1;
/// A larger sidecar is not read.
const MAX_META: u64 = 32 * 1024 * 1024;
/// Bytes of the last words that are kept of a child that died.
const MAX_PARTIAL: usize = 32 * 1024;

/// The sidecar: what a child is, and how it ended.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ChildMeta {
    /// [`CHILD_VERSION`].
    pub v: u32,
    /// The child.
    pub id: AgentId,
    /// Its type's name.
    #[serde(rename = "type")]
    pub kind: String,
    /// From the call.
    pub description: String,
    /// From the call, byte for byte.
    pub prompt: String,
    /// The system blocks, byte for byte.
    pub system: Vec<String>,
    /// The tools, byte for byte.
    pub tools: Vec<ToolSpec>,
    /// The provider's name.
    #[serde(default)]
    pub provider: String,
    /// The model's name.
    pub model: String,
    /// How much to think.
    #[serde(default)]
    pub effort: Option<String>,
    /// 1 for children of `main`.
    pub depth: u32,
    /// Who spawned it.
    pub parent: AgentId,
    /// Whether its parent went on without waiting.
    #[serde(default)]
    pub background: bool,
    /// Whether it can change nothing.
    #[serde(default)]
    pub read_only: bool,
    /// Started from its parent's whole history.
    #[serde(default)]
    pub fork: bool,
    /// Requests at most.
    pub max_requests: u32,
    /// Its own limits.
    #[serde(default)]
    pub budget: Budget,
    /// Where it works, when that is a worktree of its own.
    #[serde(default)]
    pub workspace: Option<PathBuf>,
    /// None while it works, or when the program died.
    pub ending: Option<Ending>,
    /// Why it ended, in words.
    #[serde(default)]
    pub reason: String,
    /// Tokens so far.
    pub usage: Usage,
    /// Requests so far.
    #[serde(default)]
    pub requests: u32,
    /// Calls so far.
    #[serde(default)]
    pub tool_uses: u32,
}

/// One line of a transcript.
#[derive(Serialize, Deserialize)]
struct ChildLine<M> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(rename = "isSidechain")]
    sidechain: bool,
    #[serde(rename = "agentId")]
    agent: AgentId,
    message: M,
    at: u64,
}

/// A child as it is on disk.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredChild {
    /// The sidecar.
    pub meta: ChildMeta,
    /// Its messages, repaired to a legal history; calls that never returned have an `interrupted` result.
    pub messages: Vec<Message>,
    /// Messages at the end that stand in no line: append them before going on.
    pub unsaved: usize,
    /// Numbers of damaged lines, which were skipped.
    pub damaged: Vec<usize>,
}

/// What can be said about a child that died.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Glance {
    /// The end of its last words.
    pub last_text: String,
    /// Replies that it got.
    pub requests: u32,
    /// Calls that it made.
    pub tool_uses: u32,
}

/// The writing end of a child's transcript.
#[derive(Debug)]
pub struct ChildLog {
    id: AgentId,
    path: PathBuf,
    file: Option<File>,
}

impl ChildLog {
    /// For a new child or a resumed one; nothing is written yet.
    #[must_use]
    pub fn new(dir: &Path, id: AgentId) -> Self {
        Self { id, path: transcript(dir, id), file: None }
    }

    /// Append one message as one line, with one write. A torn last line is closed before.
    ///
    /// # Errors
    /// The message is not on disk.
    pub fn append(&mut self, message: &Message, at: u64) -> Result<(), LogError> {
        let fail = |source| LogError::Io { path: self.path.clone(), source };
        let mut bytes = Vec::new();
        if self.file.is_none() {
            if let Some(dir) = self.path.parent() {
                create_private_dir(dir).map_err(fail)?;
            }
            if is_torn(&self.path) {
                bytes.push(b'\n');
            }
            self.file = Some(append_private(&self.path).map_err(fail)?);
        }
        serde_json::to_writer(&mut bytes, &ChildLine { kind: "message".into(), sidechain: true, agent: self.id, message, at })?;
        bytes.push(b'\n');
        let Some(file) = &mut self.file else { return Ok(()) };
        if let Err(source) = file.write_all(&bytes) {
            self.file = None; // Opened again, and looked at, by the next message.
            return Err(LogError::Io { path: self.path.clone(), source });
        }
        Ok(())
    }

    /// The transcript's file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Write the sidecar: at the start with no ending, and at the end. Replaced as a whole.
///
/// # Errors
/// It is not on disk.
pub fn write_meta(dir: &Path, meta: &ChildMeta) -> Result<(), LogError> {
    let path = sidecar(dir, meta.id);
    write_private(&path, &serde_json::to_vec(meta)?).map_err(|source| LogError::Io { path, source })
}

/// A child with its history, for going on with it (SPEC S19).
///
/// # Errors
/// In words: there is no such child, or its sidecar cannot be read.
pub fn load_child(dir: &Path, id: AgentId) -> Result<StoredChild, String> {
    let path = sidecar(dir, id);
    let text = read_regular(&path, MAX_META).map_err(|e| format!("{}: {e}", path.display()))?;
    let meta: ChildMeta = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
    if meta.v > CHILD_VERSION {
        return Err(format!("{}: written by a newer version", path.display()));
    }
    let mut repair = Repair::default();
    let mut damaged = Vec::new();
    read_lines(dir, id, &mut damaged, &mut |m| repair.push(m)).map_err(|e| format!("{}: {e}", transcript(dir, id).display()))?;
    let unsaved = usize::from(!repair.open_calls().is_empty());
    let (messages, _) = repair.finish(&|_| INTERRUPTED.to_owned());
    Ok(StoredChild { meta, messages, unsaved, damaged })
}

/// The last words of a child and how far it came. Nothing when there is no transcript.
#[must_use]
pub fn glance(dir: &Path, id: AgentId) -> Glance {
    let mut glance = Glance::default();
    let done = read_lines(dir, id, &mut Vec::new(), &mut |m| {
        let Message::Assistant(reply) = m else { return };
        glance.requests = glance.requests.saturating_add(1);
        glance.tool_uses = glance.tool_uses.saturating_add(u32::try_from(reply.calls().count()).unwrap_or(u32::MAX));
        let text = reply.text();
        if !text.trim().is_empty() {
            tail(&text, MAX_PARTIAL).clone_into(&mut glance.last_text);
        }
    });
    // What was read before an error is still worth telling.
    let _ = done;
    glance
}

/// The tokens that a child's sidecar knows of; none when it cannot be read.
pub(super) fn load_usage(dir: &Path, id: AgentId) -> Usage {
    #[derive(Deserialize)]
    struct Part {
        usage: Usage,
    }
    let text = read_regular(&sidecar(dir, id), MAX_META).unwrap_or_default();
    serde_json::from_str::<Part>(&text).map(|p| p.usage).unwrap_or_default()
}

/// The numbers of all children that left a file, whatever the session's file says.
pub(super) fn numbers(dir: &Path) -> impl Iterator<Item = u32> {
    std::fs::read_dir(dir).into_iter().flatten().flatten().filter_map(|e| {
        let name = e.file_name().into_string().ok()?;
        let id = name.strip_prefix("agent-")?.split('.').next()?.parse::<AgentId>().ok()?;
        Some(id.number())
    })
}

fn read_lines(dir: &Path, id: AgentId, damaged: &mut Vec<usize>, take: &mut dyn FnMut(Message)) -> io::Result<()> {
    let mut lines = Lines::new(BufReader::new(File::open(transcript(dir, id))?));
    while let Some(line) = lines.next_line()? {
        if line.bytes.trim_ascii().is_empty() && !line.too_long {
            continue;
        }
        match serde_json::from_slice::<ChildLine<Message>>(line.bytes) {
            Ok(read) => take(read.message),
            Err(_) => damaged.push(line.number),
        }
    }
    Ok(())
}

fn is_torn(path: &Path) -> bool {
    let last = || -> io::Result<u8> {
        let mut file = File::open(path)?;
        let mut byte = [b'\n'];
        io::Seek::seek(&mut file, io::SeekFrom::End(-1))?;
        io::Read::read_exact(&mut file, &mut byte)?;
        Ok(byte[0])
    };
    last().is_ok_and(|b| b != b'\n')
}

fn transcript(dir: &Path, id: AgentId) -> PathBuf {
    dir.join(format!("agent-{id}.jsonl"))
}

fn sidecar(dir: &Path, id: AgentId) -> PathBuf {
    dir.join(format!("agent-{id}.meta.json"))
}

#[cfg(test)]
#[path = "child_tests.rs"]
mod tests;
