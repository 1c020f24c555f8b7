//! `/new`: a fresh session.

use super::{Command, Outcome};
use crate::protocol::Op;

/// The command.
pub const COMMAND: Command = Command { name: "new", usage: "", about: "a fresh session", run };

fn run(_args: &str) -> Outcome {
    Outcome::Op(Op::NewSession)
}
