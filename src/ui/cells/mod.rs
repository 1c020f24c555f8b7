//! Cells of a conversation: items laid out into lines, cached by (id, width, version).

/// Laid-out lines of cells.
#[derive(Debug, Default)]
pub struct Cache {}
