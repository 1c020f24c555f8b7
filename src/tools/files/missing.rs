//! What to say about a file that is not there: near names of the same folder, or the nearest folder that exists.

use crate::util::clean::visible;
use crate::util::near::nearest;
use std::path::Path;

/// Names of a folder that are compared, at most.
const MAX_NAMES: usize = 2_000;

/// Words for the model about a missing file, with what it may have meant.
#[must_use]
pub fn explain(path: &Path, shown: &str) -> String {
    let Some(parent) = path.parent() else { return format!("{shown} does not exist.") };
    let Ok(entries) = std::fs::read_dir(parent) else {
        let there = parent.ancestors().find(|p| p.is_dir());
        return match there {
            Some(there) if !parent.exists() => {
                format!("{shown} does not exist: there is no folder {}; {} exists.", visible(&parent.to_string_lossy()), visible(&there.to_string_lossy()))
            }
            _ => format!("{shown} does not exist."),
        };
    };
    let mut names: Vec<String> = entries.take(MAX_NAMES).filter_map(|e| Some(e.ok()?.file_name().to_string_lossy().into_owned())).collect();
    names.sort();
    let wanted = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    // First the same stem with another ending, then a misspelt name.
    let stem = |name: &str| name.split('.').next().unwrap_or_default().to_lowercase();
    let mut near: Vec<&str> = names.iter().map(String::as_str).filter(|n| !stem(n).is_empty() && stem(n) == stem(&wanted)).take(3).collect();
    if let Some(best) = nearest(&wanted, names.iter().map(String::as_str))
        && !near.contains(&best)
    {
        near.insert(0, best);
    }
    if near.is_empty() {
        return format!("{shown} does not exist.");
    }
    let listed: Vec<_> = near.iter().map(|n| visible(n)).collect();
    format!("{shown} does not exist. Did you mean {} (in the same folder)?", listed.join(" or "))
}
