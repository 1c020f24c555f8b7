//! What reaches the interface, and what it wants done. Plain data, so that tests can speak for keys, engine and clock alike.

use crate::config::keymap::Key;
use crate::protocol::{Event, Level, Op};

/// Something that happened.
#[derive(Clone, PartialEq, Debug)]
#[expect(clippy::large_enum_variant, reason = "messages are used up at once; a box for each streamed word would cost more")]
pub enum Msg {
    /// A key was pressed or repeats.
    Key(Key),
    /// A bracketed paste.
    Paste(String),
    /// The mouse did something at (column, row).
    Mouse(Mouse, u16, u16),
    /// The screen has another size: columns, rows.
    Resize(u16, u16),
    /// The engine says something.
    Engine(Event),
    /// Time passed.
    Tick,
    /// The project's files, for completion.
    Files(Vec<String>),
    /// Messages of earlier runs, oldest first.
    History(Vec<String>),
    /// The external editor is closed: the text, or why there is none.
    Edited(Result<String, String>),
    /// Words for the person from the runner.
    Note(Level, String, String),
}

/// What the mouse did.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Mouse {
    /// The wheel turned towards the start.
    WheelUp,
    /// The wheel turned towards the end.
    WheelDown,
    /// The left button went down.
    Press,
}

/// Something that the runner has to do.
#[derive(Clone, PartialEq, Debug)]
pub enum Effect {
    /// Ask the engine.
    Op(Op),
    /// Leave the program.
    Exit,
    /// Give the terminal back and stop, until the shell continues us.
    Suspend,
    /// Open this text in the external editor; the answer is [`Msg::Edited`].
    Edit(String),
    /// Show this text in the pager.
    Page(String),
    /// List the project's files; the answer is [`Msg::Files`].
    WalkFiles,
    /// Add a line to the history file.
    SaveHistory(String),
    /// Remember whether the trace pane is open.
    SaveTrace(bool),
    /// Put a text into the clipboard of the terminal.
    Copy(String),
    /// Paint the whole screen again.
    Repaint,
    /// Tell the terminal that something needs attention.
    Notify(String),
}
