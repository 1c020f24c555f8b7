//! `/keys`: all keys.

use super::{Command, Outcome};
use crate::action::Action;

/// The command.
pub const COMMAND: Command = Command { name: "keys", usage: "", about: "all keys", run };

fn run(_args: &str) -> Outcome {
    Outcome::Action(Action::Help)
}
