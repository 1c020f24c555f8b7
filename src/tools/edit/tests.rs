//! Edits of real files: modes, links, stale content, siblings, interleavings (SPEC T2, T3, S18; CASES D01–D06).

use super::*;
use crate::protocol::{AgentId, CallId};
use crate::tools::read::Read;
use crate::tools::write::Write;
use std::path::Path;
use std::sync::Arc;

fn input(path: &str, old: &str, new: &str) -> Input {
    json!({"file_path": path, "old_string": old, "new_string": new}).as_object().unwrap().clone()
}

async fn read(ctx: &ToolContext, path: &str) -> Outcome {
    Read.run(json!({"file_path": path}).as_object().unwrap(), ctx).await
}

async fn edit(ctx: &ToolContext, path: &str, old: &str, new: &str) -> Outcome {
    Edit.run(&input(path, old, new), ctx).await
}

/// Another agent of the same session.
fn sibling(ctx: &ToolContext, n: u32) -> ToolContext {
    ToolContext { agent: AgentId::child(n), call: CallId(format!("call-{n}")), reads: Arc::default(), ..ctx.clone() }
}

fn place() -> (tempfile::TempDir, ToolContext) {
    let dir = tempfile::tempdir().unwrap();
    let ctx = ToolContext::for_test(dir.path());
    (dir, ctx)
}

fn bytes(ctx: &ToolContext, name: &str) -> Vec<u8> {
    std::fs::read(ctx.workspace.join(name)).unwrap()
}

fn put(ctx: &ToolContext, name: &str, content: impl AsRef<[u8]>) {
    std::fs::write(ctx.workspace.join(name), content).unwrap();
}

fn names(dir: &Path) -> Vec<String> {
    let mut all: Vec<String> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    all.sort();
    all
}

#[tokio::test]
async fn d05_an_unread_or_changed_file_is_not_touched() {
    let (_dir, ctx) = place();
    put(&ctx, "f.txt", "one\n");
    let unread = edit(&ctx, "f.txt", "one", "two").await;
    assert!(unread.is_error && unread.text.contains("not read yet"), "{}", unread.text);
    assert!(!read(&ctx, "f.txt").await.is_error);
    put(&ctx, "f.txt", "one\n// added by the person\n");
    let stale = edit(&ctx, "f.txt", "one", "two").await;
    assert!(stale.is_error && stale.text.contains("changed since"), "{}", stale.text);
    assert_eq!(bytes(&ctx, "f.txt"), b"one\n// added by the person\n");
}

#[tokio::test]
async fn d05_own_edits_and_a_touch_are_no_changes() {
    let (_dir, ctx) = place();
    put(&ctx, "f.txt", "one\n");
    read(&ctx, "f.txt").await;
    let first = edit(&ctx, "f.txt", "one", "two").await;
    assert_eq!((first.is_error, first.summary.as_str(), first.written.len()), (false, "+1 −1", 1));
    assert!(!edit(&ctx, "./f.txt", "two", "three").await.is_error);
    put(&ctx, "f.txt", "three\n");
    assert!(!edit(&ctx, "f.txt", "three", "four").await.is_error);
    assert_eq!(bytes(&ctx, "f.txt"), b"four\n");
}

#[tokio::test]
async fn s18_a_stale_edit_names_the_sibling_that_wrote() {
    let (_dir, ctx) = place();
    put(&ctx, "f.txt", "one\n");
    let child = sibling(&ctx, 1);
    read(&ctx, "f.txt").await;
    read(&child, "f.txt").await;
    assert!(!edit(&child, "f.txt", "one", "two").await.is_error);
    let stale = edit(&ctx, "f.txt", "one", "three").await;
    assert!(stale.is_error && stale.text.contains("a1"), "{}", stale.text);
    // What the person wrote after the sibling is not the sibling's.
    put(&ctx, "f.txt", "person\n");
    let stale = edit(&ctx, "f.txt", "one", "three").await;
    assert!(stale.is_error && !stale.text.contains("a1"), "{}", stale.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn s18_no_update_is_lost_in_any_interleaving() {
    let (_dir, ctx) = place();
    let lines: String = (0..16).map(|i| format!("line {i}.\n")).collect::<Vec<_>>().concat();
    put(&ctx, "f.txt", &lines);
    let work = (0..16u32).map(|i| {
        let own = sibling(&ctx, i + 1);
        tokio::spawn(async move {
            loop {
                read(&own, "f.txt").await;
                let done = edit(&own, "f.txt", &format!("line {i}."), &format!("LINE {i}.")).await;
                if !done.is_error {
                    return;
                }
                assert!(done.text.contains("changed by the agent a"), "{}", done.text);
            }
        })
    });
    for task in work.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    assert_eq!(String::from_utf8(bytes(&ctx, "f.txt")).unwrap(), lines.replace("line", "LINE"));
}

#[cfg(unix)]
#[tokio::test]
async fn d03_mode_and_link_stay_and_nothing_stray_is_left() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
    let (_dir, ctx) = place();
    put(&ctx, "run.sh", "#!/bin/sh\necho old\n");
    std::fs::set_permissions(ctx.workspace.join("run.sh"), std::fs::Permissions::from_mode(0o751)).unwrap();
    put(&ctx, "real.txt", "old text\n");
    symlink("real.txt", ctx.workspace.join("link.txt")).unwrap();
    let owner = std::fs::metadata(ctx.workspace.join("run.sh")).unwrap().uid();
    for name in ["run.sh", "link.txt"] {
        read(&ctx, name).await;
        let done = edit(&ctx, name, "old", "new").await;
        assert!(!done.is_error, "{}", done.text);
    }
    let after = std::fs::metadata(ctx.workspace.join("run.sh")).unwrap();
    assert_eq!((after.permissions().mode() & 0o7777, after.uid()), (0o751, owner));
    assert!(ctx.workspace.join("link.txt").is_symlink());
    assert_eq!(bytes(&ctx, "real.txt"), b"new text\n");
    edit(&ctx, "run.sh", "absent", "x").await;
    assert_eq!(names(&ctx.workspace), ["link.txt", "real.txt", "run.sh"]);
}

#[cfg(unix)]
#[tokio::test]
async fn d04_a_link_that_moves_between_decision_and_write_is_noticed() {
    use std::os::unix::fs::symlink;
    let (_dir, ctx) = place();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("x.txt"), "old\n").unwrap();
    std::fs::create_dir(ctx.workspace.join("in")).unwrap();
    put(&ctx, "in/x.txt", "old\n");
    symlink("in", ctx.workspace.join("way")).unwrap();
    read(&ctx, "way/x.txt").await;
    ctx.reads.learn(&outside.path().canonicalize().unwrap().join("x.txt"), crate::tools::files::hash(b"old\n"));
    let access = Edit.access(&input("way/x.txt", "old", "new"), &ctx).unwrap();
    assert_eq!(access.writes, [ctx.workspace.join("in/x.txt")]);
    std::fs::remove_file(ctx.workspace.join("way")).unwrap();
    symlink(outside.path(), ctx.workspace.join("way")).unwrap();
    let refused = edit(&ctx, "way/x.txt", "old", "new").await;
    assert!(refused.is_error && refused.text.contains("another place"), "{}", refused.text);
    assert_eq!(std::fs::read(outside.path().join("x.txt")).unwrap(), b"old\n");
    let through = Write.access(json!({"file_path": "way/new.txt", "content": ""}).as_object().unwrap(), &ctx).unwrap();
    assert_eq!(through.writes, [outside.path().canonicalize().unwrap().join("new.txt")]);
}

#[tokio::test]
async fn a_missing_file_and_a_folder_are_errors_that_help() {
    let (_dir, ctx) = place();
    put(&ctx, "config.toml", "a = 1\n");
    let missing = edit(&ctx, "new.txt", "a", "b").await;
    assert!(missing.is_error && missing.text.contains("Write"), "{}", missing.text);
    let folder = edit(&ctx, ".", "a", "b").await;
    assert!(folder.is_error && folder.text.contains("folder"), "{}", folder.text);
}

#[tokio::test]
async fn the_preview_shows_the_change_and_changes_nothing() {
    let (_dir, ctx) = place();
    put(&ctx, "f.txt", "one\n");
    let Some(Display::Diff { path, added, removed, .. }) = Edit.preview(&input("f.txt", "one", "two"), &ctx) else { panic!() };
    assert_eq!((path.as_str(), added, removed), ("f.txt", 1, 1));
    assert_eq!(bytes(&ctx, "f.txt"), b"one\n");
    assert_eq!(Edit.preview(&input("f.txt", "absent", "two"), &ctx), None);
}

#[tokio::test]
async fn an_interrupt_while_the_file_is_held_writes_nothing() {
    let (_dir, ctx) = place();
    put(&ctx, "f.txt", "one\n");
    read(&ctx, "f.txt").await;
    let lock = ctx.locks.of(&ctx.workspace.join("f.txt"));
    let held = lock.lock().await;
    ctx.cancel.cancel();
    let done = edit(&ctx, "f.txt", "one", "two").await;
    assert!(done.is_error && done.text.contains("interrupted"));
    drop(held);
    assert_eq!(bytes(&ctx, "f.txt"), b"one\n");
}
