//! Edits of bytes, hints, the read state, locks and decisions (SPEC T2, T3, S18; CASES D01, D02, D06).

use super::edit::{Edit, apply, apply_all};
use super::*;
use proptest::prelude::*;

fn edit(old: &str, new: &str) -> Edit {
    Edit { old: old.into(), new: new.into(), all: false }
}

fn done(content: &[u8], old: &str, new: &str) -> Vec<u8> {
    apply(content, &edit(old, new)).unwrap().bytes
}

fn fault(content: &[u8], old: &str, new: &str) -> String {
    apply(content, &edit(old, new)).unwrap_err()
}

#[test]
fn d01_bytes_outside_the_edit_stay() {
    assert_eq!(done(b"\xef\xbb\xbfa\r\nb\r\n", "a", "c"), b"\xef\xbb\xbfc\r\nb\r\n");
    assert_eq!(done(b"a\nb", "a", "c"), b"c\nb");
    assert_eq!(done(b"a\nb\n", "b\n", "c"), b"a\nc");
    assert_eq!(done(b"one\r\ntwo\r\nthree\r\n", "one\ntwo", "1\n2"), b"1\r\n2\r\nthree\r\n");
    assert_eq!(done(b"one\r\ntwo\r\n", "two", "2\n3"), b"one\r\n2\r\n3\r\n");
    assert_eq!(done(b"a\r\nb", "b", "c\nd"), b"a\r\nc\r\nd");
    assert_eq!(done(b"a\r\nb\r\n", "\nb", "\nx\nb"), b"a\r\nx\r\nb\r\n");
}

#[test]
fn d01_mixed_line_ends_stay_as_they_are_and_new_ones_take_those_of_their_place() {
    let mixed = b"a\r\nb\nc\r\nd\n";
    assert_eq!(done(mixed, "a\nb\nc\nd", "a\nb\nX\nd"), b"a\r\nb\nX\r\nd\n");
    assert_eq!(done(mixed, "b", "b\nb2"), b"a\r\nb\nb2\nc\r\nd\n");
    assert_eq!(done(mixed, "c", "c\nc2"), b"a\r\nb\nc\r\nc2\r\nd\n");
    // An explicit CR is taken literally on both sides.
    assert_eq!(done(mixed, "a\r\nb", "a\nb"), b"a\nb\nc\r\nd\n");
    assert_eq!(done(b"x\n", "x", "x\r\ny"), b"x\r\ny\n");
}

#[test]
fn d02_odd_bytes_survive() {
    let latin = b"const x=1;\n// caf\xe9\n";
    assert_eq!(done(latin, "x=1", "x=2"), b"const x=2;\n// caf\xe9\n");
    assert_eq!(done(latin, "café", "thé"), b"const x=1;\n// th\xe9\n");
    assert!(fault(latin, "x=1", "x=🌍").contains("🌍"));
    assert!(fault(latin, "🌍", "x").contains("not found"));
    let damaged: Vec<u8> = "ä ö ü\nkey = 1\n".bytes().chain([0xff, b'\n']).collect();
    let after = done(&damaged, "key = 1", "key = é");
    assert!(after.starts_with("ä ö ü\nkey = é\n".as_bytes()) && after.ends_with(b"\xff\n"));
    assert!(fault(&damaged, "\u{fffd}\n", "x").contains("not valid UTF-8"));
    let wide: Vec<u8> = b"\xff\xfe".iter().copied().chain("a€\r\nb".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let want: Vec<u8> = b"\xff\xfe".iter().copied().chain("a🌍\r\nx\r\nb".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(done(&wide, "€", "🌍\nx"), want);
    assert!(fault(b"\x7fELF\0x", "x", "y").contains("binary"));
}

#[test]
fn d06_an_edit_that_is_not_exact_and_unique_is_refused_with_lines() {
    let file = b"if a {\n    x();\n}\nif b {\n        x();\n}\n";
    let twice = fault(file, "x();", "y();");
    assert!(twice.contains("2 times") && twice.contains("2, 5"), "{twice}");
    let loose = fault(file, "\tx();", "y();");
    assert!(loose.contains("white space") && loose.contains("2, 5"), "{loose}");
    assert!(fault(file, "", "y").contains("empty"));
    assert!(fault(file, "if a", "if a").contains("same"));
    // Overlapping places are two places.
    assert!(fault(b"aaa", "aa", "b").contains("2 times"));
    assert!(fault(b"x\r\n\r\n", "\n", "y").contains("2 times"));
}

#[test]
fn a_text_that_is_not_there_gets_a_hint() {
    let file = b"fn a() {\n    one();\n    two();\n}\n";
    let numbers = fault(file, "     1\tfn a() {\n     2\t    one();", "x");
    assert!(numbers.contains("line numbers"), "{numbers}");
    let partly = fault(file, "    one();\n    three();", "x");
    assert!(partly.contains("first 1 of 2 lines are at line 2") && partly.contains("two();"), "{partly}");
    let nothing = fault(file, "absent", "x");
    assert!(nothing.contains("not found") && nothing.contains("Read"), "{nothing}");
    assert!(fault(file, "\n\n\n", "x").contains("white space only"));
}

#[test]
fn replace_all_replaces_what_does_not_overlap() {
    let all = Edit { all: true, ..edit("x();", "y();") };
    let edited = apply(b"x();\n x();\r\nx();", &all).unwrap();
    assert_eq!((edited.bytes.as_slice(), edited.lines), (&b"y();\n y();\r\ny();"[..], vec![1, 2, 3]));
    assert_eq!(apply(b"aaaa", &Edit { all: true, ..edit("aa", "b") }).unwrap().bytes, b"bb");
    assert_eq!(apply(b"a\r\nb\n", &Edit { all: true, ..edit("\n", "\n\n") }).unwrap().bytes, b"a\r\n\r\nb\n\n");
}

#[test]
fn several_edits_are_applied_in_order_or_not_at_all() {
    let edits = [edit("a", "b"), edit("b c", "d")];
    assert_eq!(apply_all(b"a c", &edits).unwrap().0, b"d");
    let failed = apply_all(b"a c", &[edit("a", "b"), edit("zz", "d")]).unwrap_err();
    assert!(failed.starts_with("edit 2 of 2: "), "{failed}");
}

proptest! {
    #[test]
    fn d01_around_a_unique_edit_every_byte_stays(before in proptest::collection::vec(1u8..=255, 0..60), after in proptest::collection::vec(1u8..=255, 0..60), new in "[a-z\n]{0,8}") {
        let content = [before.as_slice(), b"<<UNIQUE>>", after.as_slice()].concat();
        let result = apply(&content, &edit("<<UNIQUE>>", &new));
        if decode::detect(&content) .is_some_and(|c| c.width() == 1) {
            let bytes = result.unwrap().bytes;
            prop_assert!(bytes.starts_with(&before) && bytes.ends_with(&after));
            let inner = &bytes[before.len()..bytes.len() - after.len()];
            prop_assert_eq!(String::from_utf8_lossy(inner).replace('\r', ""), new);
        } else {
            prop_assert!(result.is_err() || result.is_ok());
        }
    }

    #[test]
    fn hostile_edits_do_not_panic(content in proptest::collection::vec(any::<u8>(), 0..200), old in ".{0,6}", new in ".{0,6}", all: bool) {
        let _ = apply(&content, &Edit { old, new, all });
    }
}

#[test]
fn hashes_differ_by_content_and_not_by_pieces() {
    let mut pieces = ContentHash::default();
    pieces.push(b"ab");
    pieces.push(b"c");
    assert_eq!(pieces.end(), hash(b"abc"));
    assert_ne!(hash(b"abc"), hash(b"abd"));
    assert_ne!(hash(b""), hash(b"\0"));
}

#[test]
fn t3_the_last_decision_of_a_call_counts_once_and_the_memory_is_bounded() {
    let locks = FileLocks::default();
    let (me, call) = (AgentId::MAIN, CallId("c".into()));
    locks.decide(me, &call, Path::new("/a"));
    locks.decide(me, &call, Path::new("/b"));
    assert_eq!(locks.decided(AgentId::child(1), &call), None);
    assert_eq!(locks.decided(me, &call), Some(PathBuf::from("/b")));
    assert_eq!(locks.decided(me, &call), None);
    for i in 0..MAX_DECISIONS * 2 {
        locks.decide(me, &CallId(i.to_string()), Path::new("/x"));
    }
    assert_eq!(locks.decisions.lock().unwrap().len(), MAX_DECISIONS);
}

#[test]
fn s18_files_that_others_changed_are_named() {
    let (reads, locks) = (ReadState::default(), FileLocks::default());
    for name in ["/mine", "/same", "/other"] {
        reads.learn(Path::new(name), hash(b"old"));
    }
    locks.wrote(Path::new("/mine"), AgentId::MAIN, hash(b"new"));
    locks.wrote(Path::new("/same"), AgentId::child(1), hash(b"old"));
    locks.wrote(Path::new("/other"), AgentId::child(2), hash(b"new"));
    locks.wrote(Path::new("/unread"), AgentId::child(2), hash(b"new"));
    let changed = change::changed_by_others(AgentId::MAIN, &reads, &locks);
    assert_eq!(changed, [(PathBuf::from("/other"), AgentId::child(2))]);
}

#[test]
fn diffs_are_bounded_and_hide_nothing_silently() {
    use crate::protocol::{DiffLineKind, Display};
    let Display::Diff { hunks, added, removed, .. } = diff::diff("f".into(), Some(b"a\nb\nc\nd\ne\nf\ng\nh\n"), b"a\nb\nc\nd\nX\x1b[1m\nf\ng\nh\n") else {
        panic!()
    };
    assert_eq!((added, removed, hunks.len(), hunks[0].lines.len()), (1, 1, 1, 8));
    let line = hunks[0].lines.iter().find(|l| l.kind == DiffLineKind::Added).unwrap();
    assert_eq!((line.text.as_str(), line.old, line.new), ("X␛[1m", None, Some(5)));
    let long: String = (0..1_000).map(|i| format!("{i}\n")).collect::<Vec<_>>().concat();
    let made = diff::diff("f".into(), None, long.as_bytes());
    assert_eq!(diff::summary(&made), "+1000 −0");
    let Display::Diff { hunks, .. } = made else { panic!() };
    let lines: usize = hunks.iter().map(|h| h.lines.len()).sum();
    assert_eq!(lines, 401);
    assert!(hunks.last().unwrap().lines.last().unwrap().text.contains("600 more lines"));
    let Display::Diff { hunks, .. } = diff::diff("f".into(), Some(b"a\r\nb\r\n"), b"a\r\nc\r\n") else { panic!() };
    assert!(hunks[0].lines.iter().all(|l| !l.text.contains('␍')));
    let Display::Diff { hunks, .. } = diff::diff("f".into(), Some(b"a\r\nb\n"), b"a\nb\n") else { panic!() };
    assert!(hunks[0].lines.iter().any(|l| l.text == "a␍"));
}

#[test]
fn d03_a_write_that_is_refused_at_the_last_moment_leaves_no_trace() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("f");
    std::fs::write(&file, "old").unwrap();
    let refused = atomic::replace(&file, b"new", &|| Err("moved".to_owned()));
    assert_eq!(refused, Err("moved".to_owned()));
    assert_eq!(std::fs::read(&file).unwrap(), b"old");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    // While it is written the new content stands beside the old one, under a name that listings leave out.
    let seen = std::cell::RefCell::new(Vec::new());
    let look = || {
        seen.borrow_mut().extend(std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).filter(|n| atomic::is_temp(n)));
        Ok(())
    };
    atomic::replace(&file, b"new", &look).unwrap();
    assert_eq!((std::fs::read(&file).unwrap().as_slice(), seen.borrow().len()), (&b"new"[..], 1));
}
