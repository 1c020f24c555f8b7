//! Searching a conversation, and showing what was found.

use crate::protocol::AgentId;
use crate::ui::cells::plain;
use crate::ui::model::Model;
use crate::ui::widgets::put;
use ratatui::buffer::{Buffer, CellWidth};
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use unicode_segmentation::UnicodeSegmentation;

/// The place of the next cell whose text holds `query` (whatever its case), from `from` on; towards the start with `back`.
/// Goes on at the other end. None when there is none or the query is empty.
#[must_use]
pub fn find(model: &Model, agent: AgentId, query: &str, from: usize, back: bool) -> Option<usize> {
    let items = &model.transcripts.get(&agent)?.items;
    let query = query.to_lowercase();
    if query.is_empty() || items.is_empty() {
        return None;
    }
    let count = items.len();
    let holds = |n: &usize| items.get(*n).is_some_and(|i| plain(i).to_lowercase().contains(&query));
    (0..count).map(|n| if back { (from % count + count - n) % count } else { (from + n) % count }).find(holds)
}

/// The row of a cell that holds the query.
pub(super) fn row_of(rows: &[Line<'_>], query: &str) -> Option<usize> {
    let query = query.to_lowercase();
    rows.iter().position(|l| l.spans.iter().map(|s| s.content.as_ref()).collect::<String>().to_lowercase().contains(&query))
}

/// Mark what was found in a drawn row.
pub(super) fn mark(buf: &mut Buffer, area: Rect, row: u16, line: &Line<'_>, query: &str, style: Style) {
    let area = put::inside(buf, area);
    let query: Vec<String> = query.to_lowercase().graphemes(true).map(str::to_owned).collect();
    if query.is_empty() || row >= area.height {
        return;
    }
    let text: String = line.spans.iter().map(|s| s.content.as_ref()).collect();
    let cells: Vec<(String, u16)> = text.graphemes(true).filter(|g| !g.chars().any(char::is_control)).map(|g| (g.to_lowercase(), g.cell_width())).collect();
    let mut column = 0u16;
    for at in 0..cells.len() {
        let here = cells.get(at..at + query.len()).is_some_and(|c| c.iter().map(|(g, _)| g).eq(&query));
        if here {
            let wide = cells.iter().skip(at).take(query.len()).map(|(_, w)| *w).sum();
            let found = Rect { x: area.x.saturating_add(column), y: area.y + row, width: wide, height: 1 };
            buf.set_style(found.intersection(area), style);
        }
        column = column.saturating_add(cells.get(at).map_or(0, |(_, w)| *w));
    }
}
