//! `/model [name]`: show or switch the model.

use super::{Command, Outcome};
use crate::protocol::Op;

/// The command.
pub const COMMAND: Command = Command { name: "model", usage: "[name]", about: "show or switch the model", run };

fn run(args: &str) -> Outcome {
    if args.is_empty() { Outcome::Op(Op::Report { what: "model".into(), args: String::new() }) } else { Outcome::Op(Op::SetModel { model: args.into() }) }
}
