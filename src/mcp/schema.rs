//! A server's input schema made into one that every provider takes: of type object, with properties, without
//! alternatives at the top, of bounded size.

use serde_json::{Map, Value, json};

/// Bytes of a schema, at most; it is sent with every request.
const MAX_SCHEMA: usize = 32 * 1024;
/// Keywords that providers refuse at the top.
const AT_TOP: [&str; 5] = ["anyOf", "oneOf", "allOf", "not", "enum"];

/// The schema to offer. What cannot be used becomes an object with any fields.
pub(super) fn normalized(schema: Option<&Value>) -> Value {
    let open = || json!({"type": "object", "properties": {}});
    let Some(Value::Object(given)) = schema else { return open() };
    let is_object = match given.get("type") {
        None => true,
        Some(Value::String(kind)) => kind == "object",
        Some(Value::Array(kinds)) => kinds.iter().any(|k| k == "object"),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) => false,
    };
    if !is_object {
        return open();
    }
    let mut out = Map::new();
    out.insert("type".into(), "object".into());
    out.insert("properties".into(), Value::Object(properties(given)));
    let kept = given.iter().filter(|(key, _)| !matches!(key.as_str(), "type" | "properties" | "$schema" | "$id") && !AT_TOP.contains(&key.as_str()));
    out.extend(kept.map(|(key, value)| (key.clone(), value.clone())));
    required(&mut out, given);
    let out = Value::Object(out);
    if out.to_string().len() > MAX_SCHEMA { open() } else { out }
}

/// Its own properties, and those of alternatives at the top: the model must know that they exist.
fn properties(schema: &Map<String, Value>) -> Map<String, Value> {
    let own = |s: &Value| s.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut out = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    for branch in branches(schema, &["allOf", "anyOf", "oneOf"]) {
        for (name, value) in own(branch) {
            out.entry(name).or_insert(value);
        }
    }
    out
}

fn branches<'a>(schema: &'a Map<String, Value>, keys: &'a [&'a str]) -> impl Iterator<Item = &'a Value> {
    keys.iter().filter_map(|k| schema.get(*k)?.as_array()).flatten()
}

/// A list of names, or none at all; what all of `allOf` require is required.
fn required(out: &mut Map<String, Value>, given: &Map<String, Value>) {
    let lists = branches(given, &["allOf"]).filter_map(|b| b.get("required")).chain(given.get("required"));
    let mut names: Vec<Value> = Vec::new();
    for name in lists.filter_map(Value::as_array).flatten().filter(|n| n.is_string()) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    if names.is_empty() {
        out.remove("required");
    } else {
        out.insert("required".into(), Value::Array(names));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_usual_schema_stays() {
        let usual = json!({"type":"object","properties":{"word":{"type":"string","enum":["a"]}},"additionalProperties":false,"required":["word"]});
        assert_eq!(normalized(Some(&usual)), usual);
    }

    #[test]
    fn what_no_provider_takes_becomes_an_object() {
        let open = json!({"type":"object","properties":{}});
        let long = json!({"type":"object","description":"x".repeat(MAX_SCHEMA)});
        for odd in [
            Value::Null,
            json!([]),
            json!("x"),
            json!({}),
            json!({"type":"string"}),
            json!({"type":7}),
            json!({"required":[1]}),
            json!({"properties":[]}),
            long,
        ] {
            assert_eq!(normalized(Some(&odd)), open, "{odd}");
        }
        assert_eq!(normalized(None), open);
    }

    #[test]
    fn alternatives_at_the_top_are_joined() {
        let given = json!({"$schema":"x","anyOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{}}}],
            "allOf":[{"properties":{"c":{}},"required":["c"]}],"properties":{"a":{"type":"number"}},"required":["a"]});
        let right = json!({"type":"object","properties":{"a":{"type":"number"},"c":{},"b":{}},"required":["c","a"]});
        assert_eq!(normalized(Some(&given)), right);
    }
}
