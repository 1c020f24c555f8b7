//! Extensions: agents.
