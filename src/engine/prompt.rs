//! System texts (SPEC P7, S6, S7): made once per session or child, byte-stable afterwards.

use super::run::Engine;
use crate::extend::agents::AgentType;
use std::path::Path;

impl Engine {
    /// What every agent is told about its surroundings. The date is a day, fixed at the start.
    fn environment(&self, workspace: &Path) -> String {
        let git = if workspace.ancestors().any(|a| a.join(".git").exists()) { "yes" } else { "no" };
        format!(
            "# Environment\nWorking directory: {}\nGit repository: {git}\nPlatform: {}\nToday's date: {}\n",
            workspace.display(),
            std::env::consts::OS,
            self.today
        )
    }

    /// The parent's system text: base, environment, instructions, memory, skills.
    pub(super) fn main_system(&self) -> Vec<String> {
        let mut text = include_str!("../../assets/prompts/base.md").trim_end().to_owned();
        text.push_str("\n\n");
        text.push_str(&self.environment(&self.setup.workspace));
        let mut blocks = vec![text];
        let instructions = self.library.instructions();
        if !instructions.trim().is_empty() {
            blocks.push(format!("# Instructions of the project and the user\n{}", crate::util::text::escape_own_tags(instructions)));
        }
        let memory = self.library.memory();
        if !memory.trim().is_empty() {
            blocks.push(format!("# Memory\n{}", crate::util::text::escape_own_tags(memory)));
        }
        let skills = self.library.skill_list();
        if !skills.is_empty() {
            blocks.push(format!("# Skills\nLoad one with the Skill tool when its description fits the work.\n{skills}"));
        }
        blocks
    }

    /// A child's system text: base, environment, type, instructions unless its type says no, preloaded skills. Nothing
    /// of its parent's conversation, memory, to-dos or notices.
    pub(super) fn child_system(&self, kind: &AgentType, workspace: &Path) -> Vec<String> {
        let mut text = include_str!("../../assets/prompts/child.md").trim_end().to_owned();
        text.push_str("\n\n");
        text.push_str(&self.environment(workspace));
        if !kind.prompt.trim().is_empty() {
            text.push_str("\n# Your role\n");
            text.push_str(kind.prompt.trim());
            text.push('\n');
        }
        let mut blocks = vec![text];
        let instructions = self.library.instructions();
        if kind.load_instructions && !instructions.trim().is_empty() {
            blocks.push(format!("# Instructions of the project and the user\n{}", crate::util::text::escape_own_tags(instructions)));
        }
        for name in &kind.skills {
            if let Ok(body) = self.library.skill(name) {
                blocks.push(body);
            }
        }
        blocks
    }
}
