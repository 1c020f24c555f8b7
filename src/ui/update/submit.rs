//! What a sent line means: a message, a command, a shell command, a line for the memory.

use super::Ui;
use super::act::act;
use crate::commands::{Outcome, Parsed, parse};
use crate::protocol::{Level, Op};
use crate::ui::msg::Effect;
use crate::ui::panes::composer::history::History;
use crate::ui::theme::Theme;

/// Send what stands in the input line.
pub fn submit(ui: &mut Ui, out: &mut Vec<Effect>) {
    if ui.composer.text().trim().is_empty() {
        ui.composer.clear();
        return;
    }
    let text = ui.composer.take();
    ui.typed_at = 0;
    if ui.composer.history.push(&text) {
        out.push(Effect::SaveHistory(History::line(&text)));
    }
    // Sending follows the conversation again.
    ui.conversation.follow();
    send(ui, text, out);
}

/// Send a text as if it had been typed.
pub fn send(ui: &mut Ui, text: String, out: &mut Vec<Effect>) {
    if let Some(command) = text.strip_prefix('!').map(str::trim).filter(|c| !c.is_empty()) {
        let (command, background) = match command.strip_suffix('&').filter(|c| !c.ends_with('&')) {
            Some(rest) => (rest.trim_end(), true),
            None => (command, false),
        };
        out.push(Effect::Op(Op::Shell { command: command.into(), background }));
        return;
    }
    if let Some(line) = text.strip_prefix("# ").map(str::trim).filter(|l| !l.is_empty() && !l.contains('\n')) {
        out.push(Effect::Op(Op::Remember { text: line.into(), user: false }));
        return;
    }
    let own = ui.model.own_commands.clone();
    match parse(&text, &own) {
        Parsed::Builtin(command, args) => match (command.run)(args) {
            Outcome::Action(action) => act(ui, action, out),
            Outcome::Op(op) => out.push(Effect::Op(op)),
            Outcome::Theme(name) => theme(ui, &name),
        },
        Parsed::Own(name, args) => {
            ui.awaiting = !ui.busy();
            out.push(Effect::Op(Op::Slash { name: name.into(), args: args.into() }));
        }
        Parsed::Unknown(name, near) => {
            let hint = near.map_or_else(|| "/help lists the commands".to_owned(), |n| format!("did you mean /{n}? Up brings the line back"));
            ui.notice(Level::Warning, format!("There is no command /{name}; nothing was sent."), hint);
        }
        Parsed::NotACommand => {
            ui.awaiting = ui.awaiting || ui.model.turn_since.is_none();
            out.push(Effect::Op(Op::UserTurn { text, images: Vec::new() }));
        }
    }
}

fn theme(ui: &mut Ui, name: &str) {
    if name.is_empty() {
        let now = ui.theme.name.clone();
        ui.notice(Level::Output, format!("Colours: {now}. There are {}.", Theme::built_in_names().join(", ")), "/theme NAME switches");
        return;
    }
    match Theme::load(name, ui.themes_dir.as_deref(), ui.no_color) {
        Ok(theme) => {
            ui.theme = theme;
            // Finished cells hold their old colours.
            ui.cache = crate::ui::cells::Cache::default();
        }
        Err(why) => ui.notice(Level::Warning, why, ""),
    }
}
