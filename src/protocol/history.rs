//! The message list of one agent. It cannot be built in a shape that a provider refuses (SPEC L2, L3):
//! every call is answered once, in order, in the next user message; nothing is empty; no call id is used twice.

use super::ids::CallId;
use super::message::{AssistantBlock, AssistantMessage, Message, ToolCall, UserContent, UserMessage};
use std::collections::HashSet;
use std::sync::Arc;

/// Why a message was refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum HistoryError {
    /// A message without content.
    #[error("a message without content")]
    Empty,
    /// A text block of nothing but white space.
    #[error("an empty text block")]
    EmptyText,
    /// The results are not exactly those of the calls before, in their order.
    #[error("tool results {found:?} do not answer the calls {expected:?} in order")]
    Results {
        /// Ids of the open calls.
        expected: Vec<String>,
        /// Ids of the results.
        found: Vec<String>,
    },
    /// A call id that stands in the history already.
    #[error("call id {0} is used twice")]
    RepeatedCall(String),
    /// Two assistant messages in a row, or one at the start.
    #[error("an assistant message must follow a user message")]
    Order,
}

/// A message list that always holds a legal conversation. Cloning is cheap: messages are shared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    messages: Vec<Arc<Message>>,
    ids: HashSet<CallId>,
}

impl History {
    /// An empty history.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A history from stored messages.
    ///
    /// # Errors
    /// The first message that does not fit.
    pub fn from_messages(messages: impl IntoIterator<Item = Message>) -> Result<Self, HistoryError> {
        let mut history = Self::new();
        for message in messages {
            history.push(message)?;
        }
        Ok(history)
    }

    /// The messages, oldest first.
    #[must_use]
    pub fn messages(&self) -> &[Arc<Message>] {
        &self.messages
    }

    /// How many messages there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether there is no message.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Whether a call id stands in the history.
    #[must_use]
    pub fn has_call(&self, id: &CallId) -> bool {
        self.ids.contains(id)
    }

    /// Calls of the last message that have no result.
    #[must_use]
    pub fn open_calls(&self) -> Vec<&ToolCall> {
        match self.messages.last().map(AsRef::as_ref) {
            Some(Message::Assistant(m)) => m.calls().collect(),
            Some(Message::User(_)) | None => Vec::new(),
        }
    }

    /// The last assistant message that has text, as text.
    #[must_use]
    pub fn last_text(&self) -> Option<String> {
        self.messages.iter().rev().find_map(|m| match m.as_ref() {
            Message::Assistant(a) => Some(a.text()).filter(|t| !t.trim().is_empty()),
            Message::User(_) => None,
        })
    }

    /// Append a message.
    ///
    /// # Errors
    /// When it does not fit behind what is there; the history is unchanged then.
    pub fn push(&mut self, message: Message) -> Result<(), HistoryError> {
        match &message {
            Message::User(m) => self.check_user(m)?,
            Message::Assistant(m) => {
                self.check_assistant(m)?;
                self.ids.extend(m.calls().map(|c| c.id.clone()));
            }
        }
        self.messages.push(Arc::new(message));
        Ok(())
    }

    /// Put another text in the place of one result, for trimming (SPEC C3). Unknown ids change nothing.
    pub fn replace_result(&mut self, id: &CallId, text: &str) {
        for slot in &mut self.messages {
            let Message::User(m) = slot.as_ref() else { continue };
            let Some(at) = m.results.iter().position(|r| &r.call_id == id) else { continue };
            let mut new = m.clone();
            if let Some(result) = new.results.get_mut(at) {
                text.clone_into(&mut result.text);
                result.images.clear();
            }
            *slot = Arc::new(Message::User(new));
            return;
        }
    }

    /// The whole list once more, before each send.
    ///
    /// # Errors
    /// The first message that does not fit, or open calls at the end.
    pub fn check(&self) -> Result<(), HistoryError> {
        let mut copy = Self::new();
        for message in &self.messages {
            match message.as_ref() {
                Message::User(m) => copy.check_user(m)?,
                Message::Assistant(m) => {
                    copy.check_assistant(m)?;
                    copy.ids.extend(m.calls().map(|c| c.id.clone()));
                }
            }
            copy.messages.push(Arc::clone(message));
        }
        let open: Vec<String> = copy.open_calls().iter().map(|c| c.id.0.clone()).collect();
        if open.is_empty() { Ok(()) } else { Err(HistoryError::Results { expected: open, found: Vec::new() }) }
    }

    fn check_user(&self, m: &UserMessage) -> Result<(), HistoryError> {
        if m.results.is_empty() && m.content.is_empty() {
            return Err(HistoryError::Empty);
        }
        let expected: Vec<String> = self.open_calls().iter().map(|c| c.id.0.clone()).collect();
        let found: Vec<String> = m.results.iter().map(|r| r.call_id.0.clone()).collect();
        if expected != found {
            return Err(HistoryError::Results { expected, found });
        }
        let blank = |c: &UserContent| matches!(c, UserContent::Text { text, .. } if text.trim().is_empty());
        if m.content.iter().any(blank) || m.results.iter().any(|r| r.text.trim().is_empty() && r.images.is_empty()) {
            return Err(HistoryError::EmptyText);
        }
        Ok(())
    }

    fn check_assistant(&self, m: &AssistantMessage) -> Result<(), HistoryError> {
        if !matches!(self.messages.last().map(AsRef::as_ref), Some(Message::User(_))) {
            return Err(HistoryError::Order);
        }
        if m.blocks.is_empty() {
            return Err(HistoryError::Empty);
        }
        if m.blocks.iter().any(|b| matches!(b, AssistantBlock::Text { text } if text.trim().is_empty())) {
            return Err(HistoryError::EmptyText);
        }
        let mut seen = HashSet::new();
        for call in m.calls() {
            if self.ids.contains(&call.id) || !seen.insert(&call.id) {
                return Err(HistoryError::RepeatedCall(call.id.0.clone()));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Origin, ToolResult};

    fn user(text: &str) -> Message {
        Message::User(UserMessage::text(text, Origin::Person))
    }

    fn calls(ids: &[&str]) -> Message {
        let blocks = ids
            .iter()
            .map(|id| AssistantBlock::ToolUse(ToolCall { id: CallId((*id).into()), name: "Read".into(), input: serde_json::Map::new(), fault: None }))
            .collect();
        Message::Assistant(AssistantMessage { blocks })
    }

    fn results(ids: &[&str]) -> Message {
        Message::User(UserMessage { results: ids.iter().map(|id| ToolResult::ok(CallId((*id).into()), "fine")).collect(), content: Vec::new() })
    }

    #[test]
    fn l2_results_must_answer_all_calls_in_order() {
        let mut h = History::from_messages([user("hi"), calls(&["a", "b"])]).unwrap();
        assert!(h.push(user("too early")).is_err());
        assert!(h.push(results(&["b", "a"])).is_err());
        assert!(h.push(results(&["a"])).is_err());
        assert!(h.push(results(&["a", "b", "c"])).is_err());
        assert!(h.check().is_err(), "open calls must not be sent");
        assert!(h.push(results(&["a", "b"])).is_ok());
        assert!(h.check().is_ok());
    }

    #[test]
    fn l3_nothing_empty_and_no_id_twice() {
        let mut h = History::from_messages([user("hi"), calls(&["a"]), results(&["a"])]).unwrap();
        assert_eq!(h.push(calls(&["a"])), Err(HistoryError::RepeatedCall("a".into())));
        assert_eq!(h.push(calls(&["b", "b"])), Err(HistoryError::RepeatedCall("b".into())));
        assert_eq!(h.push(Message::Assistant(AssistantMessage::default())), Err(HistoryError::Empty));
        assert_eq!(h.push(user(" ")), Err(HistoryError::EmptyText));
        let blank = AssistantMessage { blocks: vec![AssistantBlock::Text { text: "\n".into() }] };
        assert_eq!(h.push(Message::Assistant(blank)), Err(HistoryError::EmptyText));
        assert_eq!(History::new().push(calls(&["a"])), Err(HistoryError::Order));
        assert_eq!(h.len(), 3, "refused messages leave no trace");
    }
}
