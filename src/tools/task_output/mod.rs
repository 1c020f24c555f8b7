//! `TaskOutput`: what a background task has printed or reported (SPEC S25, S26).
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
pub struct TaskOutput;

impl Tool for TaskOutput {
    fn spec(&self) -> ToolSpec {
        ToolSpec { name: "TaskOutput".into(), description: include_str!("description.md").trim_end().into(), schema: schema() }
    }

    fn class(&self, _input: &Input) -> Class {
        Class::Read
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
        needs_engine("TaskOutput")
    }
}

/// Milliseconds that are waited when nothing was said.
const DEFAULT_WAIT: u64 = 30_000;
/// Milliseconds that are waited, at most.
const MAX_WAIT: u64 = 600_000;

fn schema() -> serde_json::Value {
    json!({
        "type": "object",
        "properties": {
            "task_id": {"type": "string", "minLength": 1, "description": "The task: a1, a2, … or b1, b2, …"},
            "block": {"type": "boolean", "description": "Wait for its end (true)"},
            "timeout": {"type": "integer", "minimum": 0, "maximum": MAX_WAIT, "description": "Milliseconds to wait at most (30000)"}
        },
        "required": ["task_id"],
        "additionalProperties": false
    })
}

fn parse(input: &Input) -> Result<EngineCall, String> {
    let task = args::filled(input, "task_id")?.trim().parse().map_err(|e| format!("task_id: {e}"))?;
    let block = args::flag(input, "block") || !input.contains_key("block");
    let timeout_ms = args::whole(input, "timeout").unwrap_or(DEFAULT_WAIT).min(MAX_WAIT);
    Ok(EngineCall::TaskOutput { task, block, timeout_ms })
}
