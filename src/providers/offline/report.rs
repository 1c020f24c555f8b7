//! Findings as text, for a child's report and for the parent's answer, and the way back from a report to findings.
//!
//! Must not: claim more than that a line stands where it stands.

use super::explore::Task;
use super::lines;
use super::needle::Term;
use super::rank::{Evidence, Finding};
use crate::util::text::one_line;
use std::fmt::Write as _;

/// Characters of a line in a report.
const LINE: usize = 160;
const DEFINITIONS: &str = "Definitions:";
const OTHERS: &str = "Other places:";
const INSIDE: &str = "  [inside ";

/// A finding as it stands in a report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Relative path.
    pub path: String,
    /// From 1.
    pub line: usize,
    /// The line's text.
    pub text: String,
    /// It looks like a definition.
    pub definition: bool,
    /// What it stands in, as words; may be empty.
    pub inside: String,
}

/// What a report said.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Its first statement: how much was found.
    pub counts: String,
    /// Its findings, best first.
    pub places: Vec<Place>,
}

impl From<&Finding> for Place {
    fn from(f: &Finding) -> Self {
        let inside = f.inside.as_ref().map(|(line, name)| format!("{name}, line {line}")).unwrap_or_default();
        Self { path: f.hit.path.clone(), line: f.hit.line, text: one_line(&f.hit.text, LINE), definition: f.definition, inside }
    }
}

/// The terms as the person knows them: `` `a`, `b` ``.
#[must_use]
pub fn names(terms: &[Term]) -> String {
    terms.iter().map(|t| format!("`{}`", t.text.replace('`', "'"))).collect::<Vec<_>>().join(", ")
}

/// What an exploration found.
#[must_use]
pub fn of(task: &Task, evidence: &Evidence) -> Report {
    let places: Vec<Place> = evidence.findings(&task.terms, task.wants).iter().map(Place::from).collect();
    let (lines, files) = evidence.counts();
    let mut counts = if places.is_empty() {
        format!("Nothing was found for {}.", names(&task.terms))
    } else if lines == 0 {
        format!("Found {} by name for {}.", plural(places.len(), "file"), names(&task.terms))
    } else {
        format!("Found {}{} in {} for {}.", if evidence.cut { "at least " } else { "" }, plural(lines, "line"), plural(files, "file"), names(&task.terms))
    };
    if evidence.cut {
        counts.push_str(" A search reached its limit, so there may be more.");
    }
    if evidence.widened {
        counts.push_str(" The names themselves stand nowhere; these lines hold parts of them.");
    }
    Report { counts, places }
}

/// The text of a child's report.
#[must_use]
pub fn child(task: &Task, evidence: &Evidence, stopped: bool) -> String {
    let report = of(task, evidence);
    let mut out = report.counts.clone();
    if stopped {
        out.push_str(" The search was stopped before its end.");
    }
    for (title, definitions) in [(DEFINITIONS, true), (OTHERS, false)] {
        let places: Vec<&Place> = report.places.iter().filter(|p| p.definition == definitions).collect();
        if !places.is_empty() {
            let _ = write!(out, "\n\n{title}");
        }
        for place in places {
            let _ = write!(out, "\n- {}:{}: {}", place.path, place.line, place.text);
            if !place.inside.is_empty() {
                let _ = write!(out, "{INSIDE}{}]", place.inside);
            }
        }
    }
    let _ = write!(out, "\n\nSearched without regard to case ({}, {} read).", plural(evidence.searches, "search"), plural(evidence.read.len(), "file"));
    if report.places.is_empty() {
        out.push_str(" Other words may help: a name as it stands in the code, a part of an error message, a file name.");
    }
    for error in &evidence.errors {
        let _ = write!(out, "\nA tool failed: {error}");
    }
    out
}

/// Read a child's report back, with whatever the engine put around it.
#[must_use]
pub fn parse(text: &str) -> Report {
    let mut report = Report::default();
    let mut definition = false;
    for line in text.lines() {
        match line.trim() {
            DEFINITIONS => definition = true,
            OTHERS => definition = false,
            counts if report.counts.is_empty() && (counts.starts_with("Found ") || counts.starts_with("Nothing was found")) => {
                counts.clone_into(&mut report.counts);
            }
            _ => {}
        }
        let Some((path, number, rest)) = line.strip_prefix("- ").and_then(lines::place) else { continue };
        let (text, inside) = rest.rsplit_once(INSIDE).and_then(|(t, i)| i.strip_suffix(']').map(|i| (t, i))).unwrap_or((rest, ""));
        report.places.push(Place { path: path.to_owned(), line: number, text: text.trim().to_owned(), definition, inside: inside.to_owned() });
    }
    report
}

/// Places by file, in the order in which the files first appear.
#[must_use]
pub fn list(places: &[Place]) -> String {
    let mut files: Vec<&str> = Vec::new();
    for place in places {
        if !files.contains(&place.path.as_str()) {
            files.push(&place.path);
        }
    }
    let mut out = String::new();
    for file in files {
        let _ = write!(out, "{}**{file}**", if out.is_empty() { "" } else { "\n\n" });
        for place in places.iter().filter(|p| p.path == file) {
            let _ = write!(out, "\n- `{file}:{}` {}", place.line, code(&place.text));
            if place.definition {
                out.push_str(" (definition)");
            }
            if !place.inside.is_empty() {
                let _ = write!(out, " (inside {})", place.inside);
            }
        }
    }
    out
}

/// A text as inline code, whatever ticks it holds.
fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') || text.is_empty() { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// `1 line`, `2 lines`, `2 searches`.
#[must_use]
pub fn plural(n: usize, word: &str) -> String {
    match n {
        1 => format!("1 {word}"),
        _ if word.ends_with("ch") => format!("{n} {word}es"),
        _ => format!("{n} {word}s"),
    }
}
