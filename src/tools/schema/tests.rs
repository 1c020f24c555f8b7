//! The validator's words and its leniency (SPEC L4, CASES A17).

use super::*;
use serde_json::json;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "file_path": {"type": "string", "minLength": 1},
            "limit": {"type": "integer", "minimum": 1, "maximum": 10},
            "all": {"type": "boolean"},
            "ratio": {"type": ["number", "null"]},
            "mode": {"type": "string", "enum": ["a", "b"]},
            "edits": {"type": "array", "minItems": 1, "maxItems": 2, "items": {
                "type": "object", "properties": {"old": {"type": "string"}}, "required": ["old"], "additionalProperties": false}},
            "names": {"type": "array", "items": {"type": "string"}}
        },
        "required": ["file_path"],
        "additionalProperties": false
    })
}

fn run(input: Value) -> Result<Value, String> {
    let Value::Object(mut map) = input else { panic!("an object") };
    coerce(&schema(), &mut map);
    validate(&schema(), &map).map(|()| Value::Object(map))
}

#[test]
fn a17_each_fault_names_the_field_and_what_was_found() {
    let fault = |input| run(input).unwrap_err();
    assert_eq!(fault(json!({"file_path": 5})), "file_path: expected a string, found the number 5");
    assert_eq!(fault(json!({})), "file_path is missing");
    assert_eq!(fault(json!({"file_path": ""})), "file_path: must not be empty");
    assert_eq!(fault(json!({"filePath": "x"})), "file_path is missing\nfilePath: unknown field (did you mean file_path?)");
    assert_eq!(fault(json!({"file_path": "x", "zzzzzz": 1})), "zzzzzz: unknown field (known: file_path, limit, all, ratio, mode, edits, names)");
    assert_eq!(fault(json!({"file_path": "x", "limit": 0})), "limit: must be 1 or more, found 0");
    assert_eq!(fault(json!({"file_path": "x", "limit": 11})), "limit: must be 10 or less, found 11");
    assert_eq!(fault(json!({"file_path": "x", "limit": 1.5})), "limit: expected an integer, found the number 1.5");
    assert_eq!(fault(json!({"file_path": "x", "mode": "c"})), "mode: expected one of \"a\", \"b\", found the string \"c\"");
    assert_eq!(fault(json!({"file_path": "x", "edits": []})), "edits: needs at least 1 entry, found 0");
    assert_eq!(fault(json!({"file_path": "x", "edits": [{"new": ""}]})), "edits[0].old is missing\nedits[0].new: unknown field (known: old)");
    assert_eq!(fault(json!({"file_path": "x", "edits": [{"old": "a"}, {"old": "b"}, {"old": "c"}]})), "edits: at most 2 entries are allowed, found 3");
    assert_eq!(
        fault(json!({"file_path": ["x"], "all": {}})),
        "file_path: expected a string, found an array of 1 entry\nall: expected true or false, found an object"
    );
}

#[test]
fn slips_of_models_are_put_right() {
    let good = run(json!({
        "file_path": "x", "limit": " 5 ", "all": "True", "ratio": "0.5", "mode": null, "edits": "[{\"old\": \"a\"}]", "names": "Read"
    }));
    assert_eq!(good.unwrap(), json!({"file_path": "x", "limit": 5, "all": true, "ratio": 0.5, "edits": [{"old": "a"}], "names": ["Read"]}));
    assert_eq!(run(json!({"file_path": "5", "limit": 5.0, "ratio": null})).unwrap(), json!({"file_path": "5", "limit": 5, "ratio": null}));
}

#[test]
fn a_value_that_fits_is_never_changed() {
    for input in [json!({"file_path": "true"}), json!({"file_path": "[1]", "names": ["5", "null"]})] {
        assert_eq!(run(input.clone()).unwrap(), input);
    }
}

#[test]
fn foreign_schemas_with_unknown_keywords_pass() {
    let schema = json!({"type": "object", "properties": {
        "a": {"$ref": "#/$defs/x"}, "b": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "c": {"type": "fancy"},
        "d": {"oneOf": [{"type": "integer"}, {"const": "auto"}]}, "e": true}, "$defs": {"x": {"type": "string"}}});
    let check = |input: Value| validate(&schema, input.as_object().unwrap());
    assert_eq!(check(json!({"a": 1, "b": null, "c": [], "d": "auto", "e": 1, "more": 2})), Ok(()));
    assert_eq!(check(json!({"b": 1})).unwrap_err(), "b: expected a string, found the number 1");
    assert_eq!(validate(&json!({}), &Map::new()), Ok(()));
    assert_eq!(validate(&json!({"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}), &Map::new()).unwrap_err(), "a is missing");
}

#[test]
fn hostile_input_is_bounded() {
    let many: Map<String, Value> = (0..100).map(|i| (format!("x{i}zzzzzzzzzz"), json!(1))).collect();
    let text = validate(&schema(), &many).unwrap_err();
    assert_eq!(text.lines().count(), MAX_FAULTS + 1);
    let long = run(json!({"file_path": "x", "limit": "─".repeat(10_000)})).unwrap_err();
    assert!(long.len() < 300, "{long}");
}
