//! Git for the program's own use (worktrees, the branch in the header): no terminal, no pager, no editor, and none of
//! the programs that a repository's configuration names (CASES G03).

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// A git that hangs is given up.
const LIMIT: Duration = Duration::from_mins(1);
/// Settings that would start programs, overridden.
const HARMLESS: [&str; 10] =
    ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat", "-c", "commit.gpgsign=false", "-c", "gc.auto=0"];

/// Run git in a folder; its standard output.
///
/// # Errors
/// Git's words, or why it could not run.
pub async fn run(folder: &Path, args: &[&str]) -> Result<String, String> {
    let mut command = tokio::process::Command::new("git");
    command.args(HARMLESS).args(args).current_dir(folder).stdin(Stdio::null()).kill_on_drop(true);
    command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_OPTIONAL_LOCKS", "0").env("GIT_EDITOR", ":").env("LC_ALL", "C");
    let done = tokio::time::timeout(LIMIT, command.output()).await.map_err(|_| "git did not end".to_owned())?.map_err(|e| format!("git cannot run: {e}"))?;
    if done.status.success() { Ok(String::from_utf8_lossy(&done.stdout).into_owned()) } else { Err(String::from_utf8_lossy(&done.stderr).trim().to_owned()) }
}

/// The branch of a repository, read from its files; a short commit id when detached. None outside a repository.
#[must_use]
pub fn branch(folder: &Path) -> Option<String> {
    let dot = folder.ancestors().map(|a| a.join(".git")).find(|p| p.exists())?;
    let dir = if dot.is_file() {
        let text = std::fs::read_to_string(&dot).ok()?;
        dot.parent()?.join(text.strip_prefix("gitdir:")?.trim())
    } else {
        dot
    };
    let head = std::fs::read_to_string(dir.join("HEAD")).ok()?;
    let head = head.trim();
    Some(head.strip_prefix("ref: refs/heads/").map_or_else(|| head.chars().take(8).collect(), ToOwned::to_owned))
}
