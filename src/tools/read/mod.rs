//! `Read`: a file as numbered lines, in pages; images and notebooks (SPEC T1, T2).
//!
//! Must not: write, wait for a FIFO or a device, or hold more of a huge file than a window.

mod kinds;
mod page;
#[cfg(test)]
mod tests;
mod window;

use super::files::decode::{decode, detect};
use super::files::{ContentHash, hash, load};
use super::{Access, Class, Input, Outcome, Tool, ToolContext, args, blocking};
use crate::protocol::{Display, ToolSpec};
use futures_util::future::BoxFuture;
use page::{Ask, Page};
use serde_json::json;
use std::path::Path;

/// The tool.
#[derive(Copy, Clone, Debug, Default)]
pub struct Read;

impl Tool for Read {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Read".into(),
            description: include_str!("description.md").trim_end().into(),
            schema: json!({
                "type": "object",
                "properties": {
                    "file_path": {"type": "string", "minLength": 1, "description": "The file, absolute or relative to the project folder"},
                    "offset": {"type": "integer", "minimum": 0, "description": "The first line, from 1"},
                    "limit": {"type": "integer", "minimum": 1, "description": "Lines at most (2000)"},
                    "byte_offset": {"type": "integer", "minimum": 0, "description": "Begin at this byte of the text instead of a line; for very long lines"}
                },
                "required": ["file_path"],
                "additionalProperties": false
            }),
        }
    }

    fn class(&self, _input: &Input) -> Class {
        Class::Read
    }

    fn access(&self, input: &Input, ctx: &ToolContext) -> Result<Access, String> {
        let path = ctx.resolve(args::filled(input, "file_path")?);
        ctx.locks.decide(ctx.agent, &ctx.call, &path);
        Ok(Access::read(vec![path]))
    }

    fn title(&self, input: &Input) -> String {
        let path = args::optional(input, "file_path").unwrap_or_default();
        match (args::whole(input, "offset"), args::whole(input, "limit")) {
            (None, None) => path.to_owned(),
            (from, None) => format!("{path}:{}", from.unwrap_or(1).max(1)),
            (from, Some(limit)) => {
                let from = from.unwrap_or(1).max(1);
                format!("{path}:{from}-{}", from.saturating_add(limit).saturating_sub(1))
            }
        }
    }

    fn run<'a>(&'a self, input: &'a Input, ctx: &'a ToolContext) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let given = match args::filled(input, "file_path") {
                Ok(given) => given.to_owned(),
                Err(e) => return Outcome::error(e),
            };
            let path = ctx.resolve(&given);
            if ctx.locks.decided(ctx.agent, &ctx.call).is_some_and(|decided| decided != path) {
                return Outcome::error(format!("{given} now leads to another place than when it was decided about (a link changed). Try again."));
            }
            let ask = Ask { offset: args::count(input, "offset"), limit: args::count(input, "limit"), byte: args::whole(input, "byte_offset") };
            let own = ctx.clone();
            blocking::reading(ctx, move || read(&own, &path, &given, &ask).unwrap_or_else(Outcome::error)).await
        })
    }
}

fn read(ctx: &ToolContext, path: &Path, given: &str, ask: &Ask) -> Result<Outcome, String> {
    let (mut file, meta) = load::open(path, given)?;
    if meta.len() > load::MAX_WHOLE {
        let window = window::read(&mut file, given, ask, &ctx.cancel)?;
        return Ok(outcome(&window));
    }
    let bytes = load::all_of(file, given)?;
    if bytes.is_empty() {
        ctx.reads.learn(path, ContentHash::default().end());
        return Ok(Outcome::ok("(the file is empty)", "empty", Display::None));
    }
    let special = kinds::special(&bytes, given)?;
    let notebook = kinds::notebook(path, &bytes);
    let page = if let Some(image) = special {
        ctx.reads.learn(path, hash(&bytes));
        return Ok(image);
    } else if let Some(cells) = notebook {
        let mut page = Page::of(&cells, ask)?;
        page.notes.insert(0, "a notebook, shown as cells; the file itself is JSON".to_owned());
        page
    } else {
        let coding = detect(&bytes).ok_or_else(|| kinds::binary(&bytes, given))?;
        let mut page = Page::of(&decode(&bytes, coding), ask)?;
        if coding != super::files::decode::Coding::Utf8 {
            page.notes.push(format!("encoding: {}; edits keep it", coding.name()));
        }
        page
    };
    ctx.reads.learn(path, hash(&bytes));
    Ok(outcome(&page))
}

fn outcome(page: &Page) -> Outcome {
    let mut text = page.text.clone();
    for note in &page.notes {
        text.push_str("\n[");
        text.push_str(note);
        text.push(']');
    }
    let summary = if page.lines == 1 { "1 line".to_owned() } else { format!("{} lines", page.lines) };
    Outcome::ok(text, summary, Display::None)
}
