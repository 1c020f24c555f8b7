//! Slash commands, one file each; [`COMMANDS`] is the ordered list. Also decides what a typed line is.
//!
//! Must not: do anything by itself. A command yields an action of the interface or a request to the engine.

mod agents;
mod compact;
mod context;
mod copy;
mod cost;
mod doctor;
mod exit;
mod help;
mod keys;
mod mcp;
mod model;
mod new;
mod permissions;
mod provider;
mod reload;
mod resume;
mod skills;
mod status;
mod tasks;
mod theme;
mod trace;

#[cfg(test)]
mod tests;

use crate::action::Action;
use crate::protocol::Op;
use crate::util::near::nearest;

/// A built-in slash command.
#[derive(Copy, Clone, Debug)]
pub struct Command {
    /// Without the slash.
    pub name: &'static str,
    /// What stands behind it, for reading; empty when it takes nothing.
    pub usage: &'static str,
    /// What it does, in a few words.
    pub about: &'static str,
    /// What it yields for the text behind it (trimmed).
    pub run: fn(&str) -> Outcome,
}

/// What a command yields.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// An intent of the interface.
    Action(Action),
    /// A request to the engine.
    Op(Op),
    /// Colours of this name; a list of the names when empty.
    Theme(String),
}

/// All built-in commands, in the order of the help.
pub const COMMANDS: &[Command] = &[
    help::COMMAND,
    agents::COMMAND,
    tasks::COMMAND,
    context::COMMAND,
    compact::COMMAND,
    cost::COMMAND,
    model::COMMAND,
    provider::COMMAND,
    permissions::COMMAND,
    resume::COMMAND,
    new::COMMAND,
    status::COMMAND,
    doctor::COMMAND,
    keys::COMMAND,
    theme::COMMAND,
    skills::COMMAND,
    mcp::COMMAND,
    trace::COMMAND,
    copy::COMMAND,
    reload::COMMAND,
    exit::COMMAND,
];

/// What a typed line is.
#[derive(Clone, Debug)]
pub enum Parsed<'a> {
    /// A built-in command and what stands behind it.
    Builtin(&'static Command, &'a str),
    /// An own command or a skill, and what stands behind it.
    Own(&'a str, &'a str),
    /// No command has this name; the nearest one that exists.
    Unknown(&'a str, Option<String>),
    /// Ordinary text.
    NotACommand,
}

/// Look at a typed text. `own` are the commands beyond the built-in ones: (name, description). A first word with a second slash
/// (`/usr/bin/x is …`) is a path, thus ordinary text, unless it is an own command of that very name.
#[must_use]
pub fn parse<'a>(line: &'a str, own: &[(String, String)]) -> Parsed<'a> {
    let Some(rest) = line.strip_prefix('/') else { return Parsed::NotACommand };
    let (name, args) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let args = args.trim();
    if let Some(command) = COMMANDS.iter().find(|c| c.name == name) {
        return Parsed::Builtin(command, args);
    }
    if own.iter().any(|(n, _)| n == name) {
        return Parsed::Own(name, args);
    }
    if name.is_empty() || name.contains('/') {
        return Parsed::NotACommand;
    }
    let names = COMMANDS.iter().map(|c| c.name).chain(own.iter().map(|(n, _)| n.as_str()));
    Parsed::Unknown(name, nearest(name, names).map(str::to_owned))
}
