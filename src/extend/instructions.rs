//! What a project and the person want every agent to know: `AGENTS.md`, `CLAUDE.md`, and memory files (SPEC X1).
//!
//! Must not: read what is not the project's or the person's: a link or an import out of the project is refused, because
//! a cloned folder must not put the person's files into a conversation.

use super::files::{leads_out, warn};
use crate::config::{Paths, Warning};
use crate::util::fs::{create_private_dir, read_regular};
use crate::util::text::{escape_own_tags, head, tail};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Bytes of all instructions together.
const MAX_ALL: usize = 64 * 1024;
/// Bytes of the memory files together.
const MAX_MEMORY: usize = 32 * 1024;
/// Imports inside imports.
const MAX_DEPTH: usize = 5;
/// Files that one load may read.
const MAX_FILES: usize = 100;
/// A larger file is not read.
const MAX_FILE: u64 = 1024 * 1024;
/// The names, in the order in which they are read.
const NAMES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];

/// A file's text for the system text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// The file.
    pub path: PathBuf,
    /// Its text, our tags escaped, possibly cut.
    pub text: String,
}

/// All instructions, the least specific first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Instructions {
    /// In the order of the system text.
    pub parts: Vec<Part>,
    /// What could not be read.
    pub warnings: Vec<Warning>,
}

impl Instructions {
    /// One text with a heading for each file; empty when there is none.
    #[must_use]
    pub fn text(&self) -> String {
        self.parts.iter().map(|p| format!("# From {}\n\n{}\n", p.path.display(), p.text.trim())).collect::<Vec<_>>().join("\n")
    }
}

/// The git root above a folder, or the folder itself.
#[must_use]
pub fn project_root(cwd: &Path) -> PathBuf {
    cwd.ancestors().find(|d| d.join(".git").exists()).unwrap_or(cwd).to_path_buf()
}

/// The person's instructions, then those from the git root down to the working folder.
#[must_use]
pub fn load(paths: &Paths, cwd: &Path) -> Instructions {
    let root = project_root(cwd);
    let mut reader = Reader { seen: BTreeSet::new(), out: Instructions::default() };
    for file in [paths.config.join("AGENTS.md"), paths.config.join("CLAUDE.md"), paths.home.join(".claude/CLAUDE.md")] {
        reader.file(&file, None, &paths.home, 0);
    }
    let mut folders: Vec<&Path> = cwd.ancestors().take_while(|d| d.starts_with(&root)).collect();
    folders.reverse();
    for folder in folders {
        for name in NAMES {
            reader.file(&folder.join(name), Some(&root), &paths.home, 0);
        }
    }
    let mut out = reader.out;
    fit(&mut out.parts, MAX_ALL);
    out
}

/// Cut to a size in all. The most specific files, which come last, keep their text.
fn fit(parts: &mut Vec<Part>, max: usize) {
    let mut left = max;
    for part in parts.iter_mut().rev() {
        if part.text.len() > left {
            let note = format!("\n[Cut: all instructions together are larger than {} KB.]", max / 1024);
            let kept = head(&part.text, left.saturating_sub(note.len()));
            part.text = if kept.is_empty() { String::new() } else { format!("{kept}{note}") };
        }
        left = left.saturating_sub(part.text.len());
    }
    parts.retain(|p| !p.text.is_empty());
}

struct Reader {
    seen: BTreeSet<PathBuf>,
    out: Instructions,
}

impl Reader {
    /// A file and, behind it, what it imports. `root` is the project; none for the person's own files.
    fn file(&mut self, path: &Path, root: Option<&Path>, home: &Path, depth: usize) {
        let Ok(real) = path.canonicalize() else { return };
        if self.seen.len() >= MAX_FILES || !self.seen.insert(real) {
            return;
        }
        if root.is_some_and(|root| leads_out(path, root)) {
            return self.out.warnings.push(warn(path, "leads out of the project, so it is ignored"));
        }
        let text = match read_regular(path, MAX_FILE) {
            Ok(text) => text,
            Err(e) => return self.out.warnings.push(warn(path, format!("cannot be read, so it is ignored: {e}"))),
        };
        let imports = imports(&text);
        if !text.trim().is_empty() {
            self.out.parts.push(Part { path: path.to_path_buf(), text: escape_own_tags(text.trim()) });
        }
        if depth >= MAX_DEPTH {
            return;
        }
        let base = path.parent().unwrap_or_else(|| Path::new("."));
        for import in imports {
            let target = match import.strip_prefix("~/") {
                Some(rest) => home.join(rest),
                None => base.join(&import),
            };
            // `@name` in prose is often no file at all; only what exists is an import.
            if target.is_file() {
                self.file(&target, root, home, depth + 1);
            }
        }
    }
}

/// `@path` words outside code.
fn imports(text: &str) -> Vec<String> {
    let (mut found, mut fenced) = (Vec::new(), false);
    for line in text.lines() {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            fenced = !fenced;
            continue;
        }
        if fenced {
            continue;
        }
        // Every second piece between backticks is code.
        for prose in line.split('`').step_by(2) {
            let words = prose.split_whitespace().filter_map(|w| w.trim_start_matches(['(', '"', '\'']).strip_prefix('@'));
            found.extend(
                words.map(|w| w.trim_end_matches([',', ';', ':', ')', '"', '\'', '!', '?']).trim_end_matches('.').to_owned()).filter(|w| !w.is_empty()),
            );
        }
    }
    found
}

/// The project's memory file.
#[must_use]
pub fn project_memory(project: &Path) -> PathBuf {
    project.join(".tui-agent/MEMORY.md")
}

/// The person's memory file, beside the configuration.
#[must_use]
pub fn user_memory(paths: &Paths) -> PathBuf {
    paths.config.join("MEMORY.md")
}

/// Both memory files for the system text, the person's first; of a long one the newest lines.
#[must_use]
pub fn load_memory(paths: &Paths, project: &Path) -> Instructions {
    let mut out = Instructions::default();
    for (path, root) in [(user_memory(paths), None), (project_memory(project), Some(project))] {
        if !path.exists() {
            continue;
        }
        if root.is_some_and(|root| leads_out(&path, root)) {
            out.warnings.push(warn(&path, "leads out of the project, so it is ignored"));
            continue;
        }
        match read_regular(&path, MAX_FILE) {
            Ok(text) if text.trim().is_empty() => {}
            Ok(text) => {
                let kept = tail(text.trim(), MAX_MEMORY / 2);
                let kept = if kept.len() < text.trim().len() { kept.split_once('\n').map_or(kept, |(_, rest)| rest) } else { kept };
                out.parts.push(Part { path, text: escape_own_tags(kept) });
            }
            Err(e) => out.warnings.push(warn(&path, format!("cannot be read, so it is ignored: {e}"))),
        }
    }
    out
}

/// Append a line to a memory file, which is made when it is missing. Line breaks become spaces.
///
/// # Errors
/// As the system says; the text is blank; the file is no regular file.
pub fn remember(file: &Path, text: &str) -> io::Result<()> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "nothing to remember"));
    }
    let before = match read_regular(file, MAX_FILE) {
        Ok(text) => text,
        Err(e) if e.kind() == io::ErrorKind::NotFound => String::new(),
        Err(e) => return Err(e),
    };
    if let Some(dir) = file.parent() {
        create_private_dir(dir)?;
    }
    let start = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)?.write_all(format!("{start}- {line}\n").as_bytes())
}

#[cfg(test)]
#[path = "instructions_tests.rs"]
mod tests;
