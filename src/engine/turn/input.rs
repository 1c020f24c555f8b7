//! What can happen to a turn.

use crate::protocol::event::TurnError;
use crate::protocol::{AssistantMessage, CallId, Origin, TaskId, ToolResult};

/// How calls of one reply may run beside each other (SPEC L5).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum CallClass {
    /// Changes nothing: several at a time.
    Read,
    /// One by one, in order.
    Write,
    /// Children: several at a time, apart from all other calls.
    Agent,
}

/// What happened.
#[derive(Clone, PartialEq, Debug)]
pub enum Input {
    /// A message: of the person, a child's prompt, or a steer. Starts a turn when idle, else waits for a safe point.
    Say {
        /// The words; never blank.
        text: String,
        /// Images: (media type, base64).
        images: Vec<(String, String)>,
        /// Whose words.
        origin: Origin,
    },
    /// A background task of this agent ended (SPEC S25). Starts a turn when idle.
    Notice {
        /// The task.
        task: TaskId,
        /// The whole notification.
        full: String,
        /// The notification without the report, used when the whole does not fit (SPEC S26).
        short: String,
        /// Estimated tokens of `full`.
        tokens: u64,
    },
    /// The completion reached the agent in another way: no notification follows.
    Withdraw {
        /// The task.
        task: TaskId,
    },
    /// Words of the engine that ride on the next user message; never start a turn.
    Note {
        /// The words.
        text: String,
    },
    /// The running request ended with a reply. `classes` has one entry for each call.
    Reply {
        /// Blocks with call ids that are new to the history; may be empty.
        message: AssistantMessage,
        /// It was cut by the output limit.
        cut: bool,
        /// How each call may run, in call order.
        classes: Vec<CallClass>,
        /// Children of this reply need the person's consent first (SPEC S17).
        consent: bool,
    },
    /// The running request failed for good. `partial` is what had been streamed.
    Failed {
        /// Why.
        error: TurnError,
        /// Kept as the agent's words when it has any.
        partial: AssistantMessage,
    },
    /// The person answered about the children of this reply.
    Consent {
        /// Which may start.
        allowed: Vec<CallId>,
        /// What the others are told.
        reason: String,
    },
    /// A call ended.
    Result {
        /// Its result.
        result: ToolResult,
    },
    /// The person stopped the turn. `partial` is what had been streamed.
    Interrupt {
        /// Kept as the agent's words when it has any.
        partial: AssistantMessage,
    },
    /// One last request without tools asks for the report (SPEC S16, S19).
    ReportNow {
        /// What the agent is told.
        note: String,
        /// Drop the running request; else its reply is awaited.
        cancel: bool,
    },
    /// The history was summed up by the driver while a request was due or the agent idle.
    Compacted {
        /// The new history.
        history: crate::protocol::History,
    },
}
