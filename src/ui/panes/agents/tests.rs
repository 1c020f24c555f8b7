//! Tests of the pane of agents.

use super::*;
use crate::protocol::{Budget, Display, Ending, EventKind};
use crate::ui::fold::testing::*;
use crate::ui::theme::Theme;
use crate::ui::widgets::testing::{buffer, screen};
use proptest::prelude::*;
use ratatui::layout::Rect;

fn shot(p: &Play, state: &State, width: u16, height: u16, focused: bool) -> String {
    let mut buf = buffer(width, height);
    draw(&mut buf, Rect::new(0, 0, width, height), &p.model, state, p.at, focused, &Theme::default());
    screen(&buf)
}

fn folded(p: &Play) -> String {
    let mut buf = buffer(100, 1);
    draw_folded(&mut buf, Rect::new(0, 0, 100, 1), &p.model, p.at, &Theme::default());
    screen(&buf)
}

#[test]
fn u3_the_design_scene_at_three_widths() {
    let p = scene();
    let mut state = State::default();
    state.unfolded.insert(child(1), true);
    insta::assert_snapshot!("trace_60", shot(&p, &state, 60, 10, false));
    insta::assert_snapshot!("trace_100", shot(&p, &state, 100, 10, false));
    insta::assert_snapshot!("trace_160", shot(&p, &state, 160, 10, true));
}

#[test]
fn u3_the_folded_pane_is_one_line_without_the_calls() {
    let p = scene();
    let line = folded(&p);
    assert!(line.contains("SUBAGENTS  1 running · 1 background · 65k kept out") && line.ends_with("^O show"), "{line}");
    assert!(!line.contains("Grep"));
    assert_eq!(folded(&Play::new()), "");
    assert_eq!(wanted_height(&Play::new().model, &State::default(), 100), 0);
}

#[test]
fn s29_kept_out_is_what_was_used_less_what_entered_the_parent() {
    let c = counts(&scene().model);
    assert_eq!(c.kept_out, 43_000 + 1_200 - 310 + 21_000 + 200);
}

#[test]
fn u3_children_at_work_are_unfolded_and_the_person_can_turn_that() {
    let mut p = scene();
    let mut state = State::default();
    let text = shot(&p, &state, 100, 12, false);
    assert!(text.contains("▾ a2") && text.contains("Grep   \"offset\" web/") && text.contains("▸ a1") && !text.contains("posts.py"), "{text}");
    assert_eq!(wanted_height(&p.model, &state, 100), 4);
    assert_eq!(state.current(&p.model), Some(child(2)), "at work first");
    state.toggle(&p.model);
    let text = shot(&p, &state, 140, 12, false);
    assert!(text.contains("▸ a2 Explore  offset use") && text.contains("Grep \"offset\" web/ 0:14"), "folded, the running call stands in the row: {text}");
    state.select_next(&p.model);
    state.toggle(&p.model);
    assert!(shot(&p, &state, 100, 12, false).contains("posts.py"));
    state.select_next(&p.model);
    assert_eq!(state.selected, Some(child(1)), "it stops at the end");
    state.select_prev(&p.model);
    assert_eq!(state.selected, Some(child(2)));
    p.push(MAIN, EventKind::TaskDismissed { task: child(2).into() });
    assert_eq!(state.current(&p.model), Some(child(1)));
    assert_eq!(state.agent_at(0, &p.model, 12), None);
    assert_eq!(state.agent_at(1, &p.model, 12), Some(child(1)));
}

#[test]
fn s22_health_shows_retries_stalls_budgets_and_endings() {
    let mut p = Play::new();
    let limited = crate::protocol::AgentInfo { budget: Budget { tokens: Some(1_000), ..Budget::default() }, ..info(1, "look", true) };
    p.spawn(limited, None).used(child(1), usage(700, 200));
    p.push(child(1), EventKind::Retrying { attempt: 2, max: 6, wait_ms: 4_000, reason: "busy".into() });
    let text = shot(&p, &State::default(), 120, 5, false);
    assert!(text.contains("retry 2/6 in 4 s") && text.contains("▰▰▰▱") && text.contains("waits for the model"), "{text}");
    p.push(child(1), EventKind::AgentStalled { stalled: true });
    assert!(shot(&p, &State::default(), 120, 5, false).contains("● stalled"));
    p.think(child(1), "hm");
    assert!(shot(&p, &State::default(), 120, 5, false).contains("thinks"));
    p.start(child(1), "t", "Bash", "rm").push(child(1), EventKind::PermissionAsked { approval: approval(1, child(1), Some("t"), true) });
    let text = shot(&p, &State::default(), 120, 5, false);
    assert!(text.contains("1 needs you") && text.contains("◐ needs you"), "{text}");
    let words = [
        (Ending::Completed, "✔ completed"),
        (Ending::Partial, "◑ partial"),
        (Ending::OverBudget, "◕ over_budget"),
        (Ending::Denied, "⊘ denied"),
        (Ending::Failed, "✖ failed"),
        (Ending::Cancelled, "◌ cancelled"),
        (Ending::Interrupted, "‖ interrupted"),
    ];
    for (n, (ending, words)) in (2..).zip(words) {
        p.spawn(info(n, "x", true), None).push(child(n), EventKind::AgentFinished { outcome: outcome(ending) });
        let text = shot(&p, &State::default(), 120, 20, false);
        assert!(text.contains(&format!("{words} 0:09")) && text.contains("44k → 0.3k"), "{text}");
    }
}

#[test]
fn u3_the_tree_is_indented_and_the_selected_child_is_scrolled_into_view() {
    let mut p = Play::new();
    for n in 1..=30 {
        p.spawn(info(n, &format!("job {n}"), true), None);
    }
    p.spawn(crate::protocol::AgentInfo { parent: child(3), depth: 2, ..info(31, "below", false) }, None);
    for n in 10..=20 {
        p.push(child(n), EventKind::AgentFinished { outcome: outcome(Ending::Completed) });
    }
    let order: Vec<u32> = rows(&p.model).iter().map(|r| r.0.number()).collect();
    assert_eq!(order[..5], [1, 2, 3, 31, 4]);
    assert_eq!(order[order.len() - 11..], [20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10], "the ended ones last, the newest first");
    let mut state = State::default();
    let text = shot(&p, &state, 100, 10, true);
    assert!(text.contains("more rows") && text.contains("   ▾ a31"), "{text}");
    assert_eq!(wanted_height(&p.model, &state, 100), 14);
    state.selected = Some(child(15));
    assert!(shot(&p, &state, 100, 10, true).contains("job 15"));
}

#[test]
fn a_strange_tree_does_not_hang() {
    let mut p = Play::new();
    for (n, parent) in [(1, 1), (2, 3), (3, 2), (4, 99)] {
        p.spawn(crate::protocol::AgentInfo { parent: child(parent), ..info(n, "x", false) }, None);
    }
    assert!(rows(&p.model).iter().any(|r| r.0 == child(4)), "without a known parent it stands at the top");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn e02_any_text_at_any_size(text in "(\\PC|\t|\n|你|🌞|\x1b\\[1m){0,20}", width in 0u16..130, height in 0u16..8, focused: bool) {
        let mut p = Play::new();
        let odd = crate::protocol::AgentInfo { kind: text.clone(), ..info(1, &text, true) };
        p.spawn(odd, None).start(child(1), "t", &text, &text).start(child(1), "u", &text, &text).finish(child(1), "u", &text, Display::None);
        shot(&p, &State::default(), width, height, focused);
    }
}
