//! A strict parser of a subset of bash, and the allow-list of reading programs (SPEC R3, R4).
//!
//! The parser accepts only lines whose words bash would see exactly as it does; whatever else occurs is an error,
//! which means: ask. Must not: expand anything, start a process, or guess.

pub mod commands;
pub mod git;
mod gitindex;
mod lexer;
pub mod readonly;
mod spec;

#[cfg(test)]
mod tests;

/// How a simple command follows the one before it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Joint {
    /// The first, or after `;` or a line end.
    Seq,
    /// After `&&`.
    And,
    /// After `||`.
    Or,
    /// After `|` or `|&`.
    Pipe,
    /// After `&`.
    Background,
}

/// A word of a command, after quote removal.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Arg {
    /// Its characters; exact unless one of the marks below is set.
    pub text: String,
    /// Has an unquoted `*`, `?` or `[`: stands for any number of file names.
    pub glob: bool,
    /// Starts with an unquoted `~` that stands for the home folder.
    pub home: bool,
}

impl Arg {
    /// A word that is exactly this text.
    #[must_use]
    pub fn exact(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// The text, if bash passes exactly that to the program.
    #[must_use]
    pub fn literal(&self) -> Option<&str> {
        (!self.glob && !self.home).then_some(self.text.as_str())
    }
}

/// What a redirection does with its file.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum RedirectKind {
    /// `<`.
    Read,
    /// `>`, `>>`, `>|`, `&>`, `&>>`, `>&`, `<>`.
    Write,
}

/// A redirection to or from a file. Those to the null device or between descriptors are left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Redirect {
    /// Its direction.
    pub kind: RedirectKind,
    /// The file as written.
    pub target: String,
}

/// A simple command with the wrappers before it (`timeout 5 …`) taken off.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Simple {
    /// As written.
    pub text: String,
    /// The words as written, then without the first wrapper, and so on; never empty, and no layer is empty.
    pub layers: Vec<Vec<Arg>>,
    /// Why the innermost program is not known (`bash -c`, `env X=1 …`).
    pub opaque: Option<String>,
    /// More arguments come from standard input (`xargs`).
    pub more_args: bool,
    /// Files that are read or written by redirection.
    pub redirects: Vec<Redirect>,
    /// How it follows the one before.
    pub joint: Joint,
}

impl Simple {
    /// The words of the innermost command that is known.
    #[must_use]
    pub fn argv(&self) -> &[Arg] {
        self.layers.last().map_or(&[], Vec::as_slice)
    }
}

pub use commands::parse;
pub(crate) use spec::offer as spec_offer;
