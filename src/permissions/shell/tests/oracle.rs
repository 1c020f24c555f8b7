//! Bash itself says which words it passes, for random lines that the parser accepts.

use super::*;

/// Keeps `argc argv…` of every program that bash would start. The names in the lines are no builtins.
const PRELUDE: &str = r#"command_not_found_handle() { printf '%s\0' "$#" "$@" >>"$ORACLE_LOG/$BASHPID"; }
"#;

const NAMES: [&str; 8] = ["ls", "cat", "rm", "'ca't", "l\\s", "if", "time", "!"];
const JOINTS: [&str; 9] = [";", "&&", "|", "&", "\n", "|&", " ; ", " && ", "||"];
const PIECES: [&str; 64] = [
    "a", "b1", "-x", "--y=z", "'", "\"", "\\", "$", "`", "{", "}", "{}", "@{", "(", ")", "<", ">", "2>&1", ">f", ">>f", "2>f", "&>f", "<in", "< in", "> 'g h'",
    "1", "2", "12", "#", " #", "!", "~", "~/", "=", "x=", "*", "?", "[", "]", ",", "..", ":", "%", "'q r'", "\"q r\"", "\"a$\"", "\"$ \"", "\"\\$x\"",
    "\"\\\\\"", "\\ ", "\\'", "\\\"", "\t", "  ", "é", "\\é", "'é'", "HEAD@{1}", "-2", ">&2", "<&0", ">|f", "<>f", "$x",
];

fn line() -> impl Strategy<Value = String> {
    let piece = (proptest::sample::select(PIECES.to_vec()), proptest::bool::ANY).prop_map(|(p, blank)| if blank { format!(" {p}") } else { p.to_owned() });
    let command = (proptest::sample::select(NAMES.to_vec()), proptest::collection::vec(piece, 0..5)).prop_map(|(n, p)| format!("{n} {}", p.concat()));
    let rest = proptest::collection::vec((proptest::sample::select(JOINTS.to_vec()), command.clone()), 0..3);
    (command, rest).prop_map(|(first, rest)| rest.into_iter().fold(first, |line, (joint, next)| line + joint + &next))
}

fn bash_path() -> Option<&'static str> {
    ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"].into_iter().find(|p| Path::new(p).exists())
}

/// The lists of words that bash passed, sorted, and the files that it made.
fn run(line: &str) -> (Vec<Vec<String>>, BTreeSet<String>) {
    let dir = tempfile::tempdir().unwrap();
    let work = dir.path().join("work");
    std::fs::create_dir(&work).unwrap();
    std::fs::write(work.join("in"), "").unwrap();
    let log = dir.path().join("log");
    std::fs::create_dir(&log).unwrap();
    let script = format!("{PRELUDE}{line}\nwait");
    let mut bash = Command::new(bash_path().unwrap());
    bash.args(["--norc", "--noprofile", "-c", &script])
        .env_clear()
        .env("PATH", "/nonexistent")
        .env("HOME", "/h")
        .env("LC_ALL", "C.UTF-8")
        .env("ORACLE_LOG", &log)
        .current_dir(&work);
    assert!(bash.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok());
    let mut calls = Vec::new();
    // One file for each process: records with line ends in them are written in several pieces.
    for entry in std::fs::read_dir(&log).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        let mut fields = bytes.split(|b| *b == 0).map(|f| String::from_utf8_lossy(f).into_owned());
        while let Some(count) = fields.next().and_then(|n| n.parse().ok()) {
            calls.push(fields.by_ref().take(count).collect());
        }
    }
    calls.sort();
    let files = std::fs::read_dir(&work).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).filter(|n| n != "in").collect();
    (calls, files)
}

/// What the parser says that would happen when every program succeeds.
fn expect(commands: &[Simple]) -> (Vec<Vec<String>>, BTreeSet<String>) {
    let mut calls = Vec::new();
    let mut files = BTreeSet::new();
    let mut is_skipped = false;
    for command in commands {
        is_skipped = match command.joint {
            super::super::Joint::Or => true,
            super::super::Joint::Pipe => is_skipped,
            super::super::Joint::And | super::super::Joint::Seq | super::super::Joint::Background => false,
        };
        if is_skipped {
            continue;
        }
        // `time` is grammar at the start of a pipeline, so that bash starts what is behind it; other wrappers do not occur.
        let argv = if command.joint == super::super::Joint::Pipe { &command.layers[0] } else { command.argv() };
        let words: Vec<String> = argv.iter().map(|a| if a.home { a.text.replacen('~', "/h", 1) } else { a.text.clone() }).collect();
        calls.push(words);
        files.extend(command.redirects.iter().filter(|r| r.kind == super::super::RedirectKind::Write).map(|r| r.target.clone()));
    }
    calls.sort();
    (calls, files)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: std::env::var("ORACLE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(600), max_global_rejects: 1_000_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn accepted_lines_mean_to_bash_what_they_mean_to_us(line in line()) {
        let Ok(commands) = parse(&line) else { return Ok(()) };
        prop_assume!(bash_path().is_some());
        let globs = commands.iter().any(|c| c.argv().iter().any(|a: &Arg| a.glob));
        // A pattern that matches nothing stays; no file is made before it is expanded but by the line itself.
        let reads_missing = commands.iter().flat_map(|c| &c.redirects).any(|r| r.target != "in" && r.kind == super::super::RedirectKind::Read);
        let odd_files = commands.iter().flat_map(|c| &c.redirects).any(|r| r.target.contains('/') || r.target.chars().all(|c| c == '.') || r.target == "in" && r.kind == super::super::RedirectKind::Write);
        // Builtins and paths are not looked up, so that nothing is logged.
        let unlogged = |c: &Simple| c.opaque.is_some() || matches!(c.argv()[0].text.as_str(), ":" | "[") || c.argv()[0].text.contains('/');
        let is_unlogged = commands.iter().any(unlogged);
        prop_assume!(!globs && !reads_missing && !odd_files && !is_unlogged);
        prop_assert_eq!(run(&line), expect(&commands), "{:?}", line);
    }
}
