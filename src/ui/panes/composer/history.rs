//! Earlier messages: one after the other with Up, or by a search. Kept in a file as one JSON string per line.
//!
//! Must not: touch the file (the runner does).

/// Messages kept at most.
const MAX: usize = 1_000;
/// Longer messages are not kept.
const MAX_BYTES: usize = 65_536;

/// Earlier messages, oldest first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct History {
    entries: Vec<String>,
    at: Option<usize>,
    draft: String,
}

/// A search in the history that is being typed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Search {
    /// What is looked for.
    pub query: String,
    /// How many older hits were asked for.
    pub skip: usize,
}

impl History {
    /// Entries of a file's text; lines that are no JSON strings are skipped.
    #[must_use]
    pub fn parse(text: &str) -> Vec<String> {
        let mut entries: Vec<String> = text.lines().rev().filter_map(|l| serde_json::from_str(l).ok()).take(MAX).collect();
        entries.reverse();
        entries
    }

    /// The line of the file for a message.
    #[must_use]
    pub fn line(text: &str) -> String {
        let mut line = serde_json::Value::from(text).to_string();
        line.push('\n');
        line
    }

    /// Take entries of the file in, before those of this run.
    pub fn load(&mut self, mut older: Vec<String>) {
        older.append(&mut self.entries);
        self.entries = older;
        self.bound();
    }

    /// A message was sent. True when it is new and belongs into the file.
    pub fn push(&mut self, text: &str) -> bool {
        self.leave();
        let new = !text.trim().is_empty() && text.len() <= MAX_BYTES && self.entries.last().is_none_or(|l| l != text);
        if new {
            self.entries.push(text.to_owned());
            self.bound();
        }
        new
    }

    fn bound(&mut self) {
        let over = self.entries.len().saturating_sub(MAX);
        self.entries.drain(..over);
    }

    /// Back to the newest end.
    pub fn leave(&mut self) {
        self.at = None;
        self.draft.clear();
    }

    /// The message before; `draft` is what is being typed and comes back behind the newest one.
    pub fn older(&mut self, draft: String) -> Option<String> {
        let next = match self.at {
            None => {
                let last = self.entries.len().checked_sub(1)?;
                self.draft = draft;
                last
            }
            Some(n) => n.checked_sub(1)?,
        };
        self.at = Some(next);
        self.entries.get(next).cloned()
    }

    /// The message after, or the draft.
    pub fn newer(&mut self) -> Option<String> {
        let n = self.at? + 1;
        if n < self.entries.len() {
            self.at = Some(n);
            return self.entries.get(n).cloned();
        }
        self.at = None;
        Some(std::mem::take(&mut self.draft))
    }

    /// The newest message that holds the search's words, without those skipped; each text once.
    #[must_use]
    pub fn find(&self, search: &Search) -> Option<&str> {
        let needle = search.query.to_lowercase();
        let mut seen = std::collections::HashSet::new();
        self.entries.iter().rev().filter(|e| e.to_lowercase().contains(&needle) && seen.insert(e.as_str())).nth(search.skip).map(String::as_str)
    }
}
