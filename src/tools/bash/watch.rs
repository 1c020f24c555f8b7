//! Ends what commands left running when tui-agent is gone, however it went (SPEC T4).
//!
//! A process group outlives a parent that was killed. So a small process of our own executable is told the group of each running command; when its
//! standard input ends, because tui-agent ended, it ends them all. Must not: end a group that it was not told, or keep tui-agent from ending.

use rustix::process::{Pid, Signal};
use std::collections::BTreeSet;
use std::io::{BufRead, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The argument with which the executable becomes the watching process; not meant for people.
pub const WATCH_ARGUMENT: &str = "__watch";

/// From the polite signal to the other one.
pub(super) const GRACE: Duration = Duration::from_millis(500);

/// Send a signal to all processes of a group. Errors mean that there are none.
pub(super) fn signal(group: Pid, signal: Signal) {
    let _ = rustix::process::kill_process_group(group, signal);
}

fn signal_all(groups: &[Pid], kind: Signal) {
    for group in groups {
        signal(*group, kind);
    }
}

/// Whether a process of the group is left.
pub(super) fn is_alive(group: Pid) -> bool {
    rustix::process::test_kill_process_group(group) != Err(rustix::io::Errno::SRCH)
}

/// TERM, then KILL to what is left after [`GRACE`]. Blocks until the groups are gone, for about a second at most.
pub(super) fn end(groups: &BTreeSet<i32>) {
    let all: Vec<Pid> = groups.iter().filter(|g| **g > 1).filter_map(|g| Pid::from_raw(*g)).collect();
    signal_all(&all, Signal::TERM);
    if !wait_gone(&all, GRACE) {
        signal_all(&all, Signal::KILL);
        wait_gone(&all, GRACE);
    }
}

fn wait_gone(groups: &[Pid], limit: Duration) -> bool {
    let start = Instant::now();
    loop {
        if !groups.iter().any(|g| is_alive(*g)) {
            return true;
        }
        if start.elapsed() > limit {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The watching process: reads `+GROUP` and `-GROUP` lines until its input ends, then ends the groups that are left.
///
/// Call it first thing in `main` when the first argument is [`WATCH_ARGUMENT`].
#[must_use]
pub fn watch_main() -> ExitCode {
    // Own session: signals of the terminal and to tui-agent's group do not reach it. It fails only where that is so already.
    let _ = rustix::process::setsid();
    let _ = std::env::set_current_dir("/");
    let mut groups = BTreeSet::new();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        match line.split_at_checked(1).map(|(sign, number)| (sign, number.parse())) {
            Some(("+", Ok(group))) => {
                // Numbers of groups that are gone may be given to others.
                groups.retain(|g| Pid::from_raw(*g).is_some_and(is_alive));
                groups.insert(group);
            }
            Some(("-", Ok(group))) => {
                groups.remove(&group);
            }
            Some(_) | None => {}
        }
    }
    end(&groups);
    ExitCode::SUCCESS
}

/// How to start the watching process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WatchCommand {
    /// The executable; none for the running one.
    pub program: Option<PathBuf>,
    /// Its arguments.
    pub args: Vec<String>,
    /// More environment.
    pub env: Vec<(String, String)>,
}

impl Default for WatchCommand {
    fn default() -> Self {
        Self { program: None, args: vec![WATCH_ARGUMENT.into()], env: Vec::new() }
    }
}

/// The groups that are alive, here and in the watching process, which is started with the first one.
#[derive(Debug)]
pub(super) struct Watcher {
    command: WatchCommand,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    groups: BTreeSet<i32>,
    process: Option<(Child, Arc<UnixStream>)>,
    /// It did not start, or died: commands run without it.
    has_failed: bool,
}

impl Watcher {
    pub(super) fn new(command: WatchCommand) -> Self {
        Self { command, state: Mutex::default() }
    }

    /// The way to the watching process, which is started if need be: a command names its group there before it runs anything, so that not even a
    /// sudden end of tui-agent finds a group that nobody knows of.
    pub(super) fn stream(&self) -> Option<Arc<UnixStream>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.process.is_none() && !state.has_failed {
            state.process = self.start();
            state.has_failed = state.process.is_none();
        }
        state.process.as_ref().filter(|_| !state.has_failed).map(|(_, stream)| Arc::clone(stream))
    }

    /// A group runs.
    pub(super) fn add(&self, group: Pid) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let group = group.as_raw_nonzero().get();
        state.groups.insert(group);
    }

    /// A group is gone.
    pub(super) fn remove(&self, group: Pid) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let group = group.as_raw_nonzero().get();
        if state.groups.remove(&group) {
            state.tell(&format!("-{group}\n"));
        }
    }

    fn start(&self) -> Option<(Child, Arc<UnixStream>)> {
        let program = self.command.program.clone().or_else(|| std::env::current_exe().ok())?;
        let mut command = Command::new(program);
        command.args(&self.command.args).envs(self.command.env.iter().map(|(k, v)| (k, v)));
        let (ours, theirs) = UnixStream::pair().ok()?;
        let child = command.stdin(Stdio::from(OwnedFd::from(theirs))).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
        Some((child, Arc::new(ours)))
    }
}

impl State {
    fn tell(&mut self, line: &str) {
        let sent = self.process.as_ref().map(|(_, stream)| (&**stream).write_all(line.as_bytes()));
        self.has_failed |= sent.is_some_and(|s| s.is_err());
    }
}

impl Drop for Watcher {
    /// What is left ends with its owner: by the watching process, which outlives us, or else at once.
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some((mut process, stream)) = state.process.take() {
            drop(stream);
            let _ = process.try_wait();
        }
        if state.has_failed {
            signal_all(&state.groups.iter().filter_map(|g| Pid::from_raw(*g)).collect::<Vec<_>>(), Signal::KILL);
        }
    }
}
