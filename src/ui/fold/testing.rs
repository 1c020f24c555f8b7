//! For tests: a session played event by event.

use crate::protocol::event::TurnEnding;
use crate::protocol::{
    AgentId, AgentInfo, AgentOutcome, Approval, ApprovalBody, ApprovalId, Budget, CallId, Display, Ending, Event, EventKind, Gauge, Level, Mode, Origin,
    TaskId, Usage,
};
use crate::ui::model::{Item, ItemKind, Model};

pub const MAIN: AgentId = AgentId::MAIN;

/// A model and its clock, which starts at ten seconds.
#[derive(Default)]
pub struct Play {
    pub model: Model,
    pub at: u64,
    seq: u64,
}

pub fn call(id: &str) -> CallId {
    CallId(id.into())
}

pub fn child(n: u32) -> AgentId {
    AgentId::child(n)
}

pub fn info(n: u32, description: &str, background: bool) -> AgentInfo {
    AgentInfo {
        id: child(n),
        parent: MAIN,
        depth: 1,
        kind: "Explore".into(),
        description: description.into(),
        prompt: format!("PROMPT of {description}"),
        model: "m".into(),
        background,
        max_requests: 30,
        budget: Budget::default(),
        read_only: true,
        fork: false,
    }
}

pub fn outcome(ending: Ending) -> AgentOutcome {
    AgentOutcome {
        ending,
        reason: ending.name().into(),
        report: "The **report**.".into(),
        requests: 3,
        tool_uses: 2,
        usage: usage(43_000, 1_200),
        cost_usd: 0.0,
        entered_parent_tokens: 310,
        files_written: Vec::new(),
        denied: Vec::new(),
        dropped_tools: Vec::new(),
        bad_citations: Vec::new(),
        branch: None,
        elapsed_ms: 9_000,
    }
}

pub fn usage(input: u64, output: u64) -> Usage {
    Usage { input, output, ..Usage::default() }
}

pub fn approval(id: u64, agent: AgentId, of: Option<&str>, background: bool) -> Approval {
    Approval {
        id: ApprovalId(id),
        agent,
        path: agent.to_string(),
        description: String::new(),
        call: of.map(call),
        tool: "Bash".into(),
        body: ApprovalBody::Command { command: "ls".into() },
        reason: String::new(),
        rule: None,
        background,
    }
}

impl Play {
    pub fn new() -> Self {
        let mut p = Self { at: 10_000, ..Self::default() };
        p.push(
            MAIN,
            EventKind::SessionStarted {
                session_id: "s".into(),
                cwd: "/p".into(),
                provider: "p".into(),
                model: "m".into(),
                mode: Mode::Default,
                resumed: false,
            },
        );
        p
    }

    pub fn push(&mut self, agent: AgentId, kind: EventKind) -> &mut Self {
        self.seq += 1;
        super::apply(&mut self.model, &Event { v: 1, seq: self.seq, at: self.at, agent, kind });
        self
    }

    pub fn wait(&mut self, ms: u64) -> &mut Self {
        self.at += ms;
        self
    }

    pub fn user(&mut self, text: &str) -> &mut Self {
        self.push(MAIN, EventKind::TurnStarted);
        self.push(MAIN, EventKind::UserMessage { text: text.into(), origin: Origin::Person })
    }

    pub fn request(&mut self, agent: AgentId, n: u32) -> &mut Self {
        self.push(agent, EventKind::RequestStarted { n, max: 30 })
    }

    pub fn text(&mut self, agent: AgentId, text: &str) -> &mut Self {
        self.push(agent, EventKind::TextDelta { text: text.into() })
    }

    pub fn think(&mut self, agent: AgentId, text: &str) -> &mut Self {
        self.push(agent, EventKind::ThinkingDelta { text: text.into() })
    }

    pub fn reply(&mut self, agent: AgentId) -> &mut Self {
        self.push(agent, EventKind::ReplyFinished { usage: Usage::default() })
    }

    pub fn start(&mut self, agent: AgentId, id: &str, name: &str, title: &str) -> &mut Self {
        self.push(agent, EventKind::ToolStarted { call: call(id), name: name.into(), title: title.into() })
    }

    pub fn finish(&mut self, agent: AgentId, id: &str, summary: &str, display: Display) -> &mut Self {
        self.push(agent, EventKind::ToolFinished { call: call(id), is_error: false, summary: summary.into(), display })
    }

    pub fn spawn(&mut self, info: AgentInfo, of: Option<&str>) -> &mut Self {
        self.push(info.id, EventKind::AgentSpawned { info, call: of.map(call), pending: false })
    }

    pub fn used(&mut self, agent: AgentId, usage: Usage) -> &mut Self {
        self.push(agent, EventKind::UsageUpdated { gauge: Gauge::default(), usage, cost_usd: 0.0 })
    }

    pub fn end(&mut self, ending: TurnEnding) -> &mut Self {
        self.push(MAIN, EventKind::TurnEnded { ending })
    }

    pub fn notice(&mut self, level: Level, text: &str) -> &mut Self {
        self.push(MAIN, EventKind::Notice { level, text: text.into(), hint: String::new() })
    }

    pub fn command(&mut self, n: u32, command: &str) -> &mut Self {
        self.push(MAIN, EventKind::TaskStarted { task: TaskId::Command(n), command: command.into(), description: String::new() })
    }

    pub fn items(&self, agent: AgentId) -> &[Item] {
        self.model.transcripts.get(&agent).map_or(&[], |t| &t.items)
    }

    /// The kinds of an agent's cells with their texts.
    pub fn said(&self, agent: AgentId) -> Vec<String> {
        self.items(agent)
            .iter()
            .map(|i| match &i.kind {
                ItemKind::User { text, .. } => format!("user {text}"),
                ItemKind::Assistant { text, done } => format!("{} {text}", if *done { "said" } else { "says" }),
                ItemKind::Thinking { text, done } => format!("{} {text}", if *done { "thought" } else { "thinks" }),
                ItemKind::Tool(t) => format!("{:?} {} {} {}", t.state, t.name, t.title, t.summary).trim_end().to_owned(),
                ItemKind::Notice { text, .. } => format!("notice {text}"),
                ItemKind::Compacted { before, after, .. } => format!("compacted {before} {after}"),
            })
            .collect()
    }
}

/// The design's scene: a finished foreground child, a running one in the background, a background command, to-dos.
pub fn scene() -> Play {
    let mut p = Play::new();
    p.user("Where is pagination done, and does anything page by offset?");
    p.request(MAIN, 1).text(MAIN, "Two places to look; I'll send an explorer for each.").reply(MAIN);
    p.start(MAIN, "c1", "Agent", "find pagination").spawn(info(1, "find pagination", false), Some("c1"));
    p.start(MAIN, "c2", "Agent", "offset use").spawn(info(2, "offset use", true), Some("c2"));
    p.request(child(1), 4).start(child(1), "t1", "Grep", "page_size *.py").finish(child(1), "t1", "12 matches", Display::None);
    p.start(child(1), "t2", "Read", "api/posts.py").finish(child(1), "t2", "88 lines", Display::None).used(child(1), usage(43_000, 1_200));
    p.request(child(2), 3).used(child(2), usage(21_000, 200)).start(child(2), "t3", "Grep", "\"offset\" web/");
    p.command(1, "cargo test").push(MAIN, EventKind::TaskOutput { task: TaskId::Command(1), tail: "test ui::keys ok\ntest ui::fold ok\n".into() });
    p.wait(9_000).push(child(1), EventKind::AgentFinished { outcome: outcome(Ending::Completed) });
    p.finish(MAIN, "c1", "completed", Display::Agent { id: child(1) });
    p.finish(MAIN, "c2", "launched", Display::Agent { id: child(2) });
    let todo = |content: &str, status| crate::protocol::Todo { content: content.into(), status, active_form: String::new() };
    let todos = vec![
        todo("find pagination", crate::protocol::TodoStatus::Completed),
        todo("compare defaults", crate::protocol::TodoStatus::InProgress),
        todo("extract paginate()", crate::protocol::TodoStatus::Pending),
    ];
    p.push(MAIN, EventKind::TodosChanged { todos });
    p.wait(5_000)
        .request(MAIN, 2)
        .text(MAIN, "Pagination lives in two places:\n- api/posts.py:3   list_posts(page, page_size)\n- api/users.py:5   list_users(page, page_size)\n");
    p
}
