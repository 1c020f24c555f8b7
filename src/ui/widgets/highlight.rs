//! Syntax colours for code, line by line, so that a streamed block never starts over.
//!
//! The syntaxes are read once, on the first coloured line (about 2 ms). Must not: colour very long lines or blocks, or
//! fail: what cannot be coloured stays plain.

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Span;
use std::sync::OnceLock;
use syntect::highlighting::{FontStyle, HighlightIterator, HighlightState, Highlighter, Theme};
use syntect::parsing::{ParseState, ScopeStack, SyntaxSet};
use two_face::theme::{EmbeddedLazyThemeSet, EmbeddedThemeName};

/// Lines of one block that are coloured at most.
pub const MAX_LINES: usize = 1_000;
/// Bytes of one line that are coloured at most.
pub const MAX_LINE: usize = 2_048;

/// Constant data: the syntaxes, as they are compiled in.
static SYNTAXES: OnceLock<SyntaxSet> = OnceLock::new();
/// Constant data: the colour themes, as they are compiled in.
static THEMES: OnceLock<EmbeddedLazyThemeSet> = OnceLock::new();

fn syntaxes() -> &'static SyntaxSet {
    SYNTAXES.get_or_init(two_face::syntax::extra_newlines)
}

fn theme(name: &str) -> Option<&'static Theme> {
    let simple = |s: &str| s.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let wanted = simple(name);
    let found = EmbeddedLazyThemeSet::theme_names().iter().find(|n: &&EmbeddedThemeName| simple(n.as_name()) == wanted)?;
    Some(THEMES.get_or_init(two_face::theme::extra).get(*found))
}

/// Reads the syntaxes now, for a caller that has a moment off the draw path.
pub fn warm() {
    syntaxes();
    THEMES.get_or_init(two_face::theme::extra);
}

/// The state behind the lines of a block that were coloured so far.
#[derive(Clone)]
pub struct Painter {
    state: Option<Box<(ParseState, HighlightState, &'static Theme)>>,
    plain: Style,
    lines: usize,
}

impl std::fmt::Debug for Painter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Painter").field("colours", &self.state.is_some()).field("lines", &self.lines).finish_non_exhaustive()
    }
}

impl Painter {
    /// For a block in a language (a fence's word or a file extension). `theme` is a theme's name in two-face; without
    /// one, or for an unknown language, everything is drawn in `plain`.
    #[must_use]
    pub fn new(language: &str, theme_name: &str, plain: Style) -> Self {
        let state = (!language.is_empty() && !theme_name.is_empty()).then(|| {
            let theme = theme(theme_name)?;
            let syntax = syntaxes().find_syntax_by_token(language)?;
            let colours = HighlightState::new(&Highlighter::new(theme), ScopeStack::new());
            Some(Box::new((ParseState::new(syntax), colours, theme)))
        });
        Self { state: state.flatten(), plain, lines: 0 }
    }

    /// Whether anything gets a colour.
    #[must_use]
    pub fn has_colours(&self) -> bool {
        self.state.is_some()
    }

    /// The coloured pieces of the next line (without its line end).
    pub fn line(&mut self, text: &str) -> Vec<Span<'static>> {
        self.lines += 1;
        let plain = |text: &str| vec![Span::styled(text.to_owned(), self.plain)];
        if self.lines > MAX_LINES || text.len() > MAX_LINE {
            // Colours behind a line that was not read would be wrong.
            self.state = None;
        }
        let Some(state) = &mut self.state else { return plain(text) };
        let (parser, colours, theme) = state.as_mut();
        let line = format!("{text}\n");
        let Ok(changes) = parser.parse_line(&line, syntaxes()) else {
            self.state = None;
            return plain(text);
        };
        let highlighter = Highlighter::new(theme);
        let pieces = HighlightIterator::new(colours, &changes, &line, &highlighter);
        pieces
            .map(|(style, piece)| Span::styled(piece.trim_end_matches('\n').to_owned(), convert(style, self.plain)))
            .filter(|s| !s.content.is_empty())
            .collect()
    }
}

/// Colours as bat's themes mean them: an alpha of 0 is a palette entry, an alpha of 1 the terminal's own colour. Backgrounds are left out.
fn convert(style: syntect::highlighting::Style, plain: Style) -> Style {
    let fg = style.foreground;
    let mut out = match fg.a {
        0 => Style::new().fg(palette(fg.r)),
        1 => Style { fg: None, ..plain },
        _ => Style::new().fg(Color::Rgb(fg.r, fg.g, fg.b)),
    };
    for (font, modifier) in [(FontStyle::BOLD, Modifier::BOLD), (FontStyle::ITALIC, Modifier::ITALIC), (FontStyle::UNDERLINE, Modifier::UNDERLINED)] {
        if style.font_style.contains(font) {
            out = out.add_modifier(modifier);
        }
    }
    out
}

fn palette(n: u8) -> Color {
    match n {
        0 => Color::Black,
        1 => Color::Red,
        2 => Color::Green,
        3 => Color::Yellow,
        4 => Color::Blue,
        5 => Color::Magenta,
        6 => Color::Cyan,
        7 => Color::Gray,
        n => Color::Indexed(n),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(spans: &[Span<'_>]) -> String {
        spans.iter().map(|s| s.content.as_ref()).collect()
    }

    #[test]
    fn u5_code_gets_colours_and_keeps_its_text() {
        let mut p = Painter::new("rust", "base16", Style::new());
        let spans = p.line("fn main() { /* x */ }");
        assert_eq!(text(&spans), "fn main() { /* x */ }");
        assert!(spans.iter().map(|s| s.style).collect::<std::collections::HashSet<_>>().len() > 1);
    }

    #[test]
    fn state_goes_on_from_line_to_line() {
        let mut p = Painter::new("rs", "base16", Style::new());
        p.line("/* a");
        let inside = p.line("fn b");
        assert_eq!(inside.len(), 1, "all comment: {inside:?}");
    }

    #[test]
    fn unknown_languages_no_theme_and_long_lines_stay_plain() {
        let plain = Style::new().fg(Color::Yellow);
        for mut p in [Painter::new("no-such-language", "base16", plain), Painter::new("rust", "", plain), Painter::new("", "base16", plain)] {
            assert_eq!(p.line("fn x"), vec![Span::styled("fn x", plain)]);
        }
        let mut p = Painter::new("rust", "base16", plain);
        let long = "x".repeat(MAX_LINE + 1);
        assert_eq!(p.line(&long), vec![Span::styled(long.clone(), plain)]);
        assert_eq!(p.line("fn x"), vec![Span::styled("fn x", plain)]);
    }

    #[test]
    fn every_theme_of_the_set_is_found_by_its_name() {
        for name in EmbeddedLazyThemeSet::theme_names() {
            assert!(theme(name.as_name()).is_some());
        }
        assert!(theme("base16").is_some() && theme("no such theme").is_none());
    }
}
