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
