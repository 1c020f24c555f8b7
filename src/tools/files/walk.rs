//! Walking a folder for the search tools: what `.gitignore` and its kin leave out stays out (also where there is no
//! repository), hidden files are in, `.git` and our own temporary files are not. Links are not followed.

use super::atomic::is_temp;
use ignore::WalkBuilder;
use std::ffi::OsStr;
use std::path::Path;

/// Whether the ignore files count.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Ignored {
    /// What they name stays out.
    Out,
    /// They are not read.
    In,
}

/// A walk from `root` (which is never left out itself).
#[must_use]
pub fn walk(root: &Path, ignored: Ignored) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    let respect = ignored == Ignored::Out;
    builder.hidden(false).require_git(false).follow_links(false);
    builder.parents(respect).ignore(respect).git_ignore(respect).git_global(respect).git_exclude(respect);
    builder.filter_entry(|entry| entry.depth() == 0 || !left_out(entry.path(), entry.file_name()));
    builder
}

/// What no search wants: the repository's own files, ours, and the system's files that are no files.
fn left_out(path: &Path, name: &OsStr) -> bool {
    name == ".git" || is_temp(name) || ["/proc", "/sys", "/dev"].iter().any(|p| path == Path::new(p))
}
