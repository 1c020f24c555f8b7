//! `/resume [id]`: list earlier sessions, or open one.

use super::{Command, Outcome};
use crate::protocol::Op;

/// The command.
pub const COMMAND: Command = Command { name: "resume", usage: "[id]", about: "list earlier sessions, or open one", run };

fn run(args: &str) -> Outcome {
    if args.is_empty() { Outcome::Op(Op::Report { what: "sessions".into(), args: String::new() }) } else { Outcome::Op(Op::Resume { session: args.into() }) }
}
