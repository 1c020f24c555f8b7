//! `Bash`: a command line in a process group of its own, without terminal and input (SPEC T4, T5).
//!
//! Must not: judge a command (the engine does), wait for a terminal, keep unbounded output, or leave processes behind when tui-agent ends.

mod detach;
mod output;
mod process;
mod watch;

#[cfg(test)]
mod tests;

use super::{Access, Class, EngineCall, Input, Outcome, Tool, ToolContext};
use crate::protocol::{Display, ToolSpec};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use output::Output;
use process::{Running, Start, seconds};
use serde_json::{Value, json};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::time::{Instant, sleep, sleep_until, timeout};
pub use watch::{WATCH_ARGUMENT, WatchCommand, watch_main};

/// Milliseconds that a command may run when the call does not say.
const DEFAULT_TIMEOUT: u64 = 120_000;
/// Milliseconds that a command may run at most.
const MAX_TIMEOUT: u64 = 600_000;
/// How long output is waited for after the shell's end.
const DRAIN: Duration = Duration::from_millis(300);
/// Between two reports of the output.
const PROGRESS: Duration = Duration::from_millis(100);
/// How long an interrupted shell is waited for before the call returns; what does not end is ended later.
const CANCEL_WAIT: Duration = Duration::from_millis(100);

/// The tool.
#[derive(Debug)]
pub struct Bash {
    watcher: Arc<watch::Watcher>,
    /// Makes file names unique.
    count: AtomicU64,
}

impl Default for Bash {
    fn default() -> Self {
        Self::with_watch(WatchCommand::default())
    }
}

/// How a command ended.
#[derive(Debug)]
enum End {
    Exited(ExitStatus),
    TimedOut(Duration),
    Cancelled,
    /// The system could not say.
    Lost(std::io::Error),
}

impl Bash {
    /// The tool with another watching process than the running executable.
    #[must_use]
    pub fn with_watch(command: WatchCommand) -> Self {
        Self { watcher: Arc::new(watch::Watcher::new(command)), count: AtomicU64::new(0) }
    }

    async fn run_command(&self, input: &Input, ctx: &ToolContext) -> Outcome {
        let line = match command_of(input) {
            Ok(line) => line,
            Err(e) => return Outcome::error(e),
        };
        let mut notes = Vec::new();
        let (limit, note) = limit(input, ctx);
        notes.extend(note);
        let dir = folder(ctx, &mut notes);
        let began = std::time::Instant::now();
        let start = Start { line, dir: &dir, hidden_env: &ctx.hidden_env, read_only: ctx.read_only, watcher: &self.watcher };
        let mut running = match process::start(&start) {
            Ok(running) => running,
            Err(e) => return Outcome::error(format!("The command could not be started in {}: {e}", dir.display())),
        };
        let mut output = Output::new(self.spill_path(ctx));
        let end = follow(&mut running, &mut output, limit, ctx).await;
        let is_open = match &end {
            End::Exited(_) | End::Lost(_) => !drain(&mut running, &mut output, DRAIN).await,
            End::TimedOut(_) | End::Cancelled => {
                stop(&mut running, &mut output, matches!(end, End::Cancelled)).await;
                false
            }
        };
        output.finish().await;
        (ctx.progress)(output.progress());
        if matches!(end, End::Exited(_))
            && !ctx.background
            && let Some(dir) = running.last_dir()
        {
            *ctx.shell_cwd.lock().unwrap_or_else(PoisonError::into_inner) = dir;
        }
        if matches!(end, End::Exited(_) | End::Lost(_)) {
            notes.extend(leave(running, is_open));
        }
        outcome(&output, &end, &notes, began)
    }

    /// Where the whole of a long output goes: named after the call, never an existing file.
    fn spill_path(&self, ctx: &ToolContext) -> PathBuf {
        let call: String = ctx.call.to_string().chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).take(64).collect();
        loop {
            let n = self.count.fetch_add(1, Ordering::Relaxed);
            let path = ctx.spill_dir.join(format!("bash-{}-{call}-{n}.txt", ctx.agent));
            if std::fs::symlink_metadata(&path).is_err() {
                return path;
            }
        }
    }
}

fn command_of(input: &Input) -> Result<&str, String> {
    let line = input.get("command").and_then(Value::as_str).ok_or("`command` is missing or not a string.")?;
    if line.trim().is_empty() {
        return Err("`command` is empty.".into());
    }
    if line.contains('\0') {
        return Err("`command` holds a NUL character, which no command line can.".into());
    }
    Ok(line)
}

/// How long it may run; none for a background task. With a note when that is less than was asked for.
fn limit(input: &Input, ctx: &ToolContext) -> (Option<Duration>, Option<String>) {
    if ctx.background {
        return (None, None);
    }
    let asked = input.get("timeout").and_then(Value::as_u64);
    let ms = asked.filter(|ms| *ms > 0).unwrap_or(DEFAULT_TIMEOUT);
    let note =
        (ms > MAX_TIMEOUT).then(|| format!("[The timeout of {ms} ms is above the maximum; {MAX_TIMEOUT} ms hold. Use run_in_background for longer commands.]"));
    (Some(Duration::from_millis(ms.min(MAX_TIMEOUT))), note)
}

/// The agent's folder; the workspace, with a note, when it is gone (CASES C06).
fn folder(ctx: &ToolContext, notes: &mut Vec<String>) -> PathBuf {
    let mut cwd = ctx.shell_cwd.lock().unwrap_or_else(PoisonError::into_inner);
    if !cwd.is_dir() {
        notes.push(format!("[The working directory {} is gone; this ran in {}.]", cwd.display(), ctx.workspace.display()));
        cwd.clone_from(&ctx.workspace);
    }
    cwd.clone()
}

/// Read until the shell ends, the time is over, or somebody interrupts.
async fn follow(running: &mut Running, output: &mut Output, limit: Option<Duration>, ctx: &ToolContext) -> End {
    let mut deadline = limit.map(|l| Instant::now() + l);
    let mut buffer = vec![0; 64 * 1024];
    let mut is_open = true;
    let mut is_new = false;
    let mut next_report = Instant::now();
    loop {
        tokio::select! {
            biased;
            () = ctx.cancel.cancelled() => return End::Cancelled,
            () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => return End::TimedOut(limit.unwrap_or_default()),
            () = ctx.detached.cancelled(), if deadline.is_some() => deadline = None,
            status = running.child.wait() => return status.map_or_else(End::Lost, End::Exited),
            () = sleep_until(next_report), if is_new => {
                (ctx.progress)(output.progress());
                is_new = false;
                next_report = Instant::now() + PROGRESS;
            }
            read = running.output.read(&mut buffer), if is_open => match read {
                Ok(0) | Err(_) => is_open = false,
                Ok(n) => {
                    output.push(&buffer[..n]).await;
                    is_new = true;
                }
            },
        }
    }
}

/// What is still in the pipe. True when all of its writers are gone; false when one still holds it after `quiet` without its end.
async fn drain(running: &mut Running, output: &mut Output, quiet: Duration) -> bool {
    let all = async {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match running.output.read(&mut buffer).await {
                Ok(0) | Err(_) => return,
                Ok(n) => output.push(&buffer[..n]).await,
            }
        }
    };
    timeout(quiet, all).await.is_ok()
}

/// End the group: after an interrupt without waiting for those who do not listen, after a timeout until nothing is left.
async fn stop(running: &mut Running, output: &mut Output, is_cancelled: bool) {
    running.group.end();
    let wait = if is_cancelled { CANCEL_WAIT } else { watch::GRACE };
    let gone = async {
        let _ = running.child.wait().await;
        while running.group.is_alive() {
            sleep(Duration::from_millis(5)).await;
        }
    };
    if timeout(wait, gone).await.is_err() && !is_cancelled {
        running.group.kill();
        let _ = timeout(watch::GRACE, running.child.wait()).await;
    }
    drain(running, output, Duration::from_millis(20)).await;
}

/// Let go of what the command left behind, with a note when that is anything (CASES C02).
fn leave(running: Running, is_open: bool) -> Option<String> {
    let number = running.group.number();
    let Running { group, output, .. } = running;
    if group.let_go(is_open.then_some(output)) {
        return Some(format!(
            "[Something that this command started still runs in the background (process group {number}). It ends with tui-agent; its further output is not kept.]"
        ));
    }
    is_open.then(|| "[Something that this command started still runs in a session of its own and holds its output open. tui-agent does not end it.]".into())
}

fn outcome(output: &Output, end: &End, notes: &[String], began: std::time::Instant) -> Outcome {
    let code = match end {
        End::Exited(status) => status.code(),
        End::TimedOut(_) | End::Cancelled | End::Lost(_) => None,
    };
    let (last, summary) = match end {
        End::Exited(status) => match (status.code(), status.signal()) {
            (Some(0), _) => (String::new(), "exit 0".into()),
            (Some(code), _) => (format!("exit code {code}"), format!("exit {code}")),
            (None, signal) => {
                let signal = signal.unwrap_or_default();
                (format!("ended by signal {signal} (exit code {})", 128 + signal), format!("signal {signal}"))
            }
        },
        End::TimedOut(limit) => {
            let text = format!("The command timed out after {} s and was stopped with everything that it had started.", limit.as_secs_f64());
            (text, format!("timed out after {} s", limit.as_secs_f64()))
        }
        End::Cancelled => ("The command was interrupted and stopped with everything that it had started.".into(), "interrupted".into()),
        End::Lost(e) => (format!("The command's end is not known: {e}"), "lost".into()),
    };
    let is_error = !matches!(end, End::Exited(status) if status.success());
    let body = output.result();
    let body = if body.trim().is_empty() { "(no output)".to_owned() } else { body };
    let text = std::iter::once(body).chain(notes.iter().cloned()).chain((!last.is_empty()).then_some(last)).collect::<Vec<_>>().join("\n");
    let text = if text.chars().count() > output::MAX_RESULT { text.chars().take(output::MAX_RESULT).collect() } else { text };
    let summary = format!("{summary} · {}", seconds(began));
    let display = Display::Command { output: output.display(), exit: code };
    Outcome { text, is_error, summary, display, exit: code, ..Outcome::default() }
}

impl Tool for Bash {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Bash".into(),
            description: include_str!("description.md").trim_end().into(),
            schema: json!({
                "type": "object",
                "properties": {
                    "command": {"type": "string", "description": "The command line."},
                    "timeout": {"type": "integer", "description": "Milliseconds until it is stopped (120000; 600000 at most).", "minimum": 1},
                    "run_in_background": {"type": "boolean", "description": "Start it and return at once."},
                    "description": {"type": "string", "description": "What it does, in five to ten words."}
                },
                "required": ["command"],
                "additionalProperties": false
            }),
        }
    }

    fn class(&self, _input: &Input) -> Class {
        Class::Write
    }

    fn access(&self, input: &Input, _ctx: &ToolContext) -> Result<Access, String> {
        Ok(Access { command: Some(command_of(input)?.to_owned()), ..Access::default() })
    }

    fn title(&self, input: &Input) -> String {
        input.get("command").and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    fn engine_call(&self, input: &Input) -> Result<Option<EngineCall>, String> {
        if input.get("run_in_background").and_then(Value::as_bool) != Some(true) {
            return Ok(None);
        }
        let line = command_of(input)?;
        let words = input.get("description").and_then(Value::as_str).filter(|d| !d.trim().is_empty());
        let description = words.map_or_else(|| crate::util::text::one_line(line, 60), str::to_owned);
        Ok(Some(EngineCall::Background { description }))
    }

    fn run<'a>(&'a self, input: &'a Input, ctx: &'a ToolContext) -> BoxFuture<'a, Outcome> {
        self.run_command(input, ctx).boxed()
    }
}
