//! Tests of the conversation: what is laid out, what is seen, and what it costs.

use super::*;
use crate::protocol::event::TurnEnding;
use crate::protocol::{DiffHunk, DiffLine, DiffLineKind, Display, Ending, EventKind, Level};
use crate::ui::fold::testing::*;
use crate::ui::widgets::testing::{buffer, rows, screen};
use proptest::prelude::*;

struct Screen {
    state: State,
    cache: Cache,
    theme: Theme,
    area: Rect,
}

impl Screen {
    fn new(width: u16, height: u16) -> Self {
        Self { state: State::default(), cache: Cache::default(), theme: Theme::default(), area: Rect::new(0, 0, width, height) }
    }

    fn draw(&mut self, p: &Play) -> Vec<String> {
        self.agent(p, MAIN)
    }

    fn agent(&mut self, p: &Play, agent: AgentId) -> Vec<String> {
        let mut buf = buffer(self.area.width, self.area.height);
        self.state.now = p.at;
        draw(&mut buf, self.area, &p.model, agent, &mut self.state, &mut self.cache, &self.theme);
        rows(&buf)
    }

    fn scroll(&mut self, p: &Play, scroll: Scroll) {
        self.state.scroll(scroll, &p.model, MAIN, &mut self.cache, self.area, &self.theme);
    }
}

fn many(n: usize, text: impl Fn(usize) -> String) -> String {
    (0..n).map(text).collect::<Vec<_>>().concat()
}

fn shot(p: &Play, width: u16, height: u16) -> String {
    let mut s = Screen::new(width, height);
    let mut buf = buffer(width, height);
    s.state.now = p.at;
    draw(&mut buf, s.area, &p.model, MAIN, &mut s.state, &mut s.cache, &s.theme);
    screen(&buf)
}

#[test]
fn u5_the_design_scene_at_three_widths() {
    let p = scene();
    insta::assert_snapshot!("scene_60", shot(&p, 60, 30));
    insta::assert_snapshot!("scene_100", shot(&p, 100, 30));
    insta::assert_snapshot!("scene_160", shot(&p, 160, 30));
}

fn every_cell() -> Play {
    let mut p = Play::new();
    p.user("fix it\nin two lines")
        .request(MAIN, 1)
        .think(MAIN, "First I read.\nThen I write.")
        .wait(3_000)
        .text(MAIN, "# Plan\n\n1. read\n2. **write**\n\n```rust\nfn x() {}\n```")
        .reply(MAIN);
    let output = (1..=42).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n");
    p.start(MAIN, "c1", "Bash", "cargo test").finish(MAIN, "c1", "exit 0", Display::Command { output, exit: Some(0) });
    let line = |kind, old, new, text: &str| DiffLine { kind, old, new, text: text.into() };
    let hunks = vec![DiffHunk {
        lines: vec![
            line(DiffLineKind::Context, Some(4), Some(4), "def f():"),
            line(DiffLineKind::Removed, Some(5), None, "    return 20"),
            line(DiffLineKind::Added, None, Some(5), "    return 50"),
        ],
    }];
    p.start(MAIN, "c2", "Edit", "api/users.py").finish(MAIN, "c2", "+1 -1", Display::Diff { path: "api/users.py".into(), hunks, added: 1, removed: 1 });
    p.start(MAIN, "c3", "Glob", "**/*.rs").finish(
        MAIN,
        "c3",
        "30 files",
        Display::Listing { lines: (0..7).map(|n| format!("src/{n}.rs")).collect(), total: 30 },
    );
    p.start(MAIN, "c4", "TodoWrite", "2 entries").finish(MAIN, "c4", "", Display::Todos { todos: scene().model.todos });
    p.start(MAIN, "c5", "Bash", "sleep 100").push(MAIN, EventKind::ToolProgressed { call: call("c5"), tail: "one\ntwo\n".into() });
    p.start(MAIN, "c6", "Bash", "rm x").push(MAIN, EventKind::PermissionAsked { approval: approval(1, MAIN, Some("c6"), false) });
    p.push(MAIN, EventKind::ToolFinished { call: call("c5"), is_error: true, summary: "exit 1".into(), display: Display::Text { text: "boom".into() } });
    p.start(MAIN, "c7", "Bash", "sleep 9").wait(9_000);
    p.push(MAIN, EventKind::Notice { level: Level::Error, text: "No route".into(), hint: "Check the network.".into() });
    p.notice(Level::Warning, "Careful").notice(Level::Info, "By the way").notice(Level::Output, "a  b\n*c*  d");
    p.push(MAIN, EventKind::Compacted { before: 120_000, after: 20_000, summary: "what was".into() });
    p.spawn(info(1, "look", true), None).push(child(1), EventKind::AgentFinished { outcome: outcome(Ending::Partial) });
    p.push(MAIN, EventKind::UserMessage { text: "<task-notification>x</task-notification>".into(), origin: Origin::Notification { task: child(1).into() } });
    p.push(MAIN, EventKind::UserMessage { text: "80 % of the budget is used".into(), origin: Origin::Engine });
    p
}

#[test]
fn u5_every_kind_of_cell_folded_and_unfolded() {
    let p = every_cell();
    insta::assert_snapshot!("cells_folded", shot(&p, 80, 80));
    let mut s = Screen::new(80, 130);
    (s.state.expand, s.state.show_thinking) = (true, true);
    let all = s.draw(&p).join("\n");
    for mark in ["line 42", "Then I write.", "what was", "<task-notification>"] {
        assert!(all.contains(mark), "{mark} in\n{all}");
    }
    assert!(!shot(&p, 80, 80).contains("Then I write."));
}

#[test]
fn u5_states_read_without_colour() {
    let text = shot(&every_cell(), 80, 80);
    for (words, sign) in [("cargo test", "✔"), ("sleep 100", "✖"), ("rm x", "◐"), ("sleep 9", "●")] {
        let line = text.lines().find(|l| l.contains(&format!("Bash {words}"))).unwrap();
        assert!(line.ends_with(sign), "{line}");
    }
}

#[test]
fn e04_the_reading_position_stays_while_text_streams_and_cards_change() {
    let mut p = Play::new();
    p.user("go").request(MAIN, 1);
    p.text(MAIN, &many(200, |n| format!("old line {n}\n\n"))).reply(MAIN);
    p.start(MAIN, "grows", "Bash", "make").start(MAIN, "folds", "Bash", "long");
    p.push(MAIN, EventKind::ToolProgressed { call: call("folds"), tail: "1\n2\n3\n4".into() });
    let mut s = Screen::new(80, 24);
    s.draw(&p);
    s.scroll(&p, Scroll::Pages(-1));
    s.scroll(&p, Scroll::Pages(-1));
    let before = s.draw(&p);
    assert!(before[0].contains("old line") || before[1].contains("old line"));
    assert!(before[23].contains("more below"), "{}", before[23]);
    p.push(MAIN, EventKind::ToolProgressed { call: call("grows"), tail: "a\nb\nc".into() });
    p.finish(MAIN, "folds", "ok", Display::None).request(MAIN, 2);
    for n in 0..500 {
        p.text(MAIN, &format!("new line {n}\n\n"));
        if n % 50 == 0 {
            let now = s.draw(&p);
            assert_eq!(now[..23], before[..23], "after {n} lines");
        }
    }
    let now = s.draw(&p);
    assert_eq!(now[..23], before[..23]);
    assert!(now[23].contains("new lines") && s.state.new_lines() > 900, "{}", now[23]);
    s.scroll(&p, Scroll::End);
    assert!(s.state.follows());
    let end = s.draw(&p);
    assert!(end.iter().any(|l| l.contains("new line 499")), "{end:#?}");
    p.text(MAIN, "the very last");
    assert!(s.draw(&p)[23].contains("the very last"), "it follows again");
}

#[test]
fn e04_a_few_new_lines_are_counted() {
    let mut p = Play::new();
    p.user("go").request(MAIN, 1).text(MAIN, &"old\n\n".repeat(50)).reply(MAIN);
    let mut s = Screen::new(40, 10);
    s.draw(&p);
    s.scroll(&p, Scroll::Lines(-3));
    assert_eq!((s.draw(&p).len(), s.state.new_lines()), (10, 0));
    p.request(MAIN, 2).text(MAIN, "a\n\nb");
    let hint = s.draw(&p)[9].clone();
    assert!(hint.contains("↓ 4 new lines · End"), "{hint}");
    s.scroll(&p, Scroll::Lines(100));
    assert!(s.state.follows(), "scrolling to the last line follows again");
}

#[test]
fn scrolling_to_the_top_by_messages_and_past_the_ends() {
    let mut p = Play::new();
    for n in 0..20 {
        p.user(&format!("question {n}")).request(MAIN, 1).text(MAIN, &format!("answer {n}\n\n").repeat(10)).reply(MAIN).end(TurnEnding::Completed);
    }
    let mut s = Screen::new(40, 12);
    let top = |s: &mut Screen, p: &Play| s.draw(p)[0].clone();
    s.draw(&p);
    s.scroll(&p, Scroll::Top);
    assert_eq!(top(&mut s, &p), "❯ question 0");
    s.scroll(&p, Scroll::Lines(-5));
    assert_eq!(top(&mut s, &p), "❯ question 0");
    s.scroll(&p, Scroll::Message(1));
    assert_eq!(top(&mut s, &p), "❯ question 1");
    s.scroll(&p, Scroll::Message(2));
    assert_eq!(top(&mut s, &p), "❯ question 3");
    s.scroll(&p, Scroll::Lines(2));
    s.scroll(&p, Scroll::Message(-1));
    assert_eq!(top(&mut s, &p), "❯ question 3");
    s.scroll(&p, Scroll::Message(-1));
    assert_eq!(top(&mut s, &p), "❯ question 2");
    s.scroll(&p, Scroll::Message(99));
    assert!(s.state.follows());
    s.scroll(&p, Scroll::Lines(isize::MIN));
    assert_eq!(top(&mut s, &p), "❯ question 0");
    s.scroll(&p, Scroll::Pages(isize::MAX));
    assert!(s.state.follows());
    s.scroll(&p, Scroll::Message(-1));
    let found = find(&p.model, MAIN, "QUESTION 5", 0, false).unwrap();
    s.state.highlight = "question 5".into();
    let (area, theme) = (s.area, s.theme.clone());
    s.state.reveal(found, &p.model, MAIN, &mut s.cache, area, &theme);
    assert!(s.draw(&p).iter().any(|l| l.contains("question 5")));
    assert_eq!(find(&p.model, MAIN, "question 5", found + 1, false), Some(found), "it goes around");
    assert_eq!(find(&p.model, MAIN, "question 1", 5, true), Some(2));
    assert_eq!(find(&p.model, MAIN, "nowhere", 0, false), None);
    assert_eq!(find(&p.model, MAIN, "", 0, false), None);
}

#[test]
fn found_words_are_marked_where_they_stand() {
    let mut p = Play::new();
    p.user("a 你好 Word");
    let mut s = Screen::new(20, 4);
    s.state.highlight = "word".into();
    let mut buf = buffer(20, 4);
    draw(&mut buf, s.area, &p.model, MAIN, &mut s.state, &mut s.cache, &s.theme);
    let marked: String = (0..20).filter(|x| buf[(*x, 0)].modifier.contains(Modifier::REVERSED)).map(|x| buf[(x, 0)].symbol().to_owned()).collect();
    assert_eq!(marked, "Word");
}

#[test]
fn e07_a_long_session_lays_out_only_what_is_seen() {
    let mut p = Play::new();
    for n in 0..5_000 {
        p.push(MAIN, EventKind::UserMessage { text: many(40, |l| format!("entry {n} line {l}\n")), origin: Origin::Person });
    }
    let mut s = Screen::new(80, 24);
    assert!(s.draw(&p).last().unwrap().contains("entry 4999 line 39"));
    let cells = s.cache.work().cells;
    assert!(cells <= 3, "{cells} cells for the first frame");
    for _ in 0..50 {
        s.draw(&p);
    }
    assert_eq!(s.cache.work().cells, cells, "frames without a change lay nothing out");
    s.scroll(&p, Scroll::Top);
    assert_eq!(s.draw(&p)[0], "❯ entry 0 line 0");
    assert!(s.cache.work().cells <= cells + 4);
    s.scroll(&p, Scroll::End);
    assert!(s.draw(&p)[23].contains("entry 4999 line 39"));
    s.scroll(&p, Scroll::Lines(-150_000));
    let first = s.draw(&p)[0].clone();
    assert!(first.contains("entry 13"), "{first}");
    s.scroll(&p, Scroll::End);
    s.draw(&p);
    s.scroll(&p, Scroll::Pages(-2));
    s.draw(&p);
    assert!(s.cache.kept() < 41_000, "{} rows are kept", s.cache.kept());
}

#[test]
fn targets_streaming_costs_what_the_text_is_long() {
    let line = "Some **prose** with `code` that is long enough to be wrapped at eighty columns, as prose is.\n\n- a list\n- of two\n\n";
    let mut cost = Vec::new();
    for size in [50_000, 100_000] {
        let mut p = Play::new();
        p.user("go").request(MAIN, 1);
        let mut s = Screen::new(80, 24);
        for n in 0..size / line.len() {
            p.text(MAIN, line);
            if n % 4 == 0 {
                s.draw(&p);
            }
        }
        assert_eq!(s.cache.work().cells, 2, "the open cell is laid out once");
        cost.push(s.cache.work().bytes);
    }
    assert!(cost[1] < cost[0] * 22 / 10, "{cost:?}");
    assert!(cost[1] < 2 * 100_000, "each byte is laid out about once: {cost:?}");
}

#[test]
fn targets_a_flood_is_coloured_when_it_calms_down() {
    let mut p = Play::new();
    p.user("go").request(MAIN, 1);
    let mut s = Screen::new(60, 10);
    let styles = |s: &mut Screen, p: &Play| {
        let mut buf = buffer(60, 10);
        draw(&mut buf, s.area, &p.model, MAIN, &mut s.state, &mut s.cache, &s.theme);
        buf.content.iter().filter(|c| c.symbol() != " ").map(|c| c.fg).collect::<std::collections::HashSet<_>>().len()
    };
    p.text(MAIN, &format!("```rust\n{}", "fn a() { let b = \"c\"; }\n".repeat(600)));
    assert_eq!(styles(&mut s, &p), 1);
    p.text(MAIN, "fn d() {}\n");
    assert!(styles(&mut s, &p) > 1);
}

#[test]
fn the_turn_line_tells_of_work_waiting_and_retries() {
    let mut p = Play::new();
    p.user("go").wait(12_000);
    let last = |p: &Play| Screen::new(80, 10).draw(p).into_iter().rev().find(|l| !l.is_empty()).unwrap();
    assert!(last(&p).ends_with("working 0:12 · esc interrupts"), "{}", last(&p));
    p.push(MAIN, EventKind::Retrying { attempt: 2, max: 6, wait_ms: 12_000, reason: "rate limited".into() });
    p.wait(500);
    assert!(last(&p).ends_with("retrying in 12 s (attempt 2 of 6): rate limited"), "{}", last(&p));
    p.text(MAIN, "now");
    assert_eq!(last(&p), "● now");
    p.reply(MAIN).start(MAIN, "c", "Bash", "rm").push(MAIN, EventKind::PermissionAsked { approval: approval(1, MAIN, Some("c"), false) });
    assert_eq!(last(&p), "◐ waiting for your answer");
    p.end(TurnEnding::Completed);
    assert!(!last(&p).contains("waiting"));
}

#[test]
fn u3_an_opened_child_shows_its_prompt_its_calls_and_its_end() {
    let mut p = scene();
    let text = Screen::new(80, 24).agent(&p, child(1)).join("\n");
    for mark in ["❯ PROMPT of find pagination", "Grep page_size", "Read api/posts.py", "✔ completed"] {
        assert!(text.contains(mark), "{mark} in\n{text}");
    }
    p.push(child(2), EventKind::AgentStalled { stalled: true });
    p.finish(child(2), "t3", "", Display::None);
    assert!(Screen::new(80, 24).agent(&p, child(2)).join("\n").contains("stalled"));
    assert!(!shot(&p, 100, 40).contains("PROMPT"), "the parent's conversation does not hold a child's prompt");
}

#[test]
fn a_resize_keeps_the_place_and_a_theme_change_repaints() {
    let mut p = Play::new();
    p.user("go").request(MAIN, 1).text(MAIN, &many(300, |n| format!("paragraph {n} with some words that wrap at forty columns\n\n"))).reply(MAIN);
    let mut s = Screen::new(80, 20);
    s.draw(&p);
    s.scroll(&p, Scroll::Lines(-200));
    let number = |rows: &[String]| rows.iter().find_map(|r| r.split("paragraph ").nth(1)?.split(' ').next()?.parse::<i64>().ok()).unwrap();
    let before = number(&s.draw(&p));
    s.area = Rect::new(0, 0, 40, 20);
    let after = number(&s.draw(&p));
    assert!((before - after).abs() <= 3, "{before} then {after}");
    let cells = s.cache.work().cells;
    s.theme.name = "other".into();
    s.draw(&p);
    assert!(s.cache.work().cells > cells);
}

#[test]
fn e01_wide_characters_in_two_columns_do_not_panic() {
    for text in ["a🌞b", "a你b"] {
        let mut p = Play::new();
        p.user(text).request(MAIN, 1).text(MAIN, text);
        for (w, h) in [(2, 3), (1, 1), (3, 2)] {
            Screen::new(w, h).draw(&p);
        }
    }
}

#[test]
fn u2_an_area_outside_the_buffer_is_clipped() {
    let p = every_cell();
    let mut s = Screen::new(80, 24);
    let mut buf = buffer(10, 5);
    for area in [Rect::new(5, 2, 50, 50), Rect::new(20, 20, 5, 5), Rect::new(0, 0, 0, 0), Rect::new(u16::MAX, u16::MAX, 9, 9)] {
        draw(&mut buf, area, &p.model, MAIN, &mut s.state, &mut s.cache, &s.theme);
        s.state.scroll(Scroll::Pages(-1), &p.model, MAIN, &mut s.cache, area, &s.theme);
    }
}

fn hostile() -> impl Strategy<Value = String> {
    "(\\PC|[ \t\n\r]|\x1b\\[2J|\x1b\\]0;x\x07|\u{9b}1m|你|🌞|👩‍👩‍👧|e\u{301}|\u{200b}|\u{202e}|```|\\*\\*|\\| a \\|){0,40}"
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn e01_any_text_in_any_cell_at_any_size(text in hostile(), width in 0u16..50, height in 0u16..12, expand: bool, scrolls in proptest::collection::vec(-30isize..30, 0..4)) {
        let mut p = Play::new();
        p.user(&text).request(MAIN, 1).think(MAIN, &text).text(MAIN, &text).reply(MAIN);
        for (id, display) in [("a", Display::Text { text: text.clone() }), ("b", Display::Command { output: text.clone(), exit: None }), ("c", Display::Listing { lines: vec![text.clone()], total: 9 })] {
            p.start(MAIN, id, &text, &text).finish(MAIN, id, &text, display);
        }
        let line = DiffLine { kind: DiffLineKind::Added, old: None, new: Some(usize::MAX), text: text.clone() };
        p.start(MAIN, "d", "Edit", "f").finish(MAIN, "d", "", Display::Diff { path: text.clone(), hunks: vec![DiffHunk { lines: vec![line] }], added: 1, removed: 0 });
        p.push(MAIN, EventKind::Notice { level: Level::Output, text: text.clone(), hint: text.clone() }).start(MAIN, "e", &text, &text);
        p.push(MAIN, EventKind::ToolProgressed { call: call("e"), tail: text.clone() });
        let mut s = Screen::new(width, height);
        (s.state.expand, s.state.show_thinking, s.state.highlight) = (expand, expand, text.chars().take(2).collect());
        for n in std::iter::once(0).chain(scrolls) {
            s.scroll(&p, Scroll::Lines(n));
            let mut buf = buffer(width, height);
            draw(&mut buf, s.area, &p.model, MAIN, &mut s.state, &mut s.cache, &s.theme);
            for cell in &buf.content {
                prop_assert!(!cell.symbol().chars().any(|c| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}')), "{:?}", cell.symbol());
            }
        }
    }
}
