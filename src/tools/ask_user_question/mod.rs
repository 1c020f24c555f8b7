//! `AskUserQuestion`: one to four questions to the person (SPEC T7).
//!
//! Must not: do the work; the engine does, from the parsed call.

#[cfg(test)]
mod tests;

use super::session::needs_engine;
use super::{Access, Class, EngineCall, Input, Outcome, Tool, ToolContext};
use crate::protocol::ToolSpec;
use crate::protocol::permission::Question;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

/// The tool.
#[derive(Copy, Clone, Debug, Default)]
pub struct AskUserQuestion;

impl Tool for AskUserQuestion {
    fn spec(&self) -> ToolSpec {
        ToolSpec { name: "AskUserQuestion".into(), description: include_str!("description.md").trim_end().into(), schema: schema() }
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
        needs_engine("AskUserQuestion")
    }
}

/// Questions of one call, at most.
const MAX_QUESTIONS: usize = 4;
/// Options of one question, at most.
const MAX_OPTIONS: usize = 8;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "questions": {
                "type": "array",
                "minItems": 1,
                "maxItems": MAX_QUESTIONS,
                "items": {
                    "type": "object",
                    "properties": {
                        "question": {"type": "string", "minLength": 1, "description": "The whole question"},
                        "header": {"type": "string", "description": "A word or two above it"},
                        "options": {
                            "type": "array",
                            "maxItems": MAX_OPTIONS,
                            "description": "What can be chosen; the best one first. Free text is always possible",
                            "items": {
                                "type": "object",
                                "properties": {
                                    "label": {"type": "string", "minLength": 1, "description": "A few words"},
                                    "description": {"type": "string", "description": "What choosing it means"}
                                },
                                "required": ["label"],
                                "additionalProperties": false
                            }
                        },
                        "multiSelect": {"type": "boolean", "description": "Several can be chosen (false)"}
                    },
                    "required": ["question"],
                    "additionalProperties": false
                }
            }
        },
        "required": ["questions"],
        "additionalProperties": false
    })
}

fn title(input: &Input) -> String {
    let list = input.get("questions").and_then(Value::as_array);
    let first = list.and_then(|l| l.first()).and_then(|q| q.get("question")).and_then(Value::as_str);
    first.unwrap_or_default().to_owned()
}

fn parse(input: &Input) -> Result<EngineCall, String> {
    let list = input.get("questions").and_then(Value::as_array).ok_or("questions: expected an array")?;
    if list.is_empty() || list.len() > MAX_QUESTIONS {
        return Err(format!("questions: 1 to {MAX_QUESTIONS} are possible, found {}.", list.len()));
    }
    let mut questions = Vec::with_capacity(list.len());
    for (i, item) in list.iter().enumerate() {
        let question: Question = serde_json::from_value(item.clone()).map_err(|e| format!("questions[{i}]: {e}"))?;
        if question.question.trim().is_empty() {
            return Err(format!("questions[{i}].question: must not be empty"));
        }
        if question.options.len() > MAX_OPTIONS {
            return Err(format!("questions[{i}].options: at most {MAX_OPTIONS} are possible, found {}.", question.options.len()));
        }
        questions.push(question);
    }
    Ok(EngineCall::Ask(questions))
}
