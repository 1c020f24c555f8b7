//! The `offline` provider.
