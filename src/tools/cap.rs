//! How much of an output reaches the model (SPEC T5): head and tail, a note between, the whole in a file.
//!
//! Must not: know which tool made the output.

use crate::protocol::CallId;
use crate::util::fs::create_private_dir;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Characters of one result that reach the model, at most.
pub const RESULT_LIMIT: usize = 50_000;
/// Characters kept free for the note between head and tail.
const NOTE_ROOM: usize = 400;

/// An output as it reaches the model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Capped {
    /// The text, or its head and tail with a note between.
    pub text: String,
    /// Characters that were left out; 0 when it is whole.
    pub left_out: usize,
    /// The file with the whole, when something was left out and could be kept.
    pub file: Option<PathBuf>,
}

/// At most `max_chars` characters of a text, the note included: three fifths of head, two of tail, cut at character
/// boundaries and at line ends where one is near. `spill` is asked for the file with the whole only when it is needed.
#[must_use]
pub fn cap(text: &str, max_chars: usize, spill: &dyn Fn() -> Option<PathBuf>) -> Capped {
    // A text of so few bytes has no more characters than that.
    let total = if text.len() <= max_chars { text.len().min(max_chars) } else { text.chars().count() };
    if total <= max_chars {
        return Capped { text: text.to_owned(), left_out: 0, file: None };
    }
    let room = max_chars.saturating_sub(NOTE_ROOM.min(max_chars / 2));
    let head_chars = room / 5 * 3;
    let head = start_of(text, head_chars);
    let tail = end_of(text, room.saturating_sub(head_chars));
    let left_out = total.saturating_sub(head.chars().count()).saturating_sub(tail.chars().count());
    let file = spill();
    let place = match &file {
        Some(path) => format!("the whole output is in {}", short_path(path)),
        None => "the whole output could not be kept".to_owned(),
    };
    let mut out = String::with_capacity(head.len() + tail.len() + NOTE_ROOM);
    out.push_str(head);
    if !head.ends_with('\n') {
        out.push('\n');
    }
    out.push_str(&format_note(left_out, &place));
    out.push_str(tail);
    Capped { text: out, left_out, file }
}

fn format_note(left_out: usize, place: &str) -> String {
    format!("\n[… {left_out} characters left out; {place} …]\n\n")
}

/// The path, or its end when it is too long for the note.
fn short_path(path: &Path) -> String {
    let shown = path.to_string_lossy();
    let skip = shown.chars().count().saturating_sub(NOTE_ROOM - 120);
    if skip == 0 { shown.into_owned() } else { format!("…{}", shown.chars().skip(skip).collect::<String>()) }
}

/// The first characters, back to a line end if one is near.
fn start_of(text: &str, chars: usize) -> &str {
    let end = text.char_indices().nth(chars).map_or(text.len(), |(i, _)| i);
    let head = &text[..end];
    match head.rfind('\n') {
        Some(at) if head.len() - at < 200 => &head[..=at],
        _ => head,
    }
}

/// The last characters, on to a line start if one is near.
fn end_of(text: &str, chars: usize) -> &str {
    if chars == 0 {
        return "";
    }
    let start = text.char_indices().rev().nth(chars - 1).map_or(0, |(i, _)| i);
    let tail = &text[start..];
    match tail.find('\n') {
        Some(at) if at < 200 && at + 1 < tail.len() => &tail[at + 1..],
        _ => tail,
    }
}

/// Keep a whole output in `dir` (created with mode 0700 when missing) as a file of mode 0600 named after the call.
/// A name that is taken (calls of different agents may have the same id) gets a number.
///
/// # Errors
/// As the system says.
pub fn spill(dir: &Path, call: &CallId, content: &[u8]) -> io::Result<PathBuf> {
    create_private_dir(dir)?;
    let name: String = call.0.chars().take(80).map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' }).collect();
    let name = if name.is_empty() { "call".to_owned() } else { name };
    for n in 1..10_000u32 {
        let path = dir.join(if n == 1 { format!("{name}.txt") } else { format!("{name}-{n}.txt") });
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(&path) {
            Ok(mut file) => {
                return match file.write_all(content) {
                    Ok(()) => Ok(path),
                    Err(e) => {
                        // Half a file would be taken for the whole.
                        let _ = std::fs::remove_file(&path);
                        Err(e)
                    }
                };
            }
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "too many outputs with the same name"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t5_head_and_tail_stay_and_the_note_names_the_file() {
        let text = format!("OUTHEAD\n{}OUTTAIL\n", "y".repeat(60_000));
        let capped = cap(&text, RESULT_LIMIT, &|| Some(PathBuf::from("/state/x.txt")));
        let chars = capped.text.chars().count();
        assert!((45_000..=RESULT_LIMIT).contains(&chars), "{chars}");
        assert!(capped.text.starts_with("OUTHEAD") && capped.text.ends_with("OUTTAIL\n"));
        assert!(capped.text.contains("/state/x.txt"));
        let kept = capped.text.matches('y').count();
        assert_eq!(capped.left_out, 60_000 - kept);
    }

    #[test]
    fn c05_cuts_stand_at_character_boundaries_for_any_limit() {
        for sign in ["é", "─", "🌍", "a\u{301}"] {
            let text = sign.repeat(500);
            for max in [0, 1, 2, 3, 399, 400, 401, 499] {
                let capped = cap(&text, max, &|| None);
                assert!(capped.left_out > 0);
                assert!(capped.text.chars().count() <= max + 120, "{max}");
            }
            assert_eq!(cap(&text, text.chars().count(), &|| None).text, text);
        }
    }

    #[test]
    fn a_text_within_the_limit_is_not_spilled() {
        let capped = cap("short", 5, &|| panic!("asked for a file"));
        assert_eq!(capped, Capped { text: "short".into(), left_out: 0, file: None });
    }

    #[cfg(unix)]
    #[test]
    fn r9_a_spilled_output_is_private_and_never_overwritten() {
        use std::os::unix::fs::PermissionsExt as _;
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("a/tool-results");
        let call = CallId("toolu/../1".into());
        let one = spill(&dir, &call, b"one").unwrap();
        let two = spill(&dir, &call, b"two").unwrap();
        assert_ne!(one, two);
        assert_eq!((std::fs::read(&one).unwrap(), std::fs::read(&two).unwrap()), (b"one".to_vec(), b"two".to_vec()));
        assert_eq!(one.parent(), Some(dir.as_path()));
        let mode = |p: &Path| std::fs::metadata(p).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&dir), mode(&one)), (0o700, 0o600));
    }
}
