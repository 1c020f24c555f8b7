//! What the tools share whose work the engine does. Holds no engine.

use super::Outcome;
use futures_util::future::BoxFuture;

/// The answer of `run` where there is no engine to do the work.
#[must_use]
pub fn needs_engine<'a>(tool: &'static str) -> BoxFuture<'a, Outcome> {
    Box::pin(async move { Outcome::error(format!("{tool} needs the engine; it cannot run by itself.")) })
}
