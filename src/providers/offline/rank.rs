//! From the answers of the search tools to ranked findings. Every finding is a line that a tool showed, never a guess.
//!
//! Must not: decide what to search next (that is `explore`), or phrase an answer (that is `report`).

use super::lines::{self, Hit, LineKind};
use super::needle::{Kind, Term};
use super::terms::Wants;
use crate::protocol::ToolCall;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Findings of one report at most.
pub const MAX_FINDINGS: usize = 12;
/// Findings of one file at most.
const PER_FILE: usize = 3;
/// Lines around a hit in which other terms count as near it.
const NEAR: usize = 4;

/// A call and what came of it.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The call.
    pub call: &'a ToolCall,
    /// What the tool answered.
    pub text: &'a str,
    /// Whether it failed.
    pub is_error: bool,
}

impl<'a> Seen<'a> {
    /// A text argument of the call.
    #[must_use]
    pub fn arg(&self, name: &str) -> Option<&'a str> {
        self.call.input.get(name).and_then(|v| v.as_str())
    }

    fn limit(&self) -> usize {
        self.call.input.get("head_limit").and_then(serde_json::Value::as_u64).and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX)
    }
}

/// Everything that the searches brought so far.
#[derive(Debug, Default)]
pub struct Evidence {
    /// Found lines, by file and line.
    pub hits: BTreeMap<String, BTreeMap<usize, String>>,
    /// Files whose lines were all searched for, by a search in that file.
    pub narrowed: BTreeSet<String>,
    /// Files that hold a term, by the term's place in the list.
    holding: HashMap<usize, BTreeSet<String>>,
    /// Files whose name was looked for.
    pub named: BTreeSet<String>,
    /// Lines that were read.
    pub read: BTreeMap<String, BTreeMap<usize, String>>,
    /// A search reached its limit: there may be more.
    pub cut: bool,
    /// Nothing held the names, so parts of them were searched for.
    pub widened: bool,
    /// Searches and reads that worked.
    pub searches: usize,
    /// What failed, in the tools' words.
    pub errors: Vec<String>,
}

/// Gather the answers of Grep, Glob and Read; other tools are ignored.
#[must_use]
pub fn gather(seen: &[Seen<'_>], terms: &[Term], root: &str) -> Evidence {
    let mut e = Evidence::default();
    for s in seen {
        if s.is_error {
            if e.errors.len() < 5 {
                e.errors.push(format!("{}: {}", s.call.name, crate::util::text::one_line(s.text, 160)));
            }
            continue;
        }
        match s.call.name.as_str() {
            "Grep" => e.grep(s, terms, root),
            "Glob" => {
                let found = lines::paths(s.text, root);
                e.searches += 1;
                // A note of the tool is no file: a path must hold what was looked for.
                e.named.extend(found.into_iter().filter(|p| terms.iter().any(|t| t.found_in(&p.to_lowercase()))).take(300));
            }
            "Read" => {
                if let Some(path) = s.arg("file_path") {
                    e.read.entry(lines::relative(path, root).to_owned()).or_default().extend(lines::numbered(s.text));
                }
            }
            _ => {}
        }
    }
    e
}

impl Evidence {
    fn grep(&mut self, s: &Seen<'_>, terms: &[Term], root: &str) {
        self.searches += 1;
        let pattern = s.arg("pattern").unwrap_or_default();
        if s.arg("output_mode") == Some("files_with_matches") {
            let found = lines::paths(s.text, root);
            self.cut |= found.len() >= s.limit();
            if let Some(term) = terms.iter().position(|t| t.regex() == pattern) {
                self.holding.entry(term).or_default().extend(found);
            }
            return;
        }
        let only = s.arg("path");
        let found: Vec<Hit> = lines::hits(s.text, only, root);
        let full = found.len() >= s.limit();
        match only {
            Some(path) if !full => {
                self.narrowed.insert(lines::relative(path, root).to_owned());
            }
            Some(_) | None => self.cut |= full,
        }
        for hit in found {
            // Lines that hold no term are notes of the tool, or context.
            let lower = hit.text.to_lowercase();
            if terms.iter().any(|t| t.found_in(&lower)) {
                self.hits.entry(hit.path).or_default().insert(hit.line, hit.text);
            }
        }
    }

    /// How many lines and files hold a term, as far as they are known.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        (self.hits.values().map(BTreeMap::len).sum(), self.hits.len())
    }

    /// 4 for terms that few files hold, 1 for common ones.
    fn rarity(&self, index: usize, term: &Term) -> u32 {
        let listed = self.holding.get(&index).map_or(0, BTreeSet::len);
        let hit = self.hits.values().filter(|lines| lines.values().any(|l| term.found_in(&l.to_lowercase()))).count();
        match listed.max(hit) {
            0..=3 => 4,
            4..=12 => 3,
            13..=60 => 2,
            _ => 1,
        }
    }

    /// Files by what they promise, best first: (score, path).
    #[must_use]
    pub fn files(&self, terms: &[Term], wants: Wants) -> Vec<(u32, String)> {
        let rarity: Vec<u32> = terms.iter().enumerate().map(|(i, t)| self.rarity(i, t)).collect();
        let mut all: BTreeSet<&String> = self.hits.keys().chain(&self.named).collect();
        all.extend(self.holding.values().flatten());
        let mut scored: Vec<(u32, String)> = all.into_iter().map(|path| (self.file_score(path, terms, &rarity, wants), path.clone())).collect();
        scored.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.len().cmp(&b.1.len())).then_with(|| a.1.cmp(&b.1)));
        scored
    }

    fn file_score(&self, path: &str, terms: &[Term], rarity: &[u32], wants: Wants) -> u32 {
        let lower_path = path.to_lowercase();
        let name = file_name(&lower_path);
        let hits = self.hits.get(path);
        let lower: Vec<String> = hits.into_iter().flat_map(|lines| lines.values().map(|l| l.to_lowercase())).collect();
        let mut score = 0;
        let mut distinct = 0;
        for ((index, term), rare) in terms.iter().enumerate().zip(rarity) {
            let inside = lower.iter().any(|l| term.found_in(l)) || self.holding.get(&index).is_some_and(|files| files.contains(path));
            distinct += u32::from(inside);
            score += u32::from(inside) * term.weight * rare;
            if term.found_in(name) {
                score += term.weight * if term.kind == Kind::Path && lower_path.ends_with(&term.text.to_lowercase()) { 8 } else { 3 };
            } else if term.found_in(&lower_path) {
                score += term.weight;
            }
        }
        let definitions = hits.into_iter().flat_map(BTreeMap::values).map(|l| definition(path, l, terms)).max().unwrap_or(0);
        score += distinct.saturating_sub(1) * 6 + u32::try_from(lower.len().min(6)).unwrap_or(0) + if wants.usage { definitions / 4 } else { definitions };
        let depth = u32::try_from(path.matches('/').count().saturating_sub(3)).unwrap_or(0);
        (score * lines::file_tenths(path, wants.tests) / 10).saturating_sub(depth)
    }

    /// The findings of a report: definitions first, at most [`MAX_FINDINGS`].
    #[must_use]
    pub fn findings(&self, terms: &[Term], wants: Wants) -> Vec<Finding> {
        let files = self.files(terms, wants);
        let mut found = Vec::new();
        for (score, path) in files.iter().take(40) {
            match self.hits.get(path) {
                Some(lines) => found.extend(self.of_file(path, *score, lines, terms, wants)),
                None => found.extend(self.by_name(path, *score)),
            }
        }
        found.sort_by(|a: &Finding, b| b.score.cmp(&a.score).then_with(|| a.hit.path.cmp(&b.hit.path)).then_with(|| a.hit.line.cmp(&b.hit.line)));
        // Far weaker places only distract from the good ones.
        let best = found.first().map_or(0, |f| f.score);
        found.retain(|f| f.score * 4 >= best);
        found.truncate(MAX_FINDINGS);
        found.sort_by_key(|f| !f.definition || wants.usage);
        found
    }

    fn of_file(&self, path: &str, file_score: u32, lines: &BTreeMap<usize, String>, terms: &[Term], wants: Wants) -> Vec<Finding> {
        let tenths = lines::file_tenths(path, wants.tests);
        let matched: Vec<(usize, u64)> = lines.iter().map(|(n, l)| (*n, mask(l, terms))).collect();
        let mut found: Vec<Finding> = Vec::new();
        for ((line, text), (_, own)) in lines.iter().zip(&matched) {
            let near = matched.iter().filter(|(n, _)| n.abs_diff(*line) <= NEAR).fold(0, |all, (_, m)| all | m);
            let definition = definition(path, text, terms);
            let together = distinct(*own, terms).saturating_sub(1) * 10 + distinct(near & !own, terms) * 4;
            let base = weight(*own, terms) * 2 + weight(near & !own, terms) + together + spelled(text, terms);
            let kind = match lines::kind(text) {
                LineKind::Plain => 0,
                LineKind::Comment => 6,
                LineKind::Import => 10,
            };
            let bonus = if wants.usage { 0 } else { definition };
            let score = ((base + bonus).saturating_sub(kind) * tenths / 10).saturating_add(file_score / 2);
            let hit = Hit { path: path.to_owned(), line: *line, text: text.clone() };
            found.push(Finding { score, definition: defines(text, definition, terms), inside: self.enclosing(path, *line), hit });
        }
        found.sort_by(|a, b| b.score.cmp(&a.score).then_with(|| a.hit.line.cmp(&b.hit.line)));
        found.truncate(PER_FILE);
        found
    }

    /// A file that only its name speaks for: its first line that says something, when it was read.
    fn by_name(&self, path: &str, score: u32) -> Option<Finding> {
        let lines = self.read.get(path)?;
        let says = |l: &&str| l.chars().filter(|c| c.is_alphabetic()).count() > 2 && !l.trim_start().starts_with(['<', '[', '!']);
        let (line, text) = lines.iter().find(|(_, l)| says(&l.as_str())).or_else(|| lines.iter().next())?;
        Some(Finding { score: score / 2, definition: false, inside: None, hit: Hit { path: path.to_owned(), line: *line, text: text.clone() } })
    }

    /// The definition in which a line stands, when the lines above it were read without a gap.
    fn enclosing(&self, path: &str, line: usize) -> Option<(usize, String)> {
        let read = self.read.get(path)?;
        let indent = |l: &str| l.len() - l.trim_start().len();
        let own = indent(read.get(&line)?);
        let mut expected = line;
        for (n, text) in read.range(..line).rev() {
            if *n + 1 != expected {
                return None;
            }
            expected = *n;
            let outside = !text.trim().is_empty() && indent(text) < own && !text.trim_start().starts_with([')', '}', ']']);
            if let Some(name) = lines::opens(text).filter(|_| outside) {
                return Some((*n, name.to_owned()));
            }
        }
        None
    }
}

/// A place that answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Only for the order within one list.
    pub score: u32,
    /// It looks like a definition of a term.
    pub definition: bool,
    /// Line and name of the definition around it, when known.
    pub inside: Option<(usize, String)>,
    /// The place and its text.
    pub hit: Hit,
}

/// The last part of a path.
#[must_use]
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Which of the first 64 terms a line holds, as bits.
fn mask(line: &str, terms: &[Term]) -> u64 {
    let lower = line.to_lowercase();
    terms.iter().take(64).enumerate().filter(|(_, t)| t.found_in(&lower)).fold(0, |m, (i, _)| m | 1 << i)
}

fn weight(mask: u64, terms: &[Term]) -> u32 {
    terms.iter().take(64).enumerate().filter(|(i, _)| mask >> i & 1 == 1).map(|(_, t)| t.weight).sum()
}

/// Terms of a mask that are no joined words of others.
fn distinct(mask: u64, terms: &[Term]) -> u32 {
    let count = terms.iter().take(64).enumerate().filter(|(i, t)| mask >> i & 1 == 1 && (t.strong() || t.kind != Kind::Phrase)).count();
    u32::try_from(count).unwrap_or(0)
}

/// A little more for a name in the very spelling of the question.
fn spelled(line: &str, terms: &[Term]) -> u32 {
    if terms.iter().any(|t| t.strong() && line.contains(&t.text)) { 5 } else { 0 }
}

/// How much a line looks like the definition of a term: all of its name, or a part of it. 0: not at all.
fn definition(path: &str, line: &str, terms: &[Term]) -> u32 {
    let Some(name) = lines::defined(line) else { return 0 };
    let lower = name.to_lowercase();
    let exact = terms.iter().filter(|t| t.is_name(name)).map(|t| t.weight * 3 + if t.strong() { 20 } else { 0 }).max().unwrap_or(0);
    // A key of a data file defines only itself.
    let partly: u32 = if lines::file_tenths(path, true) == 10 { terms.iter().filter(|t| t.found_in(&lower)).map(|t| t.weight * 2).sum() } else { 0 };
    exact.max(partly.min(24)) / if lines::is_local(line) { 3 } else { 1 }
}

/// Whether the report may call it a definition: of a named thing the whole name, of a word also a part of it.
fn defines(line: &str, score: u32, terms: &[Term]) -> bool {
    let Some(name) = lines::defined(line).filter(|_| score > 0) else { return false };
    let lower = name.to_lowercase();
    terms.iter().any(|t| t.is_name(name) && (t.strong() || !lines::is_local(line)))
        || (!lines::is_local(line) && terms.iter().any(|t| !t.strong() && t.found_in(&lower)))
}
