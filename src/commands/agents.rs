//! `/agents [on|off]`: subagent types: enable and disable; `off` takes the tool away altogether.

use super::{Command, Outcome};
use crate::action::Action;
use crate::protocol::Op;

/// The command.
pub const COMMAND: Command = Command { name: "agents", usage: "[on|off]", about: "subagent types: enable and disable", run };

fn run(args: &str) -> Outcome {
    if args.is_empty() { Outcome::Action(Action::AgentsPicker) } else { Outcome::Op(Op::Report { what: "agents".into(), args: args.into() }) }
}
