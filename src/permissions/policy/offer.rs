//! The rule that the approval dialog offers for "session" and "always".
//!
//! Must not: offer a rule that covers much more than the person sees, or one that would not cover the very same call.

use super::{Gap, Question};
use crate::permissions::shell::{Arg, Simple, spec_offer};

/// Longer commands are not offered as they are.
const MAX_EXACT: usize = 120;

/// A rule for the one gap of a call; none for several, for lines that are not understood, and for commands too long to be a rule.
pub(super) fn rule(q: &Question<'_>, gaps: &[Gap]) -> Option<String> {
    let [gap] = gaps else { return None };
    match gap {
        Gap::Command(command, _) => command_rule(command),
        Gap::Line(_) => None,
        Gap::Write(file) => Some(format!("Edit({})", path_pattern(q, file)?)),
        Gap::Read(file) => Some(format!("Read({})", path_pattern(q, file)?)),
        Gap::Host(host) => Some(format!("{}(domain:{host})", q.tool)),
        Gap::Tool => Some(q.tool.to_owned()),
    }
}

fn path_pattern(q: &Question<'_>, file: &std::path::Path) -> Option<String> {
    let inside = file.strip_prefix(q.workspace).ok().and_then(std::path::Path::to_str);
    let text = match inside {
        // Without a slash a pattern would match at any depth.
        Some(relative) if !relative.is_empty() && relative.contains('/') => globset::escape(relative),
        Some(_) | None => globset::escape(file.to_str()?),
    };
    (!text.contains(['\n', '\r'])).then_some(text)
}

fn command_rule(command: &Simple) -> Option<String> {
    let argv = command.argv();
    let name = argv.first()?.literal().filter(|n| is_simple(n))?;
    let base = name.rsplit('/').next().unwrap_or_default();
    let offer = spec_offer();
    let is_in = |list: &[String], text: &str| list.iter().any(|l| l == text);
    if command.opaque.is_some() {
        return exact(command);
    }
    let sub = argv.get(1).and_then(|a| a.literal()).filter(|s| is_subcommand(s));
    if is_in(&offer.two_words, name) {
        let Some(sub) = sub else { return exact(command) };
        let two = format!("{name} {sub}");
        if !is_in(&offer.three_words, &two) {
            return Some(format!("Bash({two}:*)"));
        }
        let third = argv.get(2).and_then(|a| a.literal()).filter(|s| is_simple(s) && !s.starts_with('-'));
        return third.map_or_else(|| exact(command), |third| Some(format!("Bash({two} {third}:*)")));
    }
    if is_in(&offer.exact, base) || command.more_args { exact(command) } else { Some(format!("Bash({name}:*)")) }
}

/// The very same words.
fn exact(command: &Simple) -> Option<String> {
    if command.more_args {
        return None;
    }
    let words: Option<Vec<String>> = command.layers.first()?.iter().map(quoted).collect();
    let text = words?.join(" ");
    let is_usable = text.len() <= MAX_EXACT && !text.contains(['\n', '\t']) && !text.ends_with('*');
    is_usable.then(|| format!("Bash({text})"))
}

/// A word as it must be written to be read back as the same.
fn quoted(arg: &Arg) -> Option<String> {
    let text = arg.literal()?;
    if is_simple(text) { Some(text.to_owned()) } else { (!text.contains('\'')).then(|| format!("'{text}'")) }
}

fn is_simple(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./:@%+,".contains(c))
}

fn is_subcommand(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase()) && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}
