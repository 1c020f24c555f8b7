//! `Skill`: the body of a skill into the conversation (SPEC X2).
//!
//! Must not: do the work; the engine does, from the parsed call.

#[cfg(test)]
mod tests;

use super::session::needs_engine;
use super::{Access, Class, EngineCall, Input, Outcome, Tool, ToolContext, args};
use crate::protocol::ToolSpec;
use futures_util::future::BoxFuture;
use serde_json::json;

/// The tool.
#[derive(Copy, Clone, Debug, Default)]
pub struct Skill;

impl Tool for Skill {
    fn spec(&self) -> ToolSpec {
        ToolSpec { name: "Skill".into(), description: include_str!("description.md").trim_end().into(), schema: schema() }
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["load_skill"]
    }

    fn class(&self, _input: &Input) -> Class {
        Class::Read
    }

    fn access(&self, input: &Input, _ctx: &ToolContext) -> Result<Access, String> {
        parse(input)?;
        Ok(Access::session())
    }

    fn title(&self, input: &Input) -> String {
        name(input).unwrap_or_default().to_owned()
    }

    fn engine_call(&self, input: &Input) -> Result<Option<EngineCall>, String> {
        parse(input).map(Some)
    }

    fn run<'a>(&'a self, _input: &'a Input, _ctx: &'a ToolContext) -> BoxFuture<'a, Outcome> {
        needs_engine("Skill")
    }
}

fn schema() -> serde_json::Value {
    json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1, "description": "The skill, as the list in the system text names it"},
            "args": {"type": "string", "description": "What to do with it"}
        },
        "required": ["name"],
        "additionalProperties": false
    })
}

/// The skill's name; also under the other field names that models use for it.
fn name(input: &Input) -> Option<&str> {
    ["name", "skill", "skill_name", "command"].into_iter().find_map(|field| args::optional(input, field)).map(|n| n.trim().trim_start_matches('/'))
}

/// Put the name under `name` when it came as `skill` or the like. Run it before the arguments are checked.
pub fn normalize(input: &mut Input) {
    if !input.contains_key("name")
        && let Some(found) = name(input).map(str::to_owned)
    {
        for other in ["skill", "skill_name", "command"] {
            input.remove(other);
        }
        input.insert("name".to_owned(), found.into());
    }
}

fn parse(input: &Input) -> Result<EngineCall, String> {
    let name = name(input).filter(|n| !n.is_empty()).ok_or("name is missing")?.to_owned();
    Ok(EngineCall::Skill { name, args: args::optional(input, "args").unwrap_or_default().to_owned() })
}
