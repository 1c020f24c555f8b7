//! Tables of calls and verdicts, in the order of SPEC R2.

use super::*;
use proptest::prelude::*;
use std::cell::RefCell;

/// All that decides, with defaults that a test changes.
struct Case {
    dir: tempfile::TempDir,
    workspace: PathBuf,
    mode: Mode,
    read_only: bool,
    deny: Vec<Rule>,
    ask: Vec<Rule>,
    allow: Vec<Rule>,
}

fn rules(texts: &[&str]) -> Vec<Rule> {
    texts.iter().map(|t| Rule::parse(t).unwrap()).collect()
}

impl Case {
    fn new(mode: Mode, allow: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(dir.path()).unwrap();
        let workspace = root.join("w");
        for name in ["w/sub", "out", "home", "results"] {
            std::fs::create_dir_all(root.join(name)).unwrap();
        }
        std::os::unix::fs::symlink(root.join("out"), workspace.join("link")).unwrap();
        Self { dir, workspace, mode, read_only: false, deny: Vec::new(), ask: Vec::new(), allow: rules(allow) }
    }

    fn root(&self) -> PathBuf {
        std::fs::canonicalize(self.dir.path()).unwrap()
    }

    fn decide(&self, tool: &str, touch: &Touch) -> Verdict {
        let root = self.root();
        let (home, config, extra) = (root.join("home"), root.join("home/conf/tui-agent"), [root.join("results")]);
        decide(&Question {
            tool,
            touch,
            workspace: &self.workspace,
            cwd: &self.workspace,
            extra_dirs: &extra,
            mode: self.mode,
            read_only: self.read_only,
            deny: &self.deny,
            ask: &self.ask,
            allow: &self.allow,
            home: &home,
            config_dir: &config,
        })
    }

    fn bash(&self, line: &str) -> Verdict {
        self.decide("Bash", &Touch { command: Some(line.into()), ..Touch::default() })
    }

    fn write(&self, path: &str) -> Verdict {
        self.decide("Write", &Touch { writes: vec![paths::resolve(&self.workspace.join(path))], ..Touch::default() })
    }

    fn read(&self, path: &str) -> Verdict {
        self.decide("Read", &Touch { reads: vec![paths::resolve(&self.workspace.join(path))], ..Touch::default() })
    }
}

fn is_ask(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Ask { protected: false, .. })
}

fn reason(verdict: Verdict) -> String {
    match verdict {
        Verdict::Allow => "allow".into(),
        Verdict::Deny { reason } | Verdict::Ask { reason, .. } => reason,
    }
}

fn offered(verdict: &Verdict) -> Option<&str> {
    match verdict {
        Verdict::Ask { rule, .. } => rule.as_deref(),
        Verdict::Allow | Verdict::Deny { .. } => None,
    }
}

#[test]
fn r1_what_each_mode_lets_run() {
    let session = Touch { session_only: true, ..Touch::default() };
    // (mode, a write inside, a command, a reading command, a tool that nobody knows)
    for (mode, want) in [(Mode::Default, "??A?"), (Mode::AcceptEdits, "A?A?"), (Mode::Plan, "DDAD"), (Mode::Bypass, "AAAA")] {
        let case = Case::new(mode, &[]);
        let got: String = [case.write("a.txt"), case.bash("touch c.txt"), case.bash("ls"), case.decide("mcp__s__t", &Touch::default())]
            .iter()
            .map(|v| match v {
                Verdict::Allow => 'A',
                Verdict::Deny { .. } => 'D',
                Verdict::Ask { .. } => '?',
            })
            .collect();
        assert_eq!(got, want, "{mode:?}");
        assert_eq!(case.decide("TodoWrite", &session), Verdict::Allow);
        assert_eq!(case.read("a.txt"), Verdict::Allow);
    }
    assert!(reason(Case::new(Mode::Plan, &[]).write("a")).contains("plan mode"));
}

#[test]
fn r2_deny_rules_hold_in_every_mode_and_for_every_part() {
    for mode in [Mode::Default, Mode::AcceptEdits, Mode::Plan, Mode::Bypass] {
        let mut case = Case::new(mode, &["Bash", "Write", "Edit"]);
        case.deny = rules(&["Write", "Bash(touch:*)", "Read(.env)", "mcp__bad", "WebFetch(domain:x.org)", "TodoWrite"]);
        let is_denied = |v: &Verdict| matches!(v, Verdict::Deny { .. });
        assert!(is_denied(&case.write("a")));
        for line in [
            "touch a",
            "/usr/bin/touch a",
            "ls; touch a",
            "nice touch a",
            "echo a | xargs touch",
            "ls $(touch a)",
            "bash -c 'touch a'",
            "t'ou'ch a",
            "if x; then touch a; fi",
            "cat .env",
            "cat < .env",
            "cp .env x",
            "cat sub/../.env",
            "cat $(echo .env)",
            "sudo touch a",
            "cd sub && cat ../.env",
            "env X=1 touch a",
            "echo a > f",
        ] {
            assert!(is_denied(&case.bash(line)), "{mode:?} {line:?}");
        }
        assert!(is_denied(&case.read(".env")) && is_denied(&case.read("sub/.env")));
        assert!(is_denied(&case.decide("mcp__bad__t", &Touch::default())));
        assert!(is_denied(&case.decide("WebFetch", &Touch { host: Some("a.x.org".into()), ..Touch::default() })));
        assert!(is_denied(&case.decide("TodoWrite", &Touch { session_only: true, ..Touch::default() })));
        assert_eq!(case.bash("ls"), Verdict::Allow);
    }
}

#[test]
fn b08_a_read_only_agent_changes_nothing_whatever_the_mode_and_the_rules() {
    for mode in [Mode::Default, Mode::AcceptEdits, Mode::Bypass] {
        let mut case = Case::new(mode, &["Bash", "Write", "Edit", "mcp__s"]);
        case.read_only = true;
        for line in [
            "touch x.txt",
            "sed -i s/needle/pin/ f.txt",
            "rm f.txt",
            "git checkout -- f.txt",
            "echo a > y.txt",
            "cat f.txt | tee z.txt",
            "grep \"$(touch w.txt)\" f.txt",
            "python3 -c 'open(\"a.txt\",\"w\").write(\"x\")'",
            "cp f.txt M1",
            "dd if=f.txt of=M1",
            "ls > M1",
            "ls\ntouch M1",
            "export A=b; ls",
        ] {
            let verdict = case.bash(line);
            assert!(matches!(&verdict, Verdict::Deny { reason } if reason.contains("read-only")), "{mode:?} {line:?}: {verdict:?}");
        }
        assert!(matches!(case.write("a.txt"), Verdict::Deny { reason } if reason.contains("read-only")));
        assert!(matches!(case.decide("mcp__s__t", &Touch::default()), Verdict::Deny { reason } if reason.contains("read-only")));
        for line in ["grep -rn needle f.txt", "git log --oneline", "cd sub && ls | head"] {
            assert_eq!(case.bash(line), Verdict::Allow, "{mode:?} {line:?}");
        }
    }
}

#[test]
fn g09_files_that_decide_rights_always_ask() {
    for mode in [Mode::Default, Mode::AcceptEdits, Mode::Bypass] {
        let case = Case::new(mode, &["Write", "Edit(/)", "Bash"]);
        for path in [
            ".tui-agent/config.toml",
            ".git/config",
            ".git/hooks/pre-commit",
            ".mcp.json",
            ".tui-agent/agents/evil.md",
            ".claude/settings.json",
            ".agents/hooks.json",
            "sub/.git/config",
            ".GIT/Config",
            ".git/modules/x/config",
            ".git/modules/x/hooks/y",
            "../home/conf/tui-agent/config.toml",
            "../home/.claude/agents/x.md",
            "../home/.gitconfig",
            "../out/.git/hooks/x",
            "sub/../.mcp.json",
            ".git",
        ] {
            assert!(matches!(case.write(path), Verdict::Ask { protected: true, rule: None, .. }), "{mode:?} {path}");
        }
        for line in [
            "echo x > .git/config",
            "echo x >> sub/../.mcp.json",
            "cp evil .git/hooks/pre-commit",
            "rm -rf .git",
            "sed -i s/a/b/ .claude/settings.json",
            "tee .tui-agent/config.toml",
            "dd of=.git/config",
            "cd .git && cp ../x config",
            "cd .git/hooks; touch pre-commit",
            "git config core.hooksPath x",
            "python3 -c 'open(\".git/hooks/x\",\"w\")'",
            "echo $(cp x .git/hooks/y)",
            "mv x ~/.claude/agents/y",
        ] {
            assert!(matches!(case.bash(line), Verdict::Ask { protected: true, .. }), "{mode:?} {line:?}: {:?}", case.bash(line));
        }
        for line in ["cat .git/config", "ls .claude", "git config --get user.name", "git status"] {
            assert_eq!(case.bash(line), Verdict::Allow, "{mode:?} {line:?}");
        }
        assert_eq!(case.write("plain.txt"), Verdict::Allow);
        assert_eq!(case.write(".gitignore"), Verdict::Allow);
        assert_eq!(case.read(".git/config"), Verdict::Allow);
    }
}

#[test]
fn g01_a_rule_covers_its_command_alone() {
    let case = Case::new(Mode::Default, &["Bash(git status:*)", "Bash(./ok.sh:*)"]);
    for line in [
        "git status; touch M1",
        "git status && touch M1",
        "git status | tee M1",
        "git status > M1",
        "false || touch M1",
        "./ok.sh; touch M1",
        "./ok.sh | tee M1",
        "./ok.sh > M1",
        "./ok.sh $(touch M1)",
        "./ok.sh `touch M1`",
        "X=$(touch M1) ./ok.sh",
        "./ok.shx; ./ok.sh\ntouch M1",
        "git status & touch M1",
        "git status\ntouch M1",
        "git status >> M1",
        "git status &> M1",
        "git status {a,b}",
        "(git status)",
        "git status # x",
        "/x/git status",
    ] {
        assert!(is_ask(&case.bash(line)), "{line:?}: {:?}", case.bash(line));
    }
    for line in ["git status -s", "./ok.sh one two", "./ok.sh 2>&1 | head -5", "./ok.sh >/dev/null", "timeout 5 ./ok.sh", "./ok.sh && ls; pwd"] {
        assert_eq!(case.bash(line), Verdict::Allow, "{line:?}");
    }
    let sleeping = Case::new(Mode::Default, &["Bash(sleep:*)"]);
    assert_eq!(sleeping.bash("sleep 0.7; true"), Verdict::Allow);
}

#[test]
fn t3_what_leads_outside_the_workspace_asks() {
    let case = Case::new(Mode::AcceptEdits, &["Write"]);
    let outside = case.root().join("out/a.txt");
    for path in [outside.to_str().unwrap(), "sub/../../out/b.txt", "link/c.txt", "link/new/d.txt"] {
        assert!(reason(case.write(path)).starts_with("writes outside the workspace: "), "{path}");
        assert!(is_ask(&case.read(path)), "{path}");
        for line in
            [format!("cat {path}"), format!("cat < {path}"), format!("ls > {path}"), format!("grep -f {path} x"), format!("cd {path}"), format!("cat {path}*")]
        {
            assert!(is_ask(&case.bash(&line)), "{line}");
        }
    }
    assert!(is_ask(&case.bash("cd .. && cat w/a")) && is_ask(&case.bash("cd sub; cat ../../out/x")) && is_ask(&case.bash("cat ~/x")));
    assert_eq!(case.bash("cd sub && cat ../a"), Verdict::Allow);
    assert_eq!(case.bash("ls > sub/list"), Verdict::Allow);
    assert_eq!(case.bash("echo a > in.txt"), Verdict::Allow);
    assert_eq!(case.read("../results/x.txt"), Verdict::Allow);
    assert!(is_ask(&case.write("../results/x.txt")));
    let named = Case::new(Mode::Default, &["Edit(/tmp/**)", "Read(/etc/hosts)"]);
    assert_eq!(named.bash("cat /etc/hosts"), Verdict::Allow);
    assert!(is_ask(&named.bash("cat /etc/passwd")));
    std::os::unix::fs::symlink(case.root().join("out/none"), case.workspace.join("dangling")).unwrap();
    assert!(is_ask(&case.write("dangling")) && is_ask(&case.bash("echo x > dangling")));
}

#[test]
fn the_reason_names_what_is_not_covered() {
    let case = Case::new(Mode::Default, &["Bash(cargo build:*)"]);
    for (line, want) in [
        ("cargo build && sed -i s/a/b/ f", "not covered by a rule: sed -i s/a/b/ f"),
        ("ls > M1", "writes M1"),
        ("cargo test; ls; rm x", "not covered by a rule: cargo test; not covered by a rule: rm x"),
        ("cat /etc/passwd", "reads outside the workspace: /etc/passwd"),
        ("echo $X", "the command line is not understood: an expansion with `$`"),
        ("a;b;c;d;e", "not covered by a rule: a; not covered by a rule: b; not covered by a rule: c; and 2 more"),
    ] {
        assert_eq!(reason(case.bash(line)), want);
    }
    assert_eq!(reason(case.write("a")), "writes a");
}

#[test]
fn r3_offered_rules_are_narrow() {
    let case = Case::new(Mode::Default, &[]);
    for (line, want) in [
        ("cargo test --lib", Some("Bash(cargo test:*)")),
        ("npm run build -- x", Some("Bash(npm run build:*)")),
        ("npm run", Some("Bash(npm run)")),
        ("./a.sh one", Some("Bash(./a.sh:*)")),
        ("sleep 5", Some("Bash(sleep:*)")),
        ("git commit -m 'a b'", Some("Bash(git commit:*)")),
        ("git -C x commit", Some("Bash(git -C x commit)")),
        ("python3 -c 'print(1)'", Some("Bash(python3 -c 'print(1)')")),
        ("bash -c 'x y'", Some("Bash(bash -c 'x y')")),
        ("rm -rf target", Some("Bash(rm -rf target)")),
        ("timeout 5 cargo test", Some("Bash(cargo test:*)")),
        ("cargo test | head", Some("Bash(cargo test:*)")),
        ("cargo test; cargo run", None),
        ("cargo test > out", None),
        ("rm *", None),
        ("x | xargs rm", None),
        ("echo $X", None),
        ("cat /etc/hosts", Some("Read(/etc/hosts)")),
        ("ls > sub/list", Some("Edit(sub/list)")),
    ] {
        assert_eq!(offered(&case.bash(line)), want, "{line:?}");
    }
    assert_eq!(offered(&case.write("sub/a[1].txt")), Some("Edit(sub/a[[]1[]].txt)"));
    assert_eq!(offered(&case.decide("mcp__s__t", &Touch::default())), Some("mcp__s__t"));
    assert_eq!(offered(&case.decide("WebFetch", &Touch { host: Some("x.org".into()), ..Touch::default() })), Some("WebFetch(domain:x.org)"));
}

#[test]
fn ask_rules_come_before_allow_rules_and_reading() {
    let mut case = Case::new(Mode::Default, &["Bash(git push:*)", "Write"]);
    case.ask = rules(&["Bash(git push:*)", "Bash(ls)", "Write(sub/**)"]);
    assert!(is_ask(&case.bash("git push")) && is_ask(&case.bash("ls")) && is_ask(&case.bash("true && git push -f")) && is_ask(&case.write("sub/x")));
    assert_eq!(case.bash("ls -l"), Verdict::Allow);
    assert_eq!(case.write("x"), Verdict::Allow);
}

#[test]
fn names_mean_something_else_behind_a_command_that_changes_the_shell() {
    let case = Case::new(Mode::Default, &["Bash(export:*)", "Bash(source:*)", "Bash(cargo:*)"]);
    assert!(is_ask(&case.bash("export PATH=/tmp/evil; ls")) && is_ask(&case.bash("source ./x && cat y")));
    assert_eq!(case.bash("export A=b; cargo build"), Verdict::Allow);
}

fn many_cases() -> ProptestConfig {
    ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() }
}

/// An offered rule can be read, and makes the same call run; it never makes another one run that would write.
#[test]
fn an_offered_rule_covers_the_call_that_it_was_offered_for() {
    const WORDS: [&str; 23] = [
        "cargo",
        "test",
        "git",
        "-x",
        "'a b'",
        "rm",
        "|",
        "ls",
        ">",
        "f",
        "/etc/x",
        "xargs",
        "timeout 5",
        ";",
        "bash",
        "*",
        "npm",
        "run",
        "a'('b",
        "env",
        "\\)",
        "~/x",
        "~",
    ];
    let case = RefCell::new(Case::new(Mode::Default, &[]));
    proptest!(many_cases(), |(words in proptest::collection::vec(proptest::sample::select(&WORDS[..]), 1..6))| {
        let mut case = case.borrow_mut();
        case.allow.clear();
        let line = words.join(" ");
        if let Some(rule) = offered(&case.bash(&line)) {
            case.allow = vec![Rule::parse(rule).map_err(TestCaseError::fail)?];
            prop_assert_eq!(case.bash(&line), Verdict::Allow, "{:?} {}", line, rule);
            let longer = line + "; touch M1";
            prop_assert!(is_ask(&case.bash(&longer)), "{}", longer);
        }
    });
}

/// Nothing panics, and nothing that holds a substitution runs unasked.
#[test]
fn no_line_panics_and_no_substitution_runs() {
    let case = Case::new(Mode::Default, &["Bash(ls:*)"]);
    proptest!(many_cases(), |(line in ".{0,80}")| {
        let _ = case.bash(&line);
        let with = format!("ls {line} $(touch M1)");
        let quoted = with.contains(['\'', '#', '\\']);
        prop_assert!(quoted || is_ask(&case.bash(&with)));
    });
}
