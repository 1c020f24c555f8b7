//! Types from files, their precedence and their mistakes.

use super::*;
use std::fs;

struct Place {
    root: tempfile::TempDir,
    paths: Paths,
    project: PathBuf,
}

fn place() -> Place {
    let root = tempfile::tempdir().unwrap();
    let at = |p: &str| root.path().join(p);
    let paths = Paths { config: at("config"), state: at("state"), home: at("home") };
    Place { paths, project: at("proj"), root }
}

impl Place {
    fn write(&self, path: &str, text: &str) {
        let path = self.root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn load(&self, trusted: bool) -> (Vec<AgentType>, Vec<Warning>) {
        load(&dirs(&self.paths, &self.project, trusted, &[self.root.path().join("more")]))
    }
}

fn get<'t>(types: &'t [AgentType], name: &str) -> &'t AgentType {
    types.iter().find(|t| t.name == name).unwrap_or_else(|| panic!("{name}"))
}

#[test]
fn s1_the_built_in_types() {
    let (types, warnings) = place().load(true);
    assert_eq!((types.iter().map(|t| t.name.as_str()).collect::<Vec<_>>(), warnings.len()), (vec!["Explore", "Plan", "general-purpose"], 0));
    let explore = get(&types, "Explore");
    assert_eq!(
        (explore.tools_label().as_str(), explore.read_only, explore.load_instructions, explore.effort.as_deref()),
        ("Read, Grep, Glob, Bash", true, false, Some("low"))
    );
    let general = get(&types, "general-purpose");
    assert!(general.tools == ToolSet::All && general.load_instructions && !general.read_only && types.iter().all(|t| t.prompt.len() > 100));
}

#[test]
fn s2_files_of_every_kind() {
    let place = place();
    place.write("config/agents/r.md", "---\nname: reviewer\ndescription: Use when: reviewing\ntools: [Read, Grep, Agent]\ndisallowedTools: Grep\nmodel: fast-1\nmaxTurns: 4\nskills: [git, x]\nload_instructions: no\nbackground: true\npermissionMode: acceptEdits\nisolation: worktree\nbudget:\n  tokens: 10_000\n  cost_usd: 0.5\n---\nBODY\n");
    place.write("config/agents/sub/l.md", "\u{feff}---\r\nname: lister\r\ndescription: L\r\ntools:\r\n  - Read\r\n  - Bash(git log:*)\r\n---\r\nLIST\r\n");
    place.write("home/.claude/agents/c.md", "---\nname: codex-review\ndescription: second opinion\ntools: *\nmodel: inherit\ncolor: blue\n---\nCODEX\n");
    place.write("more/x.md", "---\nname: extra\ndescription: e\nread_only: true\n---\nX\n");
    let (types, warnings) = place.load(false);
    let reviewer = get(&types, "reviewer");
    assert_eq!(
        (reviewer.prompt.as_str(), reviewer.model.as_deref(), reviewer.max_turns, reviewer.skills.len(), reviewer.load_instructions, reviewer.background),
        ("BODY", Some("fast-1"), Some(4), 2, false, true)
    );
    assert_eq!(
        (reviewer.mode, reviewer.isolation.as_deref(), reviewer.budget.tokens, reviewer.budget.cost_usd, reviewer.source_label().as_str()),
        (Some(Mode::AcceptEdits), Some("worktree"), Some(10_000), Some(0.5), "user")
    );
    assert!(reviewer.has_tool("Read") && !reviewer.has_tool("Grep") && !reviewer.has_tool("Write") && reviewer.has_tool("Agent"));
    let lister = get(&types, "lister");
    assert_eq!((&lister.tools, lister.prompt.as_str(), lister.load_instructions), (&ToolSet::List(vec!["Read".into(), "Bash".into()]), "LIST", true));
    let codex = get(&types, "codex-review");
    assert_eq!((&codex.tools, &codex.model), (&ToolSet::All, &None));
    let extra = get(&types, "extra");
    assert!(extra.read_only && extra.source_label().ends_with("x.md"));
    assert_eq!(warnings.len(), 1, "{warnings:?}");
}

#[test]
fn s2_an_incomplete_file_is_a_warning_and_never_silence() {
    let p = place();
    p.write("config/agents/bad.md", "---\nname: bad\n---\nBADBODY\n");
    p.write("config/agents/none.md", "just text\n");
    p.write("config/agents/README.md", "how to use this folder\n");
    p.write("config/agents/huge.md", &"x".repeat(600 * 1024));
    p.write("config/agents/odd.md", "---\nname: odd\ndescription: d\nmaxTurns: many\npermissionMode: yolo\nbackground: perhaps\n---\nB\n");
    let (types, warnings) = p.load(true);
    let told = |file: &str| warnings.iter().filter(|w| w.file.ends_with(file)).map(|w| w.message.clone()).collect::<Vec<_>>();
    assert!(told("bad.md")[0].contains("description") && !told("bad.md")[0].contains("name and"));
    assert!(told("none.md")[0].contains("name and description"));
    assert_eq!((told("README.md").len(), told("huge.md").len(), told("odd.md").len()), (0, 1, 3));
    assert!(types.iter().all(|t| t.name != "bad") && types.iter().any(|t| t.name == "odd"));
}

#[test]
fn s2_project_over_user_over_built_in_and_only_when_trusted() {
    let p = place();
    let file = |body: &str| format!("---\nname: reviewer\ndescription: d\n---\n{body}\n");
    p.write("config/agents/r.md", &file("USER"));
    p.write("proj/.tui-agent/agents/r.md", &file("PROJECT"));
    p.write("proj/.claude/agents/r.md", &file("CLAUDE"));
    p.write("proj/.claude/agents/g.md", "---\nname: general-purpose\ndescription: OWN\n---\nOWNBODY\n");
    let (types, warnings) = p.load(true);
    assert_eq!((get(&types, "reviewer").prompt.as_str(), get(&types, "general-purpose").prompt.as_str(), warnings.len()), ("PROJECT", "OWNBODY", 0));
    assert_eq!(get(&p.load(false).0, "reviewer").prompt, "USER");
    p.write("config/agents/r2.md", &file("TWIN"));
    let (types, warnings) = p.load(false);
    assert_eq!((get(&types, "reviewer").prompt.as_str(), warnings.len()), ("USER", 1));
}

#[test]
fn s4_disabled_types_are_kept() {
    let p = place();
    assert!(load_disabled(&p.paths).is_empty());
    let names: BTreeSet<String> = ["Plan".to_owned(), "x\"y".into()].into();
    save_disabled(&p.paths, &names).unwrap();
    assert_eq!(load_disabled(&p.paths), names);
    p.write("state/agents.json", "{\"disabled\": 5}");
    assert!(load_disabled(&p.paths).is_empty());
}

#[test]
fn names_of_servers_stand_for_their_tools() {
    let p = place();
    p.write("config/agents/m.md", "---\nname: m\ndescription: d\ntools: mcp__git, mcp__web__*, Read\n---\nB\n");
    let (types, _) = p.load(false);
    let m = get(&types, "m");
    assert!(m.has_tool("mcp__git__log") && m.has_tool("mcp__web__get") && !m.has_tool("mcp__gitlab__x") && !m.has_tool("ReadX"));
}
