//! How servers start, or do not.

use super::*;
use crate::tools::{Access, Class};
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

/// The acceptance server: noise before the first message, then as usual.
#[tokio::test]
async fn i02_noise_before_messages_is_skipped() {
    let mut w = World::one(&["noise"]);
    let tools = w.ready().await;
    assert_eq!(w.call(&tools, "mcp__echo__shout", "quietmark").await.text, "HEARD QUIETMARK");
    let status = w.connections.status_lines();
    assert!(status[0].starts_with("echo: ready, 10 tools; 3 lines of output"), "{status:?}");
}

#[tokio::test]
async fn i02_a_server_that_never_answers_is_reported_and_holds_up_nobody() {
    let limits = Limits { start: LONG, call: LONG };
    let mut w = World::begin(limits, |dir| vec![server(dir, "good", &[]), server(dir, "mute", &["silent"])]);
    assert!(w.connections.status_lines()[0].starts_with("good: starting"), "start does not wait");
    assert!(matches!(w.event().await, McpEvent::Ready { server, .. } if server == "good"));
    assert!(w.connections.status_lines()[1].starts_with("mute: starting"));
    w.connections.shutdown().await;

    for silent in [["silent"].as_slice(), &["stubborn", "silent"]] {
        let mut w = World::begin(Limits { start: SHORT, call: LONG }, |dir| vec![server(dir, "mute", silent)]);
        let event = w.event().await;
        assert!(matches!(&event, McpEvent::Failed { server, reason } if server == "mute" && reason.starts_with("no answer within 0.3 s")), "{event:?}");
        assert!(w.connections.status_lines()[0].starts_with("mute: failed: no answer"));
    }
}

#[cfg(unix)]
#[tokio::test]
async fn an_echo_of_our_own_messages_is_no_answer() {
    let cat = |dir: &Path| Endpoint::Stdio { command: "cat".into(), args: vec![], env: vec![], cwd: dir.to_path_buf() };
    let mut w = World::begin(Limits { start: SHORT, call: LONG }, |dir| vec![Server { name: "cat".into(), endpoint: cat(dir), timeout: None }]);
    assert!(w.reason().await.starts_with("no answer"));
}

#[tokio::test]
async fn i02_a_server_that_ends_at_once_tells_why() {
    let mut w = World::begin(Limits { start: LONG, call: LONG }, |dir| {
        let mut crash = server(dir, "crash", &["crash"]);
        if let Endpoint::Stdio { env, .. } = &mut crash.endpoint {
            env.push(("API_KEY".into(), "sk-very-secret".into()));
        }
        vec![crash]
    });
    let reason = w.reason().await;
    // R9: it printed its key.
    assert_eq!(reason, "it ended before it answered (exit code 1): Traceback: No module named 'definitions' (key •••)");
}

#[tokio::test]
async fn a_missing_program_or_folder_is_named() {
    let mut w = World::begin(Limits { start: LONG, call: LONG }, |dir| {
        let at = |command: &str, cwd: &Path| Endpoint::Stdio { command: command.into(), args: vec![], env: vec![], cwd: cwd.to_path_buf() };
        vec![Server { name: "a".into(), endpoint: at("no-such-program-here", dir), timeout: None }]
    });
    assert!(w.reason().await.starts_with("cannot run no-such-program-here"));
    let gone = |dir: &Path| Endpoint::Stdio { command: "python3".into(), args: vec![], env: vec![], cwd: dir.join("gone") };
    let mut w = World::begin(Limits { start: LONG, call: LONG }, |dir| vec![Server { name: "a".into(), endpoint: gone(dir), timeout: None }]);
    let reason = w.reason().await;
    assert!(reason.contains("gone does not exist"), "{reason}");
    let odd = |dir: &Path| Endpoint::Stdio { command: "python3".into(), args: vec![], env: vec![("A=B".into(), "x".into())], cwd: dir.to_path_buf() };
    let mut w = World::begin(Limits { start: LONG, call: LONG }, |dir| vec![Server { name: "a".into(), endpoint: odd(dir), timeout: None }]);
    assert!(w.reason().await.contains("A=B"));
}

#[tokio::test]
async fn i02_two_servers_with_one_tool_name_are_told_apart() {
    let mut w = World::begin(Limits { start: LONG, call: LONG }, |dir| vec![server(dir, "a.b", &[]), server(dir, "a b", &[])]);
    let (one, two) = (w.ready().await, w.ready().await);
    let mut all = [names(&one), names(&two)].concat();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 20, "{all:?}");
    let has = |name: &str| all.iter().any(|n| n == name);
    assert!(has("mcp__a_b__shout") && has("mcp__a_b_2__shout"));
    let both = [one, two].concat();
    for name in ["mcp__a_b__shout", "mcp__a_b_2__shout"] {
        assert_eq!(w.call(&both, name, "x").await.text, "HEARD X");
    }
}

#[tokio::test]
async fn lists_come_in_pages_and_a_broken_entry_costs_nothing() {
    let mut w = World::one(&["pages"]);
    let tools = w.ready().await;
    assert_eq!(names(&tools), ["mcp__echo__broken0", "mcp__echo__broken1", "mcp__echo__broken2", "mcp__echo__t0", "mcp__echo__t1", "mcp__echo__t2"]);
    let mut w = World::one(&["pages", "endless"]);
    assert_eq!(w.ready().await.len(), 100, "a list without end is cut");
    let mut w = World::one(&["none"]);
    assert!(w.ready().await.is_empty(), "a server without tools is no fault");
}

/// T1, R2: what a tool is to the model and to the policy; a hint that it only reads is not believed.
#[tokio::test]
async fn a_tool_says_nothing_about_itself_that_we_do_not_know() {
    let mut w = World::one(&[]);
    let tools = w.ready().await;
    let shout = named(&tools, "mcp__echo__shout");
    let spec = shout.spec();
    assert_eq!((spec.description.as_str(), spec.schema["type"].as_str()), ("DESC shout", Some("object")));
    assert_eq!(shout.class(&input("x")), Class::Write);
    assert_eq!(shout.access(&input("x"), &w.context()), Ok(Access::default()));
    assert_eq!(shout.title(&input("two\nlines")), "echo · shout word=two…");
}

/// Kills its process at the end.
struct Web(Child, u16);

impl Drop for Web {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn web(dir: &Path) -> Web {
    let script = dir.join("http_server.py");
    std::fs::write(&script, include_str!("http_server.py")).unwrap();
    let mut child = Command::new("python3").arg(script).arg("right-token").stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    Web(child, line.trim().parse().unwrap())
}

#[tokio::test]
async fn x4_streamable_http_with_headers() {
    let dir = tempfile::tempdir().unwrap();
    let web = web(dir.path());
    let at = |name: &str, token: &str| Server {
        name: name.into(),
        endpoint: Endpoint::Http {
            url: format!("http://127.0.0.1:{}/mcp?k=hidden", web.1),
            headers: vec![("Authorization".into(), format!("Bearer {token}"))],
        },
        timeout: None,
    };
    let mut w = World::begin(Limits { start: LONG, call: LONG }, |_| vec![at("web", "right-token")]);
    let tools = w.ready().await;
    assert_eq!(w.call(&tools, "mcp__web__shout", "é").await.text, "HTTP é");
    assert!(!w.connections.status_lines()[0].contains("hidden"), "{:?}", w.connections.status_lines());

    let mut wrong = World::begin(Limits { start: LONG, call: LONG }, |_| vec![at("web", "wrong-token")]);
    let reason = wrong.reason().await;
    assert!(reason.contains("401") || reason.contains("authorization"), "{reason}");
    assert!(!reason.contains("wrong-token") && !reason.contains("hidden"), "{reason}");

    drop(web);
    let gone = w.call(&tools, "mcp__web__shout", "x").await;
    assert!(gone.is_error && !gone.text.contains("hidden") && !gone.text.contains("right-token"), "{}", gone.text);
}
