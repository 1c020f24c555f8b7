//! CASES G03 with real git: no program of a repository's own settings runs for a command that counts as reading.

use super::*;

/// Commands that count as reading in a plain repository.
const READING: [&str; 14] = [
    "git status",
    "git status -sb",
    "git diff",
    "git diff HEAD",
    "git log -p",
    "git log --oneline",
    "git show",
    "git blame f.txt",
    "git grep -n needle",
    "git describe --always --dirty",
    "git ls-files -m",
    "git branch -v",
    "git stash list",
    "git shortlog -sn HEAD",
];

struct Repo {
    dir: tempfile::TempDir,
}

impl Repo {
    fn new() -> Self {
        let repo = Self { dir: tempfile::tempdir().unwrap() };
        init(repo.path());
        repo
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn verdict(&self, dir: &Path, line: &str) -> Result<(), String> {
        let dirs = [dir.to_path_buf()];
        parse(line).unwrap().iter().try_for_each(|c| reads(c, Place { dirs: &dirs, home: self.path() }).map(|_| ()))
    }

    /// Runs the commands that count as reading; none of them may leave the mark.
    fn assert_unmarked(&self, dir: &Path, what: &str) {
        for line in READING {
            if self.verdict(dir, line).is_ok() {
                shell(dir, line);
                assert!(!self.path().join("MARK").exists(), "{what}: {line} ran a program");
            }
        }
    }
}

fn git(dir: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    let out = command.args(args).current_dir(dir).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null").output().unwrap();
    assert!(out.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&out.stderr));
}

fn shell(dir: &Path, line: &str) {
    let mut command = Command::new("bash");
    command.args(["-c", line]).current_dir(dir).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null").stdin(Stdio::null());
    let _ = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
}

fn init(dir: &Path) {
    git(dir, &["init", "-q", "."]);
    git(dir, &["config", "user.name", "n"]);
    git(dir, &["config", "user.email", "e@x"]);
    std::fs::write(dir.join("f.txt"), "needle\n").unwrap();
    std::fs::write(dir.join(".gitattributes"), "*.txt diff=d filter=d\n").unwrap();
    git(dir, &["add", "."]);
    git(dir, &["commit", "-qm", "first"]);
    std::fs::write(dir.join("f.txt"), "needle changed\n").unwrap();
}

#[test]
fn a_plain_repository_is_harmless() {
    let repo = Repo::new();
    std::fs::create_dir(repo.path().join("sub")).unwrap();
    for line in READING {
        assert_eq!(repo.verdict(repo.path(), line), Ok(()), "{line}");
        assert_eq!(repo.verdict(&repo.path().join("sub"), line), Ok(()), "{line}");
    }
    assert_eq!(super::git::check(Path::new("/nonexistent/x")), Ok(()));
}

#[test]
fn g03_programs_named_in_the_repositorys_configuration() {
    for (key, is_run) in [
        ("diff.external", true),
        ("core.fsmonitor", true),
        ("diff.d.command", true),
        ("diff.d.textconv", true),
        ("filter.d.clean", true),
        ("filter.d.process", true),
        ("core.pager", false),
        ("pager.log", false),
        ("core.sshCommand", false),
        ("gpg.program", false),
        ("credential.helper", false),
        ("include.path", false),
        ("interactive.diffFilter", false),
        ("alias.status", false),
    ] {
        let repo = Repo::new();
        let mark = repo.path().join("MARK");
        git(repo.path(), &["config", key, &format!("!touch '{}';false", mark.display())[usize::from(key != "alias.status")..]]);
        assert!(repo.verdict(repo.path(), "git status").is_err(), "{key}");
        repo.assert_unmarked(repo.path(), key);
        if is_run {
            // Else the test would prove nothing.
            for line in READING {
                shell(repo.path(), line);
            }
            assert!(mark.exists(), "{key} was expected to run");
        }
    }
}

#[test]
fn g03_hooks_worktrees_and_odd_places_of_the_configuration() {
    let repo = Repo::new();
    let touch = format!("touch '{}';false", repo.path().join("MARK").display());
    // The one hook that reading commands run.
    let hook = repo.path().join(".git/hooks/post-index-change");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, format!("#!/bin/sh\n{touch}\n")).unwrap();
    shell(repo.path(), "chmod +x .git/hooks/post-index-change");
    assert!(repo.verdict(repo.path(), "git status").is_err());
    repo.assert_unmarked(repo.path(), "hook");
    std::fs::rename(&hook, repo.path().join("post-index-change")).unwrap();
    assert_eq!(repo.verdict(repo.path(), "git status"), Ok(()));
    git(repo.path(), &["config", "core.hooksPath", "."]);
    assert!(repo.verdict(repo.path(), "git status").is_err());
    git(repo.path(), &["config", "--unset", "core.hooksPath"]);
    // A linked work tree has its settings elsewhere.
    git(repo.path(), &["worktree", "add", "-q", "linked"]);
    let linked = repo.path().join("linked");
    assert_eq!(repo.verdict(&linked, "git status"), Ok(()));
    git(repo.path(), &["config", "extensions.worktreeConfig", "true"]);
    git(&linked, &["config", "--worktree", "core.fsmonitor", &touch]);
    assert!(repo.verdict(&linked, "git status").is_err());
    assert_eq!(repo.verdict(repo.path(), "git status"), Ok(()));
    repo.assert_unmarked(&linked, "worktree");
    // A folder that only looks like the inside of a repository.
    let fake = repo.path().join("fake");
    std::fs::create_dir_all(fake.join("objects")).unwrap();
    std::fs::create_dir_all(fake.join("refs")).unwrap();
    std::fs::write(fake.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    std::fs::write(fake.join("config"), format!("[core]\nrepositoryformatversion=0\nworktree=..\nfsmonitor=\"{touch}\"\n")).unwrap();
    assert!(repo.verdict(&fake, "git status").is_err());
    assert!(repo.verdict(repo.path(), "git -C fake status").is_err());
    repo.assert_unmarked(&fake, "fake");
    shell(&fake, "git status");
    assert!(repo.path().join("MARK").exists(), "the folder was expected to count as a repository");
}

#[test]
fn g03_submodules_are_entered_by_git_and_so_by_us() {
    for version in ["2", "4"] {
        let repo = Repo::new();
        let touch = format!("touch '{}';false", repo.path().join("MARK").display());
        let sub = repo.path().join("deep/inner");
        std::fs::create_dir_all(&sub).unwrap();
        init(&sub);
        git(repo.path(), &["add", "deep/inner"]);
        git(repo.path(), &["update-index", "--index-version", version]);
        assert_eq!(repo.verdict(repo.path(), "git status"), Ok(()));
        git(&sub, &["config", "core.fsmonitor", &touch]);
        assert!(repo.verdict(repo.path(), "git status").is_err(), "index version {version}");
        repo.assert_unmarked(repo.path(), "submodule");
        shell(repo.path(), "git status");
        assert!(repo.path().join("MARK").exists(), "git was expected to enter the submodule");
    }
}

#[test]
fn an_index_that_is_not_understood_is_not_harmless() {
    let repo = Repo::new();
    let index = repo.path().join(".git/index");
    let whole = std::fs::read(&index).unwrap();
    for bytes in [&whole[..40], b"DIRX\0\0\0\x02\0\0\0\x01", b"", b"DIRC\0\0\0\x09\0\0\0\0", b"DIRC\0\0\0\x02\xff\xff\xff\xff"] {
        std::fs::write(&index, bytes).unwrap();
        assert!(repo.verdict(repo.path(), "git status").is_err());
    }
    std::fs::remove_file(&index).unwrap();
    git(repo.path(), &["read-tree", "HEAD"]);
    assert_eq!(repo.verdict(repo.path(), "git status"), Ok(()));
    git(repo.path(), &["update-index", "--split-index"]);
    assert!(repo.verdict(repo.path(), "git status").is_err());
}

#[test]
fn configuration_is_read_as_git_reads_it() {
    let text = "\u{feff}# x\n[core] FSMonitor = a\\\nb ; c\r\n[Diff \"A b\"]\n\tcommand = \"x # y\" z # w\n[diff.Old]textconv\n[a]\n  k-1=\"q\\\"\\\\\\t.\"\n";
    let want = [("core.fsmonitor", "ab"), ("diff.A b.command", "x # y z"), ("diff.old.textconv", "true"), ("a.k-1", "q\"\\\t.")];
    let got = super::git::read_config(text).unwrap();
    assert_eq!(got.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect::<Vec<_>>(), want);
    let bad = super::git::dangerous_keys(got.iter().map(|(k, v)| (k.as_str(), v.as_str())));
    assert_eq!(bad, ["core.fsmonitor", "diff.A b.command", "diff.old.textconv"]);
    for broken in ["[core", "[core]\n1x=2", "[core]\nx y", "[core]\nx=\"", "[core]\nx=\\q", "[a \"b]\n", "[a b]", "=x", "[a]\nx=\"\n\""] {
        assert!(super::git::read_config(broken).is_err(), "{broken:?}");
    }
    let harmless = [
        ("core.fsmonitor", "true"),
        ("pager.log", "false"),
        ("alias.co", "checkout"),
        ("user.name", "x"),
        ("remote.origin.url", "x"),
        ("branch.main.merge", "y"),
        ("submodule.a.update", "rebase"),
    ];
    assert!(super::git::dangerous_keys(harmless.into_iter()).is_empty());
}
