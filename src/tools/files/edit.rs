//! Replacing an exact text in a file's bytes (SPEC T2): only the bytes that differ between the old and the new text
//! change. Works on units of the file's own coding, so odd bytes, marks and line ends elsewhere stay as they are.
//!
//! Pure: no files. A `\n` of the old text also matches `\r\n`; a `\n` of the new text takes the line end of its place.

mod hint;

use super::decode::{Coding, detect};

const LF: u16 = 0x0a;
const CR: u16 = 0x0d;
/// Line numbers that are listed for an ambiguous text, at most.
const MAX_LISTED: usize = 20;

/// One replacement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// What is there.
    pub old: String,
    /// What shall be there.
    pub new: String,
    /// Every occurrence instead of the only one.
    pub all: bool,
}

/// What an edit made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edited {
    /// The new content.
    pub bytes: Vec<u8>,
    /// The lines where the occurrences began, from 1, in the content before.
    pub lines: Vec<usize>,
}

/// Apply one edit to a content.
///
/// # Errors
/// In words for the model; the content is then unchanged: empty or equal texts, no or several occurrences (with their
/// lines), a character that the file's coding does not have.
pub fn apply(content: &[u8], edit: &Edit) -> Result<Edited, String> {
    if edit.old.is_empty() {
        return Err("old_string is empty: give the text that shall be replaced (Write replaces a whole file).".to_owned());
    }
    if edit.old == edit.new {
        return Err("old_string and new_string are the same: nothing would change.".to_owned());
    }
    let Some(coding) = detect(content) else {
        return Err("it is a binary file; it cannot be edited as text.".to_owned());
    };
    let foreign = |c: char| format!("the file is {}; the character {c:?} does not exist there, so the edit is refused.", coding.name());
    // An old text with a character that the coding lacks cannot be in the file either.
    let Ok(old) = coding.units(&edit.old) else { return Err(hint::not_found(content, coding, &edit.old)) };
    let new = coding.units(&edit.new).map_err(foreign)?;
    let text = Text { bytes: content, coding, lenient: !old.contains(&CR) };
    let found = text.find(&old);
    if found.is_empty() {
        return Err(hint::not_found(content, coding, &edit.old));
    }
    if found.len() > 1 && !edit.all {
        return Err(ambiguous(&text.lines_of(&found)));
    }
    let chosen = apart(&text, &old, &found);
    Ok(Edited { bytes: text.splice(&chosen, &old, &new), lines: text.lines_of(&chosen) })
}

fn ambiguous(lines: &[usize]) -> String {
    let mut listed: Vec<String> = lines.iter().take(MAX_LISTED).map(ToString::to_string).collect();
    if lines.len() > MAX_LISTED {
        listed.push("…".to_owned());
    }
    format!(
        "old_string occurs {} times, at the lines {}. Give more of the text around the one that you mean, or set replace_all.",
        lines.len(),
        listed.join(", ")
    )
}

/// The occurrences that do not overlap, from the first on.
fn apart(text: &Text<'_>, old: &[u16], found: &[usize]) -> Vec<usize> {
    let (mut chosen, mut free) = (Vec::with_capacity(found.len()), 0);
    for &at in found {
        if at >= free {
            chosen.push(at);
            free = text.walk(at, old).unwrap_or(at);
        }
    }
    chosen
}

/// A content to search in.
struct Text<'a> {
    bytes: &'a [u8],
    coding: Coding,
    /// A `\n` also matches `\r\n`.
    lenient: bool,
}

impl Text<'_> {
    fn unit(&self, at: usize) -> Option<u16> {
        self.coding.unit(self.bytes, at)
    }

    /// The byte offset behind `needle`, when it stands at `at`.
    fn walk(&self, mut at: usize, needle: &[u16]) -> Option<usize> {
        let width = self.coding.width();
        for &wanted in needle {
            let unit = self.unit(at)?;
            if self.lenient && wanted == LF && unit == CR && self.unit(at + width) == Some(LF) {
                at += 2 * width;
            } else if unit == wanted {
                at += width;
            } else {
                return None;
            }
        }
        Some(at)
    }

    /// The byte offsets of all occurrences, overlapping ones too.
    fn find(&self, needle: &[u16]) -> Vec<usize> {
        let Some(&first) = needle.first() else { return Vec::new() };
        let width = self.coding.width();
        let mut found = Vec::new();
        for at in (0..self.bytes.len()).step_by(width) {
            let unit = self.unit(at);
            let begins = unit == Some(first) || (self.lenient && first == LF && unit == Some(CR));
            // The LF of a CRLF belongs to the occurrence that began at the CR.
            let inside = self.lenient && first == LF && unit == Some(LF) && at >= width && self.unit(at - width) == Some(CR);
            if begins && !inside && self.walk(at, needle).is_some() {
                found.push(at);
            }
        }
        found
    }

    /// The line numbers of rising byte offsets, from 1.
    fn lines_of(&self, offsets: &[usize]) -> Vec<usize> {
        let (mut line, mut at) = (1, 0);
        let width = self.coding.width();
        let mut lines = Vec::with_capacity(offsets.len());
        for &offset in offsets {
            while at < offset {
                line += usize::from(self.unit(at) == Some(LF));
                at += width;
            }
            lines.push(line);
        }
        lines
    }

    /// The content with the old text replaced at these offsets. What both texts have in common at their start and end is
    /// kept byte for byte, so that mixed line ends inside an occurrence stay.
    fn splice(&self, offsets: &[usize], old: &[u16], new: &[u16]) -> Vec<u8> {
        let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let room = old.len().min(new.len()) - start;
        let end = old.iter().rev().zip(new.iter().rev()).take(room).take_while(|(a, b)| a == b).count();
        let (old_start, old_body) = (&old[..start], &old[..old.len() - end]);
        let mut out = Vec::with_capacity(self.bytes.len().saturating_add(new.len()));
        let mut copied = 0;
        for &at in offsets {
            let (Some(from), Some(to), Some(last)) = (self.walk(at, old_start), self.walk(at, old_body), self.walk(at, old)) else { continue };
            out.extend_from_slice(&self.bytes[copied..from]);
            let crlf = self.lenient && self.crlf_near(at, last);
            for (i, &unit) in new.iter().enumerate().take(new.len() - end).skip(start) {
                let bare = unit == LF && (i == 0 || new[i - 1] != CR);
                if bare && crlf {
                    self.coding.write(&[CR], &mut out);
                }
                self.coding.write(&[unit], &mut out);
            }
            copied = to;
        }
        out.extend_from_slice(&self.bytes[copied..]);
        out
    }

    /// Whether the line end in the range, else the next, else the former one, is CRLF.
    fn crlf_near(&self, from: usize, to: usize) -> bool {
        let width = self.coding.width();
        let is_lf = |at: &usize| self.unit(*at) == Some(LF);
        let forward = (from..self.bytes.len()).step_by(width).find(is_lf);
        let near = forward.filter(|at| *at < to).or(forward).or_else(|| (from % width..from).step_by(width).rev().find(is_lf));
        near.is_some_and(|at| at >= width && self.unit(at - width) == Some(CR))
    }
}

/// Apply edits one after the other, each to what the former made; all or nothing.
///
/// # Errors
/// Of the first edit that fails, with its number from 1 when there are several.
pub fn apply_all(content: &[u8], edits: &[Edit]) -> Result<(Vec<u8>, Vec<Vec<usize>>), String> {
    let mut bytes = content.to_vec();
    let mut lines = Vec::with_capacity(edits.len());
    for (i, edit) in edits.iter().enumerate() {
        let edited = apply(&bytes, edit).map_err(|e| if edits.len() == 1 { e } else { format!("edit {} of {}: {e}", i + 1, edits.len()) })?;
        bytes = edited.bytes;
        lines.push(edited.lines);
    }
    Ok((bytes, lines))
}
