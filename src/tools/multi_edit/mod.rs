//! `MultiEdit`: several exact replacements in one file, all or nothing (SPEC T1, T2).

#[cfg(test)]
mod tests;

use super::files::change::{self, Make};
use super::files::edit::{self, Edit};
use super::{Access, Class, Input, Outcome, Tool, ToolContext, args};
use crate::protocol::{Display, ToolSpec};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

/// The tool.
#[derive(Copy, Clone, Debug, Default)]
pub struct MultiEdit;

impl Tool for MultiEdit {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "MultiEdit".into(),
            description: include_str!("description.md").trim_end().into(),
            schema: json!({
                "type": "object",
                "properties": {
                    "file_path": {"type": "string", "minLength": 1, "description": "The file, absolute or relative to the project folder"},
                    "edits": {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": 200,
                        "description": "The replacements, in order",
                        "items": {
                            "type": "object",
                            "properties": {
                                "old_string": {"type": "string", "description": "The exact text to replace"},
                                "new_string": {"type": "string", "description": "The text to put in its place"},
                                "replace_all": {"type": "boolean", "description": "Replace every occurrence (false)"}
                            },
                            "required": ["old_string", "new_string"],
                            "additionalProperties": false
                        }
                    }
                },
                "required": ["file_path", "edits"],
                "additionalProperties": false
            }),
        }
    }

    fn class(&self, _input: &Input) -> Class {
        Class::Write
    }

    fn access(&self, input: &Input, ctx: &ToolContext) -> Result<Access, String> {
        plan(input).map(drop)?;
        Ok(change::access(ctx, args::filled(input, "file_path")?))
    }

    fn title(&self, input: &Input) -> String {
        let path = args::optional(input, "file_path").unwrap_or_default();
        let count = input.get("edits").and_then(Value::as_array).map_or(0, Vec::len);
        format!("{path} ({count} {})", if count == 1 { "edit" } else { "edits" })
    }

    fn preview(&self, input: &Input, ctx: &ToolContext) -> Option<Display> {
        let (given, make) = plan(input).ok()?;
        change::preview(ctx, &given, make)
    }

    fn run<'a>(&'a self, input: &'a Input, ctx: &'a ToolContext) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            match plan(input) {
                Ok((given, make)) => change::change(ctx, &given, make).await,
                Err(e) => Outcome::error(e),
            }
        })
    }
}

fn plan(input: &Input) -> Result<(String, Make), String> {
    let given = args::filled(input, "file_path")?.to_owned();
    let list = input.get("edits").and_then(Value::as_array).ok_or("edits: expected an array")?;
    let mut edits = Vec::with_capacity(list.len());
    for (i, item) in list.iter().enumerate() {
        let item = item.as_object().ok_or_else(|| format!("edits[{i}]: expected an object"))?;
        let text = |name| args::text(item, name).map(str::to_owned).map_err(|e| format!("edits[{i}].{e}"));
        edits.push(Edit { old: text("old_string")?, new: text("new_string")?, all: args::flag(item, "replace_all") });
    }
    if edits.is_empty() {
        return Err("edits: must not be empty".to_owned());
    }
    let shown = given.clone();
    let make: Make = Box::new(move |before| {
        let before = before.ok_or("it does not exist; Write makes new files.")?;
        let (bytes, lines) = edit::apply_all(before, &edits).map_err(|e| if edits.len() == 1 { e } else { format!("{e}\nNo edit was made.") })?;
        if bytes == before {
            return Err("the edits undo each other: nothing would change.".to_owned());
        }
        let count: usize = lines.iter().map(Vec::len).sum();
        Ok((bytes, format!("Edited {shown}: {} edits, {count} places.", lines.len())))
    });
    Ok((given, make))
}
