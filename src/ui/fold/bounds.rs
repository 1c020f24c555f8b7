//! The bounds of a transcript: many children with many calls stay small, whatever they print.
//!
//! First the outputs of older calls go (their line and summary stay), then the oldest items, with a note in their place.
//! The whole is in the session's files.

use crate::protocol::{AgentId, Display, Level};
use crate::ui::model::{Item, ItemKind, ToolItem, Transcript};

/// About what the entry of a call in the index takes.
const INDEX: usize = 96;
/// Items of a child's transcript at most.
pub(super) const CHILD_ITEMS: usize = 2_000;
/// Bytes of a child's transcript at most.
pub(super) const CHILD_BYTES: usize = 384 * 1024;
/// Items of the parent's transcript at most.
const MAIN_ITEMS: usize = 50_000;
/// Bytes of the parent's transcript at most.
const MAIN_BYTES: usize = 24 * 1024 * 1024;
/// The newest items keep their outputs in any case.
const WHOLE: usize = 20;

/// About how many bytes an item holds.
pub(super) fn weight(item: &Item) -> usize {
    let own = size_of::<Item>();
    own + match &item.kind {
        ItemKind::User { text, .. } | ItemKind::Assistant { text, .. } | ItemKind::Thinking { text, .. } => text.len(),
        ItemKind::Tool(tool) => INDEX + 2 * tool.call.0.len() + tool.name.len() + tool.title.len() + tool.summary.len() + tool.tail.len() + display(tool),
        ItemKind::Notice { text, hint, .. } => text.len() + hint.len(),
        ItemKind::Compacted { summary, .. } => summary.len(),
    }
}

fn display(tool: &ToolItem) -> usize {
    match &tool.display {
        Display::None | Display::Agent { .. } | Display::Task { .. } => 0,
        Display::Text { text } => text.len(),
        Display::Listing { lines, .. } => lines.iter().map(|l| l.len() + size_of::<String>()).sum(),
        Display::Command { output, .. } => output.len(),
        Display::Diff { path, hunks, .. } => path.len() + hunks.iter().flat_map(|h| &h.lines).map(|l| l.text.len() + 64).sum::<usize>(),
        Display::Todos { todos } => todos.iter().map(|t| t.content.len() + t.active_form.len() + 64).sum(),
    }
}

/// Bring a transcript back within its bounds. Done in large steps, so that its cost is spread over many events.
pub(super) fn keep(t: &mut Transcript, agent: AgentId) {
    let (items, bytes) = if agent.is_main() { (MAIN_ITEMS, MAIN_BYTES) } else { (CHILD_ITEMS, CHILD_BYTES) };
    if t.items.len() <= items && t.bytes <= bytes {
        return;
    }
    if t.bytes > bytes {
        fold_outputs(t);
    }
    let most = items - items / 4;
    let mut drop = if t.items.len() > items { t.items.len() - most } else { 0 };
    let mut rest = t.bytes;
    if rest > bytes - bytes / 4 {
        for (n, item) in t.items.iter().enumerate().skip(1) {
            if rest <= bytes / 2 {
                break;
            }
            rest = rest.saturating_sub(weight(item));
            drop = drop.max(n + 1);
        }
    }
    drop_front(t, drop.min(t.items.len().saturating_sub(WHOLE)));
}

/// Outputs of older calls go; their line and summary stay.
fn fold_outputs(t: &mut Transcript) {
    let until = t.items.len().saturating_sub(WHOLE);
    for item in t.items.iter_mut().take(until) {
        if let ItemKind::Tool(tool) = &mut item.kind
            && display(tool) > 0
        {
            tool.display = Display::None;
            item.version += 1;
        }
    }
    t.bytes = t.items.iter().map(weight).sum();
}

/// Take the oldest items out, the first one (a child's prompt) and the open ones aside. A note with the last one's id stands in their place.
fn drop_front(t: &mut Transcript, drop: usize) {
    let open = [t.stream.text, t.stream.thinking].into_iter().flatten().min().unwrap_or(u64::MAX);
    let drop = drop.min(t.items.partition_point(|i| i.id < open));
    if drop < 3 {
        return;
    }
    let mut id = 0;
    for item in t.items.drain(1..drop) {
        id = item.id;
        if let ItemKind::Tool(tool) = &item.kind {
            t.calls.remove(&tool.call);
        }
    }
    // One of the dropped may have been the former note, which stands for none.
    t.dropped += (drop - 1) - usize::from(t.dropped > 0);
    let at = t.items.first().map_or(0, |i| i.at);
    let text = format!("… {} earlier items are in the transcript file", t.dropped);
    let version = u32::try_from(t.dropped).unwrap_or(u32::MAX);
    t.items.insert(1, Item { id, version, at, until: at, kind: ItemKind::Notice { level: Level::Info, text, hint: String::new() } });
    t.bytes = t.items.iter().map(weight).sum();
    t.version += 1;
}
