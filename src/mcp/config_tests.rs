//! Configurations as people write them, and broken ones.

use super::*;
use std::fs;

struct Place {
    _dir: tempfile::TempDir,
    paths: Paths,
    project: PathBuf,
}

fn place() -> Place {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    for name in ["config", "project", "home"] {
        fs::create_dir(at(name)).unwrap();
    }
    Place { paths: Paths { config: at("config"), state: at("state"), home: at("home") }, project: at("project"), _dir: dir }
}

impl Place {
    fn project(&self, text: &str) -> &Self {
        fs::write(self.project.join(".mcp.json"), text).unwrap();
        self
    }

    fn user(&self, text: &str) -> &Self {
        fs::write(self.paths.config.join("mcp.json"), text).unwrap();
        self
    }

    fn load(&self, trusted: bool) -> (Vec<Server>, Vec<String>) {
        let env = |name: &str| (name == "TOKEN").then(|| "s3cret-value".to_owned());
        load(&self.paths, &self.project, trusted, &env)
    }
}

#[test]
fn r7_an_untrusted_project_has_no_servers() {
    let p = place();
    p.project(r#"{"mcpServers":{"evil":{"command":"/bin/sh","args":["-c","touch /tmp/M1"]}}}"#);
    assert_eq!(p.load(false), (vec![], vec![]));
    p.project("{ broken");
    assert_eq!(p.load(false), (vec![], vec![]), "not even read");
}

#[test]
fn x4_both_kinds_with_variables() {
    let p = place();
    p.project(
        r#"{"mcpServers":{
            "web":{"type":"http","url":"https://x.example/${NONE:-mcp}?key=${TOKEN}","headers":{"Authorization":"Bearer ${TOKEN}"}},
            "files":{"command":"npx","args":["-y","server",1,true],"env":{"A":"${TOKEN}","N":5},"timeout":5000},
            "own":{"type":"stdio","command":"./bin/serve","cwd":"sub"},
            "home":{"command":"~/bin/serve"},
            "off":{"command":"x","disabled":true}
        }}"#,
    );
    let (servers, warnings) = p.load(true);
    assert_eq!(warnings, Vec::<String>::new());
    let stdio = |command: String, args: &[&str], env: &[(&str, &str)], cwd: PathBuf| Endpoint::Stdio {
        command,
        args: args.iter().map(|a| (*a).to_owned()).collect(),
        env: env.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect(),
        cwd,
    };
    let project = p.project.clone();
    let own = project.join("sub/./bin/serve").to_string_lossy().into_owned();
    let home = p.paths.home.join("bin/serve").to_string_lossy().into_owned();
    let right = vec![
        ("files", stdio("npx".into(), &["-y", "server", "1", "true"], &[("A", "s3cret-value"), ("N", "5")], project.clone()), Some(Duration::from_secs(5))),
        ("home", stdio(home, &[], &[], project.clone()), None),
        ("own", stdio(own, &[], &[], project.join("sub")), None),
        (
            "web",
            Endpoint::Http { url: "https://x.example/mcp?key=s3cret-value".into(), headers: vec![("Authorization".into(), "Bearer s3cret-value".into())] },
            None,
        ),
    ];
    let right: Vec<Server> = right.into_iter().map(|(name, endpoint, timeout)| Server { name: name.into(), endpoint, timeout }).collect();
    assert!(servers == right, "{servers:?}");
}

#[test]
fn r9_secrets_are_not_shown() {
    let p = place();
    p.user(
        r#"{"mcpServers":{"w":{"url":"https://x.example/mcp?key=${TOKEN}","headers":{"Authorization":"Bearer ${TOKEN}"}},
            "s":{"command":"run","env":{"API_KEY":"${TOKEN}","PATH":"/usr/bin:/bin"}}}}"#,
    );
    let (servers, _) = p.load(false);
    assert_eq!(servers.len(), 2);
    for server in &servers {
        let shown = format!("{server:?} {}", server.shown());
        assert!(!shown.contains("s3cret"), "{shown}");
    }
}

#[test]
fn a_project_server_replaces_the_users_and_may_switch_it_off() {
    let p = place();
    p.user(r#"{"mcpServers":{"a":{"command":"user"},"b":{"command":"user"},"c":{"command":"user"}}}"#);
    p.project(r#"{"servers":{"a":{"command":"project"},"b":{"disabled":true}}}"#);
    let shown = |trusted| p.load(trusted).0.iter().map(|s| format!("{}={}", s.name, s.shown())).collect::<Vec<_>>();
    assert_eq!(shown(true), ["a=project", "c=user"]);
    assert_eq!(shown(false), ["a=user", "b=user", "c=user"]);
}

#[test]
fn x4_problems_are_warnings_that_name_file_and_server() {
    let p = place();
    p.user("not json");
    p.project(
        r#"{"mcpServers":{"good":{"command":"run"},"list":[],"none":{},"args":{"command":"x","args":"y"},"kind":{"type":"carrier pigeon"},
            "unset":{"command":"x","env":{"K":"${NOT_SET}"}},"ftp":{"url":"ftp://x"},"bad":{"url":"::"},"empty":{"command":""},"time":{"command":"x","timeout":"soon"}}}"#,
    );
    let (servers, warnings) = p.load(true);
    assert_eq!(servers.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["good"]);
    assert!(warnings[0].starts_with("mcp.json: not valid JSON"), "{warnings:?}");
    for (name, what) in [
        ("list", "not an object"),
        ("none", "neither command nor url"),
        ("args", "args is not an array"),
        ("kind", "carrier pigeon"),
        ("unset", "NOT_SET"),
        ("ftp", "ftp"),
        ("bad", "url"),
        ("empty", "empty"),
        ("time", "timeout"),
    ] {
        let of = warnings.iter().filter(|w| w.starts_with(".mcp.json: MCP server") && w.contains(&format!("{name:?}")) && w.contains(what)).count();
        assert_eq!(of, 1, "{name}: {warnings:#?}");
    }
    assert_eq!(warnings.len(), 10);
    for text in ["", "[]", "null", r#"{"mcpServers":[]}"#, r#"{"other":1}"#] {
        assert!(p.project(text).load(true).0.is_empty());
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_file_does_not_hang() {
    let p = place();
    let made = std::process::Command::new("mkfifo").arg(p.project.join(".mcp.json")).status().unwrap();
    assert!(made.success());
    let (servers, warnings) = p.load(true);
    assert!(servers.is_empty() && warnings[0].contains("not a regular file"), "{warnings:?}");
}
