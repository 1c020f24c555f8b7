//! `/doctor`: look for problems of the set-up.

use super::{Command, Outcome};
use crate::protocol::Op;

/// The command.
pub const COMMAND: Command = Command { name: "doctor", usage: "", about: "look for problems of the set-up", run };

fn run(args: &str) -> Outcome {
    Outcome::Op(Op::Report { what: "doctor".into(), args: args.into() })
}
