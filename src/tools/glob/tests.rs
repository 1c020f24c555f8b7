//! Patterns, ignore files, order (SPEC T1; CASES D08).

use super::*;
use std::time::{Duration, SystemTime};

fn place(files: &[&str]) -> (tempfile::TempDir, ToolContext) {
    let dir = tempfile::tempdir().unwrap();
    for (i, name) in files.iter().enumerate() {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let file = std::fs::File::create(&path).unwrap();
        // Later ones are older.
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 - i as u64)).unwrap();
    }
    let ctx = ToolContext::for_test(dir.path());
    (dir, ctx)
}

async fn glob(ctx: &ToolContext, input: serde_json::Value) -> Outcome {
    Glob.run(input.as_object().unwrap(), ctx).await
}

async fn lines(ctx: &ToolContext, pattern: &str) -> Vec<String> {
    glob(ctx, json!({"pattern": pattern})).await.text.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn t1_patterns_fit_names_or_paths_and_the_newest_come_first() {
    let (_dir, ctx) = place(&["src/b.py", "a.py", "src/deep/c.py", "x.rs", ".hidden/d.py", ".git/e.py"]);
    assert_eq!(lines(&ctx, "**/*.py").await, ["src/b.py", "a.py", "src/deep/c.py", ".hidden/d.py"]);
    assert_eq!(lines(&ctx, "*.py").await.len(), 4);
    assert_eq!(lines(&ctx, "src/*.py").await, ["src/b.py"]);
    assert_eq!(lines(&ctx, "src/**").await, ["src/b.py", "src/deep/c.py"]);
    assert_eq!(lines(&ctx, "./src/deep").await, ["src/deep/c.py"]);
    assert_eq!(lines(&ctx, "*.{rs,toml}").await, ["x.rs"]);
    assert_eq!(lines(&ctx, &format!("{}/src/*.py", ctx.workspace.display())).await, ["src/b.py"]);
    let inside = glob(&ctx, json!({"pattern": "deep/*", "path": "src"})).await;
    assert_eq!((inside.text.as_str(), inside.summary.as_str()), ("src/deep/c.py", "1 file"));
    let none = glob(&ctx, json!({"pattern": "*.zig"})).await;
    assert!(!none.is_error && none.text.contains("No files match"));
}

#[tokio::test]
async fn d08_ignore_files_count_without_a_repository_and_explicit_paths_are_found() {
    let (_dir, ctx) = place(&["k.ts", "i.log", "node_modules/p/package.json", "node_modules/p/x.log"]);
    std::fs::write(ctx.workspace.join(".gitignore"), "*.log\nnode_modules\n").unwrap();
    let all = lines(&ctx, "*").await;
    assert!(all.contains(&"k.ts".to_owned()) && !all.iter().any(|l| l.contains("i.log") || l.contains("node_modules")), "{all:?}");
    assert_eq!(lines(&ctx, "node_modules/p/package.json").await, ["node_modules/p/package.json"]);
    let explicit = glob(&ctx, json!({"pattern": "*.log", "path": "node_modules"})).await;
    assert!(explicit.text.contains("node_modules/p/x.log") && explicit.text.contains("ignored"), "{}", explicit.text);
    let hidden = glob(&ctx, json!({"pattern": "i.log"})).await;
    assert!(hidden.text.contains("ignored by .gitignore") && hidden.text.contains("i.log"), "{}", hidden.text);
}

#[tokio::test]
async fn a_long_list_is_cut_with_a_word_and_temporary_files_are_left_out() {
    let names: Vec<String> = (0..250).map(|i| format!("f{i}.txt")).collect();
    let mut all: Vec<&str> = names.iter().map(String::as_str).collect();
    all.push(".tui-agent-write-abc123");
    let (_dir, ctx) = place(&all);
    let found = glob(&ctx, json!({"pattern": "*"})).await;
    assert!(found.text.starts_with("f0.txt\nf1.txt\n") && found.text.contains("[200 of 250 files"), "{}", found.text);
    let Display::Listing { lines, total } = found.display else { panic!() };
    assert_eq!((lines.len(), total), (MAX_VIEW, 250));
}

#[tokio::test]
async fn places_are_checked_and_wrong_patterns_are_errors() {
    let (_dir, ctx) = place(&["src/a.rs"]);
    for (pattern, path) in [("a[", "src"), ("*", "scr"), ("*", "src/a.rs")] {
        let wrong = glob(&ctx, json!({"pattern": pattern, "path": path})).await;
        assert!(wrong.is_error, "{pattern} {path}: {}", wrong.text);
    }
    let access = Glob.access(json!({"pattern": "../other/*.rs"}).as_object().unwrap(), &ctx).unwrap();
    assert_eq!(access.reads, [ctx.workspace.parent().unwrap().join("other")]);
    assert_eq!(Glob.access(json!({"pattern": "*"}).as_object().unwrap(), &ctx).unwrap().reads, std::slice::from_ref(&ctx.workspace));
    ctx.cancel.cancel();
    assert!(glob(&ctx, json!({"pattern": "*"})).await.is_error);
}
