//! Heads as they are found in the wild (SPEC S2).

use super::*;
use proptest::prelude::*;

fn head(lines: &str) -> Document {
    Document::parse(&format!("---\n{lines}\n---\nBODY\n"))
}

fn tools(value: &str) -> Vec<String> {
    head(&format!("name: x\ntools: {value}\ndescription: d")).list(&["tools"]).unwrap()
}

#[test]
fn valid_yaml_of_every_shape() {
    assert_eq!(tools("Read, Grep"), ["Read", "Grep"]);
    assert_eq!(tools("[Read, \"Grep\"]"), ["Read", "Grep"]);
    assert_eq!(tools("\n  - Read\n  - Grep"), ["Read", "Grep"]);
    assert_eq!(tools("\"*\""), ["*"]);
    assert_eq!(tools("Read, Bash(git log:*, x)"), ["Read", "Bash(git log:*, x)"]);
    let d = head("description: >\n  folded\n  text\nprompt: |\n  a\n  b\nmaxTurns: 5\nbackground: true\nbudget:\n  tokens: 100\n  cost_usd: 0.5\nempty:");
    assert_eq!((d.text(&["description"]).unwrap().as_str(), d.text(&["prompt"]).unwrap().as_str()), ("folded text", "a\nb"));
    assert_eq!((d.text(&["max_turns"]).as_deref(), d.text(&["BackGround"]).as_deref()), (Some("5"), Some("true")));
    let budget = d.field(&["budget"]).unwrap();
    assert_eq!((budget.get("tokens").map(Field::text), budget.get("costUsd").map(Field::text)), (Some("100".into()), Some("0.5".into())));
    assert_eq!((d.text(&["empty"]), d.text(&["none"]), d.body.as_str()), (None, None, "BODY\n"));
}

#[test]
fn what_no_yaml_parser_takes_is_read_line_by_line() {
    for (lines, key, want) in [
        ("description: Use when: x", "description", "Use when: x"),
        ("description: @agent does #1 things", "description", "@agent does #1 things"),
        ("argument-hint: [a] [b]", "argument-hint", "[a] [b]"),
        ("tools: *", "tools", "*"),
        ("description: \"quoted\" and: more", "description", "\"quoted\" and: more"),
        ("description: Use: this\n  and that", "description", "Use: this and that"),
        ("bad: x: y\nmodel: 'fast' # note", "model", "fast"),
        ("bad: x: y\ndescription: >-\n  one\n  two\n\n  three", "description", "one two\nthree"),
        ("bad: x: y\ndescription: |\n    one\n      two", "description", "one\n  two"),
        ("a: 1\na: 2", "a", "2"),
        ("description: 50% done & *starred: thing", "description", "50% done & *starred: thing"),
    ] {
        assert_eq!(head(lines).text(&[key]).as_deref(), Some(want), "{lines}");
    }
    let wild = "description: Use when: x\ntools:\n- Read\n- Bash(git log:*)\nbudget:\n  tokens: 5\nskills: [a, 'b']\n# a comment\nname: n";
    let d = head(wild);
    assert_eq!(
        (d.list(&["tools"]).unwrap(), d.list(&["skills"]).unwrap()),
        (vec!["Read".to_owned(), "Bash(git log:*)".into()], vec!["a".to_owned(), "b".into()])
    );
    assert_eq!((d.field(&["budget"]).and_then(|b| b.get("tokens")).map(Field::text), d.text(&["name"])), (Some("5".into()), Some("n".into())));
}

#[test]
fn bom_crlf_and_files_without_a_head() {
    let d = Document::parse("\u{feff}---\r\nname: x\r\ntools:\r\n  - Read\r\n---\r\nline\r\nline\r\n");
    assert_eq!((d.text(&["name"]).as_deref(), d.list(&["tools"]).unwrap(), d.body.as_str()), (Some("x"), vec!["Read".to_owned()], "line\nline\n"));
    let plain = Document::parse("# Title\n---\nname: x\n---\n");
    assert!(!plain.has_head && plain.body.starts_with("# Title") && plain.fields.is_empty());
    let open = Document::parse("---\nname: x\n");
    assert!(!open.has_head && open.body.starts_with("---"), "a head without an end is text");
    let empty = Document::parse("---\n---\nBODYY\n");
    assert!(empty.has_head && empty.fields.is_empty() && empty.body == "BODYY\n");
}

proptest! {
    #[test]
    fn nothing_makes_it_fail(text in "(---\n)?[ -~\n\t\r\u{e9}|>:#\\[\\]*-]{0,200}(\n---\n)?.{0,20}") {
        let d = Document::parse(&text);
        let _ = (d.text(&["name"]), d.list(&["tools"]));
        let _ = by_lines(&text);
    }
}
