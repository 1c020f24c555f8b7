//! `Agent`: start a subagent (SPEC S3, S5). Parses and describes; the engine spawns.
//!
//! Must not: know which types exist, or start anything.

#[cfg(test)]
mod tests;

use super::session::needs_engine;
use super::{Access, Class, EngineCall, Input, Outcome, SpawnRequest, Tool, ToolContext, args};
use crate::protocol::{Budget, ToolSpec};
use crate::util::text::one_line;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Characters of a type's description in the tool's text, at most.
const MAX_TYPE_TEXT: usize = 1_200;
/// Words of a prompt that stand for a missing description.
const TITLE_WORDS: usize = 6;

/// The tool.
#[derive(Copy, Clone, Debug, Default)]
pub struct Agent;

impl Tool for Agent {
    /// With the description for no types; the engine puts in [`describe`]'s.
    fn spec(&self) -> ToolSpec {
        ToolSpec { name: "Agent".into(), description: describe::<&str>(&[]), schema: schema() }
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["Task", "task"]
    }

    fn class(&self, _input: &Input) -> Class {
        Class::Agent
    }

    fn access(&self, input: &Input, _ctx: &ToolContext) -> Result<Access, String> {
        parse(input)?;
        Ok(Access::session())
    }

    fn title(&self, input: &Input) -> String {
        let description = args::optional(input, "description").unwrap_or_default();
        match args::optional(input, "subagent_type") {
            Some(kind) => format!("{kind}: {description}"),
            None => description.to_owned(),
        }
    }

    fn engine_call(&self, input: &Input) -> Result<Option<EngineCall>, String> {
        parse(input).map(EngineCall::Spawn).map(Some)
    }

    fn run<'a>(&'a self, _input: &'a Input, _ctx: &'a ToolContext) -> BoxFuture<'a, Outcome> {
        needs_engine("Agent")
    }
}

/// The tool's text for the model with the enabled types: (name, when to use it, its tools for reading).
#[must_use]
pub fn describe<S: AsRef<str>>(types: &[(S, S, S)]) -> String {
    let mut text = include_str!("description.md").trim_end().to_owned();
    if types.is_empty() {
        return text;
    }
    text.push_str("\n\nTypes (`subagent_type`):");
    for (name, description, tools) in types {
        let when = description.as_ref().split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = write!(text, "\n- {}: {} (tools: {})", one_line(name.as_ref(), 100), one_line(&when, MAX_TYPE_TEXT), one_line(tools.as_ref(), MAX_TYPE_TEXT));
    }
    text
}

/// A call under one of the aliases needs only a prompt: its first words become the description.
/// Other names, and calls with a description, stay as they are.
pub fn normalize_alias(name: &str, input: &mut Input) {
    if !Agent.aliases().contains(&name) || args::optional(input, "description").is_some() {
        return;
    }
    let Some(prompt) = args::optional(input, "prompt") else { return };
    let words: Vec<&str> = prompt.split_whitespace().take(TITLE_WORDS).collect();
    let title = one_line(&words.join(" "), 60);
    input.insert("description".to_owned(), title.into());
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "description": {"type": "string", "minLength": 1, "description": "The task in three to six words, for the person"},
            "prompt": {"type": "string", "minLength": 1, "description": "The whole task, self-contained"},
            "subagent_type": {"type": "string", "description": "The type of agent (general-purpose)"},
            "run_in_background": {"type": "boolean", "description": "Return at once; a notice comes when it ends (false)"},
            "tool_names": {"type": "array", "items": {"type": "string"}, "description": "Only these of the type's tools"},
            "model": {"type": "string", "description": "Another model"},
            "max_turns": {"type": "integer", "minimum": 1, "description": "Requests at most (30)"},
            "fork": {"type": "boolean", "description": "Start from a copy of this conversation (false)"},
            "isolation": {"type": "string", "enum": ["none", "worktree"], "description": "worktree: its own copy of the project and branch (none)"},
            "budget": {
                "type": "object",
                "description": "Its own limits; when one is reached it reports what it has",
                "properties": {
                    "tokens": {"type": "integer", "minimum": 0, "description": "Input and output tokens of all its requests"},
                    "cost_usd": {"type": "number", "minimum": 0, "description": "US dollars"},
                    "seconds": {"type": "number", "minimum": 0, "description": "Seconds of work"}
                },
                "additionalProperties": false
            }
        },
        "required": ["description", "prompt"],
        "additionalProperties": false
    })
}

fn parse(input: &Input) -> Result<SpawnRequest, String> {
    let strings = |name: &str| {
        let list = input.get(name).and_then(Value::as_array)?;
        Some(list.iter().filter_map(Value::as_str).map(|s| s.trim().to_owned()).filter(|s| !s.is_empty()).collect::<Vec<_>>())
    };
    let limits = input.get("budget").and_then(Value::as_object);
    let amount = |name: &str| limits.and_then(|b| b.get(name)).and_then(Value::as_f64).filter(|n| n.is_finite() && *n >= 0.0);
    Ok(SpawnRequest {
        description: args::filled(input, "description")?.trim().to_owned(),
        prompt: args::filled(input, "prompt")?.to_owned(),
        kind: args::optional(input, "subagent_type").map(|k| k.trim().to_owned()),
        background: input.get("run_in_background").and_then(Value::as_bool),
        // Models fill in an empty list for "not given"; a child without any tool is never meant.
        tool_names: strings("tool_names").filter(|names| !names.is_empty()),
        model: args::optional(input, "model").map(|m| m.trim().to_owned()),
        max_turns: args::whole(input, "max_turns").map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
        fork: args::flag(input, "fork"),
        isolation: args::optional(input, "isolation").filter(|i| *i != "none").map(str::to_owned),
        budget: Budget { tokens: limits.and_then(|b| b.get("tokens")).and_then(Value::as_u64), cost_usd: amount("cost_usd"), seconds: amount("seconds") },
    })
}
