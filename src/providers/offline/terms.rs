//! From a question to what can be looked for: topics of terms, and what is wanted about them.
//!
//! Must not: search, or guess at meaning. What it cannot read it leaves out, and the answer says what was searched.

use super::needle::{Kind, Term, is_cjk, is_file_name, looks_like_identifier};
use super::words::{self, Language};
use std::sync::Arc;

/// Bytes of a question that are read; the rest is ignored.
const READ: usize = 4_000;
/// Terms of one topic at most, the best ones.
const TERMS: usize = 8;
/// Topics of one question at most; the rest joins the last one.
const TOPICS: usize = 3;

/// What a question asks for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Question {
    /// Independent things to look for; empty when there is nothing to look for.
    pub topics: Vec<Vec<Term>>,
    /// It asks for a change or a text, which needs a model.
    pub action: bool,
    /// What is wanted.
    pub wants: Wants,
}

/// What is wanted about the terms.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Wants {
    /// Where it is used, more than where it is defined.
    pub usage: bool,
    /// Tests are welcome.
    pub tests: bool,
    /// What the project is.
    pub overview: bool,
}

impl Question {
    /// All terms, without topics.
    #[must_use]
    pub fn terms(&self) -> Vec<Term> {
        merge(self.topics.iter().flatten().cloned())
    }
}

/// A piece of a question, in order.
enum Item {
    Term(Term),
    /// A word that says nothing: what stands beside it does not belong together.
    Gap,
    /// `and`, a comma: two topics when both sides name something.
    Soft,
    /// The end of a sentence.
    Hard,
}

/// Read a question in any language.
#[must_use]
pub fn read(question: &str) -> Question {
    let question = crate::util::text::head(question, READ);
    let lower = question.to_lowercase();
    let word = |list: &[&str]| lower.split(|c: char| !c.is_alphanumeric()).any(|w| list.contains(&w));
    let wants = Wants {
        usage: word(&[
            "used",
            "use",
            "uses",
            "usage",
            "called",
            "caller",
            "callers",
            "calls",
            "references",
            "verwendet",
            "benutzt",
            "aufgerufen",
            "utilisé",
            "appelé",
            "usado",
            "llamado",
        ]) || lower.contains("调用"),
        tests: word(&["test", "tests", "tested", "spec", "specs", "getestet"]) || lower.contains("测试") || lower.contains("テスト"),
        overview: word(&["project", "repository", "repo", "codebase", "overview", "architecture", "projekt", "überblick", "projet", "proyecto"])
            || lower.contains("项目")
            || lower.contains("プロジェクト"),
    };
    let items = Reader { language: words::language(&lower), items: Vec::new() }.read(question);
    let mut topics = topics(items);
    let only_talk = topics.iter().flatten().all(|t| t.weight == 1);
    if wants.overview && only_talk {
        let files = ["README.md", "Cargo.toml", "package.json", "pyproject.toml", "go.mod", "Makefile"];
        topics = vec![files.iter().filter_map(|f| Term::new(f, Kind::Path)).collect()];
    }
    Question { topics, action: is_action(&lower), wants }
}

/// Whether the first word that is no politeness is an imperative.
fn is_action(lower: &str) -> bool {
    let polite = [
        "please", "can", "could", "would", "you", "bitte", "kannst", "du", "now", "then", "and", "go", "ahead", "just", "peux", "tu", "por", "favor", "puedes",
        "let's", "me", "to", "i", "want", "need",
    ];
    let first = lower
        .split(|c: char| c.is_whitespace() || c == ',')
        .map(|w| w.trim_matches(|c: char| !c.is_alphanumeric() && c != '\''))
        .find(|w| !w.is_empty() && !polite.contains(w));
    first.is_some_and(words::is_action) || words::is_cjk_action(lower)
}

struct Reader {
    language: Language,
    items: Vec<Item>,
}

impl Reader {
    fn read(mut self, question: &str) -> Vec<Item> {
        let mut rest = question;
        while let Some(c) = rest.chars().next() {
            if let Some((inside, after)) = quoted(rest) {
                self.quote(inside);
                rest = after;
                continue;
            }
            let token = if is_cjk(c) { run(rest, is_cjk) } else { run(rest, |c| !is_cjk(c) && (c.is_alphanumeric() || "_$./\\:-@#~+*'’".contains(c))) };
            if token.is_empty() {
                self.mark(c);
                rest = rest.get(c.len_utf8()..).unwrap_or_default();
                continue;
            }
            rest = rest.get(token.len()..).unwrap_or_default();
            if is_cjk(c) { self.cjk(token) } else { self.token(token, rest.starts_with('(')) }
        }
        self.items
    }

    fn add(&mut self, text: &str, kind: Kind) {
        match Term::new(text, kind) {
            Some(term) => self.items.push(Item::Term(term)),
            None => self.items.push(Item::Gap),
        }
    }

    fn mark(&mut self, c: char) {
        match c {
            '?' | '!' | ';' | '\n' | '？' | '！' | '。' | '；' => self.items.push(Item::Hard),
            ',' | '，' | '、' => self.items.push(Item::Soft),
            c if c.is_whitespace() => {}
            _ => self.items.push(Item::Gap),
        }
    }

    /// A quoted text: a name keeps its meaning, anything else is looked for as it is.
    fn quote(&mut self, inside: &str) {
        let name = inside.trim().trim_end_matches("()");
        if name.is_empty() {
            return;
        }
        let plain = name.chars().all(|c| c.is_alphanumeric() || "_$./:-".contains(c)) && !name.chars().any(is_cjk);
        if plain && !name.chars().all(char::is_alphabetic) {
            self.token(name, true);
        } else {
            self.add(name, if plain { Kind::Identifier } else { Kind::Phrase });
        }
    }

    fn token(&mut self, token: &str, called: bool) {
        let sentence_end = token.ends_with(['.', ':']);
        let path_start = token.starts_with("./") || token.starts_with("../") || token.starts_with('/') || token.starts_with("~/");
        let flag = token.starts_with("--");
        let mut name = token.trim_end_matches(['.', ':', '-', '\'', '’', '*', '+', '/', '\\']).trim_start_matches(['-', ':', '@', '\'', '’', '*', '+', '#']);
        if !path_start {
            name = name.trim_start_matches('/');
        }
        // `posts.py:12` and `posts.py:12:3` are places in a file.
        while let Some((before, number)) = name.rsplit_once(':').filter(|(b, n)| is_file_name(b) && n.chars().all(|c| c.is_ascii_digit())) {
            name = if number.is_empty() { before } else { before.trim_end_matches(':') };
        }
        self.name(name, path_start, called || flag);
        if sentence_end {
            self.items.push(Item::Hard);
        }
    }

    fn name(&mut self, name: &str, path_start: bool, called: bool) {
        let lower = name.to_lowercase();
        if name.chars().all(|c| !c.is_alphanumeric()) {
            self.items.push(Item::Gap);
        } else if name.contains("://") {
            self.add(name, Kind::Phrase);
        } else if name.contains(['/', '\\']) {
            self.slashes(name, path_start);
        } else if is_file_name(name) {
            self.add(name, Kind::Path);
        } else if name.contains(['.', ':']) && !name.starts_with(['.', ':']) {
            self.members(name);
        } else if name.chars().all(|c| c.is_ascii_digit()) {
            if name.len() >= 3 {
                self.add(name, Kind::Phrase);
            }
        } else if let Some((word, _)) = lower.split_once(['\'', '’']) {
            // `what's`, `l'erreur`: the longer part.
            let other = lower.rsplit(['\'', '’']).next().unwrap_or_default();
            self.word(if other.chars().count() > word.chars().count() { other } else { word });
        } else if called || looks_like_identifier(name) {
            self.add(name.trim_matches('.'), Kind::Identifier);
        } else {
            self.word(name);
        }
    }

    /// A path, or words of prose like `and/or`.
    fn slashes(&mut self, name: &str, path_start: bool) {
        let name = name.replace('\\', "/");
        let segments: Vec<&str> = name.split('/').filter(|s| !s.is_empty() && *s != "." && *s != "..").collect();
        let file = segments.last().is_some_and(|s| is_file_name(s));
        let prose = segments.len() == 2 && segments.iter().any(|s| words::is_stop(&s.to_lowercase(), Language::English));
        if file || path_start || !prose {
            self.add(&segments.join("/"), Kind::Path);
        } else {
            for segment in segments {
                self.word(segment);
            }
        }
    }

    /// `db.page`, `Posts::list`: as a whole, and the last name alone.
    fn members(&mut self, name: &str) {
        let segments: Vec<&str> = name.split(['.', ':']).filter(|s| !s.is_empty()).collect();
        if segments.iter().all(|s| s.chars().count() < 2) {
            self.items.push(Item::Gap);
            return;
        }
        self.add(name, Kind::Identifier);
        // A member is defined without its owner in front, and the owner tells where.
        if let [.., owner, member] = segments.as_slice() {
            for (text, weight) in [(member, 8), (owner, 5)] {
                if text.chars().count() > 1 && !matches!(*text, "self" | "this" | "crate" | "super") {
                    self.items.extend(Term::new(text, Kind::Identifier).map(|t| Item::Term(t.weighing(weight))));
                }
            }
        }
    }

    fn word(&mut self, word: &str) {
        let lower = word.to_lowercase();
        if ["and", "und", "et", "y", "or", "oder", "ou", "o", "sowie", "plus"].contains(&lower.as_str()) {
            self.items.push(Item::Soft);
        } else if words::is_stop(&lower, self.language) || words::is_intent(&lower) || lower.chars().count() < 2 {
            self.items.push(Item::Gap);
        } else {
            self.add(word, Kind::Word);
        }
    }

    /// A run without spaces: known words, then what is left between the words that only ask.
    fn cjk(&mut self, run: &str) {
        for known in words::known_in(run) {
            self.add(known, Kind::Cjk);
        }
        let mut text = run.to_owned();
        for stop in words::STOP_CJK {
            if stop.chars().count() > 1 || text.chars().count() > 2 {
                text = text.replace(stop, " ");
            }
        }
        for piece in text.split(' ') {
            for part in same_script(piece) {
                self.cjk_part(part);
            }
        }
    }

    fn cjk_part(&mut self, part: &str) {
        let hangul = part.chars().all(|c| matches!(c, '\u{ac00}'..='\u{d7a3}'));
        let part = if hangul && part.chars().count() > 2 {
            part.trim_end_matches(['은', '는', '이', '가', '을', '를', '에', '의', '로', '과', '와'])
        } else {
            part
        };
        let n = part.chars().count();
        // Hiragana alone is grammar; one sign alone matches everywhere.
        if n < 2 || part.chars().all(|c| matches!(c, '\u{3040}'..='\u{309f}')) {
            self.items.push(Item::Gap);
            return;
        }
        self.add(part, Kind::Cjk);
        if n > 3 && !hangul && part.chars().all(|c| !matches!(c, '\u{3040}'..='\u{30ff}')) {
            let signs: Vec<char> = part.chars().collect();
            for pair in signs.windows(2).take(6) {
                self.add(&pair.iter().collect::<String>(), Kind::Cjk);
            }
        }
    }
}

/// The start of a text whose characters fit.
fn run(text: &str, fits: impl Fn(char) -> bool) -> &str {
    let end = text.char_indices().find(|(_, c)| !fits(*c)).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or_default()
}

/// A quoted text at the start, and what follows it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let open = text.chars().next()?;
    let close: &[char] = match open {
        '"' => &['"'],
        '`' => &['`'],
        '“' | '„' => &['”', '“'],
        '«' => &['»'],
        '「' => &['」'],
        '『' => &['』'],
        '《' => &['》'],
        _ => return None,
    };
    let inside = text.get(open.len_utf8()..)?;
    let end = inside.find(close).filter(|end| *end > 0 && *end <= 120)?;
    let after = inside.get(end..)?;
    let skip = after.chars().next()?.len_utf8();
    Some((inside.get(..end)?, after.get(skip..)?))
}

/// Pieces of one script each: Han, Hiragana, Katakana, Hangul.
fn same_script(text: &str) -> Vec<&str> {
    let script = |c: char| match c {
        '\u{3040}'..='\u{309f}' => 1,
        '\u{30a0}'..='\u{30ff}' => 2,
        '\u{ac00}'..='\u{d7a3}' => 3,
        _ => 4,
    };
    let (mut all, mut start, mut before) = (Vec::new(), 0, None);
    for (at, c) in text.char_indices() {
        if before.is_some_and(|b| b != script(c)) {
            all.extend(text.get(start..at));
            start = at;
        }
        before = Some(script(c));
    }
    all.extend(text.get(start..).filter(|s| !s.is_empty()));
    all
}

/// Terms in order of their first appearance, the better one of the same text.
fn merge(terms: impl IntoIterator<Item = Term>) -> Vec<Term> {
    let mut all: Vec<Term> = Vec::new();
    for term in terms {
        match all.iter_mut().find(|t| t.text.to_lowercase() == term.text.to_lowercase()) {
            Some(known) if known.weight < term.weight => *known = term,
            Some(_) => {}
            None => all.push(term),
        }
    }
    all
}

/// Sentences and named things become topics.
fn topics(items: Vec<Item>) -> Vec<Vec<Term>> {
    // Each clause holds its terms, with words that stand together as phrases behind them.
    let mut clauses: Vec<(bool, Vec<Term>)> = vec![(true, Vec::new())];
    let mut before: Option<Arc<Term>> = None;
    for item in items {
        let next = match item {
            Item::Term(term) => {
                let plain = |t: &Term| t.kind == Kind::Word && t.text.is_ascii();
                let together = before
                    .as_deref()
                    .filter(|b| plain(b) && plain(&term))
                    .and_then(|b| Term::new(&format!("{} {}", b.text.to_lowercase(), term.text.to_lowercase()), Kind::Phrase));
                if let Some((_, clause)) = clauses.last_mut() {
                    clause.push(term.clone());
                    clause.extend(together.map(|t| t.weighing(6)));
                }
                Some(Arc::new(term))
            }
            Item::Gap => None,
            Item::Soft | Item::Hard => {
                clauses.push((matches!(item, Item::Hard), Vec::new()));
                None
            }
        };
        before = next;
    }
    let mut topics: Vec<Vec<Term>> = Vec::new();
    for (hard, clause) in clauses {
        let strong = |c: &[Term]| c.iter().any(Term::strong);
        let good = |c: &[Term]| c.iter().any(|t| t.weight > 1);
        let joins =
            topics.len() >= TOPICS || topics.last().is_none_or(|last| if hard { !good(last) || !good(&clause) } else { !strong(last) || !strong(&clause) });
        match topics.last_mut() {
            Some(last) if joins => last.extend(clause),
            _ if clause.is_empty() => {}
            _ => topics.push(clause),
        }
    }
    let mut seen: Vec<Term> = Vec::new();
    let mut out = Vec::new();
    for topic in topics {
        let mut topic = merge(topic);
        topic.retain(|t| !seen.iter().any(|s| s.text.eq_ignore_ascii_case(&t.text)));
        if topic.iter().any(|t| t.weight > 1) {
            topic.retain(|t| t.weight > 1);
        }
        topic.sort_by_key(|t| std::cmp::Reverse(t.weight));
        topic.truncate(TERMS);
        seen.extend(topic.iter().cloned());
        if !topic.is_empty() {
            out.push(topic);
        }
    }
    // A topic of mere talk beside real ones is no topic.
    if out.iter().flatten().any(|t: &Term| t.weight > 1) {
        out.retain(|topic| topic.iter().any(|t| t.weight > 1));
    }
    out
}
