//! One module for each group of cases.

mod agents;
mod crash;
mod endings;
mod notices;
mod processes;
mod rights;
mod screen;
mod verbs;
