//! Opening a file for reading without being held up (CASES C05): only regular files, looked at before and after opening.
//!
//! Blocks; call it in `spawn_blocking` or on files that are known to be small. Must not write.

use super::missing;
use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::path::Path;

/// Bytes of a file that is handled as a whole, at most. Larger ones are read by windows and cannot be edited.
pub const MAX_WHOLE: u64 = 64 * 1024 * 1024;

/// Open a regular file. FIFOs, devices, sockets and folders are refused before they are opened.
///
/// # Errors
/// In words for the model, with near names when nothing is there. `shown` is the path as the model knows it.
pub fn open(path: &Path, shown: &str) -> Result<(File, Metadata), String> {
    let before = std::fs::metadata(path).map_err(|e| unreadable(path, shown, &e))?;
    refuse_special(before.file_type(), shown)?;
    let mut options = OpenOptions::new();
    options.read(true);
    // If a FIFO took the place meanwhile, opening it must not wait for a writer.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path).map_err(|e| unreadable(path, shown, &e))?;
    let meta = file.metadata().map_err(|e| unreadable(path, shown, &e))?;
    refuse_special(meta.file_type(), shown)?;
    Ok((file, meta))
}

/// The whole content of a regular file of at most [`MAX_WHOLE`] bytes.
///
/// # Errors
/// In words for the model.
pub fn whole(path: &Path, shown: &str) -> Result<Vec<u8>, String> {
    let (file, meta) = open(path, shown)?;
    if meta.len() > MAX_WHOLE {
        return Err(too_large(shown, meta.len()));
    }
    all_of(file, shown)
}

/// Read an open file to its end; the length that the system told may be wrong (`/proc`) or grow.
///
/// # Errors
/// In words for the model: unreadable, or more than [`MAX_WHOLE`] bytes.
pub fn all_of(file: File, shown: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    file.take(MAX_WHOLE + 1).read_to_end(&mut bytes).map_err(|e| format!("{shown} cannot be read: {e}"))?;
    let len = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if len > MAX_WHOLE { Err(too_large(shown, len)) } else { Ok(bytes) }
}

fn too_large(shown: &str, len: u64) -> String {
    format!("{shown} is too large to be changed here ({} MiB; the limit is {} MiB). Use a command.", len / (1024 * 1024), MAX_WHOLE / (1024 * 1024))
}

fn unreadable(path: &Path, shown: &str, e: &io::Error) -> String {
    if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
        return missing::explain(path, shown);
    }
    format!("{shown} cannot be opened: {e}")
}

/// Refuse whatever is no regular file, and say what it is.
fn refuse_special(kind: FileType, shown: &str) -> Result<(), String> {
    if kind.is_file() {
        return Ok(());
    }
    if kind.is_dir() {
        return Err(format!("{shown} is a folder, not a file. Use Glob to list what is in it."));
    }
    Err(format!("{shown} is {}, not a regular file; reading it could wait for ever, so it is refused.", special(kind)))
}

#[cfg(unix)]
fn special(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    if kind.is_fifo() {
        "a FIFO (named pipe)"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_char_device() || kind.is_block_device() {
        "a device"
    } else {
        "a special file"
    }
}

#[cfg(not(unix))]
fn special(_kind: FileType) -> &'static str {
    "a special file"
}
