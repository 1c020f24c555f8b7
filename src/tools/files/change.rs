//! The one way in which the file tools change a file (SPEC T2, T3, S18): under the file's lock, on content that the
//! agent knows, at the place that was decided about, atomically; what was written becomes known.
//!
//! Must not: decide about permissions, or know which tool asks.

use super::{FileLocks, Hash, atomic, diff, hash, load};
use crate::protocol::{AgentId, Display};
use crate::tools::{Access, Outcome, ToolContext};
use std::path::{Path, PathBuf};

/// Makes the new content from the present one (none when the file does not exist) and a sentence about it,
/// or says in words for the model why not. Pure.
pub type Make = Box<dyn FnOnce(Option<&[u8]>) -> Result<(Vec<u8>, String), String> + Send>;

/// What a change touches: the resolved path, noted as the place that is decided about.
#[must_use]
pub fn access(ctx: &ToolContext, given: &str) -> Access {
    let path = ctx.resolve(given);
    ctx.locks.decide(ctx.agent, &ctx.call, &path);
    Access::write(vec![path])
}

/// The change as it would be now, without writing; none when it would fail.
#[must_use]
pub fn preview(ctx: &ToolContext, given: &str, make: Make) -> Option<Display> {
    let path = ctx.resolve(given);
    let before = present(&path, given).ok()?;
    let (after, _) = make(before.as_deref()).ok()?;
    Some(diff::diff(ctx.relative(&path), before.as_deref(), &after))
}

/// Change a file: resolve, lock, compare, make, write, learn. Once begun the write is finished even if the caller is
/// dropped, so that what is known stays true.
pub async fn change(ctx: &ToolContext, given: &str, make: Make) -> Outcome {
    let path = ctx.resolve(given);
    if let Some(decided) = ctx.locks.decided(ctx.agent, &ctx.call)
        && decided != path
    {
        return Outcome::error(moved(given));
    }
    let lock = ctx.locks.of(&path);
    let guard = tokio::select! {
        guard = lock.lock_owned() => guard,
        () = ctx.cancel.cancelled() => return Outcome::error("interrupted before anything was written"),
    };
    let (ctx, given) = (ctx.clone(), given.to_owned());
    let work = tokio::task::spawn_blocking(move || {
        let _held = guard;
        write(&ctx, &path, &given, make).unwrap_or_else(Outcome::error)
    });
    work.await.unwrap_or_else(|_| Outcome::error("the change failed inside the program; read the file to see whether it was written"))
}

fn write(ctx: &ToolContext, path: &Path, given: &str, make: Make) -> Result<Outcome, String> {
    let before = present(path, given)?;
    if let Some(content) = &before {
        current(ctx, path, given, hash(content))?;
    }
    let (after, said) = make(before.as_deref()).map_err(|e| format!("{given}: {e}"))?;
    let display = diff::diff(ctx.relative(path), before.as_deref(), &after);
    let known = before.as_deref().map(hash);
    // Nothing else of this session can write meanwhile; an editor could, and a link could be laid elsewhere.
    let still = || {
        if ctx.resolve(given) != path {
            return Err(moved(given));
        }
        let now = present(path, given)?.as_deref().map(hash);
        if now == known { Ok(()) } else { Err(format!("{given} changed while it was being written. Read it again.")) }
    };
    atomic::replace(path, &after, &still).map_err(|e| format!("{given} was not written: {e}"))?;
    let new = hash(&after);
    ctx.reads.learn(path, new);
    ctx.locks.wrote(path, ctx.agent, new);
    let summary = diff::summary(&display);
    let mut outcome = Outcome::ok(said, summary, display);
    outcome.written = vec![path.to_path_buf()];
    Ok(outcome)
}

/// The present content; none when nothing is there.
fn present(path: &Path, given: &str) -> Result<Option<Vec<u8>>, String> {
    match std::fs::symlink_metadata(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(_) | Ok(_) => load::whole(path, given).map(Some),
    }
}

/// Whether the agent knows the present content.
fn current(ctx: &ToolContext, path: &Path, given: &str, now: Hash) -> Result<(), String> {
    let writer = ctx.locks.last_writer(path).filter(|(_, wrote)| *wrote == now).map(|(agent, _)| agent);
    match ctx.reads.known(path) {
        Some(known) if known == now => Ok(()),
        // What the agent itself wrote it knows, whatever became of its read state.
        Some(_) | None if writer == Some(ctx.agent) => Ok(()),
        None => Err(format!("{given} was not read yet. Read it first, so that nothing unknown is overwritten.")),
        Some(_) => Err(match writer {
            Some(agent) => format!("{given} was changed by {} since you read it. Read it again and repeat the change on the new content.", name(agent)),
            None => format!("{given} changed since you read it (the person or a command wrote it). Read it again and repeat the change on the new content."),
        }),
    }
}

fn name(agent: AgentId) -> String {
    if agent.is_main() { "the main agent".to_owned() } else { format!("the agent {agent}") }
}

fn moved(given: &str) -> String {
    format!("{given} now leads to another place than when it was decided about (a link changed); nothing was written. Try again.")
}

/// The files of this list that another agent of the session wrote last, with its id: those whose present content is not
/// what `reads` knows. For the word to a parent about what its children changed (SPEC S18). Looks at no file.
#[must_use]
pub fn changed_by_others(agent: AgentId, reads: &super::ReadState, locks: &FileLocks) -> Vec<(PathBuf, AgentId)> {
    let stale = |path: PathBuf| {
        let (writer, wrote) = locks.last_writer(&path)?;
        (writer != agent && reads.known(&path) != Some(wrote)).then_some((path, writer))
    };
    reads.paths().into_iter().filter_map(stale).collect()
}
