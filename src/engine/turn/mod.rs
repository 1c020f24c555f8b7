//! The turn machine: one loop for the parent and every child, as a pure function of state and input.
//!
//! Must not: do IO, know a clock, a provider, a tool or a channel. The driver performs the effects and feeds what
//! comes of them back as inputs, so a test can drive every interleaving.

#[cfg(test)]
mod delivery_tests;
mod effect;
mod input;
mod state;
mod step;
#[cfg(test)]
mod tests;

pub use effect::Effect;
pub use input::{CallClass, Input};
pub use state::{Inbox, Limits, Phase, State};
pub use step::step;
