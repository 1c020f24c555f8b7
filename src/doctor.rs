//! The subcommands that print and end: `sessions`, `agents`, `doctor`, `config`, `trust` (SPEC O3, R7).
//!
//! Must not: start a session, write to the project, or show a key.

use crate::app::{Edge, tilde};
use crate::cli::Command;
use crate::engine::library::Library;
use crate::extend::trust::Status;
use crate::providers::resolve;
use crate::session::index;
use crate::util::fs::create_private_dir;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write};

/// Run a subcommand; returns the exit code.
///
/// # Errors
/// Standard output cannot be written, or a folder cannot be used.
pub fn run(edge: &Edge, command: &Command, env: &(dyn Fn(&str) -> Option<String> + Sync)) -> anyhow::Result<u8> {
    let (text, code) = match command {
        Command::Sessions => (sessions(edge), 0),
        Command::Agents => (agents(edge), 0),
        Command::Doctor => doctor(edge, env),
        Command::Config => (config(edge), 0),
        Command::Trust { dir } => trust(edge, dir.as_deref())?,
        Command::Completions { .. } => (String::new(), 0),
    };
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", text.trim_end())?;
    Ok(code)
}

fn sessions(edge: &Edge) -> String {
    let entries = index::list(&edge.paths.project_dir(&edge.workspace));
    if entries.is_empty() { format!("No sessions of {} yet.", edge.workspace.display()) } else { index::listing(&entries) }
}

fn trusted(edge: &Edge) -> bool {
    edge.cli.trust || matches!(Library::trust_state(&edge.paths, &edge.workspace), Status::Nothing | Status::Trusted)
}

fn agents(edge: &Edge) -> String {
    let mut library = Library::new();
    let trusted = trusted(edge);
    let config = edge.config(trusted);
    let warnings = library.load(&config, &edge.paths, &edge.workspace, trusted);
    let mut text = library.types_text();
    for warning in warnings {
        let _ = write!(text, "\nwarning: {warning}");
    }
    if !trusted {
        text.push_str("\nThis folder is not trusted: its own types are not listed (tui-agent trust).");
    }
    text
}

fn config(edge: &Edge) -> String {
    let trusted = trusted(edge);
    let config = edge.config(trusted);
    let mut text = format!("# {}\n", edge.paths.config_file().display());
    text.push_str(&crate::config::table::docs());
    for warning in &config.warnings {
        let _ = write!(text, "\n# warning: {warning}");
    }
    text
}

fn trust(edge: &Edge, dir: Option<&std::path::Path>) -> anyhow::Result<(String, u8)> {
    let folder = match dir {
        Some(dir) => dir.canonicalize().map_err(|e| anyhow::anyhow!("{}: {e}", dir.display()))?,
        None => edge.workspace.clone(),
    };
    let items: Vec<String> = match Library::trust_state(&edge.paths, &folder) {
        Status::Nothing => return Ok((format!("{} has nothing that needs trust.", folder.display()), 0)),
        Status::Trusted => return Ok((format!("{} is trusted already.", folder.display()), 0)),
        Status::Declined(items) | Status::Unknown(items) => items.iter().map(ToString::to_string).collect(),
    };
    Library::keep_trust(&edge.paths, &folder, true).map_err(|e| anyhow::anyhow!("the answer could not be kept: {e}"))?;
    Ok((format!("Trusted {} as it is now:\n  {}", folder.display(), items.join("\n  ")), 0))
}

/// One line per finding: `ok`, `note` or `FAIL`, what was found, what to do.
fn doctor(edge: &Edge, env: &(dyn Fn(&str) -> Option<String> + Sync)) -> (String, u8) {
    let mut lines = vec![format!("tui-agent {}", env!("CARGO_PKG_VERSION"))];
    let mut bad = false;
    let trusted = trusted(edge);
    let config = edge.config(trusted);
    lines.push(format!("ok    folder: {}", tilde(&edge.workspace, &edge.paths.home)));
    for warning in &config.warnings {
        lines.push(format!("note  configuration: {warning}"));
    }
    if config.warnings.is_empty() {
        lines.push(format!("ok    configuration: {}", tilde(&edge.paths.config_file(), &edge.paths.home)));
    }
    match resolve::choose(&config, env) {
        Ok(Some(r)) => {
            let key = if r.key.is_some() {
                "key found"
            } else if r.key_env.is_empty() {
                "no key needed"
            } else {
                "no key"
            };
            lines.push(format!("ok    provider: {} · model {} · {} · {key}", r.provider, r.model, if r.base_url.is_empty() { "embedded" } else { &r.base_url }));
        }
        Ok(None) => lines.push("note  provider: none configured; a local server is looked for at the start, else the embedded offline explorer answers. Set ANTHROPIC_API_KEY or OPENAI_API_KEY, or see [providers]".into()),
        Err(e) => {
            bad = true;
            lines.push(format!("FAIL  provider: {} ({})", e.message, e.hint));
        }
    }
    match create_private_dir(&edge.paths.state) {
        Ok(()) => lines.push(format!("ok    sessions are saved in {}", tilde(&edge.paths.state, &edge.paths.home))),
        Err(e) => {
            bad = true;
            lines.push(format!("FAIL  sessions cannot be saved in {}: {e}; mend its rights, or set TUI_AGENT_HOME", edge.paths.state.display()));
        }
    }
    lines.push(
        "note  sandbox: no operating-system layer (Landlock, namespaces, seccomp) is active; read-only agents are held by the command allow-list alone".into(),
    );
    lines.push(if trusted {
        "ok    trust: this folder's own settings and agent types count".into()
    } else {
        "note  trust: this folder's own settings and agent types are not used (tui-agent trust)".to_owned()
    });
    let terminal = std::io::stdout().is_terminal();
    lines.push(format!(
        "{}  terminal: {}, TERM={}",
        if terminal { "ok  " } else { "note" },
        if terminal { "yes" } else { "standard output is none" },
        env("TERM").unwrap_or_else(|| "unset".into())
    ));
    for program in ["bash", "git"] {
        let found = env("PATH").is_some_and(|p| std::env::split_paths(&p).any(|d| d.join(program).is_file()));
        lines.push(format!("{}  {program}: {}", if found { "ok  " } else { "note" }, if found { "found" } else { "not found; commands need it" }));
    }
    (lines.join("\n"), u8::from(bad))
}
