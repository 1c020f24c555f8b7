//! Key bindings from `assets/keymap.toml` and `[keys]` of the configuration.
//!
//! Must not: know the terminal library; keys are plain data here. A bad entry is a warning, never an end.

use super::schema::Warning;
use crate::action::Action;
use crate::util::near::nearest;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

#[cfg(test)]
mod tests;

/// The built-in table.
const BUILT_IN: &str = include_str!("../../assets/keymap.toml");

/// Where a binding holds. Several are looked at in an order that the interface chooses.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Context {
    /// Everywhere, after the more special ones.
    Global,
    /// The input line while it is empty.
    Empty,
    /// The input line.
    Composer,
    /// Pickers and panels.
    List,
    /// A child on the whole screen.
    Agent,
    /// A permission question.
    Dialog,
    /// After "always".
    Always,
    /// Consent before a fan-out.
    FanOut,
    /// The trust question.
    Trust,
    /// Leaving while something runs.
    Exit,
}

impl Context {
    /// All of them, in the order of the help.
    pub const ALL: &'static [Self] =
        &[Self::Global, Self::Composer, Self::Empty, Self::List, Self::Agent, Self::Dialog, Self::Always, Self::FanOut, Self::Trust, Self::Exit];

    /// The name of its section in the table.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Empty => "empty",
            Self::Composer => "composer",
            Self::List => "list",
            Self::Agent => "agent",
            Self::Dialog => "dialog",
            Self::Always => "always",
            Self::FanOut => "fan-out",
            Self::Trust => "trust",
            Self::Exit => "exit",
        }
    }

    /// Its heading in the help.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Global => "Everywhere",
            Self::Empty => "Input line, while empty",
            Self::Composer => "Input line",
            Self::List => "Lists",
            Self::Agent => "Opened subagent",
            Self::Dialog => "Permission question",
            Self::Always => "After “always”",
            Self::FanOut => "Before many subagents start",
            Self::Trust => "Project files",
            Self::Exit => "Leaving",
        }
    }
}

/// The key itself.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum KeyCode {
    /// A character; capitals are characters of their own, without `shift`.
    Char(char),
    /// Enter.
    Enter,
    /// Escape.
    Esc,
    /// Tab.
    Tab,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
    /// Insert.
    Insert,
    /// Up.
    Up,
    /// Down.
    Down,
    /// Left.
    Left,
    /// Right.
    Right,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// A function key.
    F(u8),
}

/// A key with its modifiers, as `ctrl+o`, `shift+tab`, `f2`, `alt+enter`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    /// The key itself.
    pub code: KeyCode,
    /// With Ctrl.
    pub ctrl: bool,
    /// With Alt.
    pub alt: bool,
    /// With Shift; never for characters.
    pub shift: bool,
}

impl Key {
    /// A key without modifiers.
    #[must_use]
    pub const fn plain(code: KeyCode) -> Self {
        Self { code, ctrl: false, alt: false, shift: false }
    }

    /// The character that this key types, if it types one.
    #[must_use]
    pub const fn typed(self) -> Option<char> {
        if let KeyCode::Char(c) = self.code
            && !self.ctrl
            && !self.alt
        {
            Some(c)
        } else {
            None
        }
    }

    /// Short form for hints: `^O`, `⇧⇥`, `↵`, `F1`.
    #[must_use]
    pub fn sign(self) -> String {
        let mut out = String::new();
        if self.ctrl {
            out.push('^');
        }
        if self.alt {
            out.push_str("M-");
        }
        if self.shift {
            out.push('⇧');
        }
        match self.code {
            KeyCode::Char(' ') => out.push_str("space"),
            KeyCode::Char(c) if self.ctrl => out.extend(c.to_uppercase()),
            KeyCode::Char(c) => out.push(c),
            KeyCode::Enter => out.push('↵'),
            KeyCode::Tab => out.push('⇥'),
            KeyCode::Esc => out.push_str("esc"),
            KeyCode::Up => out.push('↑'),
            KeyCode::Down => out.push('↓'),
            KeyCode::Left => out.push('←'),
            KeyCode::Right => out.push('→'),
            KeyCode::F(n) => out.extend(["F".to_owned(), n.to_string()]),
            KeyCode::Backspace | KeyCode::Delete | KeyCode::Insert | KeyCode::Home | KeyCode::End | KeyCode::PageUp | KeyCode::PageDown => {
                out.push_str(&Self::plain(self.code).to_string());
            }
        }
        out
    }
}

/// Names of keys that are not characters.
const NAMED: [(&str, KeyCode); 16] = [
    ("enter", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("insert", KeyCode::Insert),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pageup", KeyCode::PageUp),
    ("pagedown", KeyCode::PageDown),
    ("space", KeyCode::Char(' ')),
    ("plus", KeyCode::Char('+')),
];

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (on, name) in [(self.ctrl, "ctrl+"), (self.alt, "alt+"), (self.shift, "shift+")] {
            if on {
                f.write_str(name)?;
            }
        }
        if let Some((name, _)) = NAMED.iter().find(|(_, code)| *code == self.code) {
            return f.write_str(name);
        }
        match self.code {
            KeyCode::F(n) => write!(f, "f{n}"),
            KeyCode::Char(c) => write!(f, "{c}"),
            KeyCode::Enter
            | KeyCode::Esc
            | KeyCode::Tab
            | KeyCode::Backspace
            | KeyCode::Delete
            | KeyCode::Insert
            | KeyCode::Up
            | KeyCode::Down
            | KeyCode::Left
            | KeyCode::Right
            | KeyCode::Home
            | KeyCode::End
            | KeyCode::PageUp
            | KeyCode::PageDown => Ok(()),
        }
    }
}

impl FromStr for Key {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let mut key = Self::plain(KeyCode::Esc);
        let mut rest = text;
        loop {
            let lower = rest.to_ascii_lowercase();
            let (flag, len) = match () {
                () if lower.starts_with("ctrl+") && rest.len() > 5 => (&mut key.ctrl, 5),
                () if lower.starts_with("alt+") && rest.len() > 4 => (&mut key.alt, 4),
                () if lower.starts_with("shift+") && rest.len() > 6 => (&mut key.shift, 6),
                () => break,
            };
            *flag = true;
            rest = rest.get(len..).unwrap_or_default();
        }
        let lower = rest.to_ascii_lowercase();
        let mut chars = rest.chars();
        key.code = if let Some((_, code)) = NAMED.iter().find(|(name, _)| *name == lower) {
            *code
        } else if let (Some(c), None) = (chars.next(), chars.next()) {
            KeyCode::Char(c)
        } else if let Some(n) = lower.strip_prefix('f').and_then(|n| n.parse().ok()).filter(|n| (1..=24).contains(n)) {
            KeyCode::F(n)
        } else {
            return Err(format!("not a key: {text:?} (for example ctrl+o, shift+tab, f2, alt+enter, a)"));
        };
        Ok(key.normal())
    }
}

impl Key {
    /// Characters carry no `shift`; with Ctrl they are small letters.
    #[must_use]
    pub fn normal(mut self) -> Self {
        if let KeyCode::Char(c) = self.code {
            let c = if self.shift && !self.ctrl { c.to_uppercase().next().unwrap_or(c) } else { c };
            self.code = KeyCode::Char(if self.ctrl { c.to_ascii_lowercase() } else { c });
            self.shift = false;
        }
        self
    }
}

/// All bindings.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Keymap {
    bindings: Vec<(Context, Action, Vec<Key>)>,
    lookup: HashMap<(Context, Key), Action>,
}

impl Keymap {
    /// The built-in table alone.
    #[must_use]
    pub fn built_in() -> Self {
        Self::load(&BTreeMap::new(), Path::new("")).0
    }

    /// The built-in table with `[keys]` of the configuration over it; `file` is named in warnings. An override replaces the keys
    /// of its action wherever the action is bound; a key that another action holds there moves to the new one.
    #[must_use]
    pub fn load(overrides: &BTreeMap<String, Vec<String>>, file: &Path) -> (Self, Vec<Warning>) {
        let mut warnings = Vec::new();
        let mut warn = |message: String| warnings.push(Warning { file: file.to_path_buf(), line: 0, message });
        let mut map = Self::default();
        match BUILT_IN.parse::<toml::Table>() {
            Ok(table) => map.read(&table, &mut warn),
            Err(e) => warn(format!("the built-in key table is damaged: {e}")),
        }
        for (name, keys) in overrides {
            let Some(action) = Action::from_name(name) else {
                let hint = nearest(name, Action::ALL.iter().map(|a| a.name())).map(|n| format!("; did you mean {n:?}?")).unwrap_or_default();
                warn(format!("[keys] {name}: no such action{hint}"));
                continue;
            };
            let parsed: Vec<Key> = keys.iter().filter_map(|k| k.parse().map_err(|e| warn(format!("[keys] {name}: {e}"))).ok()).collect();
            if parsed.is_empty() && !keys.is_empty() {
                continue;
            }
            map.rebind(action, &parsed);
        }
        map.index();
        (map, warnings)
    }

    fn read(&mut self, table: &toml::Table, warn: &mut impl FnMut(String)) {
        for (section, entries) in table {
            let Some(context) = Context::ALL.iter().copied().find(|c| c.name() == section) else {
                warn(format!("key table: no such section [{section}]"));
                continue;
            };
            for (name, keys) in entries.as_table().into_iter().flatten() {
                let Some(action) = Action::from_name(name) else {
                    warn(format!("key table: no such action {name:?}"));
                    continue;
                };
                let keys = keys.as_array().into_iter().flatten().filter_map(toml::Value::as_str);
                let keys = keys.filter_map(|k| k.parse().map_err(|e| warn(format!("key table, {name}: {e}"))).ok()).collect();
                self.bindings.push((context, action, keys));
            }
        }
    }

    fn rebind(&mut self, action: Action, keys: &[Key]) {
        let contexts: Vec<Context> = self.bindings.iter().filter(|b| b.1 == action).map(|b| b.0).collect();
        for (context, other, held) in &mut self.bindings {
            if *other == action {
                *held = keys.to_vec();
            } else if contexts.contains(context) {
                held.retain(|k| !keys.contains(k));
            }
        }
    }

    fn index(&mut self) {
        let place = |action: Action| Action::ALL.iter().position(|a| *a == action);
        self.bindings.sort_by_key(|b| place(b.1));
        self.lookup = self.bindings.iter().flat_map(|(c, a, keys)| keys.iter().map(move |k| ((*c, *k), *a))).collect();
    }

    /// The action of a key in the first of these contexts that binds it.
    #[must_use]
    pub fn find(&self, contexts: &[Context], key: Key) -> Option<Action> {
        contexts.iter().find_map(|c| self.lookup.get(&(*c, key)).copied())
    }

    /// The keys of an action in a context, in the order of the table.
    #[must_use]
    pub fn keys(&self, context: Context, action: Action) -> &[Key] {
        self.bindings.iter().find(|b| b.0 == context && b.1 == action).map_or(&[], |b| &b.2)
    }

    /// The sign of the first key of an action in a context; empty when it has none.
    #[must_use]
    pub fn sign(&self, context: Context, action: Action) -> String {
        self.keys(context, action).first().map(|k| k.sign()).unwrap_or_default()
    }

    /// All bindings of a context, in the order of the table: for the help.
    pub fn of(&self, context: Context) -> impl Iterator<Item = (Action, &[Key])> {
        self.bindings.iter().filter(move |b| b.0 == context).map(|b| (b.1, b.2.as_slice()))
    }
}
