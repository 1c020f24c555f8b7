//! The conversation of one agent: a virtual list of cells; only what is visible is laid out (SPEC U5, U8).
//!
//! The reading position is a row of a cell, not a number from the top: so nothing that grows or folds elsewhere moves it
//! (CASES E04), and a long session costs as much as a short one (CASES E07).

mod layout;
mod search;
mod turn;

#[cfg(test)]
mod tests;

pub use search::find;

use crate::protocol::{AgentId, Origin};
use crate::ui::cells::{Cache, Ctx};
use crate::ui::model::{Item, ItemKind, Model};
use crate::ui::theme::Theme;
use crate::ui::widgets::{put, row};
use layout::{Pos, View};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

/// New rows are counted up to here.
const MANY: usize = 999;

/// Where a conversation is read. One for `main`, one for an opened child.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct State {
    /// Milliseconds since the Unix epoch, for ages; the frame sets it before it draws.
    pub now: u64,
    /// Reasoning unfolded.
    pub show_thinking: bool,
    /// Outputs, reports and long messages unfolded.
    pub expand: bool,
    /// Words that are marked; empty for none.
    pub highlight: String,
    /// None: follow what comes.
    anchor: Option<Anchor>,
    new_lines: usize,
    /// Which cell each drawn row belongs to.
    drawn: Vec<u64>,
}

/// The top row while reading.
#[derive(Clone, PartialEq, Debug)]
struct Anchor {
    item: u64,
    row: usize,
    /// Width and rows of the block then: to find the place again after a change of the width.
    width: u16,
    rows: usize,
    /// The last cell and its rows when the person stopped following.
    last: (u64, usize),
}

/// A move of the reading position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Scroll {
    /// Lines; negative is towards the start.
    Lines(isize),
    /// Pages; negative is towards the start.
    Pages(isize),
    /// To the first line.
    Top,
    /// To the last line, and follow what comes.
    End,
    /// To the person's message before or after; negative is towards the start.
    Message(isize),
}

impl State {
    /// Move the reading position.
    pub fn scroll(&mut self, scroll: Scroll, model: &Model, agent: AgentId, cache: &mut Cache, area: Rect, theme: &Theme) {
        let height = usize::from(area.height).max(1);
        let mut view = self.view(model, agent, cache, area, theme);
        let top = self.top(&mut view, height, area.width);
        let to = match scroll {
            Scroll::Lines(n) => by_rows(&mut view, top, n),
            Scroll::Pages(n) => by_rows(&mut view, top, n.saturating_mul(isize::try_from(height - 1).unwrap_or(isize::MAX).max(1))),
            Scroll::Top => (0, 0),
            Scroll::End => view.end(),
            Scroll::Message(n) => by_messages(&view, top, n),
        };
        self.go(&mut view, to, height, area.width);
    }

    /// Follow what comes: after sending a message.
    pub fn follow(&mut self) {
        self.anchor = None;
        self.new_lines = 0;
    }

    /// Whether the last line is shown and what comes is followed.
    #[must_use]
    pub fn follows(&self) -> bool {
        self.anchor.is_none()
    }

    /// Lines that came while reading elsewhere, as of the last drawing; counted up to 999.
    #[must_use]
    pub fn new_lines(&self) -> usize {
        self.new_lines
    }

    /// Bring the cell at a place (as [`find`] gives it) into view, at the row that holds the marked words.
    pub fn reveal(&mut self, place: usize, model: &Model, agent: AgentId, cache: &mut Cache, area: Rect, theme: &Theme) {
        let height = usize::from(area.height).max(1);
        let mut view = self.view(model, agent, cache, area, theme);
        let Some(item) = view.items.get(place) else { return };
        let row = search::row_of(view.cache.rows(item, &view.ctx), &self.highlight).unwrap_or(0);
        let to = view.up((place, row), height / 3);
        self.go(&mut view, to, height, area.width);
    }

    /// The place in the transcript of the first cell that was drawn, for searching on from it.
    #[must_use]
    pub fn first_place(&self, model: &Model, agent: AgentId) -> usize {
        let Some(t) = model.transcripts.get(&agent) else { return 0 };
        let id = self.drawn.first().copied().unwrap_or(u64::MAX);
        t.items.partition_point(|i| i.id < id).min(t.items.len().saturating_sub(1))
    }

    /// The cell at a drawn row (from 0): for the mouse, for copying.
    #[must_use]
    pub fn item_at<'m>(&self, row: u16, model: &'m Model, agent: AgentId) -> Option<&'m Item> {
        let id = self.drawn.get(usize::from(row))?;
        let items = &model.transcripts.get(&agent)?.items;
        items.binary_search_by_key(id, |i| i.id).ok().and_then(|n| items.get(n))
    }

    fn view<'a>(&self, model: &'a Model, agent: AgentId, cache: &'a mut Cache, area: Rect, theme: &'a Theme) -> View<'a> {
        let width = usize::from(area.width);
        let ctx = Ctx { model, theme, width, now: self.now, show_thinking: self.show_thinking, expand: self.expand };
        let items = model.transcripts.get(&agent).map_or(&[][..], |t| &t.items);
        View { items, cache, ctx, tail: turn::line(model, agent, self.now, width, theme) }
    }

    /// The top row now.
    fn top(&self, view: &mut View<'_>, height: usize, width: u16) -> Pos {
        let Some(anchor) = &self.anchor else { return view.bottom(height) };
        let block = view.block_of(anchor.item);
        if view.id_of(block) != anchor.item {
            return (block, 0);
        }
        let rows = view.height(block);
        let row = if anchor.width == width { anchor.row } else { (anchor.row * rows).checked_div(anchor.rows).unwrap_or(0) };
        (block, row.min(rows.saturating_sub(1)))
    }

    /// Take a top row; at the end (or behind) it is followed.
    fn go(&mut self, view: &mut View<'_>, to: Pos, height: usize, width: u16) {
        if to >= view.bottom(height) {
            return self.follow();
        }
        let last = if let Some(anchor) = self.anchor.take() {
            anchor.last
        } else {
            let block = view.items.len().saturating_sub(1);
            (view.id_of(block), view.height(block))
        };
        let rows = view.height(to.0);
        self.anchor = Some(Anchor { item: view.id_of(to.0), row: to.1, width, rows, last });
    }

    /// Rows that came since the person stopped following.
    fn count_new(&self, view: &mut View<'_>) -> usize {
        let Some(anchor) = &self.anchor else { return 0 };
        let first = view.block_of(anchor.last.0);
        let mut count = 0;
        for block in first..view.items.len() {
            let known = if view.id_of(block) == anchor.last.0 { anchor.last.1 } else { 0 };
            count += view.height(block).saturating_sub(known);
            if count > MANY {
                break;
            }
        }
        count
    }
}

fn by_rows(view: &mut View<'_>, top: Pos, n: isize) -> Pos {
    if n < 0 { view.up(top, n.unsigned_abs()) } else { view.down(top, n.unsigned_abs()) }
}

/// The person's message before or after a row. Looks at kinds only, nothing is laid out.
fn by_messages(view: &View<'_>, top: Pos, n: isize) -> Pos {
    let is_message = |i: &Item| matches!(&i.kind, ItemKind::User { origin: Origin::Person | Origin::Steer, .. });
    let at = |block: usize| (block, view.gap(block));
    let skip = n.unsigned_abs().saturating_sub(1);
    if n < 0 {
        let found = (0..view.items.len().min(top.0 + 1)).rev().filter(|b| view.items.get(*b).is_some_and(is_message)).map(at).filter(|p| *p < top).nth(skip);
        found.unwrap_or((0, 0))
    } else {
        let found = (top.0..view.items.len()).filter(|b| view.items.get(*b).is_some_and(is_message)).map(at).filter(|p| *p > top).nth(skip);
        found.unwrap_or(view.end())
    }
}

/// Draw the conversation of an agent. Lays out what is visible and returns nothing else; `cache` keeps finished cells.
pub fn draw(buf: &mut Buffer, area: Rect, model: &Model, agent: AgentId, state: &mut State, cache: &mut Cache, theme: &Theme) {
    cache.begin(theme);
    let area = put::inside(buf, area);
    let height = usize::from(area.height);
    state.drawn.clear();
    if height == 0 || area.width == 0 {
        return;
    }
    let mut view = state.view(model, agent, cache, area, theme);
    let top = state.top(&mut view, height, area.width);
    let mut drawn = Vec::with_capacity(height);
    let (mut block, mut at) = top;
    for y in 0..area.height {
        while block <= view.items.len() && at >= view.height(block) {
            (block, at) = (block + 1, 0);
        }
        if block > view.items.len() {
            break;
        }
        let id = view.id_of(block);
        let Some(line) = view.row((block, at)) else { break };
        put::line(buf, area, y, &line);
        if !state.highlight.is_empty() {
            search::mark(buf, area, y, &line, &state.highlight, theme.selected);
        }
        drawn.push(id);
        at += 1;
    }
    let new_lines = state.count_new(&mut view);
    (state.drawn, state.new_lines) = (drawn, new_lines);
    if state.anchor.is_some() {
        hint(buf, area, new_lines, theme);
    }
}

/// At the bottom while reading elsewhere: `↓ 12 new lines · End`.
fn hint(buf: &mut Buffer, area: Rect, new_lines: usize, theme: &Theme) {
    let text = match new_lines {
        0 => " ↓ more below · End ".to_owned(),
        1 => " ↓ 1 new line · End ".to_owned(),
        n if n > MANY => format!(" ↓ {MANY}+ new lines · End "),
        n => format!(" ↓ {n} new lines · End "),
    };
    let text = row::cut(&text, usize::from(area.width));
    let wide = u16::try_from(row::width(&[Span::raw(text.as_str())])).unwrap_or(area.width);
    let col = area.width.saturating_sub(wide) / 2;
    let style = theme.accent.add_modifier(Modifier::REVERSED);
    put::line_at(buf, area, col, area.height.saturating_sub(1), &Line::from(Span::styled(text, style)));
}
