//! `/help`: keys and commands.

use super::{Command, Outcome};
use crate::action::Action;

/// The command.
pub const COMMAND: Command = Command { name: "help", usage: "", about: "keys and commands", run };

fn run(_args: &str) -> Outcome {
    Outcome::Action(Action::Help)
}
