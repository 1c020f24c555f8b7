//! Cells of a conversation: items laid out into rows, cached by (id, width, version).
//!
//! Finished cells are laid out once; an open text is laid out from its open block on. Must not: lay out what nobody looks
//! at, keep rows without bounds, or let a control byte through.

mod agent;
mod message;
pub mod signs;
mod tool;

pub use agent::thousands;
pub use message::plain;

use super::model::{Item, ItemKind, Model, ToolState};
use super::theme::Theme;
use super::widgets::markdown::{Look, Rows, Stream};
use ratatui::text::Line;
use std::collections::HashMap;

/// Rows that are kept, the current frame's aside (those may be twice as many).
const MAX_ROWS: usize = 20_000;

/// Bytes between two frames from which on an open text is drawn without colours of code: it runs by unread.
const FLOOD: usize = 8 * 1024;

/// What a layout depends on beside the item.
#[derive(Copy, Clone, Debug)]
pub struct Ctx<'a> {
    /// For the rows of children and commands.
    pub model: &'a Model,
    /// Colours.
    pub theme: &'a Theme,
    /// Cells of a row.
    pub width: usize,
    /// Milliseconds since the Unix epoch.
    pub now: u64,
    /// Reasoning unfolded.
    pub show_thinking: bool,
    /// Outputs, reports and long messages unfolded.
    pub expand: bool,
}

/// Laid-out rows of cells. For all conversations: item ids are unique in the process.
#[derive(Debug, Default)]
pub struct Cache {
    entries: HashMap<u64, Entry>,
    rows: usize,
    /// Counts frames.
    frame: u64,
    /// The frame of the last eviction.
    swept: u64,
    /// Counts looks at cells.
    uses: u64,
    theme: Option<Theme>,
    work: Work,
}

/// What was laid out so far: for tests of linearity.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Work {
    /// Cells that were laid out from their start.
    pub cells: u64,
    /// Bytes of Markdown that were laid out, repetitions of open blocks included.
    pub bytes: u64,
}

#[derive(Debug, Default)]
struct Entry {
    key: Option<Key>,
    rows: Rows,
    /// While a text is open.
    stream: Option<Box<Stream>>,
    /// Bytes of the text at the last layout.
    length: usize,
    /// So much came at once that colours wait for a calmer frame.
    hurries: bool,
    /// When it was looked at last.
    used: u64,
    /// In which frame.
    frame: u64,
}

/// When one of these changes, a cell is laid out from its start.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Key {
    width: usize,
    flags: u8,
    version: u32,
    live: u64,
}

impl Cache {
    /// A frame begins. Another theme empties the cache.
    pub fn begin(&mut self, theme: &Theme) {
        self.frame += 1;
        if self.theme.as_ref() != Some(theme) {
            self.clear();
            self.theme = Some(theme.clone());
        }
    }

    /// Forget all rows.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.rows = 0;
    }

    /// What was laid out so far.
    #[must_use]
    pub fn work(&self) -> Work {
        self.work
    }

    /// Rows that are kept.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.rows
    }

    /// The rows of a cell, laid out if needed. None of them is wider than the context says.
    pub fn rows(&mut self, item: &Item, ctx: &Ctx<'_>) -> &[Line<'static>] {
        let key = Key { width: ctx.width, flags: u8::from(ctx.show_thinking) | (u8::from(ctx.expand) << 1), version: item.version, live: live(item, ctx) };
        let fresh = self.entries.get(&item.id).is_some_and(|e| e.key == Some(key));
        if !fresh {
            if self.rows > 2 * MAX_ROWS || (self.rows > MAX_ROWS && self.swept != self.frame) {
                self.evict();
            }
            let entry = self.entries.entry(item.id).or_default();
            let before = entry.rows.lines.len();
            entry.lay_out(item, key, ctx, &mut self.work);
            self.rows = self.rows + entry.rows.lines.len() - before;
        }
        self.uses += 1;
        let (used, frame) = (self.uses, self.frame);
        let entry = self.entries.entry(item.id).or_default();
        (entry.used, entry.frame) = (used, frame);
        &entry.rows.lines
    }

    /// One row of a cell, with its colours: they are made for the rows that are looked at.
    pub fn row(&mut self, item: &Item, row: usize, ctx: &Ctx<'_>) -> Option<Line<'static>> {
        self.rows(item, ctx);
        let entry = self.entries.get_mut(&item.id)?;
        if let ItemKind::Assistant { text, .. } = &item.kind
            && !entry.hurries
        {
            entry.rows.paint(row, text, &Look { theme: ctx.theme, width: ctx.width, indent: message::INDENT });
        }
        entry.rows.lines.get(row).cloned()
    }

    /// Let the cells go that were not looked at for the longest time: of earlier frames until half of the room is free, of
    /// this frame (a jump over very many) only above twice the room, and then enough that the next cell is not the next reason.
    fn evict(&mut self) {
        self.swept = self.frame;
        let mut old: Vec<(u64, u64, u64, usize)> = self.entries.iter().map(|(id, e)| (e.used, e.frame, *id, e.rows.lines.len())).collect();
        old.sort_unstable();
        let crowded = self.rows > 2 * MAX_ROWS;
        for (_, frame, id, rows) in old {
            if self.rows <= MAX_ROWS / 2 || (frame == self.frame && (!crowded || self.rows <= MAX_ROWS + MAX_ROWS / 2)) {
                break;
            }
            self.entries.remove(&id);
            self.rows -= rows;
        }
    }
}

impl Entry {
    fn lay_out(&mut self, item: &Item, key: Key, ctx: &Ctx<'_>, work: &mut Work) {
        let grows = match &item.kind {
            ItemKind::Assistant { text, done } => Some((text, *done, false)),
            ItemKind::Thinking { text, done } if ctx.show_thinking => Some((text, *done, true)),
            ItemKind::Thinking { .. } | ItemKind::User { .. } | ItemKind::Tool(_) | ItemKind::Notice { .. } | ItemKind::Compacted { .. } => None,
        };
        let same = self.key.is_some_and(|k| (k.width, k.flags) == (key.width, key.flags));
        self.key = Some(key);
        let Some((text, done, thinking)) = grows else {
            work.cells += 1;
            self.stream = None;
            self.rows = Rows::plain(fixed(item, ctx));
            return;
        };
        let mut stream = self.stream.take().filter(|_| same).unwrap_or_else(|| {
            work.cells += 1;
            self.rows = Rows::default();
            Box::default()
        });
        self.hurries = !done && text.len().saturating_sub(self.length) > FLOOD;
        self.length = text.len();
        let before = stream.work();
        let lay = if thinking { message::thinking } else { message::assistant };
        lay(text, done, &mut stream, &mut self.rows, ctx);
        work.bytes += u64::try_from(stream.work().saturating_sub(before)).unwrap_or(0);
        self.stream = (!done).then_some(stream);
        if done {
            self.rows.lines.shrink_to_fit();
        }
    }
}

/// Cells that do not grow.
fn fixed(item: &Item, ctx: &Ctx<'_>) -> Vec<Line<'static>> {
    match &item.kind {
        ItemKind::User { text, origin } => message::user(text, origin, ctx),
        ItemKind::Assistant { .. } => Vec::new(),
        ItemKind::Thinking { text, done } => message::thought(item, text, *done, ctx),
        ItemKind::Tool(call) => tool::tool(item, call, ctx),
        ItemKind::Notice { level, text, hint } => message::notice(*level, text, hint, ctx),
        ItemKind::Compacted { before, after, summary } => message::compacted(*before, *after, summary, ctx),
    }
}

/// What a cell shows beside its own item: ages of running calls, the row of a child.
fn live(item: &Item, ctx: &Ctx<'_>) -> u64 {
    let ItemKind::Tool(tool) = &item.kind else { return 0 };
    let seconds = ctx.now / 1000;
    match tool.agent.and_then(|id| ctx.model.agents.get(&id)) {
        Some(row) if signs::is_over(row) => row.version << 32,
        Some(row) => (row.version << 32) | (seconds & 0xffff_ffff),
        None if tool.state == ToolState::Running => seconds,
        None => 0,
    }
}
