//! Messages of a conversation, in a shape that every provider's wire format can be made from.
//!
//! A user message holds tool results first and other content after them, by construction (SPEC L2).

use super::ids::{AgentId, CallId, TaskId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One message of a history.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub enum Message {
    /// From the person, from tools, or from the engine on their behalf.
    User(UserMessage),
    /// From the model.
    Assistant(AssistantMessage),
}

/// A message of the user's side: all results of the preceding calls, then other content.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct UserMessage {
    /// One for each call of the assistant message before, in call order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<ToolResult>,
    /// What stands behind the results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<UserContent>,
}

impl UserMessage {
    /// A message of one text.
    #[must_use]
    pub fn text(text: impl Into<String>, origin: Origin) -> Self {
        Self { results: Vec::new(), content: vec![UserContent::Text { text: text.into(), origin }] }
    }
}

/// Content of a user message beside tool results.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum UserContent {
    /// Text; only `text` is sent to a model, `origin` is for the view, the log and delivery.
    Text {
        /// What the model reads.
        text: String,
        /// Who said it.
        #[serde(default)]
        origin: Origin,
    },
    /// An image, base64 coded.
    Image {
        /// For example `image/png`.
        media_type: String,
        /// Base64, without line breaks.
        data: String,
    },
}

/// Who put a text into a user message.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Origin {
    /// Typed by the person (or given with `-p`), or the prompt of a child.
    #[default]
    Person,
    /// A message sent to a running child, by the person or its parent.
    Steer,
    /// A completion of a background task; the delivery of that record (SPEC S25).
    Notification {
        /// The task whose completion this is.
        task: TaskId,
    },
    /// Words of the engine: budget warnings, limits, reminders, restated tasks.
    Engine,
    /// The summary that replaced earlier messages.
    Summary,
    /// A forked child's task, behind the parent's history.
    Fork {
        /// The forked child.
        agent: AgentId,
    },
}

/// A message of the model.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct AssistantMessage {
    /// Never empty in a history; no empty text block.
    pub blocks: Vec<AssistantBlock>,
}

impl AssistantMessage {
    /// The text blocks joined, without anything between (SPEC S11).
    #[must_use]
    pub fn text(&self) -> String {
        self.blocks
            .iter()
            .filter_map(|b| match b {
                AssistantBlock::Text { text } => Some(text.as_str()),
                AssistantBlock::Thinking { .. } | AssistantBlock::RedactedThinking { .. } | AssistantBlock::ToolUse(_) => None,
            })
            .collect()
    }

    /// The calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.blocks.iter().filter_map(|b| match b {
            AssistantBlock::ToolUse(call) => Some(call),
            AssistantBlock::Text { .. } | AssistantBlock::Thinking { .. } | AssistantBlock::RedactedThinking { .. } => None,
        })
    }
}

/// One block of a model's message, in the order in which it came.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AssistantBlock {
    /// Visible text; never empty or only white space.
    Text {
        /// The words.
        text: String,
    },
    /// Reasoning; goes back byte for byte to the model that made it (SPEC P6).
    Thinking {
        /// The reasoning text.
        text: String,
        /// The provider's proof (Anthropic), if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
        /// `provider/model` that made it; reasoning of another one is not sent.
        #[serde(default)]
        source: String,
    },
    /// Reasoning that the provider sent only in encrypted form.
    RedactedThinking {
        /// Opaque data.
        data: String,
        /// `provider/model` that made it.
        #[serde(default)]
        source: String,
    },
    /// A tool call.
    ToolUse(ToolCall),
}

/// A tool call of the model. `input` is always an object, whatever the model wrote (SPEC L3).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ToolCall {
    /// Unique in the history.
    pub id: CallId,
    /// The tool's name as the model wrote it.
    pub name: String,
    /// The arguments.
    pub input: Map<String, Value>,
    /// Set when the arguments could not be read; such a call is never run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<CallFault>,
}

/// Why the arguments of a call could not be read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CallFault {
    /// The reply ended at the output limit in the middle of the call (SPEC L8).
    Cut,
    /// The arguments are no JSON.
    NotJson {
        /// The parser's words.
        message: String,
    },
    /// The arguments are JSON, but no object.
    NotAnObject,
}

/// The one result of one call.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ToolResult {
    /// The call that this answers.
    pub call_id: CallId,
    /// What the model reads; never empty.
    pub text: String,
    /// Whether the call failed.
    #[serde(default)]
    pub is_error: bool,
    /// Images for models that take them: (media type, base64).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<(String, String)>,
    /// A child's report: exempt from later trimming (SPEC S11).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub report: bool,
}

impl ToolResult {
    /// A good result.
    #[must_use]
    pub fn ok(call_id: CallId, text: impl Into<String>) -> Self {
        Self { call_id, text: text.into(), is_error: false, images: Vec::new(), report: false }
    }

    /// An error result.
    #[must_use]
    pub fn error(call_id: CallId, text: impl Into<String>) -> Self {
        Self { call_id, text: text.into(), is_error: true, images: Vec::new(), report: false }
    }
}
