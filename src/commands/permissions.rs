//! `/permissions [mode]`: show the rules, or set the mode.

use super::{Command, Outcome};
use crate::protocol::{Mode, Op};

/// The command.
pub const COMMAND: Command = Command { name: "permissions", usage: "[mode]", about: "show the rules, or set the mode", run };

fn run(args: &str) -> Outcome {
    match Mode::from_name(args) {
        Some(mode) => Outcome::Op(Op::SetMode { mode }),
        None => Outcome::Op(Op::Report { what: "permissions".into(), args: args.into() }),
    }
}
