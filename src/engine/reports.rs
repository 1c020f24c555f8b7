//! Answers of slash commands as text: `/tasks`, `/context`, `/cost`, `/status`, … (SPEC C2, S29, U4, X5).

use super::agent::{Agent, Status};
use super::run::Engine;
use crate::protocol::{AgentId, Level, Message, Origin, UserContent};
use crate::util::text::one_line;
use crate::util::time::clock;
use crate::util::tokens::{estimate, short};
use std::fmt::Write as _;

impl Engine {
    /// Print a report as a notice.
    pub(super) fn report(&mut self, what: &str, args: &str) {
        let text = match what {
            "tasks" => self.tasks_text(),
            "context" => self.context_text(),
            "cost" => self.cost_text(),
            "status" => self.status_text(),
            "permissions" => self.permissions_text(),
            "skills" => self.library.skills_text(),
            "mcp" => self.servers.text(),
            "model" | "provider" => self.provider_text(),
            "agents" => self.library.types_text(),
            "resume" | "sessions" => self.sessions_text(),
            "memory" => {
                let memory = self.library.memory();
                if memory.trim().is_empty() { "No memory yet. A line that starts with # is remembered.".to_owned() } else { memory.to_owned() }
            }
            _ => {
                return self.notice(Level::Warning, &format!("There is no report named {what} {args}"), "/help lists the commands");
            }
        };
        self.notice(Level::Output, &text, "");
    }

    fn children(&self) -> impl Iterator<Item = &Agent> {
        self.agents.values().filter(|a| !a.id.is_main())
    }

    fn tasks_text(&self) -> String {
        let mut lines = Vec::new();
        for agent in self.children() {
            let Some(info) = &agent.info else { continue };
            let state = match (&agent.status, &agent.outcome) {
                (Status::Finished, Some(outcome)) => outcome.ending.name(),
                (Status::Pending, _) => "pending",
                _ if self.approvals.waits(agent.id) => "asks you",
                _ => "running",
            };
            let time = clock(u64::try_from(agent.clock.worked().as_millis()).unwrap_or(0));
            let background = if info.background { " · background" } else { "" };
            let indent = "  ".repeat(info.depth.saturating_sub(1) as usize);
            lines.push(format!(
                "{indent}{:<4} {state:<11} {} · {} · {time} · {} · {} · {} tokens{background}",
                agent.id.to_string(),
                info.kind,
                one_line(&info.description, 60),
                counted(agent.facts.tool_uses, "tool use"),
                counted(agent.facts.requests, "request"),
                short(agent.facts.usage.total())
            ));
        }
        for command in self.commands.all() {
            let exit = command.exit.map_or(String::new(), |e| format!(" · exit {e}"));
            lines.push(format!("{:<4} {:<11} {}{exit}", command.id().to_string(), command.status, one_line(&command.command, 80)));
        }
        if !self.todos.is_empty() {
            lines.push(String::new());
            for todo in &self.todos {
                let sign = match todo.status {
                    crate::protocol::TodoStatus::Completed => "[x]",
                    crate::protocol::TodoStatus::InProgress => "[>]",
                    crate::protocol::TodoStatus::Pending => "[ ]",
                };
                lines.push(format!("{sign} {}", todo.content));
            }
        }
        if lines.is_empty() { "No tasks in this session.".into() } else { lines.join("\n") }
    }

    fn context_text(&self) -> String {
        let Some(main) = self.agents.get(&AgentId::MAIN) else { return String::new() };
        let base = main.voice.system.first().map_or(0, |s| estimate(s));
        let (mut messages, mut reports) = (0, 0);
        for message in main.state.history.messages() {
            let all = super::context::message_tokens(message);
            let report: u64 = match message.as_ref() {
                Message::User(m) => {
                    let results: u64 = m.results.iter().filter(|r| r.report).map(|r| estimate(&r.text)).sum();
                    let notices: u64 = m
                        .content
                        .iter()
                        .map(|c| match c {
                            UserContent::Text { text, origin: Origin::Notification { .. } } => estimate(text),
                            UserContent::Text { .. } | UserContent::Image { .. } => 0,
                        })
                        .sum();
                    results + notices
                }
                Message::Assistant(_) => 0,
            };
            reports += report;
            messages += all.saturating_sub(report);
        }
        let unread: u64 = main
            .state
            .inbox()
            .iter()
            .map(|i| match i {
                super::turn::Inbox::Notice { tokens, .. } => *tokens,
                super::turn::Inbox::Say { .. } | super::turn::Inbox::Note { .. } => 0,
            })
            .sum();
        let rows = [
            ("system", base),
            ("tools", super::context::tools_tokens(&main.voice.tools)),
            ("MCP", 0),
            ("instructions", estimate(self.library.instructions())),
            ("memory", estimate(self.library.memory())),
            ("skills", estimate(&self.library.skill_list())),
            ("messages", messages),
            ("reports", reports),
            ("unread reports", unread),
        ];
        let g = main.gauge;
        let mark = if g.estimated { "~" } else { "" };
        let mut text =
            format!("context: {mark}{} of {} tokens ({} %)", g.used, if g.window == 0 { "unknown".into() } else { g.window.to_string() }, g.percent());
        if g.compact_at > 0 {
            let _ = write!(text, ", summed up at {}", g.compact_at);
        }
        for (name, tokens) in rows {
            let width = usize::try_from((tokens * 30).checked_div(g.window).unwrap_or(0).min(30)).unwrap_or(0);
            let _ = write!(text, "\n  {name:<15} {tokens:>8}  {}", "▰".repeat(width.max(usize::from(tokens > 0))));
        }
        text.push('\n');
        text.push_str(&self.ledger_text());
        text
    }

    /// The firewall ledger (SPEC S29): what children consumed against what entered the parent.
    fn ledger_text(&self) -> String {
        let mut lines = Vec::new();
        let (mut consumed, mut entered) = (0, 0);
        for agent in self.children() {
            let Some(info) = &agent.info else { continue };
            let used = agent.facts.usage.total();
            let came = agent.outcome.as_ref().map_or(0, |o| o.entered_parent_tokens);
            consumed += used;
            if info.parent.is_main() {
                entered += came;
            }
            lines.push(format!(
                "  {:<4} {} · {}: {} → {} ({used} consumed)",
                agent.id.to_string(),
                info.kind,
                one_line(&info.description, 50),
                short(used),
                short(came)
            ));
        }
        if lines.is_empty() {
            return "children: none".into();
        }
        format!("children (consumed → entered this context), kept out: {} → {}\n{}", short(consumed), short(entered), lines.join("\n"))
    }

    fn cost_text(&self) -> String {
        let mut lines = Vec::new();
        let mut total = crate::protocol::Usage::default();
        let mut cost = 0.0;
        for agent in self.agents.values() {
            let u = agent.facts.usage;
            total += u;
            cost += agent.facts.cost_usd;
            let name = agent.info.as_ref().map_or_else(|| "main".to_owned(), |i| format!("{} {} · {}", i.id, i.kind, one_line(&i.description, 40)));
            lines.push(format!(
                "{name}: {} in ({} cached) / {} out, {} requests, ${:.4} ({})",
                u.all_input(),
                u.cache_read,
                u.output,
                agent.facts.requests,
                agent.facts.cost_usd,
                agent.voice.model
            ));
        }
        lines.push(format!("all: {} in ({} cached) / {} out, ${cost:.4}", total.all_input(), total.cache_read, total.output));
        if self.children().next().is_some() {
            lines.push(self.ledger_text());
        }
        lines.join("\n")
    }

    fn status_text(&self) -> String {
        let main = self.agents.get(&AgentId::MAIN);
        let model = main.map(|m| m.voice.model.clone()).unwrap_or_default();
        let saved = if self.journal.is_saved() { "saved" } else { "not being saved" };
        let trust = if self.trusted { "project files are trusted" } else { "project files that start or decide something are not used" };
        format!(
            "tui-agent {}\nprovider: {} · model: {model}\nfolder: {}\nsession: {} ({saved})\nmode: {}\n{trust}\nsubagents: {}, depth {}, {} at once\nread-only agents: commands are checked against an allow-list; no operating-system sandbox is active",
            env!("CARGO_PKG_VERSION"),
            self.provider_name,
            self.setup.workspace.display(),
            self.journal.id(),
            self.mode.name(),
            if self.setup.config.subagents.enabled { "on" } else { "off" },
            self.setup.config.subagents.max_depth,
            self.setup.config.subagents.max_running,
        )
    }

    fn provider_text(&self) -> String {
        let model = self.agents.get(&AgentId::MAIN).map(|m| m.voice.model.clone()).unwrap_or_default();
        let own: Vec<&str> = self.setup.config.providers.keys().map(String::as_str).collect();
        let own = if own.is_empty() { String::new() } else { format!(", {}", own.join(", ")) };
        format!(
            "provider: {} · model: {model}\nproviders: anthropic, openai, offline{own}\n/model NAME or /model PROVIDER/NAME switches the model, /provider NAME the provider.",
            self.provider_name
        )
    }

    fn permissions_text(&self) -> String {
        let list = |rules: &[crate::permissions::rules::Rule]| {
            if rules.is_empty() { "none".to_owned() } else { rules.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ") }
        };
        format!("mode: {}\nallow: {}\nask: {}\ndeny: {}", self.mode.name(), list(&self.rules.allow), list(&self.rules.ask), list(&self.rules.deny))
    }

    fn sessions_text(&self) -> String {
        let entries = crate::session::index::list(&self.setup.paths.project_dir(&self.setup.workspace));
        if entries.is_empty() {
            "No earlier sessions in this folder.".into()
        } else {
            format!("{}\n/resume ID opens one.", crate::session::index::listing(&entries))
        }
    }
}

/// `1 request`, `2 requests`.
fn counted(n: u32, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}
