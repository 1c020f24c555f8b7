//! The command line, as types (SPEC 11). Wrong use ends with exit code 2, which the parser itself does.
//!
//! Must not: act, or read anything but its arguments.

use crate::protocol::Mode;
use clap::{Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// A full-screen terminal coding agent whose centre is the subagent.
#[derive(Clone, PartialEq, Debug, Parser)]
#[command(name = "tui-agent", version, about, max_term_width = 110, after_help = AFTER)]
pub struct Cli {
    /// What to say first. A single word that is also the name of a command goes behind `--`
    #[arg(value_name = "PROMPT")]
    pub prompt: Option<String>,

    /// One turn without a screen; the answer goes to standard output. Without a text it is read from standard input
    #[arg(short, long, value_name = "PROMPT", num_args = 0..=1)]
    #[allow(clippy::option_option)] // Not given, given, given with a text.
    pub print: Option<Option<String>>,

    /// How a run without a screen prints
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = OutputFormat::Text)]
    pub output_format: OutputFormat,

    /// anthropic, openai, offline, or a name of [providers] in the configuration
    #[arg(long, value_name = "NAME", global = true)]
    pub provider: Option<String>,

    /// The model's name
    #[arg(long, value_name = "NAME", global = true)]
    pub model: Option<String>,

    /// Address of the provider
    #[arg(long, value_name = "URL", global = true)]
    pub base_url: Option<String>,

    /// Play the replies of a file instead of asking a model
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,

    /// What may run without asking: default, accept-edits, plan, bypass
    #[arg(long, value_name = "MODE", value_parser = mode)]
    pub permission_mode: Option<Mode>,

    /// Let calls like this run without asking, for example 'Bash(cargo test:*)'. May be repeated
    #[arg(long, value_name = "RULE")]
    pub allow: Vec<String>,

    /// Never let calls like this run, in no mode. May be repeated
    #[arg(long, value_name = "RULE")]
    pub deny: Vec<String>,

    /// Requests of the main agent per turn at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_turns: Option<u32>,

    /// Tokens of the whole tree of agents at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub budget_tokens: Option<u64>,

    /// US dollars of the whole tree at most
    #[arg(long, value_name = "X", value_parser = positive)]
    pub budget_usd: Option<f64>,

    /// Seconds of work of the whole tree at most
    #[arg(long, value_name = "S", value_parser = positive)]
    pub budget_seconds: Option<f64>,

    /// Trust this folder's settings, hooks, servers and agent types for this run
    #[arg(long, global = true)]
    pub trust: bool,

    /// Go on with the last session of this folder
    #[arg(short, long = "continue", conflicts_with = "resume")]
    pub continue_last: bool,

    /// Go on with a session, by its id or the beginning of it; without one, the latest of this folder
    #[arg(short, long, value_name = "ID", num_args = 0..=1)]
    #[allow(clippy::option_option)]
    pub resume: Option<Option<String>>,

    /// Work in this folder
    #[arg(short = 'C', long, value_name = "DIR", global = true)]
    pub cwd: Option<PathBuf>,

    /// Take the Agent tool away
    #[arg(long)]
    pub no_subagents: bool,

    /// Do not wait for background tasks at the end of a run without a screen
    #[arg(long)]
    pub no_wait: bool,

    /// Write a trace of agents, requests and tools to this file
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,

    /// Another configuration file in place of the user's
    #[arg(long, value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,

    /// What to do instead of a conversation.
    #[command(subcommand)]
    pub command: Option<Command>,
}

const AFTER: &str = "\
Exit codes of -p: 0 done, 1 failed, 2 wrong use, 3 limit or partial, 4 permission denied, 130 interrupted.
Configuration: $XDG_CONFIG_HOME/tui-agent/config.toml and .tui-agent/config.toml of a trusted project.";

/// What to do instead of a conversation.
#[derive(Clone, PartialEq, Eq, Debug, Subcommand)]
pub enum Command {
    /// List the sessions of this folder
    Sessions,
    /// List the agent types and where they come from
    Agents,
    /// Check provider, sandbox, terminal and files
    Doctor,
    /// Show the resolved configuration and every key
    Config,
    /// Trust a folder's settings, hooks, servers and agent types for good
    Trust {
        /// The folder; this one by default
        dir: Option<PathBuf>,
    },
    /// Print completions for a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

/// How a run without a screen prints.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum OutputFormat {
    /// The answer alone
    #[default]
    Text,
    /// One object at the end
    Json,
    /// Every event as a line, the object last
    StreamJson,
}

impl Cli {
    /// Whether to run without a screen.
    #[must_use]
    pub fn is_print(&self) -> bool {
        self.print.is_some()
    }

    /// The first message, wherever it stood; none means that `-p` reads standard input.
    #[must_use]
    pub fn first_message(&self) -> Option<&str> {
        self.print.as_ref().and_then(Option::as_deref).or(self.prompt.as_deref())
    }
}

fn mode(text: &str) -> Result<Mode, String> {
    Mode::from_name(text).ok_or_else(|| "expected default, accept-edits, plan or bypass".into())
}

fn positive(text: &str) -> Result<f64, String> {
    text.parse::<f64>().ok().filter(|f| f.is_finite() && *f > 0.0).ok_or_else(|| "expected a number above 0".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parse(args: &[&str]) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(std::iter::once("tui-agent").chain(args.iter().copied()))
    }

    #[test]
    fn the_definition_is_sound_and_the_help_names_everything() {
        Cli::command().debug_assert();
        let help = Cli::command().render_long_help().to_string();
        for word in [
            "--print",
            "--output-format",
            "--script",
            "--permission-mode",
            "--budget-seconds",
            "--trust",
            "--continue",
            "--resume",
            "--no-subagents",
            "completions",
        ] {
            assert!(help.contains(word), "{word}");
        }
    }

    #[test]
    fn prompts_and_commands_do_not_collide() {
        assert_eq!(parse(&["sessions"]).unwrap().command, Some(Command::Sessions));
        for (args, text) in [
            (&["sessions are broken"][..], "sessions are broken"),
            (&["--", "sessions"], "sessions"),
            (&["-p", "doctor"], "doctor"),
            (&["-p", "--output-format", "json", "say it"], "say it"),
            (&["--print", "a b", "--allow", "Bash(x)", "--allow", "Read"], "a b"),
            (&["-p", "x", "--resume", "0123"], "x"),
        ] {
            let cli = parse(args).unwrap();
            assert_eq!((cli.first_message(), &cli.command), (Some(text), &None), "{args:?}");
        }
        let bare = parse(&["-p"]).unwrap();
        assert_eq!((bare.is_print(), bare.first_message()), (true, None));
        assert_eq!(parse(&["trust", "/x", "-C", "/y"]).unwrap().cwd, Some(PathBuf::from("/y")));
        assert_eq!(parse(&["-r"]).unwrap().resume, Some(None));
    }

    #[test]
    fn wrong_use_is_exit_code_2() {
        for args in [
            &["--permission-mode", "yolo"][..],
            &["--max-turns", "0"],
            &["--budget-usd", "nan"],
            &["-c", "-r"],
            &["--nope"],
            &["-p", "x", "--output-format", "xml"],
            &["completions"],
        ] {
            assert_eq!(parse(args).unwrap_err().exit_code(), 2, "{args:?}");
        }
    }
}
