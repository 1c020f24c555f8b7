//! Stored messages → a legal history, whatever happened to the file (SPEC L2, L3, H1).
//!
//! Nothing is invented beyond the words that say what is missing; every change is noted.

use crate::protocol::{AssistantBlock, AssistantMessage, CallId, History, Message, Origin, ToolCall, ToolResult, UserContent, UserMessage};
use std::collections::HashMap;

/// What stands in the place of a result that never came. Holds the word `interrupted`.
pub const INTERRUPTED: &str = "interrupted: the program ended before this call returned; it may have had effects";
/// Notes beyond this number are only counted.
const MAX_NOTES: usize = 20;

/// Builds a legal history from messages one after the other.
#[derive(Debug, Default)]
pub struct Repair {
    history: History,
    messages: Vec<Message>,
    renamed: HashMap<CallId, CallId>,
    notes: Vec<String>,
}

impl Repair {
    /// Take the next stored message.
    pub fn push(&mut self, message: Message) {
        if self.messages.last() == Some(&message) && matches!(message, Message::Assistant(_)) {
            return self.note("a message that stood twice was dropped");
        }
        match message {
            Message::User(m) => self.user(m),
            Message::Assistant(m) => self.assistant(m),
        }
    }

    /// Start again with other messages: the history was replaced (SPEC C4).
    pub fn replace(&mut self, messages: Vec<Message>) {
        let notes = std::mem::take(&mut self.notes);
        *self = Self { notes, ..Self::default() };
        for message in messages {
            self.push(message);
        }
    }

    /// The calls of the last message that wait for a result.
    #[must_use]
    pub fn open_calls(&self) -> Vec<ToolCall> {
        match self.messages.last() {
            Some(Message::Assistant(m)) => m.calls().cloned().collect(),
            Some(Message::User(_)) | None => Vec::new(),
        }
    }

    /// Answer the open calls at the end, and give the messages and the notes. `text` says what became of a call.
    #[must_use]
    pub fn finish(mut self, text: &dyn Fn(&ToolCall) -> String) -> (Vec<Message>, Vec<String>) {
        let open = self.open_calls();
        if !open.is_empty() {
            let results = open.iter().map(|c| ToolResult::error(c.id.clone(), text(c))).collect();
            self.add(Message::User(UserMessage { results, content: Vec::new() }));
        }
        (self.messages, self.notes)
    }

    /// Apply `change` to each stored message, oldest first, until it says that it is enough.
    pub fn shrink(&mut self, mut change: impl FnMut(&mut Message) -> bool) {
        // The shadow history only knows ids and order, which a shorter result does not change.
        for message in &mut self.messages {
            if change(message) {
                return;
            }
        }
    }

    fn user(&mut self, mut m: UserMessage) {
        let open: Vec<CallId> = self.open_calls().into_iter().map(|c| c.id).collect();
        let mut found: HashMap<CallId, ToolResult> = HashMap::new();
        let stored = m.results.len();
        for mut result in std::mem::take(&mut m.results) {
            if let Some(new) = self.renamed.get(&result.call_id) {
                result.call_id = new.clone();
            }
            if result.text.trim().is_empty() && result.images.is_empty() {
                "(no output)".clone_into(&mut result.text);
            }
            found.entry(result.call_id.clone()).or_insert(result);
        }
        let mut missing = 0usize;
        for id in open {
            m.results.push(found.remove(&id).unwrap_or_else(|| {
                missing += 1;
                ToolResult::error(id, INTERRUPTED)
            }));
        }
        if missing > 0 {
            self.note(&format!("{missing} calls had no result"));
        }
        if stored + missing > m.results.len() {
            self.note("results without a call were dropped");
        }
        m.content.retain(|c| !matches!(c, UserContent::Text { text, .. } if text.trim().is_empty()));
        if m.results.is_empty() && m.content.is_empty() {
            return self.note("a message without content was dropped");
        }
        self.add(Message::User(m));
    }

    fn assistant(&mut self, mut m: AssistantMessage) {
        m.blocks.retain(|b| !matches!(b, AssistantBlock::Text { text } if text.trim().is_empty()));
        if m.blocks.is_empty() {
            return self.note("a reply without content was dropped");
        }
        if !self.open_calls().is_empty() {
            self.user(UserMessage::default());
        } else if !matches!(self.messages.last(), Some(Message::User(_))) {
            self.note("a message before a reply is missing");
            self.add(Message::User(UserMessage::text("[A message that stood here is lost: the session file was damaged.]", Origin::Engine)));
        }
        self.renamed.clear();
        let mut own: Vec<CallId> = Vec::new();
        for block in &mut m.blocks {
            let AssistantBlock::ToolUse(call) = block else { continue };
            if self.history.has_call(&call.id) || own.contains(&call.id) {
                let new = self.free_id(&call.id, &own);
                self.renamed.insert(call.id.clone(), new.clone());
                call.id = new;
                self.note("a call id that stood twice was changed");
            }
            own.push(call.id.clone());
        }
        self.add(Message::Assistant(m));
    }

    fn free_id(&self, id: &CallId, own: &[CallId]) -> CallId {
        let mut n = 2u64;
        loop {
            let new = CallId(format!("{}-{n}", id.0));
            if !self.history.has_call(&new) && !own.contains(&new) {
                return new;
            }
            n += 1;
        }
    }

    fn add(&mut self, message: Message) {
        // The shadow keeps no texts: one large history in memory is enough.
        match self.history.push(skeleton(&message)) {
            Ok(()) => self.messages.push(message),
            Err(e) => self.note(&format!("a message that does not fit was dropped: {e}")),
        }
    }

    fn note(&mut self, text: &str) {
        if self.notes.len() < MAX_NOTES {
            self.notes.push(text.to_owned());
        }
    }
}

/// The shape of a message without its texts.
fn skeleton(message: &Message) -> Message {
    match message {
        Message::User(m) => Message::User(UserMessage {
            results: m.results.iter().map(|r| ToolResult::ok(r.call_id.clone(), "-")).collect(),
            content: m.content.iter().map(|_| UserContent::Text { text: "-".into(), origin: Origin::Engine }).collect(),
        }),
        Message::Assistant(m) => {
            let shape = |b: &AssistantBlock| match b {
                AssistantBlock::ToolUse(c) => {
                    AssistantBlock::ToolUse(ToolCall { id: c.id.clone(), name: String::new(), input: serde_json::Map::new(), fault: None })
                }
                AssistantBlock::Text { .. } | AssistantBlock::Thinking { .. } | AssistantBlock::RedactedThinking { .. } => {
                    AssistantBlock::Text { text: "-".into() }
                }
            };
            Message::Assistant(AssistantMessage { blocks: m.blocks.iter().map(shape).collect() })
        }
    }
}

#[cfg(test)]
#[path = "repair_tests.rs"]
mod tests;
