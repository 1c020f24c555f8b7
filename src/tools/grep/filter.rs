//! Which files are searched: by name pattern and by type. What an ignore file leaves out stays out.

use crate::util::near::nearest;
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::types::{Types, TypesBuilder};
use std::path::{Path, PathBuf};

/// The files to search.
#[derive(Debug)]
pub struct Filter {
    root: PathBuf,
    workspace: PathBuf,
    /// None when no pattern of this kind was given.
    only: Option<GlobSet>,
    not: GlobSet,
    types: Option<Types>,
}

impl Filter {
    /// Compile what was given.
    ///
    /// # Errors
    /// In words for the model: a bad pattern, an unknown type with the nearest known one.
    pub fn new(workspace: &Path, root: &Path, glob: Option<&str>, kind: Option<&str>) -> Result<Self, String> {
        let (mut only, mut not, mut any) = (GlobSetBuilder::new(), GlobSetBuilder::new(), false);
        for pattern in glob.into_iter().flat_map(str::split_whitespace) {
            if let Some(pattern) = pattern.strip_prefix('!') {
                not.add(compile(pattern)?);
            } else {
                any = true;
                only.add(compile(pattern)?);
            }
        }
        let failed = |e: globset::Error| format!("glob: {e}");
        Ok(Self {
            root: root.to_path_buf(),
            workspace: workspace.to_path_buf(),
            only: if any { Some(only.build().map_err(failed)?) } else { None },
            not: not.build().map_err(failed)?,
            types: kind.map(types).transpose()?,
        })
    }

    /// Whether a file is searched. A pattern with a slash is taken from the searched folder or from the project.
    pub fn takes(&self, path: &Path) -> bool {
        let places = [path.strip_prefix(&self.root).ok(), path.strip_prefix(&self.workspace).ok()];
        let fits = |set: &GlobSet| places.iter().flatten().any(|p| set.is_match(p));
        self.only.as_ref().is_none_or(fits) && !fits(&self.not) && self.types.as_ref().is_none_or(|t| !t.matched(path, false).is_ignore())
    }
}

/// A pattern without a slash fits names at any depth.
fn compile(pattern: &str) -> Result<Glob, String> {
    let pattern = pattern.trim_start_matches("./").trim_start_matches('/');
    let full = if pattern.contains('/') { pattern.to_owned() } else { format!("**/{pattern}") };
    GlobBuilder::new(&full).literal_separator(true).build().map_err(|e| format!("glob: {e}"))
}

fn types(name: &str) -> Result<Types, String> {
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    let known = builder.definitions();
    let name = name.trim().trim_start_matches('.');
    if !known.iter().any(|d| d.name() == name) {
        let near = nearest(name, known.iter().map(ignore::types::FileTypeDef::name));
        let near = near.map(|n| format!(" (did you mean {n}?)")).unwrap_or_default();
        return Err(format!("type: {name} is not known{near}. Use glob, such as *.{name}."));
    }
    builder.select(name).build().map_err(|e| format!("type: {e}"))
}
