//! The whole program from outside: the built binary, headless and in a terminal, against a model server on loopback.
//! One binary for all suites; tests are named after the case or the requirement that they prove.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // Tests: a panic is a failed check.
#![allow(missing_docs)] // Nothing here is used from outside.
#![allow(clippy::pedantic, clippy::print_stderr, clippy::wildcard_enum_match_arm)] // Support code looks at JSON, and says on standard error what a server saw.

mod suite;
mod support;
