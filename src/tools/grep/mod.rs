//! `Grep`: search inside files, in process, with ripgrep's own libraries (SPEC T1, CASES D07, D08).
//!
//! Must not: start a program, follow links, or let one long line or one common word flood the context.

mod filter;
mod lines;
mod render;
mod search;
#[cfg(test)]
mod tests;

use super::files::missing;
use super::files::walk::Ignored;
use super::{Access, Class, Input, Outcome, Tool, ToolContext, args, blocking};
use crate::protocol::ToolSpec;
use crate::util::text::regex_literal;
use filter::Filter;
use futures_util::future::BoxFuture;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use search::{Mode, Query};
use serde_json::json;

/// Lines of output when nothing was said.
const DEFAULT_LIMIT: usize = 250;
/// Lines of output, at most.
const MAX_LIMIT: usize = 5_000;
/// Lines around a match, at most.
const MAX_AROUND: usize = 200;

/// The tool.
#[derive(Copy, Clone, Debug, Default)]
pub struct Grep;

impl Tool for Grep {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Grep".into(),
            description: include_str!("description.md").trim_end().into(),
            schema: json!({
                "type": "object",
                "properties": {
                    "pattern": {"type": "string", "minLength": 1, "description": "The regular expression"},
                    "path": {"type": "string", "description": "A file or folder (the project folder)"},
                    "glob": {"type": "string", "description": "Only files of this pattern; `!` in front leaves them out"},
                    "type": {"type": "string", "description": "Only files of this type, such as rust, py, js"},
                    "output_mode": {"type": "string", "enum": ["content", "files_with_matches", "count"], "description": "What to print (files_with_matches)"},
                    "-i": {"type": "boolean", "description": "Ignore case"},
                    "-n": {"type": "boolean", "description": "Line numbers, with content (true)"},
                    "-A": {"type": "integer", "minimum": 0, "description": "Lines after each match, with content"},
                    "-B": {"type": "integer", "minimum": 0, "description": "Lines before each match, with content"},
                    "-C": {"type": "integer", "minimum": 0, "description": "Lines before and after each match, with content"},
                    "head_limit": {"type": "integer", "minimum": 0, "description": "Lines of output at most (250); 0 is as many as possible"},
                    "multiline": {"type": "boolean", "description": "The pattern may span lines; . also fits line ends"}
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
        matcher(input)?;
        Ok(Access::read(vec![ctx.resolve(args::optional(input, "path").unwrap_or_default())]))
    }

    fn title(&self, input: &Input) -> String {
        let pattern = args::optional(input, "pattern").unwrap_or_default();
        let place = args::optional(input, "path").or_else(|| args::optional(input, "glob")).or_else(|| args::optional(input, "type"));
        place.map_or_else(|| pattern.to_owned(), |place| format!("{pattern} in {place}"))
    }

    fn run<'a>(&'a self, input: &'a Input, ctx: &'a ToolContext) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let query = match query(input, ctx) {
                Ok(query) => query,
                Err(e) => return Outcome::error(e),
            };
            let own = ctx.clone();
            blocking::reading(ctx, move || grep(&own, &query)).await
        })
    }
}

fn query(input: &Input, ctx: &ToolContext) -> Result<Query, String> {
    let given = args::optional(input, "path");
    let mode = match args::optional(input, "output_mode") {
        Some("content") => Mode::Content,
        Some("count") => Mode::Count,
        Some(_) | None => Mode::Files,
    };
    let around = |name: &str| args::count(input, name).or_else(|| args::count(input, "-C")).unwrap_or(0).min(MAX_AROUND);
    let limit = match args::count(input, "head_limit") {
        Some(0) => MAX_LIMIT,
        limit => limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT),
    };
    let root = ctx.resolve(given.unwrap_or_default());
    Ok(Query {
        filter: Filter::new(&ctx.workspace, &root, args::optional(input, "glob"), args::optional(input, "type"))?,
        explicit: given.is_some() && root != ctx.workspace,
        given: given.unwrap_or(".").to_owned(),
        root,
        matcher: matcher(input)?,
        mode,
        before: around("-B"),
        after: around("-A"),
        numbers: args::flag(input, "-n") || !input.contains_key("-n"),
        multiline: args::flag(input, "multiline"),
        limit,
    })
}

fn matcher(input: &Input) -> Result<RegexMatcher, String> {
    let pattern = args::text(input, "pattern")?;
    if pattern.is_empty() {
        return Err("pattern: must not be empty".to_owned());
    }
    let multiline = args::flag(input, "multiline");
    let mut builder = RegexMatcherBuilder::new();
    builder.case_insensitive(args::flag(input, "-i")).multi_line(true);
    if multiline {
        builder.dot_matches_new_line(true);
    } else {
        // So that $ also fits before the CR of a CRLF; the searcher has the same line end.
        builder.crlf(true);
    }
    builder.build(pattern).map_err(|e| {
        let advice = if !multiline && (pattern.contains("\\n") || pattern.contains('\n')) {
            "To search across lines, set multiline.".to_owned()
        } else {
            format!("To find the text itself, use the pattern: {}", regex_literal(pattern))
        };
        format!("pattern: not a regular expression that can be used: {e}\n{advice}")
    })
}

fn grep(ctx: &ToolContext, query: &Query) -> Outcome {
    match std::fs::metadata(&query.root) {
        Ok(meta) if meta.is_dir() || meta.is_file() => {}
        Ok(_) => return Outcome::error(format!("{} is neither a file nor a folder; it cannot be searched.", query.given)),
        Err(e) if matches!(e.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            return Outcome::error(missing::explain(&query.root, &query.given));
        }
        Err(e) => return Outcome::error(format!("{} cannot be read: {e}", query.given)),
    }
    let mut found = search::search(query, Ignored::Out, &ctx.cancel);
    if found.hits.is_empty() && query.explicit && !ctx.cancel.is_cancelled() {
        let hidden = search::search(query, Ignored::In, &ctx.cancel);
        if !hidden.hits.is_empty() {
            found = hidden;
            found.ignored = true;
        }
    }
    if ctx.cancel.is_cancelled() {
        return Outcome::error("interrupted");
    }
    render::outcome(ctx, query, &found)
}
