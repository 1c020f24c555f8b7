//! The submodules that git's index names; git enters them and follows their configuration.
//!
//! Must not: read anything else of the index, or take one that it cannot read for empty.

use std::path::{Path, PathBuf};

/// Larger index files are not judged (about a million entries).
const MAX_INDEX: u64 = 128 * 1024 * 1024;

/// File type bits of a submodule's entry.
const GITLINK: u32 = 0o160_000;

/// Folders of submodules, relative to the top of the work tree; empty without an index.
///
/// # Errors
/// An index that cannot be read.
pub(super) fn submodules(index: &Path, hash_len: usize) -> Result<Vec<PathBuf>, String> {
    let Ok(meta) = std::fs::metadata(index) else { return Ok(Vec::new()) };
    if !meta.is_file() || meta.len() > MAX_INDEX {
        return Err("the repository's index is not a file of a common size".into());
    }
    let bytes = std::fs::read(index).map_err(|e| format!("the repository's index: {e}"))?;
    parse(&bytes, hash_len).ok_or_else(|| "the repository's index is not understood".into())
}

fn parse(bytes: &[u8], hash_len: usize) -> Option<Vec<PathBuf>> {
    if bytes.get(..4)? != b"DIRC" {
        return None;
    }
    let version = number(bytes, 4)?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let mut at = 12_usize;
    let mut name: Vec<u8> = Vec::new();
    let mut found = Vec::new();
    for _ in 0..number(bytes, 8)? {
        let start = at;
        let mode = number(bytes, start + 24)?;
        let flags_at = start + 40 + hash_len;
        let flags = bytes.get(flags_at)?;
        at = flags_at + 2 + if version >= 3 && flags & 0x40 != 0 { 2 } else { 0 };
        if version == 4 {
            let strip = varint(bytes, &mut at)?;
            name.truncate(name.len().checked_sub(strip)?);
        } else {
            name.clear();
        }
        let len = bytes.get(at..)?.iter().position(|b| *b == 0)?;
        name.extend_from_slice(&bytes[at..at + len]);
        at += len + 1;
        if version < 4 {
            at = start + (at - start).next_multiple_of(8);
        }
        if mode & 0o170_000 == GITLINK {
            found.push(path_of(&name)?);
        }
    }
    // A split index keeps its entries in another file.
    while let Some(kind) = bytes.get(at..at + 4).filter(|_| at + hash_len < bytes.len()) {
        if kind == b"link" {
            return None;
        }
        at = at.checked_add(8)?.checked_add(usize::try_from(number(bytes, at + 4)?).ok()?)?;
    }
    Some(found)
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "elsewhere a name may be no path")]
fn path_of(name: &[u8]) -> Option<PathBuf> {
    Some(PathBuf::from(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(name)))
}

#[cfg(not(unix))]
fn path_of(name: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(name).ok().map(PathBuf::from)
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// Git's offset encoding: seven bits a byte, most significant first, each continuation adds one.
fn varint(bytes: &[u8], at: &mut usize) -> Option<usize> {
    let mut byte = *bytes.get(*at)?;
    *at += 1;
    let mut value = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        byte = *bytes.get(*at)?;
        *at += 1;
        value = value.checked_add(1)?.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
    }
    Some(value)
}
