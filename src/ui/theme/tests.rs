//! Tests of the themes.

use super::*;

#[test]
fn u7_all_built_in_themes_load_and_plain_has_no_colour() {
    for name in Theme::built_in_names() {
        let theme = Theme::load(name, None, false).unwrap();
        assert_eq!(theme.name, name);
    }
    let plain = Theme::load("dark", None, true).unwrap();
    assert_eq!(plain.name, "plain");
    for style in [
        plain.text,
        plain.muted,
        plain.accent,
        plain.good,
        plain.warn,
        plain.bad,
        plain.busy,
        plain.heading,
        plain.code,
        plain.link,
        plain.border,
        plain.selected,
    ] {
        assert_eq!((style.fg, style.bg), (None, None));
    }
    assert_eq!(Theme::default().accent.fg, Some(Color::Cyan), "the built-in file was read");
}

#[test]
fn u7_a_theme_of_the_user_goes_over_the_defaults_and_mistakes_are_named() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("mine.toml"), "[styles]\naccent = { fg = \"#ff0000\", bold = true }\n").unwrap();
    std::fs::write(dir.path().join("bad.toml"), "[styles]\naccent = { fg = \"blau\" }\n").unwrap();
    std::fs::write(dir.path().join("odd.toml"), "[styles]\nacent = {}\n").unwrap();
    let mine = Theme::load("mine", Some(dir.path()), false).unwrap();
    assert_eq!(mine.accent, Style::new().fg(Color::Rgb(255, 0, 0)).add_modifier(Modifier::BOLD));
    assert_eq!(mine.good, Theme::default().good);
    assert!(Theme::load("bad", Some(dir.path()), false).unwrap_err().contains("blau"));
    assert!(Theme::load("odd", Some(dir.path()), false).unwrap_err().contains("acent"));
    assert!(Theme::load("none", Some(dir.path()), false).unwrap_err().contains("high-contrast"));
    assert!(Theme::load("../mine", Some(dir.path()), false).is_err());
}
