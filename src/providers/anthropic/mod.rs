//! The `anthropic` provider.
