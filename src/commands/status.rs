//! `/status`: versions, provider, sandbox, folders.

use super::{Command, Outcome};
use crate::protocol::Op;

/// The command.
pub const COMMAND: Command = Command { name: "status", usage: "", about: "versions, provider, sandbox, folders", run };

fn run(args: &str) -> Outcome {
    Outcome::Op(Op::Report { what: "status".into(), args: args.into() })
}
