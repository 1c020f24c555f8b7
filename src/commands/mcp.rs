//! `/mcp`: the servers of the Model Context Protocol and their states.

use super::{Command, Outcome};
use crate::protocol::Op;

/// The command.
pub const COMMAND: Command = Command { name: "mcp", usage: "", about: "MCP servers and their states", run };

fn run(args: &str) -> Outcome {
    Outcome::Op(Op::Report { what: "mcp".into(), args: args.into() })
}
