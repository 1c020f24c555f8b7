//! A one-line input for dialogs: a reason, a steer message, a search.

use crate::action::Action;
use unicode_segmentation::UnicodeSegmentation;

/// One line of text with a cursor. Bounded; pasted line ends become blanks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Line {
    text: String,
    /// Byte offset of the cursor, at a grapheme's edge.
    at: usize,
}

/// Bytes at most.
const MAX: usize = 20_000;

impl Line {
    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What stands before the cursor.
    #[must_use]
    pub fn before(&self) -> &str {
        self.text.get(..self.at).unwrap_or(&self.text)
    }

    /// Take the text out.
    pub fn take(&mut self) -> String {
        self.at = 0;
        std::mem::take(&mut self.text)
    }

    /// Type or paste.
    pub fn insert(&mut self, text: &str) {
        let clean: String = text.chars().map(|c| if c == '\n' || c == '\t' { ' ' } else { c }).filter(|c| !c.is_control()).collect();
        if self.text.len() + clean.len() <= MAX && self.text.is_char_boundary(self.at) {
            self.text.insert_str(self.at, &clean);
            self.at += clean.len();
        }
    }

    /// An editing action; false when it is none.
    #[expect(clippy::wildcard_enum_match_arm, reason = "every other action belongs to somebody else")]
    pub fn act(&mut self, action: Action) -> bool {
        let back = self.before().graphemes(true).next_back().map_or(0, str::len);
        let forward = self.text.get(self.at..).and_then(|t| t.graphemes(true).next()).map_or(0, str::len);
        match action {
            Action::CharLeft => self.at -= back,
            Action::CharRight => self.at += forward,
            Action::LineStart => self.at = 0,
            Action::LineEnd => self.at = self.text.len(),
            Action::DeleteBack => self.cut(self.at - back, self.at),
            Action::DeleteForward => self.cut(self.at, self.at + forward),
            Action::ClearLine => self.cut(0, self.at),
            Action::DeleteToEnd => self.cut(self.at, self.text.len()),
            Action::DeleteWordBack => {
                let start = self.before().trim_end().rfind(char::is_whitespace).map_or(0, |i| i + 1);
                let start = self.text.ceil_char_boundary(start);
                self.cut(start, self.at);
            }
            _ => return false,
        }
        true
    }

    fn cut(&mut self, from: usize, to: usize) {
        if from <= to && self.text.is_char_boundary(from) && self.text.is_char_boundary(to) {
            self.text.replace_range(from..to, "");
            self.at = from;
        }
    }
}
