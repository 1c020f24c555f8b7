//! Replacing a file's content at once: the old or the new one, never a half, no stray file (SPEC T2, CASES D03).
//!
//! Blocks. Must not decide anything; the caller gives a last look at the path just before the rename.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::io::{self, Write as _};
use std::path::Path;

/// The names of our temporary files begin so; listings leave them out (after a kill one may be left).
pub const TEMP_PREFIX: &str = ".tui-agent-write-";

/// Whether a name is one of our temporary files.
#[must_use]
pub fn is_temp(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(TEMP_PREFIX.as_bytes())
}

/// Write `content` to a resolved path. An existing file keeps its mode and, where the system lets us, its owner; a new
/// one gets the usual mode; missing folders are made. `still` is asked right before the rename and may refuse.
///
/// # Errors
/// In words; then nothing was changed, but for folders that were made.
pub fn replace(path: &Path, content: &[u8], still: &dyn Fn() -> Result<(), String>) -> Result<(), String> {
    let old = std::fs::metadata(path).ok();
    let dir = path.parent().ok_or_else(|| "it has no folder".to_owned())?;
    if old.is_some() {
        writable(path)?;
    } else {
        std::fs::create_dir_all(dir).map_err(|e| format!("its folder cannot be made: {e}"))?;
    }
    let say = |e: io::Error| e.to_string();
    let mut temp = new_temp(dir, old.is_some()).map_err(say)?;
    temp.write_all(content).map_err(say)?;
    if let Some(old) = &old {
        copy_rights(temp.as_file(), old).map_err(say)?;
    }
    temp.as_file().sync_all().map_err(say)?;
    still()?;
    temp.persist(path).map_err(|e| e.error.to_string())?;
    Ok(())
}

#[cfg(unix)]
fn new_temp(dir: &Path, private: bool) -> io::Result<tempfile::NamedTempFile> {
    use std::os::unix::fs::PermissionsExt as _;
    // 0666 is narrowed by the umask, as for any new file; a replacement stays private until it has the old mode.
    let mode = if private { 0o600 } else { 0o666 };
    tempfile::Builder::new().prefix(TEMP_PREFIX).permissions(std::fs::Permissions::from_mode(mode)).tempfile_in(dir)
}

#[cfg(not(unix))]
fn new_temp(dir: &Path, _private: bool) -> io::Result<tempfile::NamedTempFile> {
    tempfile::Builder::new().prefix(TEMP_PREFIX).tempfile_in(dir)
}

/// The rename would also replace a write-protected file; that is not ours to override.
#[cfg(unix)]
fn writable(path: &Path) -> Result<(), String> {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).map_err(|e| format!("it is write-protected ({})", io::Error::from(e)))
}

#[cfg(not(unix))]
fn writable(path: &Path) -> Result<(), String> {
    let locked = std::fs::metadata(path).is_ok_and(|m| m.permissions().readonly());
    if locked { Err("it is write-protected".to_owned()) } else { Ok(()) }
}

#[cfg(unix)]
fn copy_rights(to: &std::fs::File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    let now = to.metadata()?;
    // Only root may give a file away; a group of ours we may set. Done before the mode: it clears set-uid bits.
    if (now.uid(), now.gid()) != (old.uid(), old.gid()) && std::os::unix::fs::fchown(to, Some(old.uid()), Some(old.gid())).is_err() {
        let _ = std::os::unix::fs::fchown(to, None, Some(old.gid()));
    }
    to.set_permissions(old.permissions())
}

#[cfg(not(unix))]
fn copy_rights(to: &std::fs::File, old: &Metadata) -> io::Result<()> {
    to.set_permissions(old.permissions())
}
