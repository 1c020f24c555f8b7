//! From a drawn buffer to the terminal: only what changed, in one write, with the hardware cursor where it belongs.
//!
//! Must not: know what is drawn. It never asks the terminal anything.

use ratatui::backend::Backend;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use unicode_width::UnicodeWidthStr;

/// Above this many bytes a frame is bracketed as a synchronized update; smaller ones arrive in one piece anyway.
const SYNC_FROM: usize = 256;

/// A writer that keeps everything back until its frame is complete.
#[derive(Debug)]
pub struct FrameWriter<W: Write> {
    out: W,
    buffer: Vec<u8>,
    held: Arc<AtomicBool>,
}

impl<W: Write> FrameWriter<W> {
    /// The writer, and the flag by which [`Screen`] holds it back.
    pub fn new(out: W) -> (Self, Arc<AtomicBool>) {
        let held = Arc::new(AtomicBool::new(false));
        (Self { out, buffer: Vec::new(), held: Arc::clone(&held) }, held)
    }
}

impl<W: Write> Write for FrameWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.held.load(Ordering::Relaxed) || self.buffer.is_empty() {
            return Ok(());
        }
        let mut frame = std::mem::take(&mut self.buffer);
        if frame.len() >= SYNC_FROM {
            let mut whole = b"\x1b[?2026h".to_vec();
            whole.append(&mut frame);
            whole.extend_from_slice(b"\x1b[?2026l");
            frame = whole;
        }
        self.out.write_all(&frame)?;
        self.out.flush()
    }
}

/// What the terminal shows now, and the backend that changes it.
#[derive(Debug)]
pub struct Screen<B: Backend> {
    backend: B,
    shown: Buffer,
    next: Buffer,
    cursor: Option<Position>,
    /// Nothing is known about what the terminal shows.
    unknown: bool,
    held: Option<Arc<AtomicBool>>,
}

fn failed(e: impl std::error::Error) -> io::Error {
    io::Error::other(e.to_string())
}

/// The second halves of wide glyphs that are about to be overwritten count as changed: not every terminal blanks them by
/// itself, and the difference of two buffers does not see them.
fn spoil_halves(shown: &mut Buffer, next: &Buffer) {
    for at in 0..shown.content.len().saturating_sub(1) {
        let (Some(old), Some(new)) = (shown.content.get(at), next.content.get(at)) else { return };
        if old.symbol().len() > 1 && old.symbol().width() > 1 && old.symbol() != new.symbol() {
            shown.content[at + 1].set_symbol("\u{fffd}");
        }
    }
}

impl<B: Backend> Screen<B> {
    /// A screen of this size. `held` is the flag of a [`FrameWriter`] below the backend, if there is one.
    pub fn new(backend: B, columns: u16, rows: u16, held: Option<Arc<AtomicBool>>) -> Self {
        let area = Rect::new(0, 0, columns, rows);
        Self { backend, shown: Buffer::empty(area), next: Buffer::empty(area), cursor: None, unknown: true, held }
    }

    /// The backend, for tests.
    pub const fn backend(&self) -> &B {
        &self.backend
    }

    /// Another size: everything is painted again.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        let area = Rect::new(0, 0, columns, rows);
        self.shown = Buffer::empty(area);
        self.next = Buffer::empty(area);
        self.unknown = true;
    }

    /// Paint everything again with the next frame.
    pub fn forget(&mut self) {
        self.shown.reset();
        self.unknown = true;
    }

    /// Draw a frame: `draw` fills an empty buffer and says where the cursor belongs (none: hidden).
    ///
    /// # Errors
    /// When the terminal cannot be written to.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Buffer) -> Option<Position>) -> io::Result<()> {
        self.next.reset();
        let cursor = draw(&mut self.next);
        if let Some(held) = &self.held {
            held.store(true, Ordering::Relaxed);
        }
        let painted = self.paint(cursor);
        if let Some(held) = &self.held {
            held.store(false, Ordering::Relaxed);
        }
        painted?;
        self.backend.flush().map_err(failed)?;
        std::mem::swap(&mut self.shown, &mut self.next);
        Ok(())
    }

    fn paint(&mut self, cursor: Option<Position>) -> io::Result<()> {
        if self.unknown {
            self.backend.clear().map_err(failed)?;
            self.shown.reset();
        }
        spoil_halves(&mut self.shown, &self.next);
        let changes = self.shown.diff(&self.next);
        // Where the terminal's own cursor stands after the last changed cell; unknown at the right edge.
        let behind = changes.last().map(|(x, y, cell)| (x.saturating_add(u16::try_from(cell.symbol().width()).unwrap_or(0)), *y, cell.symbol().is_ascii()));
        if !changes.is_empty() {
            self.backend.draw(changes.into_iter()).map_err(failed)?;
        }
        match cursor {
            Some(p) => {
                let there = match behind {
                    None => self.cursor == Some(p),
                    Some((x, y, plain)) => plain && (x, y) == (p.x, p.y) && x < self.next.area.width,
                };
                if !there || self.unknown {
                    self.backend.set_cursor_position(p).map_err(failed)?;
                }
                if self.cursor.is_none() || self.unknown {
                    self.backend.show_cursor().map_err(failed)?;
                }
            }
            None if self.cursor.is_some() || self.unknown => self.backend.hide_cursor().map_err(failed)?,
            None => {}
        }
        self.cursor = cursor;
        self.unknown = false;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::backend::TestBackend;
    use ratatui::style::Style;

    #[test]
    fn e08_both_halves_of_a_wide_glyph_are_painted_over() {
        let mut bytes = Vec::new();
        {
            let backend = ratatui::backend::CrosstermBackend::new(&mut bytes);
            let mut screen = Screen::new(backend, 10, 1, None);
            screen
                .draw(|buf| {
                    buf.set_string(0, 0, "你好a", Style::new());
                    None
                })
                .unwrap();
            screen.draw(|_| None).unwrap();
        }
        let text = String::from_utf8(bytes).unwrap();
        let second = text.rsplit('a').next().unwrap();
        assert_eq!(second.matches(' ').count(), 5, "five cells were covered: {second:?}");
    }

    #[test]
    fn the_shown_text_is_what_was_drawn() {
        let mut screen = Screen::new(TestBackend::new(6, 1), 6, 1, None);
        for text in ["你好a", "xy", "a你", ""] {
            screen
                .draw(|buf| {
                    buf.set_string(0, 0, text, Style::new());
                    None
                })
                .unwrap();
            let mut wanted = Buffer::empty(Rect::new(0, 0, 6, 1));
            wanted.set_string(0, 0, text, Style::new());
            assert_eq!(screen.backend().buffer(), &wanted, "{text}");
        }
    }
}
