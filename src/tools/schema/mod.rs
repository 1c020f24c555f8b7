//! A small validator for the schemas of our own and of MCP tools, with messages that a model can act on (SPEC L4).
//!
//! Knows: type (also lists of types), required, properties, additionalProperties, items, enum, const, minItems, maxItems,
//! minLength, maxLength, minimum, maximum, anyOf, oneOf, allOf. Everything else is ignored, so that a richer schema of a
//! foreign server is never a reason to refuse a call. Must not: know any tool.

mod coerce;
#[cfg(test)]
mod tests;

pub use coerce::coerce;

use crate::util::near::nearest;
use serde_json::{Map, Value};

/// Faults that are told at once, at most.
const MAX_FAULTS: usize = 8;
/// Nesting that is looked at, at most.
const MAX_DEPTH: usize = 24;

/// Check arguments against a schema of type object. Run [`coerce`] first.
///
/// # Errors
/// Up to eight faults, one a line, each beginning with the field: `file_path: expected a string, found the number 5`,
/// `command is missing`, `cmd: unknown field (known: command, timeout)`.
pub fn validate(schema: &Value, input: &Map<String, Value>) -> Result<(), String> {
    let mut faults = Vec::new();
    check_object(schema, input, "", 0, &mut faults);
    if ["anyOf", "oneOf", "allOf"].iter().any(|k| schema.get(k).is_some()) {
        combined(schema, &Value::Object(input.clone()), "", 0, &mut faults);
    }
    if faults.is_empty() {
        return Ok(());
    }
    let more = faults.len().saturating_sub(MAX_FAULTS);
    faults.truncate(MAX_FAULTS);
    if more > 0 {
        faults.push(format!("and {more} more"));
    }
    Err(faults.join("\n"))
}

fn check(schema: &Value, value: &Value, path: &str, depth: usize, faults: &mut Vec<String>) {
    if depth > MAX_DEPTH || faults.len() > MAX_FAULTS {
        return;
    }
    if let Some(kinds) = types(schema)
        && !kinds.iter().any(|k| is_type(value, k))
    {
        let wanted: Vec<&str> = kinds.iter().map(|k| with_article(k)).collect();
        faults.push(format!("{path}: expected {}, found {}", wanted.join(" or "), describe(value)));
        return;
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        let names: Vec<String> = allowed.iter().map(Value::to_string).collect();
        faults.push(format!("{path}: expected one of {}, found {}", names.join(", "), describe(value)));
        return;
    }
    if let Some(only) = schema.get("const")
        && only != value
    {
        faults.push(format!("{path}: expected {only}, found {}", describe(value)));
        return;
    }
    match value {
        Value::String(text) => check_string(schema, text, path, faults),
        Value::Number(_) => check_number(schema, value, path, faults),
        Value::Array(items) => check_array(schema, items, path, depth, faults),
        Value::Object(map) => check_object(schema, map, path, depth, faults),
        Value::Null | Value::Bool(_) => {}
    }
    combined(schema, value, path, depth, faults);
}

fn check_string(schema: &Value, text: &str, path: &str, faults: &mut Vec<String>) {
    let chars = || u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
    if let Some(min) = schema.get("minLength").and_then(Value::as_u64)
        && chars() < min
    {
        faults.push(if min == 1 { format!("{path}: must not be empty") } else { format!("{path}: needs at least {min} characters") });
    }
    if let Some(max) = schema.get("maxLength").and_then(Value::as_u64)
        && chars() > max
    {
        faults.push(format!("{path}: at most {max} characters are allowed, found {}", chars()));
    }
}

fn check_number(schema: &Value, value: &Value, path: &str, faults: &mut Vec<String>) {
    let Some(n) = value.as_f64() else { return };
    if let Some(min) = schema.get("minimum")
        && min.as_f64().is_some_and(|m| n < m)
    {
        faults.push(format!("{path}: must be {min} or more, found {value}"));
    }
    if let Some(max) = schema.get("maximum")
        && max.as_f64().is_some_and(|m| n > m)
    {
        faults.push(format!("{path}: must be {max} or less, found {value}"));
    }
}

fn check_array(schema: &Value, items: &[Value], path: &str, depth: usize, faults: &mut Vec<String>) {
    let len = u64::try_from(items.len()).unwrap_or(u64::MAX);
    if let Some(min) = schema.get("minItems").and_then(Value::as_u64)
        && len < min
    {
        faults.push(format!("{path}: needs at least {min} {}, found {len}", entries(min)));
    }
    if let Some(max) = schema.get("maxItems").and_then(Value::as_u64)
        && len > max
    {
        faults.push(format!("{path}: at most {max} {} are allowed, found {len}", entries(max)));
    }
    if let Some(of) = schema.get("items") {
        for (i, item) in items.iter().enumerate() {
            check(of, item, &format!("{path}[{i}]"), depth + 1, faults);
        }
    }
}

const fn entries(n: u64) -> &'static str {
    if n == 1 { "entry" } else { "entries" }
}

fn check_object(schema: &Value, map: &Map<String, Value>, path: &str, depth: usize, faults: &mut Vec<String>) {
    let properties = schema.get("properties").and_then(Value::as_object);
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if !map.contains_key(name) {
            faults.push(format!("{} is missing", join(path, name)));
        }
    }
    for (name, value) in map {
        let here = join(path, name);
        match (properties.and_then(|p| p.get(name)), schema.get("additionalProperties")) {
            (Some(of), _) | (None, Some(of @ Value::Object(_))) => check(of, value, &here, depth + 1, faults),
            (None, Some(Value::Bool(false))) => faults.push(unknown(&here, name, properties)),
            (None, _) => {}
        }
    }
}

fn unknown(path: &str, name: &str, properties: Option<&Map<String, Value>>) -> String {
    let known: Vec<&str> = properties.into_iter().flat_map(Map::keys).map(String::as_str).collect();
    match nearest(name, known.iter().copied()) {
        Some(near) => format!("{path}: unknown field (did you mean {near}?)"),
        None if known.is_empty() => format!("{path}: unknown field (there are none)"),
        None => format!("{path}: unknown field (known: {})", known.join(", ")),
    }
}

/// `anyOf`, `oneOf` (as `anyOf`: a value that fits two is no reason to refuse a call) and `allOf`.
fn combined(schema: &Value, value: &Value, path: &str, depth: usize, faults: &mut Vec<String>) {
    for keyword in ["anyOf", "oneOf"] {
        let Some(options) = schema.get(keyword).and_then(Value::as_array).filter(|o| !o.is_empty()) else { continue };
        let mut nearest_faults: Option<Vec<String>> = None;
        for option in options {
            let mut own = Vec::new();
            check(option, value, path, depth + 1, &mut own);
            if nearest_faults.as_ref().is_none_or(|f| own.len() < f.len()) {
                nearest_faults = Some(own);
            }
        }
        faults.extend(nearest_faults.unwrap_or_default());
    }
    for option in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        check(option, value, path, depth + 1, faults);
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// The names of the allowed types; none when any is allowed.
fn types(schema: &Value) -> Option<Vec<&str>> {
    match schema.get("type")? {
        Value::String(one) => Some(vec![one.as_str()]),
        Value::Array(many) => Some(many.iter().filter_map(Value::as_str).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

fn is_type(value: &Value, kind: &str) -> bool {
    match kind {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        // A type that we do not know is not ours to refuse.
        _ => true,
    }
}

fn with_article(kind: &str) -> &str {
    match kind {
        "string" => "a string",
        "boolean" => "true or false",
        "number" => "a number",
        "integer" => "an integer",
        "array" => "an array",
        "object" => "an object",
        other => other,
    }
}

/// What was found, in a few words.
fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(b) => format!("{b}"),
        Value::Number(n) => format!("the number {n}"),
        Value::String(s) => {
            let short: String = s.chars().take(40).collect();
            format!("the string {short:?}{}", if short.len() < s.len() { "…" } else { "" })
        }
        Value::Array(items) => format!("an array of {} {}", items.len(), entries(u64::try_from(items.len()).unwrap_or(u64::MAX))),
        Value::Object(_) => "an object".to_owned(),
    }
}
