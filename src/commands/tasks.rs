//! `/tasks`: background agents and commands, and how they ended.

use super::{Command, Outcome};
use crate::protocol::Op;

/// The command.
pub const COMMAND: Command = Command { name: "tasks", usage: "", about: "background agents and commands, and how they ended", run };

fn run(args: &str) -> Outcome {
    Outcome::Op(Op::Report { what: "tasks".into(), args: args.into() })
}
