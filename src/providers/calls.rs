//! From the raw pieces of a streamed tool call to a [`ToolCall`]: clean ids, arguments that are always an object
//! (SPEC L3, L8, P4). Shared by the network providers.
//!
//! Must not: repair arguments. What cannot be read is marked with a fault and never run.

use crate::protocol::{CallFault, CallId, ToolCall};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{BuildHasher, Hasher, RandomState};

/// Longest id that is kept; longer ones are replaced.
const MAX_ID: usize = 64;

/// Makes the calls of one reply; ids are unique within it.
#[derive(Debug, Default)]
pub struct CallMaker {
    seen: HashSet<String>,
}

impl CallMaker {
    /// One call from its raw parts. `cut` says that the reply ended at the output limit right here.
    pub fn make(&mut self, id: String, name: String, arguments: &str, cut: bool) -> ToolCall {
        let (input, fault) = read_arguments(arguments, cut);
        ToolCall { id: self.unique(id), name, input, fault }
    }

    fn unique(&mut self, id: String) -> CallId {
        let mut id = id;
        while !valid(&id, MAX_ID) || self.seen.contains(&id) {
            id = format!("call_{}_{:016x}", self.seen.len(), random());
        }
        self.seen.insert(id.clone());
        CallId(id)
    }
}

fn valid(id: &str, max: usize) -> bool {
    !id.is_empty() && id.len() <= max && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

fn read_arguments(text: &str, cut: bool) -> (Map<String, Value>, Option<CallFault>) {
    let text = text.trim();
    let fault = match text {
        // At the limit, nothing yet is not the same as nothing.
        "" if cut => CallFault::Cut,
        "" | "null" => return (Map::new(), None),
        _ => match serde_json::from_str::<Value>(text) {
            Ok(Value::Object(map)) => return (map, None),
            Ok(_) => CallFault::NotAnObject,
            Err(_) if cut => CallFault::Cut,
            Err(e) => CallFault::NotJson { message: e.to_string() },
        },
    };
    (Map::new(), Some(fault))
}

/// A tool name in the shape that the services accept back; what the model wrote may be anything.
#[must_use]
pub fn wire_name(name: &str) -> Cow<'_, str> {
    if valid(name, MAX_ID) {
        return Cow::Borrowed(name);
    }
    let clean: String = name.chars().take(MAX_ID).map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    Cow::Owned(if clean.is_empty() { "unknown".to_owned() } else { clean })
}

/// Random bits, good enough for ids and jitter: the standard library seeds each hasher differently.
#[must_use]
pub fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a06_ids_become_valid_and_unique() {
        let mut maker = CallMaker::default();
        let ids: Vec<String> =
            ["a", "a", "", "functions.bash:0", "b-_1", &"x".repeat(65)].iter().map(|id| maker.make((*id).into(), "t".into(), "{}", false).id.0).collect();
        assert_eq!((ids[0].as_str(), ids[4].as_str()), ("a", "b-_1"));
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 6);
        assert!(ids.iter().all(|id| valid(id, MAX_ID)));
        assert!(ids[1].starts_with("call_1_"));
    }

    #[test]
    fn a04_a08_a17_arguments_are_an_object_or_a_fault() {
        let read = |text, cut| read_arguments(text, cut).1;
        assert_eq!((read("", false), read("null", false), read(" {} ", true)), (None, None, None));
        assert_eq!((read("", true), read("{\"a\":\"li", true)), (Some(CallFault::Cut), Some(CallFault::Cut)));
        assert_eq!((read("[]", false), read("5", false)), (Some(CallFault::NotAnObject), Some(CallFault::NotAnObject)));
        assert!(matches!(read("{\"a\":", false), Some(CallFault::NotJson { .. })));
        assert_eq!(read_arguments("{\"a\":1}", true).0.get("a"), Some(&Value::from(1)), "a complete call at the limit is fine");
    }

    #[test]
    fn l3_names_sent_back_are_valid() {
        assert_eq!((wire_name("mcp__a__b-c"), wire_name(""), wire_name("view file.é")), ("mcp__a__b-c".into(), "unknown".into(), "view_file__".into()));
    }
}
