//! Sessions on disk: append-only JSONL, one record per line, one write per record (SPEC H1, S28).
//!
//! Must not: know the engine or the interface. A damaged line is reported and skipped; nothing after it is lost.

pub mod child;
pub mod id;
pub mod index;
pub mod lines;
pub mod lock;
pub mod log;
pub mod record;
pub mod repair;
pub mod replay;
mod restored;

pub use log::{LogError, SessionLog};
pub use record::Record;
pub use replay::{Restored, RestoredAgent, RestoredTask, replay};
