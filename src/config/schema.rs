//! The resolved configuration: every value has a default, so that the program runs without any file.

use crate::protocol::{Budget, Mode};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Everything that can be configured, resolved from flags over project file over user file over defaults.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// `provider`: a built-in name or one of `providers`.
    pub provider: Option<String>,
    /// `model`.
    pub model: Option<String>,
    /// `base_url` of the chosen provider.
    pub base_url: Option<String>,
    /// `permission_mode`.
    pub mode: Mode,
    /// `max_turns`: requests per turn of the main loop (200).
    pub max_turns: u32,
    /// `compact_at`: part of the usable window where compaction starts (0.8).
    pub compact_at: f64,
    /// `idle_timeout_seconds`: without a real stream event (120).
    pub idle_timeout_s: u64,
    /// `[subagents]`.
    pub subagents: Subagents,
    /// `[budget]` of the whole tree.
    pub budget: Budget,
    /// `[providers.NAME]`.
    pub providers: BTreeMap<String, OwnProvider>,
    /// `[models."NAME"]`: overrides of the built-in table.
    pub models: BTreeMap<String, ModelFacts>,
    /// `[permissions] allow`: user and project rules, and `--allow`.
    pub allow: Vec<String>,
    /// `[permissions] deny`, and `--deny`.
    pub deny: Vec<String>,
    /// `[permissions] ask`.
    pub ask: Vec<String>,
    /// `[ui]`.
    pub ui: UiConfig,
    /// `[keys]`: action name → keys.
    pub keys: BTreeMap<String, Vec<String>>,
    /// What was wrong with the files.
    pub warnings: Vec<Warning>,
}

/// `[subagents]`.
#[derive(Clone, PartialEq, Debug)]
pub struct Subagents {
    /// `enabled`; `--no-subagents` turns it off.
    pub enabled: bool,
    /// `max_depth` (1, up to 5).
    pub max_depth: u32,
    /// `max_turns`: requests per child (30) where neither type nor call says.
    pub max_turns: u32,
    /// `max_parallel`: calls of one reply at the same time (4).
    pub max_parallel: usize,
    /// `max_running`: children at the same time (8).
    pub max_running: usize,
    /// `ask_above`: children in one reply that start without consent (8).
    pub ask_above: usize,
    /// `background_approval`: `queue` or `deny`.
    pub background_approval: BackgroundApproval,
    /// `extra_dirs`: more folders with agent types.
    pub extra_dirs: Vec<PathBuf>,
}

/// What happens to a question of a background child.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum BackgroundApproval {
    /// It is parked in the approval queue.
    Queue,
    /// It is denied.
    Deny,
}

impl Default for Subagents {
    fn default() -> Self {
        Self {
            enabled: true,
            max_depth: 1,
            max_turns: 30,
            max_parallel: 4,
            max_running: 8,
            ask_above: 8,
            background_approval: BackgroundApproval::Queue,
            extra_dirs: Vec::new(),
        }
    }
}

/// `[providers.NAME]`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OwnProvider {
    /// `kind`: `anthropic` or `openai`.
    pub kind: String,
    /// `base_url`.
    pub base_url: String,
    /// `api_key_env`: the variable that holds the key.
    pub api_key_env: Option<String>,
    /// `models`, the first one is the default.
    pub models: Vec<String>,
    /// `headers`.
    pub headers: BTreeMap<String, String>,
}

/// `[models."NAME"]`, and a line of the built-in table. Prices are US dollars per million tokens.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct ModelFacts {
    /// `window` in tokens.
    pub window: Option<u64>,
    /// `output_limit` in tokens.
    pub output_limit: Option<u32>,
    /// `input_price`.
    pub input_price: Option<f64>,
    /// `output_price`.
    pub output_price: Option<f64>,
    /// `cache_read_price`.
    pub cache_read_price: Option<f64>,
    /// `cache_write_price`.
    pub cache_write_price: Option<f64>,
    /// `images`: takes images.
    pub images: Option<bool>,
    /// `reasoning`: takes a reasoning effort.
    pub reasoning: Option<bool>,
}

/// `[ui]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UiConfig {
    /// `theme`: `dark`, `light`, `high-contrast`, `plain`, or a file's name.
    pub theme: String,
    /// `mouse` (on).
    pub mouse: bool,
    /// `notify`: terminal notification (OSC 9 and bell) when a background task ends or a question waits (off).
    pub notify: bool,
    /// `vi` keys in the composer (off).
    pub vi: bool,
}

impl Default for UiConfig {
    fn default() -> Self {
        Self { theme: "dark".into(), mouse: true, notify: false, vi: false }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            provider: None,
            model: None,
            base_url: None,
            mode: Mode::Default,
            max_turns: 200,
            compact_at: 0.8,
            idle_timeout_s: 120,
            subagents: Subagents::default(),
            budget: Budget::default(),
            providers: BTreeMap::new(),
            models: BTreeMap::new(),
            allow: Vec::new(),
            deny: Vec::new(),
            ask: Vec::new(),
            ui: UiConfig::default(),
            keys: BTreeMap::new(),
            warnings: Vec::new(),
        }
    }
}

/// A problem in a file that does not stop the program, always shown to the person.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// The file.
    pub file: PathBuf,
    /// From 1; 0 when unknown.
    pub line: usize,
    /// What is wrong and what was done instead, with the nearest known key if there is one.
    pub message: String,
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.line == 0 {
            write!(f, "{}: {}", self.file.display(), self.message)
        } else {
            write!(f, "{}:{}: {}", self.file.display(), self.line, self.message)
        }
    }
}
