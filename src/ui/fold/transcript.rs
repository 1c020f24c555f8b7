//! One agent's conversation: open items grow, finished ones stay as they are. Each step costs the same at any length.

use super::{agents, bounds, clear_retry, transcript_of};
use crate::protocol::{AgentId, CallId, Display, Origin};
use crate::ui::model::{Item, ItemKind, Model, StreamView, ToolItem, ToolState, Transcript};

/// Messages that may wait for their second appearance.
const HANDED: usize = 16;

/// Add an item behind all others and give its id.
pub(super) fn push(model: &mut Model, agent: AgentId, at: u64, kind: ItemKind) -> u64 {
    let id = model.next_item;
    model.next_item += 1;
    let t = transcript_of(model, agent);
    let item = Item { id, version: 0, at, until: at, kind };
    t.bytes = t.bytes.saturating_add(bounds::weight(&item));
    t.items.push(item);
    t.version += 1;
    bounds::keep(t, agent);
    id
}

/// The item of an id. Ids rise, so this is a binary search; the newest item is tried first.
pub(super) fn item_mut(t: &mut Transcript, id: u64) -> Option<&mut Item> {
    let last = t.items.len().checked_sub(1)?;
    let place = if t.items[last].id == id { last } else { t.items.binary_search_by_key(&id, |i| i.id).ok()? };
    t.items.get_mut(place)
}

/// Change the item of a call, if it is (still) there.
fn change_tool(t: &mut Transcript, call: &CallId, change: impl FnOnce(&mut ToolItem)) {
    let Some(id) = t.calls.get(call).copied() else { return };
    let Some(item) = item_mut(t, id) else { return };
    let before = bounds::weight(item);
    if let ItemKind::Tool(tool) = &mut item.kind {
        change(tool);
    }
    item.version += 1;
    let after = bounds::weight(item);
    t.bytes = t.bytes.saturating_sub(before).saturating_add(after);
    t.version += 1;
}

/// A text on the user's side. A text that was shown when it was handed over (a prompt, a steering) is not shown again.
pub(super) fn user(model: &mut Model, agent: AgentId, at: u64, text: &str, origin: &Origin) {
    let t = transcript_of(model, agent);
    close(t, at);
    if !agent.is_main()
        && let Some(place) = t.handed.iter().position(|h| h == text)
    {
        t.handed.remove(place);
        return;
    }
    push(model, agent, at, ItemKind::User { text: text.to_owned(), origin: origin.clone() });
}

/// Remember a text that will come again as a user message.
pub(super) fn handed(t: &mut Transcript, text: &str) {
    t.handed.push(text.to_owned());
    let more = t.handed.len().saturating_sub(HANDED);
    t.handed.drain(..more);
}

/// A message was handed to a child: shown at once.
pub(super) fn steered(model: &mut Model, agent: AgentId, at: u64, text: &str) {
    handed(transcript_of(model, agent), text);
    push(model, agent, at, ItemKind::User { text: text.to_owned(), origin: Origin::Steer });
}

/// From here on text belongs to a new request.
pub(super) fn request_started(model: &mut Model, agent: AgentId) {
    let from = model.next_item;
    transcript_of(model, agent).stream = StreamView { from, ..StreamView::default() };
}

/// Words of the model.
pub(super) fn text_delta(model: &mut Model, agent: AgentId, at: u64, text: &str) {
    clear_retry(model, agent);
    let t = transcript_of(model, agent);
    close_one(t, at, |s| s.thinking.take());
    let open = t.stream.text;
    if !open.is_some_and(|id| grow(t, id, at, text)) {
        let id = push(model, agent, at, ItemKind::Assistant { text: text.to_owned(), done: false });
        transcript_of(model, agent).stream.text = Some(id);
    }
}

/// Reasoning of the model.
pub(super) fn thinking_delta(model: &mut Model, agent: AgentId, at: u64, text: &str) {
    clear_retry(model, agent);
    let t = transcript_of(model, agent);
    close_one(t, at, |s| s.text.take());
    let open = t.stream.thinking;
    if !open.is_some_and(|id| grow(t, id, at, text)) {
        let id = push(model, agent, at, ItemKind::Thinking { text: text.to_owned(), done: false });
        transcript_of(model, agent).stream.thinking = Some(id);
    }
}

/// Append to an open item. False when it is gone.
fn grow(t: &mut Transcript, id: u64, at: u64, more: &str) -> bool {
    let Some(item) = item_mut(t, id) else { return false };
    let (ItemKind::Assistant { text, .. } | ItemKind::Thinking { text, .. }) = &mut item.kind else { return false };
    text.push_str(more);
    item.version += 1;
    item.until = at;
    t.bytes = t.bytes.saturating_add(more.len());
    t.version += 1;
    true
}

fn close_one(t: &mut Transcript, at: u64, which: impl FnOnce(&mut StreamView) -> Option<u64>) {
    let Some(id) = which(&mut t.stream) else { return };
    let Some(item) = item_mut(t, id) else { return };
    if let ItemKind::Assistant { done, .. } | ItemKind::Thinking { done, .. } = &mut item.kind {
        *done = true;
    }
    item.version += 1;
    item.until = at;
    t.version += 1;
}

/// Finish the open text and reasoning.
pub(super) fn close(t: &mut Transcript, at: u64) {
    close_one(t, at, |s| s.thinking.take());
    close_one(t, at, |s| s.text.take());
}

/// The text and reasoning of the running request are void; the next try starts clean, under new ids.
pub(super) fn reset(model: &mut Model, agent: AgentId) {
    let t = transcript_of(model, agent);
    let from = t.stream.from;
    let first = t.items.partition_point(|i| i.id < from);
    let mut freed = 0;
    let tail = t.items.split_off(first);
    for item in tail {
        if matches!(item.kind, ItemKind::Assistant { .. } | ItemKind::Thinking { .. }) {
            freed += bounds::weight(&item);
        } else {
            t.items.push(item);
        }
    }
    t.bytes = t.bytes.saturating_sub(freed);
    t.stream = StreamView { from, ..StreamView::default() };
    t.version += 1;
}

/// A call began.
pub(super) fn tool_started(model: &mut Model, agent: AgentId, at: u64, call: &CallId, name: &str, title: &str) {
    clear_retry(model, agent);
    let t = transcript_of(model, agent);
    close(t, at);
    t.live.push(call.clone());
    let tool = ToolItem {
        call: call.clone(),
        name: name.to_owned(),
        title: title.to_owned(),
        state: ToolState::Running,
        summary: String::new(),
        tail: String::new(),
        display: Display::None,
        agent: None,
        ended: None,
    };
    let id = push(model, agent, at, ItemKind::Tool(tool));
    transcript_of(model, agent).calls.insert(call.clone(), id);
    agents::tool_started(model, agent, at, call, name, title);
}

/// Output of a running call.
pub(super) fn tool_progressed(model: &mut Model, agent: AgentId, call: &CallId, tail: &str) {
    change_tool(transcript_of(model, agent), call, |tool| tail.clone_into(&mut tool.tail));
    agents::change(model, agent, |_| {});
}

/// How a call ended.
pub(super) struct ToolEnd<'a> {
    /// An error result.
    pub is_error: bool,
    /// A few words.
    pub summary: &'a str,
    /// How to draw it.
    pub display: &'a Display,
}

/// A call ended.
pub(super) fn tool_finished(model: &mut Model, agent: AgentId, at: u64, call: &CallId, end: &ToolEnd<'_>) {
    let t = transcript_of(model, agent);
    t.live.retain(|c| c != call);
    change_tool(t, call, |tool| {
        tool.state = if end.is_error { ToolState::Failed } else { ToolState::Done };
        end.summary.clone_into(&mut tool.summary);
        tool.display = end.display.clone();
        tool.tail = String::new();
        tool.ended = Some(at);
        if let Display::Agent { id } = end.display {
            tool.agent = Some(*id);
        }
    });
    bounds::keep(transcript_of(model, agent), agent);
    agents::tool_finished(model, agent);
}

/// Calls that never ended (the turn did) are shown as interrupted.
pub(super) fn end_live(t: &mut Transcript, at: u64) {
    for call in std::mem::take(&mut t.live) {
        change_tool(t, &call, |tool| {
            tool.state = ToolState::Failed;
            "interrupted".clone_into(&mut tool.summary);
            tool.ended = Some(at);
        });
    }
}

/// Mark a call as waiting for the person, or as running again.
pub(super) fn set_asking(t: &mut Transcript, call: &CallId, asks: bool) {
    change_tool(t, call, |tool| {
        tool.state = match (tool.state, asks) {
            (ToolState::Running | ToolState::Asking, true) => ToolState::Asking,
            (ToolState::Asking, false) => ToolState::Running,
            (state, _) => state,
        };
    });
}

/// Tie an `Agent` call to the child that it spawned.
pub(super) fn link(t: &mut Transcript, call: &CallId, child: AgentId) {
    change_tool(t, call, |tool| tool.agent = Some(child));
}
