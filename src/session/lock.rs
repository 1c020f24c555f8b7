//! One writer per session: a lock that the system takes back when its owner dies, so it can never be stale.

use crate::util::fs::create_private_dir;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Held as long as it lives.
#[derive(Debug)]
pub struct SessionLock {
    _file: File,
}

/// Why a session cannot be locked.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process writes to it.
    #[error("another tui-agent{} is using this session", .pid.map_or_else(String::new, |p| format!(" (process {p})")))]
    Busy {
        /// Whose lock it is, when that can be read.
        pid: Option<u32>,
    },
    /// The lock file cannot be made.
    #[error("cannot lock {}: {source}", .path.display())]
    Io {
        /// The lock file.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
}

impl SessionLock {
    /// Take the lock of a session, `<session-dir>/.lock`, or fail at once. Where the file system knows no locks, the
    /// session goes on without one.
    ///
    /// # Errors
    /// Someone else holds it, or the file cannot be made.
    pub fn acquire(session_dir: &Path) -> Result<Self, LockError> {
        let path = session_dir.join(".lock");
        let fail = |source| LockError::Io { path: path.clone(), source };
        create_private_dir(session_dir).map_err(fail)?;
        let mut options = OpenOptions::new();
        options.create(true).read(true).write(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path).map_err(fail)?;
        match file.try_lock() {
            Ok(()) => {
                // Only to tell a second process who holds the lock; the lock itself does not depend on it.
                let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| writeln!(file, "{}", std::process::id()));
                Ok(Self { _file: file })
            }
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                let _ = file.take(32).read_to_string(&mut text);
                Err(LockError::Busy { pid: text.trim().parse().ok() })
            }
            Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Unsupported => Ok(Self { _file: file }),
            Err(TryLockError::Error(e)) => Err(fail(e)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f02_a_second_writer_is_refused_and_told_whom_it_meets() {
        let dir = tempfile::tempdir().unwrap();
        let session = dir.path().join("s");
        let first = SessionLock::acquire(&session).unwrap();
        match SessionLock::acquire(&session) {
            Err(LockError::Busy { pid }) => assert_eq!(pid, Some(std::process::id())),
            other => panic!("{other:?}"),
        }
        drop(first);
        drop(SessionLock::acquire(&session).unwrap());
        std::fs::write(session.join(".lock"), "999999\n").unwrap();
        SessionLock::acquire(&session).expect("a file that a dead process left behind is no lock");
    }
}
