//! `assets/screen.svg` is a real frame: the scene's events, folded and drawn by the program's own interface, cell by cell.
//! `UPDATE=1 cargo test screen_svg` writes it again.

use crate::scene::scene;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier};
use std::fmt::Write as _;
use unicode_width::UnicodeWidthStr;

const COLUMNS: u16 = 110;
const ROWS: u16 = 32;
/// Size of a cell and the air around the screen, in pixels.
const CELL: (f64, f64) = (8.4, 18.0);
const PAD: f64 = 16.0;
const FONT: f64 = 14.0;
/// Colours of the picture's terminal.
const BACK: &str = "#13161c";
const FORE: &str = "#d5dae3";

fn hex(color: Color, default: &str) -> String {
    let named = match color {
        Color::Reset => default,
        Color::Black => "#1b1f27",
        Color::Red | Color::LightRed => "#f07178",
        Color::Green | Color::LightGreen => "#8fd28a",
        Color::Yellow | Color::LightYellow => "#f0c674",
        Color::Blue | Color::LightBlue => "#7aa6f7",
        Color::Magenta | Color::LightMagenta => "#c99bf0",
        Color::Cyan | Color::LightCyan => "#5fd0d8",
        Color::Gray => "#b6bcc8",
        Color::DarkGray => "#828a9a",
        Color::White => "#ffffff",
        Color::Rgb(r, g, b) => return format!("#{r:02x}{g:02x}{b:02x}"),
        // No theme uses these; a grey shows that one does.
        Color::Indexed(n) => return format!("#{n:02x}{n:02x}{n:02x}"),
    };
    named.to_owned()
}

/// What makes two cells the same run of text.
#[derive(Clone, PartialEq)]
struct Look {
    fore: String,
    back: Option<String>,
    modifier: Modifier,
}

fn look(cell: &Cell) -> Look {
    let (mut fore, mut back) = (hex(cell.fg, FORE), (cell.bg != Color::Reset).then(|| hex(cell.bg, BACK)));
    if cell.modifier.contains(Modifier::REVERSED) {
        (fore, back) = (back.unwrap_or_else(|| BACK.to_owned()), Some(fore));
    }
    Look { fore, back, modifier: cell.modifier }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn left(column: usize) -> f64 {
    PAD + f64::from(u16::try_from(column).unwrap()) * CELL.0
}

fn top(row: u16) -> f64 {
    PAD + f64::from(row) * CELL.1
}

/// A run of cells of one look: its columns and what stands in them.
fn text(out: &mut String, row: u16, column: usize, columns: usize, words: &str, look: &Look) {
    let (x, y) = (left(column), top(row) + CELL.1 * 0.74);
    let width = f64::from(u16::try_from(columns).unwrap()) * CELL.0;
    let mut style = String::new();
    for (modifier, attribute) in [
        (Modifier::BOLD, " font-weight=\"700\""),
        (Modifier::ITALIC, " font-style=\"italic\""),
        (Modifier::DIM, " opacity=\"0.7\""),
        (Modifier::UNDERLINED, " text-decoration=\"underline\""),
    ] {
        if look.modifier.contains(modifier) {
            style.push_str(attribute);
        }
    }
    // One sign stands in the middle of its cells whatever font draws it; words fill theirs exactly.
    if words.chars().count() == 1 && !words.is_ascii() {
        let x = x + width / 2.0;
        writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{}\"{style} text-anchor=\"middle\">{}&#xfe0e;</text>", look.fore, escape(words)).unwrap();
    } else {
        writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{width:.1}\" fill=\"{}\"{style}>{}</text>", look.fore, escape(words)).unwrap();
    }
}

/// Signs that fonts draw in many ways are drawn as shapes: lines between regions, dots, bars.
fn shape(out: &mut String, row: u16, column: usize, sign: &str, color: &str) -> bool {
    let (x, y) = (left(column), top(row));
    let (cx, cy) = (x + CELL.0 / 2.0, y + CELL.1 / 2.0);
    let (right, bottom) = (x + CELL.0, y + CELL.1);
    let line = match sign {
        "─" => format!("M{x:.1} {cy:.1}H{right:.1}"),
        "│" => format!("M{cx:.1} {y:.1}V{bottom:.1}"),
        "┬" => format!("M{x:.1} {cy:.1}H{right:.1}M{cx:.1} {cy:.1}V{bottom:.1}"),
        "┴" => format!("M{x:.1} {cy:.1}H{right:.1}M{cx:.1} {y:.1}V{cy:.1}"),
        "┤" => format!("M{cx:.1} {y:.1}V{bottom:.1}M{x:.1} {cy:.1}H{cx:.1}"),
        "●" | "⏺" => {
            writeln!(out, "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"3.6\" fill=\"{color}\"/>").unwrap();
            return true;
        }
        "▰" | "▱" => {
            let fill = if sign == "▰" { color } else { "none" };
            let (from, over, wide) = (x + 0.9, cy - 3.6, CELL.0 - 1.8);
            writeln!(out, "<rect x=\"{from:.1}\" y=\"{over:.1}\" width=\"{wide:.1}\" height=\"7.2\" rx=\"1.5\" fill=\"{fill}\" stroke=\"{color}\"/>").unwrap();
            return true;
        }
        _ => return false,
    };
    writeln!(out, "<path d=\"{line}\" stroke=\"{color}\" stroke-opacity=\"0.55\" fill=\"none\"/>").unwrap();
    true
}

/// One row: backgrounds, shapes, then runs of text.
fn row(out: &mut String, buf: &Buffer, y: u16) {
    let mut column = 0;
    let mut run: Option<(usize, String, Look)> = None;
    let flush = |out: &mut String, run: &mut Option<(usize, String, Look)>| {
        if let Some((from, words, look)) = run.take() {
            let end = words.trim_end();
            if !end.is_empty() {
                text(out, y, from, end.width(), end, &look);
            }
        }
    };
    while column < usize::from(buf.area.width) {
        let cell = &buf[(u16::try_from(column).unwrap(), y)];
        let (sign, look, wide) = (cell.symbol(), look(cell), cell.symbol().width().max(1));
        if let Some(back) = &look.back {
            let (x, w) = (left(column), f64::from(u16::try_from(wide).unwrap()) * CELL.0);
            writeln!(out, "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{w:.1}\" height=\"{}\" fill=\"{back}\"/>", top(y), CELL.1).unwrap();
        }
        let plain = sign.is_ascii();
        if !plain || run.as_ref().is_some_and(|(_, _, l)| *l != look) || (run.is_none() && sign == " ") {
            flush(out, &mut run);
        }
        if !plain {
            if !shape(out, y, column, sign, &look.fore) {
                text(out, y, column, wide, sign, &look);
            }
        } else if let Some((_, words, _)) = &mut run {
            words.push_str(sign);
        } else if sign != " " {
            run = Some((column, sign.to_owned(), look));
        }
        column += wide;
    }
    flush(out, &mut run);
}

/// The whole picture.
fn svg(buf: &Buffer, cursor: Option<Position>) -> String {
    let (width, height) = (left(usize::from(buf.area.width)) + PAD, top(buf.area.height) + PAD);
    let mut out = String::new();
    writeln!(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\">")
        .unwrap();
    writeln!(out, "<title>tui-agent: the conversation, three subagents in their pane, background tasks and the context gauge</title>").unwrap();
    writeln!(out, "<rect width=\"{width:.0}\" height=\"{height:.0}\" rx=\"10\" fill=\"{BACK}\"/>").unwrap();
    let fonts = "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace";
    writeln!(out, "<g font-family=\"{fonts}\" font-size=\"{FONT}\" xml:space=\"preserve\" style=\"white-space:pre\">").unwrap();
    for y in 0..buf.area.height {
        row(&mut out, buf, y);
    }
    if let Some(p) = cursor {
        let (x, y) = (left(usize::from(p.x)), top(p.y) + 1.0);
        writeln!(out, "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{}\" height=\"{}\" fill=\"{FORE}\"/>", CELL.0, CELL.1 - 2.0).unwrap();
    }
    out.push_str("</g>\n</svg>\n");
    out
}

#[test]
fn screen_svg_shows_the_present_screen() {
    let mut ui = scene();
    let area = Rect::new(0, 0, COLUMNS, ROWS);
    let mut buf = Buffer::empty(area);
    ui.size = (COLUMNS, ROWS);
    let cursor = tui_agent::ui::draw::draw(&mut ui, &mut buf);
    let rows: String = (0..ROWS).map(|y| (0..COLUMNS).map(|x| buf[(x, y)].symbol()).collect::<String>() + "\n").collect();
    for words in ["Where is pagination done", "SUBAGENTS", "kept out", "in background", "context ▰", "17 matches in 6 files", "cargo test", "0.3k report"] {
        assert!(rows.contains(words), "{words:?} is not on the screen:\n{rows}");
    }
    crate::same_as_file("assets/screen.svg", &svg(&buf, cursor));
}

#[test]
fn screen_svg_puts_wide_and_special_characters_where_they_belong() {
    let mut buf = Buffer::empty(Rect::new(0, 0, 12, 1));
    buf.set_string(0, 0, "a<你&b  c", ratatui::style::Style::new());
    let picture = svg(&buf, None);
    let at = |x: f64, columns: Option<f64>, words: &str| {
        let start = format!("<text x=\"{x:.1}\"");
        let line = picture.lines().find(|l| l.starts_with(&start)).unwrap_or_else(|| panic!("nothing at {x}:\n{picture}"));
        assert!(line.contains(&format!(">{words}</text>")), "{line}");
        assert!(columns.is_none_or(|n| line.contains(&format!("textLength=\"{:.1}\"", n * CELL.0))), "{line}");
    };
    at(left(0), Some(2.0), "a&lt;");
    at(left(2) + CELL.0, None, "你&#xfe0e;");
    at(left(4), Some(5.0), "&amp;b  c");
}
