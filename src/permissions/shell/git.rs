//! Does a repository tell git to run programs? Reading commands are harmless only when it does not (SPEC R4, CASES G03).
//!
//! Reads the repository's own configuration, hooks and submodules as files. The user's and the system's configuration are trusted.
//! Must not: start git, or take what it cannot read for harmless.

use super::gitindex;
use std::path::{Path, PathBuf};

/// Larger configuration files are not judged.
const MAX_CONFIG: u64 = 1024 * 1024;

/// Submodules inside submodules that are looked at.
const MAX_DEPTH: usize = 4;

/// A key with its value, as [`read_config`] gives them: section and name in lower case, `section.subsection.name`.
pub type Entry = (String, String);

/// Whether reading commands of git can run in a folder without running a program of the repository.
///
/// # Errors
/// What may run a program, or could not be read, in a few words.
pub fn check(dir: &Path) -> Result<(), String> {
    check_deep(dir, 0)
}

fn check_deep(dir: &Path, depth: usize) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err("submodules nested deeply".into());
    }
    for at in dir.ancestors() {
        let dot_git = at.join(".git");
        if let Some(git_dir) = git_dir(&dot_git)? {
            check_repository(&git_dir, Some(at), depth)?;
            if is_certain(&git_dir) {
                return Ok(());
            }
        }
        // Git also takes a folder for a repository that only looks like the inside of one.
        if is_repository(at) {
            check_repository(at, None, depth)?;
        }
    }
    Ok(())
}

/// Looks like the inside of a repository.
fn is_repository(dir: &Path) -> bool {
    ["HEAD", "config"].iter().all(|name| std::fs::symlink_metadata(dir.join(name)).is_ok())
}

/// Git is sure to take this for a repository and to look no further up.
fn is_certain(git_dir: &Path) -> bool {
    let head = small_file(&git_dir.join("HEAD")).unwrap_or_default();
    let Ok(common) = common_dir(git_dir) else { return false };
    head.strip_prefix("ref: refs/").is_some_and(|name| name.len() > 1) && common.join("objects").is_dir() && common.join("refs").is_dir()
}

/// Where a linked work tree keeps what it shares with the others; else the folder itself.
fn common_dir(git_dir: &Path) -> Result<PathBuf, String> {
    let file = git_dir.join("commondir");
    if std::fs::symlink_metadata(&file).is_err() {
        return Ok(git_dir.to_path_buf());
    }
    Ok(git_dir.join(small_file(&file)?.trim_end_matches(['\n', '\r'])))
}

/// The folder that a `.git` is or points to.
fn git_dir(dot_git: &Path) -> Result<Option<PathBuf>, String> {
    let Ok(meta) = std::fs::metadata(dot_git) else { return Ok(None) };
    if meta.is_dir() {
        return Ok(Some(dot_git.to_path_buf()));
    }
    let text = small_file(dot_git)?;
    let Some(target) = text.strip_prefix("gitdir:") else { return Err("a .git file that is not understood".into()) };
    let parent = dot_git.parent().unwrap_or(Path::new("/"));
    Ok(Some(parent.join(target.trim_start_matches(' ').trim_end_matches(['\n', '\r']))))
}

fn check_repository(git_dir: &Path, top: Option<&Path>, depth: usize) -> Result<(), String> {
    let common = common_dir(git_dir)?;
    let mut entries = Vec::new();
    for file in [common.join("config"), common.join("config.worktree"), git_dir.join("config.worktree")] {
        if std::fs::symlink_metadata(&file).is_ok() {
            entries.extend(read_config(&small_file(&file)?)?);
        }
    }
    let bad = dangerous_keys(entries.iter().map(|(k, v)| (k.as_str(), v.as_str())));
    if !bad.is_empty() {
        return Err(format!("the repository's configuration may run programs: {}", bad.join(", ")));
    }
    let value = |key: &str| entries.iter().rev().find(|(k, _)| k == key).map(|(_, v)| v.as_str());
    let top = match value("core.worktree") {
        Some(path) => Some(git_dir.join(path)),
        None => top.map(Path::to_path_buf),
    };
    let hooks = match value("core.hookspath") {
        Some(path) if path.starts_with(['~', '%']) => return Err("core.hookspath outside the repository".into()),
        Some(path) => top.as_deref().unwrap_or(git_dir).join(path),
        None => common.join("hooks"),
    };
    // The one hook that reading commands run: git status refreshes the index.
    if std::fs::symlink_metadata(hooks.join("post-index-change")).is_ok() {
        return Err("the repository's hook post-index-change".into());
    }
    let hash_len = if value("extensions.objectformat").is_some_and(|v| v.eq_ignore_ascii_case("sha256")) { 32 } else { 20 };
    let Some(top) = top else { return Ok(()) };
    for module in gitindex::submodules(&git_dir.join("index"), hash_len)? {
        let dir = top.join(module);
        if std::fs::symlink_metadata(dir.join(".git")).is_ok() {
            check_deep(&dir, depth + 1)?;
        }
    }
    Ok(())
}

fn small_file(path: &Path) -> Result<String, String> {
    let unreadable = |_| format!("{} cannot be read", path.display());
    let meta = std::fs::metadata(path).map_err(unreadable)?;
    if !meta.is_file() || meta.len() > MAX_CONFIG {
        return Err(format!("{} is not a small file", path.display()));
    }
    Ok(String::from_utf8_lossy(&std::fs::read(path).map_err(unreadable)?).into_owned())
}

/// The keys under which a repository can name a program, or pull in configuration that is not seen here.
///
/// `core.hookspath` is not among them: hooks are looked at by themselves.
pub fn dangerous_keys<'a>(entries: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    let mut bad: Vec<String> = entries.filter(|(key, value)| is_dangerous(key, value)).map(|(key, _)| key.to_owned()).collect();
    bad.dedup();
    bad
}

#[expect(clippy::match_same_arms, reason = "a table, grouped by meaning")]
fn is_dangerous(key: &str, value: &str) -> bool {
    let Some((section, rest)) = key.split_once('.') else { return true };
    let (sub, name) = rest.rsplit_once('.').map_or((None, rest), |(s, n)| (Some(s), n));
    match (section, name) {
        ("core", "fsmonitor") => !is_bool(value),
        ("core", "pager" | "sshcommand" | "gitproxy" | "askpass" | "editor" | "alternaterefscommand") => true,
        ("pager", _) => !is_bool(value),
        ("diff", "external" | "command" | "textconv") | ("interactive", "difffilter") | ("sequence", "editor") => true,
        ("filter", "clean" | "smudge" | "process") | ("merge", "driver") | ("tar", "command") => true,
        ("gpg", "program" | "defaultkeycommand") | ("log", "showsignature") | ("credential", "helper") => true,
        ("include" | "includeif", _) => true,
        ("remote", "uploadpack" | "receivepack" | "vcs") | ("protocol", _) | ("uploadpack", "packobjectshook") => true,
        ("trailer", "command" | "cmd") | ("difftool" | "mergetool" | "browser" | "man" | "guitool", "cmd" | "path") => true,
        ("submodule", "update") => sub.is_some() && value.starts_with('!'),
        ("alias", _) => value.trim_start().starts_with('!'),
        _ => false,
    }
}

fn is_bool(value: &str) -> bool {
    matches!(value.to_ascii_lowercase().as_str(), "" | "true" | "yes" | "on" | "1" | "false" | "no" | "off" | "0")
}

/// All keys and values of a configuration file, read by git's own grammar.
///
/// # Errors
/// A file that git would not read either.
pub fn read_config(text: &str) -> Result<Vec<Entry>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let mut reader = Reader { rest: &text };
    let mut section = String::new();
    let mut entries = Vec::new();
    while let Some(c) = reader.next() {
        match c {
            c if c.is_ascii_whitespace() => {}
            '#' | ';' => reader.skip_line(),
            '[' => section = reader.section().ok_or("a section of the repository's configuration")?,
            c if c.is_ascii_alphabetic() => {
                let (name, value) = reader.entry(c).ok_or("a line of the repository's configuration")?;
                entries.push((format!("{section}.{name}"), value));
            }
            _ => return Err("a line of the repository's configuration".into()),
        }
    }
    Ok(entries)
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn skip_line(&mut self) {
        while self.next().is_some_and(|c| c != '\n') {}
    }

    /// Behind the `[`: `name]`, `name.sub]` or `name "sub"]`.
    fn section(&mut self) -> Option<String> {
        let mut name = String::new();
        loop {
            match self.next()? {
                ']' => return Some(name),
                c if c.is_ascii_alphanumeric() || matches!(c, '-' | '.') => name.push(c.to_ascii_lowercase()),
                ' ' | '\t' => break,
                _ => return None,
            }
        }
        while self.peek().is_some_and(|c| matches!(c, ' ' | '\t')) {
            self.next();
        }
        if self.next()? != '"' {
            return None;
        }
        name.push('.');
        loop {
            match self.next()? {
                '\n' => return None,
                '"' => break,
                '\\' => name.push(self.next().filter(|c| *c != '\n')?),
                c => name.push(c),
            }
        }
        (self.next()? == ']').then_some(name)
    }

    /// A key that starts with a letter, and its value; `true` without one.
    fn entry(&mut self, first: char) -> Option<(String, String)> {
        let mut name = String::from(first.to_ascii_lowercase());
        while let Some(c) = self.peek().filter(|c| c.is_ascii_alphanumeric() || *c == '-') {
            name.push(c.to_ascii_lowercase());
            self.next();
        }
        while self.peek().is_some_and(|c| matches!(c, ' ' | '\t')) {
            self.next();
        }
        match self.next() {
            None | Some('\n') => Some((name, "true".into())),
            Some('=') => Some((name, self.value()?)),
            Some(_) => None,
        }
    }

    fn value(&mut self) -> Option<String> {
        let mut value = String::new();
        let mut quoted = false;
        loop {
            match self.next() {
                None | Some('\n') => return (!quoted).then(|| value.trim().to_owned()),
                Some('"') => quoted = !quoted,
                Some('#' | ';') if !quoted => {
                    self.skip_line();
                    return Some(value.trim().to_owned());
                }
                Some('\\') => match self.next()? {
                    '\n' => {}
                    't' => value.push('\t'),
                    'n' => value.push('\n'),
                    'b' => value.push('\u{8}'),
                    c @ ('"' | '\\') => value.push(c),
                    _ => return None,
                },
                Some(c) => value.push(c),
            }
        }
    }
}
