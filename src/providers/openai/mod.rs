//! The `openai` provider.
