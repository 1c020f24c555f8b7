//! Colours by meaning. Colour means state; every state also has its own sign, so that it reads without colour.

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

#[cfg(test)]
mod tests;

/// The built-in themes: (name, file).
const BUILT_IN: [(&str, &str); 4] = [
    ("dark", include_str!("../../assets/themes/dark.toml")),
    ("light", include_str!("../../assets/themes/light.toml")),
    ("high-contrast", include_str!("../../assets/themes/high-contrast.toml")),
    ("plain", include_str!("../../assets/themes/plain.toml")),
];

/// One style for each meaning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Theme {
    /// `dark`, `light`, `high-contrast`, `plain`, or a file's name.
    pub name: String,
    /// Normal text.
    pub text: Style,
    /// Less important text: folded, hints, ages.
    pub muted: Style,
    /// The person, the focus, the selection's sign.
    pub accent: Style,
    /// Done.
    pub good: Style,
    /// Needs the person, or partial.
    pub warn: Style,
    /// Failed.
    pub bad: Style,
    /// Running.
    pub busy: Style,
    /// Headings.
    pub heading: Style,
    /// Inline code and code blocks without colours.
    pub code: Style,
    /// Links.
    pub link: Style,
    /// Lines between regions.
    pub border: Style,
    /// The selected row.
    pub selected: Style,
    /// Added lines.
    pub added: Style,
    /// Removed lines.
    pub removed: Style,
    /// Changed words in added lines.
    pub added_word: Style,
    /// Changed words in removed lines.
    pub removed_word: Style,
    /// Name of the syntax colour theme in two-face, or empty for no syntax colours.
    pub syntax: String,
}

impl Default for Theme {
    fn default() -> Self {
        let plain = Style::new;
        let mut theme = Self {
            name: "dark".into(),
            text: plain(),
            muted: plain(),
            accent: plain(),
            good: plain(),
            warn: plain(),
            bad: plain(),
            busy: plain(),
            heading: plain(),
            code: plain(),
            link: plain(),
            border: plain(),
            selected: plain(),
            added: plain(),
            removed: plain(),
            added_word: plain(),
            removed_word: plain(),
            syntax: String::new(),
        };
        // A damaged built-in file leaves plain styles; a test keeps that from happening.
        let _ = theme.read(BUILT_IN[0].1);
        theme
    }
}

/// A theme file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    syntax: String,
    #[serde(default)]
    styles: BTreeMap<String, Spec>,
}

/// A style of a theme file.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Spec {
    fg: Option<String>,
    bg: Option<String>,
    bold: bool,
    dim: bool,
    italic: bool,
    underline: bool,
    reversed: bool,
}

impl Spec {
    fn style(&self) -> Result<Style, String> {
        let color = |name: &Option<String>| name.as_ref().map(|n| n.parse::<Color>().map_err(|_| format!("{n:?} is not a colour"))).transpose();
        let mut style = Style { fg: color(&self.fg)?, bg: color(&self.bg)?, ..Style::new() };
        for (on, modifier) in [
            (self.bold, Modifier::BOLD),
            (self.dim, Modifier::DIM),
            (self.italic, Modifier::ITALIC),
            (self.underline, Modifier::UNDERLINED),
            (self.reversed, Modifier::REVERSED),
        ] {
            if on {
                style = style.add_modifier(modifier);
            }
        }
        Ok(style)
    }
}

impl Theme {
    /// The names of the built-in themes.
    #[must_use]
    pub fn built_in_names() -> [&'static str; 4] {
        BUILT_IN.map(|(name, _)| name)
    }

    /// The theme of a name: built in, or `<dir>/<name>.toml`. With `no_color` it is `plain` whatever the name.
    ///
    /// # Errors
    /// Says what is wrong with the name or the file; the caller goes on with the theme that it has.
    pub fn load(name: &str, dir: Option<&Path>, no_color: bool) -> Result<Self, String> {
        let name = if no_color { "plain" } else { name };
        let own = dir.filter(|_| !name.contains(['/', '\\']) && !name.starts_with('.')).map(|d| d.join(format!("{name}.toml")));
        let mut theme = Self::default();
        name.clone_into(&mut theme.name);
        let own_text = if no_color { None } else { own.as_ref().and_then(|p| std::fs::read_to_string(p).ok()) };
        if let Some(text) = own_text {
            let path = own.map(|p| p.display().to_string()).unwrap_or_default();
            theme.read(&text).map_err(|e| format!("{path}: {e}"))?;
        } else if let Some((_, text)) = BUILT_IN.iter().find(|(n, _)| *n == name) {
            theme.read(text)?;
        } else {
            return Err(format!("no theme {name:?}; there are {}", Self::built_in_names().join(", ")));
        }
        Ok(theme)
    }

    /// Take a file over the present styles; what it does not name stays.
    fn read(&mut self, text: &str) -> Result<(), String> {
        let file: File = toml::from_str(text).map_err(|e| e.message().to_owned())?;
        self.syntax = file.syntax;
        for (name, spec) in &file.styles {
            let style = spec.style().map_err(|e| format!("{name}: {e}"))?;
            *self.slot(name).ok_or_else(|| format!("no style is called {name:?}"))? = style;
        }
        Ok(())
    }

    fn slot(&mut self, name: &str) -> Option<&mut Style> {
        Some(match name {
            "text" => &mut self.text,
            "muted" => &mut self.muted,
            "accent" => &mut self.accent,
            "good" => &mut self.good,
            "warn" => &mut self.warn,
            "bad" => &mut self.bad,
            "busy" => &mut self.busy,
            "heading" => &mut self.heading,
            "code" => &mut self.code,
            "link" => &mut self.link,
            "border" => &mut self.border,
            "selected" => &mut self.selected,
            "added" => &mut self.added,
            "removed" => &mut self.removed,
            "added_word" => &mut self.added_word,
            "removed_word" => &mut self.removed_word,
            _ => return None,
        })
    }
}
