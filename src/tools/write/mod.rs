//! `Write`: a whole file (SPEC T1, T2). Everything about safety is in [`super::files::change`].

#[cfg(test)]
mod tests;

use super::files::change::{self, Make};
use super::files::decode::{Coding, bom, decode, detect};
use super::{Access, Class, Input, Outcome, Tool, ToolContext, args};
use crate::protocol::{Display, ToolSpec};
use futures_util::future::BoxFuture;
use serde_json::json;

/// The tool.
#[derive(Copy, Clone, Debug, Default)]
pub struct Write;

impl Tool for Write {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Write".into(),
            description: include_str!("description.md").trim_end().into(),
            schema: json!({
                "type": "object",
                "properties": {
                    "file_path": {"type": "string", "minLength": 1, "description": "The file, absolute or relative to the project folder"},
                    "content": {"type": "string", "description": "The whole new content"}
                },
                "required": ["file_path", "content"],
                "additionalProperties": false
            }),
        }
    }

    fn class(&self, _input: &Input) -> Class {
        Class::Write
    }

    fn access(&self, input: &Input, ctx: &ToolContext) -> Result<Access, String> {
        args::text(input, "content")?;
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
    let content = args::text(input, "content")?.to_owned();
    let shown = given.clone();
    let make: Make = Box::new(move |before| match before {
        None => Ok((content.into_bytes(), format!("Made {shown}."))),
        Some(before) => {
            let (bytes, kept) = replace(before, &content)?;
            Ok((bytes, format!("Wrote {shown}{kept}.")))
        }
    });
    Ok((given, make))
}

/// The content in the form of the file that it replaces: coding, mark, CRLF throughout; and words about what was kept.
fn replace(before: &[u8], content: &str) -> Result<(Vec<u8>, String), String> {
    let coding = detect(before).unwrap_or(Coding::Utf8);
    if coding == Coding::Damaged && content.contains('\u{fffd}') {
        return Err("the file has bytes that are not valid UTF-8; writing the \u{fffd} that stands for them would destroy them. Use Edit on the other parts."
            .to_owned());
    }
    let old = decode(before, coding);
    let lines = old.matches('\n').count();
    let crlf = lines > 0 && old.matches("\r\n").count() == lines && !content.contains('\r');
    let text = if crlf { content.replace('\n', "\r\n") } else { content.to_owned() };
    let foreign = |c: char| format!("the file is {}; the character {c:?} does not exist there, so nothing was written.", coding.name());
    let mark = bom(before);
    let mut out = if text.starts_with('\u{feff}') { Vec::new() } else { mark.to_vec() };
    coding.write(&coding.units(&text).map_err(foreign)?, &mut out);
    let mut kept = Vec::new();
    if crlf {
        kept.push("CRLF line ends");
    }
    if !mark.is_empty() {
        kept.push("the byte order mark");
    }
    if matches!(coding, Coding::Windows1252 | Coding::Utf16Le | Coding::Utf16Be) {
        kept.push("the encoding");
    }
    let kept = if kept.is_empty() { String::new() } else { format!(" (kept {})", kept.join(", ")) };
    Ok((out, kept))
}
