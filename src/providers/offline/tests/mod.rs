//! Tests of the offline explorer (SPEC P9): reading questions, reading results, ranking, and whole sessions.

mod answers;
mod questions;
mod results;
mod world;
