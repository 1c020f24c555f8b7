//! `/compact [what to keep in view]`: sum the conversation up now.

use super::{Command, Outcome};
use crate::protocol::Op;

/// The command.
pub const COMMAND: Command = Command { name: "compact", usage: "[what to keep in view]", about: "sum the conversation up now", run };

fn run(args: &str) -> Outcome {
    Outcome::Op(Op::Compact { focus: (!args.is_empty()).then(|| args.into()) })
}
