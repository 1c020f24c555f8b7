//! Tests of what a typed line is taken for, and of the completions.

use super::*;
use crate::protocol::Mode;

fn builtin(line: &str) -> Outcome {
    let Parsed::Builtin(command, args) = parse(line, &[]) else { panic!("{line}") };
    (command.run)(args)
}

#[test]
fn x5_names_are_unique_and_described() {
    let mut names: Vec<_> = COMMANDS.iter().map(|c| c.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), COMMANDS.len());
    assert!(COMMANDS.iter().all(|c| !c.about.is_empty() && c.about.len() < 60 && c.name.chars().all(|c| c.is_ascii_lowercase())));
}

#[test]
fn x5_every_command_yields_what_it_says() {
    let report = |what: &str| Outcome::Op(Op::Report { what: what.into(), args: String::new() });
    for what in ["tasks", "context", "cost", "status", "doctor", "skills", "model", "provider", "permissions"] {
        assert_eq!(builtin(&format!("/{what}")), report(what));
    }
    assert_eq!(builtin("/resume"), report("sessions"));
    assert_eq!(builtin("/resume  abc "), Outcome::Op(Op::Resume { session: "abc".into() }));
    assert_eq!(builtin("/compact the tests"), Outcome::Op(Op::Compact { focus: Some("the tests".into()) }));
    assert_eq!(builtin("/compact"), Outcome::Op(Op::Compact { focus: None }));
    assert_eq!(builtin("/model openai/x"), Outcome::Op(Op::SetModel { model: "openai/x".into() }));
    assert_eq!(builtin("/provider openai"), Outcome::Op(Op::SetModel { model: "openai/".into() }));
    assert_eq!(builtin("/permissions plan"), Outcome::Op(Op::SetMode { mode: Mode::Plan }));
    assert_eq!(builtin("/agents off"), Outcome::Op(Op::Report { what: "agents".into(), args: "off".into() }));
    assert_eq!(builtin("/agents"), Outcome::Action(Action::AgentsPicker));
    assert_eq!(builtin("/new"), Outcome::Op(Op::NewSession));
    assert_eq!(builtin("/reload"), Outcome::Op(Op::Reload));
    assert_eq!(builtin("/exit"), Outcome::Action(Action::Quit));
    assert_eq!(builtin("/theme light"), Outcome::Theme("light".into()));
}

#[test]
fn x5_own_commands_unknown_ones_and_paths() {
    let own = [("review".to_owned(), "d".to_owned()), ("help".to_owned(), "hidden by the built-in one".to_owned())];
    assert!(matches!(parse("/review src  now", &own), Parsed::Own("review", "src  now")));
    assert!(matches!(parse("/help", &own), Parsed::Builtin(..)));
    assert!(matches!(parse("/reviw", &own), Parsed::Unknown("reviw", Some(n)) if n == "review"));
    assert!(matches!(parse("/contxt", &own), Parsed::Unknown("contxt", Some(n)) if n == "context"));
    assert!(matches!(parse("/zzzzzzzz", &own), Parsed::Unknown("zzzzzzzz", None)));
    for text in ["/usr/bin/env is missing", "/", "/ x", "help", " /help", "//", ""] {
        assert!(matches!(parse(text, &own), Parsed::NotACommand), "{text:?}");
    }
    assert!(matches!(parse("/tmp", &own), Parsed::Unknown(..)));
}
