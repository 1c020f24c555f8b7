//! The ordered list of all built-in tools.

use super::{Input, Tool, agent, skill};
use super::{
    ask_user_question::AskUserQuestion, bash, edit::Edit, glob::Glob, grep::Grep, multi_edit::MultiEdit, read::Read, send_message::SendMessage,
    task_output::TaskOutput, task_stop::TaskStop, todo_write::TodoWrite, write::Write,
};
use std::sync::Arc;

/// All built-in tools, sorted by name in byte order.
#[must_use]
pub fn all() -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(agent::Agent),
        Arc::new(AskUserQuestion),
        Arc::new(bash::Bash::default()),
        Arc::new(Edit),
        Arc::new(Glob),
        Arc::new(Grep),
        Arc::new(MultiEdit),
        Arc::new(Read),
        Arc::new(SendMessage),
        Arc::new(skill::Skill),
        Arc::new(TaskOutput),
        Arc::new(TaskStop),
        Arc::new(TodoWrite),
        Arc::new(Write),
    ]
}

/// What a call under another name, or with another field's name, means in terms of the tool's own schema.
/// Run it before the arguments are coerced and checked. `called` is the name that the model used.
pub fn normalize(called: &str, input: &mut Input) {
    agent::normalize_alias(called, input);
    if matches!(called, "Skill" | "load_skill") {
        skill::normalize(input);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn p7_tools_are_sorted_unique_and_byte_stable() {
        let tools = all();
        let names: Vec<String> = tools.iter().map(|t| t.spec().name).collect();
        let mut sorted = names.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(names, sorted);
        let once: Vec<String> = tools.iter().map(|t| serde_json::to_string(&t.spec()).unwrap()).collect();
        let again: Vec<String> = all().iter().map(|t| serde_json::to_string(&t.spec()).unwrap()).collect();
        assert_eq!(once, again);
    }

    #[test]
    fn every_tool_has_a_description_and_an_object_schema() {
        let mut seen = HashSet::new();
        for tool in all() {
            let spec = tool.spec();
            assert!(spec.description.len() > 80, "{}", spec.name);
            assert_eq!(spec.schema["type"], "object", "{}", spec.name);
            let properties = spec.schema["properties"].as_object().unwrap();
            for name in spec.schema["required"].as_array().unwrap() {
                assert!(properties.contains_key(name.as_str().unwrap()), "{}: {name}", spec.name);
            }
            assert!(!spec.schema["required"].as_array().unwrap().is_empty(), "{}", spec.name);
            for name in tool.aliases().iter().map(|a| (*a).to_owned()).chain([spec.name.clone()]) {
                assert!(seen.insert(name.clone()), "{name} twice");
            }
        }
        assert!(seen.contains("Task") && seen.contains("task") && seen.contains("load_skill"));
    }

    #[test]
    fn a17_empty_arguments_panic_nowhere() {
        let dir = tempfile::tempdir().unwrap();
        let ctx = super::super::ToolContext::for_test(dir.path());
        for tool in all() {
            let input = Input::new();
            let _ = (tool.title(&input), tool.class(&input), tool.preview(&input, &ctx));
            let name = tool.spec().name;
            assert!(tool.access(&input, &ctx).is_err(), "{name}");
            assert!(super::super::schema::validate(&tool.spec().schema, &input).is_err(), "{name}");
        }
    }
}
