//! The `script` provider.
