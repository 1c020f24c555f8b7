//! Servers of the Model Context Protocol as the engine uses them: started in the background, their tools join the pool
//! when they are ready (SPEC X4). Until then the session goes on without them.

use super::agents::pool::Toolbox;
use super::feedback::Feedback;
use super::run::Engine;
use crate::mcp::{self, Connections, McpEvent};
use crate::protocol::{AgentId, Level};
use crate::tools::Tool;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// How long a run without a screen waits for its servers before the first words.
const PATIENCE: Duration = Duration::from_secs(5);

/// The servers of a session.
#[derive(Default)]
pub struct Servers {
    connections: Option<Connections>,
    waiting: usize,
    tools: BTreeMap<String, Vec<Arc<dyn Tool>>>,
}

impl Servers {
    /// End all of them.
    pub fn stop(&mut self) {
        self.connections = None;
        self.tools.clear();
    }

    /// Their states, for `/mcp`.
    #[must_use]
    pub fn text(&self) -> String {
        let lines = self.connections.as_ref().map(Connections::status_lines).unwrap_or_default();
        if lines.is_empty() {
            "No MCP servers. They are configured in .mcp.json of a trusted project, or in mcp.json beside the configuration.".into()
        } else {
            lines.join("\n")
        }
    }
}

impl Engine {
    /// Start what is configured; only what the person trusts.
    pub(super) fn start_servers(&mut self) {
        self.servers.stop();
        let (servers, warnings) = mcp::load(&self.setup.paths, &self.setup.workspace, self.trusted, &self.setup.lookup);
        for warning in warnings {
            self.notice(Level::Warning, &warning, "");
        }
        self.servers.waiting = servers.len();
        if servers.is_empty() {
            return;
        }
        let feedback = self.feedback.clone();
        let report = Arc::new(move |event| {
            let _ = feedback.send(Feedback::Mcp(event));
        });
        self.servers.connections = Some(mcp::start(servers, self.setup.hidden_env.clone(), report));
    }

    /// Give servers a moment, so that a short run has their tools from its first request.
    pub(super) async fn await_servers(&mut self, feedback: &mut mpsc::UnboundedReceiver<Feedback>) {
        let end = tokio::time::Instant::now() + PATIENCE;
        while self.servers.waiting > 0 {
            match tokio::time::timeout_at(end, feedback.recv()).await {
                Ok(Some(Feedback::Mcp(event))) => self.mcp_came(event),
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => return,
            }
        }
    }

    /// A server became ready, failed or ended.
    pub(super) fn mcp_came(&mut self, event: McpEvent) {
        match event {
            McpEvent::Ready { server, tools } => {
                self.servers.waiting = self.servers.waiting.saturating_sub(1);
                self.servers.tools.insert(server, tools);
                let own = self.toolbox.built_in();
                self.toolbox = Arc::new(Toolbox::new(own.into_iter().chain(self.servers.tools.values().flatten().cloned()).collect()));
                let tools = Arc::new(self.main_tools());
                if let Some(main) = self.agents.get_mut(&AgentId::MAIN) {
                    main.voice.tools = tools;
                }
            }
            McpEvent::Failed { server, reason } => {
                self.servers.waiting = self.servers.waiting.saturating_sub(1);
                self.notice(Level::Warning, &format!("The MCP server {server} cannot be used: {reason}"), "/mcp shows all servers");
            }
            McpEvent::Closed { server, reason } => {
                self.notice(Level::Warning, &format!("The MCP server {server} has ended: {reason}"), "/reload starts it again");
            }
        }
    }
}
