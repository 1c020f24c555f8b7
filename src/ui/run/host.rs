//! What the interface needs of the world beside the screen: keys, signals, the editor, the clipboard.
//!
//! The editor and the pager are the only processes that the interface starts, on the person's word and with the terminal restored.

use super::Setup;
use crate::ui::term;
use futures_util::Stream;
use std::io::{self, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// Something from outside that is no key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outside {
    /// A signal that ends us, by its number.
    Signal(i32),
    /// The shell continued us.
    Continued,
    /// A task panicked and the terminal was given back.
    Panicked(String),
}

/// The world of the interface. Cancelling any of the waiting functions must lose nothing.
#[expect(async_fn_in_trait, reason = "used by one function that is generic over it; both implementations are ours")]
pub trait Host {
    /// Terminal events; dropped while the terminal is given away.
    type Input: Stream<Item = io::Result<crossterm::event::Event>> + Unpin;

    /// Begin to read terminal events.
    fn input(&mut self) -> Self::Input;
    /// Columns and rows.
    fn size(&self) -> (u16, u16);
    /// Set the terminal's modes again.
    fn enter(&mut self, setup: &Setup) -> io::Result<()>;
    /// Give the terminal back and stop until the shell continues us.
    async fn suspend(&mut self);
    /// Let the person edit a text; an error says why there is none.
    async fn edit(&mut self, setup: &Setup, text: String) -> Result<String, String>;
    /// Show a text in the pager.
    async fn page(&mut self, setup: &Setup, text: String) -> Result<(), String>;
    /// Wait for something from outside.
    async fn outside(&mut self) -> Outside;
    /// Put a text into the clipboard.
    fn copy(&mut self, text: &str) -> io::Result<()>;
    /// Tell the terminal that something needs attention.
    fn notify(&mut self, text: &str) -> io::Result<()>;
}

/// The terminal of this process.
#[derive(Debug)]
pub struct Terminal {
    #[cfg(unix)]
    signals: Signals,
}

#[cfg(unix)]
#[derive(Debug)]
struct Signals {
    term: tokio::signal::unix::Signal,
    hup: tokio::signal::unix::Signal,
    int: tokio::signal::unix::Signal,
    cont: tokio::signal::unix::Signal,
}

impl Terminal {
    /// Listen to the process's signals.
    ///
    /// # Errors
    /// When the system refuses a handler.
    #[cfg_attr(not(unix), expect(clippy::unnecessary_wraps))]
    pub fn new(_setup: &Setup) -> io::Result<Self> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let signals = Signals {
                term: signal(SignalKind::terminate())?,
                hup: signal(SignalKind::hangup())?,
                int: signal(SignalKind::interrupt())?,
                cont: signal(SignalKind::from_raw(libc::SIGCONT))?,
            };
            Ok(Self { signals })
        }
        #[cfg(not(unix))]
        Ok(Self {})
    }
}

impl Host for Terminal {
    type Input = crossterm::event::EventStream;

    fn input(&mut self) -> Self::Input {
        crossterm::event::EventStream::new()
    }

    fn size(&self) -> (u16, u16) {
        crossterm::terminal::size().unwrap_or((80, 24))
    }

    fn enter(&mut self, setup: &Setup) -> io::Result<()> {
        // After a stop from outside the modes are thought to be set, and are not.
        term::restore();
        term::enter(setup.config.mouse)
    }

    async fn suspend(&mut self) {
        term::restore();
        #[cfg(unix)]
        {
            term::stop_job();
            // The stop may take effect a moment later on another thread; a job without a shell is never stopped.
            let _ = tokio::time::timeout(Duration::from_millis(400), self.signals.cont.recv()).await;
        }
    }

    async fn edit(&mut self, setup: &Setup, text: String) -> Result<String, String> {
        let editor = setup.editor.clone().unwrap_or_else(|| "vi".into());
        let file = keep(&text, ".md").map_err(|e| format!("no temporary file for the editor: {e}"))?;
        term::restore();
        start(&editor, file.path()).await.map_err(|e| format!("{editor}: {e}; set $EDITOR to your editor"))?;
        std::fs::read_to_string(file.path()).map_err(|e| format!("the edited text cannot be read: {e}"))
    }

    async fn page(&mut self, setup: &Setup, text: String) -> Result<(), String> {
        let pager = setup.pager.clone().unwrap_or_else(|| "less".into());
        let file = keep(&text, ".txt").map_err(|e| format!("no temporary file for the pager: {e}"))?;
        term::restore();
        start(&pager, file.path()).await.map_err(|e| format!("{pager}: {e}; set $PAGER to your pager"))
    }

    #[cfg(unix)]
    async fn outside(&mut self) -> Outside {
        let s = &mut self.signals;
        tokio::select! {
            _ = s.term.recv() => Outside::Signal(15),
            _ = s.hup.recv() => Outside::Signal(1),
            _ = s.int.recv() => Outside::Signal(2),
            _ = s.cont.recv() => Outside::Continued,
            words = term::panicked() => Outside::Panicked(words),
        }
    }

    #[cfg(not(unix))]
    async fn outside(&mut self) -> Outside {
        Outside::Panicked(term::panicked().await)
    }

    fn copy(&mut self, text: &str) -> io::Result<()> {
        term::copy(text)
    }

    fn notify(&mut self, text: &str) -> io::Result<()> {
        term::notify(text)
    }
}

/// A private temporary file with a text, gone when it is dropped.
fn keep(text: &str, suffix: &str) -> io::Result<tempfile::NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix("tui-agent-").suffix(suffix).tempfile()?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    Ok(file)
}

/// Run a program of the person (with arguments, split at blanks) on the terminal and wait for it.
///
/// # Errors
/// When it cannot be started or fails.
pub async fn start(program: &str, file: &Path) -> io::Result<()> {
    let mut words = program.split_whitespace();
    let mut command = tokio::process::Command::new(words.next().unwrap_or("vi"));
    command.args(words).arg(file).stdin(Stdio::inherit()).stdout(Stdio::inherit()).stderr(Stdio::inherit());
    let status = command.status().await?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("ended with {status}"))) }
}
