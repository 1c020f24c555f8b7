//! A page of a file that is too large to be held: only a window is read. Such a file cannot be edited, so nothing is learnt.

use super::page::{Ask, Page, Stretch};
use crate::tools::files::decode::{bom, detect};
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use tokio_util::sync::CancellationToken;

/// Bytes of the window.
const WINDOW: usize = 4 * 1024 * 1024;

/// The page that was asked for.
///
/// # Errors
/// In words for the model: unreadable, binary, or a start behind the end.
pub fn read(file: &mut File, shown: &str, ask: &Ask, cancel: &CancellationToken) -> Result<Page, String> {
    let failed = |e: std::io::Error| format!("{shown} cannot be read: {e}");
    let mut head = Vec::new();
    file.take(8 * 1024).read_to_end(&mut head).map_err(failed)?;
    if detect(&head).is_none_or(|c| c.width() > 1) {
        return Err(super::kinds::binary(&head, shown));
    }
    let mark = u64::try_from(bom(&head).len()).unwrap_or(0);
    let (byte, line) = if let Some(byte) = ask.byte {
        (byte, 1)
    } else {
        let line = ask.offset.unwrap_or(1).max(1);
        file.seek(SeekFrom::Start(mark)).map_err(failed)?;
        (line_start(file, line, shown, cancel)?, line)
    };
    file.seek(SeekFrom::Start(byte.saturating_add(mark))).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(u64::try_from(WINDOW).unwrap_or(0)).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.is_empty() {
        return Err(format!("{shown} ends before that place."));
    }
    let more = bytes.len() == WINDOW;
    // A character that the window cuts belongs to the part before or after it.
    let skip = bytes.iter().take(3).take_while(|b| **b & 0xc0 == 0x80).count();
    let whole = bytes.get(skip..).unwrap_or_default();
    let whole = match std::str::from_utf8(whole) {
        Err(e) if e.error_len().is_none() => whole.get(..e.valid_up_to()).unwrap_or_default(),
        Ok(_) | Err(_) => whole,
    };
    let byte = byte.saturating_add(u64::try_from(skip).unwrap_or(0));
    let text = String::from_utf8_lossy(whole);
    let mut page = Page::of_stretch(&Stretch { text: &text, line, byte, total: None, more }, ask);
    if ask.byte.is_some() {
        page.notes.push("the line numbers count from byte_offset, not from the start of the file".to_owned());
    }
    page.notes.push("a very large file: it can be read in parts and searched, not edited".to_owned());
    Ok(page)
}

/// The byte where a line begins, from the present place of the file on.
fn line_start(file: &mut File, line: usize, shown: &str, cancel: &CancellationToken) -> Result<u64, String> {
    let mut buffer = vec![0; 256 * 1024];
    let (mut at, mut seen) = (0u64, 1usize);
    while seen < line {
        if cancel.is_cancelled() {
            return Err("interrupted".to_owned());
        }
        let n = file.read(&mut buffer).map_err(|e| format!("{shown} cannot be read: {e}"))?;
        if n == 0 {
            return Err(format!("offset {line} is behind the end: the file has {seen} lines."));
        }
        for (i, _) in buffer.iter().take(n).enumerate().filter(|(_, b)| **b == b'\n') {
            seen += 1;
            if seen == line {
                return Ok(at.saturating_add(u64::try_from(i + 1).unwrap_or(0)));
            }
        }
        at = at.saturating_add(u64::try_from(n).unwrap_or(0));
    }
    Ok(at)
}
