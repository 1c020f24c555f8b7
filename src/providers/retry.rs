//! Placeholder header; see the module list in `providers`.
