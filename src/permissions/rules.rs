//! Rules: `Tool` or `Tool(pattern)` (SPEC R3).
//!
//! `Bash(git status:*)`: the first words of a simple command, then anything; without `:*` the very same words.
//! `Edit(src/**)`: files that any tool writes; `Read(…)`: files that any tool or command reads; other names mean their own tool. Patterns are
//! seen from the workspace, or absolute with `/` or `~/`; one without a slash matches at any depth; a folder stands for all in it.
//! `WebFetch(domain:example.org)`: the host and those below it. `mcp__server__*`: all tools of a server.
//!
//! Must not: decide. A rule only says whether it matches.

use super::Touch;
use super::shell::{self, Arg, Simple};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use std::fmt;
use std::path::Path;

#[cfg(test)]
mod tests;

/// The rule name of commands.
const COMMANDS: &str = "Bash";
/// The rule name of everything that writes files.
const WRITERS: &str = "Edit";
/// The rule name of everything that reads files.
const READERS: &str = "Read";
/// Names whose pattern is a path.
const PATH_TOOLS: [&str; 7] = ["Edit", "Write", "MultiEdit", "NotebookEdit", "Read", "Glob", "Grep"];

/// A parsed rule. Two rules are equal when their texts are.
#[derive(Clone, Debug)]
pub struct Rule {
    text: String,
    tool: String,
    pattern: Pattern,
}

#[derive(Clone, Debug)]
enum Pattern {
    Any,
    Command { words: Vec<Arg>, open: bool },
    Path { base: Base, set: GlobSet },
    Domain(String),
}

/// Where a path pattern starts.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Base {
    Workspace,
    Root,
    Home,
}

/// The folders that path patterns are seen from.
#[derive(Copy, Clone, Debug)]
pub struct Bases<'a> {
    /// The project.
    pub workspace: &'a Path,
    /// The person's home.
    pub home: &'a Path,
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Rule {}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Rule {
    /// Read a rule.
    ///
    /// # Errors
    /// What is wrong with it, for the person. A rule that cannot be read must be reported: above all a deny rule is never dropped in silence.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (tool, inner) = match text.split_once('(') {
            None => (text, None),
            Some((tool, rest)) => (tool.trim_end(), Some(rest.strip_suffix(')').ok_or_else(|| format!("rule `{text}`: the closing `)` is missing"))?.trim())),
        };
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '*' | '.');
        if tool.is_empty() || !tool.chars().all(is_name) {
            return Err(format!("rule `{text}`: expected `Tool` or `Tool(pattern)`"));
        }
        let pattern = match inner {
            None | Some("*" | "**" | ":*") => Pattern::Any,
            Some("") => return Err(format!("rule `{text}`: the pattern is empty")),
            Some(inner) => match inner.strip_prefix("domain:") {
                Some(domain) => Pattern::Domain(domain.trim().trim_start_matches("*.").trim_end_matches('.').to_ascii_lowercase()),
                None if tool == COMMANDS => command(inner).map_err(|e| format!("rule `{text}`: {e}"))?,
                None if PATH_TOOLS.contains(&tool) => path(inner).map_err(|e| format!("rule `{text}`: {e}"))?,
                None => return Err(format!("rule `{text}`: {tool} takes no pattern but `domain:…`")),
            },
        };
        Ok(Self { text: text.to_owned(), tool: tool.to_owned(), pattern })
    }

    /// As it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it covers a tool as a whole, whatever the call touches.
    #[must_use]
    pub fn is_whole(&self, tool: &str, touch: &Touch) -> bool {
        matches!(self.pattern, Pattern::Any)
            && (self.names(tool) || (self.tool == WRITERS && !touch.writes.is_empty()) || (self.tool == COMMANDS && touch.command.is_some()))
    }

    /// Whether it covers everything that is written to files by whatever means.
    #[must_use]
    pub fn is_whole_writer(&self) -> bool {
        matches!(self.pattern, Pattern::Any) && (self.tool == WRITERS || self.tool == "Write" || self.tool == "*")
    }

    /// Whether its pattern matches a file that a tool writes (`None`: a redirection of a command).
    #[must_use]
    pub fn matches_write(&self, tool: Option<&str>, file: &Path, bases: Bases<'_>) -> bool {
        let named = self.tool == WRITERS || tool.map_or(self.tool == "Write", |t| self.names(t));
        named && self.matches_path(file, bases)
    }

    /// Whether its pattern matches a file that a tool reads (`None`: a command).
    #[must_use]
    pub fn matches_read(&self, tool: Option<&str>, file: &Path, bases: Bases<'_>) -> bool {
        (self.tool == READERS || tool.is_some_and(|t| self.names(t))) && self.matches_path(file, bases)
    }

    /// Whether its pattern matches the host that a tool contacts.
    #[must_use]
    pub fn matches_host(&self, tool: &str, host: &str) -> bool {
        let Pattern::Domain(domain) = &self.pattern else { return false };
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        self.names(tool) && (host == *domain || host.strip_suffix(domain.as_str()).is_some_and(|h| h.ends_with('.')))
    }

    /// Whether it covers one of the layers of a simple command (`timeout 5 git status` has two).
    #[must_use]
    pub fn allows_command(&self, command: &Simple) -> bool {
        let Pattern::Command { words, open } = &self.pattern else { return false };
        command.layers.iter().any(|l| l.starts_with(words) && (*open || (l.len() == words.len() && !command.more_args)))
    }

    /// The same for a rule that forbids: the program's folder does not matter, and more arguments can only make it worse.
    #[must_use]
    pub fn forbids_command(&self, command: &Simple) -> bool {
        let Pattern::Command { words, open } = &self.pattern else { return false };
        command.layers.iter().any(|layer| {
            let Some((name, args)) = layer.split_first() else { return false };
            let base = Arg { text: name.text.rsplit('/').next().unwrap_or_default().to_owned(), ..name.clone() };
            let same_name = words.first().is_some_and(|w| *w == *name || *w == base);
            same_name && args.starts_with(&words[1..]) && (*open || args.len() + 1 == words.len() || command.more_args)
        })
    }

    /// Whether its first word occurs in a text that is not understood.
    #[must_use]
    pub fn occurs_in(&self, text: &str) -> bool {
        let Pattern::Command { words, .. } = &self.pattern else { return false };
        let Some(name) = words.first() else { return true };
        let bare: String = text.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+');
        let hit = |t: &str| t.split(|c| !is_word(c)).any(|w| w == name.text || w.rsplit('/').next() == Some(name.text.as_str()));
        hit(text) || hit(&bare)
    }

    fn names(&self, tool: &str) -> bool {
        match self.tool.split_once('*') {
            None => self.tool == tool || (self.tool.starts_with("mcp__") && tool.strip_prefix(&self.tool).is_some_and(|t| t.starts_with("__"))),
            Some((start, "")) => tool.starts_with(start),
            Some(_) => GlobBuilder::new(&self.tool).build().is_ok_and(|g| g.compile_matcher().is_match(tool)),
        }
    }

    fn matches_path(&self, file: &Path, bases: Bases<'_>) -> bool {
        let Pattern::Path { base, set } = &self.pattern else { return false };
        let from = match base {
            Base::Workspace => bases.workspace,
            Base::Root => Path::new("/"),
            Base::Home => bases.home,
        };
        let relative = file.strip_prefix(from).ok().or_else(|| file.strip_prefix(super::paths::resolve(from)).ok());
        relative.is_some_and(|r| set.is_match(r))
    }
}

fn command(text: &str) -> Result<Pattern, String> {
    let start = text.strip_suffix(":*").or_else(|| text.strip_suffix(" *")).map(str::trim_end);
    let mut parsed = shell::parse(start.unwrap_or(text)).map_err(|e| format!("not one plain command ({e})"))?;
    let only = parsed.pop().filter(|c| parsed.is_empty() && c.redirects.is_empty());
    let words = only.and_then(|c| c.layers.into_iter().next()).ok_or("not one plain command")?;
    Ok(Pattern::Command { words, open: start.is_some() })
}

fn path(text: &str) -> Result<Pattern, String> {
    let (base, pattern) = match text.strip_prefix('/') {
        Some(rest) => (Base::Root, rest.trim_start_matches('/')),
        None => text.strip_prefix("~/").map_or((Base::Workspace, text.trim_start_matches("./")), |rest| (Base::Home, rest)),
    };
    let pattern = pattern.trim_end_matches('/');
    let mut set = GlobSetBuilder::new();
    let mut add = |glob: &str| -> Result<(), String> {
        set.add(GlobBuilder::new(glob).literal_separator(true).build().map_err(|e| e.kind().to_string())?);
        Ok(())
    };
    add(if pattern.is_empty() { "**" } else { pattern })?;
    add(&format!("{pattern}/**"))?;
    if base == Base::Workspace && !pattern.contains('/') {
        add(&format!("**/{pattern}"))?;
        add(&format!("**/{pattern}/**"))?;
    }
    Ok(Pattern::Path { base, set: set.build().map_err(|e| e.to_string())? })
}
