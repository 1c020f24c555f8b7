//! What people bring, as the engine uses it: agent types, skills, instructions, memory, own commands, trust.
//!
//! Must not: run anything. Read once when a session opens, so that the prefix of its requests stays the same (SPEC P7).

use crate::config::{Config, Paths};
use crate::extend::agents::{self, AgentType};
use crate::extend::commands::{self, OwnCommand};
use crate::extend::instructions;
use crate::extend::skills::Skills;
use crate::extend::trust::{self, Status};
use crate::protocol::event::AgentTypeView;
use crate::util::text::one_line;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Everything that was read for a session.
#[derive(Default)]
pub struct Library {
    types: Vec<AgentType>,
    disabled: BTreeSet<String>,
    skills: Skills,
    instructions: String,
    memory: String,
    commands: Vec<OwnCommand>,
}

impl Library {
    /// Nothing but what the program itself brings.
    #[must_use]
    pub fn new() -> Self {
        Self { types: agents::built_in(), ..Self::default() }
    }

    /// Read everything again; returns what was wrong.
    pub fn load(&mut self, config: &Config, paths: &Paths, project: &Path, trusted: bool) -> Vec<String> {
        let mut warnings = Vec::new();
        let (types, wrong) = agents::load(&agents::dirs(paths, project, trusted, &config.subagents.extra_dirs));
        warnings.extend(wrong);
        let (skills, wrong) = Skills::discover(paths, project);
        warnings.extend(wrong);
        let (commands, wrong) = commands::discover(paths, project);
        warnings.extend(wrong);
        let texts = instructions::load(paths, project);
        let memory = instructions::load_memory(paths, project);
        warnings.extend(texts.warnings.iter().chain(&memory.warnings).cloned());
        self.types = types;
        self.skills = skills;
        self.commands = commands;
        self.instructions = texts.text();
        self.memory = memory.text();
        self.disabled = agents::load_disabled(paths);
        warnings.iter().map(ToString::to_string).collect()
    }

    /// What is known about the trust in a folder.
    #[must_use]
    pub fn trust_state(paths: &Paths, project: &Path) -> Status {
        trust::status(paths, project)
    }

    /// Keep an answer about a folder as it is now.
    ///
    /// # Errors
    /// In words: it could not be kept.
    pub fn keep_trust(paths: &Paths, project: &Path, trusted: bool) -> Result<(), String> {
        trust::remember(paths, project, trusted).map_err(|e| e.to_string())
    }

    /// A type that may be used now.
    ///
    /// # Errors
    /// In words for the model: unknown or switched off, with the list of those that can be used.
    pub fn enabled_type(&self, name: &str) -> Result<&AgentType, String> {
        let found = self.types.iter().find(|t| t.name == name).or_else(|| self.types.iter().find(|t| t.name.eq_ignore_ascii_case(name)));
        match found {
            Some(found) if !self.disabled.contains(&found.name) => Ok(found),
            other => {
                let what = if other.is_some() { "is switched off" } else { "does not exist" };
                let names: Vec<&str> = self.enabled().map(|t| t.name.as_str()).collect();
                Err(format!("the agent type {name:?} {what}; there are: {}", names.join(", ")))
            }
        }
    }

    fn enabled(&self) -> impl Iterator<Item = &AgentType> {
        self.types.iter().filter(|t| !self.disabled.contains(&t.name))
    }

    /// Switch a type on or off, kept across starts (SPEC S4).
    ///
    /// # Errors
    /// In words: there is no such type, or the answer holds only for this run.
    pub fn enable(&mut self, paths: &Paths, name: &str, enabled: bool) -> Result<(), String> {
        if !self.types.iter().any(|t| t.name == name) {
            return Err(format!("There is no agent type named {name}."));
        }
        if enabled {
            self.disabled.remove(name);
        } else {
            self.disabled.insert(name.to_owned());
        }
        agents::save_disabled(paths, &self.disabled).map_err(|e| format!("This holds for this run, but could not be kept: {e}"))
    }

    /// All types for the picker.
    #[must_use]
    pub fn type_views(&self) -> Vec<AgentTypeView> {
        let view = |t: &AgentType| AgentTypeView {
            name: t.name.clone(),
            description: one_line(&t.description, 200),
            source: t.source_label(),
            tools: t.tools_label(),
            model: t.model.clone().unwrap_or_else(|| "inherit".into()),
            enabled: !self.disabled.contains(&t.name),
        };
        self.types.iter().map(view).collect()
    }

    /// All types as text.
    #[must_use]
    pub fn types_text(&self) -> String {
        let line = |v: AgentTypeView| {
            let off = if v.enabled { "" } else { " (off)" };
            format!("{}{off} · {} · tools: {} · model: {}\n    {}", v.name, v.source, v.tools, v.model, v.description)
        };
        self.type_views().into_iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// The `Agent` tool's description with the types that can be used now.
    #[must_use]
    pub fn agent_description(&self) -> String {
        let types: Vec<(String, String, String)> = self.enabled().map(|t| (t.name.clone(), t.description.clone(), t.tools_label())).collect();
        crate::tools::agent::describe(&types)
    }

    /// A skill's body in its tag.
    ///
    /// # Errors
    /// In words for the model, with the list of skills.
    pub fn skill(&self, name: &str) -> Result<String, String> {
        self.skills.body(name)
    }

    /// The list of skills for the system text; empty when there is none.
    #[must_use]
    pub fn skill_list(&self) -> String {
        self.skills.listing()
    }

    /// The list of skills for the person.
    #[must_use]
    pub fn skills_text(&self) -> String {
        if self.skills.is_empty() { "No skills here. A folder with a SKILL.md in .tui-agent/skills is one.".into() } else { self.skills.listing() }
    }

    /// The project's and the user's instructions.
    #[must_use]
    pub fn instructions(&self) -> &str {
        &self.instructions
    }

    /// The memory files.
    #[must_use]
    pub fn memory(&self) -> &str {
        &self.memory
    }

    /// Own commands and skills: (name, description), sorted.
    #[must_use]
    pub fn commands(&self) -> Vec<(String, String)> {
        let mut all: Vec<(String, String)> = self.commands.iter().map(|c| (c.name.clone(), c.description.clone())).collect();
        let skills: Vec<(String, String)> =
            self.skills.iter().filter(|s| all.iter().all(|(n, _)| *n != s.name)).map(|s| (s.name.clone(), one_line(&s.description, 120))).collect();
        all.extend(skills);
        all.sort();
        all
    }

    /// The message that a typed `/name args` stands for: an own command, else a skill.
    ///
    /// # Errors
    /// In words: there is no such command.
    pub fn expand(&self, name: &str, args: &str) -> Result<String, String> {
        if let Some(command) = self.commands.iter().find(|c| c.name == name) {
            return Ok(command.expand(args));
        }
        let body = self.skills.body(name)?;
        Ok(if args.trim().is_empty() { body } else { format!("{body}\n\n{args}") })
    }

    /// Add a line to a memory file; returns the file.
    ///
    /// # Errors
    /// In words: it cannot be written.
    pub fn remember(paths: &Paths, project: &Path, text: &str, user: bool) -> Result<PathBuf, String> {
        let file = if user { instructions::user_memory(paths) } else { instructions::project_memory(project) };
        instructions::remember(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
        Ok(file)
    }
}
