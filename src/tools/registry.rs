//! The ordered list of all built-in tools.

use super::Tool;
use std::sync::Arc;

/// All built-in tools, sorted by name in byte order.
#[must_use]
pub fn all() -> Vec<Arc<dyn Tool>> {
    Vec::new()
}
