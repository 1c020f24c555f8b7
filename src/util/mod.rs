//! Small helpers without knowledge of the project: text, time, files. Imports nothing of ours.

pub mod base64;
pub mod clean;
pub mod fs;
pub mod near;
pub mod sha256;
pub mod text;
pub mod time;
pub mod tokens;
