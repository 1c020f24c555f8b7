//! Where things are on disk (SPEC 11). Reads no environment by itself: values come from the edge.

use crate::util::sha256;
use std::path::{Path, PathBuf};

/// The places of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Paths {
    /// The user's configuration folder: `config.toml`, `agents/`, `skills/`, `commands/`, `themes/`, `MEMORY.md`.
    pub config: PathBuf,
    /// The state folder: `projects/`, `trust.json`, `agents.json`, logs.
    pub state: PathBuf,
    /// The person's home, for `~/.claude/agents`.
    pub home: PathBuf,
}

impl Paths {
    /// The places that the environment asks for. `TUI_AGENT_HOME=DIR` puts both under DIR; else the XDG folders, which
    /// count only when absolute (as their specification says), with their usual defaults under `home`.
    #[must_use]
    pub fn from_env(lookup: &dyn Fn(&str) -> Option<String>, home: &Path) -> Self {
        if let Some(dir) = lookup("TUI_AGENT_HOME").filter(|d| !d.is_empty()).map(PathBuf::from) {
            return Self { state: dir.join("state"), config: dir, home: home.to_path_buf() };
        }
        let base = |name: &str, default: &str| {
            let set = lookup(name).map(PathBuf::from).filter(|p| p.is_absolute());
            set.unwrap_or_else(|| home.join(default)).join("tui-agent")
        };
        Self { config: base("XDG_CONFIG_HOME", ".config"), state: base("XDG_STATE_HOME", ".local/state"), home: home.to_path_buf() }
    }

    /// The user's `config.toml`.
    #[must_use]
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// The folder of a project's sessions. `project` should be canonical: the name is made from its text.
    #[must_use]
    pub fn project_dir(&self, project: &Path) -> PathBuf {
        self.state.join("projects").join(project_name(project))
    }

    /// `…/<session-id>.jsonl`.
    #[must_use]
    pub fn session_file(&self, project: &Path, session: &str) -> PathBuf {
        self.project_dir(project).join(format!("{session}.jsonl"))
    }

    /// `…/<session-id>/`, for what belongs to one session.
    #[must_use]
    pub fn session_dir(&self, project: &Path, session: &str) -> PathBuf {
        self.project_dir(project).join(session)
    }

    /// `…/<session-id>/subagents/`: transcripts of children.
    #[must_use]
    pub fn subagents_dir(&self, project: &Path, session: &str) -> PathBuf {
        self.session_dir(project, session).join("subagents")
    }

    /// `…/<session-id>/tool-results/`: whole outputs that were cut for the model.
    #[must_use]
    pub fn tool_results_dir(&self, project: &Path, session: &str) -> PathBuf {
        self.session_dir(project, session).join("tool-results")
    }
}

/// A folder name for a project: its last two components for reading, and a hash of the whole path against mix-ups.
fn project_name(project: &Path) -> String {
    let text = project.to_string_lossy();
    let mut parts: Vec<&str> = text.rsplit(['/', '\\']).filter(|p| !p.is_empty()).take(2).collect();
    parts.reverse();
    let slug: String = parts.join("-").chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_') { c } else { '-' }).take(48).collect();
    let slug = slug.trim_matches(['-', '.']);
    let hash = sha256::hex(project.as_os_str().as_encoded_bytes());
    format!("{}-{}", if slug.is_empty() { "root" } else { slug }, hash.get(..10).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(vars: &[(&str, &str)]) -> Paths {
        let find = |name: &str| vars.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned());
        Paths::from_env(&find, Path::new("/people/u"))
    }

    #[test]
    fn places_follow_the_environment() {
        let p = paths(&[]);
        assert_eq!((p.config.as_path(), p.state.as_path()), (Path::new("/people/u/.config/tui-agent"), Path::new("/people/u/.local/state/tui-agent")));
        let p = paths(&[("XDG_CONFIG_HOME", "/c"), ("XDG_STATE_HOME", "relative")]);
        assert_eq!((p.config.as_path(), p.state.as_path()), (Path::new("/c/tui-agent"), Path::new("/people/u/.local/state/tui-agent")));
        let p = paths(&[("TUI_AGENT_HOME", "/t"), ("XDG_CONFIG_HOME", "/c")]);
        assert_eq!((p.config_file(), p.state.clone()), (PathBuf::from("/t/config.toml"), PathBuf::from("/t/state")));
        assert_eq!(paths(&[("TUI_AGENT_HOME", "")]).state, PathBuf::from("/people/u/.local/state/tui-agent"));
    }

    #[test]
    fn project_folders_are_readable_and_never_shared() {
        let name = |p: &str| project_name(Path::new(p));
        assert!(name("/people/u/my proj").starts_with("u-my-proj-"), "{}", name("/people/u/my proj"));
        assert!(name("/").starts_with("root-"));
        assert_ne!(name("/a/b c"), name("/a/b-c"), "the hash tells apart what the slug cannot");
        assert_eq!(name("/x"), "x-b3d1db3186", "the same in every version, or old sessions are not found");
        for odd in ["/../..", "/a/\u{1f980}", &format!("/{}", "y".repeat(5000))] {
            let n = name(odd);
            assert!(n.len() < 64 && !n.starts_with('.') && n.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c)), "{n}");
        }
        let p = paths(&[("TUI_AGENT_HOME", "/t")]);
        let file = p.session_file(Path::new("/w"), "id");
        assert_eq!(file.with_extension(""), p.session_dir(Path::new("/w"), "id"));
        assert_eq!(p.subagents_dir(Path::new("/w"), "id"), p.session_dir(Path::new("/w"), "id").join("subagents"));
    }
}
