//! `path:line` claims of a report, checked against the files (SPEC S14). Reads files, bounded; decides nothing.

use std::io::{BufRead, BufReader};
use std::path::Path;

/// Claims checked at most.
const MAX_CLAIMS: usize = 200;
/// Bytes of a file that are counted at most; longer files are taken as long enough.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// The claims of a text, in order, each once: `dir/name.ext:12` (also `:12-20`, `:12:5`).
#[must_use]
pub fn claims(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for word in text.split(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | '(' | ')' | '[' | ']' | '<' | '>' | ',' | ';' | '|' | '*')) {
        let Some((path, rest)) = word.split_once(':') else { continue };
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let after = &rest[digits.len()..];
        let clean_end = after.is_empty() || after.starts_with(['-', ':', '.', '–']);
        let Ok(line) = digits.parse::<usize>() else { continue };
        // A file name: an extension with a letter, no scheme, no host with a port.
        let name = path.rsplit('/').next().unwrap_or(path);
        let extension = name.rsplit_once('.').map_or("", |(_, e)| e);
        let looks =
            !extension.is_empty() && extension.len() <= 12 && extension.chars().all(char::is_alphanumeric) && extension.chars().any(char::is_alphabetic);
        let known_bare = matches!(name, "Makefile" | "Dockerfile" | "Justfile" | "Rakefile" | "Gemfile");
        if clean_end && (looks || known_bare) && !rest.starts_with("//") && !found.contains(&(path.to_owned(), line)) {
            found.push((path.to_owned(), line));
            if found.len() >= MAX_CLAIMS {
                break;
            }
        }
    }
    found
}

/// The claims that do not exist below any of the folders, as `path:line`.
#[must_use]
pub fn bad(text: &str, folders: &[&Path]) -> Vec<String> {
    claims(text).into_iter().filter(|(path, line)| !folders.iter().any(|f| exists(&f.join(path), *line))).map(|(p, l)| format!("{p}:{l}")).collect()
}

fn exists(path: &Path, line: usize) -> bool {
    let Ok(meta) = path.metadata() else { return false };
    if !meta.is_file() || line == 0 {
        return false;
    }
    if meta.len() > MAX_BYTES {
        return true;
    }
    let Ok(file) = std::fs::File::open(path) else { return false };
    let mut reader = BufReader::new(file);
    let mut count = 0;
    let mut buffer = Vec::new();
    while count < line {
        buffer.clear();
        match reader.read_until(b'\n', &mut buffer) {
            Ok(0) | Err(_) => return false,
            Ok(_) => count += 1,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s14_claims_are_found_and_checked() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("api")).unwrap();
        std::fs::write(dir.path().join("api/posts.py"), "one\ntwo\nthree").unwrap();
        let text = "paging: api/posts.py:3 and `api/ghost.py:12`, (api/posts.py:4); http://x.org:80/ and 127.0.0.1:8000, note: 12, api/posts.py:1-3.";
        assert_eq!(bad(text, &[dir.path()]), ["api/ghost.py:12", "api/posts.py:4"]);
    }
}
