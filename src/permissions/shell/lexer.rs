//! Words, operators and redirections of the subset, each with its place in the line.
//!
//! Must not: accept anything that bash could read differently. Every unknown sign is an error.

use super::{Arg, RedirectKind};
use std::iter::Peekable;
use std::str::CharIndices;

/// Longer lines are not judged.
const MAX_LINE: usize = 32 * 1024;

/// An operator between commands.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Op {
    Semi,
    Newline,
    And,
    Or,
    Pipe,
    Background,
}

/// A word with what matters at the place of a command's name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Word {
    pub arg: Arg,
    /// Something in it is quoted.
    pub quoted: bool,
    /// It has the form of an assignment.
    pub assign: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Piece {
    Word(Word),
    Op(Op),
    /// A redirection whose file is the next word.
    Redirect(RedirectKind),
}

/// A piece and where it ends and starts, in bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub piece: Piece,
    pub start: usize,
    pub end: usize,
}

struct Lexer<'a> {
    line: &'a str,
    chars: Peekable<CharIndices<'a>>,
    tokens: Vec<Token>,
    word: Option<Word>,
    word_start: usize,
}

/// All tokens of a line.
///
/// # Errors
/// What the subset does not know, in a few words.
pub(super) fn lex(line: &str) -> Result<Vec<Token>, String> {
    if line.len() > MAX_LINE {
        return Err("a very long command line".into());
    }
    if let Some(c) = line.chars().find(|c| is_forbidden(*c)) {
        return Err(format!("the character U+{:04X}", u32::from(c)));
    }
    let mut lexer = Lexer { line, chars: line.char_indices().peekable(), tokens: Vec::new(), word: None, word_start: 0 };
    while let Some((at, c)) = lexer.chars.next() {
        lexer.take(at, c)?;
    }
    lexer.end_word(line.len());
    Ok(lexer.tokens)
}

/// Control characters but tab and newline, blanks beyond ASCII, and characters that nobody sees.
#[expect(clippy::match_same_arms, reason = "a table too long for one line")]
fn is_forbidden(c: char) -> bool {
    match c {
        ' ' | '\t' | '\n' => false,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}' => true,
        _ => c.is_control() || c.is_whitespace(),
    }
}

/// `NAME`, `NAME+` or `NAME[…]` before an `=`.
fn is_assigned_name(text: &str) -> bool {
    let name_end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    let (name, rest) = text.split_at(name_end);
    !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && (rest.is_empty() || rest == "+" || rest.starts_with('['))
}

impl Lexer<'_> {
    fn peek(&mut self) -> Option<char> {
        self.chars.peek().map(|(_, c)| *c)
    }

    fn eat(&mut self, wanted: char) -> bool {
        self.chars.next_if(|(_, c)| *c == wanted).is_some()
    }

    /// The place of the next character.
    fn here(&mut self) -> usize {
        self.chars.peek().map_or(self.line.len(), |(at, _)| *at)
    }

    /// Nothing, or a sign that ends a word, comes next.
    fn at_word_end(&mut self) -> bool {
        self.peek().is_none_or(|c| matches!(c, ' ' | '\t' | '\n' | ';' | '|' | '&'))
    }

    fn word(&mut self, at: usize) -> &mut Word {
        if self.word.is_none() {
            self.word_start = at;
        }
        self.word.get_or_insert_with(Word::default)
    }

    fn end_word(&mut self, end: usize) {
        if let Some(word) = self.word.take() {
            self.tokens.push(Token { piece: Piece::Word(word), start: self.word_start, end });
        }
    }

    fn push(&mut self, piece: Piece, start: usize) {
        let end = self.here();
        self.tokens.push(Token { piece, start, end });
    }

    fn take(&mut self, at: usize, c: char) -> Result<(), String> {
        match c {
            ' ' | '\t' => self.end_word(at),
            '\n' | ';' | '&' | '|' => {
                self.end_word(at);
                self.operator(at, c)?;
            }
            '<' | '>' => self.redirect(at, c)?,
            '\'' => self.single(at)?,
            '"' => self.double(at)?,
            '\\' => match self.chars.next() {
                None => return Err("a backslash at the end".into()),
                Some((_, '\n')) => return Err("a continued line".into()),
                Some((_, next)) => {
                    let word = self.word(at);
                    word.quoted = true;
                    word.arg.text.push(next);
                }
            },
            _ => self.plain(at, c)?,
        }
        Ok(())
    }

    fn operator(&mut self, at: usize, c: char) -> Result<(), String> {
        let op = match c {
            '\n' => Op::Newline,
            ';' => {
                if matches!(self.peek(), Some(';' | '&')) {
                    return Err("a `;;`".into());
                }
                Op::Semi
            }
            '|' if self.eat('|') => Op::Or,
            '|' => {
                self.eat('&');
                Op::Pipe
            }
            _ if self.eat('&') => Op::And,
            _ if self.eat('>') => {
                self.eat('>');
                self.push(Piece::Redirect(RedirectKind::Write), at);
                return Ok(());
            }
            _ => Op::Background,
        };
        self.push(Piece::Op(op), at);
        Ok(())
    }

    fn redirect(&mut self, at: usize, c: char) -> Result<(), String> {
        let mut start = at;
        let mut numbered = false;
        if let Some(word) = &self.word {
            if !word.quoted && !word.arg.text.is_empty() && word.arg.text.bytes().all(|b| b.is_ascii_digit()) {
                if word.arg.text.len() > 2 {
                    return Err("a large descriptor number".into());
                }
                (start, numbered) = (self.word_start, true);
                self.word = None;
            } else {
                self.end_word(at);
            }
        }
        if self.tokens.last().is_some_and(|t| matches!(t.piece, Piece::Redirect(_))) {
            return Err("a redirection without a file".into());
        }
        if self.eat('(') {
            return Err("a process substitution".into());
        }
        if c == '<' {
            if self.eat('<') {
                return Err("a here-document".into());
            }
            if self.eat('&') {
                return self.descriptor();
            }
            let kind = if self.eat('>') { RedirectKind::Write } else { RedirectKind::Read };
            self.push(Piece::Redirect(kind), start);
            return Ok(());
        }
        if self.eat('&') {
            let to_number = self.peek().is_some_and(|c| c.is_ascii_digit() || c == '-');
            if numbered || to_number {
                return self.descriptor();
            }
        } else if !self.eat('>') {
            self.eat('|');
        }
        self.push(Piece::Redirect(RedirectKind::Write), start);
        Ok(())
    }

    /// What follows `>&` or `<&`: one of the three common descriptors, or `-`, and then the word's end.
    fn descriptor(&mut self) -> Result<(), String> {
        let is_known = self.chars.next_if(|(_, c)| matches!(c, '0'..='2' | '-')).is_some();
        if is_known && self.at_word_end() { Ok(()) } else { Err("a redirection between descriptors".into()) }
    }

    fn single(&mut self, at: usize) -> Result<(), String> {
        self.word(at).quoted = true;
        loop {
            match self.chars.next() {
                None => return Err("an open quote".into()),
                Some((_, '\'')) => return Ok(()),
                Some((_, c)) => self.word(at).arg.text.push(c),
            }
        }
    }

    fn double(&mut self, at: usize) -> Result<(), String> {
        self.word(at).quoted = true;
        loop {
            let c = match self.chars.next() {
                None => return Err("an open quote".into()),
                Some((_, '"')) => return Ok(()),
                Some((_, '`')) => return Err("a command substitution".into()),
                // Bash knows no parameter of these names: the sign stands for itself.
                Some((_, '$')) if matches!(self.peek(), Some('"' | ' ' | '|' | ')' | '/' | '.' | ',' | '%' | ':' | '^' | '\n')) => '$',
                Some((_, '$')) => return Err("an expansion with `$`".into()),
                Some((_, '\\')) => match self.peek() {
                    Some('\n') => return Err("a continued line".into()),
                    Some(next @ ('$' | '`' | '"' | '\\')) => {
                        self.chars.next();
                        next
                    }
                    _ => '\\',
                },
                Some((_, c)) => c,
            };
            self.word(at).arg.text.push(c);
        }
    }

    fn plain(&mut self, at: usize, c: char) -> Result<(), String> {
        match c {
            '`' => return Err("a command substitution".into()),
            '$' if self.peek().is_none_or(|c| matches!(c, ' ' | '\t' | '\n')) => {}
            '$' if self.peek() == Some('(') => return Err("a command substitution".into()),
            '$' => return Err("an expansion with `$`".into()),
            '(' | ')' => return Err("a subshell or function".into()),
            '{' | '}' => return self.brace(at, c),
            '#' if self.word.is_none() => return Err("a comment".into()),
            _ => {}
        }
        let at_start = self.word.is_none();
        let at_end = c == '~' && (self.peek() == Some('/') || self.at_word_end());
        let word = self.word(at);
        match c {
            '*' | '?' | '[' => word.arg.glob = true,
            '~' if at_start && at_end => word.arg.home = true,
            '~' if at_start || word.arg.text.ends_with(['=', ':']) => return Err("an expansion with `~`".into()),
            // Quotes can only stand inside the brackets of `NAME["x"]=`.
            '=' if is_assigned_name(&word.arg.text) && (!word.quoted || word.arg.glob) => word.assign = true,
            _ => {}
        }
        word.arg.text.push(c);
        Ok(())
    }

    /// `{}` alone and `@{…}` of git stand for themselves; every other brace may be expanded.
    fn brace(&mut self, at: usize, c: char) -> Result<(), String> {
        let unknown = || Err("a brace expansion or group".into());
        if c != '{' {
            return unknown();
        }
        if self.word.is_none() {
            if !self.eat('}') || !self.at_word_end() {
                return unknown();
            }
            self.word(at).arg.text.push_str("{}");
            return Ok(());
        }
        if !self.word(at).arg.text.ends_with('@') {
            return unknown();
        }
        self.word(at).arg.text.push('{');
        while let Some((_, inner)) = self.chars.next_if(|(_, c)| c.is_ascii_alphanumeric() || *c == '-') {
            self.word(at).arg.text.push(inner);
        }
        if !self.eat('}') {
            return unknown();
        }
        self.word(at).arg.text.push('}');
        Ok(())
    }
}
