//! Calls that only the engine can do: tasks, messages to children, to-dos, questions, skills.

use super::agent::Status;
use super::feedback::Feedback;
use super::run::Engine;
use super::turn::Input;
use crate::protocol::{AgentId, CallId, Display, Ending, EventKind, Origin, TaskId, TodoStatus};
use crate::session::Record;
use crate::tools::{EngineCall, Outcome};
use std::time::Duration;

/// A `TaskOutput` or `TaskStop` that waits for a task's end.
#[derive(Debug)]
pub struct Wait {
    /// Whose call.
    pub agent: AgentId,
    /// The call.
    pub call: CallId,
    /// What it waits for.
    pub task: TaskId,
}

impl Engine {
    pub(super) fn engine_call(&mut self, id: AgentId, call: &CallId, what: EngineCall) {
        match what {
            EngineCall::Spawn(request) => self.spawn(id, call, &request),
            EngineCall::TaskOutput { task, block, timeout_ms } => self.task_output(id, call, task, block, timeout_ms),
            EngineCall::TaskStop { task, report } => self.task_stop(id, call, task, report),
            EngineCall::SendMessage { agent, message, background } => self.send_message(id, call, agent, &message, background),
            EngineCall::Todos(todos) => {
                let done = todos.iter().filter(|t| t.status == TodoStatus::Completed).count();
                let summary = format!("{done}/{}", todos.len());
                self.todos.clone_from(&todos);
                self.journal.record(&Record::Todos { todos: todos.clone() });
                self.out.emit(AgentId::MAIN, EventKind::TodosChanged { todos: todos.clone() });
                let text = format!("The to-do list has {} entries, {done} done. Go on with the work.", todos.len());
                self.finish_call(id, call, Outcome::ok(text, summary, Display::Todos { todos }));
            }
            EngineCall::Ask(questions) => self.ask_questions(id, call, questions),
            EngineCall::Skill { name, args } => {
                let outcome = match self.library.skill(&name) {
                    Ok(body) => {
                        let text = if args.trim().is_empty() { body } else { format!("{body}\n\nArguments: {args}") };
                        Outcome::ok(text, format!("skill {name}"), Display::None)
                    }
                    Err(why) => Outcome::error(why),
                };
                self.finish_call(id, call, outcome);
            }
            EngineCall::Background { .. } => {}
        }
    }

    fn task_output(&mut self, id: AgentId, call: &CallId, task: TaskId, block: bool, timeout_ms: u64) {
        let Some(running) = self.task_runs(id, task) else {
            return self.finish_call(id, call, Outcome::error(self.unknown_task(id, task)));
        };
        if running && block {
            self.waits.push(Wait { agent: id, call: call.clone(), task });
            let (feedback, call) = (self.feedback.clone(), call.clone());
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(timeout_ms)).await;
                let _ = feedback.send(Feedback::WaitOver { agent: id, call });
            });
            return;
        }
        self.answer_with_task(id, call, task);
    }

    /// Whether a task of this agent runs; None when it does not exist for it.
    fn task_runs(&self, id: AgentId, task: TaskId) -> Option<bool> {
        match task {
            TaskId::Agent(child) => self.agents.get(&child).filter(|a| self.is_below(a.id, id)).map(super::agent::Agent::is_live),
            TaskId::Command(n) => self.commands.get(n).filter(|c| id.is_main() || c.owner == id).map(super::background::Command::runs),
        }
    }

    /// Whether `child` descends from `ancestor`.
    pub(super) fn is_below(&self, child: AgentId, ancestor: AgentId) -> bool {
        let mut at = self.agents.get(&child).and_then(super::agent::Agent::parent);
        while let Some(a) = at {
            if a == ancestor {
                return true;
            }
            at = self.agents.get(&a).and_then(super::agent::Agent::parent);
        }
        false
    }

    pub(super) fn unknown_task(&self, id: AgentId, task: TaskId) -> String {
        let mut known: Vec<String> = self.agents.values().filter(|a| self.is_below(a.id, id)).map(|a| a.id.to_string()).collect();
        known.extend(self.commands.all().filter(|c| id.is_main() || c.owner == id).map(|c| c.id().to_string()));
        let known = if known.is_empty() { "there are none".into() } else { format!("there are: {}", known.join(", ")) };
        format!("there is no task {task}; {known}")
    }

    /// The state and text of a task as a result. An ended one counts as delivered: no notification follows.
    fn answer_with_task(&mut self, id: AgentId, call: &CallId, task: TaskId) {
        let (text, is_error, ended) = match task {
            TaskId::Agent(child) => self.agent_text(child),
            TaskId::Command(n) => self.commands.get(n).map_or((String::new(), true, false), super::background::Command::text),
        };
        if ended {
            self.deliver_otherwise(task);
        }
        let summary = if ended { "ended" } else { "running" };
        self.finish_call(id, call, Outcome { text, is_error, summary: summary.into(), display: Display::Task { id: task }, ..Outcome::default() });
    }

    /// A child's state and report for its parent: (text, is error, ended).
    pub(super) fn agent_text(&self, child: AgentId) -> (String, bool, bool) {
        let Some(agent) = self.agents.get(&child) else { return (String::new(), true, false) };
        if let (Status::Finished, Some(info), Some(outcome)) = (&agent.status, &agent.info, &agent.outcome) {
            let (text, _) = super::agents::report::result(info, outcome);
            return (text, false, true);
        }
        let state = if agent.status == Status::Pending { "pending" } else { "running" };
        let last = agent.state.history.last_text().unwrap_or_default();
        let last = crate::util::text::escape_own_tags(crate::util::text::tail(&last, 4000));
        let doing: Vec<&str> = agent.calls.values().map(|c| c.title.as_str()).collect();
        let text = format!(
            "{child} is {state}: {} requests, {} tool uses so far. Now: {}.{}",
            agent.facts.requests,
            agent.facts.tool_uses,
            if doing.is_empty() { "thinking".into() } else { doing.join("; ") },
            if last.is_empty() { String::new() } else { format!("\nIts last words:\n{last}") }
        );
        (text, false, false)
    }

    /// A completion reached the parent in another way than by a notification.
    pub(super) fn deliver_otherwise(&mut self, task: TaskId) {
        let owner = match task {
            TaskId::Agent(child) => self.agents.get(&child).and_then(super::agent::Agent::parent),
            TaskId::Command(n) => self.commands.get(n).map(|c| c.owner),
        };
        if let Some(owner) = owner {
            self.feed(owner, Input::Withdraw { task });
        }
        self.journal.record(&Record::Delivered { id: task });
        self.delivered(task);
    }

    /// A waiting call gives up.
    pub(super) fn wait_over(&mut self, agent: AgentId, call: &CallId) {
        let Some(at) = self.waits.iter().position(|w| w.agent == agent && w.call == *call) else { return };
        let wait = self.waits.remove(at);
        self.answer_with_task(agent, call, wait.task);
    }

    /// A waiting call was cancelled.
    pub(super) fn drop_wait(&mut self, agent: AgentId, call: &CallId) {
        self.waits.retain(|w| !(w.agent == agent && w.call == *call));
    }

    /// A task ended: the calls that wait for it get it. True when there was one.
    pub(super) fn wake_waits(&mut self, task: TaskId) -> bool {
        let mut any = false;
        while let Some(at) = self.waits.iter().position(|w| w.task == task) {
            let wait = self.waits.remove(at);
            self.answer_with_task(wait.agent, &wait.call, task);
            any = true;
        }
        any
    }

    fn task_stop(&mut self, id: AgentId, call: &CallId, task: TaskId, report: bool) {
        let Some(running) = self.task_runs(id, task) else {
            return self.finish_call(id, call, Outcome::error(self.unknown_task(id, task)));
        };
        if !running {
            return self.answer_with_task(id, call, task);
        }
        // The result carries the ending and the text, and counts as the delivery (SPEC S19).
        self.waits.push(Wait { agent: id, call: call.clone(), task });
        match task {
            TaskId::Agent(child) if report => self.stop_agent(child, "stopped by its parent, which asked for the report"),
            TaskId::Agent(child) => self.abort_agent(child, Ending::Cancelled, "stopped by its parent"),
            TaskId::Command(n) => self.commands.cancel(n),
        }
    }

    fn send_message(&mut self, id: AgentId, call: &CallId, to: AgentId, message: &str, background: bool) {
        if self.task_runs(id, TaskId::Agent(to)).is_none() || to.is_main() {
            return self.finish_call(id, call, Outcome::error(self.unknown_task(id, TaskId::Agent(to))));
        }
        if self.agents.get(&to).is_some_and(super::agent::Agent::is_live) {
            self.steer(to, message, Origin::Steer);
            let text = format!("The message was handed to {to}; it reads it at its next step.");
            return self.finish_call(id, call, Outcome::ok(text, format!("to {to}"), Display::Task { id: TaskId::Agent(to) }));
        }
        if let Err(why) = self.revive(to, background) {
            return self.finish_call(id, call, Outcome::error(why));
        }
        if background {
            self.finish_call(id, call, Outcome::ok(super::agents::spawn::launched(to), format!("to {to}"), Display::Task { id: TaskId::Agent(to) }));
        } else {
            if let Some(agent) = self.agents.get_mut(&to) {
                agent.call = Some(call.clone());
            }
            if let Some(running) = self.agents.get_mut(&id).and_then(|a| a.calls.get_mut(call)) {
                running.child = Some(to);
            }
        }
        self.begin(to, message.to_owned(), Origin::Person, (!background).then(|| call.clone()));
    }
}
