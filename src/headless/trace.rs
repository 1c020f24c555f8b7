//! Trace lines (SPEC O2), as a fold of events: to standard error, or to a file of mode 0600.

use crate::protocol::{AgentId, Ending, Event, EventKind};
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Where trace lines go, and what they need to remember.
pub struct Trace {
    out: Box<dyn Write + Send>,
    names: HashMap<AgentId, String>,
    requests: HashMap<AgentId, u64>,
    calls: HashMap<String, (String, u64)>,
}

impl Trace {
    /// To standard error.
    #[must_use]
    pub fn stderr() -> Self {
        Self::new(Box::new(std::io::stderr()))
    }

    /// To a file; an existing one is added to.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn file(path: &Path) -> std::io::Result<Self> {
        let file: File = crate::util::fs::append_private(path)?;
        Ok(Self::new(Box::new(BufWriter::new(file))))
    }

    fn new(out: Box<dyn Write + Send>) -> Self {
        Self { out, names: HashMap::new(), requests: HashMap::new(), calls: HashMap::new() }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "a trace has a few kinds only")]
    /// Take an event; write its line, if it has one. A trace that cannot be written is given up silently.
    pub fn take(&mut self, event: &Event) {
        let line = match &event.kind {
            EventKind::AgentSpawned { info, .. } => {
                self.names.insert(event.agent, info.description.clone());
                Some(format!("agent.start description={} depth={}", info.description, info.depth))
            }
            EventKind::AgentFinished { outcome } => {
                let reason = if outcome.ending == Ending::Failed { outcome.reason.replace('\n', " ") } else { outcome.ending.name().to_owned() };
                let name = self.names.get(&event.agent).cloned().unwrap_or_default();
                Some(format!("agent.end description={name} ok={} reason={reason}", outcome.ending == Ending::Completed))
            }
            EventKind::RequestStarted { n, .. } => {
                self.requests.insert(event.agent, event.at);
                Some(format!("request.start agent={} n={n}", event.agent))
            }
            EventKind::ReplyFinished { usage } => {
                let ms = self.requests.remove(&event.agent).map_or(0, |t| event.at.saturating_sub(t));
                Some(format!("request.end agent={} ms={ms} in={} out={}", event.agent, usage.all_input(), usage.output))
            }
            EventKind::ToolStarted { call, name, .. } => {
                self.calls.insert(call.0.clone(), (name.clone(), event.at));
                Some(format!("tool.start agent={} tool={name} call={call}", event.agent))
            }
            EventKind::ToolFinished { call, is_error, .. } => self
                .calls
                .remove(&call.0)
                .map(|(name, at)| format!("tool.end agent={} tool={name} call={call} ms={} ok={}", event.agent, event.at.saturating_sub(at), !is_error)),
            _ => None,
        };
        if let Some(line) = line {
            let _ = writeln!(self.out, "[trace] {line}");
        }
    }

    /// Write out what is buffered.
    pub fn flush(&mut self) {
        let _ = self.out.flush();
    }
}
