//! The README, checked against the program: its tables come from the program's own, its examples are read and run, its
//! command lines parse, its paths exist, its picture is a real frame. `UPDATE=1 cargo test --test docs` writes tables and picture again.

#![allow(clippy::unwrap_used, clippy::panic)] // Helpers of tests; the lints' own exception covers the test functions alone.

mod examples;
mod readme;
mod scene;
mod screen_svg;

use std::fs;
use std::path::PathBuf;

/// A place in the repository.
fn root(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Whether files are to be written instead of compared.
fn updates() -> bool {
    std::env::var("UPDATE").is_ok_and(|v| v == "1")
}

fn readme() -> String {
    fs::read_to_string(root("README.md")).unwrap()
}

/// Fails when a file is not what it should be; with `UPDATE=1` it becomes so.
fn same_as_file(path: &str, wanted: &str) {
    if updates() {
        fs::write(root(path), wanted).unwrap();
        return;
    }
    let is = fs::read_to_string(root(path)).unwrap_or_default();
    if is != wanted {
        let n = is.lines().zip(wanted.lines()).take_while(|(a, b)| a == b).count();
        let line = |text: &str| text.lines().nth(n).unwrap_or("(the end)").to_owned();
        panic!("{path} is stale at line {}:\n  is     {}\n  wanted {}\nUPDATE=1 cargo test --test docs writes it again", n + 1, line(&is), line(wanted));
    }
}

/// The fenced blocks of a language, in order.
fn fenced(language: &str) -> Vec<String> {
    let text = readme();
    let open = format!("\n```{language}\n");
    text.split(&open).skip(1).map(|rest| rest.split("\n```").next().unwrap_or_default().to_owned() + "\n").collect()
}
