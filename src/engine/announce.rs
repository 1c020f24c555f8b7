//! Whether a child's final text is a report at all (SPEC S13). Pure; errs on the side of taking a text as it is.

/// Beginnings of sentences that only say what will be done.
const ANNOUNCING: [&str; 18] = [
    "i will ",
    "i'll ",
    "i’ll ",
    "i am going to ",
    "i'm going to ",
    "i’m going to ",
    "let me ",
    "let's ",
    "let’s ",
    "next, i",
    "next i ",
    "now i will",
    "now i'll",
    "now let me",
    "first, i will",
    "first, i'll",
    "first, let me",
    "i'm now ",
];

/// Beginnings that only wait for others.
const WAITING: [&str; 6] = ["waiting for ", "i am waiting", "i'm waiting", "i’m waiting", "i will wait", "still waiting"];

/// Whether every sentence of a short text only announces work or waits for others.
#[must_use]
pub fn only_announces(text: &str) -> bool {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > 300 || text.contains('`') || has_citation(text) {
        return false;
    }
    let sentences = text.split_inclusive(['.', '!', ':', '\n']).map(|s| s.trim().to_lowercase()).filter(|s| s.chars().any(char::is_alphabetic));
    let mut any = false;
    for sentence in sentences {
        let filler = matches!(sentence.trim_end_matches(['.', '!', ',', ':']), "ok" | "okay" | "sure" | "understood" | "got it" | "alright");
        if !filler && !ANNOUNCING.iter().chain(&WAITING).any(|a| sentence.starts_with(a)) {
            return false;
        }
        any |= !filler;
    }
    any
}

/// `name.ext:12` somewhere.
fn has_citation(text: &str) -> bool {
    text.split_whitespace().any(|word| {
        word.trim_matches(|c: char| !c.is_alphanumeric())
            .rsplit_once(':')
            .is_some_and(|(path, line)| path.contains(['.', '/']) && line.chars().next().is_some_and(|c| c.is_ascii_digit()))
    })
}

#[cfg(test)]
mod tests {
    use super::only_announces;

    #[test]
    fn s13_announcements_are_told_from_reports() {
        for text in [
            "I will now look through the files and report back.",
            "Let me search the code base first.",
            "Next, I will go through the modules.",
            "Okay. I'll start with the tests.",
            "Waiting for the other agents.",
        ] {
            assert!(only_announces(text), "{text}");
        }
        for text in [
            "",
            "two places: api/posts.py:3",
            "I will be brief: api/x.py:1 holds it.",
            "ANSWER",
            "I'll summarise: the cache is never cleared. It grows with each request.",
            "Let me report: `foo` is unused.",
            "write denied",
            "tried",
        ] {
            assert!(!only_announces(text), "{text}");
        }
    }
}
