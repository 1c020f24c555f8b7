//! The project's files for `@` completion: walked in a thread of its own, bounded, respecting `.gitignore`.

use std::path::Path;

/// Files listed at most.
const MAX: usize = 20_000;

/// Relative paths of the files under a folder, sorted. Slow on large trees: never call it on the drawing thread.
#[must_use]
pub fn walk(root: &Path) -> Vec<String> {
    let mut builder = ignore::WalkBuilder::new(root);
    builder.require_git(false).hidden(false).filter_entry(|e| e.file_name() != ".git").max_depth(Some(24));
    let entries = builder.build().flatten().filter(|e| e.file_type().is_some_and(|t| t.is_file()));
    let mut files: Vec<String> = entries.filter_map(|e| e.path().strip_prefix(root).ok().map(|p| p.to_string_lossy().into_owned())).take(MAX).collect();
    // Names with control characters cannot be typed back; they are left out rather than drawn wrongly.
    files.retain(|f| !f.chars().any(char::is_control));
    files.sort_unstable();
    files
}
