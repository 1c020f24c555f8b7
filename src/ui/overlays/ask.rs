//! The open question of the approval queue: one at a time, over everything else (SPEC R6).
//!
//! Keys in the first 300 ms after it opened do nothing at all: they were meant for something else.

use super::{fan_out, permission, question};
use crate::config::keymap::Key;
use crate::protocol::{Answer, Approval, ApprovalBody, ApprovalId, Op};
use crate::ui::msg::Effect;
use crate::ui::update::Ui;
use ratatui::buffer::Buffer;
use ratatui::layout::Position;

/// How long keys do nothing.
pub const DEAD_MS: u64 = 300;

/// The open question.
#[derive(Debug)]
pub struct Ask {
    /// Which.
    pub id: ApprovalId,
    /// When it opened, in milliseconds since the Unix epoch.
    pub opened: u64,
    body: Body,
}

#[derive(Debug)]
enum Body {
    Permission(permission::State),
    FanOut(fan_out::State),
    Questions(question::State),
}

/// What a key did.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// The question stays open.
    Open,
    /// It is answered.
    Answer(Answer),
    /// It waits for later.
    Later,
}

impl Ask {
    /// Open a question.
    #[must_use]
    pub fn new(approval: &Approval, now: u64) -> Self {
        let body = match &approval.body {
            ApprovalBody::Command { .. } | ApprovalBody::Edit { .. } | ApprovalBody::Call { .. } => Body::Permission(permission::State::default()),
            ApprovalBody::FanOut { children } => Body::FanOut(fan_out::State::new(children.len())),
            ApprovalBody::Questions { questions } => Body::Questions(question::State::new(questions)),
        };
        Self { id: approval.id, opened: now, body }
    }

    /// Scroll its text by lines; false when it has none.
    pub fn scroll(&mut self, lines: isize) -> bool {
        match &mut self.body {
            Body::Permission(state) => state.scroll_by(lines),
            Body::FanOut(state) => state.scroll_by(lines),
            Body::Questions(_) => return false,
        }
        true
    }
}

/// A key for the open question.
pub fn key(ui: &mut Ui, key: Key, out: &mut Vec<Effect>) {
    let Some(mut ask) = ui.ask.take() else { return };
    let Some(approval) = ui.model.approvals.iter().find(|a| a.id == ask.id).cloned() else { return };
    if ui.now < ask.opened.saturating_add(DEAD_MS) {
        ui.ask = Some(ask);
        return;
    }
    let verdict = match &mut ask.body {
        Body::Permission(state) => permission::key(state, ui, &approval, key),
        Body::FanOut(state) => fan_out::key(state, ui, key),
        Body::Questions(state) => question::key(state, ui, &approval, key),
    };
    match verdict {
        Verdict::Open => ui.ask = Some(ask),
        Verdict::Later => ui.later.push(ask.id),
        Verdict::Answer(answer) => {
            ui.answered.push(ask.id);
            out.push(Effect::Op(Op::Reply { id: ask.id, answer }));
        }
    }
}

/// Pasted text for the open question's input, if it has one.
pub fn paste(ui: &mut Ui, text: &str) {
    match ui.ask.as_mut().map(|a| &mut a.body) {
        Some(Body::Permission(state)) => state.paste(text),
        Some(Body::Questions(state)) => state.paste(text),
        Some(Body::FanOut(_)) | None => {}
    }
}

/// Questions that wait without being open.
#[must_use]
pub fn parked(ui: &Ui) -> usize {
    let open = ui.ask.as_ref().map(|a| a.id);
    ui.model.approvals.iter().filter(|a| Some(a.id) != open && !ui.answered.contains(&a.id)).count()
}

/// Open the first question that waits.
pub fn open_parked(ui: &mut Ui) {
    let next = ui.model.approvals.iter().find(|a| !ui.answered.contains(&a.id));
    match next {
        Some(approval) => {
            ui.later.retain(|id| *id != approval.id);
            ui.ask = Some(Ask::new(approval, ui.now));
        }
        None => ui.flash(crate::protocol::Level::Info, "no question waits"),
    }
}

/// `1 of 2`: the place of a question in the whole queue.
#[must_use]
pub fn place(ui: &Ui, id: ApprovalId) -> String {
    let queue: Vec<_> = ui.model.approvals.iter().filter(|a| !ui.answered.contains(&a.id)).map(|a| a.id).collect();
    let at = queue.iter().position(|q| *q == id).map_or(1, |n| n + 1);
    format!("{at} of {}", queue.len().max(1))
}

/// Draw the open question; returns where the cursor belongs.
pub fn draw(ui: &mut Ui, buf: &mut Buffer) -> Option<Position> {
    let mut ask = ui.ask.take()?;
    let approval = ui.model.approvals.iter().find(|a| a.id == ask.id)?;
    let cursor = match &mut ask.body {
        Body::Permission(state) => permission::draw(state, ui, approval, buf),
        Body::FanOut(state) => fan_out::draw(state, ui, approval, buf),
        Body::Questions(state) => question::draw(state, ui, approval, buf),
    };
    ui.ask = Some(ask);
    cursor
}
