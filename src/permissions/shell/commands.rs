//! Tokens → simple commands, with wrappers taken off.
//!
//! Must not: judge. What cannot be seen through is marked as opaque.

use super::lexer::{Op, Piece, Token, Word, lex};
use super::{Arg, Joint, Redirect, RedirectKind, Simple};

/// Words that bash reads as grammar at the place of a command's name.
const RESERVED: [&str; 20] =
    ["if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do", "done", "function", "coproc", "!", "[[", "]]", "{", "}"];

/// Wrappers inside wrappers that are followed.
const MAX_LAYERS: usize = 5;

/// Programs that run what their arguments or their input say; nothing can be known from their words.
const RUNNERS: [&str; 28] = [
    "bash", "sh", "dash", "zsh", "ksh", "fish", "csh", "tcsh", "busybox", "eval", "source", ".", "exec", "sudo", "doas", "su", "ssh", "parallel", "watch",
    "script", "setsid", "unshare", "chroot", "strace", "flock", "trap", "builtin", "ionice",
];

/// The simple commands of a line, in order; at least one.
///
/// # Errors
/// What the subset does not know, in a few words that fit behind "not understood: ".
pub fn parse(line: &str) -> Result<Vec<Simple>, String> {
    let tokens = lex(line)?;
    let mut commands: Vec<Simple> = Vec::new();
    let mut joint = Joint::Seq;
    // The operator since the last command.
    let mut pending: Option<Op> = None;
    let mut rest = tokens.as_slice();
    while let Some(first) = rest.first() {
        if let Piece::Op(op) = first.piece {
            rest = &rest[1..];
            let is_blank = op == Op::Newline && (commands.is_empty() || pending.is_some());
            if is_blank {
                continue;
            }
            if commands.is_empty() || pending.is_some() {
                return Err("an operator without a command".into());
            }
            pending = Some(op);
            joint = match op {
                Op::Semi | Op::Newline => Joint::Seq,
                Op::And => Joint::And,
                Op::Or => Joint::Or,
                Op::Pipe => Joint::Pipe,
                Op::Background => Joint::Background,
            };
            continue;
        }
        let len = rest.iter().position(|t| matches!(t.piece, Piece::Op(_))).unwrap_or(rest.len());
        let (own, after) = rest.split_at(len);
        commands.push(simple(line, own, joint)?);
        pending = None;
        rest = after;
    }
    if commands.is_empty() {
        return Err("an empty command".into());
    }
    if matches!(pending, Some(Op::And | Op::Or | Op::Pipe)) {
        return Err("an operator without a command".into());
    }
    Ok(commands)
}

fn simple(line: &str, tokens: &[Token], joint: Joint) -> Result<Simple, String> {
    let mut words: Vec<&Word> = Vec::new();
    let mut redirects = Vec::new();
    let mut iter = tokens.iter();
    while let Some(token) = iter.next() {
        match &token.piece {
            Piece::Word(word) => words.push(word),
            Piece::Redirect(kind) => match iter.next().map(|t| &t.piece) {
                Some(Piece::Word(target)) => redirects.extend(redirect(*kind, target)?),
                Some(Piece::Op(_) | Piece::Redirect(_)) | None => return Err("a redirection without a file".into()),
            },
            Piece::Op(_) => return Err("an operator".into()),
        }
    }
    check_name(&words)?;
    let argv: Vec<Arg> = words.iter().map(|w| w.arg.clone()).collect();
    let start = tokens.first().map_or(0, |t| t.start);
    let end = tokens.last().map_or(start, |t| t.end);
    let text = line.get(start..end).unwrap_or_default().to_owned();
    let mut command = Simple { text, layers: vec![argv], opaque: None, more_args: false, redirects, joint };
    unwrap_all(&mut command, &words);
    Ok(command)
}

/// A command's name must be a plain word that is not grammar.
fn check_name(words: &[&Word]) -> Result<(), String> {
    let Some(name) = words.first() else { return Err("a redirection without a command".into()) };
    if name.assign {
        return Err("an assignment".into());
    }
    if name.arg.home || name.arg.text.starts_with('%') || (name.arg.glob && name.arg.text != "[") || name.arg.text.is_empty() {
        return Err("a command whose name is not plain".into());
    }
    if !name.quoted {
        if RESERVED.contains(&name.arg.text.as_str()) {
            return Err(format!("the keyword `{}`", name.arg.text));
        }
        // `time` is grammar too: what follows it is read like the start of a line.
        if name.arg.text == "time" {
            let rest = if words.get(1).is_some_and(|w| w.arg.text == "-p") { &words[2..] } else { &words[1..] };
            return check_name(rest);
        }
    }
    Ok(())
}

fn redirect(kind: RedirectKind, target: &Word) -> Result<Option<Redirect>, String> {
    let text = &target.arg.text;
    if target.arg.glob || target.arg.home || text.is_empty() {
        return Err("a redirection to a name that is expanded".into());
    }
    if text.starts_with("/dev/tcp/") || text.starts_with("/dev/udp/") || text.contains("/../dev/") {
        return Err("a redirection to the network".into());
    }
    let harmless = matches!(text.as_str(), "/dev/null" | "/dev/stdout" | "/dev/stderr");
    Ok((!harmless).then(|| Redirect { kind, target: text.clone() }))
}

/// What is under a wrapper.
enum Inner<'a> {
    /// It is not a wrapper.
    None,
    /// The words of the inner command.
    Words(&'a [Arg]),
    /// The same, and the program gets more arguments from its input.
    Open(&'a [Arg]),
    /// It runs something that cannot be seen.
    Opaque(String),
}

fn unwrap_all(command: &mut Simple, words: &[&Word]) {
    let total = words.len();
    for _ in 0..MAX_LAYERS {
        let argv = command.argv().to_vec();
        let inner = match inner(&argv) {
            Inner::None => return,
            Inner::Opaque(why) => {
                command.opaque = Some(why);
                return;
            }
            Inner::Words(inner) => inner,
            Inner::Open(inner) => {
                command.more_args = true;
                inner
            }
        };
        let Some(name) = inner.first() else {
            command.opaque = Some("a wrapper without a command".into());
            return;
        };
        let at = total - inner.len();
        if name.literal().is_none_or(str::is_empty) && name.text != "[" || words.get(at).is_some_and(|w| w.assign) {
            command.opaque = Some("a wrapper before a name that is not plain".into());
            return;
        }
        let layer = inner.to_vec();
        command.layers.push(layer);
    }
    command.opaque = Some("many wrappers".into());
}

fn inner(words: &[Arg]) -> Inner<'_> {
    let Some((name, args)) = words.split_first() else { return Inner::None };
    let base = name.text.rsplit('/').next().unwrap_or_default();
    let opaque = |why: &str| Inner::Opaque(format!("{base} {why}"));
    let starts_with_dash = args.first().is_some_and(|a| a.text.starts_with('-'));
    match base {
        "command" if args.first().is_some_and(|a| a.text == "-v" || a.text == "-V") => Inner::None,
        "time" if args.first().is_some_and(|a| a.text == "-p") => Inner::Words(&args[1..]),
        "command" | "nohup" | "time" if starts_with_dash => opaque("with options"),
        "env" if args.is_empty() => Inner::None,
        "env" if starts_with_dash || args.first().is_some_and(|a| a.text.contains('=')) => opaque("that changes the environment"),
        "command" | "nohup" | "time" | "env" => Inner::Words(args),
        "nice" => options(args, &["-n"], &["-n"], &[]).map_or_else(|| opaque("with options"), Inner::Words),
        "stdbuf" => options(args, &["-i", "-o", "-e"], &["-i", "-o", "-e"], &[]).map_or_else(|| opaque("with options"), Inner::Words),
        "timeout" => {
            let rest = options(args, &["-k", "-s"], &["-k", "-s", "--kill-after=", "--signal="], &["-v", "--verbose", "--foreground", "--preserve-status"]);
            match rest.and_then(<[Arg]>::split_first) {
                Some((time, inner)) if time.literal().is_some_and(is_duration) => Inner::Words(inner),
                Some(_) | None => opaque("with options"),
            }
        }
        "xargs" => match options(args, &["-n", "-P", "-L", "-d"], &["-n", "-P", "-L", "-d"], &["-0", "-r", "-t", "--null", "--no-run-if-empty"]) {
            Some(inner) if !inner.is_empty() => Inner::Open(inner),
            Some(_) | None => opaque("with options"),
        },
        _ if RUNNERS.contains(&base) => opaque("runs other commands"),
        _ => Inner::None,
    }
}

/// What is left after known options: `separate` take the next word, `attached` have a value in the same word, `plain` have none.
fn options<'a>(mut args: &'a [Arg], separate: &[&str], attached: &[&str], plain: &[&str]) -> Option<&'a [Arg]> {
    while let Some(first) = args.first().filter(|a| a.text.starts_with('-')) {
        let text = first.literal()?;
        let takes = if separate.contains(&text) {
            args.get(1)?.literal()?;
            2
        } else if plain.contains(&text) || attached.iter().any(|a| text.len() > a.len() && text.starts_with(a)) {
            1
        } else {
            return None;
        };
        args = args.get(takes..)?;
    }
    Some(args)
}

fn is_duration(text: &str) -> bool {
    let number = text.strip_suffix(['s', 'm', 'h', 'd']).unwrap_or(text);
    !number.is_empty() && number.len() < 12 && number.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}
