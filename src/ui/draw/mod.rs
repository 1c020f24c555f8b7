//! Draws the whole screen from the state. The only thing that it changes are render caches and scroll limits.

pub mod paint;

use super::overlays::{self, Overlay};
use super::panes::composer::view;
use super::panes::{agents, conversation, status, tasks};
use super::update::Ui;
use crate::protocol::AgentId;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// Draw; returns where the hardware cursor belongs (none: hidden).
pub fn draw(ui: &mut Ui, buf: &mut Buffer) -> Option<Position> {
    let screen = buf.area;
    if (ui.size.0, ui.size.1) != (screen.width, screen.height) {
        ui.size = (screen.width, screen.height);
    }
    // A child covers everything; what lies under it need not be laid out.
    let covered = ui.overlays.iter().any(|o| matches!(o, Overlay::Child(_)));
    let areas = ui.areas();
    let mut cursor = None;
    if !covered {
        let theme = ui.theme.clone();
        ui.conversation.now = ui.now;
        status::draw_header(buf, areas.header, ui);
        for rule in [areas.header_rule, areas.trace_rule, areas.composer_rule] {
            paint::rule(buf, rule, theme.border);
        }
        conversation::draw(buf, areas.conversation, &ui.model, AgentId::MAIN, &mut ui.conversation, &mut ui.cache, &theme);
        if areas.trace_folded {
            agents::draw_folded(buf, areas.trace, &ui.model, ui.now, &theme);
        } else {
            agents::draw(buf, areas.trace, &ui.model, &ui.agents, ui.now, ui.trace_focused, &theme);
        }
        side(ui, buf);
        queued(ui, buf, areas.queued);
        status::draw_hint(buf, areas.hint, ui);
        cursor = view::draw(buf, areas.composer, &mut ui.composer, &theme);
        view::draw_popup(buf, areas.over_composer(), &ui.composer, &theme);
        if ui.trace_focused {
            cursor = None;
        }
    }
    let cursor = overlays::draw(ui, buf).unwrap_or(cursor);
    cursor.filter(|p| p.x < screen.right() && p.y < screen.bottom())
}

/// Tasks beside or under the conversation, with their line.
fn side(ui: &Ui, buf: &mut Buffer) {
    let areas = ui.areas();
    let theme = &ui.theme;
    if areas.sidebar.is_empty() {
        tasks::draw_strip(buf, areas.strip, &ui.model, ui.now, theme);
        return;
    }
    let bar = areas.sidebar_rule;
    for y in bar.top()..bar.bottom() {
        paint::put(buf, bar, bar.x, y, 1, "│", theme.border);
    }
    for (rule, joint) in [(areas.header_rule, "┬"), (areas.composer_rule, "┴")] {
        if !rule.is_empty() {
            paint::put(buf, rule, bar.x, rule.y, 1, joint, theme.border);
        }
    }
    if !areas.trace_rule.is_empty() {
        paint::put(buf, bar, bar.x, areas.trace_rule.y, 1, "┤", theme.border);
    }
    tasks::draw_sidebar(buf, areas.sidebar, &ui.model, ui.now, theme);
}

/// Messages that wait for a safe point.
fn queued(ui: &Ui, buf: &mut Buffer, area: Rect) {
    let texts = &ui.model.queued;
    let rows = usize::from(area.height);
    let hidden = texts.len().saturating_sub(rows);
    for (n, text) in texts.iter().skip(hidden).enumerate() {
        let y = area.y + u16::try_from(n).unwrap_or(0);
        let more = if n == 0 && hidden > 0 { format!(" ({hidden} more before)") } else { String::new() };
        let line = format!("   queued:{more} {}", crate::util::text::one_line(text, 300));
        paint::put_cut(buf, area, area.x, y, area.width, &line, ui.theme.muted);
    }
}
