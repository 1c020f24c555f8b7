//! Extensions: commands.
