//! `/cost`: tokens and money, by agent and model.

use super::{Command, Outcome};
use crate::protocol::Op;

/// The command.
pub const COMMAND: Command = Command { name: "cost", usage: "", about: "tokens and money, by agent and model", run };

fn run(args: &str) -> Outcome {
    Outcome::Op(Op::Report { what: "cost".into(), args: args.into() })
}
