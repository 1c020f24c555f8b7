//! Arguments out of a call's input. They were checked against the schema before; these never panic on others.

use super::Input;
use serde_json::Value;

/// A required string.
///
/// # Errors
/// The field's name, when it is missing or no string.
pub fn text<'a>(input: &'a Input, name: &str) -> Result<&'a str, String> {
    match input.get(name) {
        Some(Value::String(s)) => Ok(s),
        Some(_) => Err(format!("{name}: expected a string")),
        None => Err(format!("{name} is missing")),
    }
}

/// A required string that is not blank.
///
/// # Errors
/// The field's name.
pub fn filled<'a>(input: &'a Input, name: &str) -> Result<&'a str, String> {
    let value = text(input, name)?;
    if value.trim().is_empty() { Err(format!("{name}: must not be empty")) } else { Ok(value) }
}

/// An optional string; blank counts as not given.
#[must_use]
pub fn optional<'a>(input: &'a Input, name: &str) -> Option<&'a str> {
    input.get(name).and_then(Value::as_str).filter(|s| !s.trim().is_empty())
}

/// An optional whole number.
#[must_use]
pub fn whole(input: &Input, name: &str) -> Option<u64> {
    input.get(name).and_then(Value::as_u64)
}

/// An optional whole number as a count of things in memory.
#[must_use]
pub fn count(input: &Input, name: &str) -> Option<usize> {
    whole(input, name).map(|n| usize::try_from(n).unwrap_or(usize::MAX))
}

/// An optional truth value; false when not given.
#[must_use]
pub fn flag(input: &Input, name: &str) -> bool {
    input.get(name).and_then(Value::as_bool).unwrap_or(false)
}
