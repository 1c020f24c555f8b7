//! What was found as text for the model and as a listing for the person.

use super::search::{Found, Hit, Mode, Query};
use crate::protocol::Display;
use crate::tools::cap::RESULT_LIMIT;
use crate::tools::{Outcome, ToolContext};
use std::fmt::Write as _;

/// Lines for the view.
const MAX_VIEW: usize = 60;
/// Characters kept free for the notes.
const NOTES: usize = 600;

/// The outcome of a search.
pub fn outcome(ctx: &ToolContext, query: &Query, found: &Found) -> Outcome {
    if found.hits.is_empty() {
        return nothing(query, found);
    }
    let (mut lines, mut chars, mut cut) = (Vec::new(), 0usize, found.limited);
    'all: for hit in &found.hits {
        for line in lines_of(ctx, query, hit) {
            let length = line.chars().count() + 1;
            if lines.len() >= query.limit || chars + length > RESULT_LIMIT - NOTES {
                cut = true;
                break 'all;
            }
            chars += length;
            lines.push(line);
        }
    }
    let mut text = lines.join("\n");
    if cut {
        let _ = write!(text, "\n[cut at {} lines, there are more; narrow the search by pattern, path, glob or type, or raise head_limit]", lines.len());
    }
    if found.ignored {
        text.push_str("\n[all of it is in files that are ignored by .gitignore]");
    }
    if found.failed > 0 {
        let _ = write!(text, "\n[{} files could not be searched]", found.failed);
    }
    let files = found.hits.len();
    let more = if cut { "+" } else { "" };
    let count: usize = found.hits.iter().map(|h| h.count).sum();
    let summary = match query.mode {
        Mode::Files => format!("{files}{more} {}", plural(files, "file", "files")),
        Mode::Content => format!("{count}{more} {}", plural(count, "match", "matches")),
        Mode::Count => format!("{count}{more} {} in {files} {}", plural(count, "match", "matches"), plural(files, "file", "files")),
    };
    let total = lines.len();
    let view = lines.into_iter().take(MAX_VIEW).collect();
    Outcome::ok(text, summary, Display::Listing { lines: view, total })
}

const fn plural(n: usize, one: &'static str, many: &'static str) -> &'static str {
    if n == 1 { one } else { many }
}

fn lines_of(ctx: &ToolContext, query: &Query, hit: &Hit) -> Vec<String> {
    let path = ctx.relative(&hit.path);
    match query.mode {
        Mode::Files => vec![path],
        Mode::Count => vec![format!("{path}:{}", hit.count)],
        Mode::Content => {
            let mut out = Vec::with_capacity(hit.lines.len());
            for line in &hit.lines {
                if line.gap {
                    out.push("--".to_owned());
                }
                let sign = if line.matches { ':' } else { '-' };
                let number = if query.numbers { format!("{}{sign}", line.number) } else { String::new() };
                out.push(format!("{path}{sign}{number}{}", line.text));
            }
            out
        }
    }
}

fn nothing(query: &Query, found: &Found) -> Outcome {
    let files = found.searched;
    let mut text = format!("No matches found ({files} {} searched).", plural(files, "file", "files"));
    if files == 0 {
        text.push_str(" No file fits path, glob and type; what .gitignore names is left out.");
    } else if found.binary && query.root.is_file() {
        text.push_str(" It is a binary file; the search ended at its first NUL byte.");
    }
    if found.failed > 0 {
        let _ = write!(text, " {} could not be searched.", found.failed);
    }
    Outcome::ok(text, "no matches", Display::None)
}
