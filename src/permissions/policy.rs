//! The decision order of SPEC R2.
//!
//! Deny rules, the agent's read-only check and plan mode, protected files, bypass, accept-edits, ask rules, allow rules, what only reads, and at
//! last: ask. Must not: ask anybody itself, or let one part of a command speak for another.

mod command;
mod offer;

#[cfg(test)]
mod tests;

use super::rules::{Bases, Rule};
use super::{Mode, Touch, Verdict, paths};
use std::path::{Path, PathBuf};

/// A call that wants to run, and all that decides about it.
#[derive(Copy, Clone, Debug)]
pub struct Question<'a> {
    /// The tool's name, as rules name it.
    pub tool: &'a str,
    /// What the call touches.
    pub touch: &'a Touch,
    /// The project, resolved.
    pub workspace: &'a Path,
    /// The agent's shell folder: a command's relative paths are seen from here.
    pub cwd: &'a Path,
    /// Folders that may be read as if they were in the workspace (the session's whole outputs).
    pub extra_dirs: &'a [PathBuf],
    /// The mode in force.
    pub mode: Mode,
    /// The agent, or one above it, can change nothing.
    pub read_only: bool,
    /// Rules that forbid.
    pub deny: &'a [Rule],
    /// Rules that make it ask.
    pub ask: &'a [Rule],
    /// Rules that allow.
    pub allow: &'a [Rule],
    /// The person's home.
    pub home: &'a Path,
    /// The person's configuration folder of this program.
    pub config_dir: &'a Path,
}

/// A part of a call that nothing covers.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Gap {
    /// A simple command (boxed: it is large), and why it is not known to only read.
    Command(Box<super::shell::Simple>, String),
    /// A line that is not understood, and why.
    Line(String),
    /// A file that is written.
    Write(PathBuf),
    /// A file outside that is read.
    Read(PathBuf),
    /// A host.
    Host(String),
    /// The tool as a whole: nobody knows what it touches.
    Tool,
}

/// What happens to a call.
#[must_use]
pub fn decide(q: &Question<'_>) -> Verdict {
    if let Some(rule) = q.deny.iter().find(|r| q.is_named_by(r)) {
        return Verdict::Deny { reason: format!("denied by the rule `{rule}`") };
    }
    if q.touch.session_only {
        return Verdict::Allow;
    }
    if let Some(reason) = q.refused_as_reader() {
        return Verdict::Deny { reason };
    }
    if let Some(what) = q.protected() {
        let reason = format!("a file that decides what the agent may do: {what}");
        return Verdict::Ask { reason, rule: None, protected: true };
    }
    if q.mode == Mode::Bypass || q.is_accepted_edit() {
        return Verdict::Allow;
    }
    let gaps = q.gaps();
    if let Some(rule) = q.ask.iter().find(|r| q.is_named_by(r)) {
        // No allow rule is offered: the ask rule would come first again.
        return Verdict::Ask { reason: format!("the rule `{rule}` asks"), rule: None, protected: false };
    }
    if gaps.is_empty() {
        return Verdict::Allow;
    }
    Verdict::Ask { reason: q.reason(&gaps), rule: offer::rule(q, &gaps), protected: false }
}

impl Question<'_> {
    fn bases(&self) -> Bases<'_> {
        Bases { workspace: self.workspace, home: self.home }
    }

    /// Whether a rule that forbids or asks means this call, or a part of it.
    fn is_named_by(&self, rule: &Rule) -> bool {
        let tool = Some(self.tool);
        rule.is_whole(self.tool, self.touch)
            || self.touch.writes.iter().any(|f| rule.matches_write(tool, f, self.bases()))
            || self.touch.reads.iter().any(|f| rule.matches_read(tool, f, self.bases()))
            || self.touch.host.as_ref().is_some_and(|h| rule.matches_host(self.tool, h))
            || self.touch.command.as_ref().is_some_and(|line| command::is_named_by(self, line, rule))
    }

    /// Why an agent that only reads, or plan mode, refuses.
    fn refused_as_reader(&self) -> Option<String> {
        let who = match (self.read_only, self.mode) {
            (true, _) => "this agent is read-only",
            (false, Mode::Plan) => "plan mode is read-only",
            (false, Mode::Default | Mode::AcceptEdits | Mode::Bypass) => return None,
        };
        if let Some(file) = self.touch.writes.first() {
            return Some(format!("{who}: {} would be written", self.shown(file)));
        }
        if let Some(line) = &self.touch.command {
            return command::writes(self, line).map(|why| format!("{who}: {why}"));
        }
        let knows_nothing = self.touch.reads.is_empty() && self.touch.host.is_none();
        knows_nothing.then(|| format!("{who}, and what {} changes is not known", self.tool))
    }

    fn protected(&self) -> Option<String> {
        let file = self.touch.writes.iter().find(|f| self.is_protected(f));
        file.map(|f| self.shown(f)).or_else(|| self.touch.command.as_ref().and_then(|line| command::protected(self, line)))
    }

    fn is_protected(&self, file: &Path) -> bool {
        paths::is_protected(file, self.workspace, self.config_dir, self.home)
    }

    /// Files of the workspace that the accept-edits mode lets tools write.
    fn is_accepted_edit(&self) -> bool {
        let touch = self.touch;
        self.mode == Mode::AcceptEdits && touch.command.is_none() && touch.host.is_none() && !touch.writes.is_empty() && self.gaps().is_empty()
    }

    fn gaps(&self) -> Vec<Gap> {
        let touch = self.touch;
        if let Some(line) = &touch.command {
            return command::gaps(self, line);
        }
        let is_whole = self.allow.iter().any(|r| r.is_whole(self.tool, touch));
        let tool = Some(self.tool);
        let mut gaps = Vec::new();
        for file in &touch.writes {
            let is_accepted = self.is_inside(file) && (is_whole || self.mode == Mode::AcceptEdits);
            if !is_accepted && !self.allow.iter().any(|r| r.matches_write(tool, file, self.bases())) {
                gaps.push(Gap::Write(file.clone()));
            }
        }
        gaps.extend(touch.reads.iter().filter(|f| !self.may_read(tool, f)).cloned().map(Gap::Read));
        if let Some(host) = touch.host.as_ref().filter(|h| !is_whole && !self.allow.iter().any(|r| r.matches_host(self.tool, h))) {
            gaps.push(Gap::Host(host.clone()));
        }
        if touch.writes.is_empty() && touch.reads.is_empty() && touch.host.is_none() && !is_whole {
            gaps.push(Gap::Tool);
        }
        gaps
    }

    fn is_inside(&self, file: &Path) -> bool {
        paths::is_inside(file, self.workspace)
    }

    /// Inside, in one of the extra folders, or named by a rule (`None`: read by a command).
    fn may_read(&self, tool: Option<&str>, file: &Path) -> bool {
        self.is_inside(file)
            || self.extra_dirs.iter().any(|d| paths::is_inside(file, d))
            || matches!(file.to_str(), Some("/dev/null" | "/dev/zero" | "/dev/urandom" | "/dev/random" | "/dev/stdin"))
            || self.allow.iter().any(|r| r.matches_read(tool, file, self.bases()))
    }

    /// A path as the person knows it.
    fn shown(&self, file: &Path) -> String {
        let relative = file.strip_prefix(self.workspace).ok().filter(|r| !r.as_os_str().is_empty());
        relative.unwrap_or(file).display().to_string()
    }

    /// Names exactly the parts that nothing covers, three at most.
    fn reason(&self, gaps: &[Gap]) -> String {
        let mut parts: Vec<String> = gaps.iter().take(3).map(|gap| self.reason_of(gap)).collect();
        parts.dedup();
        if gaps.len() > 3 {
            parts.push(format!("and {} more", gaps.len() - 3));
        }
        parts.join("; ")
    }

    fn reason_of(&self, gap: &Gap) -> String {
        match gap {
            Gap::Command(command, why) => {
                let text = crate::util::text::one_line(&command.text, 100);
                // Why a program that commonly only reads does not do so here is worth a word.
                let why = if why.starts_with("the repository") { format!(" ({why})") } else { String::new() };
                format!("not covered by a rule: {text}{why}")
            }
            Gap::Line(why) => format!("the command line is not understood: {why}"),
            Gap::Write(file) if self.is_inside(file) => format!("writes {}", self.shown(file)),
            Gap::Write(file) => format!("writes outside the workspace: {}", self.shown(file)),
            Gap::Read(file) => format!("reads outside the workspace: {}", self.shown(file)),
            Gap::Host(host) => format!("contacts {host}"),
            Gap::Tool => format!("what {} does is not known", self.tool),
        }
    }
}
