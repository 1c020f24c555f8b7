//! Where the regions stand (SPEC U2): a pure function of the size and of what wants room.
//!
//! Must not: draw, or give out an area outside the screen. Every size from 0×0 gives something.

use ratatui::layout::Rect;

#[cfg(test)]
mod tests;

/// Columns of the task sidebar, without its line.
pub const SIDEBAR: u16 = 35;
/// From this width on the sidebar stands beside.
pub const WIDE: u16 = 120;
/// Below this width one region is shown at a time.
pub const NARROW: u16 = 80;
/// Below this height one region is shown at a time.
pub const LOW: u16 = 15;

/// What wants room.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Want {
    /// Rows that the trace pane would like; 0 when there are no children.
    pub trace: u16,
    /// The trace pane is folded to its one line.
    pub folded: bool,
    /// On a small screen: the trace pane in place of the conversation.
    pub trace_instead: bool,
    /// There is something for the task strip.
    pub strip: bool,
    /// Rows that the input line would like.
    pub composer: u16,
    /// Queued messages above the input line.
    pub queued: u16,
}

/// The regions; those without room are empty.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Areas {
    /// The whole screen.
    pub screen: Rect,
    /// Name, folder, model, mode, gauge.
    pub header: Rect,
    /// The line under the header.
    pub header_rule: Rect,
    /// The conversation.
    pub conversation: Rect,
    /// The vertical line before the sidebar.
    pub sidebar_rule: Rect,
    /// Tasks beside the conversation.
    pub sidebar: Rect,
    /// Tasks in one line.
    pub strip: Rect,
    /// The line over the trace pane.
    pub trace_rule: Rect,
    /// The trace pane.
    pub trace: Rect,
    /// The trace pane has only its one line.
    pub trace_folded: bool,
    /// The line over the input line.
    pub composer_rule: Rect,
    /// Queued messages.
    pub queued: Rect,
    /// The input line with its sign.
    pub composer: Rect,
    /// Hints and what runs.
    pub hint: Rect,
}

impl Areas {
    /// What stands over the input line and its queued messages: room for dialogs.
    #[must_use]
    pub fn over_composer(&self) -> Rect {
        let bottom = [self.composer_rule, self.queued, self.composer].into_iter().filter(|r| !r.is_empty()).map(|r| r.y).min().unwrap_or(self.screen.bottom());
        Rect { height: bottom.saturating_sub(self.screen.y), ..self.screen }
    }
}

/// Takes rows from the bottom or the top of a column.
struct Column {
    rest: Rect,
}

impl Column {
    fn top(&mut self, rows: u16) -> Rect {
        let rows = rows.min(self.rest.height);
        let taken = Rect { height: rows, ..self.rest };
        self.rest = Rect { y: self.rest.y.saturating_add(rows), height: self.rest.height - rows, ..self.rest };
        taken
    }

    fn bottom(&mut self, rows: u16) -> Rect {
        let rows = rows.min(self.rest.height);
        self.rest.height -= rows;
        Rect { y: self.rest.y.saturating_add(self.rest.height), height: rows, ..self.rest }
    }

    /// Rows from the bottom only if at least `keep` rows stay.
    fn bottom_if(&mut self, rows: u16, keep: u16) -> Rect {
        if self.rest.height >= rows.saturating_add(keep) { self.bottom(rows) } else { Rect { height: 0, ..self.bottom(0) } }
    }
}

/// Lay the regions out.
#[must_use]
pub fn layout(screen: Rect, want: &Want) -> Areas {
    let small = screen.width < NARROW || screen.height < LOW;
    let mut areas = Areas { screen, ..Areas::default() };
    let mut column = Column { rest: screen };
    // The input line comes first: it is what the person needs at any size.
    let most = (screen.height / 3).clamp(1, 8);
    let composer = want.composer.clamp(1, most);
    if screen.height >= 4 {
        areas.hint = column.bottom(1);
    }
    areas.composer = column.bottom(composer);
    if screen.height >= 2 {
        areas.header = column.top(1);
    }
    if screen.height >= 8 {
        areas.header_rule = column.top(1);
        areas.queued = column.bottom(want.queued.min(3));
        areas.composer_rule = column.bottom(1);
    }
    if screen.width >= WIDE && !small {
        let left = Rect { width: column.rest.width - SIDEBAR - 1, ..column.rest };
        areas.sidebar_rule = Rect { x: left.right(), width: 1, ..column.rest };
        areas.sidebar = Rect { x: left.right() + 1, width: SIDEBAR, ..column.rest };
        column.rest = left;
    } else if want.strip && screen.height >= 6 {
        areas.strip = column.bottom_if(1, 2);
    }
    if want.trace > 0 {
        trace(&mut areas, &mut column, want, small);
    }
    areas.conversation = column.rest;
    areas
}

fn trace(areas: &mut Areas, column: &mut Column, want: &Want, small: bool) {
    let height = areas.screen.height;
    areas.trace_folded = want.folded || small;
    if small && want.trace_instead {
        areas.trace_folded = false;
        areas.trace = column.top(column.rest.height);
    } else if areas.trace_folded {
        areas.trace = column.bottom_if(1, 2);
        if !small {
            areas.trace_rule = column.bottom_if(1, 3);
        }
    } else {
        let rows = want.trace.min((u32::from(height) * 2 / 5).try_into().unwrap_or(u16::MAX)).max(1);
        areas.trace = column.bottom_if(rows, 3);
        areas.trace_rule = column.bottom_if(1, 3);
    }
}
