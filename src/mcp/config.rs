//! Which servers there are: a project's `.mcp.json` and the user's `mcp.json`, in the format that people have.
//!
//! Must not: read a project's file before the folder is trusted, start anything, or fail: what is wrong becomes a warning
//! that names the file and the server.

use super::expand::expand;
use crate::config::Paths;
use crate::util::fs::read_regular;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bytes of a file, at most.
const MAX_FILE: u64 = 1024 * 1024;
/// Servers, at most.
const MAX_SERVERS: usize = 64;
/// Milliseconds of a call, at most.
const MAX_TIMEOUT: u64 = 24 * 60 * 60 * 1000;

/// A server as it is configured.
#[derive(Clone, PartialEq, Eq)]
pub struct Server {
    /// Its name in the configuration.
    pub name: String,
    /// How it is reached.
    pub endpoint: Endpoint,
    /// How long a call may take, when the configuration says so (`timeout`, in milliseconds).
    pub timeout: Option<Duration>,
}

/// How a server is reached.
#[derive(Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// A child process that speaks on its standard input and output.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Set in its environment; may hold secrets.
        env: Vec<(String, String)>,
        /// Its working directory.
        cwd: PathBuf,
    },
    /// Streamable HTTP.
    Http {
        /// The address; its query may hold secrets.
        url: String,
        /// Sent with each request; may hold secrets.
        headers: Vec<(String, String)>,
    },
}

impl Server {
    /// What is run or connected to, for the person: without values of variables, headers, and the address's query.
    #[must_use]
    pub fn shown(&self) -> String {
        match &self.endpoint {
            Endpoint::Stdio { command, args, .. } => std::iter::once(command).chain(args).cloned().collect::<Vec<_>>().join(" "),
            Endpoint::Http { url, .. } => url.split(['?', '#']).next().unwrap_or_default().to_owned(),
        }
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("name", &self.name).field("runs", &self.shown()).finish_non_exhaustive()
    }
}

/// All servers, sorted by name; a project's server replaces the user's of the same name. `env` looks up a variable of the
/// environment. Beside them the warnings.
#[must_use]
pub fn load(paths: &Paths, project: &Path, trusted: bool, env: &dyn Fn(&str) -> Option<String>) -> (Vec<Server>, Vec<String>) {
    let mut warnings = Vec::new();
    let mut found = BTreeMap::new();
    let mut files = vec![(paths.config.join("mcp.json"), "mcp.json")];
    if trusted {
        files.push((project.join(".mcp.json"), ".mcp.json"));
    }
    for (path, shown) in files {
        let mut reader = Reader { shown, project, home: &paths.home, env, warnings: &mut warnings };
        for (name, server) in reader.file(&path) {
            // A server that is switched off in the project is off, wherever else it stands.
            found.insert(name, server);
        }
    }
    let mut servers: Vec<Server> = found.into_values().flatten().collect();
    if servers.len() > MAX_SERVERS {
        warnings.push(format!("MCP: {} servers are configured; only the first {MAX_SERVERS} by name are used", servers.len()));
        servers.truncate(MAX_SERVERS);
    }
    (servers, warnings)
}

/// What is needed while a file is read.
struct Reader<'a> {
    shown: &'a str,
    project: &'a Path,
    home: &'a Path,
    env: &'a dyn Fn(&str) -> Option<String>,
    warnings: &'a mut Vec<String>,
}

impl Reader<'_> {
    /// The servers of a file; none in the place of one that is switched off.
    fn file(&mut self, path: &Path) -> Vec<(String, Option<Server>)> {
        let text = match read_regular(path, MAX_FILE) {
            Ok(text) => text,
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Vec::new(),
            Err(e) => return self.fault(&format!("cannot be read: {e}")),
        };
        let json: Value = match serde_json::from_str(&text) {
            Ok(json) => json,
            Err(e) => return self.fault(&format!("not valid JSON: {e}")),
        };
        // The same two names that the question about trust shows.
        let Some(servers) = json.get("mcpServers").or_else(|| json.get("servers")) else { return Vec::new() };
        let Some(servers) = servers.as_object() else { return self.fault("mcpServers is not an object") };
        let mut out = Vec::new();
        for (name, entry) in servers {
            match self.server(name, entry) {
                Ok(server) => out.push((name.clone(), server)),
                Err(why) => self.warnings.push(format!("{}: MCP server {name:?}: {why}; it is not started", self.shown)),
            }
        }
        out
    }

    fn fault(&mut self, why: &str) -> Vec<(String, Option<Server>)> {
        self.warnings.push(format!("{}: {why}; its MCP servers are not started", self.shown));
        Vec::new()
    }

    fn server(&self, name: &str, entry: &Value) -> Result<Option<Server>, String> {
        let entry = entry.as_object().ok_or("not an object")?;
        if name.trim().is_empty() {
            return Err("the name is empty".into());
        }
        if entry.get("disabled") == Some(&Value::Bool(true)) {
            return Ok(None);
        }
        let has = |key: &str| entry.get(key).is_some_and(|v| !v.is_null());
        let endpoint = match entry.get("type").and_then(Value::as_str) {
            Some("stdio") => self.stdio(entry)?,
            Some("http" | "streamable-http" | "streamable_http" | "streamableHttp" | "sse") => self.http(entry)?,
            Some(other) => return Err(format!("unknown type {other:?} (stdio, http)")),
            None if has("command") => self.stdio(entry)?,
            None if has("url") => self.http(entry)?,
            None => return Err("neither command nor url".into()),
        };
        let timeout = match entry.get("timeout") {
            None | Some(Value::Null) => None,
            Some(value) => {
                let ms = value.as_u64().filter(|ms| (1..=MAX_TIMEOUT).contains(ms)).ok_or("timeout is not a number of milliseconds")?;
                Some(Duration::from_millis(ms))
            }
        };
        Ok(Some(Server { name: name.to_owned(), endpoint, timeout }))
    }

    fn stdio(&self, entry: &Map<String, Value>) -> Result<Endpoint, String> {
        let cwd = match entry.get("cwd") {
            None | Some(Value::Null) => self.project.to_path_buf(),
            Some(value) => self.project.join(self.at_home(&self.text(value, "cwd")?)),
        };
        let command = self.at_home(&self.text(entry.get("command").unwrap_or(&Value::Null), "command")?);
        if command.is_empty() {
            return Err("command is empty".into());
        }
        // Which folder a relative program is searched in depends on the system; here it is always `cwd`.
        let relative = Path::new(&command).is_relative() && Path::new(&command).components().count() > 1;
        let command = if relative { cwd.join(&command).to_string_lossy().into_owned() } else { command };
        let args = match entry.get("args") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(args)) => args.iter().map(|a| self.text(a, "args")).collect::<Result<_, _>>()?,
            Some(_) => return Err("args is not an array".into()),
        };
        Ok(Endpoint::Stdio { command, args, env: self.pairs(entry, "env")?, cwd })
    }

    fn http(&self, entry: &Map<String, Value>) -> Result<Endpoint, String> {
        let url = self.text(entry.get("url").unwrap_or(&Value::Null), "url")?;
        let parsed = reqwest::Url::parse(&url).map_err(|e| format!("url: {e}"))?;
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(format!("url: the scheme {:?} is not http or https", parsed.scheme()));
        }
        Ok(Endpoint::Http { url, headers: self.pairs(entry, "headers")? })
    }

    fn pairs(&self, entry: &Map<String, Value>, key: &str) -> Result<Vec<(String, String)>, String> {
        match entry.get(key) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Object(map)) => map.iter().map(|(name, value)| Ok((name.clone(), self.text(value, key)?))).collect(),
            Some(_) => Err(format!("{key} is not an object")),
        }
    }

    /// A text with its variables replaced; numbers and booleans count as texts.
    fn text(&self, value: &Value, key: &str) -> Result<String, String> {
        let raw = match value {
            Value::String(text) => text.clone(),
            Value::Bool(_) | Value::Number(_) => value.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => return Err(format!("{key} is not a text")),
        };
        expand(&raw, self.env).map_err(|name| format!("{key}: the variable {name} is not set"))
    }

    fn at_home(&self, path: &str) -> String {
        match path.strip_prefix("~/") {
            Some(rest) => self.home.join(rest).to_string_lossy().into_owned(),
            None => path.to_owned(),
        }
    }
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
