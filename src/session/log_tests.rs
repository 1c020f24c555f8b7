//! Writing a session: what is on disk after each step, with good and bad disks.

use super::*;
use crate::protocol::{Message, Mode, Origin, UserMessage};
use crate::session::replay;
use std::fs;
use tempfile::TempDir;

struct Place {
    _root: TempDir,
    paths: Paths,
    cwd: PathBuf,
}

fn place() -> Place {
    let root = TempDir::new().unwrap();
    let paths = Paths { config: root.path().join("c"), state: root.path().join("state"), home: root.path().into() };
    Place { paths, cwd: root.path().join("proj"), _root: root }
}

fn new_log(p: &Place) -> SessionLog {
    SessionLog::create(&p.paths, &SessionStart { cwd: p.cwd.clone(), provider: "script".into(), model: "m".into() })
}

fn said(text: &str) -> Record {
    Record::Message { message: Message::User(UserMessage::text(text, Origin::Person)), at: 1, usage: None }
}

#[test]
fn nothing_is_written_before_the_first_message() {
    let p = place();
    let mut log = new_log(&p);
    log.append(&Record::Mode { mode: Mode::Plan }).unwrap();
    assert!(!p.paths.state.exists() && !log.is_saved() && !log.is_failing());
    log.append(&said("hello")).unwrap();
    assert!(log.is_saved());
    log.sync().unwrap();
    let text = fs::read_to_string(log.path()).unwrap();
    let kinds: Vec<String> = text.lines().map(|l| serde_json::from_str::<serde_json::Value>(l).unwrap()["type"].as_str().unwrap().to_owned()).collect();
    assert_eq!(kinds, ["session", "mode", "message"]);
}

#[test]
fn f01_a_torn_last_line_does_not_swallow_the_next_one() {
    let p = place();
    let mut log = new_log(&p);
    log.append(&said("first")).unwrap();
    let (id, path) = (log.id().to_owned(), log.path().to_path_buf());
    drop(log);
    append_private(&path).unwrap().write_all(b"{\"type\":\"assistant\",\"text\":\"abc").unwrap();
    let mut log = SessionLog::open(&p.paths, &p.cwd, &id).unwrap();
    log.append(&said("second")).unwrap();
    drop(log);
    let restored = replay(&path).unwrap();
    assert_eq!((restored.history.len(), &restored.damaged[..]), (2, &[3][..]), "both messages, and the torn line is told");
    let mut log = SessionLog::open(&p.paths, &p.cwd, &id).unwrap();
    log.append(&said("third")).unwrap();
    assert_eq!(replay(&path).unwrap().history.len(), 3);
}

#[test]
fn f02_one_writer_per_session_and_the_file_stays_its_own() {
    let p = place();
    let mut log = new_log(&p);
    log.append(&said("first")).unwrap();
    let id = log.id().to_owned();
    assert!(matches!(SessionLog::open(&p.paths, &p.cwd, &id), Err(LogError::Lock(LockError::Busy { .. }))));
    drop(log);
    assert!(SessionLog::open(&p.paths, &p.cwd, &id).is_ok());
    assert!(matches!(SessionLog::open(&p.paths, &p.cwd, &new_session_id()), Err(LogError::Io { .. })), "an unknown id");
    assert_eq!(fs::read_dir(p.paths.project_dir(&p.cwd)).unwrap().count(), 2, "an unknown id leaves nothing behind");
}

#[test]
fn f04_an_unwritable_place_is_an_error_that_can_be_lived_with() {
    let p = place();
    fs::write(&p.paths.state, "a file where the folder should be").unwrap();
    let mut log = new_log(&p);
    for text in ["one", "two"] {
        let error = log.append(&said(text)).unwrap_err();
        assert!(error.to_string().contains("not saved"), "{error}");
        assert!(!log.is_saved() && log.is_failing());
    }
    fs::remove_file(&p.paths.state).unwrap();
    log.append(&said("three")).unwrap();
    assert!(log.is_saved() && !log.is_failing(), "what was kept is written with the next record");
    assert_eq!(replay(log.path()).unwrap().history.len(), 3);
}

#[cfg(target_os = "linux")]
#[test]
fn f04_a_full_disk_leaves_no_half_line() {
    let p = place();
    let mut log = new_log(&p);
    log.append(&said("first")).unwrap();
    let before = fs::read(log.path()).unwrap();
    log.file = Some(fs::OpenOptions::new().append(true).open("/dev/full").unwrap());
    assert!(log.append(&said("second")).is_err());
    assert!(log.is_failing());
    assert_eq!(fs::read(log.path()).unwrap(), before);
    log.file = None;
    log.append(&said("third")).unwrap();
    assert_eq!(replay(log.path()).unwrap().history.len(), 3);
}

#[test]
fn f04_what_cannot_be_written_is_kept_within_bounds() {
    let p = place();
    fs::write(&p.paths.state, "x").unwrap();
    let mut log = new_log(&p);
    let large = "y".repeat(1024 * 1024);
    for _ in 0..MAX_BACKLOG / large.len() + 4 {
        assert!(log.append(&said(&large)).is_err());
        assert!(log.backlog_bytes <= MAX_BACKLOG + 2 * 1024 * 1024);
    }
    fs::remove_file(&p.paths.state).unwrap();
    log.append(&said("last")).unwrap();
    assert!(log.is_failing() && !log.is_saved(), "with lines lost nobody may promise a whole resume");
    let restored = replay(log.path()).unwrap();
    assert_eq!((restored.meta.id.as_str(), restored.damaged.len()), (log.id(), 0));
}

#[cfg(unix)]
#[test]
fn g08_folders_and_files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let p = place();
    let mut log = new_log(&p);
    log.append(&said("x")).unwrap();
    log.append(&Record::Title { title: "t".into() }).unwrap();
    let mut stack = vec![p.paths.state.clone()];
    let mut seen = 0;
    while let Some(path) = stack.pop() {
        let meta = fs::symlink_metadata(&path).unwrap();
        let want = if meta.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(meta.permissions().mode() & 0o777, want, "{}", path.display());
        seen += 1;
        if meta.is_dir() {
            stack.extend(fs::read_dir(&path).unwrap().map(|e| e.unwrap().path()));
        }
    }
    assert!(seen >= 7, "{seen}");
}
