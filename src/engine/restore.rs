//! A stored session becomes the engine's state again: history, view, children, commands, what is owed (SPEC H2, S25, S27).

use super::agent::{self, Facts, Place, Rights, Voice};
use super::agents::spawn::new_child;
use super::background::Command;
use super::handle::Chosen;
use super::run::Engine;
use super::turn::{Limits, State};
use crate::permissions::rules::Rule;
use crate::protocol::{AgentId, CallId, EventKind, History, Level, Message, TaskId, UserContent};
use crate::providers::catalog;
use crate::session::Record;
use crate::session::replay::Restored;
use std::sync::Arc;

impl Engine {
    pub(super) fn restore(&mut self, chosen: &Chosen, restored: &Restored) {
        if let Some(mode) = restored.mode.filter(|m| *m != crate::protocol::Mode::Bypass || self.setup.bypass_allowed) {
            // A mode named on the command line wins over the stored one.
            if !self.setup.mode_given {
                self.mode = mode;
            }
        }
        let unsaved = restored.history.len().saturating_sub(restored.unsaved);
        for message in &restored.history[unsaved..] {
            self.journal.record(&Record::Message { message: message.clone(), at: crate::util::time::now_ms(), usage: None });
        }
        let note = restored.notice();
        let history = History::from_messages(restored.history.clone()).unwrap_or_default();
        self.make_main(chosen, history);
        self.todos.clone_from(&restored.todos);
        for (rule, agent) in &restored.rules {
            if let (Ok(rule), None) = (Rule::parse(rule), agent) {
                self.rules.allow.push(rule);
            }
        }
        self.emit_opened(true);
        self.show_history(restored);
        if let Some(note) = note {
            self.notice(Level::Warning, &format!("Restored with repairs: {note}"), "everything else is as it was");
        }
        self.restore_tasks(chosen, restored);
        if let Some(main) = self.agents.get_mut(&AgentId::MAIN) {
            main.facts.usage = restored.usage;
            main.facts.cost_usd = catalog::cost(&restored.usage, &main.voice.facts);
        }
        self.emit_usage(AgentId::MAIN);
        if !self.todos.is_empty() {
            let todos = self.todos.clone();
            self.out.emit(AgentId::MAIN, EventKind::TodosChanged { todos });
        }
    }

    /// The view of a resumed session: the same events as live, without what was only on the way.
    fn show_history(&mut self, restored: &Restored) {
        for message in &restored.history {
            match message {
                Message::User(m) => {
                    for r in &m.results {
                        let event = EventKind::ToolFinished {
                            call: r.call_id.clone(),
                            is_error: r.is_error,
                            summary: crate::util::text::one_line(&r.text, 80),
                            display: crate::protocol::Display::Text { text: crate::util::text::head(&r.text, 4000).to_owned() },
                        };
                        self.out.emit(AgentId::MAIN, event);
                    }
                    for c in &m.content {
                        if let UserContent::Text { text, origin } = c {
                            self.out.emit(AgentId::MAIN, EventKind::UserMessage { text: text.clone(), origin: origin.clone() });
                        }
                    }
                }
                Message::Assistant(m) => {
                    let text = m.text();
                    if !text.is_empty() {
                        self.out.emit(AgentId::MAIN, EventKind::TextDelta { text });
                    }
                    self.out.emit(AgentId::MAIN, EventKind::ReplyFinished { usage: crate::protocol::Usage::default() });
                    for call in m.calls() {
                        let title = self.toolbox.find(&call.name).map(|(_, t)| t.title(&call.input)).unwrap_or_default();
                        let event = EventKind::ToolStarted { call: call.id.clone(), name: call.name.clone(), title: crate::util::text::one_line(&title, 200) };
                        self.out.emit(AgentId::MAIN, event);
                    }
                }
            }
        }
    }

    /// Children and commands of former runs: listed, undelivered completions owed, the dead ones told (SPEC S25, S27).
    fn restore_tasks(&mut self, chosen: &Chosen, restored: &Restored) {
        self.next_agent = restored.next_agent.max(1);
        self.commands.continue_after(restored.next_command.saturating_sub(1));
        for old in &restored.agents {
            let facts = catalog::facts(&old.info.model, &self.setup.config.models);
            let voice = Voice {
                system: Arc::default(),
                tools: Arc::default(),
                provider: Arc::clone(&chosen.provider),
                model: old.info.model.clone(),
                facts,
                effort: None,
            };
            let limits = Limits {
                max_requests: old.info.max_requests,
                per_turn: false,
                max_agents: self.setup.config.subagents.max_parallel,
                press_for_report: true,
                announce_last: true,
                ..Limits::default()
            };
            let rights = Rights { read_only: old.info.read_only, ..Rights::default() };
            let place = Place::new(self.setup.workspace.clone());
            let mut child =
                new_child(old.info.clone(), State::new(History::new(), limits), voice, rights, place, None, old.outcome.dropped_tools.clone(), false);
            child.status = agent::Status::Finished;
            child.forgotten = true;
            child.outcome = Some(old.outcome.clone());
            child.facts = Facts {
                requests: old.outcome.requests,
                tool_uses: old.outcome.tool_uses,
                usage: old.outcome.usage,
                cost_usd: old.outcome.cost_usd,
                denied: old.outcome.denied.clone(),
                ..Facts::default()
            };
            self.agents.insert(old.info.id, child);
            self.out.emit(old.info.id, EventKind::AgentSpawned { info: old.info.clone(), call: None, pending: false });
            self.out.emit(old.info.id, EventKind::AgentFinished { outcome: old.outcome.clone() });
            if old.died {
                self.journal.record(&Record::AgentFinished {
                    id: old.info.id,
                    outcome: old.outcome.clone(),
                    notify: old.notify,
                    at: crate::util::time::now_ms(),
                });
            }
        }
        for old in &restored.tasks {
            let command = Command {
                n: old.id,
                owner: AgentId::MAIN,
                call: CallId(String::new()),
                command: old.command.clone(),
                description: old.description.clone(),
                cancel: tokio_util::sync::CancellationToken::new(),
                tail: String::new(),
                status: old.status.clone(),
                exit: old.exit,
                output: old.output.clone(),
                delivered: old.delivered,
            };
            let task = command.id();
            self.commands.restore(command);
            self.out.emit(AgentId::MAIN, EventKind::TaskStarted { task, command: old.command.clone(), description: old.description.clone() });
            self.out.emit(AgentId::MAIN, EventKind::TaskFinished { task, exit: old.exit, status: old.status.clone() });
        }
        let dead: Vec<String> = restored.agents.iter().filter(|a| a.died).map(|a| format!("{} {} “{}”", a.info.id, a.info.kind, a.info.description)).collect();
        if !dead.is_empty() {
            self.notice(
                Level::Warning,
                &format!("Interrupted when the program ended: {}", dead.join(", ")),
                "their last words are kept; a message to one of them goes on with it",
            );
        }
        for task in &restored.undelivered {
            self.owe(*task);
        }
    }

    /// A completion of a former run rides on the person's next words.
    fn owe(&mut self, task: TaskId) {
        let (full, short) = match task {
            TaskId::Agent(id) => {
                let Some(agent) = self.agents.get(&id) else { return };
                let (Some(info), Some(outcome)) = (&agent.info, &agent.outcome) else { return };
                super::agents::report::notification(info, outcome)
            }
            TaskId::Command(n) => {
                let Some(command) = self.commands.get(n) else { return };
                command.notification()
            }
        };
        let tokens = crate::util::tokens::estimate(&full);
        if let Some(main) = self.agents.get_mut(&AgentId::MAIN) {
            main.state.owe(task, full, short, tokens);
        }
    }
}
