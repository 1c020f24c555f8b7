//! How servers end: by themselves, and by us without a trace.

use super::*;
use tokio::sync::oneshot;

#[tokio::test]
async fn i02_a_server_that_dies_gives_tool_errors_and_is_reported() {
    let mut w = World::one(&[]);
    let tools = w.ready().await;
    assert_eq!(w.call(&tools, "mcp__echo__shout", "x").await.text, "HEARD X");
    let died = w.call(&tools, "mcp__echo__die", "").await;
    assert!(died.is_error);
    for part in ["echo", "exit code 3", "out of memory"] {
        assert!(died.text.contains(part), "{part}: {}", died.text);
    }
    let event = w.event().await;
    assert!(matches!(&event, McpEvent::Closed { server, reason } if server == "echo" && reason.contains("out of memory")), "{event:?}");
    let later = w.call(&tools, "mcp__echo__shout", "x").await;
    assert!(later.is_error && later.text.contains("is not running"), "{}", later.text);
    assert!(w.connections.status_lines()[0].starts_with("echo: ended: "), "{:?}", w.connections.status_lines());
}

/// R9, T4: its environment has what its configuration sets and not what is hidden; it has no terminal.
#[cfg(unix)]
#[tokio::test]
async fn a_server_has_its_own_session_and_not_our_keys() {
    let mut w = World::begin(Limits { start: LONG, call: LONG }, |dir| {
        let mut own = server(dir, "echo", &[]);
        if let Endpoint::Stdio { env, .. } = &mut own.endpoint {
            env.push(("OWN_VALUE".into(), "mine".into()));
        }
        vec![own]
    });
    let tools = w.ready().await;
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some(), "the test needs a variable to hide");
    let env = w.call(&tools, "mcp__echo__env", "CARGO_MANIFEST_DIR,OWN_VALUE").await;
    assert_eq!(parsed(&env), json!({"CARGO_MANIFEST_DIR": null, "OWN_VALUE": "mine"}));
    let session = parsed(&w.call(&tools, "mcp__echo__session", "").await);
    assert_eq!(session, json!([true, w.dir.path().canonicalize().unwrap()]));
}

/// A server that ignores the end of its input and TERM, with a child that does the same; both hold a named pipe open.
#[cfg(unix)]
async fn stubborn() -> (World, oneshot::Receiver<usize>) {
    let mut hold = std::path::PathBuf::new();
    let mut w = World::begin(Limits { start: LONG, call: LONG }, |dir| {
        hold = dir.join("hold");
        assert!(std::process::Command::new("mkfifo").arg(&hold).status().unwrap().success());
        let mut own = server(dir, "echo", &["stubborn"]);
        if let Endpoint::Stdio { env, .. } = &mut own.endpoint {
            env.push(("HOLD".into(), hold.to_string_lossy().into_owned()));
        }
        vec![own]
    });
    // Ends when the last process that has the pipe is gone.
    let (send, end) = oneshot::channel();
    std::thread::spawn(move || send.send(std::fs::read(hold).unwrap().len()).unwrap_or_default());
    w.ready().await;
    (w, end)
}

#[cfg(unix)]
#[tokio::test]
async fn shutdown_leaves_no_process_behind() {
    let (mut w, end) = stubborn().await;
    tokio::time::timeout(LONG, w.connections.shutdown()).await.unwrap();
    assert_eq!(tokio::time::timeout(LONG, end).await.unwrap().unwrap(), 0);
    assert!(w.events.try_recv().is_err(), "our own end is no event");
}

#[cfg(unix)]
#[tokio::test]
async fn dropping_leaves_no_process_behind() {
    let (w, end) = stubborn().await;
    drop(w.connections);
    assert_eq!(tokio::time::timeout(LONG, end).await.unwrap().unwrap(), 0);
}

#[cfg(unix)]
#[test]
fn the_end_of_the_runtime_leaves_no_process_behind() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut kept = None;
    runtime.block_on(async { kept = Some(stubborn().await) });
    runtime.shutdown_background();
    let (_world, end) = kept.unwrap();
    assert_eq!(end.blocking_recv().unwrap(), 0);
}

#[tokio::test]
async fn settled_waits_for_every_server() {
    let mut w = World::begin(Limits { start: LONG, call: LONG }, |dir| vec![server(dir, "a", &[]), server(dir, "b", &["crash"])]);
    w.connections.settled(LONG).await;
    let lines = w.connections.status_lines();
    assert!(lines[0].starts_with("a: ready") && lines[1].starts_with("b: failed"), "{lines:?}");
    assert!(w.events.try_recv().is_ok() && w.events.try_recv().is_ok());
    w.connections.shutdown().await;
    World::begin(Limits { start: LONG, call: LONG }, |dir| vec![server(dir, "a", &["silent"])]).connections.settled(Duration::ZERO).await;
}
