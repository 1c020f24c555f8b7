//! `/copy`: copy the last reply.

use super::{Command, Outcome};
use crate::action::Action;

/// The command.
pub const COMMAND: Command = Command { name: "copy", usage: "", about: "copy the last reply", run };

fn run(_args: &str) -> Outcome {
    Outcome::Action(Action::CopyMessage)
}
