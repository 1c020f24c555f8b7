//! What follows from the state after every step: which question is open, what goes away by itself, when to wake up again.

use super::{Ui, submit};
use crate::ui::model::AgentState;
use crate::ui::msg::Effect;
use crate::ui::overlays::ask::Ask;
use crate::ui::overlays::{Overlay, tasks, trust};

/// A question does not open by itself within this time of a key typed into a draft.
pub const PARK_MS: u64 = 1_000;
/// How long a toast of the engine stands in the hint line.
pub const TOAST_MS: u64 = 6_000;
/// A turn's spinner.
const SPIN_MS: u64 = 250;
/// Ages and countdowns.
const AGE_MS: u64 = 1_000;

/// Bring the interface in line with the model.
pub fn sync(ui: &mut Ui, out: &mut Vec<Effect>) {
    let open: Vec<_> = ui.model.approvals.iter().map(|a| a.id).collect();
    ui.later.retain(|id| open.contains(id));
    ui.answered.retain(|id| open.contains(id));
    if ui.ask.as_ref().is_some_and(|ask| !open.contains(&ask.id)) {
        ui.ask = None;
    }
    if ui.ask.is_none() && !typing(ui) {
        let next = ui.model.approvals.iter().find(|a| !a.background && !ui.later.contains(&a.id) && !ui.answered.contains(&a.id));
        ui.ask = next.map(|a| Ask::new(a, ui.now));
    }
    let shown = ui.overlays.iter().any(|o| matches!(o, Overlay::Trust(_)));
    if ui.model.trust.is_some() && !shown {
        ui.overlays.push(Overlay::Trust(trust::State::new(ui.now)));
    } else if ui.model.trust.is_none() && shown {
        ui.overlays.retain(|o| !matches!(o, Overlay::Trust(_)));
    }
    if ui.flash.as_ref().is_some_and(|f| f.until <= ui.now) {
        ui.flash = None;
    }
    if ui.initial_prompt.is_some() && !ui.model.header.session.is_empty() && ui.model.trust.is_none() {
        let text = ui.initial_prompt.take().unwrap_or_default();
        submit::send(ui, text, out);
    }
    if ui.exit_when_idle && !ui.busy() && tasks::running(&ui.model) == 0 {
        out.push(Effect::Exit);
    }
    if ui.model.closed {
        out.push(Effect::Exit);
    }
}

/// The person is in the middle of a draft.
fn typing(ui: &Ui) -> bool {
    let draft = !ui.composer.is_empty() || ui.overlays.iter().any(Overlay::has_draft);
    draft && ui.typed_at > 0 && ui.now < ui.typed_at.saturating_add(PARK_MS)
}

/// When the interface must be drawn again without anything happening, in milliseconds since the Unix epoch; none when it is at rest.
#[must_use]
pub fn next_wake(ui: &Ui) -> Option<u64> {
    let model = &ui.model;
    let agents = model.agents.values().any(|a| !a.dismissed && a.state != AgentState::Finished);
    let commands = model.commands.values().any(|c| !c.dismissed && c.ended.is_none());
    let step = if ui.busy() {
        Some(SPIN_MS)
    } else if agents || commands || model.retry.is_some() {
        Some(AGE_MS)
    } else {
        None
    };
    let toast = model.toasts.last().map(|t| t.at.saturating_add(TOAST_MS)).filter(|t| *t > ui.now);
    let waiting = ui.ask.is_none() && typing(ui) && model.approvals.iter().any(|a| !a.background && !ui.later.contains(&a.id) && !ui.answered.contains(&a.id));
    let draft = waiting.then(|| ui.typed_at.saturating_add(PARK_MS));
    let flash = ui.flash.as_ref().map(|f| f.until);
    // On whole steps of the clock, so that ages change when their second does.
    let tick = step.map(|s| (ui.now / s + 1) * s);
    [tick, toast, draft, flash].into_iter().flatten().min()
}
