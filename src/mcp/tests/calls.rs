//! Calls: good, refused, cancelled, too slow, too long.

use super::*;
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn i02_an_error_result_is_an_error_for_the_model_alone() {
    let mut w = World::one(&[]);
    let tools = w.ready().await;
    let failed = w.call(&tools, "mcp__echo__fail", "").await;
    assert!(failed.is_error);
    assert_eq!(failed.text, "no such table");
    let odd = w.call(&tools, "mcp__echo__odd", "").await;
    assert!(odd.is_error && odd.text.contains("refused the call: no tools/call"), "{}", odd.text);
    let new = w.call(&tools, "mcp__echo__new", "").await;
    assert!(!new.is_error && new.text.contains("still here") && new.text.contains("hologram"), "{}", new.text);
    assert_eq!(w.call(&tools, "mcp__echo__shout", "x").await.text, "HEARD X", "it goes on");
}

#[tokio::test]
async fn l7_a_cancelled_call_ends_and_the_server_is_told() {
    let mut w = World::one(&[]);
    let tools = w.ready().await;
    let hang = named(&tools, "mcp__echo__hang");
    let mut ctx = w.context();
    ctx.cancel = CancellationToken::new();
    let cancel = ctx.cancel.clone();
    let running = tokio::spawn(async move { hang.run(&input("x"), &ctx).await });
    // Answered after the call before it was sent: the server has both.
    w.call(&tools, "mcp__echo__shout", "x").await;
    cancel.cancel();
    let outcome = tokio::time::timeout(LONG, running).await.unwrap().unwrap();
    assert!(outcome.is_error && outcome.text.starts_with("interrupted"), "{}", outcome.text);
    told(&w, &tools).await;
    assert_eq!(w.call(&tools, "mcp__echo__shout", "y").await.text, "HEARD Y");
}

#[tokio::test]
async fn a_call_that_is_dropped_is_cancelled_too() {
    let mut w = World::one(&[]);
    let tools = w.ready().await;
    let hang = named(&tools, "mcp__echo__hang");
    let ctx = w.context();
    let running = tokio::spawn(async move { hang.run(&input("x"), &ctx).await });
    w.call(&tools, "mcp__echo__shout", "x").await;
    running.abort();
    assert!(running.await.is_err());
    told(&w, &tools).await;
}

/// Until the server has heard of the cancel; every question is a message later than the one before.
async fn told(w: &World, tools: &[Arc<dyn Tool>]) {
    let asked = async {
        while !w.call(tools, "mcp__echo__notices", "").await.text.contains("notifications/cancelled") {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LONG, asked).await.unwrap();
}

#[tokio::test]
async fn a_call_without_answer_ends_at_its_limit() {
    let mut w = World::begin(Limits { start: LONG, call: SHORT }, |dir| vec![server(dir, "echo", &[])]);
    let tools = w.ready().await;
    let outcome = w.call(&tools, "mcp__echo__hang", "").await;
    assert!(outcome.is_error && outcome.text.contains("did not answer within 0.3 s"), "{}", outcome.text);
    let mut w = World::begin(Limits { start: LONG, call: LONG }, |dir| {
        let mut own = server(dir, "echo", &[]);
        own.timeout = Some(SHORT);
        vec![own]
    });
    let tools = w.ready().await;
    assert!(w.call(&tools, "mcp__echo__hang", "").await.is_error, "its own limit holds");
}

#[tokio::test]
async fn t5_a_long_answer_is_cut_and_kept_whole() {
    let mut w = World::one(&[]);
    let tools = w.ready().await;
    let outcome = w.call(&tools, "mcp__echo__long", "").await;
    assert!(outcome.text.chars().count() <= 50_000 && outcome.text.starts_with("HEAD") && outcome.text.ends_with("TAIL"));
    let kept = w.context().spill_dir.join("call-1.txt");
    assert!(outcome.text.contains(&*kept.to_string_lossy()));
    assert_eq!(std::fs::read(kept).unwrap().len(), 60_008);
}

#[tokio::test]
async fn i02_many_calls_at_once_get_their_own_answers() {
    let mut w = World::one(&["noise"]);
    let tools = w.ready().await;
    let shout = named(&tools, "mcp__echo__shout");
    let calls: Vec<_> = (0..50)
        .map(|n| {
            let (shout, ctx) = (Arc::clone(&shout), w.context());
            tokio::spawn(async move { (n, shout.run(&input(&format!("n{n}")), &ctx).await.text) })
        })
        .collect();
    for call in calls {
        let (n, text) = call.await.unwrap();
        assert_eq!(text, format!("HEARD N{n}"));
    }
}
