//! Where things are on disk (SPEC 11). Reads no environment by itself: values come from the edge.

use std::path::PathBuf;

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
