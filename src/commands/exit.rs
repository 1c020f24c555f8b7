//! `/exit`: quit.

use super::{Command, Outcome};
use crate::action::Action;

/// The command.
pub const COMMAND: Command = Command { name: "exit", usage: "", about: "quit", run };

fn run(_args: &str) -> Outcome {
    Outcome::Action(Action::Quit)
}
