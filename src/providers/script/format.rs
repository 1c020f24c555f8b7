//! The file format of a script (SPEC P10): what a person writes, checked strictly, with errors that name the place.
//!
//! Must not: play anything, or know the other providers.

use crate::protocol::Usage;
use crate::util::near::nearest;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// A whole script: the lines of the parent and of its children.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a script: an object {\"main\": [TURN…], \"agents\": {\"<description>\": [TURN…]}}")]
pub struct Script {
    /// What `main` answers, one turn per request.
    pub main: Vec<Turn>,
    /// What a child answers, by its description.
    #[serde(default, deserialize_with = "agents")]
    pub agents: BTreeMap<String, Vec<Turn>>,
}

/// The answer to one request. All parts are optional; an empty turn is an empty reply.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a turn: an object with text, thinking, tools, usage, delay_ms, error")]
pub struct Turn {
    /// Visible text, streamed in pieces.
    pub text: String,
    /// Reasoning, streamed before the text.
    pub thinking: String,
    /// Tool calls, in order.
    pub tools: Vec<Call>,
    /// Tokens; an estimate when absent.
    #[serde(deserialize_with = "usage")]
    pub usage: Option<Usage>,
    /// Milliseconds that the whole reply takes.
    pub delay_ms: u64,
    /// Fail after the text instead of a reply.
    pub error: Option<Fault>,
}

/// A tool call of a turn.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a call: an object {\"name\": \"…\", \"input\": {…}}")]
pub struct Call {
    /// The tool.
    pub name: String,
    /// Its arguments, handed on as they are.
    #[serde(default)]
    pub input: Map<String, Value>,
}

/// A failure of a turn, in a real provider's terms.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "an error: an object with status, type, message")]
pub struct Fault {
    /// The HTTP status; none for failures of the connection.
    pub status: Option<u16>,
    /// The provider's word, for example `overloaded_error`; `network`, `stream` and `idle` stand for broken connections.
    #[serde(rename = "type")]
    pub kind: String,
    /// The provider's message.
    pub message: String,
}

/// As [`Usage`], but unknown keys are errors.
#[allow(clippy::struct_field_names, reason = "the names are those of the file")]
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default, expecting = "usage: an object of token counts")]
struct StrictUsage {
    input_tokens: u64,
    output_tokens: u64,
    cache_read_input_tokens: u64,
    cache_creation_input_tokens: u64,
}

fn usage<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Usage>, D::Error> {
    let Some(u) = Option::<StrictUsage>::deserialize(from)? else { return Ok(None) };
    Ok(Some(Usage { input: u.input_tokens, output: u.output_tokens, cache_read: u.cache_read_input_tokens, cache_write: u.cache_creation_input_tokens }))
}

/// A map of lists in which the same description twice is an error instead of a silent loss.
fn agents<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, Vec<Turn>>, D::Error> {
    struct Lists;
    impl<'de> Visitor<'de> for Lists {
        type Value = BTreeMap<String, Vec<Turn>>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object {\"<description>\": [TURN…]}")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut all = BTreeMap::new();
            while let Some(key) = map.next_key::<String>()? {
                if all.contains_key(&key) {
                    return Err(A::Error::custom(format!("the description `{key}` stands twice, expected one list for each description")));
                }
                let turns = map.next_value::<Vec<Turn>>()?;
                all.insert(key, turns);
            }
            Ok(all)
        }
    }
    from.deserialize_map(Lists)
}

/// Read a script.
///
/// # Errors
/// One line `file:line:column: what is wrong, what is expected`, with the nearest known key for an unknown one.
pub fn load(path: &Path) -> Result<Script, String> {
    let bytes = std::fs::read(path).map_err(|e| format!("{}: the script cannot be read: {e}", path.display()))?;
    let text = std::str::from_utf8(&bytes).map_err(|e| format!("{}: the script is not UTF-8 text (byte {})", path.display(), e.valid_up_to()))?;
    parse(text.trim_start_matches('\u{feff}')).map_err(|e| format!("{}:{e}", path.display()))
}

/// Read a script from text.
///
/// # Errors
/// As [`load`], without the file's name in front.
pub fn parse(text: &str) -> Result<Script, String> {
    serde_json::from_str(text).map_err(|e| describe(&e))
}

fn describe(error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    let whole = error.to_string();
    let what = whole.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&whole);
    let hint = nearest_key(what).map(|key| format!(" (did you mean `{key}`?)")).unwrap_or_default();
    let reason = if error.is_eof() { ", expected more: the file ends too early" } else { "" };
    format!("{line}:{column}: {what}{reason}{hint}")
}

/// For `unknown field `x`, expected … `a`, `b``: the one of `a`, `b` that is nearest to `x`, when it is near.
fn nearest_key(message: &str) -> Option<String> {
    let mut quoted = message.strip_prefix("unknown field ")?.split('`').skip(1).step_by(2);
    let wrong = quoted.next()?;
    nearest(wrong, quoted).map(str::to_owned)
}
