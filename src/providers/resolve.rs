//! Which provider and model (SPEC P2): flags and configuration, then the environment, then a server of this machine,
//! then `offline`.
//!
//! Must not: read the environment by itself (the edge hands it in), connect to anything but loopback, show a key.

mod probe;
#[cfg(test)]
mod tests;

pub use probe::{LOCAL_SERVERS, LocalServer};

use super::anthropic::{self, Anthropic, Auth};
use super::http::is_local;
use super::openai::{self, OpenAi};
use super::{ErrorKind, Provider, ProviderError};
use crate::config::Config;
use crate::config::schema::OwnProvider;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The model of `anthropic` when none is named.
pub const ANTHROPIC_MODEL: &str = "claude-opus-5-5";
/// The model of `openai` when none is named: the newest that takes tools over Chat Completions.
pub const OPENAI_MODEL: &str = "gpt-6-sol";

const ANTHROPIC_URL: &str = "https://api.anthropic.com";
const OPENAI_URL: &str = "https://api.openai.com/v1";

/// A lookup in the environment; an empty value counts as none.
pub type Env<'a> = &'a (dyn Fn(&str) -> Option<String> + Sync);

/// A key. Its debug form does not show it; it has no display form.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keep a key, without white space around it.
    #[must_use]
    pub fn new(value: &str) -> Self {
        Self(value.trim().to_owned())
    }

    /// The key itself, for a header and nothing else.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Which implementation serves a provider.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The Messages API.
    Anthropic,
    /// Chat Completions.
    OpenAi,
    /// A script file.
    Script,
    /// The embedded explorer.
    Offline,
}

/// The decision.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resolution {
    /// The name shown to the person: a built-in or own name, or that of a local server (`ollama`).
    pub provider: String,
    /// Who serves it.
    pub kind: Kind,
    /// Empty for `script` and `offline`.
    pub base_url: String,
    /// The model's name.
    pub model: String,
    /// The key, when there is one.
    pub key: Option<Secret>,
    /// The key is sent as `authorization: Bearer` where `x-api-key` is usual.
    pub bearer: bool,
    /// The variable that should hold the key; empty when none is needed.
    pub key_env: String,
    /// More headers.
    pub headers: BTreeMap<String, String>,
    /// One line for the person: how it was chosen, what is missing.
    pub why: String,
}

/// What flags, configuration and environment decide; `None` when they say nothing. Connects to nothing.
///
/// # Errors
/// When a provider was named that does not exist or has no key where one is needed; the hint says what to set.
pub fn choose(config: &Config, env: Env<'_>) -> Result<Option<Resolution>, ProviderError> {
    let env = |name: &str| env(name).filter(|v| !v.trim().is_empty());
    if let Some(name) = config.provider.as_deref() {
        return named(name, config, &env).map(Some);
    }
    if let Some(base) = config.base_url.as_deref() {
        let name = if base.contains("anthropic") || base.trim_end_matches('/').ends_with("/messages") { "anthropic" } else { "openai" };
        return named(name, config, &env).map(|r| Some(because(r, "the address was given without a provider")));
    }
    let model = config.model.clone().or_else(|| env("TUI_AGENT_MODEL"));
    let has = |name: &str| env(name).is_some();
    let local = |name: &str| env(name).is_some_and(|u| local_url(&u));
    let anthropic = has("ANTHROPIC_API_KEY") || has("ANTHROPIC_AUTH_TOKEN") || local("ANTHROPIC_BASE_URL");
    let openai = has("OPENAI_API_KEY") || local("OPENAI_BASE_URL");
    let wants_openai = model.as_deref().is_some_and(|m| !m.starts_with("claude"));
    let names_claude = model.as_deref().is_some_and(|m| m.starts_with("claude"));
    if let Some((name, _)) = config.providers.iter().find(|(_, p)| model.as_ref().is_some_and(|m| p.models.contains(m))) {
        return named(name, config, &env).map(|r| Some(because(r, "it lists the model")));
    }
    let by_env = match (anthropic, openai) {
        (true, true) if wants_openai => Some("openai"),
        (true, _) => Some("anthropic"),
        (false, true) => Some("openai"),
        (false, false) => None,
    };
    if let Some(name) = by_env {
        return named(name, config, &env).map(Some);
    }
    let usable = |p: &OwnProvider| local_url(&p.base_url) || p.api_key_env.as_deref().is_none_or(has);
    if let Some((name, _)) = config.providers.iter().find(|(_, p)| usable(p)) {
        return named(name, config, &env).map(|r| Some(because(r, "it is in the configuration")));
    }
    if names_claude {
        // Asked for by name: to fall back to another model in silence would be wrong.
        return named("anthropic", config, &env).map(Some);
    }
    Ok(None)
}

/// [`choose`], else a server of this machine, else `offline`.
///
/// # Errors
/// As [`choose`].
pub async fn resolve(config: &Config, env: Env<'_>, servers: &[LocalServer]) -> Result<Resolution, ProviderError> {
    if let Some(found) = choose(config, env)? {
        return Ok(found);
    }
    let wanted = config.model.clone().or_else(|| env("TUI_AGENT_MODEL").filter(|v| !v.trim().is_empty()));
    Ok(match probe::find(servers, wanted.as_deref()).await {
        Some(found) => Resolution {
            why: format!("found {} on this machine ({}), no key is set", found.name, found.base_url),
            provider: found.name,
            kind: Kind::OpenAi,
            base_url: found.base_url,
            model: found.model,
            key: None,
            bearer: false,
            key_env: String::new(),
            headers: BTreeMap::new(),
        },
        None => without_network("offline", Kind::Offline, "no key and no local server found: set ANTHROPIC_API_KEY or OPENAI_API_KEY, or start Ollama"),
    })
}

/// The provider of a decision; `None` for `script` and `offline`, which are built elsewhere.
///
/// # Errors
/// When the address, a header or the key cannot be used.
pub fn build(resolution: &Resolution, idle: Duration) -> Result<Option<Arc<dyn Provider>>, ProviderError> {
    let r = resolution;
    let key = r.key.as_ref().map(Secret::expose);
    let (name, base_url, key_env, headers) = (r.provider.as_str(), r.base_url.as_str(), r.key_env.as_str(), &r.headers);
    Ok(match r.kind {
        Kind::Anthropic => {
            let auth = if r.bearer { Auth::Bearer } else { Auth::ApiKey };
            Some(Arc::new(Anthropic::new(&anthropic::Settings { name, base_url, key: key.map(|k| (auth, k)), key_env, headers, idle })?))
        }
        Kind::OpenAi => Some(Arc::new(OpenAi::new(&openai::Settings { name, base_url, key, key_env, headers, idle })?)),
        Kind::Script | Kind::Offline => None,
    })
}

/// Names of the variables that hold keys, to be hidden from commands (SPEC T4). Sorted, each once.
#[must_use]
pub fn secret_env_names(config: &Config) -> Vec<String> {
    let mut names: Vec<String> = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY"].map(str::to_owned).to_vec();
    names.extend(config.providers.values().filter_map(|p| p.api_key_env.clone()));
    names.sort();
    names.dedup();
    names
}

fn local_url(url: &str) -> bool {
    reqwest::Url::parse(url).is_ok_and(|u| is_local(&u))
}

fn because(r: Resolution, more: &str) -> Resolution {
    Resolution { why: format!("{}; {more}", r.why), ..r }
}

fn without_network(name: &str, kind: Kind, why: &str) -> Resolution {
    Resolution {
        provider: name.to_owned(),
        kind,
        base_url: String::new(),
        model: name.to_owned(),
        key: None,
        bearer: false,
        key_env: String::new(),
        headers: BTreeMap::new(),
        why: why.to_owned(),
    }
}

fn named(name: &str, config: &Config, env: &dyn Fn(&str) -> Option<String>) -> Result<Resolution, ProviderError> {
    // An own provider may take a built-in name, to change its address.
    if let Some(own) = config.providers.get(name) {
        return own_provider(name, own, config, env);
    }
    match name {
        "anthropic" => {
            let (key, bearer) = env("ANTHROPIC_API_KEY").map_or_else(|| (env("ANTHROPIC_AUTH_TOKEN"), true), |k| (Some(k), false));
            let base = config.base_url.clone().or_else(|| env("ANTHROPIC_BASE_URL")).unwrap_or_else(|| ANTHROPIC_URL.to_owned());
            let bearer = bearer && key.is_some();
            let from = if bearer { "ANTHROPIC_AUTH_TOKEN" } else { "ANTHROPIC_API_KEY" };
            network(
                Draft { name, kind: Kind::Anthropic, base, key, bearer, key_env: from, default: Some(ANTHROPIC_MODEL), headers: BTreeMap::new() },
                config,
                env,
            )
        }
        "openai" => {
            let base = config.base_url.clone().or_else(|| env("OPENAI_BASE_URL")).unwrap_or_else(|| OPENAI_URL.to_owned());
            // The default model exists only at OpenAI itself; another server must be told which one.
            let default = Some(OPENAI_MODEL).filter(|_| base.contains("openai.com"));
            let key = env("OPENAI_API_KEY");
            network(Draft { name, kind: Kind::OpenAi, base, key, bearer: true, key_env: "OPENAI_API_KEY", default, headers: BTreeMap::new() }, config, env)
        }
        "script" => Ok(without_network("script", Kind::Script, "a script was given")),
        "offline" => Ok(without_network("offline", Kind::Offline, "chosen by name")),
        _ => {
            let own: Vec<&str> = config.providers.keys().map(String::as_str).collect();
            let known = ["anthropic", "openai", "script", "offline"].into_iter().chain(own).collect::<Vec<_>>().join(", ");
            Err(refusal(
                ErrorKind::InvalidRequest,
                format!("there is no provider {name:?}"),
                format!("known are {known}; own ones stand under [providers.NAME] in the configuration"),
            ))
        }
    }
}

fn own_provider(name: &str, own: &OwnProvider, config: &Config, env: &dyn Fn(&str) -> Option<String>) -> Result<Resolution, ProviderError> {
    let (kind, usual, url) = match own.kind.as_str() {
        "anthropic" => (Kind::Anthropic, "ANTHROPIC_API_KEY", ANTHROPIC_URL),
        "openai" | "" => (Kind::OpenAi, "OPENAI_API_KEY", OPENAI_URL),
        other => {
            let hint = format!("set kind = \"anthropic\" or \"openai\" under [providers.{name}]");
            return Err(refusal(ErrorKind::InvalidRequest, format!("provider {name:?} has the unknown kind {other:?}"), hint));
        }
    };
    let base = config.base_url.clone().unwrap_or_else(|| if own.base_url.is_empty() { url.to_owned() } else { own.base_url.clone() });
    // Without `api_key_env` no key is sent, except to the vendor itself: a key must not go to a foreign server by default.
    let key_env = own.api_key_env.as_deref().unwrap_or(if base == url { usual } else { "" });
    let key = if key_env.is_empty() { None } else { env(key_env) };
    let default = own.models.first().map(String::as_str);
    network(Draft { name, kind, base, key, bearer: false, key_env, default, headers: own.headers.clone() }, config, env)
}

struct Draft<'a> {
    name: &'a str,
    kind: Kind,
    base: String,
    key: Option<String>,
    bearer: bool,
    key_env: &'a str,
    default: Option<&'a str>,
    headers: BTreeMap<String, String>,
}

fn network(d: Draft<'_>, config: &Config, env: &dyn Fn(&str) -> Option<String>) -> Result<Resolution, ProviderError> {
    let name = d.name;
    if d.key.is_none() && !d.key_env.is_empty() && !local_url(&d.base) {
        let hint = format!("set {}, or choose another one with --provider", d.key_env);
        return Err(refusal(ErrorKind::Authentication, format!("the provider {name} needs a key, and {} is not set", d.key_env), hint));
    }
    let asked = config.model.clone().or_else(|| env("TUI_AGENT_MODEL"));
    let model = asked.or_else(|| d.default.map(str::to_owned));
    let model = model.ok_or_else(|| {
        refusal(ErrorKind::NotFound, format!("no model is set for the provider {name}"), "name one with --model or TUI_AGENT_MODEL".to_owned())
    })?;
    let key = d.key.as_deref().map(Secret::new);
    let why = if key.is_some() { format!("{name} with the key of {}", d.key_env) } else { format!("{name} without a key") };
    Ok(Resolution {
        provider: name.to_owned(),
        kind: d.kind,
        base_url: d.base,
        model,
        key,
        bearer: d.bearer,
        key_env: d.key_env.to_owned(),
        headers: d.headers,
        why,
    })
}

fn refusal(kind: ErrorKind, message: String, hint: String) -> ProviderError {
    ProviderError { kind, message, hint, retry_after: None }
}
