//! Finding the Markdown files that people put into folders: sorted, bounded, and never waiting on a pipe.

use super::frontmatter::Document;
use crate::config::Warning;
use crate::util::fs::read_regular;
use std::path::{Path, PathBuf};

/// A larger file is not read.
pub(super) const MAX_FILE: u64 = 512 * 1024;
/// Folders below a starting folder.
const MAX_DEPTH: usize = 6;
/// Entries that one search looks at.
const MAX_ENTRIES: usize = 20_000;

/// Files under a folder that `wanted` takes, sorted by path. Hidden folders and `node_modules` are not entered.
pub(super) fn find(dir: &Path, wanted: &dyn Fn(&str) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = MAX_ENTRIES;
    walk(dir, wanted, MAX_DEPTH, &mut left, &mut found);
    found.sort();
    found
}

fn walk(dir: &Path, wanted: &dyn Fn(&str) -> bool, depth: usize, left: &mut usize, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(dir).into_iter().flatten().flatten().take(*left).collect();
    *left = left.saturating_sub(entries.len());
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = entry.path();
        // Links are followed for files and folders alike; the depth bounds circles.
        let Ok(meta) = std::fs::metadata(&path) else { continue };
        if meta.is_dir() {
            if depth > 0 && *left > 0 && !name.starts_with('.') && name != "node_modules" {
                walk(&path, wanted, depth - 1, left, found);
            }
        } else if wanted(&name) {
            found.push(path);
        }
    }
}

/// Whether a file's name ends in `.md`.
pub(super) fn is_markdown(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case("md"))
}

/// Read one file; what is wrong becomes a warning.
pub(super) fn read(path: &Path, warnings: &mut Vec<Warning>) -> Option<Document> {
    match read_regular(path, MAX_FILE) {
        Ok(text) => Some(Document::parse(&text)),
        Err(e) => {
            warnings.push(warn(path, format!("cannot be read, so it is ignored: {e}")));
            None
        }
    }
}

/// As [`read`], for files that nobody had to trust: one that a link leads out of `root` is refused, so that a cloned
/// folder cannot put the person's own files into a conversation.
pub(super) fn read_inside(path: &Path, root: &Path, warnings: &mut Vec<Warning>) -> Option<Document> {
    if leads_out(path, root) {
        warnings.push(warn(path, "leads out of the project, so it is ignored"));
        return None;
    }
    read(path, warnings)
}

/// Whether the real place of a file is outside the real place of a folder.
pub(super) fn leads_out(path: &Path, root: &Path) -> bool {
    match (path.canonicalize(), root.canonicalize()) {
        (Ok(path), Ok(root)) => !path.starts_with(root),
        (Err(_), _) | (_, Err(_)) => false, // Reading it will fail with the real reason.
    }
}

pub(super) fn warn(path: &Path, message: impl Into<String>) -> Warning {
    Warning { file: path.to_path_buf(), line: 0, message: message.into() }
}

/// A name that can stand in a tag, a list and a command: control characters, quotes and angle brackets become `-`.
pub(super) fn clean_name(name: &str) -> String {
    let bad = |c: char| c.is_control() || c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '&' | '/' | '\\' | '`');
    let name: String = name.trim().chars().take(64).map(|c| if bad(c) { '-' } else { c }).collect();
    name.trim_matches('-').to_owned()
}
