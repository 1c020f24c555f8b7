//! Whole files: new ones, kept form, refusals (SPEC T2; CASES D01–D03, D05).

use super::*;
use crate::tools::read::Read;

fn place() -> (tempfile::TempDir, ToolContext) {
    let dir = tempfile::tempdir().unwrap();
    let ctx = ToolContext::for_test(dir.path());
    (dir, ctx)
}

async fn write(ctx: &ToolContext, path: &str, content: &str) -> Outcome {
    Write.run(json!({"file_path": path, "content": content}).as_object().unwrap(), ctx).await
}

async fn over(before: &[u8], content: &str) -> (Outcome, Vec<u8>) {
    let (_dir, ctx) = place();
    std::fs::write(ctx.workspace.join("f"), before).unwrap();
    let read = Read.run(json!({"file_path": "f"}).as_object().unwrap(), &ctx).await;
    assert!(!read.is_error, "{}", read.text);
    let outcome = write(&ctx, "f", content).await;
    (outcome, std::fs::read(ctx.workspace.join("f")).unwrap())
}

#[tokio::test]
async fn t2_a_new_file_needs_no_read_and_gets_its_folders_and_the_usual_mode() {
    let (_dir, ctx) = place();
    std::fs::write(ctx.workspace.join("usual"), "").unwrap();
    let made = write(&ctx, "made/by/new.txt", "hello\n").await;
    assert!(!made.is_error, "{}", made.text);
    let path = ctx.workspace.join("made/by/new.txt");
    assert_eq!((std::fs::read(&path).unwrap().as_slice(), made.written, made.summary.as_str()), (&b"hello\n"[..], vec![path.clone()], "+1 −0"));
    let rights = |p: &std::path::Path| std::fs::metadata(p).unwrap().permissions();
    assert_eq!(rights(&path), rights(&ctx.workspace.join("usual")));
    // Own writes are known.
    assert!(!write(&ctx, "made/by/new.txt", "again\n").await.is_error);
}

#[tokio::test]
async fn d05_an_unread_file_is_not_overwritten() {
    let (_dir, ctx) = place();
    std::fs::write(ctx.workspace.join("f"), "u\n").unwrap();
    let refused = write(&ctx, "f", "v\n").await;
    assert!(refused.is_error && refused.text.contains("not read yet"));
    assert_eq!(std::fs::read(ctx.workspace.join("f")).unwrap(), b"u\n");
}

#[tokio::test]
async fn d01_line_ends_mark_and_encoding_of_the_old_file_are_kept() {
    assert_eq!(over(b"\xef\xbb\xbfa\r\nb\r\n", "x\ny\n").await.1, b"\xef\xbb\xbfx\r\ny\r\n");
    assert_eq!(over(b"a\r\nb\n", "x\ny\n").await.1, b"x\ny\n");
    assert_eq!(over(b"a\n", "x\r\ny").await.1, b"x\r\ny");
    assert_eq!(over(b"caf\xe9\n", "th\u{e9}\n").await.1, b"th\xe9\n");
    assert_eq!(over(b"\xff\xfea\0", "b\u{20ac}").await.1, b"\xff\xfeb\0\xac\x20");
}

#[tokio::test]
async fn d02_a_file_that_cannot_hold_the_text_is_not_mangled() {
    let (refused, after) = over(b"caf\xe9\n", "🌍\n").await;
    assert!(refused.is_error && refused.text.contains("🌍"));
    assert_eq!(after, b"caf\xe9\n");
    let damaged: Vec<u8> = "ä ö ü\n".bytes().chain([0xff, b'\n']).collect();
    let (refused, after) = over(&damaged, "ä ö\n\u{fffd}\n").await;
    assert!(refused.is_error);
    assert_eq!(after, damaged);
}

#[cfg(unix)]
#[tokio::test]
async fn special_files_and_files_as_folders_are_refused() {
    let (_dir, ctx) = place();
    rustix::fs::mkfifoat(rustix::fs::CWD, ctx.workspace.join("pipe"), rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    std::fs::write(ctx.workspace.join("f"), "").unwrap();
    for path in ["pipe", ".", "f/x"] {
        let refused = write(&ctx, path, "x").await;
        assert!(refused.is_error, "{path}: {}", refused.text);
    }
    assert!(!ctx.workspace.join("f").is_dir());
}

#[cfg(unix)]
#[tokio::test]
async fn d04_a_link_that_leads_nowhere_is_followed_to_its_real_place() {
    let (_dir, ctx) = place();
    std::os::unix::fs::symlink("sub/target.txt", ctx.workspace.join("link")).unwrap();
    let made = write(&ctx, "link", "x").await;
    assert_eq!(made.written, [ctx.workspace.join("sub/target.txt")]);
    assert!(ctx.workspace.join("link").is_symlink());
    assert_eq!(std::fs::read(ctx.workspace.join("sub/target.txt")).unwrap(), b"x");
}
