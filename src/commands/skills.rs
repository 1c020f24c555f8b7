//! `/skills`: skills that the model can load.

use super::{Command, Outcome};
use crate::protocol::Op;

/// The command.
pub const COMMAND: Command = Command { name: "skills", usage: "", about: "skills that the model can load", run };

fn run(args: &str) -> Outcome {
    Outcome::Op(Op::Report { what: "skills".into(), args: args.into() })
}
