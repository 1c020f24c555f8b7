//! Private files and folders: 0700 and 0600 whatever the umask (SPEC R9).

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Create a folder and its missing parents, all new ones with mode 0700.
///
/// # Errors
/// As the system says.
pub fn create_private_dir(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        create_private_dir(parent)?;
    }
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        other => other,
    }
}

/// Open a file for appending, created with mode 0600.
///
/// # Errors
/// As the system says.
pub fn append_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Write a whole file with mode 0600, atomically: a temporary file beside it is renamed over it.
///
/// # Errors
/// As the system says.
pub fn write_private(path: &Path, content: &[u8]) -> io::Result<()> {
    let dir = path.parent().unwrap_or_else(|| Path::new("."));
    create_private_dir(dir)?;
    let mut temp = tempfile::NamedTempFile::new_in(dir)?;
    io::Write::write_all(&mut temp, content)?;
    temp.persist(path).map_err(|e| e.error)?;
    Ok(())
}

/// The text of a regular file of at most `max` bytes; a link is followed. Bytes that are not UTF-8 become U+FFFD, a
/// byte order mark is dropped. Never waits: pipes and devices are refused before they are opened.
///
/// # Errors
/// As the system says; not a regular file; larger than `max`.
pub fn read_regular(path: &Path, max: u64) -> io::Result<String> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut io::Read::take(File::open(path)?, max.saturating_add(1)), &mut bytes)?;
    if bytes.len() as u64 > max {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {} KB", max / 1024)));
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
}
