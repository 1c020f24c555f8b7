//! The terminal's modes: set at the start, undone at every end (SPEC U9, CASES E06).
//!
//! Must not: query the terminal (an answer may never come). The state is the terminal's, one per process, so it is kept in statics:
//! the panic hook and the signal path must reach it without anybody's help.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use tokio::sync::Notify;

/// Our modes are set.
static ACTIVE: AtomicBool = AtomicBool::new(false);
/// The last panic's words, until the interface takes them.
static PANIC: Mutex<Option<String>> = Mutex::new(None);
/// Wakes the interface after a panic anywhere.
static PANICKED: Notify = Notify::const_new();

/// Other screen, bracketed paste, keyboard protocol: only "disambiguate escape codes". Pushed without asking, because a terminal
/// that does not know it ignores it, and asking blocks for seconds where nobody answers.
const ENTER: &str = "\x1b[?1049h\x1b[?2004h\x1b[>1u\x1b[2J\x1b[H";
/// Presses, drags with a button down, wheel; coordinates without a limit. No plain movements: they would wake an idle program.
const MOUSE: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
/// Everything off, in the reverse order, whether it was on or not; then the cursor.
const LEAVE: &str = "\x1b[?2026l\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[<1u\x1b[?2004l\x1b[0m\x1b[?25h\x1b[?1049l\x1b[?25h";

/// Set our modes.
///
/// # Errors
/// When standard input is no terminal, or writing fails; then everything is undone.
pub fn enter(mouse: bool) -> io::Result<()> {
    crossterm::terminal::enable_raw_mode()?;
    ACTIVE.store(true, Ordering::SeqCst);
    let write = |text: &str| {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        out.flush()
    };
    let result = write(ENTER).and_then(|()| if mouse { write(MOUSE) } else { Ok(()) });
    if result.is_err() {
        restore();
    }
    result
}

/// Undo our modes. Does nothing when they are not set; never fails, because there is nobody to tell.
pub fn restore() {
    if !ACTIVE.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = io::stdout().lock();
    let _ = out.write_all(LEAVE.as_bytes()).and_then(|()| out.flush());
    drop(out);
    let _ = crossterm::terminal::disable_raw_mode();
}

/// Whether our modes are set.
#[must_use]
pub fn is_active() -> bool {
    ACTIVE.load(Ordering::SeqCst)
}

/// Restores at the end of its scope, also when the interface's task is dropped or panics.
#[derive(Debug)]
pub struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        restore();
    }
}

/// A panic in any task gives the terminal back first and prints its message then. If the program lives on (a tool's panic is an
/// error result), the interface sets its modes again and shows the words, see [`panicked`].
pub fn install_panic_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let was_active = is_active();
            restore();
            before(info);
            if was_active {
                let words = info.payload_as_str().unwrap_or("a task failed").to_owned();
                *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = Some(words);
                PANICKED.notify_one();
            }
        }));
    });
}

/// Waits for a panic that took the terminal away, and takes its words.
pub async fn panicked() -> String {
    loop {
        if let Some(words) = PANIC.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return words;
        }
        PANICKED.notified().await;
    }
}

/// Stop the whole job, as the shell's Ctrl+Z would. The caller has restored the terminal.
#[cfg(unix)]
pub fn stop_job() {
    let _ = rustix::process::kill_current_process_group(rustix::process::Signal::TSTP);
}

/// There are no jobs here.
#[cfg(not(unix))]
pub fn stop_job() {}

/// Put a text into the terminal's clipboard (OSC 52: works over ssh and in tmux).
pub fn copy(text: &str) -> io::Result<()> {
    crossterm::execute!(io::stdout(), crossterm::clipboard::CopyToClipboard::to_clipboard_from(text))
}

/// A notification of the terminal (OSC 9) and the bell.
pub fn notify(text: &str) -> io::Result<()> {
    let clean: String = text.chars().filter(|c| !c.is_control()).take(200).collect();
    let mut out = io::stdout().lock();
    write!(out, "\x1b]9;{clean}\x07\x07")?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e06_every_mode_that_can_be_on_is_put_off() {
        for on in (ENTER.to_owned() + MOUSE).split("\x1b[").filter_map(|s| s.strip_suffix('h')) {
            assert!(LEAVE.contains(&format!("\x1b[{on}l")), "{on}");
        }
        for mode in ["?1049l", "?2004l", "?1000l", "?1002l", "?1003l", "?1006l", "<1u", "?25h"] {
            assert!(LEAVE.contains(&format!("\x1b[{mode}")), "{mode}");
        }
        assert!(!ENTER.contains("?1004h") && !(ENTER.to_owned() + MOUSE).contains("?1003h"));
    }

    #[test]
    fn u9_restoring_twice_or_without_entering_does_nothing() {
        restore();
        restore();
        assert!(!is_active());
    }
}
