//! Completion of what stands before the cursor: `/` commands, `@` files and subagent types, by fuzzy match.

use super::Composer;
use crate::commands::COMMANDS;
use crate::protocol::event::AgentTypeView;
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher};

/// Rows shown at most.
pub const ROWS: usize = 8;
/// Candidates kept at most.
const KEEP: usize = 50;

/// One proposal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// What is put in place of the typed word.
    pub insert: String,
    /// What is shown.
    pub label: String,
    /// A few words beside it.
    pub detail: String,
    /// It takes words behind it, so that Enter completes instead of running it.
    pub takes_more: bool,
}

/// Open completions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Popup {
    /// What was typed, with its sign.
    pub typed: String,
    /// Best first; never empty.
    pub items: Vec<Item>,
    /// The selected one.
    pub selected: usize,
}

impl Popup {
    /// The selected proposal.
    #[must_use]
    pub fn item(&self) -> Option<&Item> {
        self.items.get(self.selected)
    }

    /// Move the selection, around the ends.
    pub fn step(&mut self, down: bool) {
        let n = self.items.len().max(1);
        self.selected = (self.selected + if down { 1 } else { n - 1 }) % n;
    }
}

/// Where proposals come from.
#[derive(Copy, Clone, Debug)]
pub struct Sources<'a> {
    /// Commands beyond the built-in ones: (name, description).
    pub own: &'a [(String, String)],
    /// Subagent types.
    pub types: &'a [AgentTypeView],
    /// Files of the project, relative.
    pub files: &'a [String],
}

/// The word before the cursor that can be completed, with its sign (`/com`, `@src/m`), if there is one.
#[must_use]
pub fn word(composer: &Composer) -> Option<String> {
    let (row, _) = composer.cursor();
    let before = composer.before_cursor();
    if let Some(rest) = before.strip_prefix('/') {
        return (row == 0 && !rest.contains(char::is_whitespace) && !rest.contains('/')).then(|| before.to_owned());
    }
    let start = before.rfind(char::is_whitespace).map_or(0, |i| before.ceil_char_boundary(i + 1));
    let token = before.get(start..)?;
    token.starts_with('@').then(|| token.to_owned())
}

/// Whether the word before the cursor needs the list of files.
#[must_use]
pub fn needs_files(composer: &Composer) -> bool {
    word(composer).is_some_and(|w| w.starts_with('@'))
}

/// Open, change or close the completions after an edit.
pub fn refresh(composer: &mut Composer, sources: &Sources<'_>) {
    let Some(typed) = word(composer) else {
        composer.popup = None;
        return;
    };
    let items = match typed.strip_prefix('/') {
        Some(query) => commands(query, sources),
        None => mentions(typed.trim_start_matches('@'), sources),
    };
    composer.popup = (!items.is_empty()).then_some(Popup { typed, items, selected: 0 });
}

/// Put the selected proposal in place of the typed word. False when nothing is open.
pub fn accept(composer: &mut Composer) -> bool {
    let Some(popup) = composer.popup.take() else { return false };
    let Some(item) = popup.item() else { return false };
    composer.replace_before(popup.typed.chars().count(), &format!("{} ", item.insert));
    true
}

fn ranked<T: AsRef<str>>(query: &str, items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
    let pattern = Pattern::parse(query, CaseMatching::Smart, Normalization::Smart);
    let mut hits = pattern.match_list(items, &mut matcher);
    // Same score: the shorter one is nearer to what was typed.
    hits.sort_by(|(a, x), (b, y)| y.cmp(x).then(a.as_ref().len().cmp(&b.as_ref().len())));
    hits.into_iter().take(KEEP).map(|(item, _)| item).collect()
}

/// A name that is matched, and its proposal.
struct Named(Item);

impl AsRef<str> for Named {
    fn as_ref(&self) -> &str {
        &self.0.label
    }
}

fn commands(query: &str, sources: &Sources<'_>) -> Vec<Item> {
    let named = |name: &str, detail: String, takes_more| Named(Item { insert: format!("/{name}"), label: format!("/{name}"), detail, takes_more });
    let built_in = COMMANDS.iter().map(|c| {
        let usage = if c.usage.is_empty() { String::new() } else { format!("{}  ", c.usage) };
        named(c.name, format!("{usage}{}", c.about), false)
    });
    let own = sources.own.iter().filter(|(n, _)| COMMANDS.iter().all(|c| c.name != n)).map(|(n, d)| named(n, d.clone(), true));
    let all = built_in.chain(own);
    let mut items: Vec<Item> = if query.is_empty() { all.map(|n| n.0).collect() } else { ranked(query, all).into_iter().map(|n| n.0).collect() };
    // What was typed in full or as a beginning comes first.
    items.sort_by_key(|i| (i.label.get(1..) != Some(query), !i.label.get(1..).unwrap_or_default().starts_with(query)));
    items
}

fn mentions(query: &str, sources: &Sources<'_>) -> Vec<Item> {
    let types = sources
        .types
        .iter()
        .filter(|t| t.enabled)
        .map(|t| Named(Item { insert: format!("@{}", t.name), label: t.name.clone(), detail: "subagent".into(), takes_more: true }));
    let mut items: Vec<Item> = if query.is_empty() { types.map(|n| n.0).collect() } else { ranked(query, types).into_iter().map(|n| n.0).collect() };
    let files: Vec<&String> = if query.is_empty() { sources.files.iter().take(KEEP).collect() } else { ranked(query, sources.files) };
    items.extend(files.into_iter().map(|f| Item { insert: format!("@{f}"), label: f.clone(), detail: String::new(), takes_more: true }));
    items.truncate(KEEP);
    items
}
