//! Once a second while children work or a time budget runs: stalls and seconds (SPEC S16, S22).

use crate::engine::agent::Status;
use crate::engine::run::Engine;
use crate::protocol::{AgentId, EventKind};
use std::time::Duration;

/// Silent for this long, outside a tool and without a live descendant: stalled.
const STALLED: Duration = Duration::from_mins(1);

impl Engine {
    /// Whether the clock has to be looked at. Nothing runs when idle.
    pub(in crate::engine) fn needs_ticks(&self) -> bool {
        self.agents.values().any(|a| (a.is_live() && a.status == Status::Active) || (a.pool.limit.seconds.is_some() && !a.state.is_idle()))
    }

    /// Look at all agents.
    pub(in crate::engine) fn tick(&mut self) {
        let ids: Vec<AgentId> = self.agents.keys().copied().collect();
        for id in ids {
            self.tick_one(id);
        }
    }

    fn tick_one(&mut self, id: AgentId) {
        let has_live = self.agents.values().any(|a| a.parent() == Some(id) && a.is_live());
        let waits = self.approvals.waits(id);
        let Some(agent) = self.agents.get_mut(&id) else { return };
        if agent.pool.limit.seconds.is_some() {
            agent.pool.spent.seconds = agent.clock.worked().as_secs_f64();
        }
        let working = agent.status == Status::Active && !agent.state.is_idle();
        if !id.is_main() && working {
            let stalled = agent.heard.elapsed() > STALLED && agent.calls.is_empty() && !has_live && !waits;
            if stalled != agent.stalled {
                agent.stalled = stalled;
                self.out.emit(id, EventKind::AgentStalled { stalled });
            }
        }
        if working {
            self.mind_budget(id);
        }
    }
}
