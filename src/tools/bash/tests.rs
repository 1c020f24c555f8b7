//! Real commands: CASES C01–C06. Processes are recognised by durations that occur nowhere else.

use super::*;
use crate::protocol::{AgentId, CallId};
use crate::tools::files::{FileLocks, ReadState};
use serde_json::Map;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicU32;
use tokio_util::sync::CancellationToken;

struct Rig {
    dir: tempfile::TempDir,
    bash: Bash,
    ctx: ToolContext,
    progress: Arc<Mutex<Vec<String>>>,
}

/// The test executable as the watching process: it runs only the test below, which becomes it.
fn watch_command() -> WatchCommand {
    WatchCommand {
        program: None,
        args: vec!["--exact".into(), "tools::bash::tests::the_watching_process".into(), "--nocapture".into()],
        env: vec![("TUI_AGENT_TEST_WATCH".into(), "1".into())],
    }
}

#[test]
fn the_watching_process() {
    if std::env::var_os("TUI_AGENT_TEST_WATCH").is_some() {
        let _ = watch_main();
    }
}

impl Rig {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let workspace = std::fs::canonicalize(dir.path()).unwrap().join("w");
        std::fs::create_dir(&workspace).unwrap();
        let progress = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&progress);
        let ctx = ToolContext {
            agent: AgentId::MAIN,
            call: CallId("call/1".to_owned()),
            workspace: workspace.clone(),
            shell_cwd: Arc::new(Mutex::new(workspace)),
            reads: Arc::new(ReadState::default()),
            locks: Arc::new(FileLocks::default()),
            spill_dir: dir.path().join("spill"),
            hidden_env: Arc::new(vec!["CARGO_MANIFEST_DIR".into()]),
            cancel: CancellationToken::new(),
            progress: Arc::new(move |text| seen.lock().unwrap().push(text)),
            background: false,
            detached: CancellationToken::new(),
            read_only: false,
        };
        Self { dir, bash: Bash::with_watch(watch_command()), ctx, progress }
    }

    async fn run(&self, line: &str) -> Outcome {
        self.run_with(line, None).await
    }

    async fn run_with(&self, line: &str, timeout: Option<u64>) -> Outcome {
        let mut input = Map::new();
        input.insert("command".into(), line.into());
        if let Some(ms) = timeout {
            input.insert("timeout".into(), ms.into());
        }
        self.bash.run(&input, &self.ctx).await
    }
}

/// A duration that occurs nowhere else, to recognise a process by.
fn odd(seconds: u32) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("{seconds}.{:05}{:04}", std::process::id() % 100_000, NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Living processes (zombies aside) whose command line contains the text.
fn living(text: &str) -> usize {
    let all = std::fs::read_dir("/proc").unwrap().filter_map(|e| Some(e.ok()?.path()));
    all.filter(|p| {
        let line = std::fs::read(p.join("cmdline")).unwrap_or_default();
        let stat = std::fs::read_to_string(p.join("stat")).unwrap_or_default();
        let is_zombie = stat.rsplit(')').next().is_some_and(|s| s.trim_start().starts_with('Z'));
        String::from_utf8_lossy(&line).replace('\0', " ").contains(text) && !is_zombie
    })
    .count()
}

async fn until(what: &str, condition: impl Fn() -> bool) {
    for _ in 0..1000 {
        if condition() {
            return;
        }
        sleep(Duration::from_millis(10)).await;
    }
    panic!("never: {what}");
}

#[tokio::test]
async fn c01_no_terminal_no_input_no_editor() {
    let rig = Rig::new();
    let tty = rig.run("read -r x </dev/tty; echo got:$x:$?").await;
    assert!(!tty.text.contains("got::0"), "{}", tty.text);
    assert_eq!(rig.run("cat; echo CATEND").await.text, "CATEND");
    let commit = rig.run("git init -q . && git -c user.name=x -c user.email=y commit --allow-empty").await;
    assert!(commit.is_error && commit.text.to_lowercase().contains("empty commit message"), "{}", commit.text);
    assert_eq!(
        rig.run("echo $GIT_TERMINAL_PROMPT $PAGER $EDITOR $TERM${CARGO_MANIFEST_DIR}; [ -t 0 ] || echo $(ps -o tty= -p $$)").await.text,
        "0 cat true dumb\n?"
    );
}

#[tokio::test]
async fn exit_codes_signals_and_empty_output() {
    let rig = Rig::new();
    let ok = rig.run("true").await;
    assert!(!ok.is_error && ok.text == "(no output)" && ok.exit == Some(0) && ok.summary.starts_with("exit 0 · "), "{ok:?}");
    let three = rig.run("echo out; echo err >&2; exit 3").await;
    assert!(three.is_error && three.text == "out\nerr\nexit code 3" && three.exit == Some(3), "{three:?}");
    assert_eq!(three.display, Display::Command { output: "out\nerr".into(), exit: Some(3) });
    assert!(rig.run("kill -9 $$").await.text.contains("signal 9"));
    assert!(rig.run("echo 'a").await.is_error);
    assert!(rig.run("nonsense_command").await.text.contains("line 1: nonsense_command"));
    assert_eq!(rig.run("trap 'echo own' EXIT; exit 4").await.text, "own\nexit code 4");
    assert_eq!(rig.run("cat <<E\nin $((1+1))\nE").await.text, "in 2");
    for bad in ["", " \n", "a\0b"] {
        assert!(rig.run(bad).await.is_error);
    }
    assert!(rig.run(&"x".repeat(3_000_000)).await.text.contains("could not be started"));
}

#[tokio::test]
async fn c02_a_process_that_holds_the_pipe_does_not_hold_the_call() {
    let rig = Rig::new();
    let held = odd(300);
    let done = rig.run(&format!("sleep {held} & echo DONE")).await;
    assert!(!done.is_error && done.text.starts_with("DONE\n[Something") && living(&format!("sleep {held}")) == 1, "{}", done.text);
    let mark = rig.dir.path().join("mark");
    let noisy = odd(301);
    let line = format!("(while [ ! -e {m}.stop ]; do echo LATE; echo x >> {m}; sleep 0.01; done; sleep {noisy}) & echo FIRST", m = mark.display());
    assert!(rig.run(&line).await.text.contains("FIRST"));
    // It lives on although nobody reads, and what it says is in no other result.
    let size = || std::fs::metadata(&mark).map_or(0, |m| m.len());
    let before = size();
    until("the noisy process to go on", || size() > before + 20).await;
    assert_eq!(rig.run("echo NEXT").await.text, "NEXT");
    let quiet = odd(302);
    assert!(rig.run(&format!("sleep {quiet} >/dev/null 2>&1 & echo Q")).await.text.contains("[Something"));
    let waits = rig.run("sleep 0.2 & wait; echo WAITED").await;
    assert_eq!(waits.text, "WAITED");
    // What is left ends with the tool's owner.
    std::fs::write(mark.with_extension("stop"), "").unwrap();
    until("the noisy process to sleep", || living(&format!("sleep {noisy}")) >= 1).await;
    assert_eq!([&held, &quiet].map(|d| living(&format!("sleep {d}"))), [1, 1]);
}

#[test]
fn c03_what_is_left_ends_when_tui_agent_does() {
    let held = odd(303);
    let stubborn = odd(304);
    {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let rig = Rig::new();
        runtime.block_on(async {
            rig.run(&format!("sleep {held} & echo DONE")).await;
            rig.run(&format!("(trap '' TERM; while :; do sleep {stubborn}; done) & echo DONE")).await;
        });
        assert_eq!(living(&format!("sleep {held}")), 1);
        drop(rig);
        runtime.shutdown_background();
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(until("all to be ended", || living(&held) + living(&stubborn) == 0));
}

/// Runs in a process of its own, which the test below kills.
#[test]
fn the_victim() {
    if let Ok(duration) = std::env::var("TUI_AGENT_TEST_VICTIM") {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let rig = Rig::new();
        runtime.block_on(rig.run(&format!("(trap '' TERM; sleep {duration}; true) & bash -c 'sleep {duration}; true'")));
    }
}

#[tokio::test]
async fn c03_kill_9_of_tui_agent_ends_its_commands() {
    let duration = odd(305);
    let mut victim = std::process::Command::new(std::env::current_exe().unwrap());
    victim.args(["--exact", "tools::bash::tests::the_victim"]).env("TUI_AGENT_TEST_VICTIM", &duration).stdout(std::process::Stdio::null());
    let mut victim = victim.spawn().unwrap();
    let sleeping = format!("sleep {duration}");
    until("the commands to run", || living(&sleeping) >= 3).await;
    victim.kill().unwrap();
    victim.wait().unwrap();
    until("all to be ended", || living(&sleeping) == 0).await;
}

#[tokio::test]
async fn c03_timeout_ends_the_whole_group_and_keeps_the_output() {
    let rig = Rig::new();
    let grand = odd(310);
    let late = rig.run_with(&format!("echo PARTIAL; bash -c 'sleep {grand}; true'"), Some(300)).await;
    assert!(late.is_error && late.text.starts_with("PARTIAL\n") && late.text.contains("timed out after 0.3 s"), "{}", late.text);
    assert_eq!(living(&grand), 0);
    let stubborn = odd(311);
    let late = rig.run_with(&format!("trap '' TERM; while :; do sleep {stubborn}; done"), Some(200)).await;
    assert!(late.is_error && late.text.contains("timed out"));
    until("the stubborn one to be killed", || living(&stubborn) == 0).await;
    let note = rig.run_with("echo x", Some(700_000)).await;
    assert!(note.text.contains("600000 ms hold") && !note.is_error);
}

#[tokio::test]
async fn c03_cancel_and_drop_end_the_whole_group() {
    let rig = Rig::new();
    let line = odd(320);
    let cancel = rig.ctx.cancel.clone();
    let run = format!("echo BEFORE; sleep {line} | cat");
    let sleeping = format!("sleep {line}");
    let (outcome, ()) = tokio::join!(rig.run(&run), async {
        until("the command to run", || living(&sleeping) >= 2 && rig.progress.lock().unwrap().iter().any(|p| p == "BEFORE\n")).await;
        cancel.cancel();
    });
    assert!(outcome.is_error && outcome.text.contains("interrupted") && outcome.text.starts_with("BEFORE"), "{}", outcome.text);
    until("all to be gone", || living(&line) == 0).await;
    let rig = Rig::new();
    let dropped = odd(321);
    let run = format!("(trap '' TERM; sleep {dropped}; sleep {dropped})");
    let sleeping = format!("sleep {dropped}");
    tokio::select! {
        _ = rig.run(&run) => panic!("it ended"),
        () = until("it to run", || living(&sleeping) >= 2) => {}
    }
    until("all to be gone", || living(&dropped) == 0).await;
}

#[tokio::test]
async fn c04_a_flood_is_bounded_and_kept_in_a_file() {
    let rig = Rig::new();
    let flood = rig.run("echo OUTHEAD; head -c 3000000 /dev/zero | tr '\\0' y; echo; echo OUTTAIL").await;
    assert!(flood.text.chars().count() <= output::MAX_RESULT && flood.text.starts_with("OUTHEAD\n") && flood.text.ends_with("OUTTAIL"));
    let at = flood.text.find("the whole output is in ").unwrap();
    let path = flood.text[at..].trim_start_matches("the whole output is in ").split(" …]").next().unwrap();
    assert_eq!(std::fs::metadata(path).unwrap().len(), 3_000_017);
    assert!(Path::new(path).starts_with(rig.dir.path().join("spill")) && path.contains("main-call1"));
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(path).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    let endless = rig.run_with("yes", Some(300)).await;
    assert!(endless.is_error && endless.text.chars().count() <= output::MAX_RESULT && endless.text.contains("timed out"));
}

#[tokio::test]
async fn c05_raw_bytes_are_cleaned_in_result_display_and_progress() {
    let rig = Rig::new();
    let raw = rig.run("printf 'a\\0b\\033[31mred\\033[0m\\033[2J\\377 end\\n'; head -c 4096 /bin/ls; printf '\\033[?1049l\\033]0;T\\007\\342\\224'").await;
    let Display::Command { output, .. } = &raw.display else { panic!() };
    for text in [&raw.text, output, &rig.progress.lock().unwrap().concat()] {
        assert!(text.chars().all(|c| c == '\n' || c == '\t' || !c.is_control()), "{text:?}");
    }
    assert!(raw.text.starts_with("abred\u{fffd} end\n"));
    assert_eq!(rig.run("printf '1%%\\r50%%\\r100%%\\n'").await.text, "100%");
}

#[tokio::test]
async fn c06_the_folder_is_kept_and_may_vanish() {
    let rig = Rig::new();
    let workspace = rig.ctx.workspace.display().to_string();
    std::fs::create_dir(rig.ctx.workspace.join("sub dir")).unwrap();
    assert_eq!(rig.run("cd 'sub dir'").await.text, "(no output)");
    assert_eq!(rig.run("pwd").await.text, format!("{workspace}/sub dir"));
    assert!(rig.run("cd ..; false").await.is_error);
    assert_eq!(rig.run("pwd; (cd /); (cd / & wait)").await.text, workspace);
    assert_eq!(rig.run("pwd; exec true").await.text, workspace);
    rig.run("cd 'sub dir' && rmdir '../sub dir'").await;
    let gone = rig.run("echo ALIVE").await;
    assert!(!gone.is_error && gone.text.starts_with("ALIVE\n[The working directory") && gone.text.contains(&format!("ran in {workspace}")), "{}", gone.text);
    assert_eq!(rig.run("echo ALIVE").await.text, "ALIVE");
    assert_eq!(rig.run("cd / && pwd").await.text, "/");
    let mut background = Rig::new();
    background.ctx.background = true;
    background.run("cd /").await;
    assert_eq!(*background.ctx.shell_cwd.lock().unwrap(), background.ctx.workspace);
}

#[tokio::test]
async fn output_is_reported_while_it_runs() {
    let rig = Rig::new();
    let go = rig.dir.path().join("go");
    let line = format!("for i in $(seq 40); do echo l$i; done; printf half; while [ ! -e {} ]; do sleep 0.01; done", go.display());
    let (outcome, ()) = tokio::join!(rig.run(&line), async {
        until("the half line", || rig.progress.lock().unwrap().last().is_some_and(|p| p.ends_with("l40\nhalf"))).await;
        std::fs::write(&go, "").unwrap();
    });
    assert!(outcome.text.ends_with("l40\nhalf"));
    assert!(rig.progress.lock().unwrap().iter().all(|p| p.lines().count() <= 20));
}

#[tokio::test]
async fn git_of_a_read_only_agent_writes_no_index_and_runs_no_hook() {
    let mut rig = Rig::new();
    rig.run("git init -q . && echo a > f && git add f && git -c user.name=x -c user.email=y commit -qm m && touch -d 2001-01-01 f").await;
    rig.run("mkdir -p .git/hooks; printf '#!/bin/sh\\ntouch M1\\n' > .git/hooks/post-index-change; chmod +x .git/hooks/post-index-change; git config core.fsmonitor 'touch M2;false'").await;
    rig.ctx.read_only = true;
    assert_eq!(rig.run("git status --porcelain").await.text, "(no output)");
    assert_eq!(rig.run("git diff; git describe --always --dirty >/dev/null; ls").await.text, "f");
    rig.ctx.read_only = false;
    assert!(rig.run("touch -d 2002-01-01 f; git status --porcelain; ls").await.text.contains("M1"), "else this proves nothing");
}

#[test]
fn the_schema_says_milliseconds_and_background_calls_are_the_engines() {
    let bash = Bash::default();
    let spec = bash.spec();
    assert!(spec.description.contains("milliseconds") && spec.schema["required"] == json!(["command"]));
    let input = |v: Value| v.as_object().unwrap().clone();
    assert_eq!(bash.engine_call(&input(json!({"command": "x"}))), Ok(None));
    let call = bash.engine_call(&input(json!({"command": "make\nx", "run_in_background": true})));
    assert_eq!(call, Ok(Some(EngineCall::Background { description: "make…".into() })));
    assert!(bash.engine_call(&input(json!({"run_in_background": true}))).is_err());
}

#[tokio::test]
async fn t4_a_command_that_moves_to_the_background_has_no_time_limit_any_more() {
    let dir = tempfile::tempdir().unwrap();
    let ctx = ToolContext::for_test(dir.path());
    ctx.detached.cancel();
    let input = serde_json::json!({"command": "sleep 0.6; echo REACHED", "timeout": 100});
    let outcome = Bash::default().run(input.as_object().unwrap(), &ctx).await;
    assert!(!outcome.is_error && outcome.text.contains("REACHED"), "{}", outcome.text);
}
