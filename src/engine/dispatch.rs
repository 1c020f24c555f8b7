//! One call from the model to its result (SPEC L4): find → validate → permission → run → cap → result.

use super::agent::RunningCall;
use super::feedback::Feedback;
use super::run::Engine;
use super::turn::Input;
use crate::permissions::policy::{self, Question};
use crate::permissions::{Touch, Verdict};
use crate::protocol::{AgentId, CallId, Denied, Display, EventKind, Mode, ToolCall, ToolResult};
use crate::tools::{Access, EngineCall, Outcome, Tool, ToolContext, schema};
use crate::util::text::{escape_own_tags, one_line};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What an empty output becomes (SPEC L3).
const NO_OUTPUT: &str = "(no output)";

impl Engine {
    /// Start a call of an agent.
    pub(super) fn dispatch(&mut self, id: AgentId, call: &ToolCall) {
        let toolbox = Arc::clone(&self.toolbox);
        let found = toolbox.find(&call.name);
        let canonical = found.map_or(call.name.as_str(), |(s, _)| s.name.as_str()).to_owned();
        let title = found.map_or_else(String::new, |(_, t)| one_line(&t.title(&call.input), 200));
        self.out.emit(id, EventKind::ToolStarted { call: call.id.clone(), name: canonical.clone(), title: title.clone() });
        let Some(agent) = self.agents.get_mut(&id) else { return };
        let running = RunningCall {
            tool: canonical.clone(),
            title,
            cancel: CancellationToken::new(),
            detach: CancellationToken::new(),
            child: None,
            command: None,
            tail: String::new(),
        };
        agent.calls.insert(call.id.clone(), running);
        let pool: Vec<&str> = agent.voice.tools.iter().map(|t| t.name.as_str()).collect();
        let never = agent.info.is_some() && super::agents::pool::NEVER_FOR_CHILDREN.contains(&canonical.as_str());
        let offered = pool.contains(&canonical.as_str()) && !never;
        let Some((spec, tool)) = found.filter(|_| offered) else {
            let why = if found.is_some() && canonical == super::agents::pool::AGENT {
                self.no_spawn_reason(id)
            } else {
                format!("there is no tool named {} here; the tools are: {}", call.name, pool.join(", "))
            };
            return self.finish_call(id, &call.id, Outcome::error(why));
        };
        let mut input = call.input.clone();
        crate::tools::registry::normalize(&call.name, &mut input);
        schema::coerce(&spec.schema, &mut input);
        if let Err(why) = schema::validate(&spec.schema, &input) {
            return self.finish_call(id, &call.id, Outcome::error(format!("{}: {why}", spec.name)));
        }
        self.permit(id, &call.id, tool, &canonical, input);
    }

    /// Why an agent cannot spawn.
    fn no_spawn_reason(&self, id: AgentId) -> String {
        let agent = self.agents.get(&id);
        if !self.setup.config.subagents.enabled {
            "Agent: subagents are switched off (--no-subagents); do it yourself".into()
        } else if agent.is_some_and(|a| a.info.as_ref().is_some_and(|i| i.fork)) {
            "Agent: a fork cannot spawn or fork; do it yourself".into()
        } else {
            format!(
                "Agent: refused at depth {}: subagents.max_depth is {}; do it yourself",
                agent.map_or(0, super::agent::Agent::depth),
                self.setup.config.subagents.max_depth
            )
        }
    }

    fn permit(&mut self, id: AgentId, call: &CallId, tool: &Arc<dyn Tool>, name: &str, input: crate::tools::Input) {
        let Some(ctx) = self.context(id, call) else { return };
        let access = match tool.access(&input, &ctx) {
            Ok(access) => access,
            Err(why) => return self.finish_call(id, call, Outcome::error(format!("{name}: {why}"))),
        };
        match self.verdict(id, name, &access) {
            Verdict::Allow => self.run_call(id, call, tool, input, ctx),
            Verdict::Deny { reason } => self.refuse(id, call, name, &input, &reason),
            Verdict::Ask { reason, rule, protected } => {
                let preview = tool.preview(&input, &ctx);
                self.ask(id, call, super::approvals::Wanted { tool: name.to_owned(), input, access, reason, rule: rule.filter(|_| !protected), preview });
            }
        }
    }

    /// The mode that holds for an agent: the session's, or the stricter one of itself or an ancestor (SPEC R2).
    pub(super) fn mode_of(&self, id: AgentId) -> Mode {
        let strictness = |m: Mode| match m {
            Mode::Plan => 0,
            Mode::Default => 1,
            Mode::AcceptEdits => 2,
            Mode::Bypass => 3,
        };
        let mut mode = self.mode;
        let mut at = Some(id);
        while let Some(agent) = at.and_then(|a| self.agents.get(&a)) {
            if let Some(own) = agent.rights.mode.filter(|m| strictness(*m) < strictness(mode)) {
                mode = own;
            }
            at = agent.parent();
        }
        mode
    }

    /// Whether an agent or one of its ancestors can change nothing.
    pub(super) fn is_read_only(&self, id: AgentId) -> bool {
        let mut at = Some(id);
        while let Some(agent) = at.and_then(|a| self.agents.get(&a)) {
            if agent.rights.read_only {
                return true;
            }
            at = agent.parent();
        }
        false
    }

    /// Decide about a call.
    pub(super) fn verdict(&self, id: AgentId, tool: &str, access: &Access) -> Verdict {
        let Some(agent) = self.agents.get(&id) else { return Verdict::Deny { reason: "the agent is gone".into() } };
        let touch = Touch {
            reads: access.reads.clone(),
            writes: access.writes.clone(),
            command: access.command.clone(),
            host: access.host.clone(),
            session_only: access.session_only,
        };
        let mut allow = self.rules.allow.clone();
        allow.extend(agent.rights.rules.iter().cloned());
        let results = self.journal.dir().join("tool-results");
        let cwd = agent.place.shell_cwd.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        let verdict = policy::decide(&Question {
            tool,
            touch: &touch,
            workspace: &agent.place.workspace,
            cwd: &cwd,
            extra_dirs: &[results],
            mode: self.mode_of(id),
            read_only: self.is_read_only(id),
            deny: &self.rules.deny,
            ask: &self.rules.ask,
            allow: &allow,
            home: &self.setup.paths.home,
            config_dir: &self.setup.paths.config,
        });
        match verdict {
            Verdict::Ask { reason, protected, .. } if !self.setup.interactive => {
                let flag = if protected { String::new() } else { headless_hint(tool, access) };
                Verdict::Deny { reason: format!("{reason}; nobody can be asked in a headless run{flag}") }
            }
            verdict @ (Verdict::Allow | Verdict::Deny { .. } | Verdict::Ask { .. }) => verdict,
        }
    }

    /// An error result for a refused call, kept as a fact.
    pub(super) fn refuse(&mut self, id: AgentId, call: &CallId, tool: &str, input: &crate::tools::Input, reason: &str) {
        let shown = ["command", "file_path", "url", "path", "description"].iter().find_map(|k| input.get(*k).and_then(serde_json::Value::as_str));
        let shown = one_line(shown.unwrap_or_default(), 120);
        let denied = Denied { agent: id, tool: tool.to_owned(), input: self.redact(shown), reason: reason.to_owned() };
        if let Some(agent) = self.agents.get_mut(&id) {
            agent.facts.denied.push(denied.clone());
        }
        self.out.emit(id, EventKind::CallRefused { denied });
        self.finish_call(id, call, Outcome { summary: "refused".into(), ..Outcome::error(format!("{tool}: refused: {reason}")) });
    }

    /// What a call is given.
    pub(super) fn context(&mut self, id: AgentId, call: &CallId) -> Option<ToolContext> {
        let read_only = self.is_read_only(id);
        let agent = self.agents.get(&id)?;
        let feedback = self.feedback.clone();
        let call_id = call.clone();
        Some(ToolContext {
            agent: id,
            call: call.clone(),
            workspace: agent.place.workspace.clone(),
            shell_cwd: Arc::clone(&agent.place.shell_cwd),
            reads: Arc::clone(&agent.place.reads),
            locks: Arc::clone(&self.locks),
            spill_dir: self.journal.dir().join("tool-results"),
            hidden_env: Arc::new(self.setup.hidden_env.clone()),
            cancel: agent.calls.get(call)?.cancel.clone(),
            detached: agent.calls.get(call)?.detach.clone(),
            progress: Arc::new(move |tail| {
                let _ = feedback.send(Feedback::Progress { agent: id, call: call_id.clone(), tail });
            }),
            background: false,
            read_only,
        })
    }

    /// A permitted call: what the engine does itself, or a task of its own.
    pub(super) fn run_call(&mut self, id: AgentId, call: &CallId, tool: &Arc<dyn Tool>, input: crate::tools::Input, mut ctx: ToolContext) {
        match tool.engine_call(&input) {
            Err(why) => return self.finish_call(id, call, Outcome::error(why)),
            Ok(Some(EngineCall::Background { description })) => {
                ctx.background = true;
                let command = input.get("command").and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
                self.start_command(id, call, &command, &description);
            }
            Ok(Some(engine_call)) => return self.engine_call(id, call, engine_call),
            Ok(None) => {
                let command = input.get("command").and_then(serde_json::Value::as_str).map(ToOwned::to_owned);
                if let Some(running) = self.agents.get_mut(&id).and_then(|a| a.calls.get_mut(call)) {
                    running.command = command;
                }
            }
        }
        let (tool, feedback, call_id) = (Arc::clone(tool), self.feedback.clone(), call.clone());
        let work = tokio::spawn(async move { tool.run(&input, &ctx).await });
        self.work.spawn(async move {
            let outcome = match work.await {
                Ok(outcome) => outcome,
                Err(e) => Outcome::error(format!("the tool's code broke: {e}; please report this")),
            };
            let _ = feedback.send(Feedback::Call { agent: id, call: call_id, outcome });
        });
    }

    /// Output of a running call.
    pub(super) fn progress_came(&mut self, id: AgentId, call: &CallId, tail: String) {
        if self.command_progress(id, call, &tail) {
            return;
        }
        let Some(agent) = self.agents.get_mut(&id) else { return };
        agent.heard = std::time::Instant::now();
        let Some(running) = agent.calls.get_mut(call) else { return };
        running.tail.clone_from(&tail);
        self.out.emit(id, EventKind::ToolProgressed { call: call.clone(), tail });
    }

    /// A call's task ended: a background command, or a call whose result is awaited.
    pub(super) fn call_ended(&mut self, id: AgentId, call: &CallId, outcome: Outcome) {
        self.note_writes(id, &outcome);
        if self.command_ended(id, call, &outcome) {
            return;
        }
        self.finish_call(id, call, outcome);
    }

    /// Files written by an agent: its fact, and news for others that had read them (SPEC S18).
    fn note_writes(&mut self, id: AgentId, outcome: &Outcome) {
        for path in &outcome.written {
            for other in self.agents.values_mut() {
                if other.id == id {
                    other.facts.written.insert(path.clone());
                } else if other.place.reads.known(path).is_some() && other.status != super::agent::Status::Finished {
                    other.changed_by.insert((path.clone(), id));
                }
            }
        }
    }

    /// Give a call its result: cleaned, our tags escaped, never empty.
    pub(super) fn finish_call(&mut self, id: AgentId, call: &CallId, outcome: Outcome) {
        let Some(agent) = self.agents.get_mut(&id) else { return };
        agent.heard = std::time::Instant::now();
        let Some(running) = agent.calls.remove(call) else { return };
        if self.shells.remove(call) {
            return self.shell_ended(id, call, &running.title, outcome);
        }
        self.approvals_gone(id, call);
        let text = if outcome.text.trim().is_empty() && outcome.images.is_empty() { NO_OUTPUT.to_owned() } else { outcome.text };
        let own_words = matches!(outcome.display, Display::Agent { .. } | Display::Task { .. }) || running.tool == "Skill";
        let text = self.redact(if own_words { text } else { escape_own_tags(&text) });
        let report = matches!(outcome.display, Display::Agent { .. });
        let event =
            EventKind::ToolFinished { call: call.clone(), is_error: outcome.is_error, summary: one_line(&outcome.summary, 200), display: outcome.display };
        self.out.emit(id, event);
        self.tell_changes(id);
        self.remind_todos(id, &running.tool);
        let result = ToolResult { call_id: call.clone(), text, is_error: outcome.is_error, images: outcome.images, report };
        self.feed(id, Input::Result { result });
    }

    /// Which files that this agent had read were changed by others.
    fn tell_changes(&mut self, id: AgentId) {
        let Some(agent) = self.agents.get_mut(&id) else { return };
        if agent.changed_by.is_empty() {
            return;
        }
        let changed = std::mem::take(&mut agent.changed_by);
        let lines: Vec<String> = changed.iter().map(|(path, who)| format!("{} (by {who})", self.relative(path))).collect();
        let text = format!("Files that you had read were changed since: {}. Read them again before you rely on them.", lines.join(", "));
        self.feed(id, Input::Note { text });
    }

    /// After three rounds without the list, a word about it (SPEC T6).
    fn remind_todos(&mut self, id: AgentId, tool: &str) {
        if !id.is_main() {
            return;
        }
        if tool == "TodoWrite" {
            self.rounds_without_todo = 0;
            return;
        }
        let open = self.todos.iter().any(|t| t.status != crate::protocol::TodoStatus::Completed);
        let last = self.agents.get(&id).is_some_and(|a| a.calls.is_empty());
        if open && last {
            self.rounds_without_todo += 1;
            if self.rounds_without_todo == 3 {
                self.rounds_without_todo = 0;
                self.feed(
                    id,
                    Input::Note { text: "The to-do list was not touched for three rounds. Bring it up to date with TodoWrite if it still applies.".into() },
                );
            }
        }
    }

    /// End running calls of an agent; their results no longer count.
    pub(super) fn cancel_calls(&mut self, id: AgentId, calls: &[CallId]) {
        for call in calls {
            let Some(running) = self.agents.get_mut(&id).and_then(|a| a.calls.remove(call)) else { continue };
            running.cancel.cancel();
            self.approvals_gone(id, call);
            self.drop_wait(id, call);
            let event = EventKind::ToolFinished { call: call.clone(), is_error: true, summary: "interrupted".into(), display: Display::None };
            self.out.emit(id, event);
            if let Some(child) = running.child {
                self.abort_agent(child, crate::protocol::Ending::Cancelled, "interrupted with its parent");
            }
        }
        // Calls that never started were shown neither.
    }
}

/// Which flag would have allowed a call.
fn headless_hint(tool: &str, access: &Access) -> String {
    match &access.command {
        Some(command) => {
            let first = command.split_whitespace().next().unwrap_or("…");
            format!(" (--allow '{tool}({first}:*)' or --permission-mode bypass would allow it)")
        }
        None => format!(" (--allow {tool} or --permission-mode accept-edits would allow it)"),
    }
}
