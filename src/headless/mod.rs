//! The same engine without a screen (SPEC O1): one prompt, or lines of a script run; text, JSON, or JSON lines.
//!
//! Must not: draw, or know how the engine works: it folds events like the interface does.

mod result;
#[cfg(test)]
mod tests;
mod trace;

pub use result::{Tally, exit_code};
pub use trace::Trace;

use crate::cli::OutputFormat;
use crate::commands::{self, Outcome, Parsed};
use crate::protocol::{AgentId, Ending, Event, EventKind, Level, Op};
use std::collections::VecDeque;
use std::io::{IsTerminal, Write};
use tokio::sync::mpsc;

/// What is to be done.
pub struct Job {
    /// Prompts and slash commands, played in order; each waits until the one before has settled.
    pub lines: VecDeque<String>,
    /// Lines may be slash commands, and each turn's text is printed as it ends.
    pub script: bool,
    /// How to print.
    pub format: OutputFormat,
    /// Wait for background tasks.
    pub wait: bool,
    /// Where the trace goes.
    pub trace: Option<Trace>,
}

/// Run a job; returns the exit code.
///
/// # Errors
/// Standard output cannot be written.
pub async fn run(job: Job, ops: mpsc::Sender<Op>, mut events: mpsc::Receiver<Event>) -> std::io::Result<u8> {
    let mut run = Run { tally: Tally::default(), own: Vec::new(), progress: std::io::stderr().is_terminal(), started: false, leaving: false, job };
    let mut signals = Signals::new();
    loop {
        tokio::select! {
            event = events.recv() => match event {
                Some(event) => if run.take(event, &ops).await? { break },
                None => break,
            },
            () = signals.next() => {
                run.tally.interrupted = true;
                run.leaving = true;
                let _ = ops.send(Op::Shutdown { ending: Ending::Cancelled }).await;
            }
        }
    }
    run.finish()
}

struct Run {
    job: Job,
    tally: Tally,
    own: Vec<(String, String)>,
    progress: bool,
    started: bool,
    leaving: bool,
}

impl Run {
    /// One event; true at the end.
    #[expect(clippy::wildcard_enum_match_arm, reason = "a run without a screen looks at a few kinds only")]
    async fn take(&mut self, event: Event, ops: &mpsc::Sender<Op>) -> std::io::Result<bool> {
        if let Some(trace) = &mut self.job.trace {
            trace.take(&event);
        }
        if self.job.format == OutputFormat::StreamJson {
            Self::print_line(&serde_json::to_string(&event)?)?;
        }
        self.tally.take(&event);
        match &event.kind {
            EventKind::Commands { commands } => self.own.clone_from(commands),
            EventKind::Notice { level, text, hint } => self.notice(*level, text, hint)?,
            EventKind::ToolStarted { name, title, .. } if self.progress => Self::progress_line(event.agent, &format!("{name} {title}"))?,
            EventKind::AgentFinished { outcome } if self.progress => Self::progress_line(event.agent, &format!("ended: {}", outcome.ending.name()))?,
            EventKind::TurnEnded { .. } if event.agent.is_main() => self.turn_ended(ops).await?,
            EventKind::Settled if !self.leaving => self.next(ops).await?,
            EventKind::Closed => return Ok(true),
            _ => {}
        }
        Ok(false)
    }

    async fn turn_ended(&mut self, ops: &mpsc::Sender<Op>) -> std::io::Result<()> {
        let text = self.tally.text.trim().to_owned();
        if self.job.script && self.job.format == OutputFormat::Text && !text.is_empty() {
            Self::print_line(&text)?;
        }
        if !self.job.wait && self.job.lines.is_empty() {
            self.leave(ops).await;
        }
        Ok(())
    }

    /// Everything is at rest: the next line, or the end.
    async fn next(&mut self, ops: &mpsc::Sender<Op>) -> std::io::Result<()> {
        self.started = true;
        while let Some(line) = self.job.lines.pop_front() {
            if self.job.script && line.trim().is_empty() {
                continue;
            }
            let op = if self.job.script { self.op_of(line.trim())? } else { Some(Op::UserTurn { text: line, images: Vec::new() }) };
            match op {
                Some(op) => {
                    let _ = ops.send(op).await;
                    return Ok(());
                }
                None if self.leaving => break,
                None => {}
            }
        }
        self.leave(ops).await;
        Ok(())
    }

    async fn leave(&mut self, ops: &mpsc::Sender<Op>) {
        self.leaving = true;
        let _ = ops.send(Op::Shutdown { ending: Ending::Cancelled }).await;
    }

    /// A line of a script run as an op; none when it needs no engine.
    fn op_of(&mut self, line: &str) -> std::io::Result<Option<Op>> {
        if let Some(text) = line.strip_prefix("# ") {
            return Ok(Some(Op::Remember { text: text.into(), user: false }));
        }
        if let Some(command) = line.strip_prefix('!') {
            return Ok(Some(Op::Shell { command: command.trim().into(), background: false }));
        }
        match commands::parse(line, &self.own) {
            Parsed::NotACommand => Ok(Some(Op::UserTurn { text: line.into(), images: Vec::new() })),
            Parsed::Own(name, args) => Ok(Some(Op::Slash { name: name.into(), args: args.into() })),
            Parsed::Unknown(name, nearest) => {
                let near = nearest.map_or(String::new(), |n| format!("; did you mean /{n}?"));
                self.notice(Level::Warning, &format!("There is no command /{name}{near}"), "")?;
                Ok(None)
            }
            Parsed::Builtin(command, args) => match (command.name, (command.run)(args)) {
                ("exit", _) => {
                    self.leaving = true;
                    self.job.lines.clear();
                    Ok(None)
                }
                ("agents", _) => Ok(Some(Op::Report { what: "agents".into(), args: args.into() })),
                (_, Outcome::Op(op)) => Ok(Some(op)),
                (name, Outcome::Action(_) | Outcome::Theme(_)) => {
                    self.notice(Level::Warning, &format!("/{name} needs the screen"), "")?;
                    Ok(None)
                }
            },
        }
    }

    fn notice(&mut self, level: Level, text: &str, hint: &str) -> std::io::Result<()> {
        let hint = if hint.is_empty() { String::new() } else { format!(" ({hint})") };
        match level {
            Level::Output if self.job.format == OutputFormat::Text => Self::print_line(text),
            Level::Info if self.progress => writeln!(std::io::stderr(), "{text}{hint}"),
            Level::Output | Level::Info => Ok(()),
            Level::Warning => writeln!(std::io::stderr(), "warning: {text}{hint}"),
            Level::Error => writeln!(std::io::stderr(), "error: {text}{hint}"),
        }
    }

    fn progress_line(agent: AgentId, text: &str) -> std::io::Result<()> {
        writeln!(std::io::stderr(), "  {agent} {text}")
    }

    fn print_line(text: &str) -> std::io::Result<()> {
        let mut out = std::io::stdout().lock();
        out.write_all(text.as_bytes())?;
        out.write_all(b"\n")?;
        out.flush()
    }

    fn finish(mut self) -> std::io::Result<u8> {
        if let Some(trace) = &mut self.job.trace {
            trace.flush();
        }
        match self.job.format {
            OutputFormat::Text if !self.job.script => {
                let text = self.tally.text.trim();
                if !text.is_empty() {
                    Self::print_line(text)?;
                }
            }
            OutputFormat::Text => {}
            OutputFormat::Json | OutputFormat::StreamJson => Self::print_line(&self.tally.object().to_string())?,
        }
        if let Some(error) = self.tally.error()
            && self.job.format == OutputFormat::Text
        {
            let hint = if error.hint.is_empty() { String::new() } else { format!("\n  {}", error.hint) };
            writeln!(std::io::stderr(), "error: {} ({}){hint}", error.message, error.kind)?;
        }
        Ok(exit_code(&self.tally))
    }
}

/// SIGINT, SIGTERM and SIGHUP.
struct Signals {
    #[cfg(unix)]
    all: Vec<tokio::signal::unix::Signal>,
}

impl Signals {
    #[cfg(unix)]
    fn new() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        Self { all: kinds.into_iter().filter_map(|k| signal(k).ok()).collect() }
    }

    #[cfg(unix)]
    async fn next(&mut self) {
        let waits: Vec<_> = self.all.iter_mut().map(|s| Box::pin(s.recv())).collect();
        if waits.is_empty() {
            return std::future::pending().await;
        }
        futures_util::future::select_all(waits).await;
    }

    #[cfg(not(unix))]
    fn new() -> Self {
        Self {}
    }

    #[cfg(not(unix))]
    async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
