//! A server's tool as one of ours.
//!
//! Must not: say that a call only reads (a server's hint is no promise), or end a turn: whatever fails is an error result.

use super::content;
use super::http::causes;
use super::list::Offer;
use super::secrets::Secrets;
use super::state::State;
use crate::protocol::ToolSpec;
use crate::tools::cap::spill;
use crate::tools::{Access, Class, Input, Outcome, Tool, ToolContext};
use crate::util::clean::clean;
use crate::util::text::one_line;
use futures_util::future::BoxFuture;
use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest, ServerResult};
use rmcp::service::{PeerRequestOptions, RequestHandle};
use rmcp::{Peer, RoleClient, ServiceError};
use serde_json::Value;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;

/// How long to wait for the reason after a server went away during a call.
const REASON: Duration = Duration::from_millis(1_500);
/// Characters of an error.
const MAX_WORDS: usize = 1_000;
/// Characters of one argument in a title.
const SHOWN_ARGUMENT: usize = 60;

/// Where a server's tools are called.
pub(super) struct Place {
    pub(super) server: String,
    pub(super) secrets: Secrets,
    pub(super) peer: Peer<RoleClient>,
    pub(super) state: watch::Receiver<State>,
}

impl Place {
    fn gone(&self, reason: &str) -> String {
        format!("MCP server {} is not running: {reason}. Its tools cannot be used until it is started again (/reload)", self.server)
    }

    async fn gone_during_call(&self) -> String {
        let mut state = self.state.clone();
        let reason = timeout(REASON, state.wait_for(|s| s.over().is_some())).await;
        let reason = reason.ok().and_then(Result::ok).and_then(|s| s.over().map(str::to_owned));
        self.gone(&reason.unwrap_or_else(|| "the connection was closed".to_owned()))
    }
}

/// A tool of a server.
pub(super) struct McpTool {
    spec: ToolSpec,
    raw: String,
    at: Arc<Place>,
    limit: Duration,
}

impl McpTool {
    /// `limit` is how long a call may take.
    pub(super) fn new(offer: Offer, at: &Arc<Place>, limit: Duration) -> Self {
        Self { spec: offer.spec, raw: offer.raw, at: Arc::clone(at), limit }
    }

    /// The server's answer.
    ///
    /// # Errors
    /// In words for the model.
    async fn ask(&self, input: &Input) -> Result<Value, String> {
        if let Some(reason) = self.at.state.borrow().over() {
            return Err(self.at.gone(reason));
        }
        let params = CallToolRequestParams::new(self.raw.clone()).with_arguments(input.clone());
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let call = async { Asked(Some(self.at.peer.send_request_with_option(request, PeerRequestOptions::no_options()).await?)).answer().await };
        let Ok(answer) = timeout(self.limit, call).await else {
            return Err(format!("{} did not answer within {}; the call was cancelled, but may have had effects", self.name(), seconds(self.limit)));
        };
        match answer {
            Ok(result) => serde_json::to_value(result).map_err(|e| format!("{}: {e}", self.name())),
            Err(e) => Err(self.words(&e).await),
        }
    }

    /// An error for the model: without secrets, and without the library's names of types.
    async fn words(&self, error: &ServiceError) -> String {
        if matches!(error, ServiceError::TransportClosed) {
            return self.at.gone_during_call().await;
        }
        let words = if let ServiceError::McpError(e) = error {
            format!("it refused the call: {}", e.message)
        } else if let ServiceError::TransportSend(e) = error {
            causes(e.error.as_ref())
        } else {
            causes(error)
        };
        format!("{}: {}", self.name(), one_line(&clean(&self.at.secrets.hide(&words)), MAX_WORDS))
    }

    fn name(&self) -> String {
        format!("MCP server {} ({})", self.at.server, self.raw)
    }
}

impl Tool for McpTool {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn class(&self, _input: &Input) -> Class {
        Class::Write
    }

    fn access(&self, _input: &Input, _ctx: &ToolContext) -> Result<Access, String> {
        Ok(Access::default())
    }

    fn title(&self, input: &Input) -> String {
        let mut title = format!("{} · {}", self.at.server, self.raw);
        for (name, value) in input.iter().take(6) {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let _ = write!(title, " {name}={}", one_line(&value, SHOWN_ARGUMENT));
        }
        title
    }

    fn run<'a>(&'a self, input: &'a Input, ctx: &'a ToolContext) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let answer = tokio::select! {
                biased;
                () = ctx.cancel.cancelled() => Err(format!("interrupted: the call of {} was cancelled, but may have had effects", self.name())),
                answer = self.ask(input) => answer,
            };
            let value = match answer {
                Ok(value) => value,
                Err(why) => return Outcome::error(why),
            };
            let (dir, call) = (ctx.spill_dir.clone(), ctx.call.clone());
            // Cleaning megabytes and writing a file would hold up the other tasks.
            let work = tokio::task::spawn_blocking(move || content::outcome(&value, &|whole| spill(&dir, &call, whole.as_bytes()).ok()));
            work.await.unwrap_or_else(|_| Outcome::error(format!("{}: its answer could not be read", self.name())))
        })
    }
}

/// A call that waits for its answer. Dropped before, the server is told that nobody waits any more.
struct Asked(Option<RequestHandle<RoleClient>>);

impl Asked {
    async fn answer(mut self) -> Result<ServerResult, ServiceError> {
        let Some(handle) = self.0.as_mut() else { return Err(ServiceError::TransportClosed) };
        let answer = (&mut handle.rx).await;
        self.0 = None;
        answer.unwrap_or(Err(ServiceError::TransportClosed))
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        if let Some(handle) = self.0.take()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            // Apart: a server that does not read must not hold up the interrupt.
            runtime.spawn(async move {
                let _ = handle.cancel(Some("the call was cancelled".to_owned())).await;
            });
        }
    }
}

/// `120 s`, `0.3 s`.
pub(super) fn seconds(time: Duration) -> String {
    if time.subsec_millis() == 0 { format!("{} s", time.as_secs()) } else { format!("{:.1} s", time.as_secs_f64()) }
}
