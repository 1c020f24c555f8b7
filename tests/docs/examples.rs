//! The README's examples, read by the loaders and run by the program itself, in folders of their own.

use crate::{fenced, readme, root};
use assert_cmd::Command;
use std::fs;
use std::path::Path;
use tempfile::TempDir;
use tui_agent::config::load::{Files, load};
use tui_agent::extend::agents::{AgentDir, Source};
use tui_agent::providers::resolve;

/// The program, with a home of its own and no keys.
fn program(home: &Path, folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tui-agent"));
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", home).env("TUI_AGENT_HOME", home).current_dir(folder);
    command.timeout(std::time::Duration::from_mins(1));
    command
}

/// A home, and a folder with a file that can be searched.
fn project() -> (TempDir, TempDir) {
    let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(folder.path().join("settings.py"), "def read_configuration(path):\n    return open(path).read()\n").unwrap();
    (home, folder)
}

#[test]
fn the_configuration_is_read_without_a_warning_and_chooses_its_provider() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("config.toml");
    let examples = fenced("toml");
    assert_eq!(examples.len(), 1);
    fs::write(&file, &examples[0]).unwrap();
    let config = load(Files { user: &file, user_must_exist: true, project: &home.path().join("none"), trusted: true, home: home.path() });
    assert!(config.warnings.is_empty(), "{:?}", config.warnings);
    assert_eq!(config.subagents.max_parallel, 6);
    let chosen = resolve::choose(&config, &|name| (name == "WORK_LLM_KEY").then(|| "k".to_owned())).unwrap().unwrap();
    assert_eq!((chosen.provider.as_str(), chosen.model.as_str(), chosen.base_url.as_str()), ("work", "our-model", "https://llm.example.org/v1"));
    for rule in config.allow.iter().chain(&config.deny) {
        assert!(tui_agent::permissions::Rule::parse(rule).is_ok(), "{rule}");
    }
}

#[test]
fn every_rule_that_is_named_can_be_read() {
    let text = readme();
    let names = ["Bash(", "Edit(", "Read("];
    let rules: Vec<&str> = text.split('`').skip(1).step_by(2).filter(|s| names.iter().any(|n| s.starts_with(n))).collect();
    assert!(rules.len() >= 4, "{rules:?}");
    for rule in rules {
        assert!(tui_agent::permissions::Rule::parse(rule).is_ok(), "{rule}");
    }
}

#[test]
fn the_agent_type_is_read_without_a_warning() {
    let dir = tempfile::tempdir().unwrap();
    let examples = fenced("markdown");
    assert_eq!(examples.len(), 1);
    fs::write(dir.path().join("reviewer.md"), &examples[0]).unwrap();
    let (types, warnings) = tui_agent::extend::agents::load(&[AgentDir { path: dir.path().to_path_buf(), source: Source::Project }]);
    assert!(warnings.is_empty(), "{warnings:?}");
    let reviewer = types.iter().find(|t| t.name == "reviewer").unwrap();
    assert_eq!((reviewer.read_only, reviewer.max_turns, reviewer.budget.tokens), (true, Some(15), Some(80_000)));
    assert_eq!(reviewer.tools_label(), "Read, Grep, Glob, Bash");
}

#[test]
fn the_script_plays_as_the_text_says() {
    let (home, folder) = project();
    let examples = fenced("json");
    assert_eq!(examples.len(), 1);
    fs::write(folder.path().join("hello.json"), &examples[0]).unwrap();
    let run = program(home.path(), folder.path()).args(["--script", "hello.json"]).write_stdin("look for paging\n/tasks\n/cost\n").assert().code(0);
    let out = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
    assert!(out.starts_with("Done: the explorer answered.\n"), "{out}");
    assert!(out.contains("a1   completed   Explore · find paging"), "{out}");
    assert!(out.contains("children (consumed → entered this context)"), "{out}");
}

#[test]
fn the_commands_without_a_screen_do_what_the_text_says() {
    let (home, folder) = project();
    let question = "Where is the configuration read?";
    let text = program(home.path(), folder.path()).args(["-p", question, "--provider", "offline"]).assert().code(0);
    assert!(String::from_utf8_lossy(&text.get_output().stdout).contains("settings.py:1"), "places as path:line");
    let json = program(home.path(), folder.path()).args(["-p", question, "--provider", "offline", "--output-format", "json"]).assert().code(0);
    let object: serde_json::Value = serde_json::from_slice(&json.get_output().stdout).unwrap();
    let said = readme();
    for key in object.as_object().unwrap().keys().filter(|k| *k != "type") {
        assert!(said.contains(&format!("`{key}`")), "README.md does not name {key}");
    }
    let piped = program(home.path(), folder.path()).args(["-p", "--provider", "offline"]).write_stdin(question).assert().code(0);
    assert!(String::from_utf8_lossy(&piped.get_output().stdout).contains("settings.py:1"));
    let sessions = program(home.path(), folder.path()).arg("sessions").assert().code(0);
    assert_eq!(String::from_utf8_lossy(&sessions.get_output().stdout).lines().count(), 3);
    program(home.path(), folder.path()).args(["-p", "x", "--permission-mode", "yolo"]).assert().code(2);
}

#[test]
fn trust_and_types_work_as_the_text_says() {
    let (home, folder) = project();
    fs::create_dir_all(folder.path().join(".tui-agent/agents")).unwrap();
    fs::write(folder.path().join(".tui-agent/agents/reviewer.md"), &fenced("markdown")[0]).unwrap();
    let out = |args: &[&str]| {
        let run = program(home.path(), folder.path()).args(args).assert().code(0);
        String::from_utf8_lossy(&run.get_output().stdout).into_owned()
    };
    assert!(!out(&["agents"]).contains("reviewer ·"));
    assert!(out(&["trust"]).contains(".tui-agent/agents/reviewer.md"));
    assert!(out(&["agents"]).contains("reviewer · project"));
    assert!(out(&["config"]).contains(&tui_agent::config::table::docs()));
    assert!(out(&["doctor"]).contains("no operating-system layer"), "README.md says the same about the sandbox");
}

#[test]
fn the_tour_can_be_played() {
    let tour = fs::read_to_string(root("assets/demo/tour.json")).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("tour.json");
    fs::write(&file, tour).unwrap();
    assert!(tui_agent::providers::script::load(&file).is_ok());
}
