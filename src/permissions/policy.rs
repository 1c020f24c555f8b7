//! The decision order of SPEC R2.
