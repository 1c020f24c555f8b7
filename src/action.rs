//! Every intent of the user, bindable by name: keys and slash commands both yield it.
