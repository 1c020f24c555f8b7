//! The connections: every server in a task of its own, started at once, each with its limits.
//!
//! Must not: make a caller wait, start a server again by itself, or leave a process behind.

use super::config::{Endpoint, Server};
use super::http::{self, causes};
use super::log::Log;
use super::process::{Pipes, Process};
use super::secrets::Secrets;
use super::state::{McpEvent, State};
use super::tool::{McpTool, Place, seconds};
use super::{lines, list, names};
use crate::tools::Tool;
use crate::util::clean::clean;
use crate::util::text::one_line;
use rmcp::model::{ClientCapabilities, ClientConfig, Implementation};
use rmcp::service::ClientInitializeError;
use rmcp::transport::IntoTransport;
use rmcp::{RoleClient, ServiceExt as _};
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// How long [`Connections::shutdown`] may take.
const SHUTDOWN: Duration = Duration::from_secs(1);
/// How long a connection may take to say goodbye.
const GOODBYE: Duration = Duration::from_millis(200);
/// Characters of a reason.
const MAX_REASON: usize = 500;

/// Takes what happened; called from the background tasks, must not block.
pub type Report = Arc<dyn Fn(McpEvent) + Send + Sync>;

/// How long servers may take.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// From the start to the list of tools.
    pub start: Duration,
    /// A call, when the server's configuration says nothing else.
    pub call: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { start: Duration::from_secs(30), call: Duration::from_mins(2) }
    }
}

/// The servers of a session. They end when this is dropped.
pub struct Connections {
    tasks: JoinSet<()>,
    stop: CancellationToken,
    rows: Vec<Row>,
}

/// What is known of a server.
struct Row {
    name: String,
    shown: String,
    state: watch::Receiver<State>,
    log: Log,
}

/// Start all servers at the same time, in the background. Must be called inside the runtime. `hidden_env` names variables
/// that no server gets to see, unless its own configuration sets them.
#[must_use]
pub fn start(servers: Vec<Server>, hidden_env: Vec<String>, report: Report) -> Connections {
    start_with(servers, hidden_env, report, Limits::default())
}

/// As [`start`], with other limits.
#[must_use]
pub fn start_with(servers: Vec<Server>, hidden_env: Vec<String>, report: Report, limits: Limits) -> Connections {
    let stop = CancellationToken::new();
    let mut all = Connections { tasks: JoinSet::new(), stop: stop.clone(), rows: Vec::new() };
    let shared = Arc::new(Shared { report, hidden_env, stop, limits });
    let parts = names::servers(servers.iter().map(|s| s.name.as_str()));
    for (server, part) in servers.into_iter().zip(parts) {
        let (state, seen) = watch::channel(State::Starting);
        let (log, secrets) = (Log::default(), Secrets::of(&server));
        all.rows.push(Row { name: server.name.clone(), shown: secrets.hide(&server.shown()), state: seen, log: log.clone() });
        let job = Job { server, part, secrets, log, state, shared: Arc::clone(&shared) };
        all.tasks.spawn(job.run());
    }
    all
}

impl Connections {
    /// For `/mcp`: one line per server, clean, without secrets: its name, how it stands, what it runs.
    #[must_use]
    pub fn status_lines(&self) -> Vec<String> {
        let line = |row: &Row| {
            let state = match &*row.state.borrow() {
                State::Starting => "starting".to_owned(),
                State::Ready { tools: 1 } => "ready, 1 tool".to_owned(),
                State::Ready { tools } => format!("ready, {tools} tools"),
                State::Failed(reason) => format!("failed: {reason}"),
                State::Closed(reason) => format!("ended: {reason}"),
                State::Stopped => "stopped".to_owned(),
            };
            let noise = match row.log.noise_lines() {
                0 => String::new(),
                1 => "; 1 line of output that is no message was skipped".to_owned(),
                n => format!("; {n} lines of output that are no messages were skipped"),
            };
            format!("{}: {state}{noise} ({})", one_line(&row.name, 60), one_line(&clean(&row.shown), 120))
        };
        self.rows.iter().map(line).collect()
    }

    /// Wait until no server is starting any more, or for `at_most`. For headless runs; the screen never waits.
    pub async fn settled(&self, at_most: Duration) {
        let all = async {
            for row in &self.rows {
                let mut state = row.state.clone();
                // An error means that its task is gone: then it is settled too.
                let _ = state.wait_for(|s| *s != State::Starting).await;
            }
        };
        let _ = timeout(at_most, all).await;
    }

    /// End all servers: their input is closed, then TERM, then KILL to what is left. Takes a second at most.
    pub async fn shutdown(mut self) {
        self.stop.cancel();
        let all = async { while self.tasks.join_next().await.is_some() {} };
        if timeout(SHUTDOWN, all).await.is_err() {
            // What is dropped kills its group.
            self.tasks.abort_all();
        }
    }
}

impl std::fmt::Debug for Connections {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.status_lines()).finish()
    }
}

/// How a connection ended.
enum End {
    /// By us.
    Stopped,
    /// It never was ready.
    Failed(String),
    /// By the server.
    Closed(String),
}

/// What all tasks use.
struct Shared {
    report: Report,
    hidden_env: Vec<String>,
    stop: CancellationToken,
    limits: Limits,
}

/// One server's task.
struct Job {
    server: Server,
    part: String,
    secrets: Secrets,
    log: Log,
    state: watch::Sender<State>,
    shared: Arc<Shared>,
}

impl Job {
    async fn run(self) {
        let end = match &self.server.endpoint {
            Endpoint::Stdio { command, .. } => match Process::spawn(&self.server, &self.shared.hidden_env) {
                Ok((process, pipes)) => self.over_pipes(process, pipes).await,
                Err(e) => End::Failed(format!("cannot run {command}: {e}")),
            },
            Endpoint::Http { url, headers } => match http::transport(url, headers) {
                Ok(transport) => self.session(transport).await,
                Err(why) => End::Failed(why),
            },
        };
        let server = self.server.name.clone();
        // Reported first: who waits until the servers are settled has seen all events then.
        let state = match end {
            End::Stopped => State::Stopped,
            End::Failed(why) => {
                let reason = self.clean(&why);
                (self.shared.report)(McpEvent::Failed { server, reason: reason.clone() });
                State::Failed(reason)
            }
            End::Closed(why) => {
                let reason = self.clean(&why);
                (self.shared.report)(McpEvent::Closed { server, reason: reason.clone() });
                State::Closed(reason)
            }
        };
        self.state.send_replace(state);
    }

    /// A child process: its messages filtered, its other words kept, its end told with the reason.
    async fn over_pipes(&self, process: Process, pipes: Pipes) -> End {
        let words = AbortOnDropHandle::new(tokio::spawn(self.log.clone().drain(pipes.stderr)));
        let (filtered, reader) = tokio::io::duplex(64 * 1024);
        let filter = AbortOnDropHandle::new(tokio::spawn(lines::pump(pipes.stdout, filtered, self.log.clone())));
        let end = self.session((reader, pipes.stdin)).await;
        let status = process.stop().await;
        // The last words may still be on their way; somebody who left the group may hold the pipe open.
        let _ = timeout(GOODBYE, words).await;
        drop(filter);
        match end {
            End::Stopped => End::Stopped,
            End::Failed(why) => End::Failed(self.with_words(&why, status)),
            End::Closed(why) => End::Closed(self.with_words(&why, status)),
        }
    }

    /// From the handshake to the end.
    async fn session<T, E, A>(&self, transport: T) -> End
    where
        T: IntoTransport<RoleClient, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        let begin = async {
            let running = client_info().serve(transport).await.map_err(|e| self.why_no_start(&e))?;
            let offers = list::tools(&running, &self.server.name, &self.part).await.map_err(|e| format!("the list of tools: {}", causes(&e)))?;
            Ok::<_, String>((running, offers))
        };
        let (running, offers) = tokio::select! {
            () = self.shared.stop.cancelled() => return End::Stopped,
            ready = timeout(self.shared.limits.start, begin) => match ready {
                Ok(Ok(ready)) => ready,
                Ok(Err(why)) => return End::Failed(why),
                Err(_) => return End::Failed(format!("no answer within {}", seconds(self.shared.limits.start))),
            },
        };
        let place = Place { server: self.server.name.clone(), secrets: self.secrets.clone(), peer: running.peer().clone(), state: self.state.subscribe() };
        let place = Arc::new(place);
        let limit = self.server.timeout.unwrap_or(self.shared.limits.call);
        let tools: Vec<Arc<dyn Tool>> = offers.into_iter().map(|offer| -> Arc<dyn Tool> { Arc::new(McpTool::new(offer, &place, limit)) }).collect();
        let count = tools.len();
        (self.shared.report)(McpEvent::Ready { server: self.server.name.clone(), tools });
        self.state.send_replace(State::Ready { tools: count });
        let goodbye = running.cancellation_token();
        let mut ended = std::pin::pin!(running.waiting());
        tokio::select! {
            () = self.shared.stop.cancelled() => {
                goodbye.cancel();
                let _ = timeout(GOODBYE, ended).await;
                End::Stopped
            }
            _ = &mut ended => End::Closed("it closed the connection".to_owned()),
        }
    }

    fn why_no_start(&self, error: &ClientInitializeError) -> String {
        let old = "; if it speaks only the old SSE transport, it is not supported";
        match (&self.server.endpoint, error) {
            (Endpoint::Stdio { .. }, ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. }) => {
                "it ended before it answered".to_owned()
            }
            (Endpoint::Http { .. }, e) if e.is_authorization_required() => {
                "it wants authorization: put a token into its headers (OAuth is not supported)".to_owned()
            }
            (Endpoint::Http { .. }, e) => format!("{}{old}", one_line(&causes(e), MAX_REASON - old.len())),
            (Endpoint::Stdio { .. }, e) => causes(e),
        }
    }

    /// A reason with how the process ended and what it said last.
    fn with_words(&self, why: &str, status: Option<ExitStatus>) -> String {
        // A signal is ours, most of the time, and says nothing.
        let code = status.and_then(|s| s.code()).map_or_else(String::new, |code| format!(" (exit code {code})"));
        let said = self.log.last(300);
        let said = if said.is_empty() { said } else { format!(": {said}") };
        format!("{}{code}{said}", one_line(why, 200))
    }

    fn clean(&self, why: &str) -> String {
        one_line(&clean(&self.secrets.hide(why)), MAX_REASON)
    }
}

/// Who we are. No capabilities: a server cannot ask us for anything.
fn client_info() -> ClientConfig {
    ClientConfig::new(ClientCapabilities::default(), Implementation::new("tui-agent", env!("CARGO_PKG_VERSION")))
}
