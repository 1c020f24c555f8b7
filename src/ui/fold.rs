//! Events into the model: the one path for live, resume, replay and tests.

use super::model::Model;
use crate::protocol::Event;

/// Take one event into the model.
pub fn apply(model: &mut Model, event: &Event) {
    model.at = event.at;
    model.version += 1;
}
