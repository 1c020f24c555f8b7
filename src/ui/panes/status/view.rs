//! Draws the header and the hint line.

use super::{gauges, hints, news, parked, place};
use crate::protocol::Level;
use crate::ui::draw::paint;
use crate::ui::update::Ui;
use crate::ui::widgets::row::flat;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Draw the header: the longest pair of place and gauge that fits.
pub fn draw_header(buf: &mut Buffer, area: Rect, ui: &Ui) {
    if area.is_empty() {
        return;
    }
    let theme = &ui.theme;
    let (places, gauges) = (place(ui), gauges(&ui.model));
    let room = usize::from(area.width);
    // A shorter gauge before a shorter place, step by step.
    let pairs = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2), (3, 2), (3, 3), (4, 3), (4, 4), (5, 4)];
    let fits = |(p, g): &(usize, usize)| paint::width(&places[*p]) + 2 + paint::width(&gauges[*g]) <= room;
    let (p, g) = pairs.into_iter().find(fits).unwrap_or((places.len() - 1, gauges.len() - 1));
    let gauge_width = u16::try_from(paint::width(&gauges[g])).unwrap_or(u16::MAX).min(area.width);
    let percent = ui.model.gauge.percent();
    let style = if percent >= 80 { theme.warn } else { theme.muted };
    let x = area.right() - gauge_width;
    paint::put(buf, area, x, area.y, gauge_width, &gauges[g], style);
    let room = area.width.saturating_sub(gauge_width + 1);
    paint::put_cut(buf, area, area.x, area.y, room, &flat(&places[p]), theme.text);
}

/// Draw the hint line: what runs, news, questions that wait, keys.
pub fn draw_hint(buf: &mut Buffer, area: Rect, ui: &Ui) {
    if area.is_empty() {
        return;
    }
    let theme = &ui.theme;
    let put = |buf: &mut Buffer, x: u16, text: &str, style| paint::put_cut(buf, area, x, area.y, area.right().saturating_sub(x), &flat(text), style);
    let mut x = put(buf, area.x, "   ", theme.text);
    if let Some(words) = parked(ui) {
        x = put(buf, x, &format!("{words} · "), theme.warn);
    }
    if let Some((level, words)) = news(ui) {
        let style = match level {
            Level::Info | Level::Output => theme.accent,
            Level::Warning => theme.warn,
            Level::Error => theme.bad,
        };
        x = put(buf, x, &format!("{} · ", words.replace('\n', " ")), style);
    }
    let mut first = true;
    for hint in hints(ui) {
        let text = if first { hint } else { format!(" · {hint}") };
        if usize::from(area.right().saturating_sub(x)) < paint::width(&text) {
            break;
        }
        x = put(buf, x, &text, theme.muted);
        first = false;
    }
}
