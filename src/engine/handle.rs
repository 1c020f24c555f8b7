//! How the engine is started, and the two channels that lead to it.

use super::library::Library;
use super::run::Engine;
use crate::config::{Config, Paths};
use crate::protocol::{Event, Level, Op};
use crate::providers::{Provider, ProviderError};
use futures_util::future::BoxFuture;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Events that may wait for the interface.
pub const EVENT_CHANNEL: usize = 256;
/// Ops that may wait for the engine.
pub const OP_CHANNEL: usize = 256;

/// A provider and a model, chosen.
#[derive(Clone)]
pub struct Chosen {
    /// The provider.
    pub provider: Arc<dyn Provider>,
    /// The model's name.
    pub model: String,
    /// How it was chosen, for the person.
    pub why: String,
}

/// Chooses a provider: (provider name, model name), each None for the configured or found one.
pub type Choose = Arc<dyn Fn(Option<String>, Option<String>) -> BoxFuture<'static, Result<Chosen, ProviderError>> + Send + Sync>;

/// Which session to open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SessionChoice {
    /// A fresh one.
    New,
    /// The newest of this folder.
    Continue,
    /// One by its id, or the beginning of it.
    Resume(String),
}

/// What the engine needs to know. Nothing here was loaded from the project yet: the screen comes first.
#[derive(Clone)]
pub struct Setup {
    /// Resolved configuration of the user and the flags.
    pub config: Config,
    /// Reads the configuration again with the project's files, once they are trusted.
    pub reconfigure: Arc<dyn Fn() -> Config + Send + Sync>,
    /// Where things are on disk.
    pub paths: Paths,
    /// The project folder, resolved.
    pub workspace: PathBuf,
    /// Chooses the provider.
    pub choose: Choose,
    /// Variables that commands must not see.
    pub hidden_env: Vec<String>,
    /// Values that must not stand in any file or on the screen (keys).
    pub secrets: Vec<String>,
    /// Whether a person can be asked.
    pub interactive: bool,
    /// Looks a variable of the environment up, for the configuration of servers.
    pub lookup: fn(&str) -> Option<String>,
    /// Which session to open.
    pub session: SessionChoice,
    /// `--trust`: the project's files count for this run.
    pub trust: bool,
    /// The mode was named on the command line.
    pub mode_given: bool,
    /// `bypass` can be reached with Shift+Tab.
    pub bypass_allowed: bool,
    /// Notices to show at the start.
    pub notices: Vec<(Level, String, String)>,
}

/// The two ends that the interface holds.
pub struct Handle {
    /// Requests to the engine.
    pub ops: mpsc::Sender<Op>,
    /// What happens. Ends with `Closed`.
    pub events: mpsc::Receiver<Event>,
    /// The engine's task; ends after `Closed`.
    pub task: JoinHandle<()>,
}

/// Start the engine in a task of its own.
#[must_use]
pub fn spawn(setup: Setup) -> Handle {
    let (ops, op_rx) = mpsc::channel(OP_CHANNEL);
    let (event_tx, events) = mpsc::channel(EVENT_CHANNEL);
    let task = tokio::spawn(async move {
        Engine::new(setup, Library::new()).run(op_rx, event_tx).await;
    });
    Handle { ops, events, task }
}
