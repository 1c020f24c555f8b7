//! Tests of the strip and the panel of tasks.

use super::*;
use crate::protocol::{Ending, EventKind};
use crate::ui::fold::testing::*;
use crate::ui::theme::Theme;
use crate::ui::widgets::testing::{buffer, screen};
use proptest::prelude::*;
use ratatui::layout::Rect;

fn sidebar(p: &Play, width: u16, height: u16) -> String {
    let mut buf = buffer(width, height);
    draw_sidebar(&mut buf, Rect::new(0, 0, width, height), &p.model, p.at, &Theme::default());
    screen(&buf)
}

fn strip(p: &Play, width: u16) -> String {
    let mut buf = buffer(width, 1);
    draw_strip(&mut buf, Rect::new(0, 0, width, 1), &p.model, p.at, &Theme::default());
    screen(&buf)
}

fn panel(p: &Play, state: &State, width: u16, height: u16) -> String {
    let mut buf = buffer(width, height);
    draw_panel(&mut buf, Rect::new(0, 0, width, height), &p.model, state, p.at, &Theme::default());
    screen(&buf)
}

/// The design's scene with an ended background child.
fn busy() -> Play {
    let mut p = scene();
    p.spawn(info(3, "auth map", true), None).wait(1_000).push(child(3), EventKind::AgentFinished { outcome: outcome(Ending::Completed) });
    p
}

#[test]
fn u4_the_sidebar_lists_background_work_and_todos() {
    insta::assert_snapshot!("sidebar_36", sidebar(&busy(), 36, 20));
    let empty = sidebar(&Play::new(), 36, 20);
    assert!(empty.contains("none in the background") && !empty.contains("TODO"));
}

#[test]
fn u4_a_low_sidebar_says_what_it_hides_and_keeps_room_for_todos() {
    let mut p = busy();
    for n in 2..20 {
        p.command(n, "make");
    }
    let text = sidebar(&p, 36, 12);
    assert!(text.contains("more lines") && text.contains("TODO") && text.contains("1/3"), "{text}");
}

#[test]
fn u2_the_strip_is_one_line() {
    insta::assert_snapshot!("strip_100", strip(&busy(), 100));
    assert_eq!(strip(&Play::new(), 100), "");
}

#[test]
fn u4_the_panel_groups_and_details_without_the_prompt() {
    let mut p = busy();
    p.push(child(2), EventKind::PermissionAsked { approval: approval(1, child(2), Some("t3"), true) });
    let state = State::default();
    assert_eq!(state.current(&p.model), Some(child(2).into()), "whoever needs the person is first");
    insta::assert_snapshot!("panel_120", panel(&p, &state, 120, 24));
    insta::assert_snapshot!("panel_60", panel(&p, &state, 60, 24));
    for task in rows(&p.model) {
        assert!(!panel(&p, &State { selected: Some(task) }, 120, 24).contains("PROMPT"));
    }
}

#[test]
fn u4_the_selection_walks_over_all_tasks_and_survives_their_end() {
    let mut p = busy();
    let mut state = State::default();
    let all = rows(&p.model);
    assert_eq!(all.iter().map(ToString::to_string).collect::<Vec<_>>(), ["a2", "b1", "a3", "a1"], "running, then ended ones, the newest first");
    state.select_next(&p.model);
    assert_eq!(state.selected, Some(all[1]));
    let text = panel(&p, &state, 120, 24);
    assert!(text.contains("$ cargo test") && text.contains("test ui::fold ok"), "{text}");
    p.push(MAIN, EventKind::TaskFinished { task: all[1], exit: Some(101), status: "failed".into() });
    assert_eq!(state.current(&p.model), Some(all[1]));
    assert!(panel(&p, &state, 120, 24).contains("exit 101"));
    p.push(MAIN, EventKind::TaskDismissed { task: all[1] });
    assert_eq!(state.current(&p.model), Some(all[0]));
    state.select_prev(&p.model);
    assert_eq!(state.selected, Some(all[0]));
    state.selected = None;
    state.select_next(&Play::new().model);
    assert_eq!(state.current(&Play::new().model), None);
}

#[test]
fn d3b_a_background_child_stands_there_as_running() {
    let mut p = Play::new();
    p.user("go").start(MAIN, "c", "Agent", "offset use").spawn(info(1, "offset use", true), Some("c"));
    for text in [sidebar(&p, 36, 20), strip(&p, 100)] {
        for mark in ["a1", "offset use", "running"] {
            assert!(text.contains(mark), "{mark} in {text}");
        }
    }
    p.push(child(1), EventKind::AgentFinished { outcome: outcome(Ending::Failed) });
    for text in [sidebar(&p, 36, 20), strip(&p, 100)] {
        assert!(text.contains("failed") && !text.contains("running"), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn e02_any_text_at_any_size(text in "(\\PC|\t|\n|你|🌞|\x1b\\[1m){0,20}", width in 0u16..130, height in 0u16..12) {
        let mut p = scene();
        p.spawn(crate::protocol::AgentInfo { kind: text.clone(), ..info(9, &text, true) }, None).start(child(9), "t", &text, &text);
        p.command(7, &text).push(MAIN, EventKind::TaskOutput { task: TaskId::Command(7), tail: text.clone() });
        sidebar(&p, width, height);
        strip(&p, width);
        for task in rows(&p.model) {
            panel(&p, &State { selected: Some(task) }, width, height);
        }
    }
}
