//! Parses arguments and calls the library; the only place that ends the process.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    // A hidden argument of our own: the process that ends what commands left when the program dies.
    if std::env::args_os().nth(1).is_some_and(|a| a == "__watch") {
        return tui_agent::tools::bash::watch_main();
    }
    ExitCode::from(tui_agent::app::main(tui_agent::cli::Cli::parse()))
}
