//! Drives the real update and draw as a person and an engine would: press, type, engine events, screen.

use super::{Ui, update};
use crate::config::keymap::{Key, KeyCode, Keymap};
use crate::config::schema::UiConfig;
use crate::protocol::{AgentId, AgentInfo, Approval, ApprovalBody, ApprovalId, Budget, Event, EventKind, Op};
use crate::ui::draw::draw;
use crate::ui::msg::{Effect, Msg};
use crate::ui::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// A fresh interface of a size, at a time that is no edge case.
pub fn ui(width: u16, height: u16) -> Ui {
    let mut ui = Ui::new(UiConfig::default(), Keymap::built_in(), Theme::default());
    ui.size = (width, height);
    ui.now = 1_000_000;
    ui
}

/// The driver.
pub struct Driver {
    pub ui: Ui,
    pub effects: Vec<Effect>,
    pub now: u64,
    pub cursor: Option<Position>,
}

impl Driver {
    pub fn new(width: u16, height: u16) -> Self {
        Self { ui: ui(width, height), effects: Vec::new(), now: 1_000_000, cursor: None }
    }

    pub fn send(&mut self, msg: Msg) -> &mut Self {
        let effects = update(&mut self.ui, msg, self.now);
        self.effects.extend(effects);
        self
    }

    /// Time passes.
    pub fn wait(&mut self, ms: u64) -> &mut Self {
        self.now += ms;
        self.send(Msg::Tick)
    }

    /// Keys by name.
    pub fn press(&mut self, names: &[&str]) -> &mut Self {
        for name in names {
            let key: Key = name.parse().unwrap();
            self.send(Msg::Key(key));
        }
        self
    }

    /// Characters, quickly.
    pub fn type_text(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            self.send(Msg::Key(Key::plain(KeyCode::Char(c))));
        }
        self
    }

    pub fn engine(&mut self, agent: AgentId, kind: EventKind) -> &mut Self {
        let event = Event { v: 1, seq: 1, at: self.now, agent, kind };
        self.send(Msg::Engine(event))
    }

    /// A question arrives.
    pub fn ask(&mut self, approval: Approval) -> &mut Self {
        self.engine(approval.agent, EventKind::PermissionAsked { approval })
    }

    /// A child begins.
    pub fn spawn(&mut self, n: u32, background: bool, prompt: &str) -> &mut Self {
        let info = AgentInfo {
            id: AgentId::child(n),
            parent: AgentId::MAIN,
            depth: 1,
            kind: "Explore".into(),
            description: format!("look {n}"),
            prompt: prompt.into(),
            model: "m".into(),
            background,
            max_requests: 30,
            budget: Budget::default(),
            read_only: true,
            fork: false,
        };
        self.engine(AgentId::child(n), EventKind::AgentSpawned { info, call: None, pending: false })
    }

    /// Draw and read the rows.
    pub fn screen(&mut self) -> String {
        let (width, height) = self.ui.size;
        let area = Rect::new(0, 0, width, height);
        let mut buf = Buffer::empty(area);
        self.cursor = draw(&mut self.ui, &mut buf);
        (0..height).map(|y| (0..width).map(|x| buf[(x, y)].symbol().to_owned()).collect::<String>().trim_end().to_owned() + "\n").collect()
    }

    /// The requests so far, taken out.
    pub fn ops(&mut self) -> Vec<Op> {
        let all = std::mem::take(&mut self.effects);
        all.into_iter().filter_map(|e| if let Effect::Op(op) = e { Some(op) } else { None }).collect()
    }
}

/// A command that a child asks about.
pub fn command(id: u64, command: &str) -> Approval {
    Approval {
        id: ApprovalId(id),
        agent: AgentId::child(1),
        path: "a1 general-purpose".into(),
        description: "build everything".into(),
        call: None,
        tool: "Bash".into(),
        body: ApprovalBody::Command { command: command.into() },
        reason: "not covered by a rule".into(),
        rule: Some("Bash(git:*)".into()),
        background: false,
    }
}
