//! Rules as people write them.

use super::*;
use crate::permissions::shell::parse;

fn rule(text: &str) -> Rule {
    Rule::parse(text).unwrap_or_else(|e| panic!("{e}"))
}

fn command(line: &str) -> Simple {
    parse(line).unwrap().remove(0)
}

#[test]
fn what_is_wrong_with_a_rule_is_said() {
    for text in ["", "(x)", "Bash(", "Bash(x", "Bash()", "Bash(a; b)", "Bash(a > b)", "Bash($x:*)", "Bash(a \"b)", "Edit([)", "Agent(x)", "a b", "Skill(x)"] {
        let error = Rule::parse(text).unwrap_err();
        assert!(error.contains(text.trim()) && error.starts_with("rule `"), "{error}");
    }
}

#[test]
fn command_rules_compare_words() {
    for (text, line, want) in [
        ("Bash(git status:*)", "git status", true),
        ("Bash(git status:*)", "git status -s x", true),
        ("Bash(git status *)", "git status -s x", true),
        ("Bash(git status:*)", "git statusx", false),
        ("Bash(git status:*)", "git -C x status", false),
        ("Bash(git status)", "git status", true),
        ("Bash(git status)", "git status -s", false),
        ("Bash(./a.sh:*)", "./a.sh one", true),
        ("Bash(./a.sh:*)", "./a.shx", false),
        ("Bash(a 'b c':*)", "a \"b c\" d", true),
        ("Bash(touch:*)", "/usr/bin/touch x", false),
        ("Bash(git status:*)", "timeout 5 git status", true),
        ("Bash(timeout 5:*)", "timeout 5 git status", true),
        ("Bash(rm)", "xargs rm", false),
        ("Bash(rm:*)", "xargs rm", true),
        ("Bash(a b*:*)", "a 'b*'", false),
        ("Bash(bash:*)", "bash -c x", true),
    ] {
        assert_eq!(rule(text).allows_command(&command(line)), want, "{text} {line}");
    }
    assert!(rule("Bash(touch:*)").forbids_command(&command("/usr/bin/touch x")));
    assert!(rule("Bash(touch:*)").forbids_command(&command("nice touch x")));
    assert!(
        rule("Bash(rm -rf /)").forbids_command(&command("echo / | xargs rm -rf").clone())
            || rule("Bash(rm)").forbids_command(&parse("a | xargs rm").unwrap()[1])
    );
    assert!(rule("Bash(touch:*)").occurs_in("x $(/bin/touch y)") && rule("Bash(touch:*)").occurs_in("bash -c 't\"\"ouch y'"));
    assert!(!rule("Bash(touch:*)").occurs_in("x $(untouched)"));
}

#[test]
fn path_rules_are_seen_from_the_workspace_the_root_or_home() {
    let bases = Bases { workspace: Path::new("/w"), home: Path::new("/h") };
    for (text, file, want) in [
        ("Edit(src/**)", "/w/src/a/b.rs", true),
        ("Edit(src)", "/w/src/a/b.rs", true),
        ("Edit(./src/*.rs)", "/w/src/a.rs", true),
        ("Edit(src/*.rs)", "/w/src/a/b.rs", false),
        ("Edit(src/**)", "/w/srcx/a", false),
        ("Edit(src/**)", "/x/src/a", false),
        ("Edit(*.md)", "/w/a/b.md", true),
        ("Edit(.env)", "/w/a/.env", true),
        ("Edit(/etc/**)", "/etc/passwd", true),
        ("Edit(//etc/**)", "/etc/passwd", true),
        ("Edit(~/x/**)", "/h/x/y", true),
        ("Edit(/)", "/any/thing", true),
    ] {
        assert_eq!(rule(text).matches_write(Some("Write"), Path::new(file), bases), want, "{text} {file}");
    }
    let file = Path::new("/w/a");
    assert!(rule("Write(a)").matches_write(Some("Write"), file, bases) && !rule("Write(a)").matches_write(Some("MultiEdit"), file, bases));
    assert!(rule("Read(a)").matches_read(Some("Grep"), file, bases) && rule("Read(a)").matches_read(None, file, bases));
    assert!(!rule("Glob(a)").matches_read(Some("Grep"), file, bases));
}

#[test]
fn whole_tools_servers_and_hosts() {
    let touch = Touch::default();
    let writes = Touch { writes: vec!["/w/a".into()], ..Touch::default() };
    assert!(rule("Edit").is_whole("MultiEdit", &writes) && rule("Write").is_whole("Write", &writes) && !rule("Write").is_whole("Edit", &writes));
    assert!(rule("mcp__s__*").is_whole("mcp__s__t", &touch) && rule("mcp__s").is_whole("mcp__s__t", &touch) && rule("mcp__s__t").is_whole("mcp__s__t", &touch));
    assert!(
        !rule("mcp__s").is_whole("mcp__sx__t", &touch)
            && !rule("mcp__s__*").is_whole("mcp__x__t", &touch)
            && rule("mcp__*__read*").is_whole("mcp__x__read_file", &touch)
    );
    let web = rule("WebFetch(domain:Example.org)");
    assert!(web.matches_host("WebFetch", "example.org") && web.matches_host("WebFetch", "Docs.example.org."));
    assert!(!web.matches_host("WebFetch", "badexample.org") && !web.matches_host("Other", "example.org") && !web.is_whole("WebFetch", &touch));
    assert!(rule("Bash(*)").is_whole("Bash", &Touch { command: Some("x".into()), ..Touch::default() }));
}
