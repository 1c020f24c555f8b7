//! One term of a question and how it is found: literal needles, from which both the search pattern and the local
//! check of a line are made, so that they always agree.
//!
//! Must not: read questions (that is `terms`) or results (that is `rank`).

use super::words;
use crate::util::text::regex_literal;
use std::fmt::Write as _;

/// What a term looks like.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `list_posts`, `listPosts`, `max-turns`, `sha256`, `db.page`.
    Identifier,
    /// `src/api/posts.py`, `Cargo.toml`.
    Path,
    /// A quoted text, or words that stand together.
    Phrase,
    /// A plain word in letters with case or without.
    Word,
    /// A run of Han, kana or Hangul.
    Cjk,
}

/// A literal to look for, in lower case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Needle {
    text: String,
    /// Only between characters that are no letters or digits.
    whole: bool,
}

/// Something to look for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Term {
    /// As the person wrote it.
    pub text: String,
    /// What it looks like.
    pub kind: Kind,
    /// How much a match says, 1 to 10.
    pub weight: u32,
    needles: Vec<Needle>,
}

/// File endings that make `a.b` a file instead of a member.
const ENDINGS: &str = "rs py pyi js jsx ts tsx mjs cjs go java kt kts c h cc cpp cxx hpp hh cs rb php swift scala clj ex exs erl hs ml mli lua pl pm r jl dart zig nim sh bash zsh fish ps1 bat sql html htm css scss \
    sass less vue svelte json jsonl yaml yml toml ini cfg conf xml md rst txt adoc csv tsv lock env proto graphql tf gradle cmake mk make dockerfile ipynb log svg png jpg pdf tex";

/// Whether a name ends like a file.
#[must_use]
pub fn is_file_name(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, end)| ENDINGS.split_ascii_whitespace().any(|e| e.eq_ignore_ascii_case(end)))
}

impl Term {
    /// A term of a kind; none when nothing can be looked for.
    #[must_use]
    pub fn new(text: &str, kind: Kind) -> Option<Self> {
        let lower = text.to_lowercase();
        let (weight, needles) = match kind {
            Kind::Identifier => (10, identifier_needles(text)),
            Kind::Path => (10, vec![lower.rsplit('/').find(|s| !s.is_empty()).map(str::to_owned).unwrap_or_default()]),
            Kind::Phrase => (9, phrase_needles(&lower)),
            Kind::Word if words::is_generic(&lower) => (1, word_needles(&lower)),
            Kind::Word => (if lower.chars().count() >= 8 { 5 } else { 4 }, word_needles(&lower)),
            Kind::Cjk => (if lower.chars().count() > 2 { 6 } else { 5 }, vec![lower.clone()]),
        };
        let extra = if matches!(kind, Kind::Word | Kind::Cjk) { words::translations(&lower).map(str::to_owned).collect() } else { Vec::new() };
        let mut all: Vec<Needle> = Vec::new();
        for text in needles.into_iter().chain(extra) {
            let whole = text.is_ascii() && text.chars().count() <= 3 && kind != Kind::Phrase;
            if !text.trim().is_empty() && !all.iter().any(|n| n.text == text) {
                all.push(Needle { text, whole });
            }
        }
        (!all.is_empty()).then(|| Self { text: text.to_owned(), kind, weight, needles: all })
    }

    /// A term from its text alone, as it stands in a child's prompt.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(name) = text.trim().strip_suffix("()") {
            return Self::new(name, Kind::Identifier);
        }
        let text = text.trim();
        let kind = if text.contains(char::is_whitespace) {
            Kind::Phrase
        } else if text.contains('/') || is_file_name(text) {
            Kind::Path
        } else if text.chars().any(is_cjk) {
            Kind::Cjk
        } else if looks_like_identifier(text) {
            Kind::Identifier
        } else if text.chars().all(char::is_alphabetic) {
            Kind::Word
        } else {
            Kind::Phrase
        };
        Self::new(text, kind)
    }

    /// The text from which [`Term::parse`] makes it again: a name that looks like a word is marked by `()`.
    #[must_use]
    pub fn written(&self) -> String {
        let plain = self.kind == Kind::Identifier && self.weight >= 8 && self.text.chars().all(char::is_alphabetic) && !looks_like_identifier(&self.text);
        if plain { format!("{}()", self.text) } else { self.text.clone() }
    }

    /// The same term with another weight.
    #[must_use]
    pub fn weighing(mut self, weight: u32) -> Self {
        self.weight = weight;
        self
    }

    /// Whether it names something, instead of describing it.
    #[must_use]
    pub fn strong(&self) -> bool {
        matches!(self.kind, Kind::Identifier | Kind::Path) || (self.kind == Kind::Phrase && self.weight > 6)
    }

    /// Whether a lower-case text holds it.
    #[must_use]
    pub fn found_in(&self, lower: &str) -> bool {
        self.needles.iter().any(|n| if n.whole { holds_whole(lower, &n.text) } else { lower.contains(&n.text) })
    }

    /// Whether a name is this term, separators and case aside.
    #[must_use]
    pub fn is_name(&self, name: &str) -> bool {
        let flat = |s: &str| s.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
        let name = flat(name);
        !name.is_empty() && self.needles.iter().any(|n| flat(&n.text) == name)
    }

    /// The pattern for the search tool, to be used without regard to case.
    #[must_use]
    pub fn regex(&self) -> String {
        let parts: Vec<String> =
            self.needles.iter().map(|n| if n.whole { format!(r"(?:\b|_){}(?:\b|_)", regex_literal(&n.text)) } else { regex_literal(&n.text) }).collect();
        parts.join("|")
    }

    /// The needles as parts of a file name pattern, with the first letter in both cases.
    pub fn name_patterns(&self) -> impl Iterator<Item = String> + '_ {
        let usable = |n: &&Needle| n.text.chars().count() > 2 && n.text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
        self.needles.iter().filter(usable).take(3).map(|n| {
            let mut out = String::new();
            let mut chars = n.text.chars();
            if let Some(first) = chars.next() {
                let upper: Vec<char> = first.to_uppercase().collect();
                if let ([upper], true) = (upper.as_slice(), first.is_lowercase()) {
                    let _ = write!(out, "[{first}{upper}]");
                } else {
                    out.push(first);
                }
            }
            out.extend(chars);
            out
        })
    }
}

/// Han, kana or Hangul.
#[must_use]
pub const fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '々' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2ffff}')
}

/// Underscores, dots, inner capitals, or letters with digits.
#[must_use]
pub fn looks_like_identifier(token: &str) -> bool {
    let letters = token.chars().any(char::is_alphabetic);
    let humps = token.chars().zip(token.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    letters && (humps || token.contains(['_', '-', '$', '.', ':', '#']) || token.chars().any(|c| c.is_ascii_digit()))
}

/// The words of an identifier, in lower case.
#[must_use]
pub fn parts(identifier: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut before = ' ';
    let chars: Vec<char> = identifier.chars().collect();
    for (at, &c) in chars.iter().enumerate() {
        let next_lower = chars.get(at + 1).is_some_and(|n| n.is_lowercase());
        let hump = c.is_uppercase() && (before.is_lowercase() || before.is_ascii_digit() || (before.is_uppercase() && next_lower));
        if hump || !c.is_alphanumeric() {
            all.push(String::new());
        }
        if let Some(last) = all.last_mut().filter(|_| c.is_alphanumeric()) {
            last.extend(c.to_lowercase());
        }
        before = c;
    }
    all.retain(|p| !p.is_empty());
    all
}

/// `db.page` and `Db::page` stay as they are; the rest in snake, kebab and joined form.
fn identifier_needles(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    if text.contains(['.', ':', '#']) {
        return vec![lower];
    }
    let parts = parts(text);
    // `sha256` and `http2` have no parts to separate.
    if parts.len() < 2 { vec![lower] } else { vec![parts.join("_"), parts.concat(), parts.join("-")] }
}

fn phrase_needles(lower: &str) -> Vec<String> {
    let simple: Vec<&str> = lower.split(' ').collect();
    if simple.len() > 1 && simple.len() <= 4 && simple.iter().all(|w| !w.is_empty() && w.chars().all(char::is_alphanumeric)) {
        vec![lower.to_owned(), simple.join("_"), simple.concat(), simple.join("-")]
    } else {
        vec![lower.to_owned()]
    }
}

/// A word and its inflections, as literals: `retry` gives `retry`, `retries`, `retried`.
fn word_needles(lower: &str) -> Vec<String> {
    if !lower.is_ascii() {
        let n = lower.chars().count();
        // Languages with endings: one or two letters less match the other forms too.
        return vec![if n >= 6 { lower.chars().take(n - if n >= 8 { 2 } else { 1 }).collect() } else { lower.to_owned() }];
    }
    let base = base(lower);
    if let Some(stem) = base.strip_suffix('y').filter(|s| s.len() >= 2 && !s.ends_with(['a', 'e', 'o', 'u'])) {
        return vec![format!("{stem}y"), format!("{stem}ies"), format!("{stem}ied")];
    }
    if let Some(stem) = base.strip_suffix('e').filter(|s| s.len() >= 3) {
        return if stem.len() >= 5 { vec![stem.to_owned()] } else { vec![base.clone(), format!("{stem}ing")] };
    }
    if base.len() <= 3 {
        let doubled = base.chars().last().map(|c| format!("{base}{c}")).unwrap_or_default();
        return vec![base.clone(), format!("{base}s"), format!("{doubled}ing"), format!("{doubled}er"), format!("{doubled}ed"), format!("{base}ing")];
    }
    vec![base]
}

/// A light stem of an English word: never shorter than three letters.
fn base(word: &str) -> String {
    let cut = |end: &str, keep: usize, add: &str| word.strip_suffix(end).filter(|s| s.len() >= keep).map(|s| format!("{s}{add}"));
    let undouble = |s: String| {
        let mut back = s.chars().rev();
        match (back.next(), back.next()) {
            (Some(a), Some(b)) if a == b && !matches!(a, 's' | 'l' | 'f' | 'e' | 'o') => s.get(..s.len() - 1).map(str::to_owned).unwrap_or(s),
            _ => s,
        }
    };
    cut("ication", 3, "icat")
        .or_else(|| cut("ation", 4, "at"))
        .or_else(|| cut("ies", 2, "y"))
        .or_else(|| cut("ied", 2, "y"))
        .or_else(|| cut("ying", 2, "y"))
        .or_else(|| cut("sses", 2, "ss"))
        .or_else(|| cut("ing", 3, "").map(undouble))
        .or_else(|| cut("ed", 3, "").map(undouble))
        .or_else(|| cut("ches", 2, "ch"))
        .or_else(|| cut("xes", 2, "x"))
        .or_else(|| if word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") { None } else { cut("s", 3, "") })
        .unwrap_or_else(|| word.to_owned())
}

fn holds_whole(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|s| s.chars().next_back());
        let after = text.get(at + word.len()..).and_then(|s| s.chars().next());
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}
