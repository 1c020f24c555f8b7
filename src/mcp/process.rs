//! A server as a child process: its own session (it can neither draw on the terminal nor type into it), and nothing of
//! it left when it ends.

use super::config::{Endpoint, Server};
use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

/// How long a server may take after its input was closed, and again after TERM.
const GRACE: Duration = Duration::from_millis(300);

/// The ends of a server's pipes.
pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

/// A running server. Dropping it kills its whole group.
pub(super) struct Process {
    child: Child,
    #[cfg(unix)]
    group: Option<rustix::process::Pid>,
}

impl Process {
    /// Start a server without the hidden variables of our environment; what its own configuration sets stays.
    ///
    /// # Errors
    /// As the system says.
    pub(super) fn spawn(server: &Server, hidden_env: &[String]) -> io::Result<(Self, Pipes)> {
        let Endpoint::Stdio { command, args, env, cwd } = &server.endpoint else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a program"));
        };
        if !cwd.is_dir() {
            return Err(io::Error::new(io::ErrorKind::NotADirectory, format!("its folder {} does not exist", cwd.display())));
        }
        let mut start = Command::new(command);
        start.args(args).current_dir(cwd).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        for name in hidden_env {
            start.env_remove(name);
        }
        for (name, value) in env {
            // Other names make the library panic.
            if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{name:?} cannot be set in an environment")));
            }
            start.env(name, value);
        }
        own_session(&mut start);
        let mut child = start.spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let process = Self {
            #[cfg(unix)]
            group: child.id().and_then(|id| rustix::process::Pid::from_raw(i32::try_from(id).ok()?)),
            child,
        };
        match pipes {
            (Some(stdin), Some(stdout), Some(stderr)) => Ok((process, Pipes { stdin, stdout, stderr })),
            _ => Err(io::Error::other("a pipe is missing")),
        }
    }

    /// Wait for the end of a server whose input is closed, with TERM and KILL when it takes too long. What is left of
    /// its group is killed.
    pub(super) async fn stop(mut self) -> Option<ExitStatus> {
        let mut status = timeout(GRACE, self.child.wait()).await.ok();
        if status.is_none() {
            self.terminate();
            status = timeout(GRACE, self.child.wait()).await.ok();
        }
        self.kill();
        if status.is_none() {
            status = timeout(GRACE, self.child.wait()).await.ok();
        }
        status.and_then(Result::ok)
    }

    #[cfg(unix)]
    fn terminate(&self) {
        if let Some(group) = self.group {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::TERM);
        }
    }

    #[cfg(not(unix))]
    fn terminate(&self) {}

    /// Kill the group, once: its number may belong to somebody else later.
    #[cfg(unix)]
    fn kill(&mut self) {
        if let Some(group) = self.group.take() {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }

    #[cfg(not(unix))]
    fn kill(&mut self) {
        let _ = self.child.start_kill();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A session of its own. With only a group of its own a program could open the terminal and answer our questions.
#[cfg(unix)]
#[allow(unsafe_code)]
fn own_session(command: &mut Command) {
    // SAFETY: between fork and exec only the one system call setsid is made, which is safe there; it takes no lock and
    // allocates nothing.
    unsafe {
        command.pre_exec(|| rustix::process::setsid().map(|_| ()).map_err(io::Error::from));
    }
}

#[cfg(not(unix))]
fn own_session(_: &mut Command) {}
