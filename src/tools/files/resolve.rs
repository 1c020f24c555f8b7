//! The real place of a path that a model gave (SPEC T3): the permission decision and the access use the same one.
//!
//! Reads links only; must not change anything or decide.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// Links that are followed in one path, at most (as in Linux).
const MAX_LINKS: usize = 40;

/// The absolute path without `.`, `..` and links: `given` is taken from `workspace` when relative, `~` is `home`; `..` is
/// applied to the words (`a/../x` is `x`, whatever `a` is), then every link is followed, also a last one that leads
/// nowhere yet. What does not exist is kept as it is. A circle of links stays unresolved (opening it fails).
#[must_use]
pub fn resolve(workspace: &Path, given: &str, home: Option<&Path>) -> PathBuf {
    let given = given.strip_prefix("file://").unwrap_or(given);
    let expanded = match (given.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => PathBuf::from(given),
    };
    follow(&normal(&workspace.join(expanded)))
}

/// The words of the path with `.` and `..` applied.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            // At the root there is nothing to pop.
            Component::ParentDir => {
                out.pop();
            }
            Component::Normal(name) => out.push(name),
            Component::RootDir | Component::Prefix(_) => out.push(part),
        }
    }
    out
}

/// Follow every link of an absolute, normal path.
fn follow(path: &Path) -> PathBuf {
    let mut todo: VecDeque<OsString> = parts(path);
    let mut done = root(path);
    let mut links = 0;
    while let Some(name) = todo.pop_front() {
        if name == ".." {
            done.pop();
            continue;
        }
        let next = done.join(&name);
        let link = std::fs::symlink_metadata(&next).is_ok_and(|m| m.file_type().is_symlink());
        let target = if link && links < MAX_LINKS { std::fs::read_link(&next).ok() } else { None };
        let Some(target) = target else {
            done = next;
            continue;
        };
        links += 1;
        if target.is_absolute() {
            done = root(&target);
        }
        for part in parts(&target).into_iter().rev() {
            todo.push_front(part);
        }
    }
    done
}

/// The part of an absolute path that is no name: `/`.
fn root(path: &Path) -> PathBuf {
    path.components().take_while(|c| matches!(c, Component::RootDir | Component::Prefix(_))).collect()
}

/// The names of a path, `..` kept, `.` dropped.
fn parts(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter_map(|c| match c {
            Component::Normal(name) => Some(name.to_os_string()),
            Component::ParentDir => Some(OsString::from("..")),
            Component::RootDir | Component::Prefix(_) | Component::CurDir => None,
        })
        .collect()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn d04_the_real_place_is_found_through_links_and_dots() {
        let root = tempfile::tempdir().unwrap();
        let real = root.path().canonicalize().unwrap();
        let (ws, outside) = (real.join("ws"), real.join("outside"));
        std::fs::create_dir_all(ws.join("a")).unwrap();
        std::fs::create_dir(&outside).unwrap();
        symlink(&outside, ws.join("out")).unwrap();
        symlink("../outside/not-yet", ws.join("dangling")).unwrap();
        symlink("loop2", ws.join("loop1")).unwrap();
        symlink("loop1", ws.join("loop2")).unwrap();
        let at = |given: &str| resolve(&ws, given, Some(Path::new("/people/me")));
        assert_eq!(at("out/x.txt"), outside.join("x.txt"));
        assert_eq!(at("out/new/dir/x.txt"), outside.join("new/dir/x.txt"));
        assert_eq!(at("dangling"), outside.join("not-yet"));
        assert_eq!(at("a/../../x"), real.join("x"));
        assert_eq!(at("./a//b/."), ws.join("a/b"));
        assert_eq!(at("/../../etc/x"), Path::new("/etc/x").canonicalize().unwrap_or_else(|_| "/etc/x".into()));
        assert_eq!(at(ws.join("a/n.txt").to_str().unwrap()), ws.join("a/n.txt"));
        assert_eq!(at("~/x"), Path::new("/people/me/x"));
        assert_eq!(at("~other/x"), ws.join("~other/x"));
        assert!(at("loop1").starts_with(&ws));
        assert_eq!(at(""), ws);
    }
}
