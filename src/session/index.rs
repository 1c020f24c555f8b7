//! The sessions of a project, quickly: a look at the head and the tail of each file, never the middle (case F03).

use super::id::is_session_id;
use super::log::TITLE_FILE;
use crate::util::fs::read_regular;
use crate::util::text::one_line;
use crate::util::time::date;
use serde_json::Value;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Bytes that are read from each end of a file.
const WINDOW: u64 = 32 * 1024;
/// Characters of a title.
const TITLE: usize = 80;

/// One session in a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionEntry {
    /// Its id.
    pub id: String,
    /// Its file.
    pub path: PathBuf,
    /// The person's title, else the first words of the person.
    pub title: String,
    /// Milliseconds since the Unix epoch.
    pub modified: u64,
    /// Bytes.
    pub size: u64,
    /// The last known model; empty when unknown.
    pub model: String,
}

/// All sessions of a project folder (`Paths::project_dir`), newest first. Files that cannot be read are left out.
#[must_use]
pub fn list(project_dir: &Path) -> Vec<SessionEntry> {
    let mut all: Vec<SessionEntry> = files(project_dir).into_iter().filter_map(|(modified, path)| entry(&path, modified)).collect();
    all.sort_by(|a, b| b.modified.cmp(&a.modified).then_with(|| b.id.cmp(&a.id)));
    all
}

/// The session that was written last; only its own file is opened.
#[must_use]
pub fn latest(project_dir: &Path) -> Option<SessionEntry> {
    let mut all = files(project_dir);
    all.sort_by(|a, b| b.cmp(a));
    all.into_iter().find_map(|(modified, path)| entry(&path, modified))
}

/// The session of an id or of the unique beginning of one.
///
/// # Errors
/// In words: there is none, or several begin so.
pub fn find(project_dir: &Path, id: &str) -> Result<SessionEntry, String> {
    let wanted = id.trim().to_ascii_lowercase();
    let fits = |p: &Path| p.file_stem().is_some_and(|s| s.to_string_lossy().starts_with(&wanted));
    let mut found: Vec<_> = files(project_dir).into_iter().filter(|(_, p)| !wanted.is_empty() && fits(p)).filter_map(|(t, p)| entry(&p, t)).collect();
    match found.len() {
        0 => Err(format!("no session {id:?} in this folder; `tui-agent sessions` lists them")),
        1 => found.pop().ok_or_else(String::new),
        n => Err(format!("{n} sessions begin with {id:?}; give more of the id")),
    }
}

/// One line for each: the id's first eight characters, the day, the title.
#[must_use]
pub fn listing(entries: &[SessionEntry]) -> String {
    let line = |e: &SessionEntry| [e.id.get(..8).unwrap_or(&e.id), &date(e.modified), &e.title].join("  ") + "\n";
    entries.iter().map(line).collect()
}

fn files(project_dir: &Path) -> Vec<(u64, PathBuf)> {
    let ours = |p: &Path| p.extension().is_some_and(|e| e == "jsonl") && p.file_stem().and_then(|s| s.to_str()).is_some_and(is_session_id);
    let dated = |e: std::fs::DirEntry| {
        let meta = e.metadata().ok().filter(std::fs::Metadata::is_file)?;
        let since = meta.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        Some((u64::try_from(since.as_millis()).unwrap_or(u64::MAX), e.path()))
    };
    std::fs::read_dir(project_dir).into_iter().flatten().flatten().filter(|e| ours(&e.path())).filter_map(dated).collect()
}

fn entry(path: &Path, modified: u64) -> Option<SessionEntry> {
    let mut file = File::open(path).ok()?;
    let size = file.metadata().ok()?.len();
    let head = window(&mut file, 0)?;
    let (mut model, mut title, mut words) = (String::new(), None, None);
    for line in head.split(|b| *b == b'\n') {
        words = words.or_else(|| first_words(line));
        look(line, &mut model, &mut title);
    }
    if size > WINDOW {
        let tail = window(&mut file, size.saturating_sub(WINDOW))?;
        tail.split(|b| *b == b'\n').skip(1).for_each(|line| look(line, &mut model, &mut title));
    }
    let named = read_regular(&path.with_extension("").join(TITLE_FILE), 4096).ok().filter(|t| !t.trim().is_empty());
    let title = one_line(&named.or(title).or(words).unwrap_or_else(|| "(no message)".into()), TITLE);
    Some(SessionEntry { id: path.file_stem()?.to_string_lossy().into_owned(), path: path.to_path_buf(), title, modified, size, model })
}

fn window(file: &mut File, from: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(from)).ok()?;
    file.take(WINDOW).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Model and title from a whole line that is short; long lines hold neither.
fn look(line: &[u8], model: &mut String, title: &mut Option<String>) {
    let kinds: [&[u8]; 3] = [br#"{"type":"session""#, br#"{"type":"model""#, br#"{"type":"title""#];
    if !kinds.iter().any(|k| line.starts_with(k)) {
        return;
    }
    let Ok(value) = serde_json::from_slice::<Value>(line) else { return };
    if let Some(m) = value.get("model").and_then(Value::as_str) {
        m.clone_into(model);
    }
    if let Some(t) = value.get("title").and_then(Value::as_str) {
        *title = Some(t.to_owned());
    }
}

/// The text of a person's message, also when the line is longer than the window.
fn first_words(line: &[u8]) -> Option<String> {
    let line = String::from_utf8_lossy(line);
    let rest = line.strip_prefix(r#"{"type":"message","message":{"role":"user","#)?;
    let at = rest.find(r#""text":""#)?;
    let (mut out, mut escaped) = (String::new(), false);
    for c in rest.get(at + 8..)?.chars().take(2000) {
        match (escaped, c) {
            (false, '"') => break,
            (false, '\\') => {}
            (true, 'n' | 'r') => out.push('\n'),
            (true, 't') => out.push(' '),
            (_, c) => out.push(c),
        }
        escaped = !escaped && c == '\\';
    }
    Some(out).filter(|t| !t.trim().is_empty())
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
