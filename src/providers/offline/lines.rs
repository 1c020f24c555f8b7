//! Reading what the search tools answered, and what a line of code is. Tolerant: a line that does not fit is skipped.
//!
//! Must not: rank, or read files.

/// A line that a search found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hit {
    /// As the tool gave it, relative to the project where possible.
    pub path: String,
    /// From 1.
    pub line: usize,
    /// The line, with its indentation.
    pub text: String,
}

/// Characters of a line that are kept.
const LINE: usize = 400;

/// `path:line:text` lines; with `only`, a search in one file, also `line:text`.
#[must_use]
pub fn hits(text: &str, only: Option<&str>, root: &str) -> Vec<Hit> {
    text.lines().filter_map(|line| hit(line, only, root)).collect()
}

fn hit(line: &str, only: Option<&str>, root: &str) -> Option<Hit> {
    if let (Some(path), Some((number, text))) = (only, line.split_once(':'))
        && let Ok(line) = number.trim().parse()
    {
        return Some(Hit { path: relative(path, root).to_owned(), line, text: short(text) });
    }
    let (path, number, text) = place(line)?;
    Some(Hit { path: relative(path, root).to_owned(), line: number, text: short(text) })
}

/// Split `path:line:text` at the first `:number:`.
#[must_use]
pub fn place(line: &str) -> Option<(&str, usize, &str)> {
    for (at, _) in line.match_indices(':') {
        let (path, rest) = (line.get(..at)?, line.get(at + 1..)?);
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let text = rest.get(digits..)?;
        if digits > 0 && digits < 9 && text.starts_with(':') && !path.trim().is_empty() {
            return Some((path, rest.get(..digits)?.parse().ok().filter(|n| *n > 0)?, text.get(1..)?));
        }
    }
    None
}

fn short(text: &str) -> String {
    text.trim_end().chars().take(LINE).map(|c| if c.is_control() && c != '\t' { ' ' } else { c }).collect()
}

/// One path per line; headings, notes and counts (`path:3`) are dealt with.
#[must_use]
pub fn paths(text: &str, root: &str) -> Vec<String> {
    let note = |l: &str| {
        l.is_empty() || l.starts_with(['(', '[']) || l.ends_with([':', '.', '…', ')']) || l.starts_with("No ") || l.starts_with("Found ") || l.contains(": ")
    };
    let strip = |l: &str| match l.rsplit_once(':') {
        Some((path, count)) if !count.is_empty() && count.chars().all(|c| c.is_ascii_digit()) => path.to_owned(),
        Some(_) | None => l.to_owned(),
    };
    text.lines().map(str::trim).filter(|l| !note(l)).map(|l| relative(&strip(l), root).to_owned()).collect()
}

/// Numbered lines of a file: `  12→text`, with an arrow, a tab, a bar or a colon behind the number.
#[must_use]
pub fn numbered(text: &str) -> Vec<(usize, String)> {
    let read = |line: &str| {
        let line = line.trim_start_matches(' ');
        let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let number = line.get(..digits)?.parse().ok().filter(|n| *n > 0)?;
        let rest = line.get(digits..)?;
        let after = rest.strip_prefix(['→', '\t', '|', ':']).or_else(|| rest.is_empty().then_some(""))?;
        Some((number, short(after)))
    };
    text.lines().filter_map(read).collect()
}

/// A path relative to the project folder, without `./`.
#[must_use]
pub fn relative<'a>(path: &'a str, root: &str) -> &'a str {
    let root = root.trim_end_matches('/');
    let inside = if root.is_empty() { None } else { path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')) };
    let path = inside.unwrap_or(path);
    path.strip_prefix("./").unwrap_or(path)
}

const MODIFIERS: &str = "pub export default async static public private protected final abstract unsafe extern inline virtual override internal open suspend sealed data partial readonly local declare \
    constexpr explicit friend mutable native synchronized transient volatile lazy implicit inner companion operator fileprivate";
const KEYWORDS: &str = "fn def class struct enum trait interface type func function fun impl module mod namespace macro_rules! const let var val static union protocol record object defmodule defp defmacro defn sub proc \
    procedure package message service rpc task extension typedef actor component my our #define table view index local";
const CONTROL: &str = "if else for while switch case return match catch try do when until unless elif elsif with new throw await yield and or not in is delete typeof sizeof assert print raise";

fn word_in(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|w| w == word)
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn name_at(text: &str) -> &str {
    let end = text.char_indices().find(|(_, c)| !is_name(*c)).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or_default()
}

/// The name that a line defines, in the manner of many languages. A guess by form; never a claim by itself.
#[must_use]
pub fn defined(line: &str) -> Option<&str> {
    let indented = line.starts_with([' ', '\t']);
    let line = line.trim();
    if line.starts_with("//")
        || line.starts_with("* ")
        || line.starts_with("/*")
        || line.starts_with("--")
        || (line.starts_with('#') && !line.starts_with("#define"))
    {
        return None;
    }
    by_keyword(line).or_else(|| by_form(line, indented)).filter(|n| n.chars().any(char::is_alphabetic))
}

/// `pub(crate) async fn name`, `func (r *T) name`, `impl Trait for Name`, `CREATE TABLE name`.
fn by_keyword(line: &str) -> Option<&str> {
    let mut rest = line;
    for _ in 0..6 {
        let word = rest.split(|c: char| c.is_whitespace() || c == '(' || c == '<').next().filter(|w| !w.is_empty())?;
        let lower = word.to_ascii_lowercase();
        let after = rest.get(word.len()..)?;
        let modifier = word_in(MODIFIERS, word)
            || matches!(lower.as_str(), "create" | "\"c\"" | "if" | "not" | "exists") && line.to_ascii_lowercase().starts_with("create ");
        let keyword = word_in(KEYWORDS, word) || matches!(lower.as_str(), "table" | "view" | "index") && line.to_ascii_lowercase().starts_with("create ");
        // `const fn name`, `local function name`: the second word is the keyword.
        let leads =
            word_in("const static local typedef my let", word) && word_in(KEYWORDS, after.trim_start().split(char::is_whitespace).next().unwrap_or_default());
        if keyword && !leads {
            return after_keyword(word, after);
        }
        if !modifier && !leads {
            return None;
        }
        rest = after.strip_prefix('(').and_then(|a| a.split_once(')')).map_or(after, |(_, a)| a).trim_start();
    }
    None
}

fn after_keyword<'a>(keyword: &str, after: &'a str) -> Option<&'a str> {
    let mut rest = after.trim_start();
    // `static int name(…)` has no word for a function; its form tells.
    let (call, equals) = (rest.find('('), rest.find('='));
    if keyword == "static" && call.is_some_and(|c| equals.is_none_or(|e| c < e)) {
        return None;
    }
    if rest.len() == after.len() && !rest.starts_with(['(', '<']) {
        return None;
    }
    if let Some((_, method)) = rest.strip_prefix('(').and_then(|r| r.split_once(')')).filter(|_| keyword == "func") {
        rest = method.trim_start();
    }
    if keyword == "impl" {
        rest = rest.strip_prefix('<').and_then(|r| r.split_once('>')).map_or(rest, |(_, r)| r.trim_start());
        rest = rest.split_once(" for ").map_or(rest, |(_, target)| target);
    }
    for skip in ["if not exists ", "IF NOT EXISTS ", "mut ", "ref ", "self.", "async ", "class ", "struct ", "&"] {
        rest = rest.strip_prefix(skip).map_or(rest, str::trim_start);
    }
    let name = name_at(rest);
    // `db.Page` and `a::b` in a definition: the last part is the name.
    let tail = rest.get(name.len()..)?;
    let name = tail.strip_prefix("::").or_else(|| tail.strip_prefix('.')).map(name_at).filter(|n| !n.is_empty()).unwrap_or(name);
    (!name.is_empty()).then_some(name)
}

/// `int name(…) {`, `name(…) {`, `name = function`, `NAME = 1`, `name:`, `[name]`.
fn by_form(line: &str, indented: bool) -> Option<&str> {
    let name = name_at(line);
    if !name.is_empty() && word_in(CONTROL, name) {
        return None;
    }
    let name = if word_in(KEYWORDS, name) { "" } else { name };
    let after = line.get(name.len()..)?.trim_start();
    if let Some(value) = after.strip_prefix('=').filter(|v| !v.starts_with(['=', '>', '~'])) {
        let function = value.contains("=>") || value.trim_start().starts_with("function") || value.trim_start().starts_with("lambda");
        return (!name.is_empty() && (!indented || function)).then_some(name);
    }
    if let Some(value) = after.strip_prefix(':').filter(|v| !v.starts_with([':', '='])) {
        let function = value.contains("=>") || value.trim_start().starts_with("function");
        return (!name.is_empty() && (!indented || function)).then_some(name);
    }
    if let Some(section) = line.strip_prefix('[') {
        return section
            .split(']')
            .next()
            .filter(|s| !s.is_empty() && s.chars().all(|c| is_name(c) || matches!(c, '.' | '-' | '"')))
            .map(|s| s.rsplit('.').next().unwrap_or(s));
    }
    by_call(line, indented)
}

/// `int name(…) {`, `name(…) {`.
fn by_call(line: &str, indented: bool) -> Option<&str> {
    let open = line.find('(')?;
    let head = line.get(..open)?.trim_end();
    let body = line.ends_with('{') || (!line.ends_with(';') && !indented && line.ends_with([')', ',', '(']) && head.contains(' '));
    let start = head.char_indices().rev().find(|(_, c)| !is_name(*c)).map_or(0, |(at, c)| at + c.len_utf8());
    let name = head.get(start..)?;
    let before = head.get(..start)?.trim();
    let typed = before.chars().all(|c| is_name(c) || c.is_whitespace() || "<>[],:*&?@~".contains(c)) && !before.split_whitespace().any(|w| word_in(CONTROL, w));
    (body && typed && !word_in(CONTROL, name)).then_some(name)
}

/// The name of the block that a line opens: a function, a type, a module; no values and no fields.
#[must_use]
pub fn opens(line: &str) -> Option<&str> {
    let value = is_local(line) || line.trim_end().ends_with([',', ';']) || line.find('=').is_some_and(|e| line.find(['(', '{']).is_none_or(|b| e < b));
    if value || kind(line) != LineKind::Plain { None } else { by_keyword(line.trim()).or_else(|| by_call(line.trim(), line.starts_with([' ', '\t']))) }
}

/// Whether a line only binds a local value.
#[must_use]
pub fn is_local(line: &str) -> bool {
    let code = line.trim_start();
    let starts = |words: &[&str]| words.iter().any(|w| code.starts_with(w));
    starts(&["let ", "var ", "my "]) || (code.len() < line.len() && starts(&["const ", "val ", "static ", "use "]))
}

/// What a line is beside a definition.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum LineKind {
    /// Code or text.
    Plain,
    /// A comment.
    Comment,
    /// An import.
    Import,
}

/// What a line is, by its start.
#[must_use]
pub fn kind(line: &str) -> LineKind {
    let line = line.trim_start();
    let starts = |list: &[&str]| list.iter().any(|s| line.starts_with(s));
    if starts(&["//", "/*", "* ", "-- ", "<!--", "\"\"\"", ";;", ">>>"]) || (line.starts_with('#') && !line.starts_with("#[") && !line.starts_with("#define")) {
        LineKind::Comment
    } else if starts(&["use ", "pub use ", "import ", "from ", "#include", "require", "package ", "using ", "export {", "export * "]) {
        LineKind::Import
    } else {
        LineKind::Plain
    }
}

/// How much a file counts, in tenths: sources most, then tests, documents, generated and foreign files.
#[must_use]
pub fn file_tenths(path: &str, tests_wanted: bool) -> u32 {
    let lower = path.to_lowercase();
    let name = lower.rsplit('/').next().unwrap_or_default();
    let within = |dirs: &[&str]| lower.split('/').rev().skip(1).any(|d| dirs.contains(&d));
    let ends = |list: &[&str]| list.iter().any(|e| name.ends_with(e));
    if ends(&[".lock", "-lock.json", "-lock.yaml", ".min.js", ".min.css", ".map", ".svg", ".snap", ".sum", ".orig", ".bak"])
        || within(&["node_modules", "vendor", "third_party", "target", "dist", "build", ".git"])
    {
        2
    } else if !tests_wanted
        && (within(&["test", "tests", "spec", "specs", "__tests__", "testdata", "fixtures", "examples", "benches"])
            || name.starts_with("test_")
            || ends(&["_test.go", "_test.py", ".test.js", ".test.ts", ".spec.ts", ".spec.js", "tests.rs"]))
    {
        6
    } else if ends(&[".md", ".rst", ".txt", ".adoc", ".html", ".csv", ".log"]) || name.starts_with("changelog") || within(&["docs", "doc"]) {
        5
    } else if ends(&[".json", ".yaml", ".yml", ".toml", ".xml", ".ini", ".cfg"]) {
        8
    } else {
        10
    }
}
