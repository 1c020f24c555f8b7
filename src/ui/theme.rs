//! Colours by meaning. Colour means state; every state also has its own sign, so that it reads without colour.

use ratatui::style::{Color, Modifier, Style};

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
        let fg = |c| Style::new().fg(c);
        Self {
            name: "dark".into(),
            text: Style::new(),
            muted: fg(Color::DarkGray),
            accent: fg(Color::Cyan),
            good: fg(Color::Green),
            warn: fg(Color::Yellow),
            bad: fg(Color::Red),
            busy: fg(Color::Blue),
            heading: fg(Color::Cyan).add_modifier(Modifier::BOLD),
            code: fg(Color::Yellow),
            link: fg(Color::Blue).add_modifier(Modifier::UNDERLINED),
            border: fg(Color::DarkGray),
            selected: Style::new().add_modifier(Modifier::REVERSED),
            added: fg(Color::Green),
            removed: fg(Color::Red),
            added_word: fg(Color::Green).add_modifier(Modifier::BOLD),
            removed_word: fg(Color::Red).add_modifier(Modifier::BOLD),
            syntax: "base16".into(),
        }
    }
}
