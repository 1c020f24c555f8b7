//! Markdown files with a YAML head, as people really write them: a file that is no valid YAML is read line by line.
//!
//! Must not: fail. What cannot be understood is a text.

use yaml_serde::Value;

/// A file's head and body.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Document {
    /// The head's fields in their order; empty when there is no head.
    pub fields: Vec<(String, Field)>,
    /// Everything behind the head, with `\n` as line end.
    pub body: String,
    /// Whether there is a head at all.
    pub has_head: bool,
}

/// A value of the head.
#[derive(Clone, PartialEq, Debug)]
pub enum Field {
    /// Any scalar, as it was written.
    Text(String),
    /// A list of scalars.
    List(Vec<String>),
    /// A table, such as `budget`.
    Table(Vec<(String, Field)>),
}

impl Document {
    /// Read a file's text.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n").replace('\r', "\n");
        let Some((head, body)) = split(&text) else { return Self { body: text, ..Self::default() } };
        let fields = yaml(head).unwrap_or_else(|| by_lines(head));
        Self { fields, body: body.to_owned(), has_head: true }
    }

    /// The field of the first of these names that is there. Names are compared without case, `-` and `_`.
    #[must_use]
    pub fn field(&self, names: &[&str]) -> Option<&Field> {
        names.iter().find_map(|n| lookup(&self.fields, n))
    }

    /// A text that is not blank.
    #[must_use]
    pub fn text(&self, names: &[&str]) -> Option<String> {
        self.field(names).map(Field::text).filter(|t| !t.is_empty())
    }

    /// A list: of YAML, or of words between commas.
    #[must_use]
    pub fn list(&self, names: &[&str]) -> Option<Vec<String>> {
        self.field(names).map(Field::list)
    }
}

impl Field {
    /// As one text, trimmed; the items of a list with commas between.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Text(t) => t.trim().to_owned(),
            Self::List(items) => items.join(", "),
            Self::Table(_) => String::new(),
        }
    }

    /// As a list, without blank items.
    #[must_use]
    pub fn list(&self) -> Vec<String> {
        match self {
            Self::Text(t) => split_commas(t),
            Self::List(items) => items.iter().map(|i| i.trim().to_owned()).filter(|i| !i.is_empty()).collect(),
            Self::Table(_) => Vec::new(),
        }
    }

    /// The value of a name inside a table.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Table(fields) => lookup(fields, name),
            Self::Text(_) | Self::List(_) => None,
        }
    }
}

fn lookup<'f>(fields: &'f [(String, Field)], name: &str) -> Option<&'f Field> {
    let plain = |s: &str| s.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect::<String>();
    let wanted = plain(name);
    fields.iter().rev().find(|(n, _)| plain(n) == wanted).map(|(_, f)| f)
}

/// Words between commas that are not inside brackets: `Read, Bash(a, b)` has two.
fn split_commas(text: &str) -> Vec<String> {
    let (mut items, mut item, mut depth) = (Vec::new(), String::new(), 0u32);
    for c in text.chars() {
        match c {
            '(' => depth = depth.saturating_add(1),
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if c == ',' && depth == 0 {
            items.push(std::mem::take(&mut item));
        } else {
            item.push(c);
        }
    }
    items.push(item);
    items.iter().map(|i| unquote(i.trim()).to_owned()).filter(|i| !i.is_empty()).collect()
}

/// Head and body, when the first line is `---` and another one ends the head.
fn split(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches('\n');
    let (first, rest) = text.split_once('\n')?;
    if first.trim_end() != "---" {
        return None;
    }
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if matches!(line.trim_end(), "---" | "...") {
            return Some((rest.get(..at)?, rest.get(at + line.len()..)?));
        }
        at += line.len();
    }
    None
}

fn yaml(head: &str) -> Option<Vec<(String, Field)>> {
    let value: Value = yaml_serde::from_str(head).ok()?;
    if value.is_null() {
        return Some(Vec::new());
    }
    let mapping = value.as_mapping()?;
    Some(mapping.iter().map(|(k, v)| (scalar(k), field(v))).collect())
}

fn field(value: &Value) -> Field {
    if let Some(items) = value.as_sequence() {
        return Field::List(items.iter().map(scalar).collect());
    }
    match value.as_mapping() {
        Some(m) => Field::Table(m.iter().map(|(k, v)| (scalar(k), Field::Text(scalar(v)))).collect()),
        None => Field::Text(scalar(value)),
    }
}

fn scalar(value: &Value) -> String {
    if let Some(text) = value.as_str() {
        return text.to_owned();
    }
    if value.is_null() {
        return String::new();
    }
    yaml_serde::to_string(value).map(|t| t.trim().to_owned()).unwrap_or_default()
}

/// `key: rest` lines, with indented lists, tables and texts under them.
fn by_lines(head: &str) -> Vec<(String, Field)> {
    let lines: Vec<&str> = head.lines().collect();
    let mut fields = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        let Some((key, rest)) = key_of(line) else { continue };
        let under: Vec<&str> = lines.iter().skip(at).take_while(|l| belongs(l)).copied().collect();
        at += under.len();
        fields.push((key.to_owned(), value_of(key, rest.trim(), &under)));
    }
    fields
}

/// A top-level `key: rest`.
fn key_of(line: &str) -> Option<(&str, &str)> {
    let (key, rest) = line.split_once(':')?;
    let named = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    (named && (rest.is_empty() || rest.starts_with([' ', '\t']))).then_some((key, rest))
}

/// Whether a line belongs to the key above it.
fn belongs(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with([' ', '\t']) || line.starts_with("- ") || (key_of(line).is_none() && !line.starts_with('#'))
}

fn value_of(key: &str, rest: &str, under: &[&str]) -> Field {
    if let Some(marker) = rest.strip_prefix(['|', '>']).filter(|m| m.chars().all(|c| matches!(c, '-' | '+') || c.is_ascii_digit())) {
        let _ = marker;
        return Field::Text(block(under, rest.starts_with('>')));
    }
    let items: Vec<&str> = under.iter().map(|l| l.trim()).filter(|l| !l.is_empty() && !l.starts_with('#')).collect();
    if rest.is_empty() && !items.is_empty() {
        if items.iter().all(|i| i.starts_with("- ") || *i == "-") {
            return Field::List(items.iter().map(|i| unquote(i.trim_start_matches('-').trim()).to_owned()).collect());
        }
        if let Some(table) = items.iter().map(|i| key_of(i)).collect::<Option<Vec<_>>>() {
            return Field::Table(table.into_iter().map(|(k, v)| (k.to_owned(), Field::Text(unquote(v.trim()).to_owned()))).collect());
        }
    }
    if let Some(inner) = rest.strip_prefix('[').and_then(|r| r.strip_suffix(']')).filter(|r| !r.contains(['[', ']'])) {
        return Field::List(split_commas(inner));
    }
    let mut text = rest.to_owned();
    for line in &items {
        text.push(' ');
        text.push_str(line);
    }
    // A comment behind a short value is one; in prose a `#` may be anything.
    let value = if key == "description" { text.trim() } else { text.split(" #").next().unwrap_or_default().trim() };
    Field::Text(unquote(value).to_owned())
}

/// The lines of a block text, without their common indent; folded ones are joined.
fn block(lines: &[&str], folded: bool) -> String {
    let indent = lines.iter().filter(|l| !l.trim().is_empty()).map(|l| l.len() - l.trim_start().len()).min().unwrap_or(0);
    let lines: Vec<&str> = lines.iter().map(|l| l.get(indent..).unwrap_or_default().trim_end()).collect();
    if !folded {
        return lines.join("\n").trim_end().to_owned();
    }
    let mut out = String::new();
    for line in lines {
        match line {
            "" => out.push('\n'),
            _ if out.is_empty() || out.ends_with('\n') => out.push_str(line),
            _ => {
                out.push(' ');
                out.push_str(line);
            }
        }
    }
    out.trim_end().to_owned()
}

fn unquote(text: &str) -> &str {
    let inside = |q: char| text.strip_prefix(q).and_then(|t| t.strip_suffix(q)).filter(|t| !t.contains(q));
    inside('"').or_else(|| inside('\'')).unwrap_or(text)
}

#[cfg(test)]
#[path = "frontmatter_tests.rs"]
mod tests;
