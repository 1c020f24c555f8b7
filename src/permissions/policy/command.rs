//! A command line, part by part: the strictest part decides (SPEC R3).
//!
//! Must not: let a rule for one simple command cover another one, or a redirection.

use super::{Gap, Question};
use crate::permissions::rules::Rule;
use crate::permissions::shell::readonly::{self, Place};
use crate::permissions::shell::{self, Joint, RedirectKind, Simple};
use crate::permissions::{Mode, paths};
use std::path::{Path, PathBuf};

/// Folders in which a command may find itself, at most.
const MAX_PLACES: usize = 6;

/// Whether a rule that forbids or asks means a part of the line.
pub(super) fn is_named_by(q: &Question<'_>, line: &str, rule: &Rule) -> bool {
    let Ok(commands) = shell::parse(line) else {
        return rule.occurs_in(line) || names_file(q, &[q.cwd.to_path_buf()], line, rule);
    };
    let Some(places) = places(q, &commands) else { return rule.occurs_in(line) };
    commands.iter().zip(&places).any(|(command, dirs)| {
        rule.forbids_command(command)
            || (command.opaque.is_some() && rule.occurs_in(&command.text))
            || names_file(q, dirs, &command.text, rule)
            || command.argv().iter().any(|arg| dirs.iter().any(|d| rule.matches_read(None, &paths::resolve_arg(d, q.home, arg), q.bases())))
            || redirected(command, dirs, RedirectKind::Read).any(|f| rule.matches_read(None, &f, q.bases()))
            || redirected(command, dirs, RedirectKind::Write).any(|f| rule.is_whole_writer() || rule.matches_write(None, &f, q.bases()))
    })
}

/// Whether a word of a text, cut at every sign of the shell, is a file that the rule names for reading.
fn names_file(q: &Question<'_>, dirs: &[PathBuf], text: &str, rule: &Rule) -> bool {
    let cut = |c: char| c.is_whitespace() || "'\"`$(){};|&<>=,".contains(c);
    text.split(cut).filter(|w| !w.is_empty()).any(|w| dirs.iter().any(|d| rule.matches_read(None, &paths::resolve(&d.join(w)), q.bases())))
}

/// Why the line is not known to only read.
pub(super) fn writes(q: &Question<'_>, line: &str) -> Option<String> {
    let commands = match shell::parse(line) {
        Ok(commands) => commands,
        Err(why) => return Some(format!("the command line is not understood: {why}")),
    };
    let Some(places) = places(q, &commands) else { return Some("the command line changes folders too often".into()) };
    for (command, dirs) in commands.iter().zip(&places) {
        if let Err(why) = readonly::reads(command, Place { dirs, home: q.home }) {
            return Some(format!("`{}`: {why}", crate::util::text::one_line(&command.text, 100)));
        }
        if let Some(redirect) = command.redirects.iter().find(|r| r.kind == RedirectKind::Write) {
            return Some(format!("`{}` writes {}", crate::util::text::one_line(&command.text, 100), redirect.target));
        }
    }
    None
}

/// A file that decides rights, which the line may write.
pub(super) fn protected(q: &Question<'_>, line: &str) -> Option<String> {
    let named = |text: &str| paths::named_protected(&text.replace(&*q.workspace.to_string_lossy(), "")).map(str::to_owned);
    let Ok(commands) = shell::parse(line) else { return named(line) };
    let Some(places) = places(q, &commands) else { return named(line) };
    for (command, dirs) in commands.iter().zip(&places) {
        if let Some(file) = redirected(command, dirs, RedirectKind::Write).find(|f| q.is_protected(f)) {
            return Some(q.shown(&file));
        }
        if readonly::reads(command, Place { dirs, home: q.home }).is_ok() {
            continue;
        }
        if let Some(name) = named(&command.text) {
            return Some(name);
        }
        let files = command.argv().iter().skip(1).flat_map(|arg| dirs.iter().map(|d| paths::resolve_arg(d, q.home, arg)));
        if let Some(file) = files.into_iter().find(|f| q.is_protected(f)) {
            return Some(q.shown(&file));
        }
        if changes_git_config(command) {
            return Some("git's configuration".into());
        }
    }
    None
}

/// `git config` that does not only read.
fn changes_git_config(command: &Simple) -> bool {
    let is_git = command.argv().first().is_some_and(|a| a.text.rsplit('/').next() == Some("git"));
    is_git && command.argv().iter().skip(1).find(|a| !a.text.starts_with('-')).is_some_and(|a| a.text == "config")
}

/// The parts that nothing covers.
pub(super) fn gaps(q: &Question<'_>, line: &str) -> Vec<Gap> {
    if q.allow.iter().any(|r| r.is_whole(q.tool, q.touch)) {
        return Vec::new();
    }
    let commands = match shell::parse(line) {
        Ok(commands) => commands,
        Err(why) => return vec![Gap::Line(why)],
    };
    let Some(places) = places(q, &commands) else { return vec![Gap::Line("it changes folders too often".into())] };
    // Behind a command that changes the shell itself, a name may mean something else.
    let is_stateful = commands.iter().any(readonly::is_stateful);
    let mut gaps = Vec::new();
    for (command, dirs) in commands.iter().zip(&places) {
        if !q.allow.iter().any(|r| r.allows_command(command)) {
            match readonly::reads(command, Place { dirs, home: q.home }) {
                Ok(files) if !is_stateful => gaps.extend(files.into_iter().filter(|f| !q.may_read(None, f)).map(Gap::Read)),
                Ok(_) => gaps.push(Gap::Command(Box::new(command.clone()), String::new())),
                Err(why) => gaps.push(Gap::Command(Box::new(command.clone()), why)),
            }
        }
        gaps.extend(redirected(command, dirs, RedirectKind::Read).filter(|f| !q.may_read(None, f)).map(Gap::Read));
        gaps.extend(redirected(command, dirs, RedirectKind::Write).filter(|f| !may_write(q, f)).map(Gap::Write));
    }
    gaps.dedup();
    gaps
}

fn may_write(q: &Question<'_>, file: &Path) -> bool {
    let whole = q.mode == Mode::AcceptEdits || q.allow.iter().any(Rule::is_whole_writer);
    (whole && q.is_inside(file)) || q.allow.iter().any(|r| r.matches_write(None, file, q.bases()))
}

fn redirected<'a>(command: &'a Simple, dirs: &'a [PathBuf], kind: RedirectKind) -> impl Iterator<Item = PathBuf> + 'a {
    command.redirects.iter().filter(move |r| r.kind == kind).flat_map(move |r| dirs.iter().map(|d| paths::resolve(&d.join(&r.target))))
}

/// For each command the folders in which it may run, as `cd` before it may have changed them. None when there are too many.
fn places(q: &Question<'_>, commands: &[Simple]) -> Option<Vec<Vec<PathBuf>>> {
    let mut all = vec![q.cwd.to_path_buf()];
    let mut now = all.clone();
    let mut is_after_or = false;
    let mut places = Vec::with_capacity(commands.len());
    for (at, command) in commands.iter().enumerate() {
        match command.joint {
            Joint::And | Joint::Pipe => {}
            Joint::Or => is_after_or = true,
            Joint::Seq | Joint::Background => is_after_or = false,
        }
        if !matches!(command.joint, Joint::And | Joint::Pipe) {
            now.clone_from(&all);
        }
        places.push(now.clone());
        let [name, args @ ..] = command.argv() else { continue };
        if name.text != "cd" {
            continue;
        }
        let target = args.iter().find(|a| !a.text.starts_with('-'));
        let joined: Vec<PathBuf> = now.iter().map(|d| target.map_or_else(|| q.home.to_path_buf(), |t| paths::resolve_arg(d, q.home, t))).collect();
        for dir in &joined {
            if !all.contains(dir) {
                all.push(dir.clone());
            }
        }
        if all.len() > MAX_PLACES {
            return None;
        }
        let next = commands.get(at + 1).map(|c| c.joint);
        let in_subshell = command.joint == Joint::Pipe || matches!(next, Some(Joint::Pipe | Joint::Background));
        now = if is_after_or || in_subshell { all.clone() } else { joined };
    }
    Some(places)
}
