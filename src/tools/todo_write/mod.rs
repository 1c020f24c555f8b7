//! `TodoWrite`: the list of what is to do in this session (SPEC T6).
//!
//! Must not: do the work; the engine does, from the parsed call.

#[cfg(test)]
mod tests;

use super::session::needs_engine;
use super::{Access, Class, EngineCall, Input, Outcome, Tool, ToolContext};
use crate::protocol::{Todo, TodoStatus, ToolSpec};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

/// The tool.
#[derive(Copy, Clone, Debug, Default)]
pub struct TodoWrite;

impl Tool for TodoWrite {
    fn spec(&self) -> ToolSpec {
        ToolSpec { name: "TodoWrite".into(), description: include_str!("description.md").trim_end().into(), schema: schema() }
    }

    fn class(&self, _input: &Input) -> Class {
        Class::Write
    }

    fn access(&self, input: &Input, _ctx: &ToolContext) -> Result<Access, String> {
        parse(input)?;
        Ok(Access::session())
    }

    fn title(&self, input: &Input) -> String {
        title(input)
    }

    fn engine_call(&self, input: &Input) -> Result<Option<EngineCall>, String> {
        parse(input).map(Some)
    }

    fn run<'a>(&'a self, _input: &'a Input, _ctx: &'a ToolContext) -> BoxFuture<'a, Outcome> {
        needs_engine("TodoWrite")
    }
}

/// Entries of the list, at most.
const MAX_TODOS: usize = 20;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "todos": {
                "type": "array",
                "maxItems": MAX_TODOS,
                "description": "The whole list; it replaces the former one",
                "items": {
                    "type": "object",
                    "properties": {
                        "content": {"type": "string", "minLength": 1, "description": "What is to do: Run the tests"},
                        "status": {"type": "string", "enum": ["pending", "in_progress", "completed"]},
                        "activeForm": {"type": "string", "description": "What is being done: Running the tests"}
                    },
                    "required": ["content", "status"],
                    "additionalProperties": false
                }
            }
        },
        "required": ["todos"],
        "additionalProperties": false
    })
}

fn title(input: &Input) -> String {
    let count = input.get("todos").and_then(Value::as_array).map_or(0, Vec::len);
    format!("{count} {}", if count == 1 { "entry" } else { "entries" })
}

fn parse(input: &Input) -> Result<EngineCall, String> {
    let list = input.get("todos").and_then(Value::as_array).ok_or("todos: expected an array")?;
    if list.len() > MAX_TODOS {
        return Err(format!("todos: at most {MAX_TODOS} entries are allowed, found {}; put small steps together.", list.len()));
    }
    let mut todos = Vec::with_capacity(list.len());
    for (i, item) in list.iter().enumerate() {
        let todo: Todo = serde_json::from_value(item.clone()).map_err(|e| format!("todos[{i}]: {e}"))?;
        if todo.content.trim().is_empty() {
            return Err(format!("todos[{i}].content: must not be empty"));
        }
        todos.push(todo);
    }
    let doing = todos.iter().filter(|t| t.status == TodoStatus::InProgress).count();
    if doing > 1 {
        return Err(format!("todos: {doing} entries are in_progress; one at most may be."));
    }
    Ok(EngineCall::Todos(todos))
}
