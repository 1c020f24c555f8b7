//! Collects a command's output: bounded in memory, whole in a file once it is long, head and tail for the model (SPEC T5, CASES C04).
//!
//! Must not: cut inside a character, or keep anything without a limit.

use crate::util::clean::Cleaner;
use crate::util::{fs, text};
use std::collections::VecDeque;
use std::path::PathBuf;
use tokio::io::AsyncWriteExt;

/// Characters of one result at most, notes included.
pub(super) const MAX_RESULT: usize = 50_000;
/// Of a long output: characters from its start.
const HEAD: usize = 20_000;
/// Of a long output: characters from its end.
const TAIL: usize = 28_000;
/// Longer outputs are cut. Leaves room for notes.
const LIMIT: usize = 49_000;
/// Bytes kept in the file at most.
const MAX_FILE: u64 = 64 * 1024 * 1024;
/// Lines shown while it runs.
const PROGRESS_LINES: usize = 20;
/// Bytes shown while it runs.
const PROGRESS_BYTES: usize = 4 * 1024;
/// Lines of the display.
const DISPLAY_LINES: usize = 200;
/// Bytes of the display.
const DISPLAY_BYTES: usize = 32 * 1024;

/// Smaller pieces of the tail are joined.
const PIECE: usize = 4 * 1024;

/// Where the whole of a long output goes.
#[derive(Debug)]
enum Whole {
    /// Not needed yet.
    None,
    /// In this file, with the bytes written so far.
    File { path: PathBuf, file: tokio::fs::File, written: u64 },
    /// The file is full.
    Full(PathBuf),
    /// It could not be written.
    Failed(String),
}

/// The output of one command.
#[derive(Debug)]
pub(super) struct Output {
    cleaner: Cleaner,
    /// The start; all of it while it is short.
    head: String,
    head_chars: usize,
    /// The end, once it is long, in pieces.
    tail: VecDeque<String>,
    tail_chars: usize,
    chars: u64,
    whole: Whole,
    path: PathBuf,
    /// Bytes in the file at most: [`MAX_FILE`].
    max_file: u64,
}

impl Output {
    /// An output whose whole goes to `path` if it gets long.
    pub(super) fn new(path: PathBuf) -> Self {
        let cleaner = Cleaner::default();
        Self { cleaner, head: String::new(), head_chars: 0, tail: VecDeque::new(), tail_chars: 0, chars: 0, whole: Whole::None, path, max_file: MAX_FILE }
    }

    /// Take bytes as they come.
    pub(super) async fn push(&mut self, bytes: &[u8]) {
        let mut clean = String::new();
        self.cleaner.push(bytes, &mut clean);
        self.add(clean).await;
    }

    /// The stream ended.
    pub(super) async fn finish(&mut self) {
        let mut clean = String::new();
        self.cleaner.finish(&mut clean);
        self.add(clean).await;
        if let Whole::File { file, .. } = &mut self.whole
            && let Err(e) = file.flush().await
        {
            self.whole = Whole::Failed(e.to_string());
        }
    }

    async fn add(&mut self, clean: String) {
        if clean.is_empty() {
            return;
        }
        let chars = clean.chars().count();
        self.chars = self.chars.saturating_add(chars as u64);
        if self.tail.is_empty() && self.head_chars + chars <= LIMIT {
            self.head.push_str(&clean);
            self.head_chars += chars;
            return;
        }
        if matches!(self.whole, Whole::None) {
            self.whole = self.create().await;
            let head = std::mem::take(&mut self.head);
            self.write(&head).await;
            let (start, rest) = head.split_at(byte_of(&head, HEAD));
            start.clone_into(&mut self.head);
            self.head_chars = self.head_chars.min(HEAD);
            self.tail_chars = rest.chars().count();
            self.tail.push_back(rest.to_owned());
        }
        self.write(&clean).await;
        // A burst can be longer than the head and the tail together.
        let room = HEAD.saturating_sub(self.head_chars).min(if self.tail_chars == 0 { chars } else { 0 });
        let (start, rest) = clean.split_at(byte_of(&clean, room));
        self.head.push_str(start);
        self.head_chars += room;
        let rest_chars = chars - room;
        let skip = rest_chars.saturating_sub(TAIL);
        let kept = &rest[byte_of(rest, skip)..];
        match self.tail.back_mut().filter(|last| last.len() < PIECE) {
            Some(last) => last.push_str(kept),
            None => self.tail.push_back(kept.to_owned()),
        }
        self.tail_chars += rest_chars - skip;
        while let Some(first) = self.tail.front() {
            let first_chars = first.chars().count();
            if self.tail_chars - first_chars < TAIL {
                break;
            }
            self.tail.pop_front();
            self.tail_chars -= first_chars;
        }
    }

    async fn create(&self) -> Whole {
        let path = self.path.clone();
        let made = tokio::task::spawn_blocking(move || {
            if let Some(dir) = path.parent() {
                fs::create_private_dir(dir)?;
            }
            fs::append_private(&path)
        });
        match made.await {
            Ok(Ok(file)) => Whole::File { path: self.path.clone(), file: tokio::fs::File::from_std(file), written: 0 },
            Ok(Err(e)) => Whole::Failed(e.to_string()),
            Err(e) => Whole::Failed(e.to_string()),
        }
    }

    async fn write(&mut self, text: &str) {
        let Whole::File { path, file, written } = &mut self.whole else { return };
        let room = usize::try_from(self.max_file.saturating_sub(*written)).unwrap_or(usize::MAX);
        let part = text::head(text, room);
        let result = file.write_all(part.as_bytes()).await;
        *written += part.len() as u64;
        if let Err(e) = result {
            self.whole = Whole::Failed(e.to_string());
        } else if part.len() < text.len() {
            let _ = file.flush().await;
            self.whole = Whole::Full(path.clone());
        }
    }

    /// The last lines, for the person while it runs.
    pub(super) fn progress(&self) -> String {
        let mut text = self.end(PROGRESS_BYTES);
        text.push_str(text::tail(self.cleaner.line(), PROGRESS_BYTES));
        let start = text.trim_end_matches('\n').rmatch_indices('\n').nth(PROGRESS_LINES - 1).map_or(0, |(at, _)| at + 1);
        text.split_off(start)
    }

    /// The last bytes of what was taken in whole lines.
    fn end(&self, max: usize) -> String {
        let mut parts: Vec<&str> = Vec::new();
        let mut len = 0;
        for piece in self.tail.iter().rev().map(String::as_str).chain(std::iter::once(self.head.as_str())) {
            parts.push(text::tail(piece, max - len));
            len += parts.last().map_or(0, |p| p.len());
            if len >= max || piece.len() > max {
                break;
            }
        }
        parts.iter().rev().copied().collect()
    }

    /// What the model gets, at most [`MAX_RESULT`] characters with a short note of the caller: all, or head and tail with a note between.
    pub(super) fn result(&self) -> String {
        if self.tail.is_empty() {
            return self.head.trim_end_matches('\n').to_owned();
        }
        let tail: String = self.tail.iter().map(String::as_str).collect();
        let tail = &tail[byte_of(&tail, self.tail_chars.saturating_sub(TAIL))..];
        let dropped = self.chars.saturating_sub((self.head_chars + self.tail_chars.min(TAIL)) as u64);
        let whole = match &self.whole {
            Whole::File { path, .. } => format!("the whole output is in {}", path.display()),
            Whole::Full(path) => format!("its first {} MB are in {}", self.max_file / 1024 / 1024, path.display()),
            Whole::Failed(why) => format!("it could not be kept in a file: {why}"),
            Whole::None => "it was not kept".into(),
        };
        format!("{}\n\n[… {dropped} characters are left out here; {whole} …]\n\n{}", self.head.trim_end_matches('\n'), tail.trim_end_matches('\n'))
    }

    /// What the person sees: the first and the last lines.
    pub(super) fn display(&self) -> String {
        let result = self.result();
        let lines: Vec<&str> = result.lines().collect();
        let shown = if lines.len() <= DISPLAY_LINES {
            result
        } else {
            let half = DISPLAY_LINES / 2;
            format!("{}\n[… {} lines …]\n{}", lines[..half].join("\n"), lines.len() - 2 * half, lines[lines.len() - half..].join("\n"))
        };
        if shown.len() <= DISPLAY_BYTES {
            return shown;
        }
        format!("{}\n[…]\n{}", text::head(&shown, DISPLAY_BYTES / 2), text::tail(&shown, DISPLAY_BYTES / 2))
    }
}

/// The byte at which the n-th character starts.
fn byte_of(text: &str, n: usize) -> usize {
    if text.is_ascii() {
        return n.min(text.len());
    }
    text.char_indices().nth(n).map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn c05_limits_hold_at_every_character_width() {
        let dir = tempfile::tempdir().unwrap();
        for c in ["a", "é", "─", "🌍"] {
            for (n, len) in [LIMIT - 1, LIMIT, LIMIT + 1, MAX_RESULT * 3].into_iter().enumerate() {
                let mut output = Output::new(dir.path().join(format!("{n}{}", c.len())));
                let text = format!("{}{c}\nLAST\n", "x".repeat(len));
                for chunk in text.as_bytes().chunks(997) {
                    output.push(chunk).await;
                }
                output.finish().await;
                let result = output.result();
                assert!(result.starts_with('x') && result.ends_with("LAST") && result.chars().count() <= MAX_RESULT - 500, "{}", result.chars().count());
                assert!(output.display().len() <= DISPLAY_BYTES + 100);
                if len > LIMIT {
                    assert!(result.contains("characters are left out") && result.contains(&*dir.path().to_string_lossy()));
                    assert_eq!(std::fs::read_to_string(&output.path).unwrap(), text);
                }
            }
        }
    }

    #[tokio::test]
    async fn c04_memory_and_file_are_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let mut output = Output::new(dir.path().join("deep/x"));
        assert_eq!(output.max_file, 64 << 20);
        output.max_file = 8 << 20;
        let chunk = vec![b'y'; 1 << 20];
        for _ in 0..12 {
            output.push(&chunk).await;
            let held = output.head.capacity() + output.tail.iter().map(String::capacity).sum::<usize>();
            assert!(held < 4 << 20, "{held}");
        }
        output.push(b"\nEND\n").await;
        output.finish().await;
        assert_eq!(std::fs::metadata(&output.path).unwrap().len(), 8 << 20);
        assert!(output.result().contains("first 8 MB") && output.result().ends_with("END") && output.progress().ends_with("END\n"));
        let small = vec![b"z\n".as_slice(); 100_000];
        let mut output = Output::new(dir.path().join("y"));
        for chunk in small {
            output.push(chunk).await;
        }
        output.finish().await;
        assert!(output.tail.len() <= TAIL && output.progress().lines().count() == PROGRESS_LINES);
        assert_eq!(output.display().lines().count(), DISPLAY_LINES + 1);
    }

    #[tokio::test]
    async fn a_file_that_cannot_be_made_is_said() {
        let mut output = Output::new(PathBuf::from("/dev/null/x"));
        output.push(&vec![b'a'; 2 * MAX_RESULT]).await;
        output.finish().await;
        assert!(output.result().contains("could not be kept"));
    }
}
