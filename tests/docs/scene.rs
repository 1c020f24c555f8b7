//! The fixed list of events behind `assets/screen.svg`: a question, one explorer that has reported, one at work, one in
//! the background beside a command. Times are given, so that every age on the picture is the same each time.

use tui_agent::config::keymap::Keymap;
use tui_agent::config::schema::UiConfig;
use tui_agent::protocol::{
    AgentId, AgentInfo, AgentOutcome, Budget, CallId, Display, Ending, Event, EventKind, Gauge, Mode, Origin, TaskId, Todo, TodoStatus, Usage,
};
use tui_agent::ui::msg::Msg;
use tui_agent::ui::theme::Theme;
use tui_agent::ui::update::{Ui, update};

const MAIN: AgentId = AgentId::MAIN;
/// Milliseconds since the Unix epoch at the first event; any fixed moment would do.
const START: u64 = 1_796_083_200_000;

/// Plays events into the real interface.
struct Stage {
    ui: Ui,
    now: u64,
    seq: u64,
}

impl Stage {
    fn push(&mut self, agent: AgentId, kind: EventKind) {
        self.seq += 1;
        let event = Event { v: tui_agent::protocol::event::EVENT_VERSION, seq: self.seq, at: self.now, agent, kind };
        update(&mut self.ui, Msg::Engine(event), self.now);
    }

    fn wait(&mut self, ms: u64) {
        self.now += ms;
        update(&mut self.ui, Msg::Tick, self.now);
    }

    fn request(&mut self, agent: AgentId, n: u32) {
        self.push(agent, EventKind::RequestStarted { n, max: 30 });
    }

    /// A whole reply of the main agent.
    fn say(&mut self, text: &str) {
        self.push(MAIN, EventKind::TextDelta { text: text.into() });
        self.push(MAIN, EventKind::ReplyFinished { usage: Usage::default() });
    }

    fn start(&mut self, agent: AgentId, id: &str, name: &str, title: &str) {
        self.push(agent, EventKind::ToolStarted { call: CallId(id.into()), name: name.into(), title: title.into() });
    }

    fn end(&mut self, agent: AgentId, id: &str, summary: &str, display: Display) {
        self.push(agent, EventKind::ToolFinished { call: CallId(id.into()), is_error: false, summary: summary.into(), display });
    }

    fn spawn(&mut self, n: u32, call: &str, description: &str, background: bool) -> AgentId {
        let id = AgentId::child(n);
        self.start(MAIN, call, "Agent", &format!("Explore: {description}"));
        let info = AgentInfo {
            id,
            parent: MAIN,
            depth: 1,
            kind: "Explore".into(),
            description: description.into(),
            prompt: format!("Find out: {description}."),
            model: "claude-opus-5-5".into(),
            background,
            max_requests: 30,
            budget: Budget { tokens: background.then_some(60_000), ..Budget::default() },
            read_only: true,
            fork: false,
        };
        self.push(id, EventKind::AgentSpawned { info, call: Some(CallId(call.into())), pending: false });
        if background {
            self.end(MAIN, call, "in background", Display::Agent { id });
        }
        id
    }

    fn used(&mut self, agent: AgentId, input: u64, output: u64) {
        let gauge = Gauge { used: input / 3, window: 200_000, estimated: false, compact_at: 160_000 };
        self.push(agent, EventKind::UsageUpdated { gauge, usage: Usage { input, output, ..Usage::default() }, cost_usd: 0.0 });
    }
}

fn report(requests: u32, tool_uses: u32, input: u64, output: u64) -> AgentOutcome {
    AgentOutcome {
        ending: Ending::Completed,
        reason: Ending::Completed.name().into(),
        report: "Pagination is done in two places.".into(),
        requests,
        tool_uses,
        usage: Usage { input, output, ..Usage::default() },
        cost_usd: 0.0,
        entered_parent_tokens: 312,
        files_written: Vec::new(),
        denied: Vec::new(),
        dropped_tools: Vec::new(),
        bad_citations: Vec::new(),
        branch: None,
        elapsed_ms: 31_000,
    }
}

/// The interface after the last event, at a fixed time.
pub fn scene() -> Ui {
    let ui = Ui::new(UiConfig::default(), Keymap::built_in(), Theme::default());
    let mut s = Stage { ui, now: START, seq: 0 };
    opening(&mut s);
    first_reports(&mut s);
    at_work(&mut s);
    s.ui
}

fn opening(s: &mut Stage) {
    s.push(
        MAIN,
        EventKind::SessionStarted {
            session_id: "0192f0c4".into(),
            cwd: "~/shop".into(),
            provider: "anthropic".into(),
            model: "claude-opus-5-5".into(),
            mode: Mode::Default,
            resumed: false,
        },
    );
    s.push(MAIN, EventKind::BranchRead { branch: Some("main".into()), changed: 0 });
    s.push(MAIN, EventKind::TurnStarted);
    s.push(MAIN, EventKind::UserMessage { text: "Where is pagination done, and does anything still page by offset?".into(), origin: Origin::Person });
    s.request(MAIN, 1);
    s.wait(2_000);
}

fn first_reports(s: &mut Stage) {
    let (offset, find) = (AgentId::child(1), AgentId::child(2));
    s.spawn(1, "c1", "offset use", true);
    s.push(MAIN, EventKind::TaskStarted { task: TaskId::Command(1), command: "cargo test".into(), description: String::new() });
    s.push(MAIN, EventKind::TaskOutput { task: TaskId::Command(1), tail: "test cart::totals ... ok\n".into() });
    s.spawn(2, "c2", "find pagination", false);
    s.request(offset, 1);
    s.request(find, 1);
    s.start(find, "t1", "Grep", "page_size");
    s.wait(12_000);
    s.end(find, "t1", "12 matches", Display::None);
    s.start(offset, "t2", "Grep", "\"offset\" web/");
    s.wait(19_000);
    s.end(offset, "t2", "31 matches", Display::None);
    s.used(offset, 21_300, 640);
    s.used(find, 42_700, 1_180);
    s.push(find, EventKind::AgentFinished { outcome: report(6, 9, 42_700, 1_180) });
    s.end(MAIN, "c2", "completed", Display::Agent { id: find });
    let todo = |content: &str, status| Todo { content: content.into(), status, active_form: String::new() };
    let todos =
        vec![todo("find pagination", TodoStatus::Completed), todo("compare defaults", TodoStatus::InProgress), todo("extract paginate()", TodoStatus::Pending)];
    s.push(MAIN, EventKind::TodosChanged { todos });
    s.push(
        MAIN,
        EventKind::UsageUpdated {
            gauge: Gauge { used: 18_400, window: 200_000, estimated: false, compact_at: 160_000 },
            usage: Usage { input: 18_400, output: 900, ..Usage::default() },
            cost_usd: 0.0,
        },
    );
    s.request(MAIN, 2);
    s.wait(3_000);
    s.say(
        "Pagination lives in two places, and their **defaults differ**:\n\n\
         - `api/posts.py:3` `list_posts(page, page_size=50)`\n\
         - `api/users.py:5` `list_users(page, page_size=20)`\n",
    );
}

fn at_work(s: &mut Stage) {
    let (offset, compare) = (AgentId::child(1), AgentId::child(3));
    s.spawn(3, "c3", "callers of both defaults", false);
    s.request(compare, 1);
    s.start(compare, "u1", "Grep", "list_(posts|users)\\( · *.py");
    s.wait(1_200);
    s.end(compare, "u1", "17 matches in 6 files", Display::None);
    s.used(compare, 8_900, 210);
    s.request(compare, 2);
    s.start(compare, "u3", "Bash", "git log --oneline -5 -- api/users.py");
    s.end(compare, "u3", "exit 0", Display::None);
    s.request(offset, 3);
    s.start(offset, "t3", "Read", "web/legacy/export.py");
    s.wait(6_500);
    s.used(compare, 13_400, 520);
    s.request(compare, 3);
    s.start(compare, "u4", "Read", "admin/users_table.py");
    s.wait(400);
}
