//! What each action does where no dialog or overlay has taken it.

use super::{Ui, completions, submit};
use crate::action::Action;
use crate::config::keymap::{Context, Key};
use crate::protocol::{Level, Mode, Op, TaskId};
use crate::ui::msg::Effect;
use crate::ui::overlays::{self, Overlay, tasks};
use crate::ui::panes::composer::complete::accept;
use crate::ui::panes::composer::history::Search;
use crate::ui::panes::conversation::Scroll;

/// How long after Ctrl+C on an empty line a second one quits.
const QUIT_MS: u64 = 2_000;

/// Do an action of the global table or of the input line that is no edit.
#[expect(clippy::wildcard_enum_match_arm, reason = "every other action belongs to somebody else")]
pub fn act(ui: &mut Ui, action: Action, out: &mut Vec<Effect>) {
    if let Some(scroll) = scroll_of(action) {
        overlays::scroll(ui, scroll);
        return;
    }
    match action {
        Action::Submit => {
            let continued = ui.composer.continue_line();
            if !continued {
                submit::submit(ui, out);
            }
        }
        Action::Interrupt => interrupt(ui, out),
        Action::CycleMode => cycle_mode(ui, out),
        Action::ToggleTrace => toggle_trace(ui, out),
        Action::FocusTrace => {
            ui.trace_focused = !ui.areas().trace.is_empty();
            ui.agents.selected = ui.agents.current(&ui.model);
        }
        Action::ToggleTasks => ui.overlays.push(Overlay::Tasks(crate::ui::panes::tasks::State::default())),
        Action::AnswerQuestion => overlays::ask::open_parked(ui),
        Action::ToBackground => out.push(Effect::Op(Op::ToBackground { agent: None })),
        Action::Help => ui.overlays.push(Overlay::Help(overlays::help::State::default())),
        Action::AgentsPicker => ui.overlays.push(Overlay::Agents(overlays::picker::State::default())),
        Action::Search => ui.overlays.push(Overlay::Search(overlays::search::State::default())),
        Action::TranscriptPager => out.push(Effect::Page(overlays::search::transcript(ui))),
        Action::ExternalEditor => out.push(Effect::Edit(ui.composer.text())),
        Action::CopyMessage => copy(ui, out),
        Action::ExpandOutput => ui.conversation.expand = !ui.conversation.expand,
        Action::ToggleThinking => ui.conversation.show_thinking = !ui.conversation.show_thinking,
        Action::Redraw => out.push(Effect::Repaint),
        Action::Suspend => out.push(Effect::Suspend),
        Action::ClearOrQuit => clear_or_quit(ui, out),
        Action::Quit => quit(ui, out),
        Action::HistorySearch => ui.composer.search = Some(Search::default()),
        Action::Complete => completions(ui, out),
        _ => {}
    }
}

fn interrupt(ui: &mut Ui, out: &mut Vec<Effect>) {
    if ui.busy() {
        ui.awaiting = false;
        out.push(Effect::Op(Op::Interrupt));
    }
}

/// The scrolling of an action, if it is one.
#[must_use]
#[expect(clippy::wildcard_enum_match_arm, reason = "every other action belongs to somebody else")]
pub fn scroll_of(action: Action) -> Option<Scroll> {
    Some(match action {
        Action::ScrollUp => Scroll::Lines(-1),
        Action::ScrollDown => Scroll::Lines(1),
        Action::PageUp => Scroll::Pages(-1),
        Action::PageDown => Scroll::Pages(1),
        Action::ScrollTop => Scroll::Top,
        Action::ScrollEnd => Scroll::End,
        Action::PreviousMessage => Scroll::Message(-1),
        Action::NextMessage => Scroll::Message(1),
        _ => return None,
    })
}

/// Keys while completions are open. False when the action is for others.
#[expect(clippy::wildcard_enum_match_arm, reason = "every other action belongs to somebody else")]
pub fn popup(ui: &mut Ui, action: Action, out: &mut Vec<Effect>) -> bool {
    let Some(open) = &mut ui.composer.popup else { return false };
    match action {
        Action::LineUp | Action::LineDown => open.step(action == Action::LineDown),
        Action::Interrupt => ui.composer.popup = None,
        Action::Complete => {
            accept(&mut ui.composer);
            completions(ui, out);
        }
        Action::Submit => {
            let Some(item) = open.item().cloned() else { return false };
            // What is typed in full is sent; a command that is chosen runs; anything else is completed first.
            let command = item.insert.starts_with('/') && !item.takes_more;
            if open.typed == item.insert {
                ui.composer.popup = None;
                return false;
            }
            accept(&mut ui.composer);
            if command {
                submit::submit(ui, out);
            } else {
                completions(ui, out);
            }
        }
        _ => return false,
    }
    true
}

/// Keys of the history search.
pub fn history_key(ui: &mut Ui, key: Key) {
    let action = ui.keymap.find(&[Context::Composer, Context::Global], key);
    let Some(search) = &mut ui.composer.search else { return };
    if let Some(c) = key.typed().filter(|_| action.is_none()) {
        search.query.push(c);
        search.skip = 0;
        return;
    }
    match action {
        Some(Action::HistorySearch | Action::LineUp) => {
            search.skip += 1;
            if ui.composer.history.find(search).is_none() {
                search.skip = search.skip.saturating_sub(1);
            }
        }
        Some(Action::LineDown) => search.skip = search.skip.saturating_sub(1),
        Some(Action::DeleteBack) => {
            search.query.pop();
            search.skip = 0;
        }
        Some(Action::Submit | Action::Complete) => {
            let found = ui.composer.history.find(search).map(str::to_owned);
            ui.composer.search = None;
            if let Some(text) = found {
                ui.composer.set(&text);
            }
        }
        Some(Action::Interrupt | Action::ClearOrQuit) => ui.composer.search = None,
        _ => {}
    }
}

/// Keys while the trace pane has them.
pub fn trace_key(ui: &mut Ui, key: Key, out: &mut Vec<Effect>) {
    let action = ui.keymap.find(&[Context::List, Context::Global], key);
    let selected = ui.agents.current(&ui.model);
    match (action, selected) {
        (Some(Action::SelectUp), _) => ui.agents.select_prev(&ui.model),
        (Some(Action::SelectDown), _) => ui.agents.select_next(&ui.model),
        (Some(Action::Choose), Some(agent)) => {
            ui.trace_focused = false;
            ui.overlays.push(Overlay::Child(overlays::child::State::new(agent)));
        }
        (Some(Action::Toggle), _) => ui.agents.toggle(&ui.model),
        (Some(Action::StopTask), Some(agent)) => out.push(Effect::Op(Op::Stop { agent })),
        (Some(Action::AbortTask), Some(agent)) => out.push(Effect::Op(Op::Abort { task: TaskId::Agent(agent) })),
        (Some(Action::BackgroundTask), Some(agent)) => out.push(Effect::Op(Op::ToBackground { agent: Some(agent) })),
        (Some(Action::DismissTask), Some(agent)) => out.push(Effect::Op(Op::Dismiss { task: TaskId::Agent(agent) })),
        (Some(Action::Close | Action::Interrupt), _) => ui.trace_focused = false,
        (Some(action), _) => {
            ui.trace_focused = false;
            act(ui, action, out);
        }
        // Anything else goes on in the input line, so that no typed letter is lost; Tab comes back the way it went.
        (None, _) => {
            ui.trace_focused = false;
            if key.typed().is_some() {
                super::composer_key(ui, key, out);
            }
        }
    }
}

fn cycle_mode(ui: &mut Ui, out: &mut Vec<Effect>) {
    let mode = match ui.mode() {
        Mode::Default => Mode::AcceptEdits,
        Mode::AcceptEdits => Mode::Plan,
        Mode::Plan if ui.bypass_allowed => Mode::Bypass,
        Mode::Plan | Mode::Bypass => Mode::Default,
    };
    ui.mode_asked = Some(mode);
    out.push(Effect::Op(Op::SetMode { mode }));
}

fn toggle_trace(ui: &mut Ui, out: &mut Vec<Effect>) {
    let (width, height) = ui.size;
    if width < crate::ui::layout::NARROW || height < crate::ui::layout::LOW {
        ui.trace_instead = !ui.trace_instead;
        return;
    }
    ui.trace_open = !ui.trace_open;
    ui.trace_instead = false;
    out.push(Effect::SaveTrace(ui.trace_open));
}

fn copy(ui: &mut Ui, out: &mut Vec<Effect>) {
    match overlays::search::last_reply(ui) {
        Some(text) => {
            ui.flash(Level::Info, format!("copied {} characters", text.chars().count()));
            out.push(Effect::Copy(text));
        }
        None => ui.flash(Level::Warning, "there is no reply to copy yet"),
    }
}

/// Ctrl+C: first the line, then twice to quit.
pub fn clear_or_quit(ui: &mut Ui, out: &mut Vec<Effect>) {
    if !ui.composer.is_empty() {
        ui.composer.history.leave();
        ui.composer.clear();
        return;
    }
    if ui.now <= ui.quit_until {
        quit(ui, out);
        return;
    }
    ui.quit_until = ui.now + QUIT_MS;
    let key = ui.keymap.sign(Context::Global, Action::ClearOrQuit);
    ui.flash(Level::Info, format!("{key} once more quits"));
}

/// Quit, or ask first when something runs in the background.
pub fn quit(ui: &mut Ui, out: &mut Vec<Effect>) {
    if tasks::running(&ui.model) == 0 {
        out.push(Effect::Exit);
    } else if !ui.overlays.iter().any(|o| matches!(o, Overlay::Exit)) {
        ui.overlays.push(Overlay::Exit);
    }
}
