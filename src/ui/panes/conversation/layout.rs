//! Positions in a conversation, found by walking from a known place: only the cells on the way are laid out.

use crate::ui::cells::{Cache, Ctx};
use crate::ui::model::{Item, ItemKind};
use ratatui::text::Line;

/// A row: the block's place and the row in it. A block is a cell with the empty row before it; the last block holds the
/// line about the running turn.
pub(super) type Pos = (usize, usize);

/// What is walked over.
pub(super) struct View<'a> {
    /// The cells.
    pub(super) items: &'a [Item],
    /// Their rows.
    pub(super) cache: &'a mut Cache,
    /// How they are laid out.
    pub(super) ctx: Ctx<'a>,
    /// The line about the running turn.
    pub(super) tail: Option<Line<'static>>,
}

impl View<'_> {
    /// Behind the last row.
    pub(super) fn end(&self) -> Pos {
        (self.items.len() + 1, 0)
    }

    /// Empty rows before a cell.
    pub(super) fn gap(&self, block: usize) -> usize {
        let Some(before) = block.checked_sub(1).and_then(|n| self.items.get(n)) else { return 0 };
        let Some(item) = self.items.get(block) else { return 1 };
        let close = matches!(
            (&before.kind, &item.kind),
            (ItemKind::Tool(_) | ItemKind::Thinking { .. }, ItemKind::Tool(_))
                | (ItemKind::Notice { .. }, ItemKind::Notice { .. })
                | (ItemKind::Thinking { .. }, ItemKind::Assistant { .. })
        );
        usize::from(!close)
    }

    /// Rows of a block; a cell without rows has no empty row either.
    pub(super) fn height(&mut self, block: usize) -> usize {
        let rows = match self.items.get(block) {
            Some(item) => self.cache.rows(item, &self.ctx).len(),
            None if block == self.items.len() => usize::from(self.tail.is_some()),
            None => 0,
        };
        if rows == 0 { 0 } else { rows + self.gap(block) }
    }

    /// `n` rows towards the start, at most to the first row.
    pub(super) fn up(&mut self, (mut block, mut row): Pos, mut n: usize) -> Pos {
        while n > row {
            n -= row;
            if block == 0 {
                return (0, 0);
            }
            block -= 1;
            row = self.height(block);
        }
        (block, row - n)
    }

    /// `n` rows towards the end, at most behind the last row.
    pub(super) fn down(&mut self, (mut block, mut row): Pos, mut n: usize) -> Pos {
        let end = self.end();
        while block < end.0 {
            let height = self.height(block);
            if row + n < height {
                return (block, row + n);
            }
            n -= height.saturating_sub(row).min(n);
            (block, row) = (block + 1, 0);
        }
        end
    }

    /// The top row when the last row stands at the bottom of `height` rows.
    pub(super) fn bottom(&mut self, height: usize) -> Pos {
        let end = self.end();
        self.up(end, height)
    }

    /// The row of a block; an empty one for the gap.
    pub(super) fn row(&mut self, (block, row): Pos) -> Option<Line<'static>> {
        let gap = self.gap(block);
        let Some(row) = row.checked_sub(gap) else { return Some(Line::default()) };
        match self.items.get(block) {
            Some(item) => self.cache.row(item, row, &self.ctx),
            None => self.tail.clone().filter(|_| row == 0),
        }
    }

    /// The block of an item id; the next one when it is gone.
    pub(super) fn block_of(&self, id: u64) -> usize {
        self.items.binary_search_by_key(&id, |i| i.id).unwrap_or_else(|next| next)
    }

    /// The id of a block; the largest for the last one.
    pub(super) fn id_of(&self, block: usize) -> u64 {
        self.items.get(block).map_or(u64::MAX, |i| i.id)
    }
}
