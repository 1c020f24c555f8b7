//! `/reload`: read agents, skills and instructions again.

use super::{Command, Outcome};
use crate::protocol::Op;

/// The command.
pub const COMMAND: Command = Command { name: "reload", usage: "", about: "read agents, skills and instructions again", run };

fn run(_args: &str) -> Outcome {
    Outcome::Op(Op::Reload)
}
