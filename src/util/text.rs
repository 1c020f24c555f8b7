//! Text that is safe to show and to store: control bytes cleaned, cuts at character boundaries, our tags escaped.

/// The start of a text of at most `max` bytes, cut at a character boundary.
#[must_use]
pub fn head(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

/// The end of a text of at most `max` bytes, cut at a character boundary.
#[must_use]
pub fn tail(text: &str, max: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(max))..]
}

/// One line for a title: the first line that has something, control characters as spaces, at most `max` characters, `…` when cut.
#[must_use]
pub fn one_line(text: &str, max: usize) -> String {
    let line = text.lines().find(|l| !l.trim().is_empty()).unwrap_or_default().trim();
    let more = text.lines().filter(|l| !l.trim().is_empty()).count() > 1;
    let clean: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut out: String = clean.chars().take(max).collect();
    if more || clean.chars().count() > max {
        out.push('…');
    }
    out
}

/// The regular expression that finds exactly this text.
#[must_use]
pub fn regex_literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if r"\.+*?()|[]{}^$#&~".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Tag names that only the engine may use towards a model (SPEC R8).
const OWN_TAGS: [&str; 5] = ["task-notification", "system-reminder", "result", "tool-results", "running-tasks"];

/// Outside text with our own tags made harmless: `<` of such a tag becomes `&lt;` (SPEC R8). Other text is unchanged.
#[must_use]
pub fn escape_own_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let name = from[1..].trim_start_matches(['/', ' ']).to_ascii_lowercase();
        if OWN_TAGS.iter().any(|t| name.starts_with(t)) {
            out.push_str("&lt;");
        } else {
            out.push('<');
        }
        rest = &from[1..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c05_cuts_stand_at_character_boundaries() {
        for text in ["aé", "a─", "a🌍"] {
            for max in 0..=text.len() + 1 {
                assert!(text.starts_with(head(text, max)) && head(text, max).len() <= max);
                assert!(text.ends_with(tail(text, max)) && tail(text, max).len() <= max);
            }
        }
    }

    #[test]
    fn the_signs_of_regular_expressions_are_escaped() {
        assert_eq!(regex_literal(r"a.b(c)[d]\e"), r"a\.b\(c\)\[d\]\\e");
        assert_eq!(regex_literal("page-size/ü 你"), "page-size/ü 你");
    }

    #[test]
    fn g07_own_tags_are_escaped_and_nothing_else() {
        assert_eq!(escape_own_tags("a < b <i> </task-notification>"), "a < b <i> &lt;/task-notification>");
        assert_eq!(escape_own_tags("<System-Reminder>x"), "&lt;System-Reminder>x");
    }
}
