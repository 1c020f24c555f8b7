//! A request as the explorer sees it: who asks, what may be called, what was said and called so far.
//!
//! Must not: decide anything.

use super::explore::{Offered, Wanted};
use super::rank::Seen;
use crate::protocol::{Message, Origin, TaskId, ToolCall, ToolResult, UserContent, UserMessage};
use crate::providers::Request;
use std::sync::Arc;

/// What to answer.
#[derive(Debug, Default, PartialEq)]
pub struct Plan {
    /// Words.
    pub text: String,
    /// Calls, in order.
    pub calls: Vec<Wanted>,
}

/// A request, read.
pub struct View<'a> {
    /// The conversation.
    pub messages: &'a [Arc<Message>],
    /// The project folder, as the system text names it; empty when unknown.
    pub root: &'a str,
    /// The search tools.
    pub offered: Offered,
    /// Whether children can be sent.
    pub agents: bool,
    /// Whether no tool at all is offered: a summary or a last report is wanted.
    pub no_tools: bool,
}

impl<'a> View<'a> {
    /// Read a request.
    #[must_use]
    pub fn new(request: &'a Request) -> Self {
        let has = |name: &str| request.tools.iter().any(|t| t.name == name);
        let root = request
            .system
            .iter()
            .flat_map(|s| s.lines())
            .find_map(|l| l.trim().trim_start_matches("- ").strip_prefix("Working directory:"))
            .map(str::trim)
            .unwrap_or_default();
        Self {
            messages: &request.messages,
            root,
            offered: Offered { grep: has("Grep"), glob: has("Glob"), read: has("Read") },
            agents: has("Agent"),
            no_tools: request.tools.is_empty(),
        }
    }

    /// The last message, when it is of the user's side.
    #[must_use]
    pub fn last(&self) -> Option<&'a UserMessage> {
        match self.messages.last().map(AsRef::as_ref) {
            Some(Message::User(m)) => Some(m),
            Some(Message::Assistant(_)) | None => None,
        }
    }

    /// Calls and their results in a part of the conversation, in order, and the number of replies that searched.
    #[must_use]
    pub fn seen(&self, from: usize) -> (Vec<Seen<'a>>, usize) {
        let (mut all, mut rounds) = (Vec::new(), 0);
        for pair in self.messages.get(from..).unwrap_or_default().windows(2) {
            let [assistant, user] = pair else { continue };
            let before = all.len();
            all.extend(pairs(assistant, user).map(|(call, result)| Seen { call, text: &result.text, is_error: result.is_error }));
            let searched = all.get(before..).unwrap_or_default().iter().any(|s| matches!(s.call.name.as_str(), "Grep" | "Glob" | "Read"));
            rounds += usize::from(searched);
        }
        (all, rounds)
    }

    /// The calls of the last reply with their results.
    #[must_use]
    pub fn last_calls(&self) -> Vec<(&'a ToolCall, &'a ToolResult)> {
        match self.messages {
            [.., assistant, user] => pairs(assistant, user).collect(),
            _ => Vec::new(),
        }
    }

    /// All texts with their places in the conversation.
    pub fn texts(&self) -> impl DoubleEndedIterator<Item = (usize, &'a str, &'a Origin)> {
        self.messages.iter().enumerate().flat_map(|(at, m)| texts(m).into_iter().map(move |(text, origin)| (at, text, origin)))
    }
}

fn pairs<'a>(assistant: &'a Message, user: &'a Message) -> impl Iterator<Item = (&'a ToolCall, &'a ToolResult)> {
    let (calls, results) = match (assistant, user) {
        (Message::Assistant(a), Message::User(u)) => (a.calls().collect::<Vec<_>>(), u.results.as_slice()),
        (Message::User(_), _) | (Message::Assistant(_), Message::Assistant(_)) => (Vec::new(), [].as_slice()),
    };
    calls.into_iter().filter_map(move |c| results.iter().find(|r| r.call_id == c.id).map(|r| (c, r)))
}

fn texts(message: &Message) -> Vec<(&str, &Origin)> {
    match message {
        Message::User(m) => of_user(m),
        Message::Assistant(_) => Vec::new(),
    }
}

/// The texts of a user message.
#[must_use]
pub fn of_user(message: &UserMessage) -> Vec<(&str, &Origin)> {
    let text = |c: &'_ UserContent| matches!(c, UserContent::Text { .. });
    message
        .content
        .iter()
        .filter(|c| text(c))
        .filter_map(|c| match c {
            UserContent::Text { text, origin } => Some((text.as_str(), origin)),
            UserContent::Image { .. } => None,
        })
        .collect()
}

/// The person's words of a message, joined; none when there are none.
#[must_use]
pub fn person(message: &UserMessage) -> Option<String> {
    let words: Vec<&str> = of_user(message).into_iter().filter(|(_, o)| matches!(o, Origin::Person | Origin::Steer)).map(|(t, _)| t).collect();
    (!words.is_empty()).then(|| words.join("\n"))
}

/// The notices of a message: which task, and the text.
#[must_use]
pub fn notices(message: &UserMessage) -> Vec<(TaskId, &str)> {
    let notice = |(text, origin)| match origin {
        &Origin::Notification { task } => Some((task, text)),
        Origin::Person | Origin::Steer | Origin::Engine | Origin::Summary | Origin::Fork { .. } => None,
    };
    of_user(message).into_iter().filter_map(notice).collect()
}
