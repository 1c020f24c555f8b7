//! A project and a home of its own for each test, and headless runs of the built binary in it.

use super::server::Server;
use super::{LIMIT, until};
use serde_json::Value;
use std::cell::Cell;
use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// The binary under test.
pub const BINARY: &str = env!("CARGO_BIN_EXE_tui-agent");

/// A temporary project with a home, settings and state beside it.
pub struct World {
    root: tempfile::TempDir,
    runs: Cell<u32>,
}

impl World {
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for dir in ["project", "home", "place", "tmp"] {
            fs::create_dir(root.path().join(dir)).unwrap();
        }
        Self { root, runs: Cell::new(0) }
    }

    /// The project folder.
    pub fn project(&self) -> PathBuf {
        self.root.path().join("project").canonicalize().unwrap()
    }

    /// A path in the project, as text.
    pub fn path(&self, name: &str) -> String {
        self.project().join(name).display().to_string()
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.project().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.project().join(name)).unwrap()
    }

    pub fn exists(&self, name: &str) -> bool {
        self.project().join(name).exists()
    }

    /// The user's configuration.
    pub fn config(&self, text: &str) {
        fs::write(self.root.path().join("place/config.toml"), text).unwrap();
    }

    /// An agent type of the user.
    pub fn agent_type(&self, name: &str, text: &str) {
        let dir = self.root.path().join("place/agents");
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join(format!("{name}.md")), text).unwrap();
    }

    /// Git in the project; its output.
    pub fn git(&self, args: &[&str]) -> String {
        let fixed = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false"];
        let done = Command::new("git").args(fixed).args(args).current_dir(self.project()).env_clear().envs(self.env()).output().unwrap();
        assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    }

    /// Everything that the program sees of the environment.
    pub fn env(&self) -> Vec<(String, String)> {
        let dir = |name: &str| self.root.path().join(name).display().to_string();
        let path = std::env::var("PATH").unwrap_or_else(|_| "/usr/bin:/bin".into());
        [
            ("PATH", path),
            ("HOME", dir("home")),
            ("TUI_AGENT_HOME", dir("place")),
            ("TMPDIR", dir("tmp")),
            ("LANG", "C.UTF-8".into()),
            ("TERM", "xterm-256color".into()),
            ("COLORTERM", "truecolor".into()),
            ("SHELL", "/bin/bash".into()),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("ANTHROPIC_API_KEY", "test".into()),
            // Nothing outside answers: whatever leaves loopback meets a closed port.
            ("http_proxy", "http://127.0.0.1:9".into()),
            ("https_proxy", "http://127.0.0.1:9".into()),
            ("no_proxy", "127.0.0.1,localhost".into()),
        ]
        .map(|(k, v)| (k.to_owned(), v))
        .to_vec()
    }

    /// The file of a session, found by its id.
    pub fn session_file(&self, id: &str) -> PathBuf {
        let projects = self.root.path().join("place/state/projects");
        let found = fs::read_dir(&projects).unwrap().flatten().map(|d| d.path().join(format!("{id}.jsonl"))).find(|p| p.is_file());
        found.unwrap_or_else(|| panic!("no session {id} under {}", projects.display()))
    }

    /// The transcript of a child, as lines.
    pub fn child_lines(&self, session: &str, agent: &str) -> Vec<Value> {
        lines(&self.session_file(session).with_extension("").join(format!("subagents/agent-{agent}.jsonl")))
    }

    /// Start a headless run with JSON lines.
    pub fn start(&self, server: &Server, prompt: &str, args: &[&str]) -> Live {
        let n = self.runs.replace(self.runs.get() + 1);
        let file = |kind: &str| self.root.path().join(format!("run{n}.{kind}"));
        let process = Command::new(BINARY)
            .args(["-p", prompt, "--provider", "anthropic", "--base-url", &server.url, "--model", "scripted-model", "--output-format", "stream-json"])
            .args(args)
            .current_dir(self.project())
            .env_clear()
            .envs(self.env())
            .stdin(Stdio::null())
            .stdout(fs::File::create(file("out")).unwrap())
            .stderr(fs::File::create(file("err")).unwrap())
            .process_group(0)
            .spawn()
            .unwrap();
        Live { process, out: file("out"), err: file("err") }
    }

    /// A headless run to its end.
    pub fn run(&self, server: &Server, prompt: &str, args: &[&str]) -> Run {
        self.start(server, prompt, args).wait()
    }
}

/// The whole lines of a JSONL file.
pub fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    whole.split('\n').filter(|l| !l.is_empty()).map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{e}: {l}"))).collect()
}

/// A headless run that still goes on.
pub struct Live {
    process: Child,
    out: PathBuf,
    err: PathBuf,
}

impl Live {
    /// The events so far.
    pub fn events(&self) -> Vec<Value> {
        lines(&self.out)
    }

    /// Wait for an event.
    pub fn wait_event(&self, what: &str, test: impl Fn(&Value) -> bool) {
        until(what, || self.output(), || self.events().iter().any(&test).then_some(()));
    }

    /// Wait until a child has ended.
    pub fn wait_ended(&self, agent: &str) {
        self.wait_event(&format!("the end of {agent}"), |e| e["kind"] == "agent_finished" && e["agent"] == agent);
    }

    fn output(&self) -> String {
        let tail = |p: &Path| {
            let text = fs::read_to_string(p).unwrap_or_default();
            text.chars().skip(text.chars().count().saturating_sub(4000)).collect::<String>()
        };
        format!("standard error:\n{}\nstandard output:\n{}", tail(&self.err), tail(&self.out))
    }

    /// Send a signal to the program alone, not to what it started.
    pub fn signal(&self, number: i32) {
        let pid = rustix::process::Pid::from_raw(i32::try_from(self.process.id()).unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::from_named_raw(number).unwrap()).unwrap();
    }

    /// The end as `kill -9` makes it.
    pub fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// The end by itself.
    pub fn wait(mut self) -> Run {
        let end = Instant::now() + LIMIT;
        let status = loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < end, "expected the run to end; saw {}", self.output());
            std::thread::sleep(std::time::Duration::from_millis(10));
        };
        let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
        Run { code, events: lines(&self.out), err: fs::read_to_string(&self.err).unwrap_or_default() }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A finished run.
pub struct Run {
    pub code: i32,
    pub events: Vec<Value>,
    pub err: String,
}

impl Run {
    /// The result object.
    pub fn result(&self) -> &Value {
        let last = self.events.last().unwrap_or_else(|| panic!("no output; standard error: {}", self.err));
        assert_eq!(last["type"], "result", "{last}");
        last
    }

    pub fn session(&self) -> String {
        self.result()["session_id"].as_str().unwrap().to_owned()
    }

    /// The facts of a child in the result.
    pub fn agent(&self, id: &str) -> Value {
        let agents = self.result()["agents"].as_array().unwrap();
        agents.iter().find(|a| a["id"] == id).unwrap_or_else(|| panic!("no {id} in {agents:?}")).clone()
    }

    /// (id, ending) of all children.
    pub fn endings(&self) -> Vec<(String, String)> {
        let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
        self.result()["agents"].as_array().unwrap().iter().map(|a| (text(&a["id"]), text(&a["ending"]))).collect()
    }
}
