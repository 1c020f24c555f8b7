//! Real servers, written in Python, in temporary folders (SPEC X4, case I02).

mod calls;
mod ends;
mod start;

use super::config::{Endpoint, Server};
use super::{Connections, Limits, McpEvent, start_with};
use crate::tools::{Input, Outcome, Tool, ToolContext};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// Against hanging tests only.
const LONG: Duration = Duration::from_mins(1);
const SHORT: Duration = Duration::from_millis(300);

/// Started servers and what they report.
struct World {
    dir: tempfile::TempDir,
    connections: Connections,
    events: mpsc::UnboundedReceiver<McpEvent>,
}

/// A server of `server.py` with these modes.
fn server(dir: &Path, name: &str, modes: &[&str]) -> Server {
    let script = dir.join("server.py");
    std::fs::write(&script, include_str!("server.py")).unwrap();
    let args = std::iter::once(script.to_string_lossy().into_owned()).chain(modes.iter().map(|m| (*m).to_owned())).collect();
    Server { name: name.into(), endpoint: Endpoint::Stdio { command: "python3".into(), args, env: vec![], cwd: dir.to_path_buf() }, timeout: None }
}

impl World {
    fn begin(limits: Limits, servers: impl FnOnce(&Path) -> Vec<Server>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (send, events) = mpsc::unbounded_channel();
        let report = Arc::new(move |event| send.send(event).unwrap_or_default());
        let connections = start_with(servers(dir.path()), vec!["CARGO_MANIFEST_DIR".into()], report, limits);
        Self { dir, connections, events }
    }

    /// One server with these modes.
    fn one(modes: &[&str]) -> Self {
        Self::begin(Limits { start: LONG, call: LONG }, |dir| vec![server(dir, "echo", modes)])
    }

    async fn event(&mut self) -> McpEvent {
        tokio::time::timeout(LONG, self.events.recv()).await.unwrap().unwrap()
    }

    async fn ready(&mut self) -> Vec<Arc<dyn Tool>> {
        match self.event().await {
            McpEvent::Ready { tools, .. } => tools,
            other @ (McpEvent::Failed { .. } | McpEvent::Closed { .. }) => panic!("{other:?}"),
        }
    }

    /// The reason of the next event, which must be a failure or an end.
    async fn reason(&mut self) -> String {
        match self.event().await {
            McpEvent::Failed { reason, .. } | McpEvent::Closed { reason, .. } => reason,
            other @ McpEvent::Ready { .. } => panic!("{other:?}"),
        }
    }

    fn context(&self) -> ToolContext {
        ToolContext::for_test(self.dir.path())
    }

    async fn call(&self, tools: &[Arc<dyn Tool>], name: &str, word: &str) -> Outcome {
        let found = named(tools, name);
        tokio::time::timeout(LONG, found.run(&input(word), &self.context())).await.unwrap()
    }
}

fn named(tools: &[Arc<dyn Tool>], name: &str) -> Arc<dyn Tool> {
    Arc::clone(tools.iter().find(|t| t.spec().name == name).unwrap_or_else(|| panic!("no {name}")))
}

fn names(tools: &[Arc<dyn Tool>]) -> Vec<String> {
    tools.iter().map(|t| t.spec().name).collect()
}

fn input(word: &str) -> Input {
    json!({"word": word}).as_object().cloned().unwrap()
}

fn parsed(outcome: &Outcome) -> Value {
    serde_json::from_str(&outcome.text).unwrap_or_else(|e| panic!("{e}: {}", outcome.text))
}
