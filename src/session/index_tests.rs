//! Lists of sessions, many and large.

use super::*;
use crate::config::Paths;
use crate::protocol::{Message, Origin, UserMessage};
use crate::session::log::{SessionLog, SessionStart};
use crate::session::{Record, replay};
use std::fs;
use std::io::Write;

fn place() -> (tempfile::TempDir, Paths, PathBuf) {
    let root = tempfile::tempdir().unwrap();
    let paths = Paths { config: root.path().join("c"), state: root.path().join("s"), home: root.path().into() };
    let cwd = root.path().join("proj");
    (root, paths, cwd)
}

fn session(paths: &Paths, cwd: &Path, text: &str) -> SessionLog {
    let mut log = SessionLog::create(paths, &SessionStart { cwd: cwd.into(), provider: "p".into(), model: "m1".into() });
    log.append(&Record::Message { message: Message::User(UserMessage::text(text, Origin::Person)), at: 1, usage: None }).unwrap();
    log
}

fn set_time(log: &SessionLog, seconds: u64) {
    let time = UNIX_EPOCH + std::time::Duration::from_secs(seconds);
    fs::OpenOptions::new().append(true).open(log.path()).unwrap().set_modified(time).unwrap();
}

#[test]
fn sessions_are_listed_newest_first_with_their_titles() {
    let (_root, paths, cwd) = place();
    let dir = paths.project_dir(&cwd);
    assert_eq!((list(&dir), latest(&dir)), (Vec::new(), None));
    let mut a = session(&paths, &cwd, "\n first \"words\"\tof é\u{1b}[31m\nmore");
    let b = session(&paths, &cwd, &"x".repeat(200_000));
    a.append(&Record::Model { provider: "p".into(), model: "m2".into() }).unwrap();
    set_time(&a, 1_000_000_000);
    set_time(&b, 2_000_000_000);
    fs::write(dir.join("notes.jsonl"), "x").unwrap();
    let all = list(&dir);
    assert_eq!(all.iter().map(|e| e.id.as_str()).collect::<Vec<_>>(), [b.id(), a.id()]);
    assert!(all[0].title.starts_with("xxxx") && all[0].title.chars().count() <= TITLE + 1);
    assert!(all[1].title.starts_with("first \"words\" of é") && !all[1].title.contains('\u{1b}'), "{:?}", all[1].title);
    assert_eq!((all[1].model.as_str(), all[0].model.as_str()), ("m2", "m1"));
    assert_eq!(latest(&dir).unwrap(), all[0]);
    assert_eq!(listing(&all).lines().nth(1).unwrap(), format!("{}  2001-09-09  {}", &a.id()[..8], all[1].title));
}

#[test]
fn a_title_given_by_the_person_wins_wherever_it_stands() {
    let (_root, paths, cwd) = place();
    let mut log = session(&paths, &cwd, "words");
    log.append(&Record::Title { title: "My title".into() }).unwrap();
    for _ in 0..3 {
        log.append(&Record::Message { message: Message::User(UserMessage::text("y".repeat(100_000), Origin::Person)), at: 1, usage: None }).unwrap();
    }
    assert_eq!(list(&paths.project_dir(&cwd))[0].title, "My title");
}

#[test]
fn sessions_are_found_by_a_unique_beginning() {
    let (_root, paths, cwd) = place();
    let (a, b) = (session(&paths, &cwd, "a"), session(&paths, &cwd, "b"));
    let dir = paths.project_dir(&cwd);
    assert_eq!(find(&dir, a.id()).unwrap().id, a.id());
    let shared = a.id().bytes().zip(b.id().bytes()).take_while(|(x, y)| x == y).count();
    assert_eq!(find(&dir, &b.id()[..=shared]).unwrap().id, b.id());
    assert!(find(&dir, "").is_err() && find(&dir, "../x").is_err() && find(&dir, "zz").is_err());
}

#[test]
fn f03_many_sessions_and_a_huge_one_cost_two_windows_each() {
    let (_root, paths, cwd) = place();
    let dir = paths.project_dir(&cwd);
    let big = session(&paths, &cwd, "the big one");
    {
        // A record of 1 MB, then a hole: 200 MB for everyone who reads it all, nothing on the disk.
        let mut file = fs::OpenOptions::new().append(true).open(big.path()).unwrap();
        let text = "z".repeat(1_000_000);
        writeln!(file, "{{\"type\":\"message\",\"message\":{{\"role\":\"user\",\"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}]}},\"at\":1}}").unwrap();
        let size = file.metadata().unwrap().len();
        file.set_len(size + 200_000_000).unwrap();
        file.write_all(b"\n{\"type\":\"title\",\"title\":\"from the tail\"}\n").unwrap();
    }
    for n in 0..300 {
        let id = format!("{n:08x}-0000-4000-a000-000000000000");
        fs::write(
            dir.join(format!("{id}.jsonl")),
            format!("{{\"type\":\"message\",\"message\":{{\"role\":\"user\",\"content\":[{{\"type\":\"text\",\"text\":\"small {n}\"}}]}},\"at\":1}}\n"),
        )
        .unwrap();
    }
    let all = list(&dir);
    let of = |id: &str| all.iter().find(|e| e.id == id).unwrap();
    assert_eq!((all.len(), of(big.id()).title.as_str(), of("00000007-0000-4000-a000-000000000000").title.as_str()), (301, "from the tail", "small 7"));
    // The hole is one line beyond the limit of a line: it is passed over, and what follows is read.
    let restored = replay(big.path()).unwrap();
    assert_eq!((restored.history.len(), restored.damaged.len(), restored.title.as_deref()), (2, 1, Some("from the tail")));
}
