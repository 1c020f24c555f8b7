//! Files → [`Config`]: the user's file, then the project's (only of a trusted folder). Flags come later, at the edge.
//!
//! Must not: fail. What is wrong is a [`Warning`] with file, line and the nearest known key, and the rest still counts.

use super::schema::{Config, Warning};
use super::table::{At, KEYS, Key};
use crate::protocol::{Budget, Mode};
use crate::util::fs::read_regular;
use crate::util::near::distance;
use std::io::ErrorKind;
use std::path::Path;
use toml::de::{DeTable, DeValue};

/// A larger configuration file is not read.
const MAX_FILE: u64 = 1024 * 1024;
/// More warnings of one file than anybody reads are left out.
const MAX_WARNINGS: usize = 50;

/// Which files to read.
#[derive(Copy, Clone, Debug)]
pub struct Files<'a> {
    /// The user's `config.toml`, or the file of `--config`.
    pub user: &'a Path,
    /// A missing user's file is worth a warning: it was named with `--config`.
    pub user_must_exist: bool,
    /// The project's `.tui-agent/config.toml`.
    pub project: &'a Path,
    /// Whether the person trusts the project (SPEC R7); else its file is not even opened.
    pub trusted: bool,
    /// The person's home, for `~/` in paths.
    pub home: &'a Path,
}

/// The configuration of the files over the defaults.
#[must_use]
pub fn load(files: Files<'_>) -> Config {
    let mut config = Config::default();
    apply(&mut config, files.user, files.home, Layer::User, files.user_must_exist);
    if files.trusted {
        let user = config.clone();
        apply(&mut config, files.project, files.home, Layer::Project, false);
        tighten(&user, &mut config, files.project);
    }
    config
}

/// Whose file it is.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Layer {
    User,
    Project,
}

/// One file that is being read.
struct Reader<'a> {
    config: &'a mut Config,
    file: &'a Path,
    home: &'a Path,
    text: &'a str,
    layer: Layer,
    warned: usize,
}

fn apply(config: &mut Config, file: &Path, home: &Path, layer: Layer, must_exist: bool) {
    let text = match read_regular(file, MAX_FILE) {
        Ok(text) => text,
        Err(e) if !must_exist && matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return,
        Err(e) => return config.warnings.push(Warning { file: file.to_path_buf(), line: 0, message: format!("cannot be read, so it is ignored: {e}") }),
    };
    match DeTable::parse(&text) {
        Ok(table) => Reader { config, file, home, text: &text, layer, warned: 0 }.table(&[], table.get_ref()),
        Err(e) => {
            let line = e.span().map_or(0, |s| line_of(&text, s.start));
            let message = format!("not valid TOML, so the whole file is ignored: {}", e.message().lines().next().unwrap_or_default());
            config.warnings.push(Warning { file: file.to_path_buf(), line, message });
        }
    }
}

impl Reader<'_> {
    fn table(&mut self, path: &[&str], table: &DeTable<'_>) {
        for (key, value) in table {
            let here: Vec<&str> = path.iter().copied().chain([key.get_ref().as_ref()]).collect();
            let (at, shown) = (key.span().start, here.join("."));
            if let Some((known, name)) = find(&here) {
                self.set(known, name, &shown, at, value.get_ref());
            } else if KEYS.iter().any(|k| leads_to(&here, k.path)) {
                match value.get_ref().as_table() {
                    Some(inner) => self.table(&here, inner),
                    None => self.warn(at, format!("`{shown}` must be a table: [{shown}]")),
                }
            } else {
                let near = nearest(path, key.get_ref()).map_or_else(String::new, |n| format!("; did you mean `{n}`?"));
                self.warn(at, format!("unknown key `{shown}`{near}"));
            }
        }
    }

    fn set(&mut self, known: &Key, name: &str, here: &str, at: usize, value: &DeValue<'_>) {
        if self.layer == Layer::Project && known.path == "subagents.extra_dirs" {
            return self.warn(at, format!("`{here}` counts only in the user's file"));
        }
        let base = self.file.parent().unwrap_or_else(|| Path::new("."));
        let done = (known.set)(self.config, &At { name, base, home: self.home }, value);
        if let Err(expected) = done {
            self.warn(at, format!("`{here}`: {expected}; the value is ignored"));
        }
    }

    fn warn(&mut self, at: usize, message: String) {
        self.warned += 1;
        if self.warned <= MAX_WARNINGS {
            self.config.warnings.push(Warning { file: self.file.to_path_buf(), line: line_of(self.text, at), message });
        }
    }
}

/// A project may lower limits and the mode, never raise them beyond the user's.
fn tighten(user: &Config, config: &mut Config, file: &Path) {
    if freedom(config.mode) > freedom(user.mode) {
        let message = format!("`permission_mode = \"{}\"` allows more than the user's own mode ({}); it is ignored", config.mode.name(), user.mode.name());
        config.warnings.push(Warning { file: file.to_path_buf(), line: 0, message });
        config.mode = user.mode;
    }
    let low = |a: Option<f64>, b: Option<f64>| a.map_or(b, |a| Some(b.map_or(a, |b| a.min(b))));
    config.budget = Budget {
        tokens: user.budget.tokens.map_or(config.budget.tokens, |a| Some(config.budget.tokens.map_or(a, |b| a.min(b)))),
        cost_usd: low(user.budget.cost_usd, config.budget.cost_usd),
        seconds: low(user.budget.seconds, config.budget.seconds),
    };
}

fn freedom(mode: Mode) -> u8 {
    match mode {
        Mode::Plan => 0,
        Mode::Default => 1,
        Mode::AcceptEdits => 2,
        Mode::Bypass => 3,
    }
}

/// The key of a path, and what stands for its `*`. Chosen names may hold dots (`models."gpt-4.1".window`).
fn find<'h>(here: &[&'h str]) -> Option<(&'static Key, &'h str)> {
    KEYS.iter().find_map(|k| {
        let name = k.path.split('.').zip(here).find(|(word, _)| *word == "*").map_or("", |(_, h)| *h);
        (k.path.split('.').count() == here.len() && begins(here, k.path)).then_some((k, name))
    })
}

/// Whether a path is a table on the way to a key.
fn leads_to(here: &[&str], key: &str) -> bool {
    here.len() < key.split('.').count() && begins(here, key)
}

fn begins(here: &[&str], key: &str) -> bool {
    key.split('.').zip(here).all(|(word, h)| word == "*" || word == *h)
}

/// The known key that a wrong one was most likely meant to be: of the same table, else the same word in another one.
fn nearest(table: &[&str], word: &str) -> Option<String> {
    let far = (word.chars().count() / 3).max(2);
    let mut best: Option<(usize, String)> = None;
    for k in KEYS {
        let parts: Vec<&str> = k.path.split('.').collect();
        let here = begins(table, k.path).then(|| parts.get(table.len())).flatten().map(|w| (*w, 0, [table, &[*w]].concat().join(".")));
        let there = parts.last().map(|w| (*w, 1, k.path.replace('*', "NAME")));
        for (candidate, more, shown) in here.into_iter().chain(there) {
            let d = distance(candidate, word);
            if candidate != "*" && d <= far && best.as_ref().is_none_or(|(b, _)| d + more < *b) {
                best = Some((d + more, shown));
            }
        }
    }
    best.map(|(_, name)| name)
}

fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes().iter().take(at).filter(|b| **b == b'\n').count() + 1
}

#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;
