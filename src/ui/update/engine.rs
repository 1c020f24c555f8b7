//! Engine events: folded into the model, and the few that touch the interface's own state.

use super::Ui;
use crate::protocol::{Event, EventKind, Mode};
use crate::ui::fold;
use crate::ui::msg::Effect;
use crate::ui::panes::agents;

/// Take an event in.
pub fn take(ui: &mut Ui, event: &Event, out: &mut Vec<Effect>) {
    ui.seq = event.seq;
    fold::apply(&mut ui.model, event);
    let main = event.agent.is_main();
    if let EventKind::SessionStarted { mode, .. } = &event.kind {
        ui.bypass_allowed |= *mode == Mode::Bypass;
        ui.mode_asked = None;
        ui.awaiting = false;
        ui.conversation.follow();
        ui.agents = agents::State::default();
        ui.trace_focused = false;
        ui.overlays.retain(crate::ui::overlays::Overlay::outlives_session);
    } else if let EventKind::ModeChanged { mode } = &event.kind {
        if ui.mode_asked.is_none_or(|asked| asked == *mode) {
            ui.mode_asked = None;
        }
    } else if matches!(event.kind, EventKind::TurnStarted | EventKind::TurnEnded { .. }) && main {
        ui.awaiting = false;
    } else if let EventKind::QueueChanged { texts } = &event.kind {
        ui.awaiting &= texts.is_empty();
    } else if let EventKind::Unqueued { text } = &event.kind {
        let draft = ui.composer.text();
        ui.composer.set(&if draft.is_empty() { text.clone() } else { format!("{text}\n{draft}") });
    } else if ui.config.notify {
        notify(event, ui, out);
    }
}

/// What the terminal is told about, when the person wants that.
fn notify(event: &Event, ui: &Ui, out: &mut Vec<Effect>) {
    let words = if let EventKind::PermissionAsked { approval } = &event.kind {
        Some(format!("{} asks about {}", approval.path, approval.tool))
    } else if let EventKind::AgentFinished { outcome } = &event.kind {
        let row = ui.model.agents.get(&event.agent).filter(|r| r.info.background);
        row.map(|r| format!("{} {}: {}", event.agent, r.info.description, outcome.ending.name()))
    } else if let EventKind::TaskFinished { task, status, .. } = &event.kind {
        Some(format!("{task}: {status}"))
    } else {
        None
    };
    out.extend(words.map(Effect::Notify));
}
