//! `/context`: what fills the context.

use super::{Command, Outcome};
use crate::protocol::Op;

/// The command.
pub const COMMAND: Command = Command { name: "context", usage: "", about: "what fills the context", run };

fn run(args: &str) -> Outcome {
    Outcome::Op(Op::Report { what: "context".into(), args: args.into() })
}
