//! The one approval queue of the whole tree (SPEC R6, S17, T7): who asks, what, and what the answers do.

use super::run::Engine;
use super::turn::Input;
use crate::config::schema::BackgroundApproval;
use crate::permissions::rules::Rule;
use crate::protocol::permission::Question;
use crate::protocol::{AgentId, Answer, Approval, ApprovalBody, ApprovalId, CallId, Display, Ending, EventKind, Level};
use crate::session::Record;
use crate::tools::{Access, Input as Arguments, Outcome};
use std::sync::Arc;

/// A call that wants to run.
pub struct Wanted {
    /// The tool.
    pub tool: String,
    /// Its checked arguments.
    pub input: Arguments,
    /// What it touches.
    pub access: Access,
    /// Why it asks.
    pub reason: String,
    /// The rule that would cover it.
    pub rule: Option<String>,
    /// The change that it would make.
    pub preview: Option<Display>,
}

/// What happens with an answer.
enum Purpose {
    /// Runs or refuses a call.
    Call { call: CallId, wanted: Box<Wanted> },
    /// Starts some children of a reply.
    FanOut { calls: Vec<CallId> },
    /// Answers a call of `AskUserQuestion`.
    Questions { call: CallId, questions: Vec<Question> },
}

/// What a question says.
struct Shown {
    tool: String,
    body: ApprovalBody,
    reason: String,
    rule: Option<String>,
}

struct Open {
    id: ApprovalId,
    agent: AgentId,
    purpose: Purpose,
}

/// Open questions, oldest first.
#[derive(Default)]
pub struct Queue {
    open: Vec<Open>,
    last: u64,
}

impl Queue {
    /// Whether an agent waits for the person.
    #[must_use]
    pub fn waits(&self, agent: AgentId) -> bool {
        self.open.iter().any(|o| o.agent == agent)
    }
}

impl Engine {
    /// Put a call into the queue, or refuse it where a background child may not ask.
    pub(super) fn ask(&mut self, id: AgentId, call: &CallId, wanted: Wanted) {
        let background = self.in_background(id);
        if background && self.setup.config.subagents.background_approval == BackgroundApproval::Deny {
            let reason = format!("{}; background agents may not ask (subagents.background_approval = \"deny\")", wanted.reason);
            return self.refuse(id, call, &wanted.tool.clone(), &wanted.input.clone(), &reason);
        }
        let body = match (&wanted.access.command, &wanted.preview) {
            (Some(command), _) => ApprovalBody::Command { command: command.clone() },
            (None, Some(Display::Diff { path, hunks, .. })) => ApprovalBody::Edit { path: path.clone(), hunks: hunks.clone() },
            (None, _) => ApprovalBody::Call { text: readable(&wanted.input) },
        };
        let (tool, reason, rule) = (wanted.tool.clone(), wanted.reason.clone(), wanted.rule.clone());
        let purpose = Purpose::Call { call: call.clone(), wanted: Box::new(wanted) };
        self.enqueue(id, Shown { tool, body, reason, rule }, purpose);
    }

    fn enqueue(&mut self, agent: AgentId, shown: Shown, purpose: Purpose) {
        let call = match &purpose {
            Purpose::Call { call, .. } | Purpose::Questions { call, .. } => Some(call.clone()),
            Purpose::FanOut { .. } => None,
        };
        self.approvals.last += 1;
        let id = ApprovalId(self.approvals.last);
        self.approvals.open.push(Open { id, agent, purpose });
        let approval = Approval {
            id,
            agent,
            path: self.agent_path(agent),
            description: self.agents.get(&agent).and_then(|a| a.info.as_ref()).map(|i| i.description.clone()).unwrap_or_default(),
            call,
            tool: shown.tool,
            body: shown.body,
            reason: shown.reason,
            rule: shown.rule,
            background: self.in_background(agent),
        };
        self.clocks(agent, false);
        self.out.emit(agent, EventKind::PermissionAsked { approval });
    }

    /// Stop or start the clocks of an agent and of those that wait for it.
    fn clocks(&mut self, agent: AgentId, run: bool) {
        let mut at = Some(agent);
        while let Some(a) = at.and_then(|a| self.agents.get_mut(&a)) {
            if run {
                a.clock.start();
            } else {
                a.clock.stop();
            }
            at = if a.is_background() { None } else { a.parent() };
        }
    }

    /// Whether an agent or one of its ancestors runs in the background.
    pub(super) fn in_background(&self, id: AgentId) -> bool {
        let mut at = Some(id);
        while let Some(agent) = at.and_then(|a| self.agents.get(&a)) {
            if agent.is_background() {
                return true;
            }
            at = agent.parent();
        }
        false
    }

    /// `a1 Explore › a2 general-purpose`; `main` for the parent.
    fn agent_path(&self, id: AgentId) -> String {
        let mut parts = Vec::new();
        let mut at = Some(id);
        while let Some(agent) = at.and_then(|a| self.agents.get(&a)) {
            if let Some(info) = &agent.info {
                parts.push(format!("{} {}", info.id, info.kind));
            }
            at = agent.parent();
        }
        parts.reverse();
        if parts.is_empty() { "main".into() } else { parts.join(" › ") }
    }

    /// More children in one reply than may start unasked (SPEC S17).
    pub(super) fn ask_consent(&mut self, id: AgentId, calls: &[CallId]) {
        let limit = self.setup.config.subagents.ask_above;
        if !self.setup.interactive {
            let reason = format!(
                "Agent: {} children in one reply need consent, and nobody can be asked in a headless run (subagents.ask_above = {limit} is the limit); start fewer at once",
                calls.len()
            );
            return self.feed(id, Input::Consent { allowed: Vec::new(), reason });
        }
        let children = self.described(id, calls);
        let reason = format!("{} children in one reply, more than {limit}", calls.len());
        let shown = Shown { tool: "Agent".into(), body: ApprovalBody::FanOut { children }, reason, rule: None };
        self.enqueue(id, shown, Purpose::FanOut { calls: calls.to_vec() });
    }

    /// (type, description) of calls in the last reply.
    fn described(&self, id: AgentId, calls: &[CallId]) -> Vec<(String, String)> {
        let Some(agent) = self.agents.get(&id) else { return Vec::new() };
        let open = agent.state.history.open_calls();
        let text = |input: &Arguments, key: &str| input.get(key).and_then(serde_json::Value::as_str).map(ToOwned::to_owned);
        calls
            .iter()
            .filter_map(|c| open.iter().find(|o| o.id == *c))
            .map(|c| {
                (
                    text(&c.input, "subagent_type").unwrap_or_else(|| "general-purpose".into()),
                    text(&c.input, "description").or_else(|| text(&c.input, "prompt")).unwrap_or_default(),
                )
            })
            .collect()
    }

    /// `AskUserQuestion`.
    pub(super) fn ask_questions(&mut self, id: AgentId, call: &CallId, questions: Vec<Question>) {
        if !self.setup.interactive {
            let why = "nobody can be asked in a headless run; decide yourself and say what you assumed";
            return self.finish_call(id, call, Outcome::error(why));
        }
        let body = ApprovalBody::Questions { questions: questions.clone() };
        let shown = Shown { tool: "AskUserQuestion".into(), body, reason: "the agent asks".into(), rule: None };
        self.enqueue(id, shown, Purpose::Questions { call: call.clone(), questions });
    }

    /// An answer of the person. The first one wins; later ones find no open question and do nothing.
    pub(super) fn answered(&mut self, id: ApprovalId, answer: Answer) {
        let Some(at) = self.approvals.open.iter().position(|o| o.id == id) else { return };
        let open = self.approvals.open.remove(at);
        self.out.emit(open.agent, EventKind::PermissionResolved { id, answer: Some(answer.clone()) });
        self.clocks(open.agent, true);
        match open.purpose {
            Purpose::Call { call, wanted } => self.call_answered(open.agent, &call, *wanted, &answer),
            Purpose::FanOut { calls } => {
                let chosen = match answer {
                    Answer::Start { chosen } => chosen,
                    Answer::Once | Answer::Agent | Answer::Session | Answer::AlwaysProject | Answer::AlwaysUser => (0..calls.len()).collect(),
                    Answer::Deny | Answer::DenyBecause { .. } | Answer::StopAgent | Answer::Answers { .. } => Vec::new(),
                };
                let allowed = chosen.iter().filter_map(|i| calls.get(*i).cloned()).collect();
                self.feed(open.agent, Input::Consent { allowed, reason: "Agent: the user did not allow this child to start".into() });
            }
            Purpose::Questions { call, questions } => {
                let outcome = match answer {
                    Answer::Answers { texts } => {
                        let lines: Vec<String> = questions.iter().zip(&texts).map(|(q, t)| format!("{}\n→ {t}", q.question)).collect();
                        Outcome::ok(lines.join("\n\n"), texts.join(" · "), Display::None)
                    }
                    Answer::DenyBecause { reason } => Outcome::error(format!("the user did not answer: {reason}")),
                    Answer::Once
                    | Answer::Agent
                    | Answer::Session
                    | Answer::AlwaysProject
                    | Answer::AlwaysUser
                    | Answer::Deny
                    | Answer::StopAgent
                    | Answer::Start { .. } => Outcome::error("the user did not answer"),
                };
                self.finish_call(open.agent, &call, outcome);
            }
        }
    }

    fn call_answered(&mut self, id: AgentId, call: &CallId, wanted: Wanted, answer: &Answer) {
        match answer {
            Answer::Once => {}
            Answer::Agent | Answer::Session | Answer::AlwaysProject | Answer::AlwaysUser => self.keep_rule(id, &wanted, answer),
            Answer::Deny | Answer::Start { .. } | Answer::Answers { .. } => {
                return self.refuse(id, call, &wanted.tool, &wanted.input, "the user said no; do it another way, or go on without it");
            }
            Answer::DenyBecause { reason } => return self.refuse(id, call, &wanted.tool, &wanted.input, &format!("the user said no: {reason}")),
            Answer::StopAgent => {
                self.refuse_silently(id, &wanted);
                if id.is_main() {
                    let partial = self.partial(id);
                    return self.feed(id, Input::Interrupt { partial });
                }
                return self.abort_agent(id, Ending::Denied, "stopped by the user at a permission question");
            }
        }
        let toolbox = Arc::clone(&self.toolbox);
        let Some((_, tool)) = toolbox.find(&wanted.tool) else { return };
        // Links may have moved since the question: the decision counts for the paths that were shown.
        let Some(ctx) = self.context(id, call) else { return };
        match tool.access(&wanted.input, &ctx) {
            Ok(access) if access == wanted.access => self.run_call(id, call, tool, wanted.input, ctx),
            Ok(_) => self.refuse(id, call, &wanted.tool, &wanted.input, "what the call touches changed while the question was open; try again"),
            Err(why) => self.finish_call(id, call, Outcome::error(why)),
        }
        if matches!(answer, Answer::Session | Answer::AlwaysProject | Answer::AlwaysUser | Answer::Agent) {
            self.recheck_open();
        }
    }

    fn refuse_silently(&mut self, id: AgentId, wanted: &Wanted) {
        let input = crate::util::text::one_line(&readable(&wanted.input), 120);
        let denied = crate::protocol::Denied { agent: id, tool: wanted.tool.clone(), input, reason: "the user stopped this agent".into() };
        if let Some(agent) = self.agents.get_mut(&id) {
            agent.facts.denied.push(denied.clone());
        }
        self.out.emit(id, EventKind::CallRefused { denied });
    }

    fn keep_rule(&mut self, id: AgentId, wanted: &Wanted, answer: &Answer) {
        let Some(text) = &wanted.rule else { return };
        let Ok(rule) = Rule::parse(text) else { return };
        if *answer == Answer::Agent {
            if let Some(agent) = self.agents.get_mut(&id) {
                agent.rights.rules.push(rule);
            }
            return;
        }
        self.rules.allow.push(rule);
        self.journal.record(&Record::Rule { rule: text.clone(), agent: None });
        let file = match answer {
            Answer::AlwaysProject => self.setup.workspace.join(".tui-agent").join("config.toml"),
            Answer::AlwaysUser => self.setup.paths.config.join("config.toml"),
            Answer::Once
            | Answer::Agent
            | Answer::Session
            | Answer::Deny
            | Answer::DenyBecause { .. }
            | Answer::StopAgent
            | Answer::Start { .. }
            | Answer::Answers { .. } => return,
        };
        match crate::config::add_rule::add_allow_rule(&file, text) {
            Ok(()) => self.notice(Level::Info, &format!("Rule {text} was added to {}", file.display()), ""),
            Err(e) => self.notice(
                Level::Warning,
                &format!("The rule {text} holds for this session but could not be kept in {}: {e}", file.display()),
                "mend the file, then answer “always” again",
            ),
        }
        if *answer == Answer::AlwaysProject {
            self.trust_again();
        }
    }

    /// A new rule may answer other open questions too.
    fn recheck_open(&mut self) {
        let ids: Vec<ApprovalId> = self.approvals.open.iter().map(|o| o.id).collect();
        for id in ids {
            let Some(open) = self.approvals.open.iter().find(|o| o.id == id) else { continue };
            let Purpose::Call { wanted, .. } = &open.purpose else { continue };
            if self.verdict(open.agent, &wanted.tool, &wanted.access) == crate::permissions::Verdict::Allow {
                self.answered(id, Answer::Once);
            }
        }
    }

    /// A dead asker's question goes away.
    pub(super) fn approvals_gone(&mut self, agent: AgentId, call: &CallId) {
        let gone: Vec<ApprovalId> = self
            .approvals
            .open
            .iter()
            .filter(|o| o.agent == agent && matches!(&o.purpose, Purpose::Call { call: c, .. } | Purpose::Questions { call: c, .. } if c == call))
            .map(|o| o.id)
            .collect();
        self.remove_approvals(&gone);
    }

    /// All questions of an agent go away.
    pub(super) fn approvals_of_gone(&mut self, agent: AgentId) {
        let gone: Vec<ApprovalId> = self.approvals.open.iter().filter(|o| o.agent == agent).map(|o| o.id).collect();
        self.remove_approvals(&gone);
    }

    fn remove_approvals(&mut self, gone: &[ApprovalId]) {
        for id in gone {
            let Some(at) = self.approvals.open.iter().position(|o| o.id == *id) else { continue };
            let open = self.approvals.open.remove(at);
            self.clocks(open.agent, true);
            self.out.emit(open.agent, EventKind::PermissionResolved { id: *id, answer: None });
        }
    }

    /// The mode or a rule was tightened: open questions stay, what is now allowed runs (SPEC R2).
    pub(super) fn mode_changed(&mut self) {
        self.recheck_open();
    }
}

/// Arguments for reading.
fn readable(input: &Arguments) -> String {
    input.iter().map(|(k, v)| v.as_str().map_or_else(|| format!("{k}: {v}"), |text| format!("{k}: {text}"))).collect::<Vec<_>>().join("\n")
}
