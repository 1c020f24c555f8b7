//! `/theme [name]`: show or switch the colours.

use super::{Command, Outcome};

/// The command.
pub const COMMAND: Command = Command { name: "theme", usage: "[name]", about: "show or switch the colours", run };

fn run(args: &str) -> Outcome {
    Outcome::Theme(args.into())
}
