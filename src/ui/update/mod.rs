//! The interface's state and its one step: `update(ui, message) -> effects`. Pure: no clock but [`Ui::now`], no IO.
//!
//! Must not: draw, or wait for anything. Keys go to the topmost of: open question, overlays, selection in the trace pane, input line.

mod act;
mod engine;
mod submit;
mod sync;

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use act::scroll_of;
pub use sync::{PARK_MS, TOAST_MS, next_wake};

use crate::action::Action;
use crate::config::keymap::{Context, Key, Keymap};
use crate::config::schema::UiConfig;
use crate::protocol::{AgentId, ApprovalId, Event, EventKind, Level, Mode};
use crate::ui::cells::Cache;
use crate::ui::fold;
use crate::ui::layout::{Areas, Want, layout};
use crate::ui::model::Model;
use crate::ui::msg::{Effect, Mouse, Msg};
use crate::ui::overlays::ask::Ask;
use crate::ui::overlays::{self, Overlay};
use crate::ui::panes::composer::complete::{Sources, needs_files, refresh};
use crate::ui::panes::composer::{Composer, Edited};
use crate::ui::panes::{agents, conversation};
use crate::ui::theme::Theme;
use ratatui::layout::Rect;
use std::path::PathBuf;

/// Short words of the interface itself in the hint line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flash {
    /// How loud.
    pub level: Level,
    /// The words.
    pub text: String,
    /// When they go away, in milliseconds since the Unix epoch.
    pub until: u64,
}

/// The whole state of the interface.
#[derive(Debug)]
pub struct Ui {
    /// What the engine's events were folded into.
    pub model: Model,
    /// The input line.
    pub composer: Composer,
    /// What lies over the screen, the topmost last.
    pub overlays: Vec<Overlay>,
    /// The open question.
    pub ask: Option<Ask>,
    /// Questions that the person put off.
    pub later: Vec<ApprovalId>,
    /// Questions that are answered and not yet confirmed by the engine.
    pub answered: Vec<ApprovalId>,
    /// Where the main conversation is read.
    pub conversation: conversation::State,
    /// The selection in the trace pane.
    pub agents: agents::State,
    /// Keys go to the trace pane.
    pub trace_focused: bool,
    /// The trace pane is unfolded.
    pub trace_open: bool,
    /// On a small screen: the trace pane in place of the conversation.
    pub trace_instead: bool,
    /// Laid-out cells of all conversations.
    pub cache: Cache,
    /// Which keys do what.
    pub keymap: Keymap,
    /// Colours.
    pub theme: Theme,
    /// `[ui]`.
    pub config: UiConfig,
    /// The user's themes.
    pub themes_dir: Option<PathBuf>,
    /// No colours whatever the theme.
    pub no_color: bool,
    /// Columns and rows.
    pub size: (u16, u16),
    /// Milliseconds since the Unix epoch.
    pub now: u64,
    /// When a character was typed last.
    pub typed_at: u64,
    /// Words in the hint line.
    pub flash: Option<Flash>,
    /// Until when a second Ctrl+C quits.
    pub quit_until: u64,
    /// Whether Shift+Tab reaches `bypass`.
    pub bypass_allowed: bool,
    /// A mode that was asked for and not yet confirmed.
    pub mode_asked: Option<Mode>,
    /// A message was sent whose turn has not begun yet.
    pub awaiting: bool,
    /// Files of the project and when they were listed.
    pub files: (Vec<String>, Option<u64>),
    /// A message to send as soon as the session is open.
    pub initial_prompt: Option<String>,
    /// Quit when nothing runs any more.
    pub exit_when_idle: bool,
    /// Number of the newest event.
    pub seq: u64,
}

impl Ui {
    /// A fresh interface.
    #[must_use]
    pub fn new(config: UiConfig, keymap: Keymap, theme: Theme) -> Self {
        Self {
            model: Model::default(),
            composer: Composer::default(),
            overlays: Vec::new(),
            ask: None,
            later: Vec::new(),
            answered: Vec::new(),
            conversation: conversation::State::default(),
            agents: agents::State::default(),
            trace_focused: false,
            trace_open: true,
            trace_instead: false,
            cache: Cache::default(),
            keymap,
            theme,
            config,
            themes_dir: None,
            no_color: false,
            size: (0, 0),
            now: 0,
            typed_at: 0,
            flash: None,
            quit_until: 0,
            bypass_allowed: false,
            mode_asked: None,
            awaiting: false,
            files: (Vec::new(), None),
            initial_prompt: None,
            exit_when_idle: false,
            seq: 0,
        }
    }

    /// Where the regions stand now.
    #[must_use]
    pub fn areas(&self) -> Areas {
        let (width, height) = self.size;
        let children = self.model.agents.values().any(|a| !a.dismissed);
        let wanted = if children { agents::wanted_height(&self.model, &self.agents, width).max(1) } else { 0 };
        let running = self.model.agents.values().any(|a| !a.dismissed && a.info.background) || self.model.commands.values().any(|c| !c.dismissed);
        let want = Want {
            trace: wanted,
            folded: !self.trace_open,
            trace_instead: self.trace_instead,
            strip: running || !self.model.todos.is_empty(),
            composer: self.composer.wanted_rows(width),
            queued: u16::try_from(self.model.queued.len()).unwrap_or(u16::MAX),
        };
        layout(Rect::new(0, 0, width, height), &want)
    }

    /// Words in the hint line for some seconds.
    pub fn flash(&mut self, level: Level, text: impl Into<String>) {
        self.flash = Some(Flash { level, text: text.into(), until: self.now.saturating_add(5_000) });
    }

    /// Words of the interface in the conversation, on the same path as those of the engine.
    pub fn notice(&mut self, level: Level, text: impl Into<String>, hint: impl Into<String>) {
        let kind = EventKind::Notice { level, text: text.into(), hint: hint.into() };
        let event = Event { v: crate::protocol::event::EVENT_VERSION, seq: self.seq, at: self.now, agent: AgentId::MAIN, kind };
        fold::apply(&mut self.model, &event);
    }

    /// The mode as the person sees it: the one asked for, else the engine's.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode_asked.unwrap_or(self.model.header.mode)
    }

    /// A turn of `main` runs or is about to.
    #[must_use]
    pub fn busy(&self) -> bool {
        self.awaiting || self.model.turn_since.is_some()
    }

    /// The contexts in which the input line's keys are looked up.
    #[must_use]
    pub fn composer_contexts(&self) -> &'static [Context] {
        if self.composer.is_empty() { &[Context::Empty, Context::Composer, Context::Global] } else { &[Context::Composer, Context::Global] }
    }
}

/// One step.
pub fn update(ui: &mut Ui, msg: Msg, now: u64) -> Vec<Effect> {
    ui.now = now;
    let mut out = Vec::new();
    match msg {
        Msg::Key(key) => press(ui, key, &mut out),
        Msg::Paste(text) => paste(ui, &text, &mut out),
        Msg::Mouse(mouse, x, y) => mouse_at(ui, mouse, x, y),
        Msg::Resize(columns, rows) => ui.size = (columns, rows),
        Msg::Engine(event) => engine::take(ui, &event, &mut out),
        Msg::Tick => {}
        Msg::Files(files) => {
            ui.files.0 = files;
            completions(ui, &mut out);
        }
        Msg::History(entries) => ui.composer.history.load(entries),
        Msg::Edited(Ok(text)) => ui.composer.set(text.trim_end_matches('\n')),
        Msg::Edited(Err(why)) => ui.flash(Level::Error, why),
        Msg::Note(level, text, hint) => ui.notice(level, text, hint),
    }
    sync::sync(ui, &mut out);
    out
}

fn press(ui: &mut Ui, key: Key, out: &mut Vec<Effect>) {
    // These two work whatever is open.
    if let Some(action @ (Action::Suspend | Action::Redraw)) = ui.keymap.find(&[Context::Global], key) {
        act::act(ui, action, out);
    } else if ui.ask.is_some() {
        overlays::ask::key(ui, key, out);
    } else if !ui.overlays.is_empty() {
        overlays::key(ui, key, out);
    } else if ui.trace_focused {
        act::trace_key(ui, key, out);
    } else if ui.composer.search.is_some() {
        act::history_key(ui, key);
    } else {
        composer_key(ui, key, out);
    }
}

fn composer_key(ui: &mut Ui, key: Key, out: &mut Vec<Effect>) {
    let action = ui.keymap.find(ui.composer_contexts(), key);
    let Some(action) = action else {
        if let Some(c) = key.typed() {
            ui.typed_at = ui.now;
            ui.composer.insert(c);
            completions(ui, out);
        }
        return;
    };
    if act::popup(ui, action, out) {
        return;
    }
    if action == Action::LineUp && ui.composer.is_empty() && !ui.model.queued.is_empty() {
        out.push(Effect::Op(crate::protocol::Op::Unqueue));
        return;
    }
    match ui.composer.act(action) {
        Edited::Text => {
            ui.typed_at = ui.now;
            completions(ui, out);
        }
        Edited::Cursor => ui.composer.popup = None,
        Edited::No => act::act(ui, action, out),
    }
}

fn paste(ui: &mut Ui, text: &str, out: &mut Vec<Effect>) {
    ui.typed_at = ui.now;
    if ui.ask.is_some() {
        overlays::ask::paste(ui, text);
    } else if ui.overlays.is_empty() {
        ui.trace_focused = false;
        ui.composer.search = None;
        ui.composer.paste(text);
        completions(ui, out);
    } else {
        overlays::paste(ui, text);
    }
}

fn mouse_at(ui: &mut Ui, mouse: Mouse, x: u16, y: u16) {
    let lines = match mouse {
        Mouse::WheelUp => -3,
        Mouse::WheelDown => 3,
        Mouse::Press => {
            click(ui, x, y);
            return;
        }
    };
    if ui.ask.as_mut().is_some_and(|ask| ask.scroll(lines)) {
        return;
    }
    overlays::scroll(ui, conversation::Scroll::Lines(lines));
}

/// A click puts the cursor into the input line, or selects in the trace pane by giving it the keys.
fn click(ui: &mut Ui, x: u16, y: u16) {
    let areas = ui.areas();
    if ui.ask.is_some() || !ui.overlays.is_empty() || !areas.composer.contains((x, y).into()) {
        return;
    }
    ui.trace_focused = false;
    ui.composer.click(areas.composer, x, y);
}

/// Open, change or close completions after an edit; asks for the project's files when they are missing or old.
fn completions(ui: &mut Ui, out: &mut Vec<Effect>) {
    if needs_files(&ui.composer) && ui.files.1.is_none_or(|at| ui.now.saturating_sub(at) > 10_000) {
        ui.files.1 = Some(ui.now);
        out.push(Effect::WalkFiles);
    }
    let sources = Sources { own: &ui.model.own_commands, types: &ui.model.agent_types, files: &ui.files.0 };
    refresh(&mut ui.composer, &sources);
}
