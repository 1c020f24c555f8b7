//! Whether a project's files may start or decide anything (SPEC R7, case G06). The answer is kept outside the project
//! and bound to the folder and to the content of every file that counts.
//!
//! Must not: start, ask, or believe anything that stands in the project. Skills, commands and instructions are plain
//! text and need no trust.

use super::files::{find, is_markdown};
use super::frontmatter::Document;
use crate::config::Paths;
use crate::util::clean::escape_hidden;
use crate::util::fs::{read_regular, write_private};
use crate::util::sha256::Sha256;
use crate::util::time::now_ms;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A larger file is described as such; its loader refuses it too.
const MAX_FILE: u64 = 1024 * 1024;
/// Characters of a description.
const MAX_LINE: usize = 400;
/// Single files that count, from the project folder.
const FILES: [&str; 5] = [".mcp.json", ".tui-agent/config.toml", ".tui-agent/hooks.json", ".agents/hooks.json", CLAUDE_SETTINGS];
/// Another agent's settings, of which only the hooks are used.
const CLAUDE_SETTINGS: &str = ".claude/settings.json";
/// Folders whose Markdown files count.
const FOLDERS: [&str; 2] = [".tui-agent/agents", ".claude/agents"];

/// Something that needs trust.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrustItem {
    /// From the project folder.
    pub path: PathBuf,
    /// What it would do, in one line; control and direction-changing characters are shown escaped.
    pub line: String,
}

impl std::fmt::Display for TrustItem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", visible(&self.path.to_string_lossy()), self.line)
    }
}

/// What is known about a project.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Status {
    /// It has no file that needs trust.
    Nothing,
    /// The person trusts it as it is.
    Trusted,
    /// The person said no to it as it is.
    Declined(Vec<TrustItem>),
    /// Nobody was asked, or a file changed since.
    Unknown(Vec<TrustItem>),
}

impl Status {
    /// Whether the project's files count.
    #[must_use]
    pub fn is_trusted(&self) -> bool {
        match self {
            Self::Trusted => true,
            Self::Nothing | Self::Declined(_) | Self::Unknown(_) => false,
        }
    }
}

/// What is kept in `state/trust.json`.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Store {
    #[serde(default)]
    projects: BTreeMap<String, Kept>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    fingerprint: String,
    trusted: bool,
    at: u64,
}

/// What is known about a project folder. Reads only; nothing of the project is run or obeyed.
#[must_use]
pub fn status(paths: &Paths, project: &Path) -> Status {
    let files = files(project);
    if files.is_empty() {
        return Status::Nothing;
    }
    let kept = load(paths).ok().and_then(|mut s| s.projects.remove(&key(project)));
    match kept.filter(|k| k.fingerprint == fingerprint(project, &files)) {
        Some(k) if k.trusted => Status::Trusted,
        Some(_) => Status::Declined(items(project, &files)),
        None => Status::Unknown(items(project, &files)),
    }
}

/// Keep the person's answer for the project as it is now.
///
/// # Errors
/// As the system says; a damaged `trust.json` is an error, not a reason to forget all answers.
pub fn remember(paths: &Paths, project: &Path, trusted: bool) -> io::Result<()> {
    let mut store = load(paths)?;
    store.projects.insert(key(project), Kept { fingerprint: fingerprint(project, &files(project)), trusted, at: now_ms() });
    write_private(&file(paths), &serde_json::to_vec_pretty(&store)?)
}

fn file(paths: &Paths) -> PathBuf {
    paths.state.join("trust.json")
}

fn load(paths: &Paths) -> io::Result<Store> {
    match read_regular(&file(paths), 64 * MAX_FILE) {
        Ok(text) => Ok(serde_json::from_str(&text)?),
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(Store::default()),
        Err(e) => Err(e),
    }
}

/// The folder's real path; two names of one folder are one.
fn key(project: &Path) -> String {
    let real = project.canonicalize().unwrap_or_else(|_| project.to_path_buf());
    // Bytes that are not UTF-8 must not make two folders equal.
    real.to_str().map_or_else(|| format!("{}#{}", real.display(), crate::util::sha256::hex(real.as_os_str().as_encoded_bytes())), str::to_owned)
}

/// The files that count, from the project folder, sorted. Also links and pipes: what is there is told.
fn files(project: &Path) -> Vec<PathBuf> {
    let single = FILES.iter().map(PathBuf::from).filter(|f| project.join(f).symlink_metadata().is_ok() && !is_idle(project, f));
    let in_folders = FOLDERS.iter().flat_map(|d| find(&project.join(d), &is_markdown)).filter_map(|f| f.strip_prefix(project).ok().map(Path::to_path_buf));
    let mut all: Vec<PathBuf> = single.chain(in_folders).collect();
    all.sort();
    all
}

/// Whether a file is another agent's settings without hooks: nothing of it is used, so nobody need be asked.
fn is_idle(project: &Path, file: &Path) -> bool {
    let json = || serde_json::from_str::<Value>(&read_regular(&project.join(file), MAX_FILE).ok()?).ok();
    file == Path::new(CLAUDE_SETTINGS) && json().is_some_and(|j| j.get("hooks").is_none())
}

/// A hash of the names and whole contents.
fn fingerprint(project: &Path, files: &[PathBuf]) -> String {
    let mut hash = Sha256::default();
    for path in files {
        let mut one = Sha256::default();
        let read = feed(&project.join(path), &mut one).is_ok();
        one.update(if read { b"whole" } else { b"unreadable" });
        // Names cannot run into contents: each part has a fixed form or its length before it.
        let name = path.as_os_str().as_encoded_bytes();
        hash.update(&(name.len() as u64).to_be_bytes());
        hash.update(name);
        hash.update(one.hex().as_bytes());
    }
    hash.hex()
}

fn feed(path: &Path, hash: &mut Sha256) -> io::Result<()> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    let mut file = std::fs::File::open(path)?;
    let mut buffer = [0u8; 16 * 1024];
    loop {
        let n = file.read(&mut buffer)?;
        if n == 0 {
            return Ok(());
        }
        hash.update(buffer.get(..n).unwrap_or_default());
    }
}

fn items(project: &Path, files: &[PathBuf]) -> Vec<TrustItem> {
    let mut all = Vec::new();
    for path in files {
        let lines = match read_regular(&project.join(path), MAX_FILE) {
            Ok(text) => describe(path, &text),
            Err(e) => vec![format!("cannot be read: {e}")],
        };
        all.extend(lines.into_iter().map(|line| TrustItem { path: path.clone(), line: visible(&line) }));
    }
    all
}

/// What a file would do, a line for each thing.
fn describe(path: &Path, text: &str) -> Vec<String> {
    let name = path.to_string_lossy();
    if name.ends_with(".md") {
        let d = Document::parse(text);
        let tools = d.text(&["tools"]).unwrap_or_else(|| "all tools".into());
        return vec![format!("agent type {} with {tools}", d.text(&["name"]).unwrap_or_else(|| "without a name".into()))];
    }
    if name.ends_with(".toml") {
        return vec![settings(text)];
    }
    let Ok(json) = serde_json::from_str::<Value>(text) else { return vec!["not valid JSON".into()] };
    let mut lines = if name == ".mcp.json" { servers(&json) } else { hooks(&json) };
    if lines.is_empty() {
        lines.push(if name == ".mcp.json" { "no servers".into() } else { "no hooks".into() });
    }
    lines
}

fn servers(json: &Value) -> Vec<String> {
    let servers = json.get("mcpServers").or_else(|| json.get("servers")).and_then(Value::as_object);
    let line = |(name, s): (&String, &Value)| {
        let text = |key: &str| s.get(key).and_then(Value::as_str);
        let what = match (text("command"), text("url")) {
            (Some(command), _) => {
                let args = s.get("args").and_then(Value::as_array).into_iter().flatten().map(|a| quoted(a.as_str().unwrap_or("?")));
                format!("runs {}", std::iter::once(quoted(command)).chain(args).collect::<Vec<_>>().join(" "))
            }
            (None, Some(url)) => format!("connects to {url}"),
            (None, None) => "has neither command nor url".into(),
        };
        let env: Vec<&str> = s.get("env").and_then(Value::as_object).into_iter().flatten().map(|(k, _)| k.as_str()).collect();
        let env = if env.is_empty() { String::new() } else { format!(" (sets {})", env.join(", ")) };
        format!("server {name} {what}{env}")
    };
    servers.into_iter().flatten().map(line).collect()
}

fn hooks(json: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    for (event, groups) in json.get("hooks").and_then(Value::as_object).into_iter().flatten() {
        for group in groups.as_array().into_iter().flatten() {
            let on = group.get("matcher").and_then(Value::as_str).filter(|m| !m.is_empty()).map_or_else(String::new, |m| format!("({m})"));
            for hook in group.get("hooks").and_then(Value::as_array).into_iter().flatten() {
                let command = hook.get("command").and_then(Value::as_str).unwrap_or("something unknown");
                lines.push(format!("hook {event}{on} runs {command}"));
            }
        }
    }
    lines
}

fn settings(text: &str) -> String {
    let Ok(table) = text.parse::<toml::Table>() else { return "settings, not valid TOML".into() };
    let mut line = String::from("settings:");
    for (key, value) in &table {
        let shown = value.to_string();
        let _ = write!(line, " {key} = {};", shown.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    line.trim_end_matches(';').to_owned()
}

fn quoted(word: &str) -> String {
    let plain = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:=@,+%".contains(c));
    if plain { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// One bounded line in which nothing can hide. The middle of a long line is left out, never its end.
fn visible(text: &str) -> String {
    let clean: Vec<char> = escape_hidden(text).replace('\n', "\\n").replace('\t', "\\t").chars().collect();
    let n = clean.len();
    if n <= MAX_LINE {
        return clean.into_iter().collect();
    }
    let half = MAX_LINE / 2;
    let (start, end) = (clean.iter().take(half).collect::<String>(), clean.iter().skip(n - half).collect::<String>());
    format!("{start} …({} characters more)… {end}", n - 2 * half)
}

#[cfg(test)]
#[path = "trust_tests.rs"]
mod tests;
