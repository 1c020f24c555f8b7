//! A sign that turns. Its frame follows the clock that is passed, so that a frame is a function of its inputs.

/// Milliseconds that one frame stands.
pub const FRAME_MS: u64 = 100;

const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// The frame of a moment, one cell wide. `now` is in milliseconds.
#[must_use]
pub fn frame(now: u64) -> &'static str {
    let n = usize::try_from(now / FRAME_MS % 10).unwrap_or(0);
    FRAMES.get(n).copied().unwrap_or("⠋")
}
