//! Why an old text was not found, as exactly as can be said: line numbers in it, other white space, a first line that
//! is there while the rest differs. Never a looser match: the model repeats the edit with the right text.

use crate::tools::files::decode::{Coding, decode};
use crate::util::clean::visible;

/// Lines of a candidate that are shown, at most.
const MAX_SHOWN: usize = 12;
/// Places that are named, at most.
const MAX_PLACES: usize = 5;

/// Words for the model.
pub fn not_found(content: &[u8], coding: Coding, old: &str) -> String {
    let text = decode(content, coding);
    let base = "old_string was not found in the file.";
    if let Some(plain) = without_numbers(old)
        && text.replace("\r\n", "\n").contains(&plain)
    {
        return format!("{base} It holds the line numbers of Read; give the text without them.");
    }
    if old.contains('\u{fffd}') && coding == Coding::Damaged {
        return format!("{base} The file has bytes that are not valid UTF-8 (shown as \u{fffd}); they cannot be matched. Leave them out of old_string.");
    }
    let file: Vec<&str> = text.lines().collect();
    let wanted: Vec<String> = old.trim_matches('\n').lines().map(squeeze).collect();
    if wanted.iter().all(String::is_empty) {
        return format!("{base} It is white space only.");
    }
    let places = same_but_white_space(&file, &wanted);
    if let Some(&first) = places.first() {
        let listed: Vec<String> = places.iter().take(MAX_PLACES).map(|p| (p + 1).to_string()).collect();
        let shown = numbered(&file, first, wanted.len());
        return format!("{base} The same text with other white space is at line {}. The file has:\n{shown}", listed.join(", "));
    }
    match partial(&file, &wanted) {
        Some((at, same)) if wanted.len() > 1 => format!(
            "{base} Its first {same} of {} lines are at line {}, what follows differs. The file has:\n{}",
            wanted.len(),
            at + 1,
            numbered(&file, at, wanted.len())
        ),
        _ => format!("{base} Read the file again and copy the text exactly."),
    }
}

/// The text without `   12<tab>` at each line, when every line has it.
fn without_numbers(old: &str) -> Option<String> {
    let mut lines = Vec::new();
    for line in old.split('\n') {
        let (number, rest) = line.split_once('\t')?;
        let digits = number.trim_start();
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        lines.push(rest);
    }
    Some(lines.join("\n"))
}

/// A line without white space.
fn squeeze(line: &str) -> String {
    line.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Where all the lines stand, white space aside (from 0).
fn same_but_white_space(file: &[&str], wanted: &[String]) -> Vec<usize> {
    // A single short word inside a line is not worth naming places for.
    let squeezed: Vec<String> = file.iter().map(|l| squeeze(l)).collect();
    (0..squeezed.len())
        .filter(|&at| wanted.iter().enumerate().all(|(i, w)| squeezed.get(at + i).is_some_and(|l| l == w || (wanted.len() == 1 && l.contains(w.as_str())))))
        .take(MAX_PLACES)
        .collect()
}

/// The place where most lines from the first on are the same, and how many.
fn partial(file: &[&str], wanted: &[String]) -> Option<(usize, usize)> {
    let mut best: Option<(usize, usize)> = None;
    for at in 0..file.len() {
        let same = wanted.iter().enumerate().take_while(|(i, w)| !w.is_empty() && file.get(at + i).is_some_and(|l| squeeze(l) == **w)).count();
        if same > best.map_or(0, |(_, b)| b) {
            best = Some((at, same));
        }
    }
    best
}

/// Lines with their numbers, as Read shows them.
fn numbered(file: &[&str], from: usize, count: usize) -> String {
    let lines = file.iter().enumerate().skip(from).take(count.clamp(1, MAX_SHOWN));
    lines.map(|(i, l)| format!("{:>6}\t{}", i + 1, visible(l.get(..l.floor_char_boundary(500)).unwrap_or(l)))).collect::<Vec<_>>().join("\n")
}
