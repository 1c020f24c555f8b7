//! Tests of the header and the status line.

use super::*;
use crate::protocol::Gauge;
use crate::ui::model::{Header, Toast};
use crate::ui::update::testing::ui;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

fn header(ui: &Ui, width: u16) -> String {
    let area = Rect::new(0, 0, width, 1);
    let mut buf = Buffer::empty(area);
    draw_header(&mut buf, area, ui);
    (0..width).map(|x| buf[(x, 0)].symbol().to_owned()).collect()
}

fn filled() -> Ui {
    let mut ui = ui(120, 40);
    ui.model.header = Header {
        cwd: "~/proj".into(),
        branch: Some("main".into()),
        changed: 3,
        provider: "anthropic".into(),
        model: "claude-sonnet".into(),
        session: "s".into(),
        ..Header::default()
    };
    ui.model.gauge = Gauge { used: 82_000, window: 200_000, estimated: false, compact_at: 160_000 };
    ui
}

#[test]
fn u1_the_header_names_everything_where_there_is_room() {
    let text = header(&filled(), 120);
    assert!(text.starts_with(" tui-agent  ~/proj · main ±3 · anthropic/claude-sonnet · default "), "{text}");
    assert!(text.ends_with("context ▰▰▰▰▱▱▱▱▱▱ 41%  82k/200k "), "{text}");
}

#[test]
fn c1_the_percentage_is_visible_at_any_width_and_estimates_are_marked() {
    let mut ui = filled();
    for width in 6..=200 {
        assert!(header(&ui, width).contains("41%"), "{width}");
    }
    for width in 30..=200 {
        assert!(header(&ui, width).contains("default"), "{width}");
    }
    ui.model.gauge.estimated = true;
    assert!(header(&ui, 100).contains("~41%"));
    for width in 0..6 {
        header(&ui, width);
    }
}

#[test]
fn h03_the_gauge_is_defined_for_odd_numbers() {
    let mut ui = filled();
    for (used, window) in [(0, 0), (500, 0), (u64::MAX, 1), (1, u64::MAX)] {
        ui.model.gauge = Gauge { used, window, ..Gauge::default() };
        assert!(header(&ui, 120).contains(if window == 0 { "used" } else { "%" }));
    }
    ui.model.gauge = Gauge { used: 500, window: 100, ..Gauge::default() };
    assert!(header(&ui, 120).contains("▰▰▰▰▰▰▰▰▰▰ 100%"));
}

#[test]
fn toasts_go_away_by_themselves() {
    let mut ui = filled();
    ui.now = 10_000;
    ui.model.toasts.push(Toast { level: Level::Info, text: "a1 done".into(), at: 9_000 });
    assert_eq!(news(&ui).unwrap().1, "a1 done");
    ui.now = 9_000 + TOAST_MS;
    assert_eq!(news(&ui), None);
}
