//! The trust question: the project's files that would start or decide something are listed once (SPEC R7).

use super::Next;
use super::ask::DEAD_MS;
use crate::action::Action;
use crate::config::keymap::{Context, Key};
use crate::protocol::Op;
use crate::ui::draw::paint;
use crate::ui::msg::Effect;
use crate::ui::update::Ui;
use crate::util::clean::escape_hidden;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// The state of the question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    opened: u64,
    top: usize,
}

impl State {
    /// Open it at a time in milliseconds since the Unix epoch.
    #[must_use]
    pub const fn new(now: u64) -> Self {
        Self { opened: now, top: 0 }
    }
}

/// A key for the question.
pub fn key(state: &mut State, ui: &mut Ui, key: Key, out: &mut Vec<Effect>) -> Next {
    if ui.now < state.opened.saturating_add(DEAD_MS) {
        return Next::Stay;
    }
    let trusted = match ui.keymap.find(&[Context::Trust, Context::Global], key) {
        Some(Action::TrustYes) => true,
        Some(Action::TrustNo) => false,
        Some(Action::Quit | Action::ClearOrQuit) => {
            out.push(Effect::Exit);
            return Next::Stay;
        }
        Some(Action::ScrollUp) => {
            state.top = state.top.saturating_sub(1);
            return Next::Stay;
        }
        Some(Action::ScrollDown) => {
            state.top = state.top.saturating_add(1);
            return Next::Stay;
        }
        _ => return Next::Stay,
    };
    ui.model.trust = None;
    out.push(Effect::Op(Op::Trust { trusted }));
    Next::Close
}

/// Draw the question.
pub fn draw(state: &mut State, ui: &Ui, buf: &mut Buffer) -> Option<Position> {
    let theme = &ui.theme;
    let items = ui.model.trust.as_deref().unwrap_or_default();
    let over = ui.areas().over_composer();
    let columns = usize::from(over.width.saturating_sub(6)).max(1);
    let rows: Vec<String> = items.iter().flat_map(|i| paint::wrap(&escape_hidden(i), columns)).collect();
    let height = u16::try_from(rows.len()).unwrap_or(u16::MAX).saturating_add(5).min(over.height);
    let rect = Rect { y: over.bottom() - height, height, ..over };
    let inside = paint::frame(buf, rect, "Files of this project would start programs or decide rights", "", "", theme.warn, theme.text);
    let room = usize::from(inside.height.saturating_sub(3)).max(1);
    state.top = state.top.min(rows.len().saturating_sub(room));
    for (n, row) in rows.iter().skip(state.top).take(room).enumerate() {
        paint::put(buf, inside, inside.x + 2, inside.y + u16::try_from(n).unwrap_or(0), inside.width.saturating_sub(2), row, theme.text);
    }
    let below = rows.len().saturating_sub(state.top + room);
    if below > 0 {
        paint::put_cut(buf, inside, inside.x, inside.bottom().saturating_sub(3), inside.width, &format!("… {below} more lines, ↓ scrolls"), theme.warn);
    }
    paint::put_cut(
        buf,
        inside,
        inside.x,
        inside.bottom().saturating_sub(2),
        inside.width,
        "Do you trust them? The answer is kept for this folder and these contents.",
        theme.text,
    );
    paint::put_cut(buf, inside, inside.x, inside.bottom().saturating_sub(1), inside.width, "[y] trust  [n] go on without them  [q] quit", theme.accent);
    None
}
