//! A small project in memory with the search tools over it, and a driver that plays a whole session: the parent, its
//! children, their calls. Formats are those of the real tools.

use super::super::answer;
use crate::protocol::{AgentId, AssistantMessage, CallId, Message, Origin, TaskId, ToolCall, ToolResult, ToolSpec, UserContent, UserMessage};
use crate::providers::{AgentLabel, Request};
use grep_regex::RegexMatcherBuilder;
use grep_searcher::{Searcher, sinks::UTF8};
use serde_json::Value;
use std::sync::Arc;

/// Files of a project: path and content.
pub struct World {
    pub files: Vec<(String, String)>,
    /// In front of every path that a tool gives, as some tools do.
    pub prefix: &'static str,
    /// Tools that fail, with these words.
    pub broken: Vec<(&'static str, &'static str)>,
    /// Every call that was made, by agent.
    pub log: Vec<(AgentId, ToolCall)>,
    /// Whether children can be sent.
    pub agents: bool,
}

/// A session of the parent.
pub struct Session {
    pub world: World,
    pub messages: Vec<Arc<Message>>,
    children: u32,
    /// Reports of background children that were not delivered.
    pub pending: Vec<(TaskId, String)>,
}

pub fn world(files: &[(&str, &str)]) -> World {
    World { files: files.iter().map(|(p, c)| ((*p).to_owned(), (*c).to_owned())).collect(), prefix: "", broken: Vec::new(), log: Vec::new(), agents: true }
}

pub fn request(agent: AgentId, tools: &[&str], messages: &[Arc<Message>]) -> Request {
    let spec = |name: &&str| ToolSpec { name: (*name).into(), description: String::new(), schema: Value::Null };
    Request {
        agent: AgentLabel { id: agent, description: "find it".into(), kind: if agent.is_main() { String::new() } else { "Explore".into() } },
        model: "offline".into(),
        system: Arc::new(vec!["base".into(), "Environment:\nWorking directory: /srv/project\nDate: 2026-11-30".into()]),
        tools: Arc::new(tools.iter().map(spec).collect()),
        messages: messages.to_vec(),
        max_output: 1000,
        effort: None,
    }
}

pub fn user(text: &str, origin: Origin) -> Arc<Message> {
    Arc::new(Message::User(UserMessage::text(text, origin)))
}

impl World {
    /// A child from its prompt to its report.
    pub fn child(&mut self, id: AgentId, prompt: &str) -> String {
        let mut messages = vec![user(prompt, Origin::Person)];
        for _ in 0..12 {
            let reply = answer(&request(id, &["Glob", "Grep", "Read"], &messages));
            if reply.calls().next().is_none() {
                return reply.text();
            }
            let results = reply.calls().map(|c| self.run(id, c)).collect();
            messages.push(Arc::new(Message::Assistant(reply)));
            messages.push(Arc::new(Message::User(UserMessage { results, content: Vec::new() })));
        }
        panic!("a child that never ends")
    }

    pub fn run(&mut self, agent: AgentId, call: &ToolCall) -> ToolResult {
        self.log.push((agent, call.clone()));
        if let Some((_, words)) = self.broken.iter().find(|(name, _)| *name == call.name) {
            return ToolResult::error(call.id.clone(), *words);
        }
        let arg = |name: &str| call.input.get(name).and_then(Value::as_str);
        let text = match call.name.as_str() {
            "Grep" => self.grep(
                arg("pattern").unwrap(),
                arg("path"),
                arg("output_mode").unwrap(),
                usize::try_from(call.input["head_limit"].as_u64().unwrap()).unwrap(),
            ),
            "Glob" => {
                let glob = globset::GlobBuilder::new(arg("pattern").unwrap()).literal_separator(true).build().unwrap().compile_matcher();
                let found: Vec<String> = self.files.iter().filter(|(p, _)| glob.is_match(p)).map(|(p, _)| format!("{}{p}", self.prefix)).collect();
                if found.is_empty() { "No files match.".into() } else { found.join("\n") }
            }
            "Read" => {
                let path = arg("file_path").unwrap();
                let path = path.strip_prefix("/srv/project/").unwrap_or(path);
                let (_, content) = self.files.iter().find(|(p, _)| p == path).unwrap_or_else(|| panic!("read of {path:?}, which does not exist"));
                let number = |name: &str| usize::try_from(call.input[name].as_u64().unwrap()).unwrap();
                content
                    .lines()
                    .enumerate()
                    .skip(number("offset") - 1)
                    .take(number("limit"))
                    .map(|(n, l)| format!("{:>6}\t{l}", n + 1))
                    .collect::<Vec<_>>()
                    .join("\n")
            }
            other => panic!("a call of {other}"),
        };
        ToolResult::ok(call.id.clone(), if text.is_empty() { "(empty)".into() } else { text })
    }

    fn grep(&self, pattern: &str, path: Option<&str>, mode: &str, limit: usize) -> String {
        let matcher =
            RegexMatcherBuilder::new().case_insensitive(true).line_terminator(Some(b'\n')).build(pattern).unwrap_or_else(|e| panic!("{pattern}: {e}"));
        let mut out: Vec<String> = Vec::new();
        for (file, content) in self.files.iter().filter(|(p, _)| path.is_none_or(|only| only.trim_start_matches("/srv/project/") == p)) {
            let mut lines = Vec::new();
            let sink = UTF8(|n, line| {
                lines.push((n, line.trim_end_matches('\n').to_owned()));
                Ok(true)
            });
            Searcher::new().search_slice(&matcher, content.as_bytes(), sink).unwrap();
            match mode {
                "files_with_matches" if !lines.is_empty() => out.push(format!("{}{file}", self.prefix)),
                "content" => out.extend(lines.iter().map(|(n, l)| format!("{}{file}:{n}:{l}", self.prefix))),
                _ => {}
            }
        }
        let cut = out.len() > limit;
        out.truncate(limit);
        if cut {
            out.push(format!("[the first {limit} results; there are more]"));
        }
        if out.is_empty() { "No matches.".into() } else { out.join("\n") }
    }
}

impl Session {
    pub fn new(world: World) -> Self {
        Self { world, messages: Vec::new(), children: 0, pending: Vec::new() }
    }

    /// One turn of the parent: all replies until one has no calls.
    pub fn turn(&mut self, start: Arc<Message>) -> Vec<AssistantMessage> {
        self.messages.push(start);
        let tools: &[&str] = if self.world.agents { &["Agent", "Bash", "Glob", "Grep", "Read"] } else { &["Glob", "Grep", "Read"] };
        let mut replies = Vec::new();
        for _ in 0..12 {
            let reply = answer(&request(AgentId::MAIN, tools, &self.messages));
            replies.push(reply.clone());
            self.messages.push(Arc::new(Message::Assistant(reply.clone())));
            if reply.calls().next().is_none() {
                return replies;
            }
            let results = reply.calls().map(|c| if c.name == "Agent" { self.agent(c) } else { self.world.run(AgentId::MAIN, c) }).collect();
            self.messages.push(Arc::new(Message::User(UserMessage { results, content: Vec::new() })));
        }
        panic!("a turn that never ends")
    }

    pub fn ask(&mut self, question: &str) -> Vec<AssistantMessage> {
        self.turn(user(question, Origin::Person))
    }

    /// The final text of a turn.
    pub fn final_text(&mut self, question: &str) -> String {
        self.ask(question).last().unwrap().text()
    }

    /// Deliver what ended in the background, as the engine does it to an idle parent.
    pub fn deliver(&mut self) -> String {
        let content = self
            .pending
            .drain(..)
            .map(|(task, report)| UserContent::Text { text: notification(task, &report), origin: Origin::Notification { task } })
            .collect();
        self.turn(Arc::new(Message::User(UserMessage { results: Vec::new(), content }))).last().unwrap().text()
    }

    fn agent(&mut self, call: &ToolCall) -> ToolResult {
        if let Some((_, words)) = self.world.broken.iter().find(|(name, _)| *name == "Agent") {
            return ToolResult::error(call.id.clone(), *words);
        }
        assert_eq!(call.input["subagent_type"], "Explore");
        self.children += 1;
        let id = AgentId::child(self.children);
        let report = self.world.child(id, call.input["prompt"].as_str().unwrap());
        if call.input.get("run_in_background").is_some() {
            self.pending.push((id.into(), report));
            return ToolResult::ok(call.id.clone(), format!("Async agent launched.\nagentId: {id}\nA notice will come when it ends."));
        }
        let description = call.input["description"].as_str().unwrap();
        ToolResult::ok(
            call.id.clone(),
            format!("[Agent: {description}]\n{report}\n\n(agent {id} · Explore · 3 tool uses · 2 requests)\nTokens: 500 in / 60 out"),
        )
    }
}

pub fn notification(task: TaskId, report: &str) -> String {
    format!(
        "<task-notification>\n<id>{task}</id>\n<kind>agent</kind>\n<status>completed</status>\n<summary>find it</summary>\n<result>{report}</result>\n</task-notification>"
    )
}

/// A reply with one call, for hand-made conversations.
pub fn called(id: &str, name: &str, input: Value) -> Arc<Message> {
    let Value::Object(input) = input else { panic!("arguments are an object") };
    let call = ToolCall { id: CallId(id.into()), name: name.into(), input, fault: None };
    Arc::new(Message::Assistant(AssistantMessage { blocks: vec![crate::protocol::AssistantBlock::ToolUse(call)] }))
}
