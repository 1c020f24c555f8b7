//! Children: how they start, what bounds them, how they end, and what of them reaches the parent.

pub mod budget;
pub mod citations;
pub mod finish;
pub mod health;
pub mod pool;
pub mod report;
pub mod spawn;
pub mod verbs;
pub mod worktree;
