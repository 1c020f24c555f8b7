//! Leaving while something runs in the background: wait, stop all, or stay (SPEC S27).

use super::{Next, tasks};
use crate::action::Action;
use crate::config::keymap::{Context, Key};
use crate::protocol::{Level, Op};
use crate::ui::draw::paint;
use crate::ui::msg::Effect;
use crate::ui::update::Ui;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// A key for the question.
pub fn key(ui: &mut Ui, key: Key, out: &mut Vec<Effect>) -> Next {
    match ui.keymap.find(&[Context::Exit, Context::Global], key) {
        Some(Action::ExitWait) => {
            ui.exit_when_idle = true;
            ui.flash(Level::Info, "quits when the background tasks have ended");
            Next::Close
        }
        Some(Action::ExitStop) => {
            out.push(Effect::Op(Op::AbortAll));
            out.push(Effect::Exit);
            Next::Close
        }
        Some(Action::Close | Action::Interrupt) => {
            ui.exit_when_idle = false;
            Next::Close
        }
        _ => Next::Stay,
    }
}

/// Draw the question.
pub fn draw(ui: &Ui, buf: &mut Buffer) -> Option<Position> {
    let theme = &ui.theme;
    let over = ui.areas().over_composer();
    let height = 4.min(over.height);
    let rect = Rect { y: over.bottom() - height, height, ..over };
    let running = tasks::running(&ui.model);
    let title = if running == 1 { "1 task still runs in the background".to_owned() } else { format!("{running} tasks still run in the background") };
    let inside = paint::frame(buf, rect, &title, "", "", theme.warn, theme.text);
    let names: Vec<String> = crate::ui::panes::tasks::rows(&ui.model).iter().filter(|id| tasks::is_running(&ui.model, **id)).map(ToString::to_string).collect();
    paint::put_cut(buf, inside, inside.x, inside.y, inside.width, &names.join(" · "), theme.muted);
    paint::put_cut(buf, inside, inside.x, inside.y.saturating_add(1), inside.width, "[w]ait  [s]top all  [c]ancel", theme.text);
    None
}
