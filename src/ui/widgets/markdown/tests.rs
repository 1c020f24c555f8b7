//! Tests of Markdown as rows: its looks, and that a stream ends as the same text at once, at linear cost.

use super::*;
use crate::ui::widgets::testing::texts;
use proptest::prelude::*;
use ratatui::style::{Modifier, Style};

fn at(text: &str, width: usize) -> Vec<String> {
    let theme = Theme::default();
    texts(&lines(text, &Look { theme: &theme, width, indent: 0 })).into_iter().map(|l| l.trim_end().to_owned()).collect()
}

/// A whole text without the colours of its code blocks.
fn plain(text: &str, look: &Look<'_>) -> Vec<Line<'static>> {
    let mut rows = Rows::default();
    Stream::default().update(text, true, &mut rows, look);
    rows.lines
}

/// A text in steps: its rows, and the bytes laid out when half of it had come and at the end.
fn streamed(text: &str, step: usize, width: usize) -> (Vec<Line<'static>>, usize, usize) {
    let theme = Theme::default();
    let look = Look { theme: &theme, width, indent: 2 };
    let (mut stream, mut rows) = (Stream::default(), Rows::default());
    let (mut end, mut half) = (0, 0);
    while end < text.len() {
        end = text.ceil_char_boundary((end + step).min(text.len()));
        stream.update(&text[..end], false, &mut rows, &look);
        if end <= text.len() / 2 {
            half = stream.work();
        }
    }
    stream.update(text, true, &mut rows, &look);
    (rows.lines, half, stream.work())
}

const SAMPLE: &str = "# Title\n\nFirst *para* with `code` and\na soft break.\nTwo:\n- one\n- two\n  - nested\n\n  more\n- three\n\n1. a\n2. b\n\n> quoted\n> text\n\n```rust\nfn main() {\n\n}\n```\nAfter\n\n| a | bb |\n|---|---:|\n| 1 | 2 |\n\n---\n[link](http://x) end  \nhard";

#[test]
fn u5_blocks() {
    let expected = "Title\n\nFirst para with code and a soft break. Two:\n- one\n- two\n  - nested\n\n  more\n- three\n\n1. a\n2. b\n\n▌ quoted text\n\n  fn main() {\n\n  }\n\nAfter\n\na   │  bb\n────┼────\n1   │   2\n\n─────────\n\nlink (http://x) end\nhard";
    let got = at(SAMPLE, 60).join("\n").replace(['─', '┼'], "");
    assert_eq!(got, expected.replace(['─', '┼'], ""));
}

#[test]
fn u5_nothing_is_wider_than_the_width_and_wide_glyphs_survive() {
    let text = format!("{SAMPLE}\n\n你好🌞 {}", "long".repeat(30));
    let theme = Theme::default();
    for width in 1..50 {
        for line in lines(&text, &Look { theme: &theme, width, indent: 2 }) {
            assert!(line.width() <= width, "{width}: {line:?}");
        }
    }
    assert!(at(&text, 30).join("").contains("你好🌞"));
}

#[test]
fn headings_code_and_emphasis_have_styles() {
    let theme = Theme::default();
    let rows = lines("# H\n\n**b** `c`", &Look { theme: &theme, width: 20, indent: 0 });
    let find = |t: &str| rows.iter().flat_map(|l| &l.spans).find(|s| s.content.trim() == t).unwrap().style;
    assert_eq!(find("H"), theme.text.patch(theme.heading));
    assert!(find("b").add_modifier.contains(Modifier::BOLD));
    assert_eq!(find("c"), theme.text.patch(theme.code));
}

#[test]
fn a_table_is_shrunk_to_the_width_and_aligned() {
    let table = "| name | what it is |\n|:--|--:|\n| x | a long description of x |\n";
    let rows = at(table, 24);
    assert!(rows.iter().all(|r| r.chars().count() <= 24), "{rows:#?}");
    assert!(rows.len() > 3 && rows[1].contains('┼'), "{rows:#?}");
    assert_eq!(at(table, 60)[2], "x    │ a long description of x");
    let narrow = at("| a | b | c | d |\n|-|-|-|-|\n| 1 | 2 | 3 | 4 |", 12).join(" ");
    assert!(narrow.contains('4'), "{narrow}");
}

#[test]
fn e03_escapes_in_a_reply_do_not_reach_a_row() {
    let rows = at("a\x1b[2Jb\n\n```\n\x1b]0;t\x07x\ty\n```", 40);
    assert_eq!(rows, ["ab", "", "  x   y"]);
}

#[test]
fn u5_a_stream_ends_as_the_same_text_at_once() {
    let theme = Theme::default();
    let long = format!("{SAMPLE}\n\n{}\n\n{}", "a paragraph that never ends ".repeat(250), "- item `x`\n".repeat(300));
    for text in [SAMPLE, &long] {
        let whole = plain(text, &Look { theme: &theme, width: 50, indent: 2 });
        for step in [1, 7, 100] {
            if step == 1 && text.len() > 1000 {
                continue;
            }
            assert_eq!(streamed(text, step, 50).0, whole, "in steps of {step}");
        }
    }
}

#[test]
fn u5_finished_rows_are_frozen_while_the_rest_grows() {
    let theme = Theme::default();
    let look = Look { theme: &theme, width: 40, indent: 0 };
    let (mut stream, mut rows) = (Stream::default(), Rows::default());
    stream.update("para one\n\npara tw", false, &mut rows, &look);
    assert_eq!(texts(&rows.lines), ["para one", "", "para tw"]);
    assert_eq!(stream.frozen.rows, 0, "a paragraph is finished when the next line is");
    stream.update("para one\n\npara two\n\n```rust\nfn a\n", false, &mut rows, &look);
    assert_eq!(texts(&rows.lines), ["para one", "", "para two", "", "  fn a"]);
    assert_eq!(stream.frozen.rows, 5, "lines of an open code block are finished one by one");
}

#[test]
fn targets_streaming_is_linear_for_every_kind_of_text() {
    let kinds = [
        "word and another word ".to_owned(),
        "onewordwithoutanyspace".to_owned(),
        "- item of a list\n".to_owned(),
        "  continued in a list\n".to_owned(),
        "> a quote\n".to_owned(),
        "| a | b |\n".to_owned(),
        "* *open marks `".to_owned(),
        "line\n".to_owned(),
        "text\n\n".to_owned(),
        "# h\n".to_owned(),
    ];
    let starts = ["- ", "| a | b |\n|---|---|\n", "```rust\n", "- x\n  ```\n"];
    let pairs = kinds.iter().map(|k| ("", k, 60_000)).chain(starts.iter().flat_map(|s| kinds.iter().take(2).map(|k| (*s, k, 60_000))));
    for (start, kind, size) in pairs.chain([("- x\n  ```\n", &kinds[3], 80_000)]) {
        let text = format!("{start}{}", kind.repeat(2 * size / kind.len()));
        let (_, one, two) = streamed(&text, 4096, 80);
        // Twice the text may cost little more than twice the work, up to the bound of one open block.
        assert!(two < 3 * one, "{start:?} {kind:?}: {one} then {two} bytes laid out");
    }
}

#[test]
fn u5_code_is_coloured_where_it_is_seen_and_only_there() {
    let theme = Theme::default();
    let look = Look { theme: &theme, width: 40, indent: 0 };
    let text = format!("intro\n\n```rust\n{}```\n\nbetween\n\n```rust\nfn last() {{}}\n", "let a = \"b\"; // c\n".repeat(20));
    let (mut stream, mut rows) = (Stream::default(), Rows::default());
    stream.update(&text, false, &mut rows, &look);
    let colours =
        |rows: &Rows, n: usize| rows.lines[n].spans.iter().map(|s| s.style).filter(|s| *s != Style::new()).collect::<std::collections::HashSet<_>>().len();
    assert_eq!((colours(&rows, 2), rows.lines[2].spans.len()), (1, 2));
    let before = texts(&rows.lines);
    rows.paint(5, &text, &look);
    assert!(colours(&rows, 2) > 1 && colours(&rows, 5) > 1, "colours follow from the lines above");
    assert_eq!(colours(&rows, 6), 1, "what is below waits");
    rows.paint(0, &text, &look);
    rows.paint(999, &text, &look);
    let last = rows.lines.len() - 1;
    rows.paint(last, &text, &look);
    assert!(colours(&rows, last) > 1, "the next block has its own start");
    assert_eq!(texts(&rows.lines), before);
    assert_eq!(colours(&rows, 8), 1);
    // An open line is coloured as it stands, and again when it has grown.
    let more = format!("{text}let x = 1");
    stream.update(&more, false, &mut rows, &look);
    rows.paint(last + 1, &more, &look);
    let longer = format!("{more}; // a comment\n");
    stream.update(&longer, true, &mut rows, &look);
    rows.paint_all(&longer, &look);
    assert_eq!(rows.lines, lines(&longer, &look), "the same colours as at once");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn e01_any_text_at_any_width_and_in_any_steps(text in "([-a*`_#>|~1. \n\t\\[\\]()<&]|\\PC|你|🌞|```\n|- |\n\n){0,80}", width in 0usize..40, step in 1usize..20) {
        let theme = Theme::default();
        let look = Look { theme: &theme, width, indent: 2 };
        let whole = plain(&text, &look);
        for line in &whole {
            prop_assert!(line.width() <= width);
        }
        let (mut stream, mut rows) = (Stream::default(), Rows::default());
        let mut end = 0;
        while end < text.len() {
            end = text.ceil_char_boundary((end + step).min(text.len()));
            stream.update(&text[..end], false, &mut rows, &look);
            prop_assert_eq!(&rows.lines, &plain(&text[..end], &look), "an open text looks as if it ended here");
        }
    }
}
