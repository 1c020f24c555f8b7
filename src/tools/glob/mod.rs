//! `Glob`: files by name (SPEC T1, CASES D08). Must not: open files, or follow links to folders.

mod find;
#[cfg(test)]
mod tests;

use super::files::walk::Ignored;
use super::{Access, Class, Input, Outcome, Tool, ToolContext, args, blocking};
use crate::protocol::{Display, ToolSpec};
use find::{Found, Query};
use futures_util::future::BoxFuture;
use serde_json::json;
use std::fmt::Write as _;

/// Files that are listed, at most.
const MAX_LISTED: usize = 200;
/// Ignored files that are named when nothing else fits and no folder was given, at most.
const MAX_IGNORED: usize = 20;
/// Lines for the view.
const MAX_VIEW: usize = 60;

/// The tool.
#[derive(Copy, Clone, Debug, Default)]
pub struct Glob;

impl Tool for Glob {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Glob".into(),
            description: include_str!("description.md").trim_end().into(),
            schema: json!({
                "type": "object",
                "properties": {
                    "pattern": {"type": "string", "minLength": 1, "description": "The pattern of names or paths"},
                    "path": {"type": "string", "description": "The folder to look in (the project folder)"}
                },
                "required": ["pattern"],
                "additionalProperties": false
            }),
        }
    }

    fn class(&self, _input: &Input) -> Class {
        Class::Read
    }

    fn access(&self, input: &Input, ctx: &ToolContext) -> Result<Access, String> {
        let query = query(input, ctx)?;
        Ok(Access::read(vec![query.base]))
    }

    fn title(&self, input: &Input) -> String {
        let pattern = args::optional(input, "pattern").unwrap_or_default();
        args::optional(input, "path").map_or_else(|| pattern.to_owned(), |path| format!("{pattern} in {path}"))
    }

    fn run<'a>(&'a self, input: &'a Input, ctx: &'a ToolContext) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let query = match query(input, ctx) {
                Ok(query) => query,
                Err(e) => return Outcome::error(e),
            };
            let own = ctx.clone();
            blocking::reading(ctx, move || glob(&own, &query)).await
        })
    }
}

fn query(input: &Input, ctx: &ToolContext) -> Result<Query, String> {
    Query::new(ctx, args::filled(input, "pattern")?, args::optional(input, "path"))
}

fn glob(ctx: &ToolContext, query: &Query) -> Outcome {
    if let Err(e) = query.check_base() {
        return Outcome::error(e);
    }
    let found = find::find(query, Ignored::Out, &ctx.cancel);
    if ctx.cancel.is_cancelled() {
        return Outcome::error("interrupted");
    }
    if found.total > 0 {
        return listing(ctx, &found, MAX_LISTED, "");
    }
    let hidden = find::find(query, Ignored::In, &ctx.cancel);
    if hidden.total == 0 {
        return Outcome::ok(format!("No files match {}.", query.shown), "no files", Display::None);
    }
    let most = if query.explicit { MAX_LISTED } else { MAX_IGNORED };
    listing(ctx, &hidden, most, "Only files that are ignored by .gitignore match:\n")
}

fn listing(ctx: &ToolContext, found: &Found, most: usize, head: &str) -> Outcome {
    let lines: Vec<String> = found.files.iter().take(most).map(|(_, path)| ctx.relative(path)).collect();
    let mut text = format!("{head}{}", lines.join("\n"));
    if found.total > lines.len() || found.cut {
        let least = if found.cut { "at least " } else { "" };
        let _ = write!(text, "\n[{} of {least}{} files, the newest first; narrow the pattern to see others]", lines.len(), found.total);
    }
    let summary = if found.total == 1 { "1 file".to_owned() } else { format!("{} files", found.total) };
    let lines = lines.into_iter().take(MAX_VIEW).collect();
    Outcome::ok(text, summary, Display::Listing { lines, total: found.total })
}
