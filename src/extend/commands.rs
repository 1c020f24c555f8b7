//! Own slash commands: Markdown files whose text becomes a message (SPEC X5).
//!
//! Must not: run anything that stands in them.

use super::files::{clean_name, find, is_markdown, read, read_inside};
use crate::config::{Paths, Warning};
use crate::util::text::one_line;
use std::collections::BTreeMap;
use std::path::Path;

/// One own command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwnCommand {
    /// Without the slash; `folder:file` for files in folders.
    pub name: String,
    /// From the head, else the first line.
    pub description: String,
    /// What is sent, with placeholders.
    pub template: String,
}

/// All own commands, sorted by name; the project's come before the person's.
#[must_use]
pub fn discover(paths: &Paths, project: &Path) -> (Vec<OwnCommand>, Vec<Warning>) {
    let (mut by_name, mut warnings) = (BTreeMap::new(), Vec::new());
    let own = [project.join(".tui-agent/commands"), project.join(".claude/commands")].map(|d| (d, true));
    let user = [paths.config.join("commands"), paths.home.join(".claude/commands")].map(|d| (d, false));
    for (dir, ours) in own.into_iter().chain(user) {
        for path in find(&dir, &is_markdown) {
            let read = if ours { read_inside(&path, project, &mut warnings) } else { read(&path, &mut warnings) };
            let Some(document) = read else { continue };
            let relative = path.strip_prefix(&dir).unwrap_or(&path).with_extension("");
            let name = relative.iter().map(|p| clean_name(&p.to_string_lossy())).collect::<Vec<_>>().join(":");
            let template = document.body.trim().to_owned();
            if name.is_empty() || template.is_empty() {
                continue;
            }
            let description = one_line(&document.text(&["description"]).unwrap_or_else(|| template.clone()), 120);
            by_name.entry(name.clone()).or_insert(OwnCommand { name, description, template });
        }
    }
    (by_name.into_values().collect(), warnings)
}

impl OwnCommand {
    /// The message: `$ARGUMENTS` is all that was typed, `$1` to `$9` its words. Without a placeholder what was typed
    /// stands at the end. What is put in is not looked at again.
    #[must_use]
    pub fn expand(&self, args: &str) -> String {
        let args = args.trim();
        let words: Vec<&str> = args.split_whitespace().collect();
        let (mut out, mut rest, mut used) = (String::new(), self.template.as_str(), false);
        while let Some(at) = rest.find('$') {
            let (before, from) = rest.split_at(at);
            out.push_str(before);
            let digit = from.as_bytes().get(1).copied().filter(|b| (b'1'..=b'9').contains(b));
            let alone = from.as_bytes().get(2).is_none_or(|b| !b.is_ascii_digit());
            if let Some(after) = from.strip_prefix("$ARGUMENTS") {
                out.push_str(args);
                (rest, used) = (after, true);
            } else if let Some(digit) = digit.filter(|_| alone) {
                out.push_str(words.get(usize::from(digit - b'1')).copied().unwrap_or_default());
                (rest, used) = (from.get(2..).unwrap_or_default(), true);
            } else {
                out.push('$');
                rest = from.get(1..).unwrap_or_default();
            }
        }
        out.push_str(rest);
        if !used && !args.is_empty() {
            out.push_str("\n\nArguments: ");
            out.push_str(args);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn command(template: &str) -> OwnCommand {
        OwnCommand { name: "x".into(), description: String::new(), template: template.into() }
    }

    #[test]
    fn x5_placeholders() {
        assert_eq!(command("Say hello to $ARGUMENTS, MARK.").expand(" W now "), "Say hello to W now, MARK.");
        assert_eq!(command("$2-$1-$3 costs $10 and $x$").expand("a $1"), "$1-a- costs $10 and $x$");
        assert_eq!(command("Do it").expand("fast"), "Do it\n\nArguments: fast");
        assert_eq!(command("Do it").expand(""), "Do it");
    }

    #[test]
    fn x5_the_project_comes_before_the_person() {
        let root = tempfile::tempdir().unwrap();
        let at = |p: &str| root.path().join(p);
        let paths = Paths { config: at("c"), state: at("s"), home: at("h") };
        for (path, text) in [
            ("p/.tui-agent/commands/greet.md", "---\ndescription: greets\nallowed-tools: Bash\n---\nPROJECT\n"),
            ("c/commands/greet.md", "USER\n"),
            ("c/commands/git/log me.md", "first line\nsecond\n"),
            ("p/.claude/commands/empty.md", "---\ndescription: nothing\n---\n"),
        ] {
            fs::create_dir_all(at(path).parent().unwrap()).unwrap();
            fs::write(at(path), text).unwrap();
        }
        let (commands, warnings) = discover(&paths, &at("p"));
        let all: Vec<_> = commands.iter().map(|c| (c.name.as_str(), c.description.as_str(), c.template.as_str())).collect();
        assert_eq!((all, warnings.len()), (vec![("git:log-me", "first line…", "first line\nsecond"), ("greet", "greets", "PROJECT")], 0));
    }
}
