//! Background commands and the delivery of completions (SPEC S23–S27, T4).

use super::run::Engine;
use super::turn::{Inbox, Input, State};
use crate::protocol::{AgentId, CallId, Display, EventKind, TaskId};
use crate::session::Record;
use crate::tools::Outcome;
use crate::util::text::{escape_own_tags, head, one_line, tail};
use crate::util::time::now_ms;
use tokio_util::sync::CancellationToken;

/// Characters of a command's output in its notification.
const NOTICE_OUTPUT: usize = 16_000;

/// A command in the background.
#[derive(Debug)]
pub struct Command {
    /// The number behind the `b`.
    pub n: u32,
    /// Whose command.
    pub owner: AgentId,
    /// The call that started it.
    pub call: CallId,
    /// The command line.
    pub command: String,
    /// The model's words for it.
    pub description: String,
    /// Ends it.
    pub cancel: CancellationToken,
    /// The last lines.
    pub tail: String,
    /// `running`, `completed`, `failed`, `cancelled`, `interrupted`.
    pub status: String,
    /// The exit code.
    pub exit: Option<i32>,
    /// The whole (capped) output after the end.
    pub output: String,
    /// The notification reached its owner.
    pub delivered: bool,
}

impl Command {
    /// `b1`…
    #[must_use]
    pub fn id(&self) -> TaskId {
        TaskId::Command(self.n)
    }

    /// Whether it runs.
    #[must_use]
    pub fn runs(&self) -> bool {
        self.status == "running"
    }

    /// Its state and output: (text, is error, ended).
    #[must_use]
    pub fn text(&self) -> (String, bool, bool) {
        let ended = !self.runs();
        let exit = self.exit.map_or(String::new(), |e| format!(" (exit code {e})"));
        let output = if ended { &self.output } else { &self.tail };
        let output = if output.trim().is_empty() { "(no output)" } else { output };
        (format!("{} is {}{exit}: {}\n{}", self.id(), self.status, one_line(&self.command, 200), escape_own_tags(output)), false, ended)
    }

    /// The notification of its end: the whole, and a short form.
    #[must_use]
    pub fn notification(&self) -> (String, String) {
        let exit = self.exit.map_or(String::new(), |e| format!(" with exit code {e}"));
        let name = if self.description.trim().is_empty() { one_line(&self.command, 120) } else { one_line(&self.description, 120) };
        let start = format!(
            "<task-notification>\n<id>{}</id>\n<kind>command</kind>\n<status>{}</status>\n<summary>“{}” ended{exit}</summary>\n",
            self.id(),
            self.status,
            escape_own_tags(&name)
        );
        let output = if self.output.trim().is_empty() { "(no output)".to_owned() } else { escape_own_tags(tail(&self.output, NOTICE_OUTPUT)) };
        let short = format!(
            "{start}<result>not loaded: it does not fit the context now; read it with TaskOutput, task_id {}</result>\n</task-notification>",
            self.id()
        );
        (format!("{start}<result>\n{output}\n</result>\n</task-notification>"), short)
    }
}

/// All background commands of the session.
#[derive(Debug, Default)]
pub struct Commands {
    list: Vec<Command>,
    last: u32,
}

impl Commands {
    /// One of them.
    #[must_use]
    pub fn get(&self, n: u32) -> Option<&Command> {
        self.list.iter().find(|c| c.n == n)
    }

    /// All, oldest first.
    pub fn all(&self) -> impl Iterator<Item = &Command> {
        self.list.iter()
    }

    /// Numbers go on behind this one.
    pub fn continue_after(&mut self, last: u32) {
        self.last = self.last.max(last);
    }

    /// Add one that ended in an earlier run.
    pub fn restore(&mut self, command: Command) {
        self.last = self.last.max(command.n);
        self.list.push(command);
    }

    /// End one.
    pub fn cancel(&mut self, n: u32) {
        if let Some(command) = self.list.iter().find(|c| c.n == n) {
            command.cancel.cancel();
        }
    }

    fn of(&mut self, owner: AgentId, call: &CallId) -> Option<&mut Command> {
        self.list.iter_mut().find(|c| c.owner == owner && c.call == *call)
    }
}

/// The person's messages in an inbox.
#[must_use]
pub fn queued_texts(state: &State) -> Vec<String> {
    state
        .inbox()
        .iter()
        .filter_map(|i| match i {
            Inbox::Say { text, .. } => Some(text.clone()),
            Inbox::Notice { .. } | Inbox::Note { .. } => None,
        })
        .collect()
}

impl Engine {
    /// A running call becomes a background command: it is answered now, its end is announced later.
    pub(super) fn start_command(&mut self, id: AgentId, call: &CallId, command: &str, description: &str) -> TaskId {
        self.commands.last += 1;
        let n = self.commands.last;
        let running = self.agents.get(&id).and_then(|a| a.calls.get(call));
        let cancel = running.map(|r| r.cancel.clone()).unwrap_or_default();
        if let Some(running) = running {
            running.detach.cancel();
        }
        let tail = running.map(|r| r.tail.clone()).unwrap_or_default();
        let task = TaskId::Command(n);
        self.journal.record(&Record::TaskStarted { id: task, command: command.to_owned(), description: description.to_owned(), at: now_ms() });
        let event = EventKind::TaskStarted { task, command: self.redact(one_line(command, 400)), description: one_line(description, 200) };
        self.commands.list.push(Command {
            n,
            owner: id,
            call: call.clone(),
            command: command.to_owned(),
            description: description.to_owned(),
            cancel,
            tail,
            status: "running".into(),
            exit: None,
            output: String::new(),
            delivered: false,
        });
        self.out.emit(id, event);
        let text = format!(
            "Command launched in the background.\ntaskId: {task}\nA notification with its output will come when it ends; go on with other work. TaskOutput reads it, TaskStop ends it."
        );
        self.finish_call(id, call, Outcome::ok(text, format!("{task} in background"), Display::Task { id: task }));
        task
    }

    /// Output of a background command; false when the call is none.
    pub(super) fn command_progress(&mut self, id: AgentId, call: &CallId, new: &str) -> bool {
        let Some(command) = self.commands.of(id, call) else { return false };
        new.clone_into(&mut command.tail);
        let task = command.id();
        self.out.emit(id, EventKind::TaskOutput { task, tail: new.to_owned() });
        true
    }

    /// A background command ended; false when the call is none.
    pub(super) fn command_ended(&mut self, id: AgentId, call: &CallId, outcome: &Outcome) -> bool {
        let text = self.redact(outcome.text.clone());
        let Some(command) = self.commands.of(id, call) else { return false };
        command.status = if command.cancel.is_cancelled() {
            "cancelled"
        } else if outcome.is_error {
            "failed"
        } else {
            "completed"
        }
        .into();
        command.exit = outcome.exit;
        command.output = text;
        let (n, task, status, exit) = (command.n, command.id(), command.status.clone(), command.exit);
        let output = format!(
            "{}{}",
            head(&command.output, NOTICE_OUTPUT / 2),
            if command.output.len() > NOTICE_OUTPUT / 2 { tail(&command.output, NOTICE_OUTPUT / 2) } else { "" }
        );
        self.journal.record(&Record::TaskFinished { id: task, exit, status: status.clone(), output, notify: true, at: now_ms() });
        self.out.emit(id, EventKind::TaskFinished { task, exit, status });
        if !self.wake_waits(task) && !self.closing {
            self.announce_command(n);
        }
        true
    }

    /// Hand a command's completion to its owner; to the parent when the owner has ended.
    pub(super) fn announce_command(&mut self, n: u32) {
        let Some(command) = self.commands.get(n) else { return };
        let (full, short) = command.notification();
        let owner =
            if command.owner.is_main() || self.agents.get(&command.owner).is_some_and(super::agent::Agent::is_live) { command.owner } else { AgentId::MAIN };
        self.announce(owner, TaskId::Command(n), full, short);
    }

    /// A completion for an agent (SPEC S25).
    pub(super) fn announce(&mut self, to: AgentId, task: TaskId, full: String, short: String) {
        let tokens = crate::util::tokens::estimate(&full);
        self.feed(to, Input::Notice { task, full, short, tokens });
    }

    /// A completion is in its parent's history.
    pub(super) fn delivered(&mut self, task: TaskId) {
        if let TaskId::Command(n) = task
            && let Some(command) = self.commands.list.iter_mut().find(|c| c.n == n)
        {
            command.delivered = true;
        }
    }

    /// Live and unread tasks of an agent, one line each.
    pub(super) fn task_lines(&self, id: AgentId) -> Vec<String> {
        let mut lines = Vec::new();
        let unread =
            |task: TaskId| self.agents.get(&id).is_some_and(|a| a.state.inbox().iter().any(|i| matches!(i, Inbox::Notice { task: t, .. } if *t == task)));
        for agent in self.agents.values().filter(|a| a.parent() == Some(id)) {
            let Some(info) = &agent.info else { continue };
            let task = TaskId::Agent(agent.id);
            if agent.is_live() {
                lines.push(format!("- {} {} “{}”: running", agent.id, info.kind, escape_own_tags(&info.description)));
            } else if unread(task) {
                lines.push(format!("- {} {} “{}”: ended, its report is unread", agent.id, info.kind, escape_own_tags(&info.description)));
            }
        }
        for command in self.commands.all().filter(|c| c.owner == id) {
            if command.runs() {
                lines.push(format!("- {} command {}: running", command.id(), escape_own_tags(&one_line(&command.command, 120))));
            } else if unread(command.id()) {
                lines.push(format!(
                    "- {} command {}: {}, its output is unread",
                    command.id(),
                    escape_own_tags(&one_line(&command.command, 120)),
                    command.status
                ));
            }
        }
        lines
    }

    /// `Ctrl+B`: running foreground children and commands of `main` (or one child) go to the background (SPEC S20).
    pub(super) fn send_to_background(&mut self, only: Option<AgentId>) {
        let Some(main) = self.agents.get(&AgentId::MAIN) else { return };
        let calls: Vec<(CallId, Option<AgentId>, Option<String>)> = main.calls.iter().map(|(id, c)| (id.clone(), c.child, c.command.clone())).collect();
        let mut moved = 0;
        for (call, child, command) in calls {
            if only.is_some() && child != only {
                continue;
            }
            if let Some(child) = child {
                self.background_child(child, &call);
                moved += 1;
            } else if let Some(command) = command.filter(|_| !self.approvals.waits(AgentId::MAIN)) {
                self.start_command(AgentId::MAIN, &call, &command, "");
                moved += 1;
            }
        }
        if moved == 0 {
            self.notice(crate::protocol::Level::Info, "Nothing runs in the foreground that could go to the background.", "");
        }
    }

    fn background_child(&mut self, child: AgentId, call: &CallId) {
        let Some(agent) = self.agents.get_mut(&child) else { return };
        agent.call = None;
        if let Some(info) = agent.info.as_mut() {
            info.background = true;
        }
        self.journal.record(&Record::AgentBackgrounded { id: child });
        self.out.emit(child, EventKind::AgentBackgrounded);
        let text = super::agents::spawn::launched(child);
        let outcome = Outcome::ok(text, format!("{child} in background"), Display::Task { id: TaskId::Agent(child) });
        if let Some(running) = self.agents.get_mut(&AgentId::MAIN).and_then(|a| a.calls.get_mut(call)) {
            running.child = None;
        }
        self.finish_call(AgentId::MAIN, call, outcome);
    }

    /// `!command`: the person's own command, run as is; its output rides on the next message.
    pub(super) fn shell(&mut self, command: &str, background: bool) {
        self.shell_count += 1;
        let call = CallId(format!("shell_{}", self.shell_count));
        let toolbox = std::sync::Arc::clone(&self.toolbox);
        let Some((spec, tool)) = toolbox.find("Bash") else { return };
        let name = spec.name.clone();
        let mut input = crate::tools::Input::new();
        input.insert("command".into(), command.into());
        let running = super::agent::RunningCall {
            tool: name.clone(),
            title: one_line(command, 200),
            cancel: CancellationToken::new(),
            detach: CancellationToken::new(),
            child: None,
            command: Some(command.to_owned()),
            tail: String::new(),
        };
        let Some(main) = self.agents.get_mut(&AgentId::MAIN) else { return };
        main.calls.insert(call.clone(), running);
        self.out.emit(AgentId::MAIN, EventKind::ToolStarted { call: call.clone(), name, title: format!("! {}", one_line(command, 200)) });
        if background {
            input.insert("run_in_background".into(), true.into());
        } else {
            self.shells.insert(call.clone());
        }
        if let Some(ctx) = self.context(AgentId::MAIN, &call) {
            self.run_call(AgentId::MAIN, &call, tool, input, ctx);
        }
    }

    /// The person's command ended.
    pub(super) fn shell_ended(&mut self, id: AgentId, call: &CallId, title: &str, outcome: Outcome) {
        let text = self.redact(outcome.text.clone());
        let event =
            EventKind::ToolFinished { call: call.clone(), is_error: outcome.is_error, summary: one_line(&outcome.summary, 200), display: outcome.display };
        self.out.emit(id, event);
        let note = format!(
            "The user ran a command themselves: {}\n{}",
            escape_own_tags(title),
            escape_own_tags(if text.trim().is_empty() { "(no output)" } else { &text })
        );
        self.feed(id, Input::Note { text: note });
    }
}
