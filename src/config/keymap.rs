//! Key bindings from `assets/keymap.toml` and `[keys]` of the configuration.
