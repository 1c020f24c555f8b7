//! Drawing helpers without knowledge of the protocol: wrap, markdown, highlight, diff, gauge, list, spinner.
