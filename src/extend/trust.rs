//! Extensions: trust.
