//! Agent types: built in, and from Markdown files in the format that other agents use too (SPEC S1, S2, S4).
//!
//! Must not: decide which of a type's tools exist; that is known only when a child is made.

use super::files::{clean_name, find, is_markdown, read, warn};
use super::frontmatter::{Document, Field};
use crate::config::{Paths, Warning};
use crate::protocol::{Budget, Mode};
use crate::util::fs::{read_regular, write_private};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// Characters of a description; what is longer is cut.
const MAX_DESCRIPTION: usize = 2000;

/// Which of its parent's tools a type has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ToolSet {
    /// All that a child may have.
    All,
    /// These only, as far as they exist.
    List(Vec<String>),
}

/// Where a type comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// The program.
    BuiltIn,
    /// A folder of the person.
    User,
    /// A folder of the project.
    Project,
    /// A folder that the configuration names.
    Extra,
}

/// A kind of subagent.
#[derive(Clone, PartialEq, Debug)]
pub struct AgentType {
    /// Unique.
    pub name: String,
    /// When to use it, for the model that chooses.
    pub description: String,
    /// Its part of the system text.
    pub prompt: String,
    /// Its tools.
    pub tools: ToolSet,
    /// Taken from `tools`.
    pub disallowed: Vec<String>,
    /// It can change nothing.
    pub read_only: bool,
    /// Another model than its parent's.
    pub model: Option<String>,
    /// How much to think: `low`, `medium`, `high`.
    pub effort: Option<String>,
    /// Requests at most.
    pub max_turns: Option<u32>,
    /// Skills whose text it starts with.
    pub skills: Vec<String>,
    /// It runs in the background unless the call says otherwise.
    pub background: bool,
    /// It gets the project's instructions.
    pub load_instructions: bool,
    /// Another mode; it can only be stricter than its parent's.
    pub mode: Option<Mode>,
    /// `worktree`.
    pub isolation: Option<String>,
    /// Its own limits.
    pub budget: Budget,
    /// Where it comes from.
    pub source: Source,
    /// The file; none for built-in ones.
    pub path: Option<PathBuf>,
}

impl AgentType {
    /// For the picker: `built-in`, `user`, `project`, or the file's path.
    #[must_use]
    pub fn source_label(&self) -> String {
        match (&self.source, &self.path) {
            (Source::BuiltIn, _) => "built-in".into(),
            (Source::User, _) => "user".into(),
            (Source::Project, _) => "project".into(),
            (Source::Extra, path) => path.as_ref().map_or_else(|| "extra".into(), |p| p.display().to_string()),
        }
    }

    /// For reading: `all`, or the names; without what is taken away.
    #[must_use]
    pub fn tools_label(&self) -> String {
        let taken = |n: &&String| !self.disallowed.contains(n);
        match &self.tools {
            ToolSet::All if self.disallowed.is_empty() => "all".into(),
            ToolSet::All => format!("all but {}", self.disallowed.join(", ")),
            ToolSet::List(names) => names.iter().filter(taken).map(String::as_str).collect::<Vec<_>>().join(", "),
        }
    }

    /// Whether the type as such lets a tool through.
    #[must_use]
    pub fn has_tool(&self, name: &str) -> bool {
        let listed = match &self.tools {
            ToolSet::All => true,
            ToolSet::List(names) => names.iter().any(|n| matches(n, name)),
        };
        listed && !self.disallowed.iter().any(|n| matches(n, name))
    }
}

/// A name of a list against a tool's name; `mcp__server__*` and `mcp__server` stand for all tools of a server.
fn matches(pattern: &str, name: &str) -> bool {
    let of_server = |p: &str| p.starts_with("mcp__") && name.strip_prefix(p).is_some_and(|rest| rest.starts_with("__"));
    pattern == name || pattern.strip_suffix('*').is_some_and(|p| name.starts_with(p)) || of_server(pattern)
}

/// A folder with types.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentDir {
    /// The folder; it need not exist.
    pub path: PathBuf,
    /// Whose it is.
    pub source: Source,
}

/// The folders in order of precedence: the project's (only when trusted), the person's, those of the configuration.
#[must_use]
pub fn dirs(paths: &Paths, project: &Path, trusted: bool, extra: &[PathBuf]) -> Vec<AgentDir> {
    let of = |path: PathBuf, source| AgentDir { path, source };
    let own =
        if trusted { vec![of(project.join(".tui-agent/agents"), Source::Project), of(project.join(".claude/agents"), Source::Project)] } else { Vec::new() };
    let user = [of(paths.config.join("agents"), Source::User), of(paths.home.join(".claude/agents"), Source::User)];
    let extra = extra.iter().map(|p| of(p.clone(), Source::Extra));
    own.into_iter().chain(user).chain(extra).collect()
}

/// All types, sorted by name, and what is wrong with files. Of two with one name the one in the earlier folder counts.
#[must_use]
pub fn load(dirs: &[AgentDir]) -> (Vec<AgentType>, Vec<Warning>) {
    let (mut types, mut warnings): (Vec<AgentType>, Vec<Warning>) = (Vec::new(), Vec::new());
    let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
    for dir in dirs {
        for path in find(&dir.path, &is_markdown) {
            if !seen.insert(std::fs::canonicalize(&path).unwrap_or_else(|_| path.clone())) {
                continue; // The home can be the project.
            }
            let Some(document) = read(&path, &mut warnings) else { continue };
            let Some(new) = from_document(&document, &path, dir.source.clone(), &mut warnings) else { continue };
            match types.iter().find(|t| t.name == new.name) {
                Some(old) if old.path.as_ref().is_some_and(|p| p.starts_with(&dir.path)) => {
                    let message = format!(
                        "the agent type {:?} stands already in {}; this file is ignored",
                        new.name,
                        old.path.as_deref().unwrap_or(Path::new("")).display()
                    );
                    warnings.push(warn(&path, message));
                }
                Some(_) => {}
                None => types.push(new),
            }
        }
    }
    for new in built_in() {
        if types.iter().all(|t| t.name != new.name) {
            types.push(new);
        }
    }
    types.sort_by(|a, b| a.name.cmp(&b.name));
    (types, warnings)
}

/// The types of the program itself.
#[must_use]
pub fn built_in() -> Vec<AgentType> {
    let base = |name: &str, description: &str, prompt: &str| AgentType {
        name: name.into(),
        description: description.into(),
        prompt: prompt.trim().into(),
        tools: ToolSet::All,
        disallowed: Vec::new(),
        read_only: false,
        model: None,
        effort: None,
        max_turns: None,
        skills: Vec::new(),
        background: false,
        load_instructions: true,
        mode: None,
        isolation: None,
        budget: Budget::default(),
        source: Source::BuiltIn,
        path: None,
    };
    let reader = |t: AgentType| AgentType {
        tools: ToolSet::List(["Read", "Grep", "Glob", "Bash"].map(String::from).to_vec()),
        read_only: true,
        load_instructions: false,
        effort: Some("low".into()),
        ..t
    };
    vec![
        base(
            "general-purpose",
            "Any task of several steps, research and changes alike, when no other type fits better.",
            include_str!("../../assets/prompts/general-purpose.md"),
        ),
        reader(base(
            "Explore",
            "Read-only. Finds out where and how something is done in the code base: searches many files, reads the parts that matter, returns places as path:line. Say how thorough it should be.",
            include_str!("../../assets/prompts/explore.md"),
        )),
        reader(base(
            "Plan",
            "Read-only. Studies the code base and returns a plan for a change: steps, files, risks.",
            include_str!("../../assets/prompts/plan.md"),
        )),
    ]
}

fn from_document(d: &Document, path: &Path, source: Source, warnings: &mut Vec<Warning>) -> Option<AgentType> {
    if !d.has_head && path.file_stem().is_some_and(|s| s.eq_ignore_ascii_case("readme")) {
        return None; // A note to readers of the folder.
    }
    let (name, description) = (d.text(&["name"]).map(|n| clean_name(&n)).filter(|n| !n.is_empty()), d.text(&["description"]));
    let (Some(name), Some(description)) = (&name, &description) else {
        let missing = [name.is_none().then_some("name"), description.is_none().then_some("description")];
        let missing: Vec<&str> = missing.into_iter().flatten().collect();
        warnings.push(warn(path, format!("no agent type: {} missing in the head of the file", missing.join(" and "))));
        return None;
    };
    let mut problems = Vec::new();
    let tools = d.list(&["tools"]).map_or(ToolSet::All, |names| tool_set(&names, &mut problems));
    let new = AgentType {
        name: name.clone(),
        description: description.chars().take(MAX_DESCRIPTION).collect(),
        prompt: d.body.trim().to_owned(),
        tools,
        disallowed: d.list(&["disallowedTools"]).map_or_else(Vec::new, |names| names.iter().map(|n| bare(n).to_owned()).collect()),
        read_only: flag(d, &["readOnly"], false, &mut problems),
        model: d.text(&["model"]).filter(|m| m != "inherit" && m != "default"),
        effort: d.text(&["effort"]).filter(|e| e != "inherit").map(|e| e.to_lowercase()),
        max_turns: number(d.field(&["maxTurns"]), "maxTurns", &mut problems),
        skills: d.list(&["skills"]).unwrap_or_default(),
        background: flag(d, &["background", "run_in_background"], false, &mut problems),
        load_instructions: flag(d, &["loadInstructions"], true, &mut problems),
        mode: d.text(&["permissionMode"]).and_then(|m| mode(&m, &mut problems)),
        isolation: d.text(&["isolation"]).filter(|i| known_isolation(i, &mut problems)),
        budget: d.field(&["budget"]).map_or_else(Budget::default, |f| budget(f, &mut problems)),
        source,
        path: Some(path.to_path_buf()),
    };
    warnings.extend(problems.into_iter().map(|p| warn(path, p)));
    Some(new)
}

fn tool_set(names: &[String], problems: &mut Vec<String>) -> ToolSet {
    if names.iter().any(|n| matches!(n.as_str(), "*" | "all")) {
        return ToolSet::All;
    }
    let with_pattern: Vec<&str> = names.iter().filter(|n| bare(n) != n.as_str()).map(String::as_str).collect();
    if !with_pattern.is_empty() {
        problems.push(format!("tools: {} — the part in brackets has no effect here; what may run is decided by the permission rules", with_pattern.join(", ")));
    }
    let mut list: Vec<String> = Vec::new();
    for name in names.iter().map(|n| bare(n)) {
        if !list.iter().any(|n| n == name) {
            list.push(name.to_owned());
        }
    }
    ToolSet::List(list)
}

/// `Bash(git:*)` → `Bash`.
fn bare(name: &str) -> &str {
    name.split_once('(').map_or(name, |(n, _)| n).trim()
}

fn flag(d: &Document, names: &[&str], default: bool, problems: &mut Vec<String>) -> bool {
    let Some(text) = d.text(names) else { return default };
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => true,
        "false" | "no" | "off" | "0" => false,
        _ => {
            problems.push(format!("{}: expected true or false, not {text:?}; {default} is taken", names.first().unwrap_or(&"")));
            default
        }
    }
}

fn number<T: std::str::FromStr + PartialOrd + From<u8>>(field: Option<&Field>, name: &str, problems: &mut Vec<String>) -> Option<T> {
    let text = field.map(Field::text).filter(|t| !t.is_empty())?;
    let value = text.replace('_', "").parse().ok().filter(|n| *n > T::from(0));
    if value.is_none() {
        problems.push(format!("{name}: expected a number above 0, not {text:?}; it is ignored"));
    }
    value
}

/// Our names, and those of other agents' files.
fn mode(text: &str, problems: &mut Vec<String>) -> Option<Mode> {
    let found = Mode::from_name(text).or(match text {
        "acceptEdits" | "accept_edits" => Some(Mode::AcceptEdits),
        "bypassPermissions" => Some(Mode::Bypass),
        "dontAsk" => Some(Mode::Default),
        _ => None,
    });
    if found.is_none() {
        problems.push(format!("permissionMode: {text:?} is not known; it is ignored"));
    }
    found
}

fn known_isolation(text: &str, problems: &mut Vec<String>) -> bool {
    if text != "worktree" && text != "none" {
        problems.push(format!("isolation: only \"worktree\" is known, not {text:?}; it is ignored"));
    }
    text == "worktree"
}

fn budget(field: &Field, problems: &mut Vec<String>) -> Budget {
    let finite = |n: Option<f64>| n.filter(|f| f.is_finite());
    Budget {
        tokens: number(field.get("tokens"), "budget.tokens", problems),
        cost_usd: finite(number(field.get("cost_usd"), "budget.cost_usd", problems)),
        seconds: finite(number(field.get("seconds"), "budget.seconds", problems)),
    }
}

/// The names of disabled types, from `state/agents.json` (SPEC S4). A missing or damaged file disables nothing.
#[must_use]
pub fn load_disabled(paths: &Paths) -> BTreeSet<String> {
    let text = read_regular(&paths.state.join("agents.json"), 1024 * 1024).unwrap_or_default();
    let names = serde_json::from_str::<serde_json::Value>(&text).ok().and_then(|v| v.get("disabled").cloned());
    names.and_then(|n| serde_json::from_value(n).ok()).unwrap_or_default()
}

/// Keep the names of disabled types.
///
/// # Errors
/// As the system says.
pub fn save_disabled(paths: &Paths, disabled: &BTreeSet<String>) -> io::Result<()> {
    let text = serde_json::to_vec_pretty(&serde_json::json!({ "disabled": disabled }))?;
    write_private(&paths.state.join("agents.json"), &text)
}

#[cfg(test)]
#[path = "agents_tests.rs"]
mod tests;
