//! `/provider [name]`: show or switch the provider.

use super::{Command, Outcome};
use crate::protocol::Op;

/// The command.
pub const COMMAND: Command = Command { name: "provider", usage: "[name]", about: "show or switch the provider", run };

fn run(args: &str) -> Outcome {
    // `provider/` with nothing behind it asks for that provider's own default model.
    if args.is_empty() {
        Outcome::Op(Op::Report { what: "provider".into(), args: String::new() })
    } else if args.contains('/') {
        Outcome::Op(Op::SetModel { model: args.into() })
    } else {
        Outcome::Op(Op::SetModel { model: format!("{args}/") })
    }
}
