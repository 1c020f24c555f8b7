//! The parser against tables and against bash itself; the allow-list against CASES G01–G04.

use super::readonly::{Place, reads};
use super::{Arg, Simple, git, parse};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

mod oracle;
mod repository;

fn argv(command: &Simple) -> Vec<&str> {
    command.argv().iter().map(|a| a.text.as_str()).collect()
}

fn only(line: &str) -> Simple {
    let mut all = parse(line).unwrap_or_else(|e| panic!("{line:?}: {e}"));
    assert_eq!(all.len(), 1, "{line:?}");
    all.remove(0)
}

/// Reading only, as a whole line.
fn is_reading(line: &str) -> Result<(), String> {
    let dir = tempfile::tempdir().unwrap();
    let dirs = [dir.path().to_path_buf()];
    for command in parse(line)? {
        reads(&command, Place { dirs: &dirs, home: Path::new("/home/x") })?;
        if command.redirects.iter().any(|r| r.kind == super::RedirectKind::Write) {
            return Err("writes a file".into());
        }
    }
    Ok(())
}

#[test]
fn words_are_what_bash_would_pass() {
    let cases: &[(&str, &[&str])] = &[
        ("ls -la src", &["ls", "-la", "src"]),
        ("echo 'a b' \"c d\" e\\ f", &["echo", "a b", "c d", "e f"]),
        ("to\\uch M1", &["touch", "M1"]),
        ("'tou'ch M1", &["touch", "M1"]),
        ("echo \"a\\\"b\\$c\\n\"", &["echo", "a\"b$c\\n"]),
        ("echo '' \"\"", &["echo", "", ""]),
        ("grep 'a$' f", &["grep", "a$", "f"]),
        ("grep \"a$\" f", &["grep", "a$", "f"]),
        ("grep a$ f", &["grep", "a$", "f"]),
        ("git show HEAD@{1} HEAD~2 a#b", &["git", "show", "HEAD@{1}", "HEAD~2", "a#b"]),
        ("find . -exec x {} +", &["find", ".", "-exec", "x", "{}", "+"]),
        ("ls 2>&1 >/dev/null", &["ls"]),
        ("echo a2>f", &["echo", "a2"]),
        ("ls -2>&1", &["ls", "-2"]),
        ("[ ! -f x ]", &["[", "!", "-f", "x", "]"]),
    ];
    for (line, want) in cases {
        assert_eq!(argv(&only(line)), *want, "{line:?}");
    }
}

fn refused(lines: &[&str]) {
    for line in lines {
        assert!(parse(line).is_err(), "{line:?} was accepted: {:?}", parse(line));
    }
}

#[test]
fn what_the_subset_does_not_know_is_an_error() {
    refused(&[
        "",
        " ",
        "\n",
        "ls;;",
        "; ls",
        "&& ls",
        "ls &&",
        "ls |",
        "ls | | x",
        "ls & ; x",
        "echo $HOME",
        "echo ${x}",
        "echo $(x)",
        "echo `x`",
        "echo \"$x\"",
        "echo \"`x`\"",
        "echo $'a'",
        "echo $\"a\"",
        "cat <(x)",
        "ls >(x)",
        "cat <<E\nE",
        "cat <<< x",
        "(ls)",
        "{ ls; }",
        "f() { ls; }",
        "function f { ls; }",
        "if x; then y; fi",
        "! ls",
        "while x; do y; done",
        "[[ a ]]",
        "coproc x",
        "X=1 ls",
        "X+=1 ls",
        "a[1]=2 ls",
        "a[\"x\"]=2 ls",
        "X=1",
        "> f",
        "ls # x",
        "# x",
        "echo {a,b}",
        "echo {1..3}",
        "ls a{b",
        "echo 'a",
        "echo \"a",
        "echo a\\",
        "time",
        "time X=1 ls",
        "time ! ls",
        "time if x",
        "'' x",
        "% x",
    ]);
    assert!(parse(&"x ".repeat(40_000)).is_err());
}

#[test]
fn odd_characters_patterns_and_redirections_are_errors() {
    refused(&[
        "find . -del\\\nete",
        "\"del\\\nete\"",
        "ls\r",
        "ls\u{b}x",
        "ls\u{a0}x",
        "ls \u{2028}",
        "ls\0x",
        "echo a\u{202e}b",
        "l\u{200b}s",
        "~/bin/x",
        "./*.sh",
        "~root/x",
        "echo x=~",
        "echo ~+",
        "echo ~\"/x\"",
        "cat < *",
        "cat > ~/x",
        "cat 2>&x",
        "cat >&1x",
        "cat {fd}>x",
        "cat 999>x",
        "echo x > /dev/tcp/1.2.3.4/80",
        "echo >",
        "echo > ;",
        "ls >2>&1 f",
        "ls > 2> f",
    ]);
}

#[test]
fn every_simple_command_of_a_line_is_seen() {
    for line in ["a; b", "a && b", "a || b", "a | b", "a |& b", "a & b", "a\nb", "a;\n\n b;", "\n a &&\n b &", "a & \n b"] {
        let names: Vec<String> = parse(line).unwrap().iter().map(|c| c.argv()[0].text.clone()).collect();
        assert_eq!(names, ["a", "b"], "{line:?}");
    }
    let line = "timeout 5 nice -n 3 env git status | xargs -0 -n 1 rm -f 2>/dev/null >> out";
    let all = parse(line).unwrap();
    assert_eq!(argv(&all[0]), ["git", "status"]);
    assert_eq!(all[0].layers.len(), 4);
    assert_eq!(all[0].text, "timeout 5 nice -n 3 env git status");
    assert_eq!(argv(&all[1]), ["rm", "-f"]);
    assert!(all[1].more_args);
    assert_eq!(all[1].redirects.len(), 1);
    assert_eq!(all[1].redirects[0].target, "out");
}

#[test]
fn wrappers_that_hide_their_command_are_opaque() {
    for line in [
        "bash -c 'x'",
        "/bin/sh -c x",
        "eval x",
        "sudo x",
        "env X=1 ls",
        "env -i ls",
        "env -S 'x y'",
        "timeout",
        "timeout 5",
        "timeout --x 5 ls",
        "timeout *.c ls",
        "xargs",
        "xargs -I{} {}",
        "xargs -a f ls",
        "nice -5 ls",
        "time -o f ls",
        "command -p ls",
        "exec ls",
        ". x",
        "source x",
        "env env env env env ls",
        "nohup",
        "stdbuf -oL bash -c x",
    ] {
        assert!(parse(line).is_err() || only(line).opaque.is_some(), "{line:?}");
    }
    assert_eq!(argv(&only("command -v git")), ["command", "-v", "git"]);
}

#[test]
fn common_reading_commands_are_known() {
    for line in include_str!("tests/reading.txt").lines().chain(["ls\npwd"]) {
        assert_eq!(is_reading(line), Ok(()), "{line:?}");
    }
}

#[test]
fn g02_reading_programs_that_write_or_run_things() {
    for line in include_str!("tests/writing.txt").lines().chain(["sed -n '1{w M1\n}' f"]) {
        assert!(is_reading(line).is_err(), "{line:?} counts as reading");
    }
}

#[test]
fn g04_work_hidden_in_substitutions_prefixes_wrappers_and_quotes() {
    for line in [
        "X=$(touch M1) git status",
        "echo `touch M1`",
        "cat <(touch M1)",
        "GIT_EXTERNAL_DIFF='touch M1 #' git diff",
        "env touch M1",
        "command touch M1",
        "timeout 5 touch M1",
        "bash -c 'touch M1'",
        "to\\uch M1",
        "'tou'ch M1",
        "nohup touch M1",
        "nice touch M1",
        "time touch M1",
        "stdbuf -o0 touch M1",
        "eval touch M1",
        "\\touch M1",
        "\"touch\" M1",
        "env X=1 ls",
        "grep \"$(touch w.txt)\" f.txt",
        "ls\ntouch M1",
    ] {
        assert!(is_reading(line).is_err(), "{line:?} counts as reading");
    }
}

#[test]
fn reading_commands_name_the_files_that_they_read() {
    let dirs = [PathBuf::from("/w")];
    let files = |line: &str| reads(&only(line), Place { dirs: &dirs, home: Path::new("/h") }).unwrap();
    assert_eq!(files("cat a /etc/../x ~/y ../z"), ["/w/a", "/x", "/h/y", "/z"].map(PathBuf::from));
    assert_eq!(files("grep /api src"), [PathBuf::from("/w/src")]);
    assert_eq!(files("grep -e /api src"), [PathBuf::from("/w/src")]);
    assert_eq!(files("grep -f /pats src/*.rs"), ["/w", "/w/src", "/pats"].map(PathBuf::from)[1..].to_vec());
    assert_eq!(files("cut -d / -f 1"), Vec::<PathBuf>::new());
    assert_eq!(files("git -C /other log -- x"), ["/other", "/other/x"].map(PathBuf::from));
}
