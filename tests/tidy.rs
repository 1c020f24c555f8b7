//! The shape of the source, checked: who may import whom, which library is used where, sizes, headers, assets.
//! The standard library, and parsers for the assets; what is allowed stands in the tables below.

#![allow(clippy::unwrap_used)] // Helpers of tests; the lint's own exception covers the test functions alone.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// For each module at the top: the modules of this crate that it may use beside itself. `*` is everything.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("util", &[]),
    ("protocol", &[]),
    ("action", &["protocol"]),
    ("config", &["action", "protocol", "util"]),
    ("permissions", &["protocol", "config", "util"]),
    ("session", &["protocol", "config", "util"]),
    ("extend", &["protocol", "config", "util"]),
    ("providers", &["protocol", "config", "util", "permissions", "session", "extend"]),
    ("tools", &["protocol", "config", "util", "permissions", "session", "extend"]),
    ("mcp", &["protocol", "config", "util", "permissions", "session", "extend", "tools"]),
    ("engine", &["action", "protocol", "config", "util", "permissions", "session", "extend", "providers", "tools", "mcp"]),
    ("commands", &["action", "protocol", "config", "util"]),
    ("ui", &["action", "commands", "protocol", "config", "util"]),
    ("cli", &["protocol"]),
    ("app", &["*"]),
    ("doctor", &["*"]),
    ("screen", &["*"]),
    ("screen", &["*"]),
    ("doctor", &["*"]),
    ("headless", &["*"]),
    ("main", &["*"]),
    ("lib", &["*"]),
];

/// A text that may stand only in files whose path (from `src/`) begins with one of these.
const ONLY_IN: &[(&str, &[&str])] = &[
    ("ratatui", &["ui/"]),
    ("crossterm", &["ui/term", "ui/input", "ui/run/"]),
    ("tui_textarea", &["ui/"]),
    ("reqwest", &["providers/", "mcp/", "tools/web_fetch/"]),
    ("rmcp", &["mcp/"]),
    ("tokio::process", STARTERS),
    ("Command::new", STARTERS),
    ("std::process::exit", &["main.rs"]),
    ("env::var", READERS),
    ("env::args", EDGE),
    ("current_dir()", EDGE),
    ("println!", EDGE),
    ("print!", EDGE),
    ("eprintln!", EDGE),
    ("eprint!", EDGE),
    ("clap", &["cli", "app", "main.rs"]),
];

/// Where the program meets its surroundings.
const EDGE: &[&str] = &["main.rs", "app", "headless", "cli"];

/// Where programs are started: commands and hooks, servers, our own git, the editor of the person.
const STARTERS: &[&str] = &["tools/bash/", "tools/git", "extend/hooks", "mcp/", "ui/run/host", "app", "main.rs"];

/// Who may read the environment: the edge, and what adds to the one that a command inherits.
const READERS: &[&str] = &["main.rs", "app", "headless", "cli", "tools/bash/process"];

/// Folders of `tools` and `providers` that hold what several of them have in common.
const SHARED: &[&str] = &["files", "shared", "http", "sse"];

/// What may lie at the top of the repository beside dot files.
const TOP: &[&str] = &["Cargo.toml", "Cargo.lock", "src", "assets", "tests", "README.md", "LICENSE", "NOTICE", "target"];

const MAX_FILE_LINES: usize = 500;
const MAX_FUNCTION_LINES: usize = 80;

/// A source file and its text.
struct Source {
    /// From `src/`, with `/`.
    path: String,
    text: String,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn walk(dir: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            walk(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn files(dir: &str, extension: &str) -> Vec<Source> {
    let base = root().join(dir);
    let mut paths = Vec::new();
    walk(&base, &mut paths);
    let read = |p: PathBuf| Source { path: p.strip_prefix(&base).unwrap().to_string_lossy().replace('\\', "/"), text: fs::read_to_string(&p).unwrap() };
    paths.into_iter().filter(|p| p.extension().is_some_and(|e| e == extension)).map(read).collect()
}

fn sources() -> Vec<Source> {
    let all = files("src", "rs");
    assert!(all.len() > 20, "the source was found");
    all
}

impl Source {
    /// `ui` for `ui/panes/x.rs`, `app` for `app.rs`.
    fn module(&self) -> &str {
        self.path.split('/').next().unwrap_or_default().trim_end_matches(".rs")
    }

    /// Whether the whole file is compiled for tests only.
    fn is_test(&self) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name == "tests.rs" || name.ends_with("_tests.rs") || self.path.contains("/tests/")
    }

    /// The text with comments, strings and test modules blanked; line numbers stay.
    fn code(&self) -> String {
        if self.is_test() {
            return String::new();
        }
        without_tests(&blank(&self.text))
    }
}

/// Comments, string and character literals become spaces.
fn blank(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = literal_end(bytes, at).unwrap_or(at);
        for b in &mut out[at..end] {
            if *b != b'\n' {
                *b = b' ';
            }
        }
        at = end.max(at + 1);
    }
    String::from_utf8(out).unwrap()
}

/// Where a comment or literal that begins here ends.
fn literal_end(b: &[u8], at: usize) -> Option<usize> {
    let rest = &b[at..];
    let find = |from: usize, what: &[u8]| (from..b.len()).find(|i| b[*i..].starts_with(what));
    if rest.starts_with(b"//") {
        return Some(find(at, b"\n").unwrap_or(b.len()));
    }
    if rest.starts_with(b"/*") {
        return Some(find(at, b"*/").map_or(b.len(), |e| e + 2));
    }
    let word_before = at > 0 && (b[at - 1].is_ascii_alphanumeric() || b[at - 1] == b'_');
    if !word_before && (rest.starts_with(b"r\"") || rest.starts_with(b"r#") || rest.starts_with(b"br\"") || rest.starts_with(b"br#")) {
        let open = at + rest.iter().position(|c| *c == b'r')? + 1;
        let hashes = b[open..].iter().take_while(|c| **c == b'#').count();
        if b.get(open + hashes) == Some(&b'"') {
            let mut close = vec![b'"'];
            close.extend(std::iter::repeat_n(b'#', hashes));
            return Some(find(open + hashes + 1, &close).map_or(b.len(), |e| e + close.len()));
        }
        return None;
    }
    if rest[0] == b'"' {
        let mut i = at + 1;
        while i < b.len() && b[i] != b'"' {
            i += if b[i] == b'\\' { 2 } else { 1 };
        }
        return Some((i + 1).min(b.len()));
    }
    if rest[0] == b'\'' {
        // A character, not a lifetime: something closes it soon.
        if rest.get(1) == Some(&b'\\') {
            return find(at + 3, b"'").map(|e| e + 1);
        }
        let width = std::str::from_utf8(&rest[1..rest.len().min(5)]).map_or_else(|e| e.valid_up_to(), str::len).min(4);
        return (1..=width).find(|w| std::str::from_utf8(&rest[1..=*w]).is_ok()).filter(|w| rest.get(w + 1) == Some(&b'\'')).map(|w| at + w + 2);
    }
    None
}

/// Items behind `#[cfg(test)]` become empty lines.
fn without_tests(code: &str) -> String {
    let mut out = String::new();
    let mut rest = code;
    while let Some(at) = rest.find("#[cfg(test)]") {
        out.push_str(&rest[..at]);
        let item = &rest[at..];
        let end = match (item.find('{'), item.find(';')) {
            (Some(brace), semi) if semi.is_none_or(|s| brace < s) => brace + closing(&item[brace..]),
            (_, Some(semi)) => semi + 1,
            (_, None) => item.len(),
        };
        out.extend(item[..end].chars().filter(|c| *c == '\n'));
        rest = &item[end..];
    }
    out + rest
}

/// The length of a block that begins with `{`.
fn closing(block: &str) -> usize {
    let mut depth = 0;
    for (at, c) in block.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    block.len()
}

fn line_at(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

fn report(problems: &[String]) {
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

/// First path segments that follow `crate::`, with groups: `use crate::{a::b, c}` gives `a` and `c`.
fn imported(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let rest = &code[at + "crate::".len()..];
        let word = |s: &str| s.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        if let Some(group) = rest.strip_prefix('{') {
            let (mut depth, mut start) = (0, 0);
            for (i, c) in group.char_indices() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 => {
                        found.push((at, word(&group[start..i])));
                        break;
                    }
                    '}' => depth -= 1,
                    ',' if depth == 0 => {
                        found.push((at, word(&group[start..i])));
                        start = i + 1;
                    }
                    _ => {}
                }
            }
        } else {
            found.push((at, word(rest)));
        }
    }
    found.retain(|(_, w)| !w.is_empty());
    found
}

#[test]
fn imports_go_in_the_allowed_directions() {
    let table: BTreeMap<&str, &[&str]> = MAY_IMPORT.iter().copied().collect();
    let mut problems = Vec::new();
    for s in sources() {
        let Some(allowed) = table.get(s.module()) else {
            problems.push(format!("src/{}: module {:?} is not in the table", s.path, s.module()));
            continue;
        };
        let code = s.code();
        for (at, target) in imported(&code) {
            let known = table.contains_key(target.as_str());
            if known && target != s.module() && !allowed.contains(&"*") && !allowed.contains(&target.as_str()) {
                problems.push(format!("src/{}:{}: {} must not know {target}", s.path, line_at(&code, at), s.module()));
            }
        }
    }
    report(&problems);
}

#[test]
fn no_tool_and_no_provider_knows_another_one() {
    let mut problems = Vec::new();
    for s in sources() {
        let parts: Vec<&str> = s.path.split('/').collect();
        let [group @ ("tools" | "providers"), own, _, ..] = parts[..] else { continue };
        let folders: Vec<String> = fs::read_dir(root().join("src").join(group))
            .unwrap()
            .flatten()
            .filter(|e| e.path().is_dir())
            .map(|e| e.file_name().to_string_lossy().into_owned())
            .collect();
        let code = s.code();
        for other in folders.iter().filter(|f| *f != own && !SHARED.contains(&f.as_str())) {
            for (at, _) in code.match_indices(&format!("crate::{group}::{other}")) {
                problems.push(format!("src/{}:{}: {own} must not know {other}", s.path, line_at(&code, at)));
            }
        }
    }
    report(&problems);
}

#[test]
fn libraries_and_the_surroundings_are_used_only_where_they_belong() {
    let mut problems = Vec::new();
    for s in sources() {
        let code = s.code();
        for (text, places) in ONLY_IN {
            let here = places.iter().any(|p| s.path.starts_with(p));
            for (at, _) in code.match_indices(text).filter(|_| !here) {
                let joined = |c: char| c.is_alphanumeric() || c == '_';
                let (before, after) = (&code[..at], &code[at + text.len()..]);
                let whole_word = !before.ends_with(joined) && (text.ends_with(|c: char| !joined(c)) || !after.starts_with(joined) || text.ends_with("var"));
                if whole_word {
                    problems.push(format!("src/{}:{}: {text} belongs into {}", s.path, line_at(&code, at), places.join(", ")));
                }
            }
        }
    }
    report(&problems);
}

#[test]
fn every_file_says_what_it_is_for_and_stays_small() {
    let mut problems = Vec::new();
    let all = [("src", sources()), ("tests", files("tests", "rs"))];
    for (dir, s) in all.iter().flat_map(|(dir, list)| list.iter().map(move |s| (dir, s))) {
        let lines = s.text.lines().count();
        if !s.text.starts_with("//!") {
            problems.push(format!("{dir}/{}: must open with a //! header", s.path));
        }
        if lines > MAX_FILE_LINES {
            problems.push(format!("{dir}/{}: {lines} lines, {MAX_FILE_LINES} at most", s.path));
        }
    }
    report(&problems);
}

#[test]
fn functions_stay_small() {
    let mut problems = Vec::new();
    for s in sources() {
        let code = blank(&s.text);
        for (at, _) in code.match_indices("fn ") {
            if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                continue;
            }
            let rest = &code[at..];
            let (Some(open), semi) = (rest.find('{'), rest.find(';').unwrap_or(usize::MAX)) else { continue };
            if open > semi || !rest["fn ".len()..].starts_with(|c: char| c.is_alphabetic() || c == '_') {
                continue;
            }
            let lines = rest[..open + closing(&rest[open..])].matches('\n').count() + 1;
            if lines > MAX_FUNCTION_LINES {
                problems.push(format!("src/{}:{}: a function of {lines} lines, {MAX_FUNCTION_LINES} at most", s.path, line_at(&code, at)));
            }
        }
    }
    report(&problems);
}

#[test]
fn assets_can_be_read() {
    let mut problems = Vec::new();
    for s in files("assets", "toml") {
        if let Err(e) = s.text.parse::<toml::Table>() {
            problems.push(format!("assets/{}: {e}", s.path));
        }
    }
    for s in files("assets", "json") {
        if let Err(e) = serde_json::from_str::<serde_json::Value>(&s.text) {
            problems.push(format!("assets/{}: {e}", s.path));
        }
    }
    let texts = files("assets", "md");
    assert!(!texts.is_empty(), "the prompts were found");
    problems.extend(texts.iter().filter(|s| s.text.trim().is_empty()).map(|s| format!("assets/{}: empty", s.path)));
    report(&problems);
}

#[test]
fn the_top_level_holds_what_it_should_and_nothing_else() {
    let names = fs::read_dir(root()).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned());
    let extra: Vec<String> = names.filter(|n| !n.starts_with('.') && !TOP.contains(&n.as_str())).collect();
    report(&extra);
}

#[test]
fn the_checks_see_what_they_look_for() {
    let code = "use crate::{ui::X, util};\n// crate::no\nlet s = \"crate::no\"; let c = '\"'; crate::engine::go();\n#[cfg(test)]\nmod t { use crate::app; }\nr#\"crate::no\"#; fn f<'a>() {}\n";
    let blanked = without_tests(&blank(code));
    let found: Vec<String> = imported(&blanked).into_iter().map(|(_, w)| w).collect();
    assert_eq!(found, ["ui", "util", "engine"], "{blanked}");
    assert_eq!((blanked.matches('\n').count(), blanked.contains("fn f<'a>() {}")), (code.matches('\n').count(), true));
}
