//! The header (where, which model, which mode, how full) and the hint line (what runs, what the keys do).
//!
//! Must not: keep state; both are words made from the model. The context gauge is visible at any size (SPEC C1).

mod view;

#[cfg(test)]
mod tests;

pub use view::{draw_header, draw_hint};

use crate::action::Action;
use crate::config::keymap::Context;
use crate::protocol::{AgentId, Level};
use crate::ui::model::{AgentState, Model};
use crate::ui::overlays::ask;
use crate::ui::update::{TOAST_MS, Ui};
use crate::ui::widgets::gauge::{self, Reading};
use crate::util::time::clock;
use crate::util::tokens::short;

/// How long something takes or took, as `0:09`.
#[must_use]
pub fn elapsed(started: u64, ended: Option<u64>, now: u64) -> String {
    clock(ended.unwrap_or(now).saturating_sub(started))
}

/// Tokens of all children.
#[must_use]
pub fn children_tokens(model: &Model) -> u64 {
    model.agents.values().fold(0, |sum, a| sum.saturating_add(a.usage.total()))
}

/// The gauge in words, longest first; the last one always fits.
#[must_use]
pub fn gauges(model: &Model) -> Vec<String> {
    let g = &model.gauge;
    let reading = Reading { used: g.used, window: g.window, compact_at: g.compact_at, estimated: g.estimated };
    let kids = children_tokens(model);
    let kids = if kids == 0 { String::new() } else { format!(" · kids {}", short(kids)) };
    let (bar, words) = (gauge::text(&reading, 10), gauge::text(&reading, 0));
    let tilde = if g.estimated { "~" } else { "" };
    let least = if g.window == 0 { format!("{tilde}{}", short(g.used)) } else { format!("{tilde}{}%", g.percent()) };
    vec![format!("context {bar}{kids} "), format!("{bar}{kids} "), format!("{words}{kids} "), format!("{words} "), least]
}

/// Where and with what, longest first.
#[must_use]
pub fn place(ui: &Ui) -> Vec<String> {
    let h = &ui.model.header;
    let branch = h.branch.as_ref().map(|b| if h.changed > 0 { format!(" · {b} ±{}", h.changed) } else { format!(" · {b}") }).unwrap_or_default();
    let model = match (h.provider.as_str(), h.model.as_str()) {
        ("", "") => String::new(),
        (provider, "") => provider.to_owned(),
        ("", model) => model.to_owned(),
        // The embedded explorer is no language model: its name says so once.
        (provider, model) if provider == model => model.to_owned(),
        (provider, model) => format!("{provider}/{model}"),
    };
    let mode = if h.session.is_empty() { "" } else { ui.mode().name() };
    let join = |parts: &[&str]| parts.iter().filter(|p| !p.is_empty()).copied().collect::<Vec<_>>().join(" · ");
    let folder = h.cwd.rsplit('/').next().unwrap_or_default();
    vec![
        format!(" tui-agent  {}", join(&[&format!("{}{branch}", h.cwd), &model, mode])),
        format!(" {}", join(&[&format!("{}{branch}", h.cwd), &model, mode])),
        format!(" {}", join(&[&h.cwd, &model, mode])),
        format!(" {}", join(&[folder, &model, mode])),
        format!(" {}", join(&[&h.model, mode])),
        format!(" {mode}"),
    ]
}

/// What the hint line says first, and how loud.
#[must_use]
pub fn news(ui: &Ui) -> Option<(Level, String)> {
    if let Some(flash) = &ui.flash {
        return Some((flash.level, flash.text.clone()));
    }
    let toast = ui.model.toasts.last().filter(|t| ui.now < t.at.saturating_add(TOAST_MS))?;
    Some((toast.level, toast.text.clone()))
}

/// Questions that wait, with the key that opens them.
#[must_use]
pub fn parked(ui: &Ui) -> Option<String> {
    let n = ask::parked(ui);
    let keys = ui.keymap.keys(Context::Global, Action::AnswerQuestion);
    let key = keys.iter().find(|k| !k.ctrl).or(keys.first()).map(|k| k.sign()).unwrap_or_default();
    (n > 0).then(|| format!("{n} question{} parked · {key} answer", if n == 1 { "" } else { "s" }))
}

/// What the keys do now, most important first.
#[must_use]
pub fn hints(ui: &Ui) -> Vec<String> {
    let key = |context, action, words: &str| {
        let sign = ui.keymap.sign(context, action);
        (!sign.is_empty()).then(|| format!("{sign} {words}"))
    };
    let foreground = ui.model.agents.iter().any(|(id, a)| *id != AgentId::MAIN && !a.info.background && a.state != AgentState::Finished);
    let mut all = Vec::new();
    if ui.trace_focused {
        for (action, words) in [
            (Action::Choose, "open"),
            (Action::StopTask, "stop"),
            (Action::AbortTask, "abort"),
            (Action::BackgroundTask, "background"),
            (Action::Close, "back"),
        ] {
            all.push(key(Context::List, action, words));
        }
        return all.into_iter().flatten().collect();
    }
    if ui.busy() {
        all.push(key(Context::Global, Action::Interrupt, "interrupt"));
        all.push(key(Context::Global, Action::ToBackground, "background"));
    }
    all.push(key(Context::Composer, Action::Submit, if ui.busy() { "queue" } else { "send" }));
    all.push(key(Context::Global, Action::CycleMode, "mode"));
    all.push(key(Context::Global, Action::ToggleTasks, "tasks"));
    all.push(key(Context::Global, Action::ToggleTrace, "subagents"));
    if foreground && !ui.busy() {
        all.push(key(Context::Global, Action::ToBackground, "background"));
    }
    all.push(key(Context::Global, Action::Help, "keys"));
    all.into_iter().flatten().collect()
}
