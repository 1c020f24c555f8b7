//! How large a context is, and how it is kept small (SPEC C1, C3, C4). Pure functions over histories.

use crate::protocol::{AssistantBlock, CallId, History, Message, Origin, ToolSpec, UserContent, UserMessage};
use crate::util::tokens::estimate;
use std::sync::Arc;

/// Old results beyond this many newest tokens may be replaced by stubs (SPEC C3).
pub const KEEP_RESULTS: u64 = 40_000;
/// Only when that frees at least this much.
pub const FREE_AT_LEAST: u64 = 20_000;

/// Estimated tokens of a message.
#[must_use]
pub fn message_tokens(message: &Message) -> u64 {
    4 + match message {
        Message::User(m) => {
            let results: u64 = m.results.iter().map(|r| 8 + estimate(&r.text) + 1500 * r.images.len() as u64).sum();
            let content: u64 = m
                .content
                .iter()
                .map(|c| match c {
                    UserContent::Text { text, .. } => estimate(text),
                    UserContent::Image { .. } => 1500,
                })
                .sum();
            results + content
        }
        Message::Assistant(m) => m
            .blocks
            .iter()
            .map(|b| match b {
                AssistantBlock::Text { text } | AssistantBlock::Thinking { text, .. } => estimate(text),
                AssistantBlock::RedactedThinking { data, .. } => data.len() as u64 / 4,
                AssistantBlock::ToolUse(call) => 16 + estimate(&call.name) + estimate(&serde_json::Value::Object(call.input.clone()).to_string()),
            })
            .sum(),
    }
}

/// Estimated tokens of a tool table.
#[must_use]
pub fn tools_tokens(tools: &[ToolSpec]) -> u64 {
    tools.iter().map(|t| 8 + estimate(&t.name) + estimate(&t.description) + estimate(&t.schema.to_string())).sum()
}

/// Old results that may become stubs: (call, text), oldest first; empty when it is not worth it. Never reports.
#[must_use]
pub fn old_results(history: &History) -> Vec<(CallId, String)> {
    let mut newest = 0;
    let mut old = Vec::new();
    let mut freed = 0;
    for message in history.messages().iter().rev() {
        let Message::User(m) = message.as_ref() else { continue };
        for result in m.results.iter().rev() {
            let tokens = estimate(&result.text);
            newest += tokens;
            if newest > KEEP_RESULTS && !result.report && tokens > 400 {
                freed += tokens;
                old.push((result.call_id.clone(), result.text.clone()));
            }
        }
    }
    if freed < FREE_AT_LEAST {
        return Vec::new();
    }
    old.reverse();
    old
}

/// Where the kept end of a history starts: the last user message without results such that at least `keep` messages
/// stay, or the end when there is none (SPEC H01: never between a call and its result).
#[must_use]
pub fn safe_cut(history: &History, keep: usize) -> usize {
    let messages = history.messages();
    let starts = |m: &Arc<Message>| matches!(m.as_ref(), Message::User(u) if u.results.is_empty());
    let wanted = messages.len().saturating_sub(keep);
    (0..=wanted.min(messages.len().saturating_sub(1))).rev().find(|i| *i > 0 && messages.get(*i).is_some_and(starts)).unwrap_or(messages.len())
}

/// A history that begins with a summary and goes on with the kept end. The last message is of the user's side, so
/// that a request can follow.
#[must_use]
pub fn compacted(history: &History, summary: &str, restated: &str, keep: usize) -> History {
    let mut cut = safe_cut(history, keep);
    // A kept end must not bring back more than the summary saves.
    let tokens = |from: usize| history.messages()[from.min(history.len())..].iter().map(|m| message_tokens(m)).sum::<u64>();
    if tokens(cut) > KEEP_RESULTS / 2 {
        cut = history.len();
    }
    let mut content = vec![UserContent::Text { text: format!("Summary of the conversation so far:\n\n{summary}"), origin: Origin::Summary }];
    if !restated.trim().is_empty() {
        content.push(UserContent::Text { text: restated.to_owned(), origin: Origin::Engine });
    }
    let mut new = History::new();
    let first = Message::User(UserMessage { results: Vec::new(), content });
    if new.push(first).is_err() {
        return history.clone();
    }
    for message in &history.messages()[cut..] {
        if new.push(message.as_ref().clone()).is_err() {
            return history.clone();
        }
    }
    new
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{AssistantMessage, ToolCall, ToolResult};

    fn user(text: &str) -> Message {
        Message::User(UserMessage::text(text, Origin::Person))
    }

    fn call(id: &str) -> AssistantBlock {
        AssistantBlock::ToolUse(ToolCall { id: CallId(id.into()), name: "Read".into(), input: serde_json::Map::new(), fault: None })
    }

    fn results(ids: &[&str], text: &str) -> Message {
        Message::User(UserMessage { results: ids.iter().map(|i| ToolResult::ok(CallId((*i).into()), text)).collect(), content: Vec::new() })
    }

    fn text(t: &str) -> Message {
        Message::Assistant(AssistantMessage { blocks: vec![AssistantBlock::Text { text: t.into() }] })
    }

    #[test]
    fn h01_a_cut_never_splits_a_pair() {
        let batch = Message::Assistant(AssistantMessage { blocks: vec![call("a"), call("b")] });
        let h = History::from_messages([user("q1"), text("a1"), user("q2"), batch, results(&["a", "b"], "r"), text("done")]).unwrap();
        for keep in 0..8 {
            let new = compacted(&h, "SUMMARY", "a1 runs", keep);
            assert!(new.check().is_ok(), "keep {keep}");
            assert!(matches!(new.messages()[0].as_ref(), Message::User(u) if u.results.is_empty()), "starts with the user");
        }
        assert_eq!(safe_cut(&h, 4), 2);
        assert_eq!(safe_cut(&h, 2), 2, "the pair and its question stay together");
    }

    #[test]
    fn c3_only_old_results_beyond_the_newest_become_stubs() {
        let big = "word and another word\n".repeat(1500);
        let mut messages = vec![user("q")];
        for i in 0..12 {
            let id = format!("c{i}");
            messages.push(Message::Assistant(AssistantMessage { blocks: vec![call(&id)] }));
            let mut m = UserMessage { results: vec![ToolResult::ok(CallId(id), big.clone())], content: Vec::new() };
            m.results[0].report = i == 0;
            messages.push(Message::User(m));
        }
        let h = History::from_messages(messages).unwrap();
        let old = old_results(&h);
        assert!(!old.is_empty());
        assert!(old.iter().all(|(id, _)| id.0 != "c0"), "never a report");
        assert!(old.iter().all(|(id, _)| id.0 != "c11"), "never the newest");
        let small = History::from_messages([user("q"), Message::Assistant(AssistantMessage { blocks: vec![call("x")] }), results(&["x"], &big)]).unwrap();
        assert!(old_results(&small).is_empty());
    }
}
