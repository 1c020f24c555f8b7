//! Where paths lead: resolved as the system would, inside or outside the workspace, and the files that decide rights (SPEC R8, T3).
//!
//! Must not: change anything on disk; the only IO is asking where links lead.

use super::shell::Arg;
use std::path::{Component, Path, PathBuf};

/// Links that are followed at most.
const MAX_LINKS: usize = 40;

/// An absolute path without links, `.` and `..`. Parts that do not exist stay as they are.
#[must_use]
pub fn resolve(path: &Path) -> PathBuf {
    let mut links = MAX_LINKS;
    walk(PathBuf::from("/"), path, &mut links)
}

fn walk(mut at: PathBuf, path: &Path, links: &mut usize) -> PathBuf {
    for part in path.components() {
        match part {
            Component::Prefix(_) | Component::RootDir => at = PathBuf::from("/"),
            Component::CurDir => {}
            Component::ParentDir => {
                at.pop();
            }
            Component::Normal(name) => {
                let target = std::fs::read_link(at.join(name)).ok().filter(|_| *links > 0);
                if let Some(target) = target {
                    *links -= 1;
                    at = walk(at, &target, links);
                } else {
                    at.push(name);
                }
            }
        }
    }
    at
}

/// The file that a word of a command names, seen from a folder. Of a pattern: the folder before its first sign.
#[must_use]
pub fn resolve_arg(dir: &Path, home: &Path, arg: &Arg) -> PathBuf {
    let text = if arg.glob { arg.text.split(['*', '?', '[']).next().unwrap_or_default() } else { arg.text.as_str() };
    let path = match text.strip_prefix('~') {
        Some(rest) if arg.home => home.join(rest.trim_start_matches('/')),
        Some(_) | None => dir.join(text),
    };
    let path = if arg.glob && !text.ends_with('/') { path.parent().unwrap_or(&path).to_path_buf() } else { path };
    resolve(&path)
}

/// Whether a resolved path is a folder or in it.
#[must_use]
pub fn is_inside(path: &Path, dir: &Path) -> bool {
    path.starts_with(dir) || path.starts_with(resolve(dir))
}

/// Whether a resolved path is one of the files that decide rights, or a folder of them, or holds one.
///
/// In the project: settings, agents, hooks, MCP servers, git's own configuration and hooks. Of the user: the configuration folder,
/// `~/.claude` and git's configuration. Letter case does not matter, since it does not on some file systems.
#[must_use]
pub fn is_protected(path: &Path, workspace: &Path, config_dir: &Path, home: &Path) -> bool {
    let users = [
        config_dir.to_path_buf(),
        home.join(".config/tui-agent"),
        home.join(".claude"),
        home.join(".tui-agent"),
        home.join(".gitconfig"),
        home.join(".config/git"),
    ];
    // A child's worktree lies below the state folder, which may lie in the configuration folder (`TUI_AGENT_HOME`).
    let own_worktree = workspace.starts_with(config_dir.join("state")) && path.starts_with(workspace);
    if !own_worktree && users.iter().any(|dir| is_inside(path, dir)) {
        return true;
    }
    let relative = path.strip_prefix(workspace).unwrap_or(path);
    let names: Vec<String> = relative.iter().map(|n| n.to_string_lossy().to_ascii_lowercase()).collect();
    names.iter().enumerate().any(|(at, name)| {
        let below: Vec<&str> = names[at + 1..].iter().map(String::as_str).collect();
        match name.as_str() {
            ".tui-agent" | ".claude" | ".mcp.json" => true,
            ".agents" => below.first().is_none_or(|b| *b == "hooks.json"),
            ".git" => is_git_setting(&below),
            _ => false,
        }
    })
}

/// Below `.git`: the file or folder itself, its configuration and hooks, and those of submodules and worktrees.
fn is_git_setting(below: &[&str]) -> bool {
    match below {
        [] => true,
        ["modules" | "worktrees", rest @ ..] => rest.is_empty() || rest.iter().any(|n| is_git_file(n)),
        [first, ..] => is_git_file(first),
    }
}

fn is_git_file(name: &str) -> bool {
    matches!(name, "config" | "config.worktree" | "hooks" | "commondir" | "gitdir")
}

/// Names of protected files that occur in the text of a command that is not understood.
#[must_use]
pub fn named_protected(line: &str) -> Option<&'static str> {
    const NAMES: [&str; 8] = [".tui-agent", ".claude/", ".mcp.json", ".agents/hooks.json", ".git/config", ".git/hooks", ".git/modules", ".gitconfig"];
    let line = line.to_ascii_lowercase();
    NAMES.into_iter().find(|n| line.contains(n))
}
