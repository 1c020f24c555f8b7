//! A child on the whole screen: its prompt, its conversation live, a line to write to it (SPEC U3, S19).
//!
//! Letters act while the steer line has no focus; Tab gives it the focus.

use super::Next;
use crate::action::Action;
use crate::config::keymap::{Context, Key};
use crate::protocol::{AgentId, Level, Op, TaskId};
use crate::ui::draw::paint;
use crate::ui::model::{AgentState, ItemKind, Model};
use crate::ui::msg::Effect;
use crate::ui::panes::composer::line::Line;
use crate::ui::panes::conversation;
use crate::ui::panes::status::elapsed;
use crate::ui::update::Ui;
use crate::ui::widgets::put::fill;
use crate::ui::widgets::row::flat;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// The state of the view.
#[derive(Debug)]
pub struct State {
    /// Whom it shows.
    pub agent: AgentId,
    /// Where it is read.
    pub conversation: conversation::State,
    /// Words for the child.
    pub line: Line,
    /// Keys go into the line.
    pub focused: bool,
}

impl State {
    /// A view of a child, at its end.
    #[must_use]
    pub fn new(agent: AgentId) -> Self {
        Self { agent, conversation: conversation::State::default(), line: Line::default(), focused: false }
    }
}

/// Where the parts of the view stand.
#[derive(Copy, Clone, Debug)]
pub struct Areas {
    header: Rect,
    prompt: Rect,
    /// The conversation.
    pub conversation: Rect,
    line: Rect,
    hint: Rect,
}

/// Lay the view out.
#[must_use]
pub fn areas(model: &Model, state: &State, screen: Rect) -> Areas {
    let row = |y: u16, height: u16| Rect { y: screen.y + y.min(screen.height), height: height.min(screen.height.saturating_sub(y)), ..screen };
    let header = row(0, 1);
    let bottom = if screen.height >= 6 { 2 } else { u16::from(screen.height >= 2) };
    let prompt_rows = prompt_rows(model, state.agent, screen);
    let prompt = if screen.height >= 6 { row(1, u16::try_from(prompt_rows.len()).unwrap_or(0) + 1) } else { row(1, 0) };
    let top = header.height + prompt.height;
    let conversation = row(top, screen.height.saturating_sub(top + bottom));
    let line = row(screen.height.saturating_sub(bottom), u16::from(bottom >= 1));
    let hint = row(screen.height.saturating_sub(1), u16::from(bottom >= 2));
    Areas { header, prompt, conversation, line, hint }
}

/// The prompt in at most a third of the screen: its start and, always, its end.
fn prompt_rows(model: &Model, agent: AgentId, screen: Rect) -> Vec<String> {
    let prompt = model.agents.get(&agent).map_or("", |a| a.info.prompt.as_str());
    let most = usize::from(screen.height / 3).max(1);
    // A very long prompt is wrapped only where it is shown.
    let bytes = most * usize::from(screen.width.max(1)) * 4;
    let columns = usize::from(screen.width.saturating_sub(4)).max(1);
    let (head, tail) = if prompt.len() > 2 * bytes { (crate::util::text::head(prompt, bytes), crate::util::text::tail(prompt, bytes)) } else { (prompt, "") };
    let mut rows = paint::wrap(head.trim_end(), columns);
    let cut = !tail.is_empty();
    if cut {
        rows.extend(paint::wrap(tail.trim_end(), columns));
    }
    if rows.len() > most {
        let end = (most / 3).max(1);
        let hidden = rows.len() - most + 1;
        let tail = rows.split_off(rows.len() - end);
        rows.truncate(most.saturating_sub(end + 1));
        rows.push(if cut { "… the rest of the prompt …".into() } else { format!("… {hidden} more lines …") });
        rows.extend(tail);
    }
    rows
}

/// A child's report; while it works, its last words.
fn words(model: &Model, agent: AgentId) -> String {
    let report = model.agents.get(&agent).and_then(|a| a.outcome.as_ref()).map(|o| o.report.trim()).filter(|r| !r.is_empty());
    let last = || {
        model.transcripts.get(&agent).and_then(|t| {
            t.items.iter().rev().find_map(|i| match &i.kind {
                ItemKind::Assistant { text, .. } if !text.trim().is_empty() => Some(text.trim()),
                ItemKind::Assistant { .. }
                | ItemKind::User { .. }
                | ItemKind::Thinking { .. }
                | ItemKind::Tool(_)
                | ItemKind::Notice { .. }
                | ItemKind::Compacted { .. } => None,
            })
        })
    };
    report.or_else(last).unwrap_or_default().to_owned()
}

/// Words of a child as a block that says where it comes from.
fn block(model: &Model, agent: AgentId, text: &str) -> String {
    let name = model.agents.get(&agent).map(|a| format!("{} · {}", a.info.kind, a.info.description)).unwrap_or_default();
    format!("--- from {agent} {} ---\n{text}\n--- end of {agent} ---\n", flat(&name))
}

/// A key for the view.
pub fn key(state: &mut State, ui: &mut Ui, key: Key, out: &mut Vec<Effect>) -> Next {
    if state.focused {
        return line_key(state, ui, key, out);
    }
    let agent = state.agent;
    let action = ui.keymap.find(&[Context::Agent, Context::Global], key);
    match action {
        Some(Action::Close | Action::Interrupt | Action::ClearOrQuit) => return Next::Close,
        Some(Action::Steer) => state.focused = true,
        Some(Action::StopTask) => out.push(Effect::Op(Op::Stop { agent })),
        Some(Action::AbortTask) => out.push(Effect::Op(Op::Abort { task: TaskId::Agent(agent) })),
        Some(Action::BackgroundTask | Action::ToBackground) => out.push(Effect::Op(Op::ToBackground { agent: Some(agent) })),
        Some(Action::CopyMessage) => {
            let text = words(&ui.model, agent);
            if text.is_empty() {
                ui.flash(Level::Info, format!("{agent} has said nothing yet"));
            } else {
                out.push(Effect::Copy(text));
                ui.flash(Level::Info, format!("the words of {agent} were copied"));
            }
        }
        Some(Action::InsertReport) => {
            let text = words(&ui.model, agent);
            if text.is_empty() {
                ui.flash(Level::Info, format!("{agent} has said nothing yet"));
            } else {
                ui.composer.paste(&block(&ui.model, agent, &text));
                return Next::Close;
            }
        }
        Some(Action::AnswerQuestion) => super::ask::open_parked(ui),
        Some(Action::ExpandOutput) => state.conversation.expand = !state.conversation.expand,
        Some(Action::ToggleThinking) => state.conversation.show_thinking = !state.conversation.show_thinking,
        Some(action) => {
            if let Some(scroll) = crate::ui::update::scroll_of(action) {
                let area = areas(&ui.model, state, ui.areas().screen).conversation;
                state.conversation.scroll(scroll, &ui.model, agent, &mut ui.cache, area, &ui.theme);
            }
        }
        None => {}
    }
    Next::Stay
}

fn line_key(state: &mut State, ui: &mut Ui, key: Key, out: &mut Vec<Effect>) -> Next {
    match ui.keymap.find(&[Context::Composer, Context::Global], key) {
        Some(Action::Submit) => {
            let text = state.line.take();
            if !text.trim().is_empty() {
                out.push(Effect::Op(Op::Steer { agent: state.agent, text }));
            }
            state.focused = false;
        }
        Some(Action::Interrupt | Action::Complete) => state.focused = false,
        Some(Action::ClearOrQuit) => {
            if state.line.take().is_empty() {
                state.focused = false;
            }
        }
        Some(action) => {
            if !state.line.act(action)
                && let Some(scroll) = crate::ui::update::scroll_of(action)
            {
                let area = areas(&ui.model, state, ui.areas().screen).conversation;
                state.conversation.scroll(scroll, &ui.model, state.agent, &mut ui.cache, area, &ui.theme);
            }
        }
        None => {
            if let Some(c) = key.typed() {
                ui.typed_at = ui.now;
                state.line.insert(c.encode_utf8(&mut [0; 4]));
            }
        }
    }
    Next::Stay
}

/// Draw the view.
pub fn draw(state: &mut State, ui: &mut Ui, buf: &mut Buffer) -> Option<Position> {
    let theme = ui.theme.clone();
    let screen = ui.areas().screen;
    let a = areas(&ui.model, state, screen);
    fill(buf, screen, theme.text);
    if let Some(row) = ui.model.agents.get(&state.agent) {
        let word = match (row.state, &row.outcome) {
            (AgentState::Finished, Some(outcome)) => outcome.ending.name(),
            (AgentState::Finished, None) => "ended",
            (AgentState::Pending, _) => "pending",
            (AgentState::Asking, _) => "waits for you",
            (AgentState::Running, _) => "running",
        };
        let left = format!(" {} {} · {}", state.agent, row.info.kind, row.info.description);
        let right = format!("{word} {} ", elapsed(row.started, row.ended, ui.now));
        let right_width = u16::try_from(paint::width(&right)).unwrap_or(0).min(a.header.width);
        paint::put_cut(buf, a.header, a.header.x, a.header.y, a.header.width.saturating_sub(right_width + 1), &flat(&left), theme.heading);
        paint::put(buf, a.header, a.header.right() - right_width, a.header.y, right_width, &right, theme.muted);
    } else {
        paint::put_cut(buf, a.header, a.header.x, a.header.y, a.header.width, &format!(" {} is not known any more", state.agent), theme.warn);
    }
    for (n, row) in prompt_rows(&ui.model, state.agent, screen).iter().enumerate() {
        let y = a.prompt.y.saturating_add(u16::try_from(n).unwrap_or(u16::MAX));
        if y.saturating_add(1) < a.prompt.bottom() {
            paint::put(buf, a.prompt, a.prompt.x + 2, y, a.prompt.width.saturating_sub(3), row, theme.muted);
        }
    }
    if a.prompt.height > 0 {
        paint::rule(buf, Rect { y: a.prompt.bottom() - 1, height: 1, ..a.prompt }, theme.border);
    }
    state.conversation.now = ui.now;
    conversation::draw(buf, a.conversation, &ui.model, state.agent, &mut state.conversation, &mut ui.cache, &theme);
    draw_line(state, ui, buf, &a)
}

fn draw_line(state: &State, ui: &Ui, buf: &mut Buffer, a: &Areas) -> Option<Position> {
    let theme = &ui.theme;
    if a.line.is_empty() {
        return None;
    }
    let x = paint::put(buf, a.line, a.line.x, a.line.y, a.line.width, " ❯ ", if state.focused { theme.accent } else { theme.muted });
    let input = Rect { x, width: a.line.right().saturating_sub(x), ..a.line };
    let keys = |action| ui.keymap.sign(Context::Agent, action);
    let mut cursor = None;
    if state.focused || !state.line.text().is_empty() {
        let at = super::permission::input(buf, input, &state.line, ui);
        cursor = state.focused.then_some(at);
    } else {
        paint::put_cut(buf, input, x, a.line.y, input.width, &format!("{} to write to {}", keys(Action::Steer), state.agent), theme.muted);
    }
    let hint = if state.focused {
        "   ↵ send · esc back to the keys".to_owned()
    } else {
        let part = |action, words: &str| format!("{} {words}", keys(action));
        let parts = [
            part(Action::StopTask, "stop: report now"),
            part(Action::AbortTask, "abort"),
            part(Action::BackgroundTask, "background"),
            part(Action::CopyMessage, "copy"),
            part(Action::InsertReport, "insert"),
            part(Action::Close, "back"),
        ];
        format!("   {}", parts.join(" · "))
    };
    paint::put_cut(buf, a.hint, a.hint.x, a.hint.y, a.hint.width, &hint, theme.muted);
    cursor
}
