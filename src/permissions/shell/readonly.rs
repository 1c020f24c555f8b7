//! Is a simple command known to read only (SPEC R4), and which files does it read?
//!
//! Must not: accept what is not in the table. A program that is missing there is not known.

use super::spec::{self, Spec, Words};
use super::{Arg, Simple, git};
use crate::permissions::paths;
use std::path::{Path, PathBuf};

/// Builtins that change the shell itself, so that the commands behind them may be something else.
const STATEFUL: [&str; 31] = [
    "export",
    "declare",
    "typeset",
    "local",
    "readonly",
    "unset",
    "set",
    "shopt",
    "alias",
    "unalias",
    "trap",
    "exec",
    "eval",
    "source",
    ".",
    "builtin",
    "enable",
    "hash",
    "read",
    "mapfile",
    "readarray",
    "getopts",
    "let",
    "pushd",
    "popd",
    "umask",
    "ulimit",
    "complete",
    "wait",
    "bind",
    "history",
];

/// Where bare names of programs are looked for.
const SYSTEM_DIRS: [&str; 2] = ["/bin/", "/usr/bin/"];

/// Where a command runs: one folder, or several when an earlier `cd` may or may not have happened.
#[derive(Copy, Clone, Debug)]
pub struct Place<'a> {
    /// Possible working folders; never empty.
    pub dirs: &'a [PathBuf],
    /// What `~` stands for.
    pub home: &'a Path,
}

/// The files that a command reads, if it is known to do nothing else. Redirections are not looked at.
///
/// # Errors
/// Why it is not known to read only, in a few words.
pub fn reads(command: &Simple, place: Place<'_>) -> Result<Vec<PathBuf>, String> {
    if let Some(why) = &command.opaque {
        return Err(why.clone());
    }
    let Some((name, args)) = command.argv().split_first() else { return Err("no command".into()) };
    let name = name.literal().or((name.text == "[").then_some("[")).ok_or("a name that is not plain")?;
    let name = SYSTEM_DIRS.iter().find_map(|d| name.strip_prefix(d)).unwrap_or(name);
    if name == "git" {
        if command.more_args {
            return Err("arguments from standard input".into());
        }
        return git_reads(args, place);
    }
    let spec = spec::program(name).ok_or_else(|| format!("{name} is not known to only read"))?;
    if command.more_args && !spec.glob {
        return Err("arguments from standard input".into());
    }
    let words = spec.read(args).map_err(|what| format!("{what} of {name} is not known to only read"))?;
    check(spec, &words)?;
    let pattern_given = words.has(&["-e", "-f", "--regexp", "--file", "--expression", "--files"]);
    Ok(resolve(spec.files(&words, !pattern_given), &words, spec, place))
}

/// Whether a command may change what later commands of the line mean.
#[must_use]
pub fn is_stateful(command: &Simple) -> bool {
    command.layers.iter().any(|l| l.first().is_some_and(|a| STATEFUL.contains(&a.text.as_str())))
}

fn resolve(files: Vec<&Arg>, words: &Words<'_>, spec: &Spec, place: Place<'_>) -> Vec<PathBuf> {
    let from_flags = words.values.iter().filter(|(f, _)| spec.path_flags.contains(f)).map(|(_, v)| Arg::exact(v));
    let all: Vec<Arg> = files.into_iter().cloned().chain(from_flags).collect();
    all.iter().flat_map(|arg| place.dirs.iter().map(|dir| paths::resolve_arg(dir, place.home, arg))).collect()
}

fn check(spec: &Spec, words: &Words<'_>) -> Result<(), String> {
    let no = |what: &str| Err(what.to_owned());
    match spec.check.as_deref() {
        None => Ok(()),
        Some("printf") => match words.plain.first().and_then(|a| a.literal()) {
            Some(format) if is_plain_format(format) => Ok(()),
            Some(_) | None => no("a printf format that is not known"),
        },
        Some("date") if words.plain.iter().all(|a| a.text.starts_with('+')) => Ok(()),
        Some("cd") if words.plain.first().is_none_or(|a| a.text != "-" && !a.glob) => Ok(()),
        Some("command") if words.has(&["-v", "-V"]) => Ok(()),
        Some("test") => test_operators(words),
        Some("sed") => sed(words),
        Some("list") if words.plain.is_empty() || words.has(&["-l", "--list"]) => Ok(()),
        Some("remote") => match words.plain.as_slice() {
            [] => Ok(()),
            [verb, _] if verb.text == "get-url" => Ok(()),
            _ => no("this use of git remote"),
        },
        Some("stash" | "worktree") if words.plain.len() == 1 && words.plain[0].text == "list" => Ok(()),
        Some("reflog") if words.plain.first().is_none_or(|a| a.text == "show") => Ok(()),
        Some("config") if words.has(&["--get", "--get-all", "--get-regexp", "--list", "-l"]) => Ok(()),
        Some(_) => no("this use of it is not known to only read"),
    }
}

/// Only conversions that print: `%n` and `%(…)T` are not among them, nor is `*`.
fn is_plain_format(format: &str) -> bool {
    if format.starts_with('-') {
        return false;
    }
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        let spec = rest[at + 1..].trim_start_matches(['-', '+', ' ', '#', '0', '\'']);
        let spec = spec.trim_start_matches(|c: char| c.is_ascii_digit());
        let spec = spec.strip_prefix('.').map_or(spec, |s| s.trim_start_matches(|c: char| c.is_ascii_digit()));
        if !spec.starts_with(['s', 'd', 'i', 'o', 'u', 'x', 'X', 'e', 'E', 'f', 'F', 'g', 'G', 'c', 'b', 'q', '%']) {
            return false;
        }
        rest = &spec[1..];
    }
    true
}

/// `-v NAME[…]` and `-R` evaluate their operand; only operators without such a meaning are known.
fn test_operators(words: &Words<'_>) -> Result<(), String> {
    const KNOWN: [&str; 26] = [
        "-e", "-f", "-d", "-s", "-r", "-w", "-x", "-L", "-h", "-n", "-z", "-b", "-c", "-p", "-S", "-eq", "-ne", "-lt", "-gt", "-le", "-ge", "-nt", "-ot",
        "-ef", "-a", "-o",
    ];
    let bad = words.plain.iter().find(|a| a.text.starts_with('-') && !KNOWN.contains(&a.text.as_str()));
    let open = words.plain.iter().find(|a| a.glob && a.text != "[");
    bad.or(open).map_or(Ok(()), |a| Err(format!("the operator {} of test", a.text)))
}

/// `sed -n` with scripts that only print, quit or delete.
fn sed(words: &Words<'_>) -> Result<(), String> {
    if !words.has(&["-n", "--quiet", "--silent"]) {
        return Err("sed without -n".into());
    }
    let mut scripts: Vec<&str> = words.values.iter().map(|(_, v)| *v).collect();
    if scripts.is_empty() {
        scripts.extend(words.plain.first().and_then(|a| a.literal()));
    }
    if !scripts.is_empty() && scripts.iter().all(|s| sed_script(s).is_some()) { Ok(()) } else { Err("a sed script that is not known to only print".into()) }
}

/// `[address[,address]][!]p` and the like, separated by `;` or line ends.
fn sed_script(script: &str) -> Option<()> {
    let mut rest = script.trim_start_matches([' ', '\t', ';', '\n']);
    while !rest.is_empty() {
        let after = sed_address(rest)?;
        if after.len() < rest.len() {
            rest = after;
            if let Some(second) = rest.strip_prefix(',') {
                let second = second.strip_prefix('+').unwrap_or(second);
                rest = sed_address(second).filter(|after| after.len() < second.len())?;
            }
        }
        rest = rest.trim_start_matches([' ', '!']);
        rest = rest.strip_prefix(['p', '=', 'd', 'q'])?;
        rest = rest.trim_start_matches([' ', '\t']);
        if !rest.is_empty() && !rest.starts_with([';', '\n']) {
            return None;
        }
        rest = rest.trim_start_matches([' ', '\t', ';', '\n']);
    }
    Some(())
}

/// What follows a line number, `$` or `/…/`: the same text if no address is there, `None` if one is not understood.
fn sed_address(text: &str) -> Option<&str> {
    if let Some(after) = text.strip_prefix('$') {
        return Some(after);
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        let rest = &text[digits..];
        let step = rest.strip_prefix('~').map(|s| s.trim_start_matches(|c: char| c.is_ascii_digit()));
        return Some(step.unwrap_or(rest));
    }
    let Some(regex) = text.strip_prefix('/') else { return Some(text) };
    let mut escaped = false;
    let mut in_brackets = false;
    for (at, c) in regex.char_indices() {
        match c {
            '\n' => return None,
            _ if escaped => escaped = false,
            // Where a bracket is open, readers differ on what ends the pattern.
            '/' | '\\' | '[' if in_brackets => return None,
            ']' if in_brackets && regex[..at].ends_with(['[', '^']) => return None,
            ']' => in_brackets = false,
            '[' => in_brackets = true,
            '\\' => escaped = true,
            '/' => return Some(regex[at + 1..].trim_start_matches('I')),
            _ => {}
        }
    }
    None
}

fn git_reads(args: &[Arg], place: Place<'_>) -> Result<Vec<PathBuf>, String> {
    let mut dirs = place.dirs.to_vec();
    let mut rest = args;
    let mut files = Vec::new();
    loop {
        let Some((first, after)) = rest.split_first() else { return Err("git without a subcommand".into()) };
        rest = after;
        match first.literal() {
            Some("--no-pager" | "-P" | "--no-optional-locks" | "--literal-pathspecs" | "--no-lazy-fetch") => {}
            Some("-C") => {
                let (dir, after) = rest.split_first().ok_or("git -C without a folder")?;
                if dir.glob || dir.text.is_empty() {
                    return Err("git -C with a pattern".into());
                }
                rest = after;
                dirs = dirs.iter().map(|d| paths::resolve_arg(d, place.home, dir)).collect();
                files.extend(dirs.iter().cloned());
            }
            Some(sub) if !sub.starts_with('-') => {
                let spec = spec::git(sub).ok_or_else(|| format!("git {sub} is not known to only read"))?;
                let words = spec.read(rest).map_err(|what| format!("{what} of git {sub} is not known to only read"))?;
                check(spec, &words).map_err(|what| format!("{what} (git {sub})"))?;
                for dir in &dirs {
                    git::check(dir)?;
                }
                let here = Place { dirs: &dirs, home: place.home };
                files.extend(resolve(spec.files(&words, !words.has(&["-e", "-f"])), &words, spec, here));
                return Ok(files);
            }
            Some(_) | None => return Err(format!("the option {} of git is not known to only read", first.text)),
        }
    }
}
