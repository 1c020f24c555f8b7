//! What people bring: agent types, skills, instructions, memory, own commands, and the trust in a project's files.
//!
//! Must not: run anything. Reading a bad file gives a visible warning, never silence.

pub mod agents;
pub mod commands;
mod files;
pub mod frontmatter;
pub mod instructions;
pub mod skills;
pub mod trust;
