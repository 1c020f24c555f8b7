//! The one table of all keys of `config.toml`: reading, the help text and the README come from it.
//!
//! Must not: read files. A setter says in words what it expects and changes nothing when it fails.

use super::schema::{BackgroundApproval, Config, ModelFacts, OwnProvider};
use crate::protocol::Mode;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::de::DeValue;

/// One key.
#[derive(Copy, Clone)]
pub struct Key {
    /// Dotted; `*` stands for a name that the person chooses.
    pub path: &'static str,
    /// Its type, in words.
    pub kind: &'static str,
    /// The default as it would be written; `–` when there is none.
    pub default: &'static str,
    /// What it does.
    pub meaning: &'static str,
    /// A value that differs from the default, in TOML.
    pub example: &'static str,
    pub(super) set: Set,
}

/// Puts a value into the configuration.
///
/// # Errors
/// What was expected, in words; nothing is changed then.
pub(super) type Set = fn(&mut Config, &At<'_>, &DeValue<'_>) -> Result<(), String>;

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Key").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Where a value stands.
pub(super) struct At<'a> {
    /// What stands for the `*` of the path.
    pub name: &'a str,
    /// The file's folder, for relative paths.
    pub base: &'a Path,
    /// The person's home, for `~/`.
    pub home: &'a Path,
}

const fn key(path: &'static str, kind: &'static str, default: &'static str, example: &'static str, meaning: &'static str, set: Set) -> Key {
    Key { path, kind, default, meaning, example, set }
}

/// All keys, in the order of the documentation.
pub const KEYS: &[Key] = &[
    key("provider", "text", "–", "\"openai\"", "provider: anthropic, openai, offline, or a name of [providers]", |c, _, v| {
        put_some(&mut c.provider, text(v)?)
    }),
    key("model", "text", "–", "\"m\"", "model's name", |c, _, v| put_some(&mut c.model, text(v)?)),
    key("base_url", "text", "–", "\"http://127.0.0.1:1/v1\"", "address of the chosen provider", |c, _, v| put_some(&mut c.base_url, text(v)?)),
    key(
        "permission_mode",
        "default | accept-edits | plan | bypass",
        "\"default\"",
        "\"plan\"",
        "what may run without asking; a project's file can only tighten it",
        |c, _, v| put(&mut c.mode, Mode::from_name(&text(v)?).ok_or("expected default, accept-edits, plan or bypass")?),
    ),
    key("max_turns", "number, from 1", "200", "7", "requests per turn of the main agent", |c, _, v| put(&mut c.max_turns, number(v, 1, u32::MAX)?)),
    key("compact_at", "number, 0.1 to 0.95", "0.8", "0.5", "part of the usable window at which the conversation is summed up", |c, _, v| {
        put(&mut c.compact_at, Some(float(v)?).filter(|f| (0.1..=0.95).contains(f)).ok_or("expected a number from 0.1 to 0.95")?)
    }),
    key("idle_timeout_seconds", "number, from 1", "120", "30", "seconds without a real event after which a stream counts as dead", |c, _, v| {
        put(&mut c.idle_timeout_s, number(v, 1, u64::from(u32::MAX))?)
    }),
    key("subagents.enabled", "true | false", "true", "false", "whether the Agent tool exists", |c, _, v| put(&mut c.subagents.enabled, boolean(v)?)),
    key("subagents.max_depth", "number, 0 to 5", "1", "2", "how deep agents may spawn agents; 1: children, but no grandchildren", |c, _, v| {
        put(&mut c.subagents.max_depth, number(v, 0, 5)?)
    }),
    key("subagents.max_turns", "number, from 1", "30", "4", "requests per child where neither its type nor the call says", |c, _, v| {
        put(&mut c.subagents.max_turns, number(v, 1, u32::MAX)?)
    }),
    key("subagents.max_parallel", "number, 1 to 64", "4", "2", "Agent calls of one reply that run at the same time", |c, _, v| {
        put(&mut c.subagents.max_parallel, number(v, 1, 64)?)
    }),
    key("subagents.max_running", "number, 1 to 64", "8", "2", "children that run at the same time; others wait", |c, _, v| {
        put(&mut c.subagents.max_running, number(v, 1, 64)?)
    }),
    key("subagents.ask_above", "number", "8", "3", "children in one reply that start without consent", |c, _, v| {
        put(&mut c.subagents.ask_above, number(v, 0, 10_000)?)
    }),
    key("subagents.background_approval", "queue | deny", "\"queue\"", "\"deny\"", "what happens to a question of a background child", |c, _, v| {
        put(
            &mut c.subagents.background_approval,
            match text(v)?.as_str() {
                "queue" => BackgroundApproval::Queue,
                "deny" => BackgroundApproval::Deny,
                _ => return Err("expected queue or deny".into()),
            },
        )
    }),
    key("subagents.extra_dirs", "list of paths", "[]", "[\"types\"]", "more folders with agent types (only in the user's file)", |c, at, v| {
        let dirs = list(v)?;
        c.subagents.extra_dirs.extend(dirs.iter().map(|d| match d.strip_prefix("~/") {
            Some(rest) => at.home.join(rest),
            None => at.base.join(PathBuf::from(d)),
        }));
        Ok(())
    }),
    key("budget.tokens", "number", "–", "5000", "tokens of the whole tree of agents; a project's file can only lower it", |c, _, v| {
        put_some(&mut c.budget.tokens, number(v, 1, u64::MAX)?)
    }),
    key("budget.cost_usd", "number", "–", "1.5", "US dollars of the whole tree", |c, _, v| put_some(&mut c.budget.cost_usd, positive(v)?)),
    key("budget.seconds", "number", "–", "60", "seconds of work of the whole tree, without waiting for the person", |c, _, v| {
        put_some(&mut c.budget.seconds, positive(v)?)
    }),
    key("providers.*.kind", "anthropic | openai", "–", "\"openai\"", "which protocol an own provider speaks", |c, at, v| {
        let kind = text(v)?;
        if !matches!(kind.as_str(), "anthropic" | "openai") {
            return Err("expected anthropic or openai".into());
        }
        put(&mut own(c, at).kind, kind)
    }),
    key("providers.*.base_url", "text", "–", "\"http://127.0.0.1:1\"", "its address", |c, at, v| put(&mut own(c, at).base_url, text(v)?)),
    key("providers.*.api_key_env", "text", "–", "\"MY_KEY\"", "the environment variable that holds its key", |c, at, v| {
        put_some(&mut own(c, at).api_key_env, text(v)?)
    }),
    key("providers.*.models", "list of text", "[]", "[\"a\", \"b\"]", "its models; the first one is the default", |c, at, v| {
        put(&mut own(c, at).models, list(v)?)
    }),
    key("providers.*.headers", "table of text", "{}", "{ x-team = \"1\" }", "more headers for its requests; no keys here: use api_key_env", |c, at, v| {
        put(&mut own(c, at).headers, texts(v)?)
    }),
    key("models.*.window", "number", "–", "8192", "context window in tokens", |c, at, v| put_some(&mut facts(c, at).window, number(v, 1, u64::MAX)?)),
    key("models.*.output_limit", "number", "–", "2048", "output tokens per request at most", |c, at, v| {
        put_some(&mut facts(c, at).output_limit, number(v, 1, u32::MAX)?)
    }),
    key("models.*.input_price", "number", "–", "0.5", "US dollars per million input tokens", |c, at, v| put_some(&mut facts(c, at).input_price, price(v)?)),
    key("models.*.output_price", "number", "–", "0.5", "US dollars per million output tokens", |c, at, v| {
        put_some(&mut facts(c, at).output_price, price(v)?)
    }),
    key("models.*.cache_read_price", "number", "–", "0.5", "US dollars per million tokens read from the cache", |c, at, v| {
        put_some(&mut facts(c, at).cache_read_price, price(v)?)
    }),
    key("models.*.cache_write_price", "number", "–", "0.5", "US dollars per million tokens written to the cache", |c, at, v| {
        put_some(&mut facts(c, at).cache_write_price, price(v)?)
    }),
    key("models.*.images", "true | false", "–", "true", "whether it takes images", |c, at, v| put_some(&mut facts(c, at).images, boolean(v)?)),
    key("models.*.reasoning", "true | false", "–", "true", "whether it takes a reasoning effort", |c, at, v| {
        put_some(&mut facts(c, at).reasoning, boolean(v)?)
    }),
    key("permissions.allow", "list of rules", "[]", "[\"Bash(git status:*)\"]", "calls that run without asking", |c, _, v| add(&mut c.allow, list(v)?)),
    key("permissions.deny", "list of rules", "[]", "[\"WebFetch\"]", "calls that never run, in every mode", |c, _, v| add(&mut c.deny, list(v)?)),
    key("permissions.ask", "list of rules", "[]", "[\"Bash(git push:*)\"]", "calls that ask although another rule allows them", |c, _, v| {
        add(&mut c.ask, list(v)?)
    }),
    key("ui.theme", "text", "\"dark\"", "\"light\"", "dark, light, high-contrast, plain, or the name of a file in themes/", |c, _, v| {
        put(&mut c.ui.theme, text(v)?)
    }),
    key("ui.mouse", "true | false", "true", "false", "mouse wheel and selection", |c, _, v| put(&mut c.ui.mouse, boolean(v)?)),
    key("ui.notify", "true | false", "false", "true", "terminal notification when a background task ends or a question waits", |c, _, v| {
        put(&mut c.ui.notify, boolean(v)?)
    }),
    key("ui.vi", "true | false", "false", "true", "vi keys in the composer", |c, _, v| put(&mut c.ui.vi, boolean(v)?)),
    key("keys.*", "text or list of text", "–", "[\"ctrl+x\"]", "keys of an action, in place of its default ones", |c, at, v| {
        let keys = list(v)?;
        c.keys.insert(at.name.to_owned(), keys);
        Ok(())
    }),
];

/// The table for `config --help` and the README: one Markdown row per key.
#[must_use]
pub fn docs() -> String {
    let mut out = String::from("| key | type | default | meaning |\n|---|---|---|---|\n");
    for k in KEYS {
        let line = [k.path.replace('*', "NAME"), k.kind.replace('|', "\\|"), k.default.to_owned(), k.meaning.to_owned()].join(" | ");
        out.push_str("| ");
        out.push_str(&line);
        out.push_str(" |\n");
    }
    out
}

fn own<'c>(c: &'c mut Config, at: &At<'_>) -> &'c mut OwnProvider {
    c.providers.entry(at.name.to_owned()).or_default()
}

fn facts<'c>(c: &'c mut Config, at: &At<'_>) -> &'c mut ModelFacts {
    c.models.entry(at.name.to_owned()).or_default()
}

#[allow(clippy::unnecessary_wraps)] // Every row of the table ends in one of these three.
fn put<T>(slot: &mut T, value: T) -> Result<(), String> {
    *slot = value;
    Ok(())
}

#[allow(clippy::unnecessary_wraps)]
fn put_some<T>(slot: &mut Option<T>, value: T) -> Result<(), String> {
    *slot = Some(value);
    Ok(())
}

#[allow(clippy::unnecessary_wraps)]
fn add(slot: &mut Vec<String>, values: Vec<String>) -> Result<(), String> {
    slot.extend(values);
    Ok(())
}

fn text(v: &DeValue<'_>) -> Result<String, String> {
    v.as_str().map(str::trim).filter(|s| !s.is_empty()).map(str::to_owned).ok_or_else(|| "expected a text in quotes".into())
}

fn boolean(v: &DeValue<'_>) -> Result<bool, String> {
    v.as_bool().ok_or_else(|| "expected true or false".into())
}

fn number<T: TryFrom<u64> + PartialOrd + Copy + std::fmt::Display>(v: &DeValue<'_>, least: T, most: T) -> Result<T, String> {
    let read = v.as_integer().and_then(|i| u64::from_str_radix(i.as_str(), i.radix()).ok()).and_then(|n| T::try_from(n).ok());
    read.filter(|n| (least..=most).contains(n)).ok_or_else(|| format!("expected a whole number from {least} to {most}"))
}

fn float(v: &DeValue<'_>) -> Result<f64, String> {
    let text = v.as_float().map(|f| f.as_str().to_owned()).or_else(|| v.as_integer().filter(|i| i.radix() == 10).map(|i| i.as_str().to_owned()));
    text.and_then(|t| t.parse::<f64>().ok()).filter(|f| f.is_finite()).ok_or_else(|| "expected a number".into())
}

fn positive(v: &DeValue<'_>) -> Result<f64, String> {
    float(v).ok().filter(|f| *f > 0.0).ok_or_else(|| "expected a number above 0".into())
}

fn price(v: &DeValue<'_>) -> Result<f64, String> {
    float(v).ok().filter(|f| *f >= 0.0).ok_or_else(|| "expected a number, 0 or more".into())
}

fn list(v: &DeValue<'_>) -> Result<Vec<String>, String> {
    let wrong = || "expected a list of texts in quotes".to_owned();
    match v.as_array() {
        Some(items) => items.iter().map(|i| text(i.get_ref()).map_err(|_| wrong())).collect(),
        None => text(v).map(|one| vec![one]).map_err(|_| wrong()),
    }
}

fn texts(v: &DeValue<'_>) -> Result<BTreeMap<String, String>, String> {
    let wrong = || "expected a table of texts, such as { name = \"value\" }".to_owned();
    let table = v.as_table().ok_or_else(wrong)?;
    table.iter().map(|(k, v)| v.get_ref().as_str().map(|s| (k.get_ref().to_string(), s.to_owned())).ok_or_else(wrong)).collect()
}
