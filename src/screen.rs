//! The full screen: connects the engine's two channels with the interface, and remembers what the interface needs of
//! the environment.

use crate::app::{Edge, tilde};
use crate::config::keymap::Keymap;
use crate::engine::{self, Setup};
use crate::headless::Trace;
use crate::protocol::{Event, Level};
use crate::ui::run::{Exit, ExitReason};
use crate::ui::theme::Theme;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// Run the interface until it ends; returns the exit code.
///
/// # Errors
/// The terminal cannot be used.
pub fn run(mut setup: Setup, edge: &Arc<Edge>, prompt: Option<String>, trace: Option<Trace>, env: fn(&str) -> Option<String>) -> anyhow::Result<u8> {
    let (keymap, warnings) = Keymap::load(&setup.config.keys, &edge.paths.config_file());
    setup.notices.extend(warnings.iter().map(|w| (Level::Warning, w.to_string(), String::new())));
    let no_color = env("NO_COLOR").is_some_and(|v| !v.is_empty());
    let themes = edge.paths.config.join("themes");
    let theme = match Theme::load(&setup.config.ui.theme, Some(&themes), no_color) {
        Ok(theme) => theme,
        Err(why) => {
            setup.notices.push((Level::Warning, why, "see /theme".into()));
            Theme::default()
        }
    };
    let screen = crate::ui::run::Setup {
        config: setup.config.ui.clone(),
        keymap,
        theme,
        no_color,
        themes_dir: Some(themes),
        history_file: Some(edge.paths.state.join("history")),
        state_file: Some(edge.paths.state.join("screen.toml")),
        workspace: edge.workspace.clone(),
        folder: tilde(&edge.workspace, &edge.paths.home),
        initial_prompt: prompt,
        bypass_allowed: setup.bypass_allowed,
        editor: env("VISUAL").or_else(|| env("EDITOR")),
        pager: env("PAGER"),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let exit = runtime.block_on(async move {
        let handle = engine::spawn(setup);
        let events = match trace {
            Some(trace) => traced(handle.events, trace),
            None => handle.events,
        };
        let exit = crate::ui::run::run(events, handle.ops, screen).await;
        // Processes get their time to end; then the program ends in any case.
        let _ = tokio::time::timeout(Duration::from_secs(4), handle.task).await;
        exit
    })?;
    runtime.shutdown_timeout(Duration::from_millis(100));
    farewell(&exit, edge)
}

/// The same events, with a look at each for the trace.
fn traced(mut events: mpsc::Receiver<Event>, mut trace: Trace) -> mpsc::Receiver<Event> {
    let (sender, receiver) = mpsc::channel(engine::handle::EVENT_CHANNEL);
    tokio::spawn(async move {
        while let Some(event) = events.recv().await {
            trace.take(&event);
            if sender.send(event).await.is_err() {
                break;
            }
        }
        trace.flush();
    });
    receiver
}

/// What stands in the terminal afterwards: how to go on, if there is something to go on with.
fn farewell(exit: &Exit, edge: &Edge) -> anyhow::Result<u8> {
    let mut out = std::io::stdout().lock();
    if let Some(failure) = &exit.failure {
        writeln!(std::io::stderr(), "error: the engine broke: {failure}\n  the session is saved up to that moment; please report this")?;
    }
    let saved = exit.session.as_ref().filter(|id| edge.paths.session_file(&edge.workspace, id).is_file());
    if let Some(id) = saved {
        writeln!(out, "Go on with this session: tui-agent --resume {}", id.get(..8).unwrap_or(id))?;
    }
    Ok(match exit.reason {
        ExitReason::Quit if exit.failure.is_none() => 0,
        ExitReason::Quit | ExitReason::EngineEnded => 1,
        ExitReason::Signal(n) => u8::try_from(128 + n).unwrap_or(1),
    })
}
