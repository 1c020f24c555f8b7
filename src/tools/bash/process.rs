//! Starts a command line in a process group of its own, and ends that group.
//!
//! Must not: look at the command line, or leave a group behind that nobody knows of.

use super::detach::detach;
use super::watch::{self, Watcher};
use rustix::process::{Pid, Signal};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};

/// Where bash writes its last folder. High, so that scripts that open descriptors by number do not meet it.
const CWD_FD: i32 = 198;

/// The same for a plain `sh`, which takes one digit only.
const CWD_FD_SH: i32 = 9;

/// Variables that make programs wait for a person, or that change where `cd` leads.
const REMOVED: [&str; 4] = ["CDPATH", "GPG_TTY", "OLDPWD", "PROMPT_COMMAND"];

/// Programs must not wait for a person: no questions, no pager, no editor.
const SET: [(&str, &str); 11] = [
    ("GIT_TERMINAL_PROMPT", "0"),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("EDITOR", "true"),
    ("VISUAL", "true"),
    ("GIT_EDITOR", "true"),
    ("GIT_SEQUENCE_EDITOR", "true"),
    ("TERM", "dumb"),
];

/// Git of an agent that only reads writes no index, fetches nothing, and starts neither hook nor monitor.
const SET_READ_ONLY: [(&str, &str); 2] = [("GIT_OPTIONAL_LOCKS", "0"), ("GIT_NO_LAZY_FETCH", "1")];
const GIT_READ_ONLY: [(&str, &str); 2] = [("core.fsmonitor", "false"), ("core.hooksPath", "/dev/null")];

/// A running command.
#[derive(Debug)]
pub(super) struct Running {
    pub child: Child,
    pub group: Group,
    pub output: pipe::Receiver,
    cwd: File,
}

/// What a command is started with.
#[derive(Debug)]
pub(super) struct Start<'a> {
    pub line: &'a str,
    pub dir: &'a Path,
    pub hidden_env: &'a [String],
    pub read_only: bool,
    pub watcher: &'a Arc<Watcher>,
}

/// Start a command line with bash, or with sh where there is none.
///
/// # Errors
/// As the system says.
pub(super) fn start(start: &Start<'_>) -> io::Result<Running> {
    match start_with("bash", CWD_FD, start) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => start_with("sh", CWD_FD_SH, start),
        other => other,
    }
}

fn start_with(shell: &str, cwd_fd: i32, start: &Start<'_>) -> io::Result<Running> {
    let (reader, writer) = io::pipe()?;
    let cwd = tempfile::tempfile()?;
    // The trap leaves exit code and output as they are, and subshells do not inherit it. On the same line, so that line numbers in errors stay.
    let script = format!("trap '{{ command pwd -P || printf \"%s\\n\" \"$PWD\"; }} 2>/dev/null >&{cwd_fd}' EXIT; {}", start.line);
    let mut command = Command::new(shell);
    command.arg("-c").arg(script).current_dir(start.dir).stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    environment(&mut command, start);
    let watcher = start.watcher.stream();
    detach(&mut command, &cwd, cwd_fd, watcher.as_deref());
    let child = command.spawn()?;
    // Our copies of the pipe's writing end must go, or its end would never come.
    drop(command);
    let id = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw).ok_or(io::ErrorKind::NotFound)?;
    start.watcher.add(id);
    let group = Group { id, watcher: Arc::clone(start.watcher), is_done: false };
    let output = pipe::Receiver::from_owned_fd(reader.into())?;
    Ok(Running { child, group, output, cwd })
}

fn environment(command: &mut Command, start: &Start<'_>) {
    for name in start.hidden_env {
        command.env_remove(name);
    }
    for name in REMOVED {
        command.env_remove(name);
    }
    command.envs(SET);
    command.env("PWD", start.dir);
    if start.read_only {
        command.envs(SET_READ_ONLY);
        let first = std::env::var("GIT_CONFIG_COUNT").ok().and_then(|n| n.parse::<usize>().ok()).unwrap_or(0);
        for (n, (key, value)) in GIT_READ_ONLY.iter().enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{}", first + n), key).env(format!("GIT_CONFIG_VALUE_{}", first + n), value);
        }
        command.env("GIT_CONFIG_COUNT", (first + GIT_READ_ONLY.len()).to_string());
    }
}

impl Running {
    /// The folder in which the shell ended, if it said so.
    pub(super) fn last_dir(&mut self) -> Option<PathBuf> {
        let mut bytes = Vec::new();
        self.cwd.rewind().ok()?;
        (&mut self.cwd).take(64 * 1024).read_to_end(&mut bytes).ok()?;
        let path = bytes.strip_suffix(b"\n")?;
        let path = PathBuf::from(OsString::from_vec(path.to_vec()));
        path.is_absolute().then_some(path)
    }
}

/// The process group of a command. Dropped before it was let go, it is ended.
#[derive(Debug)]
pub(super) struct Group {
    id: Pid,
    watcher: Arc<Watcher>,
    is_done: bool,
}

impl Group {
    /// Whether a process of it is left.
    pub(super) fn is_alive(&self) -> bool {
        watch::is_alive(self.id)
    }

    /// Its number, for people.
    pub(super) fn number(&self) -> i32 {
        self.id.as_raw_nonzero().get()
    }

    /// TERM at once, KILL to what is left after half a second. Does not wait.
    pub(super) fn end(&mut self) {
        if std::mem::replace(&mut self.is_done, true) {
            return;
        }
        watch::signal(self.id, Signal::TERM);
        let (id, watcher) = (self.id, Arc::clone(&self.watcher));
        let spawned = std::thread::Builder::new().name("end-command".into()).spawn(move || {
            watch::end(&std::iter::once(id.as_raw_nonzero().get()).collect());
            watcher.remove(id);
        });
        if spawned.is_err() {
            watch::signal(self.id, Signal::KILL);
            self.watcher.remove(self.id);
        }
    }

    /// KILL now.
    pub(super) fn kill(&self) {
        watch::signal(self.id, Signal::KILL);
    }

    /// The command ended by itself. What it left behind runs on until tui-agent ends; its output is read and thrown away, so that it does not
    /// fail for writing. Whether anything is left.
    pub(super) fn let_go(mut self, output: Option<pipe::Receiver>) -> bool {
        self.is_done = true;
        if output.is_none() && !self.is_alive() {
            self.watcher.remove(self.id);
            return false;
        }
        let is_left = self.is_alive();
        tokio::spawn(async move {
            let drain = async {
                if let Some(pipe) = output {
                    drain(pipe).await;
                }
            };
            tokio::join!(drain, async {
                while self.is_alive() {
                    tokio::time::sleep(Duration::from_secs(2)).await;
                }
                self.watcher.remove(self.id);
            });
        });
        is_left
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}

async fn drain(pipe: pipe::Receiver) {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        if pipe.readable().await.is_err() {
            return;
        }
        match pipe.try_read(&mut buffer) {
            Ok(0) => return,
            Ok(_) => {}
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => return,
        }
    }
}

/// Seconds with one digit.
pub(super) fn seconds(since: Instant) -> String {
    format!("{:.1} s", since.elapsed().as_secs_f64())
}
