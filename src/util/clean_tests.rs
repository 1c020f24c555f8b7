//! Tests of cleaning: whole texts, streams cut anywhere, and what is shown instead of removed.

use super::*;

fn pieces(chunks: &[&[u8]]) -> String {
    let (mut cleaner, mut out) = (Cleaner::default(), String::new());
    for chunk in chunks {
        cleaner.push(chunk, &mut out);
    }
    cleaner.finish(&mut out);
    out
}

#[test]
fn c05_control_bytes_and_escape_sequences_are_removed() {
    assert_eq!(clean_bytes(b"a\0b\x1b[31mred\x1b[0m\x1b[2J\xff end\n"), "abred\u{fffd} end\n");
    assert_eq!(clean("\x1b[?1049l\x1b]0;title\x07x\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\"), "xlink");
    assert_eq!(clean("\x1bPq#0;2;0\x1b\\a\x1b(Bb\x1b7c\u{9b}31md"), "abcd");
    assert_eq!(clean_bytes(b"\xff\xfe ok"), "\u{fffd}\u{fffd} ok");
    assert_eq!(clean("plain ─ 🌍\ttab\n"), "plain ─ 🌍\ttab\n");
}

#[test]
fn an_unfinished_sequence_swallows_no_further_line() {
    assert_eq!(clean("a\x1b]0;never ended\nb\n"), "a\nb\n");
    assert_eq!(clean("a\x1b[31\nb"), "a\nb");
    assert_eq!(clean(&format!("\x1b]{}END", "x".repeat(MAX_STRING))), "END");
}

#[test]
fn e03_progress_lines_show_the_last_state() {
    assert_eq!(clean("10%\r20%\r100%\ndone\r\n"), "100%\ndone\n");
    assert_eq!(clean("50%\r"), "50%");
    assert_eq!(clean("Downloading 100%\r\x1b[KDone\n"), "Done\n");
    assert_eq!(clean("|\u{8}/\u{8}-\u{8} ok"), " ok");
}

#[test]
fn a_cut_character_at_the_end_is_replaced() {
    assert_eq!(clean_bytes("ab─".as_bytes().get(..4).unwrap()), "ab\u{fffd}");
}

#[test]
fn visible_hides_nothing() {
    assert_eq!(visible("a\0b\x1b[1m\x7f\tx\n"), "a␀b␛[1m␡\tx\n");
    assert!(matches!(visible("plain\n"), Cow::Borrowed(_)));
}

#[test]
fn c05_control_bytes_and_sequences_are_dropped_however_they_are_cut() {
    let cases: &[(&[u8], &str)] = &[
        (b"a\0b", "ab"),
        (b"a\x1b[31mred\x1b[0m\x1b[2J\x1b[?1049l end\n", "ared end\n"),
        (b"\xff\xfe ok", "\u{fffd}\u{fffd} ok"),
        (b"\x1b]0;EVIL\x07AFTER\tb\r\n", "AFTER\tb\n"),
        (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\.", "link."),
        (b"\x1bPq#0\x1b\\x\x1b(By\x1b=z\x1bM", "xyz"),
        (b"10%\r50%\r100%\ndone\r\n", "100%\ndone\n"),
        (b"a\r\r\nb\r", "a\nb"),
        (b"ab\x08c\x07", "ac"),
        ("é─🌍\u{9b}31m\u{85}x".as_bytes(), "é─🌍x"),
        (b"\x1b[1", ""),
        (b"cut\xe2\x94", "cut\u{fffd}"),
        (b"\x1b\x1b[1mx", "x"),
        (b"n\x1b[3\n1m", "n\n1m"),
        ("a\u{301}─🌍\x1b[1;31mred\x1b]0;t\x1b\\x\r50%\ré\r\n\u{9b}1mend\x08".as_bytes(), "é\nen"),
        (b"a\x1b]0;cut\x1b[31mb", "ab"),
        ("\x1bé \x1b(─".as_bytes(), "é ─"),
        (b"a\x1b[3\x18b\x1b]0;t\x1ac", "abc"),
    ];
    for (bytes, want) in cases {
        assert_eq!(pieces(&[bytes]), *want, "{bytes:?}");
        assert_eq!(clean_bytes(bytes), *want, "{bytes:?}");
        for at in 0..bytes.len() {
            assert_eq!(pieces(&[&bytes[..at], &bytes[at..]]), *want, "{bytes:?} cut at {at}");
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(pieces(&single), *want, "{bytes:?} byte by byte");
    }
}

#[test]
fn an_endless_control_string_or_line_keeps_little() {
    let mut cleaner = Cleaner::default();
    let mut out = String::new();
    cleaner.push(b"\x1b]", &mut out);
    cleaner.push(&vec![b'x'; MAX_STRING * 2], &mut out);
    assert!(out.len() + cleaner.line().len() > MAX_STRING / 2, "text goes on behind a broken string");
    let mut out = String::new();
    cleaner.push(&vec![b'y'; 1 << 20], &mut out);
    assert!(cleaner.line.capacity() < 4 << 20 && out.len() > 1 << 19);
    cleaner.push(b"\rnew\n", &mut out);
    assert!(out.ends_with("y\nnew\n"));
}

#[test]
fn e03_sequences_go_whole_and_progress_lines_show_their_last_state() {
    assert_eq!(for_screen("\x1b[32mok\x1b[0m"), "ok");
    assert_eq!(for_screen("a\0b\x07d"), "abd");
    assert_eq!(for_screen("\x1b]0;EVIL\x07after\tb\r\nnext"), "after\tb\nnext");
    assert_eq!(for_screen("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\"), "link");
    assert_eq!(for_screen("10%\r50%\rdone\n"), "done\n");
    assert_eq!(for_screen("\u{9b}2Jx\u{85}"), "x");
    assert_eq!(for_screen("a\u{202e}b\u{2066}c\u{2028}d\u{feff}"), "abc d");
    assert_eq!(for_screen("\x1b]0;no end\nrest"), "\nrest");
    assert_eq!(for_screen("ab\u{8}c"), "ac");
    assert_eq!(for_screen("\x1b(Bx\x1b[?1049ly\x1b"), "xy");
}

#[test]
fn clean_text_is_not_copied() {
    assert!(matches!(for_screen("plain 你好 🌞\n\tcode – “q”"), Cow::Borrowed(_)));
}

#[test]
fn hidden_characters_are_written_out() {
    assert_eq!(escape_hidden("a\u{202e}b\u{200b}\x1bc\u{a0}\u{feff}\td\ne"), "a\\u{202e}b\\u{200b}\\u{1b}c\\u{a0}\\u{feff}\td\ne");
    assert_eq!(escape_hidden("plain 你好 ü"), "plain 你好 ü");
}
