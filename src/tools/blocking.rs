//! Blocking work of the reading tools off the runtime, given up at once on an interrupt.

use super::{Outcome, ToolContext};

/// Run blocking work that changes nothing. When the call is interrupted the answer comes at once; work that hangs in the
/// system (a dead network drive) is left behind.
pub async fn reading(ctx: &ToolContext, work: impl FnOnce() -> Outcome + Send + 'static) -> Outcome {
    let interrupted = || Outcome::error("interrupted");
    if ctx.cancel.is_cancelled() {
        return interrupted();
    }
    tokio::select! {
        biased;
        () = ctx.cancel.cancelled() => interrupted(),
        done = tokio::task::spawn_blocking(work) => done.unwrap_or_else(|_| Outcome::error("the call failed inside the program")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Display;

    #[tokio::test]
    async fn l7_work_that_hangs_does_not_hold_an_interrupt() {
        let dir = tempfile::tempdir().unwrap();
        let ctx = ToolContext::for_test(dir.path());
        let (release, wait) = std::sync::mpsc::channel::<()>();
        let cancel = ctx.cancel.clone();
        let work = move || {
            cancel.cancel();
            let _ = wait.recv();
            Outcome::ok("late", "late", Display::None)
        };
        let outcome = reading(&ctx, work).await;
        drop(release);
        assert!(outcome.is_error && outcome.text == "interrupted");
    }

    #[tokio::test]
    async fn a_panic_becomes_an_error_result() {
        let dir = tempfile::tempdir().unwrap();
        let ctx = ToolContext::for_test(dir.path());
        assert!(reading(&ctx, || panic!("broken")).await.is_error);
    }
}
