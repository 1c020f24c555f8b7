//! A server's answer to a call as an outcome: texts joined, pictures as pictures, everything bounded and clean.
//!
//! Reads the JSON itself: a kind of content that nobody knows yet must not cost the rest of the answer. Must not: follow
//! a link or believe a media type.

use crate::protocol::Display;
use crate::tools::Outcome;
use crate::tools::cap::{RESULT_LIMIT, cap};
use crate::util::clean::clean;
use crate::util::text::{head, one_line};
use serde_json::Value;
use std::path::PathBuf;

/// Pictures of one answer, at most.
const MAX_IMAGES: usize = 8;
/// Characters of base64 of one picture: 5 MiB.
const MAX_IMAGE: usize = 5 * 1024 * 1024 / 3 * 4;
/// Lines and bytes for the person.
const SHOWN_LINES: usize = 200;
const SHOWN_BYTES: usize = 16 * 1024;

/// What an answer holds.
#[derive(Default)]
struct Parts {
    texts: Vec<String>,
    images: Vec<(String, String)>,
}

/// The outcome of a call. `keep` is given the whole text when it is longer than what reaches the model.
pub(super) fn outcome(result: &Value, keep: &dyn Fn(&str) -> Option<PathBuf>) -> Outcome {
    let kind = result.get("resultType").and_then(Value::as_str).unwrap_or("complete");
    if kind != "complete" {
        return Outcome::error(format!("the server answered with {:?} instead of a result, which is not supported here", one_line(kind, 40)));
    }
    let mut parts = Parts::default();
    for block in result.get("content").and_then(Value::as_array).into_iter().flatten() {
        parts.block(block);
    }
    if parts.texts.iter().all(String::is_empty) && parts.images.is_empty() {
        parts.texts = structured(result).into_iter().collect();
    }
    let is_error = result.get("isError").and_then(Value::as_bool).unwrap_or(false);
    let mut whole = clean(&parts.texts.join("\n"));
    if is_error && whole.trim().is_empty() {
        "the server reported an error without words".clone_into(&mut whole);
    }
    let text = cap(&whole, RESULT_LIMIT, &|| keep(&whole)).text;
    let (lines, images) = (whole.lines().count(), parts.images.len());
    let mut outcome = if is_error { Outcome::error(text) } else { Outcome::ok(text, summary(lines, images), Display::None) };
    if lines > 0 {
        outcome.display = Display::Text { text: shown(&whole) };
    }
    outcome.images = parts.images;
    outcome
}

impl Parts {
    fn block(&mut self, block: &Value) {
        let text = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default();
        match text("type") {
            "text" => self.texts.push(text("text").to_owned()),
            "image" => self.image(text("data"), text("mimeType")),
            "resource" => self.resource(block.get("resource").unwrap_or(&Value::Null)),
            "resource_link" => {
                let words = [text("title"), text("name"), text("description")].into_iter().find(|t| !t.is_empty()).unwrap_or("resource");
                self.texts.push(format!("[{}: {}]", one_line(words, 200), one_line(text("uri"), 500)));
            }
            other => self.texts.push(format!("[content of the kind {:?} is not supported here]", one_line(other, 40))),
        }
    }

    fn image(&mut self, data: &str, named: &str) {
        let fault = if self.images.len() >= MAX_IMAGES {
            "too many pictures"
        } else if data.len() > MAX_IMAGE {
            "it is larger than 5 MiB"
        } else {
            match media(data) {
                Some(media) => return self.images.push((media.to_owned(), data.to_owned())),
                None => "it is no PNG or JPEG",
            }
        };
        self.texts.push(format!("[a picture ({}) was left out: {fault}]", one_line(named, 40)));
    }

    fn resource(&mut self, resource: &Value) {
        let text = |key: &str| resource.get(key).and_then(Value::as_str);
        let uri = one_line(text("uri").unwrap_or("resource"), 500);
        match (text("text"), text("blob")) {
            (Some(body), _) => self.texts.push(format!("[{uri}]\n{body}")),
            (None, Some(blob)) if media(blob).is_some() => self.image(blob, text("mimeType").unwrap_or_default()),
            (None, blob) => {
                let size = blob.map_or(0, |b| b.len() / 4 * 3);
                self.texts.push(format!("[{uri}: {} of about {size} bytes, not shown]", one_line(text("mimeType").unwrap_or("data"), 60)));
            }
        }
    }
}

/// The media type of base64 data by its first bytes; none when it is no picture or no valid base64. A provider refuses
/// the whole request when the type is wrong.
fn media(data: &str) -> Option<&'static str> {
    let media = if data.starts_with("iVBORw0KGgo") {
        "image/png"
    } else if data.starts_with("/9j/") {
        "image/jpeg"
    } else {
        return None;
    };
    let body = data.trim_end_matches('=');
    let coded = body.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/'));
    (coded && data.len().is_multiple_of(4) && data.len() - body.len() <= 2).then_some(media)
}

/// Structured content as JSON; or, of an answer in a form that we do not know, everything but its remarks.
fn structured(result: &Value) -> Option<String> {
    if let Some(value) = result.get("structuredContent") {
        return serde_json::to_string_pretty(value).ok();
    }
    let mut rest = result.as_object()?.clone();
    rest.retain(|key, _| !matches!(key.as_str(), "_meta" | "content" | "isError" | "resultType"));
    if rest.is_empty() { None } else { serde_json::to_string_pretty(&rest).ok() }
}

fn summary(lines: usize, images: usize) -> String {
    let count = |n: usize, one: &str| format!("{n} {one}{}", if n == 1 { "" } else { "s" });
    match (lines, images) {
        (0, 0) => "nothing".to_owned(),
        (0, n) => count(n, "picture"),
        (n, 0) => count(n, "line"),
        (n, m) => format!("{}, {}", count(n, "line"), count(m, "picture")),
    }
}

/// The start of a text for the person.
fn shown(text: &str) -> String {
    let short = head(text, SHOWN_BYTES);
    let end = short.match_indices('\n').nth(SHOWN_LINES - 1).map_or(short.len(), |(at, _)| at);
    let short = short.get(..end).unwrap_or_default();
    if short.len() == text.len() { text.to_owned() } else { format!("{short}\n…") }
}

#[cfg(test)]
#[path = "content_tests.rs"]
mod tests;
