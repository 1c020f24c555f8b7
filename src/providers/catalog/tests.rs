//! The table and its lookups (SPEC P8; case H03).

use super::*;
use std::collections::HashSet;

fn known(model: &str) -> ModelFacts {
    facts(model, &BTreeMap::new())
}

#[test]
fn p8_the_table_parses_and_its_lines_are_sane() {
    assert!(toml::from_str::<Table>(TABLE).is_ok());
    assert!(table().len() > 60);
    assert_eq!(table().iter().map(|l| &l.name).collect::<HashSet<_>>().len(), table().len(), "a name stands once");
    for l in table() {
        assert_eq!(l.name, l.name.to_ascii_lowercase());
        assert!(u64::from(l.output_limit) < l.window && l.output_limit >= 4096, "{}", l.name);
        let (input, output) = (l.input_price.unwrap_or(0.0), l.output_price.unwrap_or(0.0));
        assert!(input <= output && l.cache_read_price.unwrap_or(0.0) <= input && l.cache_write_price.is_none_or(|w| w >= input), "{}", l.name);
        assert_eq!(l.input_price.is_some(), l.output_price.is_some(), "{}", l.name);
    }
}

#[test]
fn p8_exact_name_then_longest_prefix() {
    assert_eq!(known("claude-opus-4-5-20251101").window, Some(200_000));
    assert_eq!(known("anthropic/claude-opus-4.5"), known("claude-opus-4-5"));
    assert_eq!(known("claude-opus-5-5").input_price, Some(4.0));
    assert_eq!(known("claude-opus-5").input_price, Some(5.0));
    assert_eq!(known("gpt-4o-mini-2024-07-18").input_price, Some(0.15));
    assert_eq!(known("openai/GPT-5.6-luna").output_price, Some(1.2));
    assert_eq!(known("claude-new-9").output_limit, Some(32_000), "an unknown Claude");
    let nothing = known("scripted-model");
    assert_eq!((nothing.window, nothing.output_limit, nothing.input_price), (Some(UNKNOWN_WINDOW), Some(UNKNOWN_OUTPUT), None));
    assert_eq!(known("").window, Some(UNKNOWN_WINDOW));
}

#[test]
fn p8_the_configuration_wins_field_by_field() {
    let own = BTreeMap::from([("gpt-4o".to_owned(), ModelFacts { window: Some(9), input_price: Some(7.0), ..ModelFacts::default() })]);
    let f = facts("gpt-4o", &own);
    assert_eq!((f.window, f.input_price, f.output_price), (Some(9), Some(7.0), Some(10.0)));
}

#[test]
fn h03_cost_counts_all_four_kinds() {
    let usage = Usage { input: 4, output: 500, cache_read: 90_000, cache_write: 6_000 };
    let f = known("claude-sonnet-4-5");
    let expected = (4.0 * 3.0 + 500.0 * 15.0 + 90_000.0 * 0.3 + 6_000.0 * 3.75) / 1e6;
    assert!((cost(&usage, &f) - expected).abs() < 1e-12);
    let plain = ModelFacts { input_price: Some(1.0), ..ModelFacts::default() };
    assert!((cost(&usage, &plain) - 96_004.0 / 1e6).abs() < 1e-12, "a missing cache price is the input price, a missing output price is nothing");
    let odd = ModelFacts { input_price: Some(f64::NAN), output_price: Some(-1.0), ..ModelFacts::default() };
    assert!(cost(&usage, &odd).abs() < 1e-12 && cost(&usage, &known("x")).abs() < 1e-12);
}

#[test]
fn p6_only_lines_that_say_so_take_effort() {
    assert!(adaptive_thinking("claude-sonnet-5-5") && !adaptive_thinking("claude-haiku-4-5") && !adaptive_thinking("scripted-model"));
    assert!(tools_without_effort("gpt-6-sol") && !tools_without_effort("gpt-5.4") && !tools_without_effort("gpt-6.2-sol"));
}
