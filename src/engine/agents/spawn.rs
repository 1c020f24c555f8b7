//! How a child starts (SPEC S5–S10, S16, S17, S21).

use super::budget::Pool;
use super::pool::{AGENT, Wanted, child_pool};
use crate::engine::agent::{Agent, Facts, Place, Rights, Status, Voice, WorkClock};
use crate::engine::run::Engine;
use crate::engine::turn::{Input, Limits, State};
use crate::extend::agents::{AgentType, ToolSet};
use crate::protocol::{AgentId, AgentInfo, Budget, CallId, Display, EventKind, Gauge, History, Origin, TaskId, ToolSpec};
use crate::providers::catalog;
use crate::session::Record;
use crate::session::child::{ChildLog, write_meta};
use crate::tools::{Outcome, SpawnRequest};
use crate::util::time::now_ms;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Instant;

/// What a forked child finds as the results of its parent's open calls.
const PLACEHOLDER: &str = "You are a fork of this conversation, working beside it. The call goes on elsewhere; your task follows.";

/// The launch result of a background child (SPEC S23).
#[must_use]
pub fn launched(id: AgentId) -> String {
    format!(
        "Async agent launched.\nagentId: {id}\nA notification with its report will come when it ends; do not wait for it and do not do its work yourself. SendMessage steers it, TaskStop ends it."
    )
}

impl Engine {
    /// A permitted `Agent` call.
    pub(in crate::engine) fn spawn(&mut self, parent: AgentId, call: &CallId, request: &SpawnRequest) {
        match self.make_child(parent, request) {
            Err(why) => self.finish_call(parent, call, Outcome::error(format!("Agent: {why}"))),
            Ok(id) => {
                let background = self.agents.get(&id).is_some_and(Agent::is_background);
                if background {
                    self.finish_call(parent, call, Outcome::ok(launched(id), format!("{id} in background"), Display::Task { id: TaskId::Agent(id) }));
                } else {
                    if let Some(agent) = self.agents.get_mut(&id) {
                        agent.call = Some(call.clone());
                    }
                    if let Some(running) = self.agents.get_mut(&parent).and_then(|a| a.calls.get_mut(call)) {
                        running.child = Some(id);
                    }
                }
                let origin = if request.fork { Origin::Fork { agent: id } } else { Origin::Person };
                self.begin(id, request.prompt.clone(), origin, Some(call.clone()));
            }
        }
    }

    fn make_child(&mut self, parent: AgentId, request: &SpawnRequest) -> Result<AgentId, String> {
        let config = self.setup.config.subagents.clone();
        let Some(above) = self.agents.get(&parent) else { return Err("the parent is gone".into()) };
        if !config.enabled {
            return Err("subagents are switched off; do it yourself".into());
        }
        if above.info.as_ref().is_some_and(|i| i.fork) {
            return Err("a fork cannot spawn or fork; do it yourself".into());
        }
        if above.depth() >= config.max_depth {
            return Err(format!("refused at depth {}: subagents.max_depth is {}; do it yourself", above.depth(), config.max_depth));
        }
        let name = request.kind.as_deref().unwrap_or("general-purpose");
        let kind = self.library.enabled_type(name)?.clone();
        let may_spawn = above.depth() + 1 < config.max_depth;
        let (voice, dropped) = self.child_voice(parent, &kind, request, may_spawn)?;
        let budget = merge(request.budget, kind.budget);
        let reserved = self.reserve(parent, budget)?;
        let max = request.max_turns.or(kind.max_turns).unwrap_or(config.max_turns).max(1);
        let limits =
            Limits { max_requests: max, per_turn: false, max_agents: config.max_parallel, press_for_report: true, announce_last: true, ..Limits::default() };
        let id = AgentId::child(self.next_agent);
        self.next_agent += 1;
        let Some(above) = self.agents.get(&parent) else { return Err("the parent is gone".into()) };
        let history = if request.fork { above.state.history.clone() } else { History::new() };
        let place = Place::new(above.place.workspace.clone());
        let info = AgentInfo {
            id,
            parent,
            depth: above.depth() + 1,
            kind: kind.name.clone(),
            description: request.description.clone(),
            prompt: request.prompt.clone(),
            model: voice.model.clone(),
            background: request.background.unwrap_or(kind.background),
            max_requests: max,
            budget: reserved.unwrap_or(budget),
            read_only: kind.read_only || self.is_read_only(parent),
            fork: request.fork,
        };
        let state = if request.fork { State::fork(history, limits, PLACEHOLDER) } else { State::new(history, limits) };
        let isolation = request.isolation.as_deref().or(kind.isolation.as_deref()) == Some("worktree");
        let rights = Rights { read_only: kind.read_only, mode: kind.mode, rules: Vec::new() };
        let agent = new_child(info, state, voice, rights, place, reserved, dropped, isolation);
        self.agents.insert(id, agent);
        Ok(id)
    }

    fn child_voice(&self, parent: AgentId, kind: &AgentType, request: &SpawnRequest, may_spawn: bool) -> Result<(Voice, Vec<String>), String> {
        let Some(above) = self.agents.get(&parent) else { return Err("the parent is gone".into()) };
        if request.fork {
            return Ok((above.voice.clone(), Vec::new()));
        }
        let parents: Vec<String> = above.voice.tools.iter().map(|t| t.name.clone()).collect();
        let existing: Vec<String> = self.toolbox.specs().map(|s| s.name.clone()).collect();
        let wanted = Wanted { tools: listed(&kind.tools), disallowed: &kind.disallowed, names: request.tool_names.as_deref(), may_spawn };
        let (names, dropped) = child_pool(&parents, &existing, wanted)?;
        let tools: Vec<ToolSpec> = above.voice.tools.iter().filter(|t| names.contains(&t.name)).cloned().collect();
        let model =
            request.model.clone().or_else(|| kind.model.clone()).filter(|m| m != "inherit" && !m.is_empty()).unwrap_or_else(|| above.voice.model.clone());
        let facts = catalog::facts(&model, &self.setup.config.models);
        let system = self.child_system(kind, &above.place.workspace);
        let voice =
            Voice { system: Arc::new(system), tools: Arc::new(tools), provider: Arc::clone(&above.voice.provider), model, facts, effort: kind.effort.clone() };
        Ok((voice, dropped))
    }

    /// Set a child's own budget aside from the pool that its parent draws from (SPEC S16).
    fn reserve(&mut self, parent: AgentId, want: Budget) -> Result<Option<Budget>, String> {
        let limited = want.tokens.is_some() || want.cost_usd.is_some() || want.seconds.is_some();
        let mut given = limited.then_some(want);
        let mut at = Some(parent);
        while let Some(agent) = at.and_then(|a| self.agents.get_mut(&a)) {
            if agent.pool.is_limited() {
                if agent.pool.is_empty() {
                    return Err("nothing is left of the budget for another child".into());
                }
                if let Some(want) = given {
                    given = agent.pool.reserve(want);
                    if given.is_none() {
                        return Err("nothing is left of the budget for another child".into());
                    }
                }
                break;
            }
            at = if agent.reserved.is_some() { None } else { agent.parent() };
        }
        Ok(given)
    }

    /// Announce a child and start it, or let it wait for a place or its worktree.
    pub(in crate::engine) fn begin(&mut self, id: AgentId, text: String, origin: Origin, call: Option<CallId>) {
        let waits = self.running_children(id) >= self.setup.config.subagents.max_running;
        let Some(agent) = self.agents.get_mut(&id) else { return };
        let Some(info) = agent.info.clone() else { return };
        let worktree = agent.isolation && agent.place.branch.is_none();
        agent.status = if waits || worktree { Status::Pending } else { Status::Active };
        agent.clock = WorkClock::stopped();
        agent.first = Some((text, origin));
        self.journal.record(&Record::AgentSpawned { info: info.clone(), at: now_ms() });
        self.open_child_log(id);
        self.out.emit(id, EventKind::AgentSpawned { info, call, pending: waits || worktree });
        if worktree {
            return self.make_worktree(id);
        }
        if waits { self.pending.push_back(id) } else { self.start_child(id) }
    }

    /// The first words go in.
    pub(in crate::engine) fn start_child(&mut self, id: AgentId) {
        let Some(agent) = self.agents.get_mut(&id) else { return };
        let Some((text, origin)) = agent.first.take() else { return };
        if agent.status == Status::Pending {
            agent.status = Status::Active;
            self.out.emit(id, EventKind::AgentStarted);
        }
        let Some(agent) = self.agents.get_mut(&id) else { return };
        agent.clock.start();
        agent.heard = Instant::now();
        self.feed(id, Input::Say { text, images: Vec::new(), origin });
    }

    /// Children at work; those that only wait for children of their own hold no place (else they would wait for ever).
    fn running_children(&self, beside: AgentId) -> usize {
        self.agents
            .values()
            .filter(|a| a.id != beside && !a.id.is_main() && a.status == Status::Active)
            .filter(|a| a.calls.is_empty() || a.calls.values().any(|c| c.tool != AGENT))
            .count()
    }

    /// A place may be free: start who waits.
    pub(in crate::engine) fn start_pending(&mut self) {
        while let Some(id) = self.pending.front().copied() {
            if self.agents.get(&id).is_none_or(|a| a.status != Status::Pending) {
                self.pending.pop_front();
                continue;
            }
            if self.running_children(id) >= self.setup.config.subagents.max_running {
                return;
            }
            self.pending.pop_front();
            self.start_child(id);
        }
    }

    /// The child's transcript and sidecar.
    fn open_child_log(&mut self, id: AgentId) {
        let dir = self.journal.dir().join("subagents");
        let Some(agent) = self.agents.get_mut(&id) else { return };
        let Some(info) = &agent.info else { return };
        let fork = info.fork && agent.log.is_none() && agent.outcome.is_none();
        let mut log = ChildLog::new(&dir, id);
        if fork {
            for message in agent.state.history.messages() {
                let _ = log.append(message, now_ms());
            }
        }
        agent.log = Some(log);
        if let Some(meta) = self.child_meta(id) {
            let _ = write_meta(&dir, &meta);
        }
    }
}

#[allow(clippy::too_many_arguments)] // The parts of one value, named at the only place that makes it.
pub(in crate::engine) fn new_child(
    info: AgentInfo,
    state: State,
    voice: Voice,
    rights: Rights,
    place: Place,
    reserved: Option<Budget>,
    dropped: Vec<String>,
    isolation: bool,
) -> Agent {
    let window = voice.facts.window.unwrap_or(0);
    let used = crate::engine::requests::fixed_tokens(&voice);
    Agent {
        id: info.id,
        state,
        voice,
        rights,
        place,
        status: Status::Pending,
        running: None,
        calls: HashMap::new(),
        call: None,
        pool: reserved.map(Pool::new).unwrap_or_default(),
        reserved,
        warned: false,
        forced: None,
        facts: Facts { dropped, ..Facts::default() },
        gauge: Gauge { used, window, estimated: true, compact_at: 0 },
        clock: WorkClock::stopped(),
        heard: Instant::now(),
        stalled: false,
        log: None,
        outcome: None,
        compaction: crate::engine::compact::CompactState::default(),
        isolation,
        changed_by: BTreeSet::new(),
        first: None,
        forgotten: false,
        info: Some(info),
    }
}

/// The type's list of tools; None for all.
fn listed(tools: &ToolSet) -> Option<&[String]> {
    match tools {
        ToolSet::All => None,
        ToolSet::List(names) => Some(names),
    }
}

/// The call's budget over the type's, field by field.
fn merge(call: Budget, kind: Budget) -> Budget {
    Budget { tokens: call.tokens.or(kind.tokens), cost_usd: call.cost_usd.or(kind.cost_usd), seconds: call.seconds.or(kind.seconds) }
}
