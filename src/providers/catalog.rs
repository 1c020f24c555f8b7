//! Facts about well-known models: window, output limit, prices, capabilities (SPEC P8, C1). The table is
//! `assets/models.toml`.
//!
//! Must not: fail on an unknown model; every model has a window.

use crate::config::schema::ModelFacts;
use crate::protocol::Usage;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::OnceLock;

#[cfg(test)]
mod tests;

/// The window of a model that nothing is known of, in tokens.
pub const UNKNOWN_WINDOW: u64 = 128_000;
/// The output limit of a model that nothing is known of, in tokens.
pub const UNKNOWN_OUTPUT: u32 = 8192;

const TABLE: &str = include_str!("../../assets/models.toml");

#[derive(Deserialize)]
struct Table {
    model: Vec<Line>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    name: String,
    window: u64,
    output_limit: u32,
    input_price: Option<f64>,
    output_price: Option<f64>,
    cache_read_price: Option<f64>,
    cache_write_price: Option<f64>,
    images: Option<bool>,
    reasoning: Option<bool>,
    /// Takes `thinking: adaptive` and `output_config.effort` (Messages API).
    #[serde(default)]
    adaptive: bool,
    /// Takes tools over Chat Completions only with `reasoning_effort: none`.
    #[serde(default)]
    tools_without_effort: bool,
}

fn table() -> &'static [Line] {
    static LINES: OnceLock<Vec<Line>> = OnceLock::new();
    // A broken table fails a test; at run time every model would then be unknown.
    LINES.get_or_init(|| toml::from_str::<Table>(TABLE).map(|t| t.model).unwrap_or_default())
}

/// The line of a model: its exact name, else the longest prefix; a `vendor/` in front does not count.
fn line(model: &str) -> Option<&'static Line> {
    let bare = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    // Some gateways write versions with a point: claude-opus-4.5.
    let dashed = if bare.starts_with("claude") { bare.replace('.', "-") } else { bare };
    table().iter().filter(|l| dashed.starts_with(&l.name)).max_by_key(|l| l.name.len())
}

/// What is known of a model; `overrides` come from the configuration, by exact name. Window and output limit are always set.
#[must_use]
pub fn facts(model: &str, overrides: &BTreeMap<String, ModelFacts>) -> ModelFacts {
    let known = line(model);
    let own = overrides.get(model).copied().unwrap_or_default();
    ModelFacts {
        window: own.window.or(known.map(|l| l.window)).or(Some(UNKNOWN_WINDOW)),
        output_limit: own.output_limit.or(known.map(|l| l.output_limit)).or(Some(UNKNOWN_OUTPUT)),
        input_price: own.input_price.or(known.and_then(|l| l.input_price)),
        output_price: own.output_price.or(known.and_then(|l| l.output_price)),
        cache_read_price: own.cache_read_price.or(known.and_then(|l| l.cache_read_price)),
        cache_write_price: own.cache_write_price.or(known.and_then(|l| l.cache_write_price)),
        images: own.images.or(known.and_then(|l| l.images)),
        reasoning: own.reasoning.or(known.and_then(|l| l.reasoning)),
    }
}

/// US dollars of some tokens; 0 when the prices are unknown. A missing cache price counts as the input price.
#[must_use]
pub fn cost(usage: &Usage, facts: &ModelFacts) -> f64 {
    let price = |p: Option<f64>| p.filter(|p| p.is_finite() && *p > 0.0);
    let input = price(facts.input_price).unwrap_or(0.0);
    let cached = |p: Option<f64>| if p.is_some() { price(p).unwrap_or(0.0) } else { input };
    let part = |tokens: u64, per_million: f64| {
        #[allow(clippy::cast_precision_loss)] // Beyond 2^52 tokens a rounding does not matter.
        let millions = tokens as f64 / 1e6;
        millions * per_million
    };
    part(usage.input, input)
        + part(usage.output, price(facts.output_price).unwrap_or(0.0))
        + part(usage.cache_read, cached(facts.cache_read_price))
        + part(usage.cache_write, cached(facts.cache_write_price))
}

/// Whether a model takes adaptive thinking with an effort over the Messages API.
#[must_use]
pub fn adaptive_thinking(model: &str) -> bool {
    line(model).is_some_and(|l| l.adaptive && l.reasoning == Some(true))
}

/// Whether a model takes tools over OpenAI's Chat Completions only when reasoning is off.
#[must_use]
pub fn tools_without_effort(model: &str) -> bool {
    line(model).is_some_and(|l| l.tools_without_effort)
}
