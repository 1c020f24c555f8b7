//! Pages, kinds of files, refusals (SPEC T1, T2; CASES C05, D02, D04, D07).

use super::*;
use crate::tools::Input;

fn place() -> (tempfile::TempDir, ToolContext) {
    let dir = tempfile::tempdir().unwrap();
    let ctx = ToolContext::for_test(dir.path());
    (dir, ctx)
}

async fn read(ctx: &ToolContext, input: serde_json::Value) -> Outcome {
    let input: Input = input.as_object().unwrap().clone();
    Read.run(&input, ctx).await
}

async fn file(content: impl AsRef<[u8]>) -> Outcome {
    let (_dir, ctx) = place();
    std::fs::write(ctx.workspace.join("f"), content).unwrap();
    read(&ctx, json!({"file_path": "f"})).await
}

#[tokio::test]
async fn t1_lines_are_numbered_and_paged() {
    let (_dir, ctx) = place();
    let text: String = (1..=400).map(|i| format!("line number {i}\n")).collect::<Vec<_>>().concat();
    std::fs::write(ctx.workspace.join("long.txt"), text).unwrap();
    let page = read(&ctx, json!({"file_path": "long.txt", "offset": 200, "limit": 3})).await;
    assert_eq!(page.text, "   200\tline number 200\n   201\tline number 201\n   202\tline number 202\n[lines 200-202 of 400; go on with offset 203]");
    assert_eq!((page.summary.as_str(), page.display), ("3 lines", Display::None));
    let whole = read(&ctx, json!({"file_path": "long.txt"})).await;
    assert!(whole.text.ends_with("   400\tline number 400") && whole.summary == "400 lines");
    assert!(ctx.reads.known(&ctx.workspace.join("long.txt")).is_some());
    let behind = read(&ctx, json!({"file_path": "long.txt", "offset": 401})).await;
    assert!(behind.is_error && behind.text.contains("400 lines"), "{}", behind.text);
}

#[tokio::test]
async fn t1_a_page_ends_at_its_limits_and_says_how_to_go_on() {
    let lines = file("x\n".repeat(5_000)).await;
    assert!(lines.text.contains("lines 1-2000 of 5000; go on with offset 2001"));
    let wide = file(format!("{}\n", "─".repeat(1_000)).repeat(200)).await;
    assert!(wide.text.chars().count() <= 50_000);
    assert!(wide.text.contains("go on with offset 49"), "{}", &wide.text[wide.text.len() - 200..]);
}

#[tokio::test]
async fn d07_a_long_line_is_cut_and_can_be_read_on_by_bytes() {
    let (_dir, ctx) = place();
    let text = format!("é{}NEEDLE{}\nlast\n", "a".repeat(100_000), "b".repeat(1_000_000));
    std::fs::write(ctx.workspace.join("min.js"), &text).unwrap();
    let first = read(&ctx, json!({"file_path": "min.js"})).await;
    assert!(first.text.len() < 3_000 && first.text.contains("byte_offset 2001"), "{}", first.text);
    assert!(first.text.contains("     2\tlast"));
    let (mut seen, mut at) = (String::new(), 0usize);
    while seen.len() < 130_000 {
        let page = read(&ctx, json!({"file_path": "min.js", "byte_offset": at})).await;
        assert!(page.text.chars().count() <= 50_000);
        let line = page.text.lines().next().unwrap().split_once('\t').unwrap().1.trim_end_matches('…').to_owned();
        seen.push_str(&line);
        at += line.len();
        assert!(page.text.contains(&format!("byte_offset {at}")));
    }
    assert_eq!(seen, text[..seen.len()]);
    assert!(seen.contains("NEEDLE"));
    let end = read(&ctx, json!({"file_path": "min.js", "byte_offset": text.len() - 7})).await;
    assert_eq!(end.text, "     1\tb\n     2\tlast");
    assert!(read(&ctx, json!({"file_path": "min.js", "byte_offset": text.len()})).await.is_error);
}

#[tokio::test]
async fn control_bytes_are_shown_not_sent() {
    let shown = file(b"a\x1b[31mb\x07\tc\rd\r\ne\n").await;
    assert_eq!(shown.text, "     1\ta␛[31mb␇\tc␍d\n     2\te");
    let late = file([vec![b'x'; 9_000], b"\0y".to_vec()].concat()).await;
    assert!(!late.text.contains('\0'));
}

#[tokio::test]
async fn d02_other_encodings_are_decoded_and_named() {
    let latin = file(b"caf\xe9\n").await;
    assert!(latin.text.contains("café") && latin.text.contains("Windows-1252"), "{}", latin.text);
    let wide: Vec<u8> = b"\xff\xfe".iter().copied().chain("a€\r\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert!(file(wide).await.text.starts_with("     1\ta€\n[encoding: UTF-16 LE"));
    assert_eq!(file(b"\xef\xbb\xbfa\r\n").await.text, "     1\ta");
    assert!(file(b"\xef\xbb\xbf").await.text.contains("no text"));
    assert!(file(b"").await.text.contains("empty"));
}

#[cfg(unix)]
#[tokio::test]
async fn t1_what_is_no_text_file_is_refused_at_once_with_a_reason() {
    let (_dir, ctx) = place();
    rustix::fs::mkfifoat(rustix::fs::CWD, ctx.workspace.join("pipe"), rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(ctx.workspace.join("socket")).unwrap();
    let bytes: Vec<u8> = (0..=255).collect();
    std::fs::write(ctx.workspace.join("bin.dat"), bytes.repeat(40)).unwrap();
    std::fs::write(ctx.workspace.join("doc.pdf"), b"%PDF-1.7\n").unwrap();
    for (path, reason) in [("pipe", "FIFO"), ("socket", "socket"), ("bin.dat", "binary"), ("doc.pdf", "pdftotext"), (".", "folder"), ("/dev/zero", "device")] {
        let refused = read(&ctx, json!({"file_path": path})).await;
        assert!(refused.is_error && refused.text.contains(reason), "{path}: {}", refused.text);
    }
    assert!(ctx.reads.paths().is_empty());
}

#[tokio::test]
async fn a_missing_file_gets_near_names() {
    let (_dir, ctx) = place();
    std::fs::create_dir(ctx.workspace.join("src")).unwrap();
    std::fs::write(ctx.workspace.join("src/parser.rs"), "").unwrap();
    let typo = read(&ctx, json!({"file_path": "src/parsr.rs"})).await;
    assert!(typo.is_error && typo.text.contains("parser.rs"), "{}", typo.text);
    assert!(read(&ctx, json!({"file_path": "src/parser.py"})).await.text.contains("parser.rs"));
    let lost = read(&ctx, json!({"file_path": "lib/deep/x.rs"})).await;
    assert!(lost.text.contains("no folder"), "{}", lost.text);
}

#[tokio::test]
async fn images_come_as_images_and_notebooks_as_cells() {
    let (_dir, ctx) = place();
    std::fs::write(ctx.workspace.join("a.png"), b"\x89PNG\r\n\x1a\nrest").unwrap();
    let image = read(&ctx, json!({"file_path": "a.png"})).await;
    assert_eq!(image.images, [("image/png".to_owned(), crate::util::base64::encode(b"\x89PNG\r\n\x1a\nrest"))]);
    std::fs::write(ctx.workspace.join("big.gif"), [b"GIF89a".to_vec(), vec![0; 6 << 20]].concat()).unwrap();
    assert!(read(&ctx, json!({"file_path": "big.gif"})).await.is_error);
    let book = json!({"cells": [
        {"cell_type": "markdown", "source": ["# Title\n", "words"]},
        {"cell_type": "code", "source": "1/0", "outputs": [{"ename": "ZeroDivisionError", "evalue": "by zero"}, {"data": {"image/png": "x", "text/plain": ["42"]}}]}]});
    std::fs::write(ctx.workspace.join("n.ipynb"), book.to_string()).unwrap();
    let cells = read(&ctx, json!({"file_path": "n.ipynb"})).await;
    for part in ["# Title\n", "words", "1/0", "ZeroDivisionError: by zero", "42", "shown as cells"] {
        assert!(cells.text.contains(part), "{part}: {}", cells.text);
    }
    std::fs::write(ctx.workspace.join("bad.ipynb"), "{not json").unwrap();
    assert!(read(&ctx, json!({"file_path": "bad.ipynb"})).await.text.contains("{not json"));
}

#[tokio::test]
async fn a_huge_file_is_read_by_windows() {
    let (_dir, ctx) = place();
    let file = std::fs::File::create(ctx.workspace.join("huge.log")).unwrap();
    // Sparse behind the first lines: what is read must stay small.
    std::io::Write::write_all(&mut &file, "first ─\nsecond\n".repeat(800).as_bytes()).unwrap();
    file.set_len(load::MAX_WHOLE + 1).unwrap();
    let page = read(&ctx, json!({"file_path": "huge.log", "offset": 2, "limit": 2})).await;
    assert!(page.text.starts_with("     2\tsecond\n     3\tfirst ─\n["), "{}", &page.text[..200]);
    assert!(page.text.contains("not edited") && ctx.reads.paths().is_empty());
    let inside = read(&ctx, json!({"file_path": "huge.log", "byte_offset": 7, "limit": 1})).await;
    assert!(inside.text.starts_with("     1\t\n["), "{}", inside.text);
}

proptest::proptest! {
    #[test]
    fn pages_by_lines_show_every_line_once(text in "([a-zé─🌍\t\r]{0,12}\n){1,40}[a-z]{0,3}", limit in 1usize..9) {
        let (mut seen, mut at) = (Vec::new(), 1usize);
        while let Ok(page) = Page::of(&text, &Ask { offset: Some(at), limit: Some(limit), byte: None }) {
            proptest::prop_assert!(page.lines > 0 && page.lines <= limit);
            for (i, line) in page.text.split('\n').enumerate() {
                let (number, rest) = line.split_once('\t').unwrap();
                proptest::prop_assert_eq!(number.trim().parse::<usize>().unwrap(), at + i);
                seen.push(rest.to_owned());
            }
            at += page.lines;
        }
        let want: Vec<String> = text.lines().map(|l| crate::util::clean::visible(l).into_owned()).collect();
        proptest::prop_assert_eq!(seen, want);
    }

    #[test]
    fn any_start_in_any_text_is_a_page_or_an_error(text in ".{0,80}", offset: usize, byte: u64, limit: usize) {
        let _ = Page::of(&text, &Ask { offset: Some(offset), limit: Some(limit), byte: None });
        let _ = Page::of(&text, &Ask { offset: None, limit: Some(limit), byte: Some(byte % 100) });
    }
}
