//! `TaskStop`: end a background task, at once or with a last report (SPEC S19).
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
pub struct TaskStop;

impl Tool for TaskStop {
    fn spec(&self) -> ToolSpec {
        ToolSpec { name: "TaskStop".into(), description: include_str!("description.md").trim_end().into(), schema: schema() }
    }

    fn class(&self, _input: &Input) -> Class {
        Class::Write
    }

    fn access(&self, input: &Input, _ctx: &ToolContext) -> Result<Access, String> {
        parse(input)?;
        Ok(Access::session())
    }

    fn title(&self, input: &Input) -> String {
        args::optional(input, "task_id").unwrap_or_default().to_owned()
    }

    fn engine_call(&self, input: &Input) -> Result<Option<EngineCall>, String> {
        parse(input).map(Some)
    }

    fn run<'a>(&'a self, _input: &'a Input, _ctx: &'a ToolContext) -> BoxFuture<'a, Outcome> {
        needs_engine("TaskStop")
    }
}

fn schema() -> serde_json::Value {
    json!({
        "type": "object",
        "properties": {
            "task_id": {"type": "string", "minLength": 1, "description": "The task: a1, a2, … or b1, b2, …"},
            "report": {"type": "boolean", "description": "Let an agent write its report first (false)"}
        },
        "required": ["task_id"],
        "additionalProperties": false
    })
}

fn parse(input: &Input) -> Result<EngineCall, String> {
    let task = args::filled(input, "task_id")?.trim().parse().map_err(|e| format!("task_id: {e}"))?;
    Ok(EngineCall::TaskStop { task, report: args::flag(input, "report") })
}
