//! A permission question: who asks, everything that would run or change, and the answers (SPEC R6, CASES G05).
//!
//! An allow works only after every line of it was on the screen. Nothing is selected at the start: no key means "allow" by default.

mod body;
mod view;

#[cfg(test)]
mod tests;

pub use view::{draw, draw_input as input};

use super::ask::Verdict;
use crate::action::Action;
use crate::config::keymap::{Context, Key, KeyCode};
use crate::protocol::{Answer, Approval, Level};
use crate::ui::panes::composer::line::Line;
use crate::ui::update::Ui;

/// How far the answer is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
enum Stage {
    /// One of the keys.
    #[default]
    Choose,
    /// After "always": for whom?
    Always,
    /// Why not?
    Reason(Line),
}

/// The state of the dialog.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct State {
    /// First visible row of the body.
    top: usize,
    /// Rows that were on the screen, from the first one.
    seen: usize,
    /// Width of the dialog for which that holds.
    columns: u16,
    stage: Stage,
}

impl State {
    /// Move the body; the drawing keeps it in range.
    pub const fn scroll_by(&mut self, lines: isize) {
        self.top = self.top.saturating_add_signed(lines);
    }

    /// Pasted words for the reason.
    pub fn paste(&mut self, text: &str) {
        if let Stage::Reason(line) = &mut self.stage {
            line.insert(text);
        }
    }
}

/// The answers that this question has, with their words, in the order of the hints.
#[must_use]
fn choices(approval: &Approval) -> Vec<(Action, String)> {
    let mut all = vec![(Action::AllowOnce, "once".to_owned())];
    // "Calls like this" is a rule; without one there is nothing that a wider answer could mean.
    if approval.rule.is_some() {
        if !approval.agent.is_main() {
            all.push((Action::AllowAgent, "this agent".into()));
        }
        all.push((Action::AllowSession, "session".into()));
        all.push((Action::AllowAlways, "Always…".into()));
    }
    all.push((Action::Deny, "deny".into()));
    all.push((Action::DenyBecause, "deny and say why".into()));
    if !approval.agent.is_main() {
        all.push((Action::StopAgent, format!("stop {}", approval.agent)));
    }
    all
}

/// `[o]nce`, or `[r] deny and say why` where the key is not the first letter.
fn hint(key: Option<&Key>, words: &str) -> String {
    let Some(key) = key else { return words.to_owned() };
    if let (KeyCode::Char(k), Some(first)) = (key.code, words.chars().next())
        && k == first
        && !key.ctrl
        && !key.alt
    {
        return format!("[{k}]{}", &words[first.len_utf8()..]);
    }
    format!("[{}] {words}", key.sign())
}

/// A key for the dialog.
pub fn key(state: &mut State, ui: &mut Ui, approval: &Approval, key: Key) -> Verdict {
    match &mut state.stage {
        Stage::Choose => choose(state, ui, approval, key),
        Stage::Always => match ui.keymap.find(&[Context::Always], key) {
            Some(Action::AlwaysProject) => Verdict::Answer(Answer::AlwaysProject),
            Some(Action::AlwaysUser) => Verdict::Answer(Answer::AlwaysUser),
            Some(Action::Close) => {
                state.stage = Stage::Choose;
                Verdict::Open
            }
            _ => Verdict::Open,
        },
        Stage::Reason(line) => {
            let action = ui.keymap.find(&[Context::Composer, Context::Global], key);
            match action {
                Some(Action::Submit) => {
                    let reason = line.take().trim().to_owned();
                    return Verdict::Answer(if reason.is_empty() { Answer::Deny } else { Answer::DenyBecause { reason } });
                }
                Some(Action::Interrupt) => state.stage = Stage::Choose,
                Some(action) => {
                    line.act(action);
                }
                None => {
                    if let Some(c) = key.typed() {
                        line.insert(c.encode_utf8(&mut [0; 4]));
                    }
                }
            }
            Verdict::Open
        }
    }
}

fn choose(state: &mut State, ui: &mut Ui, approval: &Approval, key: Key) -> Verdict {
    let Some(action) = ui.keymap.find(&[Context::Dialog, Context::Global], key) else { return Verdict::Open };
    let page = view::measure(state, ui, approval).visible.max(1);
    let step = isize::try_from(page).unwrap_or(1);
    let scroll = [
        (Action::ScrollUp, -1),
        (Action::ScrollDown, 1),
        (Action::PageUp, -step),
        (Action::PageDown, step),
        (Action::ScrollTop, isize::MIN),
        (Action::ScrollEnd, isize::MAX / 2),
    ];
    if let Some((_, lines)) = scroll.iter().find(|(a, _)| *a == action) {
        // The end is reached page by page on purpose: what is skipped was not seen.
        view::scroll(state, ui, approval, *lines);
        return Verdict::Open;
    }
    if action == Action::AnswerLater {
        return Verdict::Later;
    }
    if !choices(approval).iter().any(|(a, _)| *a == action) {
        return Verdict::Open;
    }
    let answer = match Some(action) {
        Some(Action::AllowOnce) => Answer::Once,
        Some(Action::AllowAgent) => Answer::Agent,
        Some(Action::AllowSession) => Answer::Session,
        Some(Action::AllowAlways) => Answer::AlwaysProject,
        Some(Action::DenyBecause) => {
            state.stage = Stage::Reason(Line::default());
            return Verdict::Open;
        }
        Some(Action::StopAgent) => return Verdict::Answer(Answer::StopAgent),
        _ => return Verdict::Answer(Answer::Deny),
    };
    let hidden = view::unseen(state, ui, approval);
    if hidden > 0 {
        ui.flash(Level::Warning, format!("{hidden} more lines, scroll to allow"));
        return Verdict::Open;
    }
    if action == Action::AllowAlways {
        state.stage = Stage::Always;
        return Verdict::Open;
    }
    Verdict::Answer(answer)
}
