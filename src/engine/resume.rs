//! Opening a session: trust, configuration, provider, a fresh or restored state (SPEC H2, R7, S25, S27).

use super::agent::{self, Agent, Facts, Place, Rights, Voice, WorkClock};
use super::agents::budget::Pool;
use super::feedback::Feedback;
use super::handle::{Chosen, SessionChoice};
use super::journal::Journal;
use super::library::Library;
use super::run::Engine;
use super::turn::{Input, Limits, State};
use crate::extend::trust::Status;
use crate::permissions::rules::Rule;
use crate::protocol::{AgentId, Event, EventKind, Gauge, History, Level, Op, ToolSpec};
use crate::providers::{Provider, ProviderError, Reply, Request, Sink, catalog};
use crate::session::index;
use crate::session::log::{SessionLog, SessionStart};
use crate::session::replay::replay;
use futures_util::future::BoxFuture;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc;

/// Stands in for a provider that cannot be used: every request fails with the reason.
struct Unavailable {
    name: String,
    error: ProviderError,
}

impl Provider for Unavailable {
    fn name(&self) -> &str {
        &self.name
    }

    fn attempt<'a>(&'a self, _request: &'a Request, _sink: &'a Sink) -> BoxFuture<'a, Result<Reply, ProviderError>> {
        let error = self.error.clone();
        Box::pin(async move { Err(error) })
    }
}

impl Engine {
    /// Everything before the first op: asked once about trust, then loaded, then opened.
    pub(super) async fn open(
        &mut self,
        ops: &mut mpsc::Receiver<Op>,
        events: &mpsc::Sender<Event>,
        feedback: &mut mpsc::UnboundedReceiver<Feedback>,
        held: &mut VecDeque<Op>,
    ) {
        self.trusted = self.ask_trust(ops, events, held).await;
        if self.closing {
            return;
        }
        self.load_project();
        let chosen = match (self.setup.choose)(None, None).await {
            Ok(chosen) => chosen,
            Err(error) => {
                self.notice(Level::Error, &error.message, &error.hint);
                let name = self.setup.config.provider.clone().unwrap_or_else(|| "none".into());
                let model = self.setup.config.model.clone().unwrap_or_else(|| "-".into());
                Chosen { provider: Arc::new(Unavailable { name, error }), model, why: String::new() }
            }
        };
        chosen.provider.name().clone_into(&mut self.provider_name);
        self.start_servers();
        if !self.setup.interactive {
            self.await_servers(feedback).await;
        }
        let choice = self.setup.session.clone();
        self.open_session(&choice, &chosen);
        if !chosen.why.is_empty() && self.setup.interactive {
            self.notice(Level::Info, &chosen.why, "");
        }
        for (level, text, hint) in std::mem::take(&mut self.setup.notices) {
            self.notice(level, &text, &hint);
        }
        self.read_branch();
    }

    /// Whether the project's files count: known, `--trust`, or asked (SPEC R7). Other ops wait meanwhile.
    async fn ask_trust(&mut self, ops: &mut mpsc::Receiver<Op>, events: &mpsc::Sender<Event>, held: &mut VecDeque<Op>) -> bool {
        if self.setup.trust {
            return true;
        }
        let items: Vec<String> = match Library::trust_state(&self.setup.paths, &self.setup.workspace) {
            Status::Nothing | Status::Trusted => return true,
            Status::Declined(_) if self.setup.interactive => return false,
            Status::Declined(items) | Status::Unknown(items) => items.iter().map(ToString::to_string).collect(),
        };
        if !self.setup.interactive {
            self.notice(
                Level::Warning,
                &format!("This folder is not trusted, so its own files are not used: {}", items.join("; ")),
                "look at them, then run `tui-agent trust`, or use --trust for one run",
            );
            return false;
        }
        self.out.emit(AgentId::MAIN, EventKind::TrustAsked { items });
        loop {
            while let Some(event) = self.out.pop() {
                if events.send(event).await.is_err() {
                    self.closing = true;
                    return false;
                }
            }
            match ops.recv().await {
                Some(Op::Trust { trusted }) => {
                    if let Err(why) = Library::keep_trust(&self.setup.paths, &self.setup.workspace, trusted) {
                        self.notice(Level::Warning, &format!("The answer holds for this run, but could not be kept: {why}"), "");
                    }
                    return trusted;
                }
                Some(Op::Shutdown { .. }) | None => {
                    self.closing = true;
                    return false;
                }
                Some(other) => held.push_back(other),
            }
        }
    }

    /// Configuration, rules and what people bring, with the project's files when they are trusted.
    fn load_project(&mut self) {
        if self.trusted {
            self.setup.config = (self.setup.reconfigure)();
        }
        let mut warnings: Vec<String> = self.setup.config.warnings.iter().map(ToString::to_string).collect();
        warnings.extend(self.library.load(&self.setup.config, &self.setup.paths, &self.setup.workspace, self.trusted));
        self.mode = self.setup.config.mode;
        self.rules = super::run::Rules::default();
        for (list, texts) in [(0, &self.setup.config.deny), (1, &self.setup.config.ask), (2, &self.setup.config.allow)] {
            for text in texts {
                match Rule::parse(text) {
                    Ok(rule) if list == 0 => self.rules.deny.push(rule),
                    Ok(rule) if list == 1 => self.rules.ask.push(rule),
                    Ok(rule) => self.rules.allow.push(rule),
                    Err(why) => warnings.push(format!("the rule {text:?} is not used: {why}")),
                }
            }
        }
        for warning in warnings {
            self.notice(Level::Warning, &warning, "");
        }
    }

    fn open_session(&mut self, choice: &SessionChoice, chosen: &Chosen) {
        let project = self.setup.paths.project_dir(&self.setup.workspace);
        let wanted = match choice {
            SessionChoice::New => None,
            SessionChoice::Continue => {
                let latest = index::latest(&project);
                if latest.is_none() {
                    self.notice(Level::Info, "There is no earlier session in this folder; this is a fresh one.", "");
                }
                latest
            }
            SessionChoice::Resume(id) => match index::find(&project, id) {
                Ok(entry) => Some(entry),
                Err(why) => {
                    self.notice(Level::Error, &why, "`tui-agent sessions` lists them");
                    None
                }
            },
        };
        let restored = wanted.and_then(|entry| match SessionLog::open(&self.setup.paths, &self.setup.workspace, &entry.id) {
            Err(e) => {
                self.notice(
                    Level::Warning,
                    &format!("The session {} cannot be continued: {e}. This is a fresh session of its own.", entry.id),
                    "close the other program first, then resume",
                );
                None
            }
            Ok(log) => match replay(&entry.path) {
                Ok(restored) => Some((log, restored)),
                Err(e) => {
                    self.notice(Level::Error, &format!("The session {} cannot be read: {e}", entry.id), "");
                    None
                }
            },
        });
        self.agents.clear();
        self.pending.clear();
        self.waits.clear();
        self.commands = super::background::Commands::default();
        self.next_agent = 1;
        self.todos.clear();
        match restored {
            None => {
                let start = SessionStart { cwd: self.setup.workspace.clone(), provider: self.provider_name.clone(), model: chosen.model.clone() };
                let log = SessionLog::create(&self.setup.paths, &start);
                let dir = log.dir().to_path_buf();
                self.journal = Journal::new(log, dir);
                self.make_main(chosen, History::new());
                self.emit_opened(false);
            }
            Some((log, restored)) => {
                let dir = log.dir().to_path_buf();
                self.journal = Journal::new(log, dir);
                self.restore(chosen, &restored);
            }
        }
    }

    pub(super) fn make_main(&mut self, chosen: &Chosen, history: History) {
        let voice = self.main_voice(chosen);
        let limits =
            Limits { max_requests: self.setup.config.max_turns, per_turn: true, max_agents: self.setup.config.subagents.max_parallel, ..Limits::default() };
        let used = super::requests::fixed_tokens(&voice) + history.messages().iter().map(|m| super::context::message_tokens(m)).sum::<u64>();
        let gauge = self.gauge_of(&voice, used);
        let agent = Agent {
            id: AgentId::MAIN,
            info: None,
            state: State::new(history, limits),
            voice,
            rights: Rights::default(),
            place: Place::new(self.setup.workspace.clone()),
            status: agent::Status::Active,
            running: None,
            calls: HashMap::new(),
            call: None,
            pool: Pool::new(self.setup.config.budget),
            reserved: None,
            warned: false,
            forced: None,
            facts: Facts::default(),
            gauge,
            clock: WorkClock::stopped(),
            heard: Instant::now(),
            stalled: false,
            log: None,
            outcome: None,
            compaction: super::compact::CompactState::default(),
            isolation: false,
            first: None,
            forgotten: false,
            changed_by: BTreeSet::new(),
        };
        self.agents.insert(AgentId::MAIN, agent);
    }

    fn gauge_of(&self, voice: &Voice, used: u64) -> Gauge {
        let window = voice.facts.window.unwrap_or(0);
        let reserve = u64::from(voice.facts.output_limit.unwrap_or(8192)).min(window / 5);
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        // Windows are far below 2^52, the part is between 0 and 1.
        let compact_at = ((window - reserve) as f64 * self.setup.config.compact_at.clamp(0.0, 1.0)) as u64;
        Gauge { used, window, estimated: true, compact_at }
    }

    fn main_voice(&self, chosen: &Chosen) -> Voice {
        let facts = catalog::facts(&chosen.model, &self.setup.config.models);
        Voice {
            system: Arc::new(self.main_system()),
            tools: Arc::new(self.main_tools()),
            provider: Arc::clone(&chosen.provider),
            model: chosen.model.clone(),
            facts,
            effort: None,
        }
    }

    /// The parent's tools as the model sees them, sorted by name.
    pub(super) fn main_tools(&self) -> Vec<ToolSpec> {
        self.toolbox
            .specs()
            .filter(|s| s.name != super::agents::pool::AGENT || self.setup.config.subagents.enabled)
            .map(|s| if s.name == super::agents::pool::AGENT { ToolSpec { description: self.library.agent_description(), ..s.clone() } } else { s.clone() })
            .collect()
    }

    /// Another provider or model for `main` and for children to come.
    pub(super) fn use_provider(&mut self, chosen: &Chosen) {
        chosen.provider.name().clone_into(&mut self.provider_name);
        let facts = catalog::facts(&chosen.model, &self.setup.config.models);
        let Some(main) = self.agents.get_mut(&AgentId::MAIN) else { return };
        main.voice.provider = Arc::clone(&chosen.provider);
        main.voice.model.clone_from(&chosen.model);
        main.voice.facts = facts;
        let (voice, used) = (main.voice.clone(), main.gauge.used);
        let gauge = self.gauge_of(&voice, used);
        if let Some(main) = self.agents.get_mut(&AgentId::MAIN) {
            main.gauge = gauge;
        }
    }

    pub(super) fn emit_opened(&mut self, resumed: bool) {
        let model = self.agents.get(&AgentId::MAIN).map(|a| a.voice.model.clone()).unwrap_or_default();
        let event = EventKind::SessionStarted {
            session_id: self.journal.id().to_owned(),
            cwd: self.setup.workspace.display().to_string(),
            provider: self.provider_name.clone(),
            model,
            mode: self.mode,
            resumed,
        };
        self.out.emit(AgentId::MAIN, event);
        self.emit_types();
        let commands = self.library.commands();
        self.out.emit(AgentId::MAIN, EventKind::Commands { commands });
        self.emit_usage(AgentId::MAIN);
    }

    pub(super) fn emit_types(&mut self) {
        let types = self.library.type_views();
        self.out.emit(AgentId::MAIN, EventKind::AgentTypes { types });
    }

    fn read_branch(&mut self) {
        let (folder, feedback) = (self.setup.workspace.clone(), self.feedback.clone());
        tokio::task::spawn_blocking(move || {
            let branch = crate::tools::git::branch(&folder);
            let _ = feedback.send(super::feedback::Feedback::Branch { branch, changed: 0 });
        });
    }

    fn current(&self) -> Option<Chosen> {
        let main = self.agents.get(&AgentId::MAIN)?;
        Some(Chosen { provider: Arc::clone(&main.voice.provider), model: main.voice.model.clone(), why: String::new() })
    }

    /// `/new`.
    pub(super) fn new_session(&mut self) {
        self.switch(&SessionChoice::New);
    }

    /// `/resume ID`.
    pub(super) fn switch_session(&mut self, id: &str) {
        if id == self.journal.id() {
            return;
        }
        // An id that names nothing must not cost the open conversation.
        if let Err(why) = index::find(&self.setup.paths.project_dir(&self.setup.workspace), id) {
            return self.notice(Level::Warning, &why, "/resume alone lists the sessions of this folder");
        }
        self.switch(&SessionChoice::Resume(id.to_owned()));
    }

    fn switch(&mut self, choice: &SessionChoice) {
        let Some(chosen) = self.current() else { return };
        let partial = self.partial(AgentId::MAIN);
        if let Some(main) = self.agents.get_mut(&AgentId::MAIN) {
            main.state.clear_inbox();
        }
        self.feed(AgentId::MAIN, Input::Interrupt { partial });
        self.abort_all(crate::protocol::Ending::Cancelled, "the session was left");
        self.load_project();
        self.open_session(choice, &chosen);
    }

    /// `/reload`: types, skills and instructions again; the prefix of the conversation changes once.
    pub(super) fn reload(&mut self) {
        if self.agents.get(&AgentId::MAIN).is_some_and(|a| !a.state.is_idle()) {
            return self.notice(Level::Warning, "A turn is running; /reload works between turns.", "press Esc first, or wait");
        }
        self.load_project();
        let Some(chosen) = self.current() else { return };
        let voice = self.main_voice(&chosen);
        if let Some(main) = self.agents.get_mut(&AgentId::MAIN) {
            main.voice = voice;
        }
        self.emit_types();
        let commands = self.library.commands();
        self.out.emit(AgentId::MAIN, EventKind::Commands { commands });
        self.notice(Level::Info, "Agent types, skills, commands and instructions were read again.", "");
    }

    /// A trust answer outside the start question.
    pub(super) fn trust_answered(&mut self, trusted: bool) {
        if trusted && !self.trusted {
            self.trusted = true;
            if let Err(why) = Library::keep_trust(&self.setup.paths, &self.setup.workspace, true) {
                self.notice(Level::Warning, &format!("The answer could not be kept: {why}"), "");
            }
            self.reload();
        }
    }

    /// We changed a project file ourselves, on the person's word: it stays trusted.
    pub(super) fn trust_again(&mut self) {
        if self.trusted
            && let Err(why) = Library::keep_trust(&self.setup.paths, &self.setup.workspace, true)
        {
            self.notice(Level::Warning, &format!("The trust in this folder could not be renewed: {why}"), "");
        }
    }
}
