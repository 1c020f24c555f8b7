//! Sessions on disk: append-only JSONL, one record per line, one write per record (SPEC H1, S28).
//!
//! Must not: know the engine or the interface. A damaged line is reported and skipped; nothing after it is lost.

pub mod child;
pub mod index;
pub mod lock;
pub mod log;
pub mod record;
pub mod replay;

pub use record::Record;
