//! `Edit`: one exact replacement in a file (SPEC T1, T2). The replacing is in [`super::files::edit`], the safety in
//! [`super::files::change`].

#[cfg(test)]
mod tests;

use super::files::change::{self, Make};
use super::files::edit::{self, Edit as Replacement};
use super::{Access, Class, Input, Outcome, Tool, ToolContext, args};
use crate::protocol::{Display, ToolSpec};
use futures_util::future::BoxFuture;
use serde_json::json;

/// The tool.
#[derive(Copy, Clone, Debug, Default)]
pub struct Edit;

impl Tool for Edit {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Edit".into(),
            description: include_str!("description.md").trim_end().into(),
            schema: json!({
                "type": "object",
                "properties": {
                    "file_path": {"type": "string", "minLength": 1, "description": "The file, absolute or relative to the project folder"},
                    "old_string": {"type": "string", "description": "The exact text to replace"},
                    "new_string": {"type": "string", "description": "The text to put in its place"},
                    "replace_all": {"type": "boolean", "description": "Replace every occurrence (false)"}
                },
                "required": ["file_path", "old_string", "new_string"],
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
        args::optional(input, "file_path").unwrap_or_default().to_owned()
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
    let edit = Replacement {
        old: args::text(input, "old_string")?.to_owned(),
        new: args::text(input, "new_string")?.to_owned(),
        all: args::flag(input, "replace_all"),
    };
    let shown = given.clone();
    let make: Make = Box::new(move |before| {
        let before = before.ok_or("it does not exist; Write makes new files.")?;
        let edited = edit::apply(before, &edit)?;
        let said = match edited.lines.as_slice() {
            [line] => format!("Edited {shown} at line {line}."),
            lines => format!("Edited {shown}: {} occurrences, the first at line {}.", lines.len(), lines.first().copied().unwrap_or(0)),
        };
        Ok((edited.bytes, said))
    });
    Ok((given, make))
}
