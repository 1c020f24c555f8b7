//! Between a server's standard output and the library: only lines that are messages go on (case I02). The library drops
//! what is no JSON, but answers other JSON (a log line as an object) with an error that no server expects.

use super::log::Log;
use serde::Deserialize;
use serde::de::IgnoredAny;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};

/// Bytes of a message, at most; a longer line counts as noise.
const MAX_LINE: usize = 16 * 1024 * 1024;

/// What makes a line a message.
#[derive(Deserialize)]
struct Envelope {
    #[serde(rename = "jsonrpc")]
    _version: IgnoredAny,
}

fn is_message(line: &[u8]) -> bool {
    line.first() == Some(&b'{') && serde_json::from_slice::<Envelope>(line).is_ok()
}

/// Pass the messages on until one side ends. A last line without its end counts as well.
pub(super) async fn pump<R: AsyncRead + Unpin, W: AsyncWrite + Unpin>(from: R, mut to: W, log: Log) {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    let mut too_long = false;
    loop {
        let (used, ended, last) = match from.fill_buf().await {
            Ok([]) | Err(_) => (0, true, true),
            Ok(bytes) => {
                let end = bytes.iter().position(|b| *b == b'\n');
                let part = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
                too_long |= line.len().saturating_add(part.len()) > MAX_LINE;
                if !too_long {
                    line.extend_from_slice(part);
                }
                (end.map_or(bytes.len(), |at| at + 1), end.is_some(), false)
            }
        };
        from.consume(used);
        if ended && !deliver(&mut line, &mut too_long, &mut to, &log).await || last {
            return;
        }
    }
}

/// A whole line: passed on, or kept as noise. False when nobody reads any more.
async fn deliver<W: AsyncWrite + Unpin>(line: &mut Vec<u8>, too_long: &mut bool, to: &mut W, log: &Log) -> bool {
    let trimmed = line.trim_ascii();
    let trimmed = trimmed.strip_prefix("\u{feff}".as_bytes()).unwrap_or(trimmed);
    let mut open = true;
    if std::mem::take(too_long) {
        log.noise(b"(a line of more than 16 MiB)");
    } else if is_message(trimmed) {
        open = to.write_all(trimmed).await.is_ok() && to.write_all(b"\n").await.is_ok();
    } else if !trimmed.is_empty() {
        log.noise(trimmed);
    }
    line.clear();
    // One large message must not hold its memory for the rest of the session.
    line.shrink_to(64 * 1024);
    open
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt as _;

    async fn pumped(input: &[u8]) -> (String, Log) {
        let log = Log::default();
        let (ours, mut theirs) = tokio::io::duplex(64);
        let mut out = String::new();
        let ((), read) = tokio::join!(pump(input, ours, log.clone()), theirs.read_to_string(&mut out));
        read.unwrap();
        (out, log)
    }

    #[tokio::test]
    async fn i02_only_messages_pass() {
        let message = r#"{"jsonrpc":"2.0","id":1,"result":{"text":"a\nb é"}}"#;
        let input = format!("Loaded 65 definitions\n\n{message}\r\n{{\"level\":\"info\"}}\n[1]\n42\n{{\"jsonrpc\n\u{feff}{message}\n  {message}");
        let (out, log) = pumped(input.as_bytes()).await;
        assert_eq!(out, format!("{message}\n{message}\n{message}\n"));
        assert_eq!(log.noise_lines(), 5);
        let (out, log) = pumped(b"\xff\xfe\x00junk\n").await;
        assert_eq!((out.as_str(), log.noise_lines()), ("", 1));
    }

    #[tokio::test]
    async fn a_line_without_end_stays_bounded() {
        let mut input = vec![b'x'; MAX_LINE + 10];
        input.extend_from_slice(b"\n{\"jsonrpc\":\"2.0\"}\n");
        let (out, log) = pumped(&input).await;
        assert_eq!(out, "{\"jsonrpc\":\"2.0\"}\n");
        assert!(log.last(100).contains("16 MiB"));
    }
}
