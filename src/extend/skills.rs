//! Extensions: skills.
