//! The one place of this tool with unsafe code: what a command does between fork and exec.
//!
//! Must not: do anything there that could allocate, lock or panic.
#![allow(unsafe_code)]

use std::os::fd::{AsRawFd, RawFd};
use tokio::process::Command;

/// Let the command start a session of its own, so that it has no terminal to ask at or to type into, and its process group can be ended as a
/// whole. `source` stays open in it as the descriptor `target`.
///
/// `source` must stay open until the command was spawned.
pub(super) fn detach(command: &mut Command, source: &impl AsRawFd, target: RawFd) {
    let source = source.as_raw_fd();
    // SAFETY: the closure runs in the child between fork and exec. `setsid`, `dup2` and `fcntl` are async-signal-safe, allocate nothing and take no
    // lock; errors are made from errno, which allocates nothing either. `source` is a plain number that is open in the child, as the caller keeps
    // it open until after the fork.
    unsafe {
        command.pre_exec(move || {
            rustix::process::setsid()?;
            // `dup2` clears the close-on-exec mark of the copy; of a descriptor onto itself it clears nothing.
            let done = if source == target { libc::fcntl(source, libc::F_SETFD, 0) } else { libc::dup2(source, target) };
            if done < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
        });
    }
}
