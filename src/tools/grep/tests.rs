//! Output forms, windows, limits, ignore files, errors (SPEC T1; CASES D07, D08).

use super::*;
use crate::protocol::Display;

fn place(files: &[(&str, &str)]) -> (tempfile::TempDir, ToolContext) {
    let dir = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    let ctx = ToolContext::for_test(dir.path());
    (dir, ctx)
}

async fn grep(ctx: &ToolContext, input: serde_json::Value) -> Outcome {
    Grep.run(input.as_object().unwrap(), ctx).await
}

#[tokio::test]
async fn t1_content_files_and_counts() {
    let (_dir, ctx) = place(&[("src/a.py", "x = 1\nNEEDLE = 2\nneedle\n"), ("b.rs", "NEEDLE\r\nNEEDLE\r\n"), (".hidden", "NEEDLE"), (".git/x", "NEEDLE")]);
    let content = grep(&ctx, json!({"pattern": "NEED.E", "output_mode": "content"})).await;
    assert_eq!(content.text, ".hidden:1:NEEDLE\nb.rs:1:NEEDLE\nb.rs:2:NEEDLE\nsrc/a.py:2:NEEDLE = 2");
    assert_eq!(content.summary, "4 matches");
    assert!(matches!(content.display, Display::Listing { total: 4, .. }));
    assert_eq!(grep(&ctx, json!({"pattern": "NEEDLE"})).await.text, ".hidden\nb.rs\nsrc/a.py");
    let count = grep(&ctx, json!({"pattern": "needle", "-i": true, "output_mode": "count"})).await;
    assert_eq!((count.text.as_str(), count.summary.as_str()), (".hidden:1\nb.rs:2\nsrc/a.py:2", "5 matches in 3 files"));
    let plain = grep(&ctx, json!({"pattern": "^NEEDLE$", "-n": false, "output_mode": "content", "glob": "*.rs"})).await;
    assert_eq!(plain.text, "b.rs:NEEDLE\nb.rs:NEEDLE");
    let none = grep(&ctx, json!({"pattern": "NOTTHERE123"})).await;
    assert!(!none.is_error && none.text.contains("No matches found (3 files searched)"), "{}", none.text);
}

#[tokio::test]
async fn t1_lines_around_gaps_and_multiline() {
    let (_dir, ctx) = place(&[("f", "1\n2\nHIT\n4\n5\n6\n7\nHIT\n")]);
    let around = grep(&ctx, json!({"pattern": "HIT", "output_mode": "content", "-B": 1, "-A": 1})).await;
    assert_eq!(around.text, "f-2-2\nf:3:HIT\nf-4-4\n--\nf-7-7\nf:8:HIT");
    let c = grep(&ctx, json!({"pattern": "HIT", "output_mode": "content", "-C": 1, "-A": 0})).await;
    assert_eq!(c.text, "f-2-2\nf:3:HIT\n--\nf-7-7\nf:8:HIT");
    let across = grep(&ctx, json!({"pattern": "2.HIT.4", "output_mode": "content", "multiline": true})).await;
    assert_eq!(across.text, "f:2:2\nf:3:HIT\nf:4:4");
}

#[tokio::test]
async fn t1_files_are_narrowed_by_glob_and_type() {
    let (_dir, ctx) = place(&[("src/a.rs", "X"), ("src/b.py", "X"), ("lib/c.rs", "X"), ("min.js", "X")]);
    let files = async |more: serde_json::Value| {
        let mut input = json!({"pattern": "X"});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        grep(&ctx, input).await.text
    };
    assert_eq!(files(json!({"type": "rust"})).await, "lib/c.rs\nsrc/a.rs");
    assert_eq!(files(json!({"glob": "*.{py,js}"})).await, "min.js\nsrc/b.py");
    assert_eq!(files(json!({"glob": "src/**"})).await, "src/a.rs\nsrc/b.py");
    assert_eq!(files(json!({"glob": "src/*.rs", "path": "src"})).await, "src/a.rs");
    assert_eq!(files(json!({"glob": "!*.js !*.py"})).await, "lib/c.rs\nsrc/a.rs");
    assert_eq!(files(json!({"path": "src/b.py", "type": "rust"})).await, "src/b.py");
    assert!(files(json!({"glob": "*.zig"})).await.contains("0 files searched"));
    assert!(files(json!({"type": "rusty"})).await.contains("did you mean rust"));
}

#[tokio::test]
async fn d07_a_long_line_shows_a_window_around_the_match() {
    let long = format!("é{}NEEDLE{}\n", "a".repeat(1_000_000), "─".repeat(500_000));
    let (_dir, ctx) = place(&[("min.js", &long)]);
    let found = grep(&ctx, json!({"pattern": "NEEDLE", "output_mode": "content"})).await;
    assert!(found.text.starts_with("min.js:1:…aaa") && found.text.contains("aNEEDLE─"), "{}", &found.text[..100]);
    assert!(found.text.contains("─… [a line of 1500007 characters, cut]"));
    assert!(found.text.chars().count() < 400);
    let many = grep(&ctx, json!({"pattern": "a", "output_mode": "content"})).await;
    assert!(many.text.chars().count() < 400);
}

#[tokio::test]
async fn d07_the_whole_is_capped_and_says_so_the_same_each_time() {
    let lines = "a common word\n".repeat(100);
    let names: Vec<String> = (0..40).map(|i| format!("d{}/f{i:02}.txt", i % 7)).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|n| (n.as_str(), lines.as_str())).collect();
    let (_dir, ctx) = place(&files);
    let input = json!({"pattern": "common", "output_mode": "content"});
    let first = grep(&ctx, input.clone()).await;
    assert_eq!(first.text.lines().count(), DEFAULT_LIMIT + 1);
    assert!(first.text.starts_with("d0/f00.txt:1:") && first.text.contains("there are more"));
    for _ in 0..5 {
        assert_eq!(grep(&ctx, input.clone()).await, first);
    }
    let three = grep(&ctx, json!({"pattern": "common", "head_limit": 3})).await;
    assert_eq!(three.text.lines().take(3).collect::<Vec<_>>(), ["d0/f00.txt", "d0/f07.txt", "d0/f14.txt"]);
    assert_eq!(three.text.lines().count(), 4);
    let all = grep(&ctx, json!({"pattern": "common", "output_mode": "content", "head_limit": 0})).await;
    assert!(all.text.chars().count() <= 50_000 && all.text.contains("there are more"));
    let exact = grep(&ctx, json!({"pattern": "common", "head_limit": 40})).await;
    assert!(!exact.text.contains("more"), "{}", exact.text);
}

#[tokio::test]
async fn d08_ignored_files_are_searched_only_when_named() {
    let (_dir, ctx) = place(&[(".gitignore", "*.log\nout/\n"), ("b.log", "NEEDLE"), ("out/p/c.txt", "NEEDLE"), ("out/p/d.log", "DEEP")]);
    let none = grep(&ctx, json!({"pattern": "NEEDLE"})).await;
    assert!(none.text.contains("No matches"), "{}", none.text);
    assert_eq!(grep(&ctx, json!({"pattern": "NEEDLE", "path": "out/p"})).await.text, "out/p/c.txt");
    assert_eq!(grep(&ctx, json!({"pattern": "NEEDLE", "path": "b.log"})).await.text, "b.log");
    let deep = grep(&ctx, json!({"pattern": "DEEP", "path": "out"})).await;
    assert!(deep.text.starts_with("out/p/d.log") && deep.text.contains("ignored"), "{}", deep.text);
}

#[tokio::test]
async fn a_bad_expression_is_an_error_with_a_way_out() {
    let (_dir, ctx) = place(&[("f", "call(x\n")]);
    let bad = grep(&ctx, json!({"pattern": "call(x"})).await;
    assert!(bad.is_error && bad.text.contains(r"call\(x"), "{}", bad.text);
    assert_eq!(grep(&ctx, json!({"pattern": r"call\(x"})).await.text, "f");
    assert_eq!(grep(&ctx, json!({"pattern": regex_literal("call(x")})).await.text, "f");
    assert!(grep(&ctx, json!({"pattern": "a\\nb"})).await.text.contains("multiline"));
    assert!(Grep.access(json!({"pattern": "("}).as_object().unwrap(), &ctx).is_err());
    assert!(grep(&ctx, json!({"pattern": "x", "path": "nowhere"})).await.is_error);
}

#[tokio::test]
async fn c05_binaries_are_left_out_and_odd_bytes_are_shown() {
    let (dir, ctx) = place(&[]);
    std::fs::write(dir.path().join("bin"), b"NEEDLE\0NEEDLE").unwrap();
    std::fs::write(dir.path().join("esc"), b"NEEDLE \x1b[31m caf\xe9\n").unwrap();
    let wide: Vec<u8> = b"\xff\xfe".iter().copied().chain("NEEDLE 16\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    std::fs::write(dir.path().join("wide"), wide).unwrap();
    let found = grep(&ctx, json!({"pattern": "NEEDLE", "output_mode": "content"})).await;
    assert_eq!(found.text, "esc:1:NEEDLE ␛[31m caf\u{fffd}\nwide:1:NEEDLE 16");
    let named = grep(&ctx, json!({"pattern": "NOT", "path": "bin"})).await;
    assert!(named.text.contains("binary"), "{}", named.text);
}

#[tokio::test]
async fn an_interrupt_ends_the_search() {
    let (_dir, ctx) = place(&[("f", "x")]);
    ctx.cancel.cancel();
    assert!(grep(&ctx, json!({"pattern": "x"})).await.is_error);
}

#[tokio::test]
async fn g07_names_with_control_characters_are_shown_escaped() {
    let (_dir, ctx) = place(&[("a\nb\u{1b}.txt", "NEEDLE")]);
    assert_eq!(grep(&ctx, json!({"pattern": "NEEDLE"})).await.text, "a\nb␛.txt");
}
