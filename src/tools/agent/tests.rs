//! The Agent tool's contract (SPEC S3, S5; accept S3, D18).

use super::*;
use crate::tools::schema::{coerce, validate};

fn request(input: Value) -> Result<SpawnRequest, String> {
    let Value::Object(mut map) = input else { panic!("an object") };
    coerce(&schema(), &mut map);
    validate(&schema(), &map)?;
    match Agent.engine_call(&map)? {
        Some(EngineCall::Spawn(request)) => Ok(request),
        other => panic!("{other:?}"),
    }
}

#[test]
fn s5_description_and_prompt_are_needed_and_not_empty() {
    assert_eq!(request(json!({"description": "d"})).unwrap_err(), "prompt is missing");
    assert_eq!(request(json!({"description": "", "prompt": "p"})).unwrap_err(), "description: must not be empty");
    assert_eq!(request(json!({"description": " \n", "prompt": "p"})).unwrap_err(), "description: must not be empty");
    assert_eq!(request(json!({"description": "d", "prompt": "\t"})).unwrap_err(), "prompt: must not be empty");
    assert!(request(json!({"description": "d", "prompt": "p", "prmpt": "x"})).unwrap_err().contains("did you mean prompt"));
}

#[test]
fn s5_all_fields_arrive_and_the_prompt_byte_for_byte() {
    let all = request(json!({
        "description": " find it ", "prompt": " p\n ", "subagent_type": "Explore", "run_in_background": "true", "tool_names": ["Read", " Grep "],
        "model": "fast", "max_turns": "5", "fork": true, "isolation": "worktree", "budget": {"tokens": 1000, "cost_usd": 0.5, "seconds": 9}
    }));
    let want = SpawnRequest {
        description: "find it".into(),
        prompt: " p\n ".into(),
        kind: Some("Explore".into()),
        background: Some(true),
        tool_names: Some(vec!["Read".into(), "Grep".into()]),
        model: Some("fast".into()),
        max_turns: Some(5),
        fork: true,
        isolation: Some("worktree".into()),
        budget: Budget { tokens: Some(1000), cost_usd: Some(0.5), seconds: Some(9.0) },
    };
    assert_eq!(all.unwrap(), want);
    let empty = request(json!({"description": "d", "prompt": "p", "subagent_type": "", "tool_names": [], "isolation": "none", "model": null}));
    assert_eq!(empty.unwrap(), SpawnRequest { description: "d".into(), prompt: "p".into(), ..SpawnRequest::default() });
    assert!(request(json!({"description": "d", "prompt": "p", "max_turns": 0})).unwrap_err().contains("max_turns"));
}

#[test]
fn s5_the_alias_needs_only_a_prompt() {
    let mut input = json!({"prompt": "Find all  callers of `parse` in the project and list them"}).as_object().unwrap().clone();
    normalize_alias("Agent", &mut input);
    assert!(!input.contains_key("description"));
    normalize_alias("task", &mut input);
    assert_eq!(input["description"], "Find all callers of `parse` in");
    let mut own = json!({"prompt": "p", "description": "mine"}).as_object().unwrap().clone();
    normalize_alias("Task", &mut own);
    assert_eq!(own["description"], "mine");
}

#[test]
fn s3_the_description_says_what_the_model_must_know() {
    let text =
        describe(&[("general-purpose", "Any task", "all"), ("Explore", "Finds\nthings ", "Read, Grep, Glob, Bash"), ("Plan", &"long ".repeat(2_000), "Read")]);
    for mark in ["self-contained", "at the same time", "Files are shared", "conversation's history", "Do not use it to", "run_in_background", "fork"] {
        assert!(text.contains(mark), "{mark}");
    }
    assert!(text.contains("\n- general-purpose: Any task (tools: all)\n- Explore: Finds things (tools: Read, Grep, Glob, Bash)\n- Plan: long long"));
    assert!(text.len() < 6_000, "{}", text.len());
    assert!(!describe::<&str>(&[]).contains("Types ("));
    let fields: Vec<&String> = schema()["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>().leak().iter().collect();
    assert_eq!(fields, ["description", "prompt", "subagent_type", "run_in_background", "tool_names", "model", "max_turns", "fork", "isolation", "budget"]);
}

#[tokio::test]
async fn it_runs_only_in_the_engine_and_beside_other_agents() {
    let dir = tempfile::tempdir().unwrap();
    let ctx = ToolContext::for_test(dir.path());
    let input = json!({"description": "d", "prompt": "p"}).as_object().unwrap().clone();
    assert_eq!(Agent.class(&input), Class::Agent);
    assert_eq!(Agent.access(&input, &ctx), Ok(Access::session()));
    assert!(Agent.run(&input, &ctx).await.is_error);
}
