//! The steps of one exploration, as a pure function: what was asked and what the tools answered so far, to the next
//! calls or the end. At most six rounds, every call with a limit.
//!
//! Must not: touch a file, or remember anything between requests.

use super::lines;
use super::needle::{Kind, Term, parts};
use super::rank::{Evidence, Seen, gather};
use super::terms::Wants;
use crate::util::text::regex_literal;
use serde_json::{Map, Value, json};

/// What is explored.
#[derive(Clone, Debug)]
pub struct Task {
    /// What to look for, the best first.
    pub terms: Vec<Term>,
    /// What is wanted about it.
    pub wants: Wants,
    /// The project folder, as the system text names it; empty when unknown.
    pub root: String,
}

/// The tools that are offered.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Offered {
    /// `Grep`.
    pub grep: bool,
    /// `Glob`.
    pub glob: bool,
    /// `Read`.
    pub read: bool,
}

/// A call to make: the tool's name and its arguments.
pub type Wanted = (&'static str, Map<String, Value>);

/// What to do next.
#[derive(Debug)]
pub enum Next {
    /// Make these calls.
    Calls {
        /// A line for the person who watches.
        text: String,
        /// Not empty.
        calls: Vec<Wanted>,
    },
    /// Nothing more to do.
    Done {
        /// What was looked for in the end.
        task: Task,
        /// What was found.
        evidence: Evidence,
    },
}

/// Lines of a search through everything.
const WIDE: u64 = 150;
/// Lines of a search for definitions.
const DEFINITIONS: u64 = 60;
/// Files of a list of files.
const FILES: u64 = 200;
/// Lines of a search in one file.
const NARROW: u64 = 60;
/// Files that are searched or read in one round.
const BEST: usize = 4;
/// Rounds of calls at most.
const ROUNDS: usize = 6;

/// Words before the name that they define, in many languages.
const DEFINERS: &str = r"(?:\b(?:fn|def|class|struct|enum|trait|interface|type|func|function|fun|impl|mod|module|namespace|macro_rules!|const|static|let|var|val|union|protocol|record|object|defmodule|defp?|defn|sub|proc|message|service|rpc|typedef|table)|#define)\s+(?:\([^)]*\)\s*)?(?:<[^>]*>\s*)?[\w$.:]*";

/// The next step. `seen` is everything that was called; its part from `fresh` on belongs to this task, made in `rounds` replies.
#[must_use]
pub fn next(task: &Task, seen: &[Seen<'_>], fresh: usize, rounds: usize, offered: Offered) -> Next {
    let own = seen.get(fresh..).unwrap_or_default();
    if rounds == 0 && !task.terms.is_empty() {
        let calls = first(task, offered);
        if !calls.is_empty() {
            return Next::Calls { text: searching(&task.terms), calls };
        }
    }
    // Once the parts of names are searched for, they are terms as well.
    let widened = was_widened(task, own);
    let mut task = task.clone();
    if widened {
        task.terms.extend(pieces(&task.terms).iter().filter_map(|p| Term::new(p, Kind::Word)).map(|t| t.weighing(2)));
    }
    let mut evidence = gather(seen, &task.terms, &task.root);
    evidence.widened = widened;
    if rounds == 0 || rounds >= ROUNDS {
        return Next::Done { task, evidence };
    }
    match later(&task, own, &evidence, offered) {
        (text, calls) if !calls.is_empty() => Next::Calls { text, calls },
        _ => Next::Done { task, evidence },
    }
}

fn was_widened(task: &Task, seen: &[Seen<'_>]) -> bool {
    let pattern = wider(&task.terms);
    !pattern.is_empty() && seen.iter().any(|s| s.arg("pattern") == Some(pattern.as_str()))
}

fn searching(terms: &[Term]) -> String {
    let names: Vec<String> = terms.iter().take(4).map(|t| format!("`{}`", t.text.replace('`', "'"))).collect();
    format!("Searching for {}: definitions, mentions, file names.", names.join(", "))
}

fn later(task: &Task, seen: &[Seen<'_>], evidence: &Evidence, offered: Offered) -> (String, Vec<Wanted>) {
    let files = evidence.files(&task.terms, task.wants);
    if files.is_empty() {
        let pattern = wider(&task.terms);
        let calls = if offered.grep && !evidence.widened && !pattern.is_empty() { vec![grep(&pattern, "content", DEFINITIONS)] } else { Vec::new() };
        return ("Nothing yet; searching for parts of the names.".into(), calls);
    }
    let narrowed = seen.iter().any(|s| s.call.name == "Grep" && s.call.input.contains_key("path"));
    if offered.grep && evidence.cut && !narrowed {
        let calls: Vec<Wanted> = files.iter().filter(|(_, p)| !evidence.narrowed.contains(p)).take(BEST).map(|(_, p)| in_file(&task.terms, p)).collect();
        if !calls.is_empty() {
            return ("Many places; searching in the most promising files.".into(), calls);
        }
    }
    let did_read = seen.iter().any(|s| s.call.name == "Read");
    let calls = if offered.read && !did_read { reads(task, evidence) } else { Vec::new() };
    ("Reading around the best places.".into(), calls)
}

/// The first round: definitions, mentions, files per word, file names.
fn first(task: &Task, offered: Offered) -> Vec<Wanted> {
    let mut calls = Vec::new();
    let searched: Vec<&Term> = task.terms.iter().filter(|t| t.kind != Kind::Path).collect();
    if offered.grep {
        // Beside a name, its owner and plain words would only fill the limit.
        let by_name = searched.iter().any(|t| t.strong() && t.weight >= 8);
        let named: Vec<String> = searched.iter().filter(|t| !by_name || (t.strong() && t.weight >= 8)).map(|t| t.regex()).collect();
        if !named.is_empty() {
            calls.push(grep(&format!("{DEFINERS}(?:{}){}", named.join("|"), typed(&searched)), "content", DEFINITIONS));
        }
        calls.push(grep(&alternation(&task.terms), "content", WIDE));
        // Which file holds which word tells the files in which they meet.
        let single: Vec<&&Term> = searched.iter().filter(|t| t.kind != Kind::Phrase).collect();
        if single.len() > 1 {
            calls.push(grep(&meeting(&single), "content", DEFINITIONS));
            calls.extend(single.iter().take(3).map(|t| grep(&t.regex(), "files_with_matches", FILES)));
        }
    }
    if offered.glob {
        let paths: Vec<&Term> = task.terms.iter().filter(|t| t.kind == Kind::Path).collect();
        calls.extend(paths.iter().take(6).map(|t| glob(&format!("**/{}", lines::relative(&t.text, &task.root).trim_start_matches('/')))));
        let names: Vec<String> = searched.iter().filter(|t| t.weight > 1).flat_map(|t| t.name_patterns()).take(8).collect();
        if !names.is_empty() {
            calls.push(glob(&format!("**/*{{{}}}*", names.join(","))));
        }
    }
    calls
}

/// Lines that hold two of the first three terms.
fn meeting(terms: &[&&Term]) -> String {
    let all: Vec<String> = terms.iter().take(3).map(|t| format!("(?:{})", t.regex())).collect();
    let pairs = all.iter().flat_map(|a| all.iter().filter(move |b| *b != a).map(move |b| format!("{a}.*{b}")));
    pairs.collect::<Vec<_>>().join("|")
}

/// `int list_posts(…) {` in languages without a word for it; only for names, and only at the start of a line.
fn typed(terms: &[&Term]) -> String {
    let names: Vec<String> = terms.iter().filter(|t| t.kind == Kind::Identifier).map(|t| t.regex()).collect();
    if names.is_empty() { String::new() } else { format!(r"|^[\w<>\[\],:*& \t]*\b(?:{})\w*\s*(?:\([^;]*$|[:=])", names.join("|")) }
}

fn alternation(terms: &[Term]) -> String {
    terms.iter().map(Term::regex).collect::<Vec<_>>().join("|")
}

/// The parts of names: what is left to try when the names themselves stand nowhere.
fn pieces(terms: &[Term]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for part in terms.iter().filter(|t| matches!(t.kind, Kind::Identifier | Kind::Phrase)).flat_map(|t| parts(&t.text)) {
        if part.chars().count() > 3
            && all.len() < 6
            && !all.contains(&part)
            && !terms.iter().any(|t| t.kind == Kind::Word && t.text.eq_ignore_ascii_case(&part))
        {
            all.push(part);
        }
    }
    if all.len() == 1 && terms.len() == 1 && terms.iter().all(|t| t.is_name(&all.concat())) { Vec::new() } else { all }
}

fn wider(terms: &[Term]) -> String {
    pieces(terms).iter().map(|p| regex_literal(p)).collect::<Vec<_>>().join("|")
}

fn in_file(terms: &[Term], path: &str) -> Wanted {
    let (name, mut input) = grep(&alternation(terms), "content", NARROW);
    input.insert("path".into(), json!(path));
    (name, input)
}

/// Read around the best lines of the best files, and the heads of files that were found by name.
fn reads(task: &Task, evidence: &Evidence) -> Vec<Wanted> {
    let mut calls: Vec<Wanted> = Vec::new();
    let mut taken: Vec<(String, usize)> = Vec::new();
    for finding in evidence.findings(&task.terms, task.wants) {
        let near = taken.iter().any(|(p, line)| *p == finding.hit.path && line.abs_diff(finding.hit.line) < 20);
        if taken.len() < BEST && !near {
            taken.push((finding.hit.path.clone(), finding.hit.line));
            calls.push(read(&finding.hit.path, finding.hit.line.saturating_sub(30).max(1), 45));
        }
    }
    let heads = evidence.files(&task.terms, task.wants).into_iter().filter(|(_, p)| evidence.named.contains(p) && !evidence.hits.contains_key(p)).take(BEST);
    calls.extend(heads.map(|(_, p)| read(&p, 1, 30)));
    calls.truncate(BEST + 2);
    calls
}

fn object(fields: Value) -> Map<String, Value> {
    match fields {
        Value::Object(map) => map,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    }
}

fn grep(pattern: &str, mode: &str, limit: u64) -> Wanted {
    ("Grep", object(json!({"pattern": pattern, "output_mode": mode, "-n": true, "-i": true, "head_limit": limit})))
}

fn glob(pattern: &str) -> Wanted {
    ("Glob", object(json!({"pattern": pattern})))
}

fn read(path: &str, offset: usize, limit: usize) -> Wanted {
    ("Read", object(json!({"file_path": path, "offset": offset, "limit": limit})))
}
