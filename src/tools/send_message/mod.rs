//! `SendMessage`: words for a child, running or finished (SPEC S19).
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
pub struct SendMessage;

impl Tool for SendMessage {
    fn spec(&self) -> ToolSpec {
        ToolSpec { name: "SendMessage".into(), description: include_str!("description.md").trim_end().into(), schema: schema() }
    }

    fn class(&self, _input: &Input) -> Class {
        Class::Write
    }

    fn access(&self, input: &Input, _ctx: &ToolContext) -> Result<Access, String> {
        parse(input)?;
        Ok(Access::session())
    }

    fn title(&self, input: &Input) -> String {
        args::optional(input, "agent_id").unwrap_or_default().to_owned()
    }

    fn engine_call(&self, input: &Input) -> Result<Option<EngineCall>, String> {
        parse(input).map(Some)
    }

    fn run<'a>(&'a self, _input: &'a Input, _ctx: &'a ToolContext) -> BoxFuture<'a, Outcome> {
        needs_engine("SendMessage")
    }
}

fn schema() -> serde_json::Value {
    json!({
        "type": "object",
        "properties": {
            "agent_id": {"type": "string", "minLength": 1, "description": "The agent: a1, a2, …"},
            "message": {"type": "string", "minLength": 1, "description": "What it shall know or do"},
            "run_in_background": {"type": "boolean", "description": "Don't wait for a finished agent's new report (false)"}
        },
        "required": ["agent_id", "message"],
        "additionalProperties": false
    })
}

fn parse(input: &Input) -> Result<EngineCall, String> {
    let agent: crate::protocol::AgentId = args::filled(input, "agent_id")?.trim().parse().map_err(|e| format!("agent_id: {e}"))?;
    if agent.is_main() {
        return Err("agent_id: main is the agent that the person talks to; messages go to its agents a1, a2, …".to_owned());
    }
    let message = args::filled(input, "message")?.to_owned();
    Ok(EngineCall::SendMessage { agent, message, background: args::flag(input, "run_in_background") })
}
