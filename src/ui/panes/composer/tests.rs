//! Tests of the line that is written in.

use super::complete::{Sources, accept, refresh};
use super::history::{History, Search};
use super::*;
use crate::ui::theme::Theme;
use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

fn typed(text: &str) -> Composer {
    let mut c = Composer::default();
    for ch in text.chars() {
        if ch == '\n' {
            c.act(Action::Newline);
        } else {
            c.insert(ch);
        }
    }
    c
}

fn drawn(c: &mut Composer, width: u16, height: u16) -> (Vec<String>, Option<Position>) {
    let area = Rect::new(0, 0, width, height);
    let mut buf = Buffer::empty(area);
    let cursor = view::draw(&mut buf, area, c, &Theme::default());
    let rows = (0..height).map(|y| (0..width).map(|x| buf[(x, y)].symbol().to_owned()).collect::<String>().trim_end().to_owned()).collect();
    (rows, cursor)
}

#[test]
fn e05_a_paste_keeps_its_lines_and_loses_its_control_bytes() {
    let mut c = Composer::default();
    c.paste("a\rb\r\nc\x1b\x07");
    assert_eq!(c.lines(), ["a", "b", "c"]);
    assert_eq!(c.text(), "a\nb\nc");
    c.paste("\tx");
    assert_eq!(c.text(), "a\nb\nc\tx");
}

#[test]
fn e05_a_large_paste_is_one_pill_and_is_sent_whole() {
    let mut c = typed("look: ");
    let big = "0123456789\n".repeat(12);
    c.paste(&big);
    assert_eq!(c.shown(), "look: [pasted 13 lines]");
    c.insert('!');
    c.paste(&big);
    assert_eq!(c.shown(), "look: [pasted 13 lines]![pasted 13 lines #2]");
    assert_eq!(c.text(), format!("look: {big}!{big}"));
    c.act(Action::DeleteBack);
    assert_eq!(c.shown(), "look: [pasted 13 lines]!", "a pill goes as one");
    c.act(Action::CharLeft);
    c.act(Action::CharLeft);
    assert_eq!(c.cursor(), (0, 6), "the cursor goes over it as over one character");
    let mut one = Composer::default();
    one.paste(&"x".repeat(1_000));
    assert_eq!(one.shown().len(), 1_000);
    one.clear();
    one.paste(&"x".repeat(1_001));
    assert_eq!(one.shown(), "[pasted 1001 characters]");
    assert_eq!(one.take().len(), 1_001);
    assert!(one.is_empty());
}

#[test]
fn e05_a_megabyte_is_taken() {
    let mut c = Composer::default();
    let big = "0123456789abcde\n".repeat(65_536);
    c.paste(&big);
    assert!(c.shown().len() < 40);
    drawn(&mut c, 80, 8);
    assert_eq!(c.text(), big);
}

#[test]
fn u6_backspace_takes_what_a_person_sees_as_one_character() {
    for grapheme in ["👨‍👩‍👧‍👦", "e\u{301}", "你", "🇨🇭", "a"] {
        let mut c = typed(&format!("x{grapheme}"));
        c.act(Action::DeleteBack);
        assert_eq!(c.text(), "x", "{grapheme}");
        let mut c = typed(&format!("x{grapheme}"));
        c.act(Action::CharLeft);
        assert_eq!(c.cursor(), (0, 1), "{grapheme}");
        c.act(Action::DeleteForward);
        assert_eq!(c.text(), "x", "{grapheme}");
    }
}

#[test]
fn u6_undo_word_moves_and_deletions() {
    let mut c = typed("one two three");
    c.act(Action::WordLeft);
    c.act(Action::DeleteWordBack);
    assert_eq!(c.text(), "one three");
    c.act(Action::Undo);
    assert_eq!(c.text(), "one two three");
    c.act(Action::Redo);
    assert_eq!(c.text(), "one three");
    c.act(Action::LineEnd);
    c.act(Action::ClearLine);
    assert!(c.is_empty());
}

#[test]
fn u6_a_backslash_and_enter_begin_a_line() {
    let mut c = typed("a\\");
    assert!(c.continue_line());
    assert_eq!(c.lines(), ["a", ""]);
    assert!(!c.continue_line());
}

#[test]
fn e08_the_cursor_stands_where_the_text_goes() {
    let mut c = typed("你好a");
    c.act(Action::CharLeft);
    let (rows, cursor) = drawn(&mut c, 40, 1);
    assert!(rows[0].starts_with(" ❯ 你"), "{rows:?}");
    assert_eq!(cursor, Some(Position::new(3 + 4, 0)));
    let mut family = typed("👨‍👩‍👧‍👦a");
    assert_eq!(drawn(&mut family, 40, 1).1, Some(Position::new(3 + 3, 0)));
    let mut tab = Composer::default();
    tab.paste("a\tb");
    assert_eq!(drawn(&mut tab, 40, 1), (vec![" ❯ a   b".into()], Some(Position::new(3 + 5, 0))));
}

#[test]
fn u6_long_lines_break_and_the_cursor_is_always_in_view() {
    let mut c = typed(&"word ".repeat(40));
    assert_eq!(c.wanted_rows(33), 8);
    let (rows, cursor) = drawn(&mut c, 33, 3);
    assert_eq!(cursor.unwrap().y, 2);
    assert!(rows[2].contains("word"));
    // 29 columns hold text, one more is for the cursor.
    let mut exact = typed(&"x".repeat(29));
    assert_eq!(drawn(&mut exact, 33, 2).1, Some(Position::new(3 + 29, 0)));
    exact.insert('y');
    assert_eq!(drawn(&mut exact, 33, 2).1, Some(Position::new(3 + 1, 1)));
}

#[test]
fn u6_up_and_down_go_through_rows_then_the_history() {
    let mut c = typed("first\nsecond");
    drawn(&mut c, 40, 4);
    c.history.push("older");
    c.history.push("newer");
    assert_eq!(c.act(Action::LineUp), Edited::Cursor);
    assert_eq!(c.cursor(), (0, 5));
    c.act(Action::LineUp);
    assert_eq!(c.text(), "newer");
    c.act(Action::LineUp);
    c.act(Action::LineUp);
    assert_eq!(c.text(), "older");
    c.act(Action::LineDown);
    c.act(Action::LineDown);
    assert_eq!(c.text(), "first\nsecond", "the draft comes back");
    assert_eq!(c.act(Action::LineDown), Edited::Cursor);
}

#[test]
fn u6_history_is_searched_newest_first_and_survives_its_file() {
    let mut h = History::default();
    for text in ["fix the parser", "other\nlines", "fix the printer", "fix the printer"] {
        h.push(text);
    }
    let find = |query: &str, skip| h.find(&Search { query: query.into(), skip });
    assert_eq!(find("FIX", 0), Some("fix the printer"));
    assert_eq!(find("fix", 1), Some("fix the parser"));
    assert_eq!(find("fix", 2), None);
    let file: String = ["a\nb", "ü"].iter().map(|t| History::line(t)).collect::<String>() + "torn \"li";
    assert_eq!(History::parse(&file), ["a\nb", "ü"]);
    assert!(!h.push("  ") && !h.push(&"x".repeat(100_000)));
}

#[test]
fn x5_slash_and_at_are_completed() {
    let own = [("review".to_owned(), "reads".to_owned())];
    let files = ["src/main.rs".to_owned(), "src/lib.rs".to_owned(), "docs/main.md".to_owned()];
    let sources = Sources { own: &own, types: &[], files: &files };
    let mut c = typed("/age");
    refresh(&mut c, &sources);
    assert_eq!(c.popup.as_ref().unwrap().item().unwrap().insert, "/agents");
    assert!(accept(&mut c));
    assert_eq!(c.text(), "/agents ");
    refresh(&mut c, &sources);
    assert!(c.popup.is_none(), "behind the name nothing is completed");

    let mut c = typed("see @lib");
    refresh(&mut c, &sources);
    accept(&mut c);
    assert_eq!(c.text(), "see @src/lib.rs ");
    for no in ["me@lib", "x /age", "/usr/bin", "plain"] {
        let mut c = typed(no);
        refresh(&mut c, &sources);
        assert!(c.popup.is_none(), "{no}");
    }
    let mut c = typed("/");
    refresh(&mut c, &sources);
    assert!(c.popup.as_ref().unwrap().items.iter().any(|i| i.insert == "/review"));
    let mut c = typed("/model");
    refresh(&mut c, &sources);
    assert_eq!(c.popup.unwrap().items[0].insert, "/model");
}

#[test]
fn u6_files_of_the_project_are_listed_without_ignored_ones() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("src")).unwrap();
    std::fs::create_dir_all(dir.path().join(".git")).unwrap();
    for (name, text) in [("src/a.rs", ""), (".gitignore", "*.log\n"), ("x.log", ""), (".git/config", "")] {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    assert_eq!(files::walk(dir.path()), [".gitignore", "src/a.rs"]);
}

proptest! {
    #[test]
    fn e01_e08_any_text_at_any_size_draws_with_the_cursor_inside(text in "[a-c 你🌞\u{200d}\u{301}\t\n]{0,60}", width in 0u16..30, height in 0u16..6, moves in prop::collection::vec(0usize..8, 0..12)) {
        let mut c = Composer::default();
        c.paste(&text);
        let actions = [Action::CharLeft, Action::CharRight, Action::LineUp, Action::LineDown, Action::DeleteBack, Action::WordLeft, Action::DeleteForward, Action::LineEnd];
        for m in moves {
            c.act(actions[m]);
            let (_, cursor) = drawn(&mut c, width, height);
            prop_assert_eq!(cursor.is_some(), width > 0 && height > 0);
            if let Some(p) = cursor {
                prop_assert!(p.x < width && p.y < height);
            }
        }
    }
}
