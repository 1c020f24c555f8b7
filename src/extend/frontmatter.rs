//! Extensions: frontmatter.
