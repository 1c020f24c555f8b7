//! Slash commands, one file each; `COMMANDS` is the ordered list.
