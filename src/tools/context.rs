//! What a running call is given: its agent's state and ways to report. Holds no engine.

use crate::protocol::{AgentId, CallId};
use crate::tools::files::{FileLocks, ReadState, resolve};
use crate::util::clean::visible;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

/// Takes the whole output so far as its last lines; must not block. Each call replaces the former tail.
pub type Progress = Arc<dyn Fn(String) + Send + Sync>;

/// The surroundings of one call.
#[derive(Clone)]
pub struct ToolContext {
    /// Whose call.
    pub agent: AgentId,
    /// Which call.
    pub call: CallId,
    /// The project folder, resolved. A child with worktree isolation has its own.
    pub workspace: PathBuf,
    /// The agent's shell folder, kept between calls (SPEC T4). Relative paths of file tools are taken from `workspace`.
    pub shell_cwd: Arc<Mutex<PathBuf>>,
    /// What this agent has read (SPEC T2, S9).
    pub reads: Arc<ReadState>,
    /// Read-modify-write locks and last writers, shared by all agents of the session (SPEC S18).
    pub locks: Arc<FileLocks>,
    /// Where whole outputs go (`<session>/tool-results`); created on first use with mode 0700.
    pub spill_dir: PathBuf,
    /// Names of environment variables that commands must not see (the providers' keys).
    pub hidden_env: Arc<Vec<String>>,
    /// Fires on interrupt and abort.
    pub cancel: CancellationToken,
    /// Fires when the call moves to the background: its time limit ends (SPEC S20, T4).
    pub detached: CancellationToken,
    /// Takes output while the call runs.
    pub progress: Progress,
    /// Run without a time limit: the call is a background task.
    pub background: bool,
    /// The agent can change nothing: commands run only when they are known to read.
    pub read_only: bool,
}

impl ToolContext {
    /// The real place of a path as a model gave it, from the workspace (SPEC T3).
    #[must_use]
    pub fn resolve(&self, given: &str) -> PathBuf {
        resolve::resolve(&self.workspace, given, etcetera::home_dir().ok().as_deref())
    }

    /// A resolved path for people and models: relative to the workspace where it is inside, control characters shown.
    #[must_use]
    pub fn relative(&self, path: &Path) -> String {
        let inside = path.strip_prefix(&self.workspace).ok().filter(|p| !p.as_os_str().is_empty());
        visible(&inside.unwrap_or(path).to_string_lossy()).into_owned()
    }

    /// The surroundings of a test: the agent `main` in this folder.
    #[cfg(test)]
    #[must_use]
    pub fn for_test(folder: &Path) -> Self {
        let workspace = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        Self {
            agent: AgentId::MAIN,
            call: CallId("call-1".into()),
            shell_cwd: Arc::new(Mutex::new(workspace.clone())),
            spill_dir: workspace.join(".spill"),
            workspace,
            reads: Arc::default(),
            locks: Arc::default(),
            hidden_env: Arc::default(),
            cancel: CancellationToken::new(),
            detached: CancellationToken::new(),
            progress: Arc::new(|_| {}),
            background: false,
            read_only: false,
        }
    }
}

impl std::fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolContext").field("agent", &self.agent).field("call", &self.call).finish_non_exhaustive()
    }
}
