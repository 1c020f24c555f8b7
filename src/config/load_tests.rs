//! Configuration files as people write them, with their mistakes.

use super::*;
use crate::config::table;
use std::fs;
use tempfile::TempDir;

fn read(user: &str, project: Option<&str>) -> Config {
    let dir = TempDir::new().unwrap();
    let (u, p) = (dir.path().join("config.toml"), dir.path().join("project.toml"));
    fs::write(&u, user).unwrap();
    if let Some(project) = project {
        fs::write(&p, project).unwrap();
    }
    load(Files { user: &u, user_must_exist: true, project: &p, trusted: project.is_some(), home: Path::new("/people/u") })
}

fn warnings(config: &Config) -> Vec<(usize, String)> {
    config.warnings.iter().map(|w| (w.line, w.message.clone())).collect()
}

#[test]
fn every_key_of_the_table_is_parsed_and_changes_something() {
    for k in table::KEYS {
        let config = read(&format!("{} = {}\n", k.path.replace('*', "\"x.y\""), k.example), None);
        assert_eq!(warnings(&config), [], "{}", k.path);
        assert_ne!(config, Config::default(), "{} changes nothing", k.path);
        assert!(table::docs().contains(&k.path.replace('*', "NAME")));
    }
}

#[test]
fn the_defaults_of_the_table_are_the_defaults_of_the_program() {
    for k in table::KEYS.iter().filter(|k| k.default != "–" && !k.path.contains('*')) {
        let config = read(&format!("{} = {}\n", k.path, k.default), None);
        assert_eq!(config, Config::default(), "{}", k.path);
    }
}

#[test]
fn an_unknown_key_names_file_line_and_the_nearest_key() {
    let config = read("model = \"m\"\n\n[subagents]\n# a comment\nmax_dept = 2\n", None);
    assert_eq!(warnings(&config), [(5, "unknown key `subagents.max_dept`; did you mean `subagents.max_depth`?".into())]);
    assert!(config.warnings[0].to_string().contains("config.toml:5: "));
    assert_eq!((config.model.as_deref(), config.subagents.max_depth), (Some("m"), 1), "the rest counts");

    for (text, near) in [
        ("modle = \"m\"", "`model`"),
        ("max_depth = 2", "`subagents.max_depth`"),
        ("[subagent]\nx = 1", "`subagents`"),
        ("[providers.own]\nbaseurl = \"x\"", "`providers.own.base_url`"),
        ("[models.\"gpt-4.1\"]\nwindw = 5", "`models.gpt-4.1.window`"),
    ] {
        assert!(warnings(&read(text, None))[0].1.contains(near), "{text}: {:?}", warnings(&read(text, None)));
    }
    assert_eq!(warnings(&read("zzzzzzzzzz = 1", None))[0].1, "unknown key `zzzzzzzzzz`", "nothing near, nothing guessed");
}

#[test]
fn bad_values_are_ignored_one_by_one() {
    let config = read(
        "max_turns = \"many\"\ncompact_at = 3\npermission_mode = \"yolo\"\nsubagents = 5\n[ui]\nmouse = 1\nvi = true\n[budget]\ncost_usd = nan\nseconds = -1\n",
        None,
    );
    let mut lines: Vec<usize> = config.warnings.iter().map(|w| w.line).collect();
    lines.sort_unstable();
    assert_eq!(lines, [1, 2, 3, 4, 6, 9, 10], "{:?}", warnings(&config));
    assert!(config.ui.vi);
    assert_eq!(Config { warnings: Vec::new(), ui: Config::default().ui, ..config }, Config::default());
}

#[test]
fn a_syntax_error_is_one_warning_with_its_line() {
    let config = read("model = \"m\"\nbroken = [\n1,,\n", None);
    assert_eq!(config.warnings.len(), 1);
    assert!(config.warnings[0].line >= 2 && config.warnings[0].message.contains("not valid TOML"), "{:?}", config.warnings);
    assert_eq!(config.model, None, "half a file would be a surprise");
}

#[test]
fn missing_files_are_normal_and_unreadable_ones_are_told() {
    let dir = TempDir::new().unwrap();
    let none = dir.path().join("none.toml");
    let files = |user_must_exist| Files { user: &none, user_must_exist, project: dir.path(), trusted: false, home: Path::new("/") };
    assert_eq!(load(files(false)), Config::default());
    assert_eq!(load(files(true)).warnings.len(), 1);
    let folder = load(Files { user: dir.path(), user_must_exist: false, project: dir.path(), trusted: false, home: Path::new("/") });
    assert!(folder.warnings[0].message.contains("not a regular file"));
}

#[test]
fn r7_a_project_counts_only_when_trusted_and_only_tightens() {
    let user = "permission_mode = \"default\"\n[permissions]\nallow = [\"Read\"]\n[budget]\ntokens = 100\n";
    let project = "permission_mode = \"bypass\"\n[permissions]\nallow = [\"Bash(ls)\"]\ndeny = [\"Write\"]\n[budget]\ntokens = 900\nseconds = 5\n[subagents]\nextra_dirs = [\"x\"]\nmax_depth = 3\n";
    let config = read(user, Some(project));
    assert_eq!((config.mode, &config.allow[..], &config.deny[..]), (Mode::Default, &["Read".to_owned(), "Bash(ls)".into()][..], &["Write".to_owned()][..]));
    assert_eq!((config.budget.tokens, config.budget.seconds, config.subagents.max_depth), (Some(100), Some(5.0), 3));
    assert!(config.subagents.extra_dirs.is_empty());
    assert_eq!(config.warnings.len(), 2, "{:?}", config.warnings);
    assert_eq!(read(user, Some("permission_mode = \"plan\"")).mode, Mode::Plan);

    let dir = TempDir::new().unwrap();
    let file = dir.path().join("config.toml");
    fs::write(&file, project).unwrap();
    let untrusted = load(Files { user: Path::new("/nonexistent/x"), user_must_exist: false, project: &file, trusted: false, home: Path::new("/") });
    assert_eq!(untrusted, Config::default());
}

#[test]
fn relative_folders_are_those_of_the_file() {
    let config = read("[subagents]\nextra_dirs = [\"more\", \"~/own\", \"/abs\"]\n", None);
    let dirs = &config.subagents.extra_dirs;
    assert!(dirs[0].is_absolute() && dirs[0].ends_with("more"));
    assert_eq!((dirs[1].as_path(), dirs[2].as_path()), (Path::new("/people/u/own"), Path::new("/abs")));
}

#[test]
fn distances() {
    for (a, b, d) in [("", "", 0), ("max_dept", "max_depth", 1), ("modle", "model", 1), ("abc", "", 3), ("kitten", "sitting", 3)] {
        assert_eq!(distance(a, b), d, "{a} {b}");
    }
}
