//! The one place of this tool with unsafe code: what a command does between fork and exec.
//!
//! Must not: do anything there that could allocate, lock or panic.
#![allow(unsafe_code)]

use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use tokio::process::Command;

/// A peer that is gone must not end the command by SIGPIPE. Elsewhere the standard library marks the socket itself.
#[cfg(any(target_os = "linux", target_os = "android"))]
const NO_SIGNAL: libc::c_int = libc::MSG_NOSIGNAL;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const NO_SIGNAL: libc::c_int = 0;

/// Let the command start a session of its own, so that it has no terminal to ask at or to type into, and its process group can be ended as a
/// whole. It names that group to the watching process by itself, before it runs anything. `source` stays open in it as the descriptor `target`.
///
/// `source` and `watcher` must stay open until the command was spawned.
pub(super) fn detach(command: &mut Command, source: &impl AsRawFd, target: RawFd, watcher: Option<&UnixStream>) {
    let source = source.as_raw_fd();
    let watcher = watcher.map(AsRawFd::as_raw_fd);
    // SAFETY: the closure runs in the child between fork and exec. `setsid`, `send`, `dup2` and `fcntl` are async-signal-safe, allocate nothing and
    // take no lock; errors are made from errno, which allocates nothing either. `source` and `watcher` are plain numbers that are open in the child,
    // as the caller keeps them open until after the fork. `message` returns a part of a buffer on the stack, which outlives the call of `send`.
    unsafe {
        command.pre_exec(move || {
            let group = rustix::process::setsid()?;
            if let Some(watcher) = watcher {
                let mut buffer = [0; 16];
                let text = message(group.as_raw_nonzero().get().unsigned_abs(), &mut buffer);
                libc::send(watcher, text.as_ptr().cast(), text.len(), NO_SIGNAL);
            }
            // `dup2` clears the close-on-exec mark of the copy; of a descriptor onto itself it clears nothing.
            let done = if source == target { libc::fcntl(source, libc::F_SETFD, 0) } else { libc::dup2(source, target) };
            if done < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
        });
    }
}

/// `+GROUP` and a line end, without allocating. Sixteen bytes hold every number.
fn message(group: u32, buffer: &mut [u8; 16]) -> &[u8] {
    let mut at = buffer.len() - 1;
    buffer[at] = b'\n';
    let mut rest = group;
    while at > 1 {
        at -= 1;
        buffer[at] = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    at -= 1;
    buffer[at] = b'+';
    &buffer[at..]
}

#[cfg(test)]
mod tests {
    use super::message;

    #[test]
    fn groups_are_named_in_decimal() {
        for n in [0, 7, 10, 4_194_304, u32::MAX] {
            assert_eq!(message(n, &mut [0; 16]), format!("+{n}\n").as_bytes());
        }
    }
}
