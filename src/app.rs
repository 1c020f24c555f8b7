//! The composition root: the one place that knows engine and interface, reads the environment, and connects the two
//! channels. Everything it builds is handed on as data.

use crate::cli::{Cli, Command};
use crate::config::load::{Files, load};
use crate::config::{Config, Paths};
use crate::engine::handle::{Choose, Chosen};
use crate::engine::{self, SessionChoice, Setup};
use crate::headless::{self, Job, Trace};
use crate::protocol::{Budget, Mode};
use crate::providers::{ErrorKind, ProviderError, offline, resolve, script};
use std::collections::VecDeque;
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Standard input that is read as a prompt at most.
const MAX_STDIN: u64 = 16 * 1024 * 1024;

/// Run the program; returns the exit code.
#[must_use]
pub fn main(cli: Cli) -> u8 {
    match run(cli) {
        Ok(code) => code,
        Err(e) => {
            let _ = writeln!(std::io::stderr(), "error: {e:#}");
            1
        }
    }
}

fn env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// What the command line and the environment say, before anything of the project is read.
pub struct Edge {
    /// The arguments.
    pub cli: Cli,
    /// Places on disk.
    pub paths: Paths,
    /// The project folder, resolved.
    pub workspace: PathBuf,
}

impl Edge {
    fn new(cli: Cli) -> anyhow::Result<Self> {
        let folder = match &cli.cwd {
            Some(dir) => dir.clone(),
            None => std::env::current_dir().map_err(|e| anyhow::anyhow!("the current folder cannot be used: {e}; go to another one, or use -C DIR"))?,
        };
        let workspace = folder.canonicalize().map_err(|e| anyhow::anyhow!("the folder {} cannot be used: {e}; use -C DIR", folder.display()))?;
        std::fs::read_dir(&workspace).map_err(|e| anyhow::anyhow!("the folder {} cannot be read: {e}; mend its rights, or use -C DIR", workspace.display()))?;
        let home = env("HOME").map_or_else(|| PathBuf::from("/"), PathBuf::from);
        let paths = Paths::from_env(&env, &home);
        Ok(Self { cli, paths, workspace })
    }

    /// The configuration: files, then flags.
    #[must_use]
    pub fn config(&self, trusted: bool) -> Config {
        let user = self.cli.config.clone().unwrap_or_else(|| self.paths.config_file());
        let project = self.workspace.join(".tui-agent").join("config.toml");
        let files = Files { user: &user, user_must_exist: self.cli.config.is_some(), project: &project, trusted, home: &self.paths.home };
        let mut config = load(files);
        let cli = &self.cli;
        if cli.provider.is_some() {
            config.provider.clone_from(&cli.provider);
        }
        if cli.model.is_some() {
            config.model.clone_from(&cli.model);
        }
        if cli.base_url.is_some() {
            config.base_url.clone_from(&cli.base_url);
        }
        if let Some(mode) = cli.permission_mode {
            config.mode = mode;
        }
        if let Some(max) = cli.max_turns {
            config.max_turns = max;
        }
        let b = config.budget;
        config.budget = Budget { tokens: cli.budget_tokens.or(b.tokens), cost_usd: cli.budget_usd.or(b.cost_usd), seconds: cli.budget_seconds.or(b.seconds) };
        if cli.no_subagents {
            config.subagents.enabled = false;
        }
        config.allow.extend(cli.allow.iter().cloned());
        config.deny.extend(cli.deny.iter().cloned());
        config
    }
}

fn run(cli: Cli) -> anyhow::Result<u8> {
    if let Some(Command::Completions { shell }) = cli.command {
        let mut command = <Cli as clap::CommandFactory>::command();
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut command, "tui-agent", &mut text);
        // A reader that has seen enough is no error of ours.
        let _ = std::io::stdout().lock().write_all(&text);
        return Ok(0);
    }
    let edge = Edge::new(cli)?;
    if let Some(command) = edge.cli.command.clone() {
        return crate::doctor::run(&edge, &command, &env);
    }
    if let Some(rule) = edge.cli.allow.iter().chain(&edge.cli.deny).find_map(|r| crate::permissions::rules::Rule::parse(r).err().map(|e| format!("{r:?}: {e}")))
    {
        writeln!(std::io::stderr(), "error: a rule of --allow or --deny is not valid: {rule}")?;
        return Ok(2);
    }
    let piped = !std::io::stdin().is_terminal();
    let screen = !edge.cli.is_print() && !piped && std::io::stdout().is_terminal();
    let setup = match setup(edge, screen) {
        Ok(setup) => setup,
        Err(e) => {
            writeln!(std::io::stderr(), "error: {e:#}")?;
            return Ok(1);
        }
    };
    if screen { run_screen(setup) } else { run_headless(setup, piped) }
}

struct Ready {
    setup: Setup,
    edge: Arc<Edge>,
}

fn setup(edge: Edge, interactive: bool) -> anyhow::Result<Ready> {
    let config = edge.config(false);
    let choose = chooser(&edge.cli, &config)?;
    let hidden_env = resolve::secret_env_names(&config);
    let secrets = hidden_env.iter().filter_map(|n| env(n)).collect();
    let session = match (&edge.cli.resume, edge.cli.continue_last) {
        (Some(Some(id)), _) => SessionChoice::Resume(id.clone()),
        (Some(None), _) | (None, true) => SessionChoice::Continue,
        (None, false) => SessionChoice::New,
    };
    let edge = Arc::new(edge);
    let again = Arc::clone(&edge);
    let setup = Setup {
        bypass_allowed: config.mode == Mode::Bypass,
        mode_given: edge.cli.permission_mode.is_some(),
        config,
        reconfigure: Arc::new(move || again.config(true)),
        paths: edge.paths.clone(),
        workspace: edge.workspace.clone(),
        choose,
        hidden_env,
        secrets,
        interactive,
        lookup: env,
        session,
        trust: edge.cli.trust,
        notices: Vec::new(),
    };
    Ok(Ready { setup, edge })
}

/// How a provider is chosen: a script file, or configuration, environment, local servers, `offline`.
fn chooser(cli: &Cli, config: &Config) -> anyhow::Result<Choose> {
    if let Some(path) = &cli.script {
        let script = script::load(path).map_err(|e| anyhow::anyhow!("the script cannot be played: {e}"))?;
        let provider: Arc<dyn crate::providers::Provider> = Arc::new(script::ScriptProvider::new(script));
        let why = format!("Playing the script {}", path.display());
        return Ok(Arc::new(move |_, model| {
            let chosen = Chosen { provider: Arc::clone(&provider), model: model.unwrap_or_else(|| "script".into()), why: why.clone() };
            Box::pin(async move { Ok(chosen) })
        }));
    }
    let config = Arc::new(config.clone());
    Ok(Arc::new(move |provider, model| {
        let mut config = config.as_ref().clone();
        if provider.is_some() {
            if provider != config.provider {
                config.base_url = None;
            }
            config.model = model;
            config.provider = provider;
        } else if model.is_some() {
            config.model = model;
        }
        Box::pin(async move { choose(&config).await })
    }))
}

async fn choose(config: &Config) -> Result<Chosen, ProviderError> {
    let resolution = resolve::resolve(config, &env, &resolve::LOCAL_SERVERS).await?;
    let built = resolve::build(&resolution, Duration::from_secs(config.idle_timeout_s.max(1)))?;
    let provider = match (built, resolution.kind) {
        (Some(provider), _) => provider,
        (None, resolve::Kind::Offline) => Arc::new(offline::Offline),
        (None, _) => {
            let message = "the script provider needs a file".to_owned();
            return Err(ProviderError { kind: ErrorKind::Script, message, hint: "use --script FILE".into(), retry_after: None });
        }
    };
    Ok(Chosen { provider, model: resolution.model, why: resolution.why })
}

fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?)
}

fn read_stdin() -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(MAX_STDIN).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn run_headless(ready: Ready, piped: bool) -> anyhow::Result<u8> {
    let cli = &ready.edge.cli;
    let script = piped && cli.script.is_some() && cli.first_message().is_none();
    let lines: VecDeque<String> = match cli.first_message() {
        Some(text) => VecDeque::from([text.to_owned()]),
        None if piped => {
            let text = read_stdin()?;
            if script { text.lines().map(ToOwned::to_owned).collect() } else { VecDeque::from([text]) }
        }
        None => VecDeque::new(),
    };
    if !script && lines.iter().all(|l| l.trim().is_empty()) {
        writeln!(std::io::stderr(), "error: there is no prompt; give one with -p \"…\" or on standard input, or start in a terminal for the screen")?;
        return Ok(2);
    }
    let trace = match &cli.trace {
        Some(path) => Some(Trace::file(path).map_err(|e| anyhow::anyhow!("the trace file {} cannot be written: {e}", path.display()))?),
        None => env("TRACE").is_some_and(|v| v == "1").then(Trace::stderr),
    };
    let job = Job { lines, script, format: cli.output_format, wait: !cli.no_wait, trace };
    let runtime = runtime()?;
    let code = runtime.block_on(async move {
        let handle = engine::spawn(ready.setup);
        let code = headless::run(job, handle.ops, handle.events).await;
        let _ = handle.task.await;
        code
    })?;
    runtime.shutdown_timeout(Duration::from_millis(100));
    Ok(code)
}

fn run_screen(ready: Ready) -> anyhow::Result<u8> {
    let prompt = ready.edge.cli.prompt.clone();
    let trace = trace_of(&ready.edge)?;
    crate::screen::run(ready.setup, &ready.edge, prompt, trace, env)
}

/// `--trace FILE`, or `TRACE=1`: a file beside the sessions for the screen, standard error without one.
fn trace_of(edge: &Edge) -> anyhow::Result<Option<Trace>> {
    let wanted = env("TRACE").is_some_and(|v| v == "1").then(|| edge.paths.state.join("trace.log"));
    let Some(path) = edge.cli.trace.clone().or(wanted) else { return Ok(None) };
    if let Some(dir) = path.parent() {
        let _ = crate::util::fs::create_private_dir(dir);
    }
    Trace::file(&path).map(Some).map_err(|e| anyhow::anyhow!("the trace file {} cannot be written: {e}", path.display()))
}

/// A folder for reading: `~` for the home.
#[must_use]
pub fn tilde(path: &Path, home: &Path) -> String {
    match path.strip_prefix(home) {
        Ok(rest) if rest.as_os_str().is_empty() => "~".into(),
        Ok(rest) if home.as_os_str().len() > 1 => format!("~/{}", rest.display()),
        _ => path.display().to_string(),
    }
}
