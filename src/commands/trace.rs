//! `/trace`: fold or unfold the subagent pane.

use super::{Command, Outcome};
use crate::action::Action;

/// The command.
pub const COMMAND: Command = Command { name: "trace", usage: "", about: "fold or unfold the subagent pane", run };

fn run(_args: &str) -> Outcome {
    Outcome::Action(Action::ToggleTrace)
}
