//! Tests of where the panes stand at each size.

use super::*;
use proptest::prelude::*;

fn want(composer: u16) -> Want {
    Want { trace: 5, composer, strip: true, ..Want::default() }
}

fn at(width: u16, height: u16) -> Areas {
    layout(Rect::new(0, 0, width, height), &want(1))
}

#[test]
fn u2_the_layout_follows_the_width() {
    let wide = at(120, 40);
    assert_eq!((wide.sidebar.width, wide.sidebar.right()), (SIDEBAR, 120));
    assert!(wide.strip.is_empty() && wide.conversation.width == 84);
    assert_eq!((wide.trace.height, wide.trace_folded), (5, false));
    let middle = at(119, 40);
    assert!(middle.sidebar.is_empty() && middle.strip.height == 1 && middle.conversation.width == 119);
    let narrow = at(79, 40);
    assert!(narrow.sidebar.is_empty() && narrow.trace_folded && narrow.trace.height == 1, "the header line of the trace pane stays");
    let instead = layout(Rect::new(0, 0, 79, 40), &Want { trace_instead: true, ..want(1) });
    assert!(instead.conversation.is_empty() && instead.trace.height > 20);
    assert!(at(120, 14).trace_folded && at(120, 14).sidebar.is_empty());
}

#[test]
fn u2_the_trace_pane_takes_two_fifths_at_most_and_the_input_line_a_third() {
    let areas = layout(Rect::new(0, 0, 100, 30), &Want { trace: 300, composer: 300, queued: 300, ..Want::default() });
    assert_eq!((areas.trace.height, areas.composer.height, areas.queued.height), (12, 8, 3));
    assert_eq!(layout(Rect::new(0, 0, 100, 12), &want(300)).composer.height, 4);
}

#[test]
fn u2_without_children_there_is_no_trace_pane() {
    let areas = layout(Rect::new(0, 0, 100, 30), &Want { composer: 1, ..Want::default() });
    assert!(areas.trace.is_empty() && areas.trace_rule.is_empty() && areas.strip.is_empty());
    assert_eq!(areas.conversation.height, 30 - 1 - 1 - 1 - 1 - 1);
}

proptest! {
    #[test]
    fn u2_any_size_stays_inside_without_overlap_and_keeps_the_input_line(
        width in 0u16..=300, height in 0u16..=300, trace in 0u16..40, folded: bool, trace_instead: bool, strip: bool, composer in 0u16..20, queued in 0u16..6,
    ) {
        let screen = Rect::new(0, 0, width, height);
        let a = layout(screen, &Want { trace, folded, trace_instead, strip, composer, queued });
        let all = [a.header, a.header_rule, a.conversation, a.sidebar_rule, a.sidebar, a.strip, a.trace_rule, a.trace, a.composer_rule, a.queued, a.composer, a.hint];
        for (i, r) in all.iter().enumerate() {
            prop_assert!(r.right() <= width && r.bottom() <= height, "{:?}", a);
            for other in &all[i + 1..] {
                prop_assert!(!r.intersects(*other) || r.is_empty() || other.is_empty(), "{r:?} {other:?} in {:?}", a);
            }
        }
        prop_assert!(height == 0 || a.composer.height >= 1);
        prop_assert!(height < 2 || a.header.height == 1);
        let over = a.over_composer();
        prop_assert!(over.bottom() <= height && !over.intersects(a.composer));
    }

    #[test]
    fn u2_every_row_of_a_roomy_screen_belongs_to_a_region(width in 80u16..=300, height in 15u16..=300, trace in 0u16..40, folded: bool) {
        let a = layout(Rect::new(0, 0, width, height), &Want { trace, folded, composer: 2, ..Want::default() });
        let left = [a.header, a.header_rule, a.conversation, a.trace_rule, a.trace, a.composer_rule, a.composer, a.hint];
        prop_assert_eq!(left.iter().map(|r| r.height).sum::<u16>(), height);
    }
}
