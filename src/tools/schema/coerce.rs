//! Harmless slips of models put right before the check: a number or a truth value as a string, an array as JSON text,
//! null for an optional field. Never changes a value that already fits, and never makes a string from something else.

use super::{MAX_DEPTH, is_type, types};
use serde_json::{Map, Number, Value};

/// Put right what is obvious, in place: `"5"` for an integer, `"true"` for a boolean, `5.0` for 5, JSON text for an array
/// or object, one string for a list of strings, null for an optional field (removed).
pub fn coerce(schema: &Value, input: &mut Map<String, Value>) {
    object(schema, input, 0);
}

fn object(schema: &Value, map: &mut Map<String, Value>, depth: usize) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    let required: Vec<&str> = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    map.retain(|name, value| !(value.is_null() && !required.contains(&name.as_str()) && properties.get(name).is_some_and(refuses_null)));
    for (name, value) in map.iter_mut() {
        if let Some(of) = properties.get(name) {
            one(of, value, depth + 1);
        }
    }
}

fn refuses_null(schema: &Value) -> bool {
    types(schema).is_some_and(|kinds| !kinds.contains(&"null"))
}

fn one(schema: &Value, value: &mut Value, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    if let Some(kinds) = types(schema) {
        let fits = kinds.iter().any(|k| is_type(value, k));
        if !fits && let Some(better) = kinds.iter().find_map(|k| convert(schema, k, value)) {
            *value = better;
        }
        if kinds.contains(&"integer")
            && let Some(whole) = whole_number(value)
        {
            *value = whole;
        }
    }
    match value {
        Value::Object(map) => object(schema, map, depth),
        Value::Array(items) => {
            if let Some(of) = schema.get("items") {
                for item in items {
                    one(of, item, depth + 1);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn convert(schema: &Value, kind: &str, value: &Value) -> Option<Value> {
    let text = value.as_str()?;
    match kind {
        "integer" => text.trim().parse::<i64>().ok().map(Value::from),
        "number" => text.trim().parse::<f64>().ok().and_then(Number::from_f64).map(Value::Number),
        "boolean" => match text.trim().to_ascii_lowercase().as_str() {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        },
        "array" => {
            let parsed = serde_json::from_str::<Value>(text).ok().filter(Value::is_array);
            let of_strings = schema.get("items").and_then(types).is_some_and(|k| k.contains(&"string"));
            parsed.or_else(|| (of_strings && !text.trim().is_empty()).then(|| Value::Array(vec![value.clone()])))
        }
        "object" => serde_json::from_str::<Value>(text).ok().filter(Value::is_object),
        _ => None,
    }
}

/// `5` for `5.0`.
fn whole_number(value: &Value) -> Option<Value> {
    let n = value.as_f64().filter(|_| value.is_f64())?;
    // Beyond 2^53 a float does not name one integer.
    if n.fract() != 0.0 || n.abs() >= 9_007_199_254_740_992.0 {
        return None;
    }
    format!("{n:.0}").parse::<i64>().ok().map(Value::from)
}
