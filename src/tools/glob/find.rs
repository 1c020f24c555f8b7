//! The search itself: a pattern split into a folder without wildcards and the rest, and a parallel walk from there.

use crate::tools::ToolContext;
use crate::tools::files::missing;
use crate::tools::files::walk::{Ignored, walk};
use globset::{GlobBuilder, GlobMatcher};
use ignore::{DirEntry, WalkState};
use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;
use tokio_util::sync::CancellationToken;

/// Files that are collected, at most.
const MAX_COLLECTED: usize = 200_000;
/// Entries that are looked at in folders that are otherwise ignored, at most.
const MAX_IGNORED_ENTRIES: usize = 300_000;

/// What to look for.
#[derive(Debug)]
pub struct Query {
    /// The folder to walk, resolved.
    pub base: PathBuf,
    /// The folder as it was given, for messages.
    given: String,
    matcher: GlobMatcher,
    /// The pattern fits names at any depth.
    by_name: bool,
    /// A folder was named, by `path` or in the pattern.
    pub explicit: bool,
    /// The pattern as it was given.
    pub shown: String,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Found {
    /// With the time of the last change, newest first.
    pub files: Vec<(SystemTime, PathBuf)>,
    /// How many there are.
    pub total: usize,
    /// The search was cut short: there may be more.
    pub cut: bool,
}

impl Query {
    /// Split and compile a pattern.
    ///
    /// # Errors
    /// Why the pattern is none, in words for the model.
    pub fn new(ctx: &ToolContext, pattern: &str, path: Option<&str>) -> Result<Self, String> {
        let plain = pattern.trim_start_matches("./");
        let (folder, rest) = split(plain);
        let given = match path {
            // An absolute pattern says where by itself.
            Some(path) if !plain.starts_with(['/', '~']) => Path::new(path).join(folder).to_string_lossy().into_owned(),
            Some(_) | None => folder.to_owned(),
        };
        let base = ctx.resolve(&given);
        let by_name = !plain.contains('/');
        let mut rest = if rest.is_empty() { "**" } else { rest }.to_owned();
        if !has_wildcard(&rest) && !by_name && base.join(&rest).is_dir() {
            rest.push_str("/**");
        }
        let glob = GlobBuilder::new(&rest).literal_separator(true).backslash_escape(true).build();
        let matcher = glob.map_err(|e| format!("pattern: {}", e.kind()))?.compile_matcher();
        let explicit = path.is_some() || !folder.is_empty();
        Ok(Self { base, given, matcher, by_name, explicit, shown: pattern.to_owned() })
    }

    /// Whether there is a folder to walk.
    ///
    /// # Errors
    /// In words for the model.
    pub fn check_base(&self) -> Result<(), String> {
        match std::fs::metadata(&self.base) {
            Ok(meta) if meta.is_dir() => Ok(()),
            Ok(_) => Err(format!("{} is a file, not a folder.", self.given)),
            Err(e) if matches!(e.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => Err(missing::explain(&self.base, &self.given)),
            Err(e) => Err(format!("{} cannot be read: {e}", self.given)),
        }
    }

    /// Whether an entry is a file (or a link to one) that fits.
    fn fits(&self, entry: &DirEntry) -> bool {
        let Some(kind) = entry.file_type() else { return false };
        if kind.is_dir() {
            return false;
        }
        let path = entry.path();
        let fits = if self.by_name { self.matcher.is_match(entry.file_name()) } else { self.matcher.is_match(path.strip_prefix(&self.base).unwrap_or(path)) };
        fits && (kind.is_file() || std::fs::metadata(path).is_ok_and(|m| m.is_file()))
    }
}

/// The folders without wildcards at the start of a pattern, and the rest (at least the last part).
fn split(pattern: &str) -> (&str, &str) {
    let mut cut = 0;
    for (at, _) in pattern.match_indices('/') {
        if has_wildcard(&pattern[..at]) {
            break;
        }
        cut = at + 1;
    }
    let (folder, rest) = pattern.split_at(cut);
    // A lone slash is the root and stays.
    (if folder.len() > 1 { folder.trim_end_matches('/') } else { folder }, rest)
}

fn has_wildcard(text: &str) -> bool {
    text.contains(['*', '?', '[', '{', '\\'])
}

/// Walk with two threads. Ends soon after `cancel` fires.
pub fn find(query: &Query, ignored: Ignored, cancel: &CancellationToken) -> Found {
    let (collected, total, seen) = (Mutex::new(Vec::new()), AtomicUsize::new(0), AtomicUsize::new(0));
    walk(&query.base, ignored).threads(2).build_parallel().run(|| {
        Box::new(|entry| {
            let looked = seen.fetch_add(1, Ordering::Relaxed);
            if cancel.is_cancelled() || (ignored == Ignored::In && looked > MAX_IGNORED_ENTRIES) {
                return WalkState::Quit;
            }
            // What cannot be read is not there for us.
            let Ok(entry) = entry else { return WalkState::Continue };
            if !query.fits(&entry) {
                return WalkState::Continue;
            }
            let time = entry.metadata().ok().and_then(|m| m.modified().ok()).unwrap_or(SystemTime::UNIX_EPOCH);
            if total.fetch_add(1, Ordering::Relaxed) >= MAX_COLLECTED {
                return WalkState::Quit;
            }
            collected.lock().unwrap_or_else(PoisonError::into_inner).push((time, entry.into_path()));
            WalkState::Continue
        })
    });
    let mut files = collected.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Equal times fall back to the path: the same answer each time.
    files.sort_by(|a, b| (Reverse(a.0), &a.1).cmp(&(Reverse(b.0), &b.1)));
    let cut = seen.into_inner() > MAX_IGNORED_ENTRIES && ignored == Ignored::In || total.into_inner() > MAX_COLLECTED;
    Found { total: files.len(), files, cut }
}
