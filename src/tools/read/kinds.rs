//! Files that are no text: images, notebooks, PDFs, binaries.

use crate::protocol::Display;
use crate::tools::Outcome;
use crate::util::base64;
use crate::util::text::head;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;

/// Bytes of an image, at most.
const MAX_IMAGE: usize = 5 * 1024 * 1024;
/// Bytes of one output of a notebook's cell, at most.
const MAX_OUTPUT: usize = 4_000;

/// The media type by the first bytes.
fn image_type(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some("image/png")
    } else if bytes.starts_with(b"\xff\xd8\xff") {
        Some("image/jpeg")
    } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        Some("image/gif")
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Some("image/webp")
    } else {
        None
    }
}

/// An image as such; a PDF is refused; none for everything else.
///
/// # Errors
/// In words for the model.
pub fn special(bytes: &[u8], shown: &str) -> Result<Option<Outcome>, String> {
    if bytes.starts_with(b"%PDF-") {
        return Err(format!("{shown} is a PDF; its text cannot be taken out here. If pdftotext is installed, run `pdftotext FILE -` as a command."));
    }
    let Some(media) = image_type(bytes) else { return Ok(None) };
    if bytes.len() > MAX_IMAGE {
        return Err(format!("{shown} is an image of {} KiB; the limit is {} KiB. Make it smaller first.", bytes.len() / 1024, MAX_IMAGE / 1024));
    }
    let size = bytes.len().div_ceil(1024);
    let mut outcome = Outcome::ok(format!("The image {shown} ({media}, {size} KiB)."), format!("image, {size} KiB"), Display::None);
    outcome.images.push((media.to_owned(), base64::encode(bytes)));
    Ok(Some(outcome))
}

/// Why a binary file is refused.
pub fn binary(bytes: &[u8], shown: &str) -> String {
    let kind = if bytes.starts_with(b"\x7fELF") {
        " (a program)"
    } else if bytes.starts_with(b"PK\x03\x04") {
        " (a zip archive)"
    } else if bytes.starts_with(b"\x1f\x8b") {
        " (gzip)"
    } else if bytes.starts_with(b"SQLite format 3") {
        " (an SQLite database)"
    } else {
        ""
    };
    format!("{shown} is a binary file{kind}, not text; reading it would not help. Use a command that knows its format.")
}

/// The cells of a notebook as text; none when it is no notebook or not readable as one.
pub fn notebook(path: &Path, bytes: &[u8]) -> Option<String> {
    if path.extension().is_none_or(|e| !e.eq_ignore_ascii_case("ipynb")) {
        return None;
    }
    let book: Value = serde_json::from_slice(bytes).ok()?;
    let cells = book.get("cells")?.as_array()?;
    let mut out = String::new();
    for (i, cell) in cells.iter().enumerate() {
        let kind = cell.get("cell_type").and_then(Value::as_str).unwrap_or("cell");
        let _ = writeln!(out, "--- cell {} ({kind})", i + 1);
        push_line(&mut out, &joined(cell.get("source")));
        for output in cell.get("outputs").and_then(Value::as_array).into_iter().flatten() {
            let text = output_text(output);
            let cut = head(&text, MAX_OUTPUT);
            let _ = writeln!(out, "--- output of cell {}", i + 1);
            push_line(&mut out, cut);
            if cut.len() < text.len() {
                let _ = writeln!(out, "… ({} more bytes)", text.len() - cut.len());
            }
        }
    }
    if cells.is_empty() {
        out.push_str("(a notebook without cells)\n");
    }
    Some(out)
}

fn push_line(out: &mut String, text: &str) {
    if !text.is_empty() {
        out.push_str(text.trim_end_matches('\n'));
        out.push('\n');
    }
}

/// A string, or the strings of a list.
fn joined(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(s)) => s.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => String::new(),
    }
}

fn output_text(output: &Value) -> String {
    if let Some(name) = output.get("ename").and_then(Value::as_str) {
        return format!("{name}: {}", joined(output.get("evalue")));
    }
    if output.get("text").is_some() {
        return joined(output.get("text"));
    }
    let Some(data) = output.get("data").and_then(Value::as_object) else { return String::new() };
    match data.get("text/plain") {
        Some(text) => joined(Some(text)),
        None => format!("({})", data.keys().map(String::as_str).collect::<Vec<_>>().join(", ")),
    }
}
