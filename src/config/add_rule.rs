//! Adding an allow rule to a configuration file, everything else in it kept as it is (SPEC R6, "always").

use crate::util::fs::write_private;
use std::path::Path;
use toml_edit::{Array, DocumentMut, Item, Table, value};

/// Add `rule` to `[permissions] allow` of a file; the file is made when missing. A rule that is there already changes
/// nothing.
///
/// # Errors
/// In words: the file cannot be read, is no valid TOML, or cannot be written. It is unchanged then.
pub fn add_allow_rule(file: &Path, rule: &str) -> Result<(), String> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(e) => return Err(e.to_string()),
    };
    let mut document: DocumentMut = text.parse().map_err(|e: toml_edit::TomlError| e.message().to_owned())?;
    let permissions = document.entry("permissions").or_insert(Item::Table(Table::new()));
    let Some(table) = permissions.as_table_like_mut() else { return Err("`permissions` is not a table there".into()) };
    let allow = table.entry("allow").or_insert(value(Array::new()));
    let Some(list) = allow.as_array_mut() else { return Err("`permissions.allow` is not a list there".into()) };
    if list.iter().any(|v| v.as_str() == Some(rule)) {
        return Ok(());
    }
    list.push(rule);
    write_private(file, document.to_string().as_bytes()).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r6_a_rule_is_added_and_the_rest_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("deep").join("config.toml");
        add_allow_rule(&file, "Bash(ls:*)").unwrap();
        add_allow_rule(&file, "Bash(ls:*)").unwrap();
        std::fs::write(&file, format!("# mine\nmodel = 'x' # why\n{}", std::fs::read_to_string(&file).unwrap())).unwrap();
        add_allow_rule(&file, "Edit(src/**)").unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("# mine\nmodel = 'x' # why\n"));
        assert_eq!(text.matches("Bash(ls:*)").count(), 1);
        assert!(text.contains("Edit(src/**)"));
    }

    #[test]
    fn r6_a_file_with_an_error_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("config.toml");
        std::fs::write(&file, "model = [").unwrap();
        assert!(add_allow_rule(&file, "Read").is_err());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "model = [");
    }
}
