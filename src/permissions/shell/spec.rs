//! The allow-list in `assets/policy.toml`, and the words of a command read by it.
//!
//! Must not: know a program by name, or accept an option that is not listed.

use super::Arg;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Which plain words name files.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Paths {
    #[default]
    All,
    None,
    AfterFirst,
}

/// A program or subcommand; the fields are explained in the file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Spec {
    pub same_as: Option<String>,
    pub short: String,
    pub short_value: String,
    pub short_optional: String,
    pub long: Vec<String>,
    pub long_value: Vec<String>,
    pub long_optional: Vec<String>,
    pub words: Vec<String>,
    pub words_value: Vec<String>,
    pub number: bool,
    pub text: bool,
    pub paths: Paths,
    pub path_flags: Vec<String>,
    pub max: Option<usize>,
    pub glob: bool,
    pub check: Option<String>,
}

/// How a rule is offered for a command.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Offer {
    /// Programs whose second word is a subcommand.
    pub two_words: Vec<String>,
    /// First two words behind which a script is named.
    pub three_words: Vec<String>,
    /// Programs for which only the very same command is offered.
    pub exact: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Table {
    programs: BTreeMap<String, Spec>,
    git: BTreeMap<String, Spec>,
    offer: Offer,
}

const SOURCE: &str = include_str!("../../../assets/policy.toml");

/// The table; empty, so that everything asks, if the file is broken (a test keeps it whole).
fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| toml::from_str(SOURCE).unwrap_or_default())
}

/// The entry of a program.
pub(super) fn program(name: &str) -> Option<&'static Spec> {
    find(&table().programs, name)
}

/// The entry of a subcommand of git.
pub(super) fn git(name: &str) -> Option<&'static Spec> {
    find(&table().git, name)
}

/// How rules are offered.
pub(crate) fn offer() -> &'static Offer {
    &table().offer
}

fn find(map: &'static BTreeMap<String, Spec>, name: &str) -> Option<&'static Spec> {
    let spec = map.get(name)?;
    match &spec.same_as {
        Some(other) => map.get(other),
        None => Some(spec),
    }
}

/// The words of a command, sorted by what they are.
#[derive(Debug, Default)]
pub(super) struct Words<'a> {
    /// Options with their dashes and without values.
    pub flags: Vec<String>,
    /// Values of options.
    pub values: Vec<(String, &'a str)>,
    /// Plain words.
    pub plain: Vec<&'a Arg>,
}

impl Words<'_> {
    /// One of the options was given.
    pub fn has(&self, flags: &[&str]) -> bool {
        self.flags.iter().any(|f| flags.contains(&f.as_str()))
    }
}

impl Spec {
    /// Read the words behind the program's name.
    ///
    /// # Errors
    /// The option that is not listed, in a few words.
    pub fn read<'a>(&self, args: &'a [Arg]) -> Result<Words<'a>, String> {
        let mut words = Words::default();
        let mut iter = args.iter();
        let mut only_plain = self.text;
        while let Some(arg) = iter.next() {
            let is_flag = !only_plain && arg.text.len() > 1 && arg.text.starts_with('-');
            if !is_flag {
                self.check_open(arg)?;
                words.plain.push(arg);
                continue;
            }
            let text = arg.literal().ok_or_else(|| format!("the option {}", arg.text))?;
            if text == "--" {
                only_plain = true;
                continue;
            }
            if let Some(flag) = self.flag(text, &mut words)? {
                let next = iter.next();
                let Some(value) = next else { continue };
                let value = value.literal().filter(|v| !v.starts_with('-') || is_number(&v[1..]));
                words.values.push((flag.clone(), value.ok_or_else(|| format!("the value of {flag}"))?));
            }
        }
        if self.max.is_some_and(|max| words.plain.len() > max || (max > 0 && words.plain.iter().any(|a| a.glob))) {
            return Err("that many arguments".into());
        }
        Ok(words)
    }

    /// A word that is expanded to file names must not become an option.
    fn check_open(&self, arg: &Arg) -> Result<(), String> {
        let first = arg.text.chars().next();
        let may_be_option = arg.glob && first.is_some_and(|c| matches!(c, '*' | '?' | '[' | '-')) && arg.text != "[";
        let is_dash = arg.glob && arg.text.starts_with('-');
        if (may_be_option && !self.glob) || (is_dash && !self.text) { Err(format!("the pattern {}", arg.text)) } else { Ok(()) }
    }

    /// Note an option; its name if it takes the next word as its value.
    fn flag<'a>(&self, text: &'a str, words: &mut Words<'a>) -> Result<Option<String>, String> {
        let unknown = || format!("the option {text}");
        let one_dash = &text[1..];
        if (self.number && is_number(one_dash)) || self.words.iter().any(|w| w == one_dash) {
            words.flags.push(text.to_owned());
            return Ok(None);
        }
        if self.words_value.iter().any(|w| w == one_dash) {
            words.flags.push(text.to_owned());
            return Ok(Some(text.to_owned()));
        }
        if let Some(long) = text.strip_prefix("--") {
            let (name, value) = long.split_once('=').map_or((long, None), |(n, v)| (n, Some(v)));
            let flag = format!("--{name}");
            words.flags.push(flag.clone());
            let is_in = |list: &[String]| list.iter().any(|l| l == name);
            return match value {
                None if is_in(&self.long) || is_in(&self.long_optional) => Ok(None),
                None if is_in(&self.long_value) => Ok(Some(flag)),
                Some(value) if is_in(&self.long_value) || is_in(&self.long_optional) => {
                    words.values.push((flag, value));
                    Ok(None)
                }
                Some(_) | None => Err(unknown()),
            };
        }
        for (at, c) in one_dash.char_indices() {
            let flag = format!("-{c}");
            words.flags.push(flag.clone());
            let rest = &one_dash[at + c.len_utf8()..];
            if self.short_value.contains(c) {
                if rest.is_empty() {
                    return Ok(Some(flag));
                }
                words.values.push((flag, rest));
                return Ok(None);
            }
            if self.short_optional.contains(c) {
                return Ok(None);
            }
            if !self.short.contains(c) {
                return Err(unknown());
            }
        }
        Ok(None)
    }

    /// The words that name files.
    pub fn files<'a>(&self, words: &Words<'a>, first_is_text: bool) -> Vec<&'a Arg> {
        let skip = usize::from(self.paths == Paths::AfterFirst && first_is_text);
        if self.paths == Paths::None { Vec::new() } else { words.plain.iter().skip(skip).copied().collect() }
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        let table: Table = toml::from_str(SOURCE).unwrap();
        assert!(table.programs.len() > 50 && table.git.len() > 25);
        for map in [&table.programs, &table.git] {
            for (name, spec) in map {
                assert!(spec.same_as.as_ref().is_none_or(|s| map.contains_key(s)), "{name}");
            }
        }
    }
}
