//! What the driver has to do.

use crate::protocol::event::TurnEnding;
use crate::protocol::{CallId, Message, ToolCall};
use std::sync::Arc;

/// An order to the driver, performed in the order given.
#[derive(Clone, PartialEq, Debug)]
pub enum Effect {
    /// A turn began.
    TurnStarted,
    /// A message entered the history: log it and show it.
    Appended(Arc<Message>),
    /// The texts that wait for a safe point changed.
    QueueChanged,
    /// Send the history to the model.
    Request {
        /// Whether tools are offered.
        tools: bool,
    },
    /// Start a call; its result comes back as [`super::Input::Result`].
    Run(ToolCall),
    /// Ask the person about these children, before any of them starts.
    AskConsent(Vec<CallId>),
    /// Drop the running request.
    CancelRequest,
    /// Cancel these running calls; their results no longer count.
    CancelCalls(Vec<CallId>),
    /// The turn is over; the agent is idle.
    TurnEnded(TurnEnding),
}
