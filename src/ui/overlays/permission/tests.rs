//! CASES G05: the dialog shows everything that will run before it can be allowed.

use super::*;
use crate::protocol::{Answer, Approval, ApprovalBody, ApprovalId, DiffHunk, DiffLine, DiffLineKind, Op};
use crate::ui::update::testing::{Driver, command};

fn opened(approval: Approval, width: u16, height: u16) -> Driver {
    let mut d = Driver::new(width, height);
    d.ask(approval).wait(400);
    d.screen();
    d
}

fn allowed(d: &mut Driver) -> bool {
    d.press(&["o"]);
    d.ops() == [Op::Reply { id: ApprovalId(1), answer: Answer::Once }]
}

#[test]
fn g05_hidden_lines_are_counted_and_must_be_scrolled_to() {
    let long = format!("git status{}touch M1", "\n".repeat(60));
    let mut d = opened(command(1, &long), 80, 24);
    let text = d.screen();
    assert!(text.contains("git status") && !text.contains("touch M1"), "{text}");
    let count: usize = text.split("… ").nth(1).and_then(|t| t.split(' ').next()).and_then(|n| n.parse().ok()).unwrap();
    assert!(text.contains(&format!("… {count} more lines, scroll to allow")) && count > 40, "{text}");
    for _ in 0..3 {
        assert!(!allowed(&mut d), "unseen lines");
        d.press(&["s", "a", "A"]);
        assert_eq!(d.ops(), []);
    }
    for _ in 0..12 {
        d.press(&["pagedown"]);
        d.screen();
    }
    assert!(d.screen().contains("touch M1"), "{}", d.screen());
    assert!(allowed(&mut d));
}

#[test]
fn g05_a_long_line_is_wrapped_and_counts_as_its_rows() {
    let mut d = opened(command(1, &format!("echo {}; touch M1", "x".repeat(5_000))), 80, 24);
    assert!(d.screen().contains("more lines, scroll to allow"));
    assert!(!allowed(&mut d));
    d.press(&["end"]);
    d.screen();
    assert!(!allowed(&mut d), "jumping to the end skips lines, so it goes page by page");
    for _ in 0..20 {
        d.press(&["end"]);
        d.screen();
    }
    assert!(d.screen().contains("touch M1"), "{}", d.screen());
    assert!(allowed(&mut d));
}

#[test]
fn g05_refusing_needs_no_scrolling_and_short_ones_are_allowed_at_once() {
    let mut d = opened(command(1, &"x\n".repeat(100)), 80, 24);
    d.press(&["d"]);
    assert_eq!(d.ops(), [Op::Reply { id: ApprovalId(1), answer: Answer::Deny }]);
    let mut d = opened(command(1, "git status"), 80, 24);
    assert!(allowed(&mut d));
    let mut d = opened(command(1, "git status"), 80, 24);
    d.press(&["enter", "space", "y"]);
    assert_eq!(d.ops(), [], "no other key allows");
}

#[test]
fn g05_a_wider_screen_does_not_make_lines_seen() {
    let mut d = opened(command(1, &"word ".repeat(2_000)), 40, 30);
    for _ in 0..4 {
        d.press(&["pagedown"]);
        d.screen();
    }
    d.send(crate::ui::msg::Msg::Resize(200, 30));
    d.screen();
    assert!(!allowed(&mut d));
}

#[test]
fn r6_invisible_and_direction_changing_characters_are_escaped() {
    let mut d = opened(command(1, "echo \u{202e}hs.lla\u{2066}"), 100, 30);
    assert!(d.screen().contains("echo \\u{202e}hs.lla\\u{2066}"), "{}", d.screen());
}

#[test]
fn r6_a_change_shows_its_file_and_its_lines() {
    let line = |kind, old, new, text: &str| DiffLine { kind, old, new, text: text.into() };
    let lines = vec![
        line(DiffLineKind::Context, Some(2), Some(2), "same"),
        line(DiffLineKind::Removed, Some(3), None, "old\tx"),
        line(DiffLineKind::Added, None, Some(3), "new"),
    ];
    let body = ApprovalBody::Edit { path: "src/n.txt".into(), hunks: vec![DiffHunk { lines }] };
    let mut d = opened(Approval { body, tool: "Write".into(), ..command(1, "") }, 100, 30);
    let text = d.screen();
    for part in ["wants to change src/n.txt", "│ src/n.txt", "   2   same", "   3 - old", "   3 + new"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn r6_hints_follow_the_keys() {
    let key: Key = "o".parse().unwrap();
    assert_eq!(hint(Some(&key), "once"), "[o]nce");
    let other: Key = "ctrl+y".parse().unwrap();
    assert_eq!(hint(Some(&other), "once"), "[^Y] once");
    assert_eq!(hint(None, "once"), "once");
}
