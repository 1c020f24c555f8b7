//! Tables, names and paths of the README. What stands between two marks is made here, from the program's own tables.

use crate::{fenced, readme, root, same_as_file};
use clap::{CommandFactory, Parser};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Mutex;
use tui_agent::action::Action;
use tui_agent::cli::Cli;
use tui_agent::commands::COMMANDS;
use tui_agent::config::keymap::{Context, Keymap};

/// Tests that rewrite parts of the same file take turns.
static FILE: Mutex<()> = Mutex::new(());

/// Compares, or rewrites, what stands between the marks of a name.
fn block(name: &str, table: &str) {
    let _turn = FILE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let text = readme();
    let (begin, end) = (format!("<!-- {name}:begin -->\n"), format!("<!-- {name}:end -->"));
    let (before, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("README.md has no {begin}"));
    let (_, after) = rest.split_once(&end).unwrap_or_else(|| panic!("README.md has no {end}"));
    same_as_file("README.md", &format!("{before}{begin}{table}{end}{after}"));
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[test]
fn the_configuration_table_is_the_programs_own() {
    block("config", &tui_agent::config::table::docs());
}

#[test]
fn the_commands_table_is_the_programs_own() {
    let mut table = String::from("| command | what it does |\n|---|---|\n");
    for c in COMMANDS {
        writeln!(table, "| `{}` | {} |", cell(format!("/{} {}", c.name, c.usage).trim()), cell(c.about)).unwrap();
    }
    block("commands", &table);
}

#[test]
fn the_tools_table_is_the_programs_own() {
    let mut table = String::from("| tool | arguments (`?`: may be left out) | what it does |\n|---|---|---|\n");
    for tool in tui_agent::tools::registry::all() {
        let spec = tool.spec();
        let needed: Vec<&str> = spec.schema["required"].as_array().unwrap().iter().filter_map(|n| n.as_str()).collect();
        let arguments: Vec<String> = spec.schema["properties"]
            .as_object()
            .unwrap()
            .keys()
            .map(|name| if needed.contains(&name.as_str()) { format!("`{name}`") } else { format!("`{name}`?") })
            .collect();
        let first = spec.description.split_inclusive(['.', ':']).next().unwrap_or_default().trim_end_matches(['.', ':']);
        let aliases = match tool.aliases() {
            [] => String::new(),
            names => format!(" (also `{}`)", names.join("`, `")),
        };
        writeln!(table, "| `{}`{aliases} | {} | {} |", spec.name, arguments.join(", "), cell(first)).unwrap();
    }
    block("tools", &table);
}

#[test]
fn the_keys_table_is_the_programs_own() {
    let keymap = Keymap::built_in();
    let mut table = String::new();
    for context in Context::ALL {
        writeln!(table, "**{}** (`[{}]`)\n\n| keys | action | what it does |\n|---|---|---|", context.title(), context.name()).unwrap();
        for (action, keys) in keymap.of(*context).filter(|(_, keys)| !keys.is_empty()) {
            let keys: Vec<String> = keys.iter().map(|k| format!("`{k}`")).collect();
            writeln!(table, "| {} | `{}` | {} |", cell(&keys.join(" ")), action.name(), cell(action.about())).unwrap();
        }
        table.push('\n');
    }
    block("keys", &format!("\n{table}"));
}

/// The words of a command line as a shell would read them; a comment ends it.
fn words(line: &str) -> Vec<String> {
    let (mut all, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, c) if c.is_whitespace() => all.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    all.extend(word);
    all
}

/// The program's command lines in the text: whole lines of shell blocks, and spans.
fn command_lines() -> Vec<String> {
    let text = readme();
    let spans = text.split('`').skip(1).step_by(2).filter(|s| s.starts_with("tui-agent ") && !s.contains('\n')).map(str::to_owned);
    let blocks = fenced("sh").concat();
    let lines = blocks.lines().flat_map(|l| l.split(" | ")).map(|l| l.trim().replace("cargo run --release --", "tui-agent"));
    lines.filter(|l| l.starts_with("tui-agent")).chain(spans).collect()
}

#[test]
fn every_command_line_is_one_that_the_program_takes() {
    let lines = command_lines();
    assert!(lines.len() >= 10, "{lines:?}");
    for line in lines {
        if let Err(e) = Cli::try_parse_from(words(&line)) {
            panic!("README.md: {line}\n{e}");
        }
    }
}

#[test]
fn every_option_and_subcommand_that_is_named_exists() {
    let command = Cli::command();
    let known: BTreeSet<String> = command.get_arguments().filter_map(|a| a.get_long()).map(|l| format!("--{l}")).collect();
    // Options of cargo.
    let other = ["--release", "--locked", "--path", "--test"];
    let text = readme();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    for (at, _) in text.match_indices("--").filter(|(at, _)| text[..*at].ends_with(['`', ' '])) {
        let option: String = text[at..].chars().take_while(|c| is_part(*c)).collect();
        let is_name = option.len() > 3 && option.as_bytes()[2].is_ascii_lowercase();
        assert!(!is_name || known.contains(&option) || other.contains(&option.as_str()), "README.md names {option}, which does not exist");
    }
}

#[test]
fn every_slash_command_and_action_that_is_named_exists() {
    let text = readme();
    let missing = text.split("<!-- missing:begin -->").nth(1).and_then(|t| t.split("<!-- missing:end -->").next()).unwrap_or_default();
    let text = text.replace(missing, "");
    for span in text.split('`').skip(1).step_by(2) {
        let Some(name) = span.strip_prefix('/') else { continue };
        let name: String = name.chars().take_while(char::is_ascii_lowercase).collect();
        assert!(name == "name" || COMMANDS.iter().any(|c| c.name == name), "README.md names /{name}, which does not exist");
        assert!(!missing.contains(&format!("`/{name}`")), "/{name} exists and is still listed as missing");
    }
    for command in COMMANDS {
        assert!(!missing.contains(&format!("/{}`", command.name)) && !missing.contains(&format!("/{},", command.name)), "/{} is not missing", command.name);
    }
    assert!(Action::from_name("to-background").is_some(), "the example of [keys]");
}

/// What the text says about keys, in the words of the key table: (context, action, key).
const SAID: &[(Context, Action, &str)] = &[
    (Context::Global, Action::ToggleTrace, "ctrl+o"),
    (Context::Global, Action::ToggleTrace, "f2"),
    (Context::Global, Action::ToggleTasks, "ctrl+t"),
    (Context::Global, Action::ToggleTasks, "f3"),
    (Context::Global, Action::ToBackground, "ctrl+b"),
    (Context::Global, Action::ToBackground, "f6"),
    (Context::Global, Action::AnswerQuestion, "ctrl+y"),
    (Context::Global, Action::AnswerQuestion, "f4"),
    (Context::Global, Action::CycleMode, "shift+tab"),
    (Context::Global, Action::Interrupt, "esc"),
    (Context::Global, Action::Help, "f1"),
    (Context::Empty, Action::FocusTrace, "tab"),
    (Context::Composer, Action::Submit, "enter"),
    (Context::Composer, Action::LineUp, "up"),
    (Context::List, Action::Choose, "enter"),
    (Context::Agent, Action::Steer, "tab"),
    (Context::Agent, Action::StopTask, "s"),
    (Context::Agent, Action::AbortTask, "x"),
    (Context::Agent, Action::BackgroundTask, "b"),
    (Context::Agent, Action::Close, "esc"),
    (Context::Dialog, Action::AllowOnce, "o"),
    (Context::Dialog, Action::AllowAgent, "a"),
    (Context::Dialog, Action::AllowSession, "s"),
    (Context::Dialog, Action::AllowAlways, "A"),
    (Context::Dialog, Action::Deny, "d"),
    (Context::Dialog, Action::DenyBecause, "r"),
    (Context::Dialog, Action::StopAgent, "x"),
    (Context::Always, Action::AlwaysProject, "p"),
    (Context::Always, Action::AlwaysUser, "u"),
];

#[test]
fn the_first_five_minutes_name_the_keys_as_they_are() {
    let keymap = Keymap::built_in();
    let text = readme();
    let tour = text.split("## The first five minutes").nth(1).and_then(|t| t.split("\n### ").next()).unwrap();
    for (context, action, key) in SAID {
        let is = keymap.keys(*context, *action).contains(&key.parse().unwrap());
        assert!(is, "{} is not {key} in [{}] any more: mend README.md and this list", action.name(), context.name());
        let shown: Vec<String> = key.split('+').map(|part| if part.len() == 1 && !key.contains('+') { part.to_owned() } else { upper(part) }).collect();
        assert!(tour.contains(&format!("`{}`", shown.join("+"))) || *key == "enter", "the first five minutes do not name {key} ({})", action.name());
    }
}

/// `ctrl` as `Ctrl`.
fn upper(part: &str) -> String {
    let mut chars = part.chars();
    chars.next().map(|c| c.to_uppercase().collect::<String>() + chars.as_str()).unwrap_or_default()
}

/// Places that come with a feature: when one exists, the words must be gone from the list of what is missing.
const NOT_YET: &[(&str, &str)] = &[
    ("src/mcp", "**MCP servers**"),
    ("src/extend/hooks.rs", "**Hooks**"),
    ("src/extend/hooks", "**Hooks**"),
    ("src/providers/responses", "**OpenAI Responses API**"),
    ("src/tools/web_fetch", "**WebFetch**"),
    ("src/commands/rewind.rs", "**Rewind**"),
    ("src/commands/export.rs", "**Export"),
    ("src/commands/init.rs", "`/init`"),
    ("src/commands/memory.rs", "`/memory`"),
    ("src/tools/bash/sandbox", "**Operating-system sandbox**"),
    ("src/tools/bash/sandbox.rs", "**Operating-system sandbox**"),
    ("src/sandbox", "**Operating-system sandbox**"),
];

#[test]
fn what_exists_is_not_listed_as_missing() {
    let text = readme();
    for (place, words) in NOT_YET {
        assert!(!root(place).exists() || !text.contains(words), "{place} exists, and README.md still lists {words} as missing");
    }
}

#[test]
fn every_place_in_the_repository_that_is_named_exists() {
    let text = readme();
    let spans = text.split('`').skip(1).step_by(2).filter(|s| ["src/", "assets/", "tests/", ".ci/"].iter().any(|d| s.starts_with(d)) && !s.contains('*'));
    let links = text.split("](").skip(1).filter_map(|t| t.split(')').next()).filter(|t| !t.starts_with('#'));
    let mut seen = 0;
    for place in spans.chain(links) {
        assert!(root(place).exists(), "README.md names {place}, which does not exist");
        seen += 1;
    }
    assert!(seen > 10);
}
