//! Fragments of tool calls become calls, with every quirk that servers have shown (SPEC P4; cases A04 to A06).
//!
//! Must not: join fragments of different calls, or repeat a name.

use serde_json::Value;

/// Calls of one reply at most; more are ignored.
const MAX_CALLS: usize = 256;

/// A call that is being put together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Slot {
    /// `index` of the server, if it gave one.
    pub(super) index: Option<u64>,
    /// As the server gave it; may be empty or repeated.
    pub(super) id: String,
    /// The name.
    pub(super) name: String,
    /// JSON text, perhaps incomplete.
    pub(super) arguments: String,
}

impl Slot {
    /// Whether the arguments look like a finished object; cheap, because it is asked for fragments.
    fn closed(&self) -> bool {
        self.arguments.trim_end().ends_with('}') && serde_json::from_str::<serde::de::IgnoredAny>(&self.arguments).is_ok()
    }
}

/// The calls of one reply in the order of their index.
#[derive(Debug, Default)]
pub(super) struct Assembler {
    slots: Vec<Slot>,
}

impl Assembler {
    /// Take a `tool_calls` list of one delta.
    pub(super) fn push(&mut self, list: &[Value]) {
        for (position, entry) in list.iter().enumerate() {
            self.fragment(entry, position);
        }
    }

    /// The calls; those of which nothing came are left out.
    pub(super) fn finish(mut self) -> Vec<Slot> {
        // Stable: calls without or with equal indexes keep the order in which they came.
        self.slots.sort_by_key(|s| s.index.unwrap_or(u64::MAX));
        self.slots.retain(|s| !(s.name.is_empty() && s.arguments.trim().is_empty()));
        self.slots
    }

    fn fragment(&mut self, entry: &Value, position: usize) {
        let text = |v: Option<&Value>| v.and_then(Value::as_str).unwrap_or_default().to_owned();
        let function = entry.get("function").unwrap_or(entry);
        let new = Slot {
            index: entry.get("index").and_then(Value::as_u64),
            id: text(entry.get("id")),
            name: text(function.get("name")),
            arguments: match function.get("arguments") {
                Some(Value::String(s)) => s.clone(),
                Some(v @ (Value::Object(_) | Value::Array(_))) => v.to_string(),
                Some(_) | None => String::new(),
            },
        };
        match self.target(&new, position) {
            Some(at) => {
                if let Some(slot) = self.slots.get_mut(at) {
                    merge(slot, new);
                }
            }
            None if self.slots.len() < MAX_CALLS => self.slots.push(new),
            None => {}
        }
    }

    /// The slot that a fragment continues; none when it begins a call.
    fn target(&self, new: &Slot, position: usize) -> Option<usize> {
        let found = match new.index {
            Some(index) => self.slots.iter().rposition(|s| s.index == Some(index)),
            // Entries of one list are different calls, whatever else is missing.
            None if position > 0 && !new.name.is_empty() => None,
            None if new.id.is_empty() => self.slots.len().checked_sub(1),
            None => self.slots.iter().rposition(|s| s.id == new.id),
        }?;
        let slot = self.slots.get(found)?;
        if begins_another(slot, new) { None } else { Some(found) }
    }
}

/// Whether a fragment for the place of `slot` is the start of another call: servers reuse an index.
fn begins_another(slot: &Slot, new: &Slot) -> bool {
    let other_id = !new.id.is_empty() && !slot.id.is_empty() && new.id != slot.id;
    let named = !new.name.is_empty() && !slot.name.is_empty();
    if other_id && named && (slot.arguments.trim().is_empty() || new.name != slot.name) {
        return true;
    }
    let repeated = new.id == slot.id && new.name == slot.name && new.arguments == slot.arguments;
    (named || other_id) && !repeated && new.arguments.trim_start().starts_with('{') && slot.closed()
}

fn merge(slot: &mut Slot, new: Slot) {
    if slot.id.is_empty() {
        slot.id = new.id;
    }
    if slot.name.is_empty() || new.name.starts_with(&slot.name) {
        if !new.name.is_empty() {
            slot.name = new.name.clone();
        }
    } else if slot.arguments.is_empty() && !new.name.is_empty() {
        // A name in pieces; a repeated one was handled above.
        slot.name.push_str(&new.name);
    }
    // A finished call that is sent once more adds nothing.
    let again = !new.name.is_empty() && new.arguments == slot.arguments && slot.closed();
    if !again {
        slot.arguments.push_str(&new.arguments);
    }
}
