//! Ops of the interface, taken one by one.

use super::run::Engine;
use super::turn::Input;
use crate::protocol::{AgentId, Ending, EventKind, Level, Mode, Op, Origin, TaskId};
use crate::session::Record;

impl Engine {
    /// Take an op.
    pub(super) async fn take_op(&mut self, op: Op) {
        match op {
            Op::UserTurn { text, images } => self.say(text, images),
            Op::Unqueue => {
                if let Some(text) = self.agents.get_mut(&AgentId::MAIN).and_then(|a| a.state.unqueue()) {
                    self.out.emit(AgentId::MAIN, EventKind::Unqueued { text });
                    self.queue_changed(AgentId::MAIN);
                }
            }
            Op::Interrupt => {
                let partial = self.partial(AgentId::MAIN);
                self.feed(AgentId::MAIN, Input::Interrupt { partial });
                self.cancel_idle_work();
            }
            Op::Reply { id, answer } => self.answered(id, answer),
            Op::Steer { agent, text } => self.steer_by_person(agent, &text),
            Op::Stop { agent } => self.stop_agent(agent, "stopped by the user, who asked for the report"),
            Op::Abort { task } => self.abort_task(task),
            Op::AbortAll => self.abort_all(Ending::Cancelled, "ended by the user"),
            Op::ToBackground { agent } => self.send_to_background(agent),
            Op::Dismiss { task } => self.out.emit(AgentId::MAIN, EventKind::TaskDismissed { task }),
            Op::Shell { command, background } => self.shell(&command, background),
            Op::Compact { focus } => self.compact_by_hand(focus),
            Op::SetMode { mode } => self.set_mode(mode),
            Op::SetModel { model } => self.set_model(&model).await,
            Op::EnableAgentType { name, enabled } => {
                if let Err(why) = self.library.enable(&self.setup.paths, &name, enabled) {
                    self.notice(Level::Warning, &why, "");
                }
                self.emit_types();
            }
            Op::Report { what, args } => self.report(&what, &args),
            Op::Slash { name, args } => match self.library.expand(&name, &args) {
                Ok(text) => self.say(text, Vec::new()),
                Err(why) => self.notice(Level::Warning, &why, "/help lists the commands"),
            },
            Op::Remember { text, user } => {
                let told = match super::library::Library::remember(&self.setup.paths, &self.setup.workspace, &text, user) {
                    Ok(file) => (Level::Info, format!("Remembered in {} for coming sessions: {text}", file.display())),
                    Err(why) => (Level::Warning, format!("Not remembered: {why}")),
                };
                self.notice(told.0, &told.1, "");
            }
            Op::NewSession => self.new_session(),
            Op::Resume { session } => self.switch_session(&session),
            Op::Reload => self.reload(),
            Op::Trust { trusted } => self.trust_answered(trusted),
            Op::Shutdown { ending } => self.shutdown(ending),
        }
    }

    fn say(&mut self, text: String, images: Vec<(String, String)>) {
        if text.trim().is_empty() {
            return;
        }
        if self.agents.get(&AgentId::MAIN).is_some_and(|a| a.running.as_ref().is_some_and(|r| r.summary) && a.state.is_idle()) {
            // A /compact runs: the words wait for it.
            self.after_compact.push((text, images));
            return;
        }
        self.feed(AgentId::MAIN, Input::Say { text, images, origin: Origin::Person });
    }

    /// After a summary that was asked for by hand: what waited is said now.
    pub(super) fn main_maybe_idle(&mut self) {
        for (text, images) in std::mem::take(&mut self.after_compact) {
            self.say(text, images);
        }
    }

    /// Esc also ends a `/compact` and the person's own command.
    fn cancel_idle_work(&mut self) {
        let shells: Vec<crate::protocol::CallId> = self.shells.iter().cloned().collect();
        let Some(main) = self.agents.get_mut(&AgentId::MAIN) else { return };
        for call in shells {
            if let Some(running) = main.calls.get(&call) {
                running.cancel.cancel();
            }
        }
        if main.state.is_idle()
            && let Some(running) = main.running.take()
        {
            running.abort.abort();
            main.compaction.manual = false;
            self.notice(Level::Info, "Summing up was stopped; nothing changed.", "");
            self.main_maybe_idle();
        }
    }

    fn abort_task(&mut self, task: TaskId) {
        match task {
            TaskId::Agent(id) => self.abort_agent(id, Ending::Cancelled, "aborted by the user"),
            TaskId::Command(n) => self.commands.cancel(n),
        }
    }

    /// End all children and commands.
    pub(super) fn abort_all(&mut self, ending: Ending, why: &str) {
        let live: Vec<AgentId> = self.agents.values().filter(|a| a.is_live()).map(|a| a.id).collect();
        for id in live {
            self.abort_agent(id, ending, why);
        }
        let commands: Vec<u32> = self.commands.all().filter(|c| c.runs()).map(|c| c.n).collect();
        for n in commands {
            self.commands.cancel(n);
        }
    }

    fn set_mode(&mut self, mode: Mode) {
        if mode == Mode::Bypass && !self.setup.bypass_allowed {
            return self.notice(Level::Warning, "Bypass mode is reached only when the program was started with it.", "start with --permission-mode bypass");
        }
        self.mode = mode;
        self.journal.record(&Record::Mode { mode });
        self.out.emit(AgentId::MAIN, EventKind::ModeChanged { mode });
        self.mode_changed();
    }

    async fn set_model(&mut self, name: &str) {
        if self.agents.get(&AgentId::MAIN).is_some_and(|a| !a.state.is_idle()) {
            return self.notice(Level::Warning, "A turn is running; the model can be changed between turns.", "press Esc first, or wait");
        }
        let known = ["anthropic", "openai", "offline", "script"];
        let (provider, model) = match name.split_once('/') {
            Some((p, m)) if known.contains(&p) || self.setup.config.providers.contains_key(p) => (Some(p.to_owned()), (!m.is_empty()).then(|| m.to_owned())),
            _ if known.contains(&name) || self.setup.config.providers.contains_key(name) => (Some(name.to_owned()), None),
            _ => (Some(self.provider_name.clone()), Some(name.to_owned())),
        };
        match (self.setup.choose)(provider, model).await {
            Ok(chosen) => {
                self.use_provider(&chosen);
                let (provider, model) = (self.provider_name.clone(), chosen.model.clone());
                self.journal.record(&Record::Model { provider: provider.clone(), model: model.clone() });
                self.out.emit(AgentId::MAIN, EventKind::ModelChanged { provider, model });
                self.emit_usage(AgentId::MAIN);
            }
            Err(e) => self.notice(Level::Error, &format!("The model was not changed: {}", e.message), &e.hint),
        }
    }

    /// End everything; what runs is recorded with `ending`.
    pub(super) fn shutdown(&mut self, ending: Ending) {
        if self.closing {
            return;
        }
        self.closing = true;
        let partial = self.partial(AgentId::MAIN);
        if let Some(main) = self.agents.get_mut(&AgentId::MAIN) {
            main.state.clear_inbox();
        }
        self.feed(AgentId::MAIN, Input::Interrupt { partial });
        self.abort_all(ending, "the program ended");
        self.cancel_idle_work();
    }
}
