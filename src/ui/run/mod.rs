//! The interface's task: waits for keys, engine events and time, steps the state, draws on change.
//!
//! First paint before anything is awaited. At most 60 frames a second, merged; a key is echoed at once. At rest nothing wakes it.
//! Must not: decide anything (see `update`), or know what is drawn (see `draw`).

pub mod host;

#[cfg(test)]
mod tests;

use super::draw::draw;
use super::frame::{FrameWriter, Screen};
use super::input::message;
use super::msg::{Effect, Msg};
use super::panes::composer::files;
use super::panes::composer::history::History;
use super::term;
use super::theme::Theme;
use super::update::{Ui, next_wake, update};
use crate::config::keymap::Keymap;
use crate::config::schema::UiConfig;
use crate::protocol::{Ending, Event, Level, Op};
use crate::util::fs::{append_private, create_private_dir, write_private};
use crate::util::time::now_ms;
use futures_util::StreamExt;
use host::{Host, Outside, Terminal};
use ratatui::backend::{Backend, CrosstermBackend};
use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::task::Poll;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// Shortest time between two frames that nobody typed for.
const FRAME: Duration = Duration::from_millis(16);
/// Longest such time, however long drawing takes: progress is seen ten times a second.
const SLOWEST: Duration = Duration::from_millis(90);
/// Shortest time between two frames of typed keys.
const ECHO: Duration = Duration::from_millis(3);
/// Engine events taken in before looking at the clock again.
const BATCH: usize = 512;

/// What the interface needs to start; read by the caller, who may know the environment.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// `[ui]`.
    pub config: UiConfig,
    /// Which keys do what.
    pub keymap: Keymap,
    /// Colours.
    pub theme: Theme,
    /// No colours whatever `/theme` says (`NO_COLOR`).
    pub no_color: bool,
    /// The user's themes.
    pub themes_dir: Option<PathBuf>,
    /// Where sent messages are kept.
    pub history_file: Option<PathBuf>,
    /// Where the trace pane's fold is kept.
    pub state_file: Option<PathBuf>,
    /// The project folder, for `@` completion.
    pub workspace: PathBuf,
    /// The project folder as the header shows it until the session is open (`~/proj`).
    pub folder: String,
    /// Sent as soon as the session is open.
    pub initial_prompt: Option<String>,
    /// Whether Shift+Tab reaches `bypass` (the program was started with it).
    pub bypass_allowed: bool,
    /// `$VISUAL` or `$EDITOR`; with arguments.
    pub editor: Option<String>,
    /// `$PAGER`; with arguments.
    pub pager: Option<String>,
}

/// Why the interface ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ExitReason {
    /// The person quit.
    Quit,
    /// A signal from outside, by its number.
    Signal(i32),
    /// The engine ended by itself.
    EngineEnded,
}

/// How the interface ended. The terminal is restored, and the engine was asked to shut down (unless it had ended).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exit {
    /// The session that was open.
    pub session: Option<String>,
    /// Why.
    pub reason: ExitReason,
    /// Words of a panic that took the engine away.
    pub failure: Option<String>,
}

/// Run the interface on the terminal of this process until it ends.
///
/// # Errors
/// When standard input is no terminal, or the terminal cannot be written to. It is restored in any case.
pub async fn run(events: mpsc::Receiver<Event>, ops: mpsc::Sender<Op>, setup: Setup) -> io::Result<Exit> {
    term::install_panic_hook();
    term::enter(setup.config.mouse)?;
    let guard = term::Guard;
    let (columns, rows) = crossterm::terminal::size().unwrap_or((80, 24));
    let (writer, held) = FrameWriter::new(io::stdout());
    let screen = Screen::new(CrosstermBackend::new(writer), columns, rows, Some(held));
    let host = Terminal::new(&setup)?;
    let (result, left) = drive(events, ops.clone(), &setup, screen, host, now_ms).await;
    drop(guard);
    // The receiver is gone: the engine cannot be waiting for us while we wait for it.
    let exit = result?;
    if exit.reason != ExitReason::EngineEnded {
        let ending = if exit.reason == ExitReason::Quit { Ending::Cancelled } else { Ending::Interrupted };
        let send = async {
            for op in left.into_iter().chain([Op::Shutdown { ending }]) {
                if ops.send(op).await.is_err() {
                    break;
                }
            }
        };
        let _ = tokio::time::timeout(Duration::from_secs(2), send).await;
    }
    Ok(exit)
}

/// The state of a start.
fn start(setup: &Setup, columns: u16, rows: u16, now: u64) -> Ui {
    let mut ui = Ui::new(setup.config.clone(), setup.keymap.clone(), setup.theme.clone());
    ui.size = (columns, rows);
    ui.now = now;
    ui.no_color = setup.no_color;
    ui.themes_dir.clone_from(&setup.themes_dir);
    ui.bypass_allowed = setup.bypass_allowed;
    ui.initial_prompt.clone_from(&setup.initial_prompt);
    ui.model.header.cwd.clone_from(&setup.folder);
    ui.trace_open = setup.state_file.as_ref().and_then(|p| std::fs::read_to_string(p).ok()).is_none_or(|t| !t.contains("trace = false"));
    ui
}

/// Run on any backend and host. Returns how it ended and the requests that did not fit into the channel any more.
pub async fn drive<B: Backend, H: Host>(
    mut events: mpsc::Receiver<Event>,
    ops: mpsc::Sender<Op>,
    setup: &Setup,
    screen: Screen<B>,
    host: H,
    clock: impl Fn() -> u64,
) -> (io::Result<Exit>, VecDeque<Op>) {
    let (notes, mut inbox) = mpsc::channel(16);
    let (columns, rows) = host.size();
    let ui = start(setup, columns, rows, clock());
    let now = Instant::now();
    let mut runner = Runner {
        ui,
        screen,
        host,
        setup,
        clock,
        ops,
        backlog: VecDeque::new(),
        notes,
        input: None,
        drawn: now,
        pace: FRAME,
        dirty: false,
        urgent: false,
        todo: VecDeque::new(),
    };
    let result = runner.main(&mut events, &mut inbox).await;
    drop(events);
    let session = Some(runner.ui.model.header.session.clone()).filter(|s| !s.is_empty());
    (result.map(|(reason, failure)| Exit { session, reason, failure }), runner.backlog)
}

struct Runner<'a, B: Backend, H: Host, C: Fn() -> u64> {
    ui: Ui,
    screen: Screen<B>,
    host: H,
    setup: &'a Setup,
    clock: C,
    ops: mpsc::Sender<Op>,
    backlog: VecDeque<Op>,
    notes: mpsc::Sender<Msg>,
    input: Option<H::Input>,
    drawn: Instant,
    /// Time between frames: longer than [`FRAME`] only while drawing is slow.
    pace: Duration,
    dirty: bool,
    urgent: bool,
    /// Effects that need the loop: leaving, the terminal given away.
    todo: VecDeque<Effect>,
}

/// What the loop waited for.
enum Got {
    Key(Option<io::Result<crossterm::event::Event>>),
    Outside(Outside),
    Engine(Option<Event>),
    Note(Msg),
    Room(bool),
    Time,
}

type Ended = (ExitReason, Option<String>);

impl<B: Backend, H: Host, C: Fn() -> u64> Runner<'_, B, H, C> {
    async fn main(&mut self, events: &mut mpsc::Receiver<Event>, notices: &mut mpsc::Receiver<Msg>) -> io::Result<Ended> {
        self.draw()?;
        self.load_history();
        self.input = Some(self.host.input());
        loop {
            if let Some(ended) = self.wait(events, notices).await? {
                return Ok(ended);
            }
            while let Some(effect) = self.todo.pop_front() {
                if effect == Effect::Exit {
                    return Ok((ExitReason::Quit, None));
                }
                self.away(effect, events).await?;
            }
            if self.frame_at().is_some_and(|at| at <= Instant::now()) {
                self.draw()?;
            }
        }
    }

    /// Wait for one thing and take in all that is there.
    async fn wait(&mut self, events: &mut mpsc::Receiver<Event>, notices: &mut mpsc::Receiver<Msg>) -> io::Result<Option<Ended>> {
        let wake = self.wake();
        let sleep = async {
            match wake {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        let input = async {
            match &mut self.input {
                Some(input) => input.next().await,
                None => std::future::pending().await,
            }
        };
        let (ops, waiting) = (&self.ops, !self.backlog.is_empty());
        let got = tokio::select! {
            biased;
            event = input => Got::Key(event),
            outside = self.host.outside() => Got::Outside(outside),
            event = events.recv() => Got::Engine(event),
            Some(msg) = notices.recv() => Got::Note(msg),
            room = ops.reserve(), if waiting => Got::Room(room.is_ok()),
            () = sleep => Got::Time,
        };
        match got {
            // The terminal is gone: as if it had hung up.
            Got::Key(None) => return Ok(Some((ExitReason::Signal(1), None))),
            Got::Key(Some(event)) => self.keys(event?).await?,
            Got::Outside(outside) => return self.outside(outside, events).await,
            Got::Engine(None) => return Ok(Some((ExitReason::EngineEnded, None))),
            Got::Engine(Some(event)) => {
                self.step(Msg::Engine(event));
                for _ in 0..BATCH {
                    let Ok(event) = events.try_recv() else { break };
                    self.step(Msg::Engine(event));
                }
            }
            Got::Note(msg) => self.step(msg),
            Got::Room(true) => self.send_waiting(),
            Got::Room(false) => self.backlog.clear(),
            Got::Time => {
                if self.frame_at().is_none_or(|at| at > Instant::now()) {
                    self.step(Msg::Tick);
                }
            }
        }
        Ok(None)
    }

    async fn outside(&mut self, outside: Outside, events: &mpsc::Receiver<Event>) -> io::Result<Option<Ended>> {
        match outside {
            Outside::Signal(number) => return Ok(Some((ExitReason::Signal(number), None))),
            Outside::Continued => self.come_back()?,
            Outside::Panicked(words) => {
                // A dying engine closes its channel in a moment; a tool's panic is answered by the engine itself.
                tokio::time::sleep(Duration::from_millis(100)).await;
                if events.is_closed() {
                    return Ok(Some((ExitReason::EngineEnded, Some(words))));
                }
                self.come_back()?;
                self.step(Msg::Note(Level::Error, format!("A task of the program failed: {words}"), "The rest goes on; please report it.".into()));
            }
        }
        Ok(None)
    }

    /// Requests that did not fit, oldest first, as many as fit now.
    fn send_waiting(&mut self) {
        while let Some(op) = self.backlog.pop_front() {
            if let Err(mpsc::error::TrySendError::Full(op)) = self.ops.try_send(op) {
                self.backlog.push_front(op);
                break;
            }
        }
    }

    /// A terminal event and all that wait behind it.
    async fn keys(&mut self, first: crossterm::event::Event) -> io::Result<()> {
        let mut next = Some(first);
        while let Some(event) = next {
            if let Some(msg) = message(event) {
                if let Msg::Resize(columns, rows) = msg {
                    self.screen.resize(columns, rows);
                }
                self.step(msg);
                self.urgent = true;
            }
            // What the person asked for must happen before later keys are looked at.
            if !self.todo.is_empty() {
                break;
            }
            // Polled with this task's own waker: the terminal's stream remembers the first one that it sees.
            let Some(input) = &mut self.input else { break };
            next = match futures_util::poll!(input.next()) {
                Poll::Ready(Some(event)) => Some(event?),
                Poll::Ready(None) | Poll::Pending => None,
            };
        }
        Ok(())
    }

    fn step(&mut self, msg: Msg) {
        let effects = update(&mut self.ui, msg, (self.clock)());
        self.dirty = true;
        for effect in effects {
            self.perform(effect);
        }
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Op(op) => {
                if !self.backlog.is_empty() {
                    self.backlog.push_back(op);
                } else if let Err(mpsc::error::TrySendError::Full(op)) = self.ops.try_send(op) {
                    self.backlog.push_back(op);
                }
            }
            Effect::Exit | Effect::Suspend | Effect::Edit(_) | Effect::Page(_) => self.todo.push_back(effect),
            Effect::WalkFiles => {
                let (root, notes) = (self.setup.workspace.clone(), self.notes.clone());
                std::thread::spawn(move || {
                    let _ = notes.blocking_send(Msg::Files(files::walk(&root)));
                });
            }
            Effect::SaveHistory(line) => {
                if let Some(path) = &self.setup.history_file {
                    let saved = append(path, &line);
                    self.report(saved, "the message history was not kept");
                }
            }
            Effect::SaveTrace(open) => {
                if let Some(path) = &self.setup.state_file {
                    let saved = write_private(path, format!("trace = {open}\n").as_bytes());
                    self.report(saved, "the pane's state was not kept");
                }
            }
            Effect::Copy(text) => {
                let copied = self.host.copy(&text);
                self.report(copied, "nothing was copied");
            }
            Effect::Notify(text) => {
                let told = self.host.notify(&text);
                self.report(told, "the terminal was not told");
            }
            Effect::Repaint => {
                self.screen.forget();
                self.urgent = true;
            }
        }
    }

    fn report(&mut self, result: io::Result<()>, what: &str) {
        if let Err(e) = result {
            self.ui.flash(Level::Warning, format!("{what}: {e}"));
        }
    }

    /// Give the terminal away. The engine's events are taken in meanwhile, so that nothing there waits for the person.
    async fn away(&mut self, effect: Effect, events: &mut mpsc::Receiver<Event>) -> io::Result<()> {
        self.input = None;
        let mut open = true;
        let mut later = Vec::new();
        let msg = {
            let (host, ui, clock, setup) = (&mut self.host, &mut self.ui, &self.clock, self.setup);
            let work = async {
                if let Effect::Edit(text) = effect {
                    return Some(Msg::Edited(host.edit(setup, text).await));
                }
                if let Effect::Page(text) = effect {
                    return host.page(setup, text).await.err().map(|e| Msg::Note(Level::Warning, e, String::new()));
                }
                host.suspend().await;
                None
            };
            tokio::pin!(work);
            loop {
                tokio::select! {
                    msg = &mut work => break msg,
                    event = events.recv(), if open => match event {
                        Some(event) => later.extend(update(ui, Msg::Engine(event), clock())),
                        None => open = false,
                    },
                }
            }
        };
        self.come_back()?;
        for effect in later {
            self.perform(effect);
        }
        if let Some(msg) = msg {
            self.step(msg);
        }
        self.input = Some(self.host.input());
        Ok(())
    }

    /// The terminal is ours again: modes, size and every cell.
    fn come_back(&mut self) -> io::Result<()> {
        self.host.enter(self.setup)?;
        let (columns, rows) = self.host.size();
        self.screen.resize(columns, rows);
        self.step(Msg::Resize(columns, rows));
        self.urgent = true;
        Ok(())
    }

    /// When the next frame may be drawn; none when nothing changed.
    fn frame_at(&self) -> Option<Instant> {
        self.dirty.then(|| self.drawn + if self.urgent { ECHO } else { self.pace })
    }

    fn wake(&self) -> Option<Instant> {
        let now = (self.clock)();
        let tick = next_wake(&self.ui).map(|at| Instant::now() + Duration::from_millis(at.saturating_sub(now)));
        [self.frame_at(), tick].into_iter().flatten().min()
    }

    fn draw(&mut self) -> io::Result<()> {
        self.ui.now = (self.clock)();
        let begun = Instant::now();
        let ui = &mut self.ui;
        self.screen.draw(|buf| draw(ui, buf))?;
        self.drawn = Instant::now();
        // Drawing never takes more than about a third of the time, and progress is still seen.
        self.pace = (begun.elapsed() * 3).clamp(FRAME, SLOWEST);
        self.dirty = false;
        self.urgent = false;
        Ok(())
    }

    fn load_history(&self) {
        let Some(path) = self.setup.history_file.clone() else { return };
        let notes = self.notes.clone();
        std::thread::spawn(move || {
            if let Ok(text) = std::fs::read_to_string(path) {
                let _ = notes.blocking_send(Msg::History(History::parse(&text)));
            }
        });
    }
}

fn append(path: &Path, line: &str) -> io::Result<()> {
    if let Some(dir) = path.parent() {
        create_private_dir(dir)?;
    }
    append_private(path)?.write_all(line.as_bytes())
}
