//! Names of tools that every provider takes: `mcp__<server>__<tool>`, `[a-zA-Z0-9_-]`, at most 64 characters, unique.

use std::collections::BTreeSet;

/// Characters of a tool's name, at most.
pub(super) const MAX_NAME: usize = 64;
/// Characters of a server's part, at most.
const MAX_SERVER: usize = 24;

/// The parts that stand for the servers in names of tools, in their order. A part never holds `__` and never begins or
/// ends with `_`, so that two servers cannot make the same name out of different parts.
pub(super) fn servers<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    names.into_iter().map(|name| unique(server(name), MAX_SERVER, &mut taken)).collect()
}

fn server(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars().map(allowed) {
        if out.len() < MAX_SERVER && !(c == '_' && (out.is_empty() || out.ends_with('_'))) {
            out.push(c);
        }
    }
    let out = out.trim_end_matches('_');
    if out.is_empty() { "server".to_owned() } else { out.to_owned() }
}

/// The whole name of a tool; `taken` holds those of its server.
pub(super) fn tool(server: &str, tool: &str, taken: &mut BTreeSet<String>) -> String {
    let part: String = tool.chars().take(MAX_NAME).map(allowed).collect();
    let part = if part.is_empty() { "tool" } else { &part };
    unique(format!("mcp__{server}__{part}"), MAX_NAME, taken)
}

fn allowed(c: char) -> char {
    if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' }
}

/// The name (ASCII) cut to `max`, with `_2`, `_3`… when it is taken.
fn unique(mut name: String, max: usize, taken: &mut BTreeSet<String>) -> String {
    name.truncate(max);
    let mut found = name.clone();
    let mut n: u32 = 2;
    while !taken.insert(found.clone()) {
        let suffix = format!("_{n}");
        let kept = name.get(..max.saturating_sub(suffix.len()).min(name.len())).unwrap_or_default();
        found = format!("{}{suffix}", kept.trim_end_matches('_'));
        n = n.saturating_add(1);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn valid(name: &str) -> bool {
        !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    }

    #[test]
    fn t1_ordinary_names_stay() {
        assert_eq!(servers(["echo", "my-server"]), ["echo", "my-server"]);
        assert_eq!(tool("echo", "shout", &mut BTreeSet::new()), "mcp__echo__shout");
        assert_eq!(tool("echo", "read_file", &mut BTreeSet::new()), "mcp__echo__read_file");
    }

    #[test]
    fn i02_names_are_clean_short_and_unique() {
        let names = ["a.b", "a b", "a__b", "_a_b_", "", "é", "漢字", &"x".repeat(200), &format!("{}y", "x".repeat(200))];
        let found = servers(names);
        assert_eq!(found, ["a_b", "a_b_2", "a_b_3", "a_b_4", "server", "server_2", "server_3", &"x".repeat(24), &format!("{}_2", "x".repeat(22))]);
        let mut taken = BTreeSet::new();
        let long = "t".repeat(300);
        let tools: Vec<String> = ["x", "x", "x.y", "x y", "", "🌍", &long, &long, "__"].iter().map(|t| tool(&found[7], t, &mut taken)).collect();
        assert!(tools.iter().all(|t| valid(t)), "{tools:?}");
        assert_eq!(tools.iter().collect::<BTreeSet<_>>().len(), tools.len());
        assert!(tools[1].ends_with("__x_2") && tools[7].ends_with("t_2") && tools[7].len() == 64);
    }

    #[test]
    fn i02_two_servers_never_make_one_name() {
        let parts = servers(["a", "a__b", "a_", "b"]);
        let mut all = BTreeSet::new();
        for part in &parts {
            let mut taken = BTreeSet::new();
            for name in ["b__c", "c", "_c", "__c", "_b__c"] {
                assert!(all.insert(tool(part, name, &mut taken)), "{part} {name}");
            }
        }
    }
}
