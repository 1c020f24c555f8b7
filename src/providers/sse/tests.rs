//! Every framing variant, at every split (SPEC P3; cases A01, A02).

use super::*;
use proptest::prelude::*;

fn whole(pieces: &[&[u8]]) -> Vec<(String, String)> {
    let (mut parser, mut out) = (SseParser::new(), Vec::new());
    for piece in pieces {
        parser.push(piece, &mut out).unwrap();
    }
    parser.finish(&mut out);
    out.into_iter().map(|e| (e.name, e.data)).collect()
}

/// Parse at every two-way split and bytewise; all must agree.
fn everywhere(body: &[u8]) -> Vec<(String, String)> {
    let expected = whole(&[body]);
    for at in 0..=body.len() {
        assert_eq!(whole(&[&body[..at], &body[at..]]), expected, "split at {at}");
    }
    let bytes: Vec<&[u8]> = body.chunks(1).collect();
    assert_eq!(whole(&bytes), expected, "bytewise");
    expected
}

fn event(name: &str, data: &str) -> (String, String) {
    (name.into(), data.into())
}

#[test]
fn a01_split_character() {
    assert_eq!(everywhere("data: {\"t\":\"台🌍é\"}\n\n".as_bytes()), [event("", "{\"t\":\"台🌍é\"}")]);
}

#[test]
fn a02_framing_variants() {
    let body = ": OPENROUTER PROCESSING\r\n\r\nevent: ping\r\ndata: {\"type\":\"ping\"}\r\n\r\ndata:{\"c\":\"a\u{2028}b\"}\r\n\r\ndata: [DONE]\r\n\r\n";
    let expected = [event("ping", "{\"type\":\"ping\"}"), event("", "{\"c\":\"a\u{2028}b\"}"), event("", "[DONE]")];
    assert_eq!(everywhere(body.as_bytes()), expected);
    assert_eq!(everywhere(body.replace("\r\n", "\r").as_bytes()), expected, "CR alone");
    assert_eq!(everywhere(body.replace("\r\n", "\n").as_bytes()), expected, "LF alone");
    assert_eq!(everywhere(format!("\u{feff}{body}").as_bytes()), expected, "a byte order mark");
    assert_eq!(everywhere(body.trim_end().as_bytes()), expected, "without the last newline");
}

#[test]
fn p3_fields_lines_and_spaces() {
    assert_eq!(everywhere(b"data: a\ndata:b\ndata:  c\n\n"), [event("", "a\nb\n c")]);
    assert_eq!(everywhere(b"id: 1\nretry: 5\nnew: x\nevent: e\ndata: a\n\n"), [event("e", "a")]);
    assert_eq!(everywhere(b"event: lost\n\ndata: a\n\n"), [event("", "a")], "an event without data is none, and its name does not stick");
    assert_eq!(everywhere(b"data\n\ndata: \n\n"), [event("", ""), event("", "")]);
    assert_eq!(everywhere(b"\n\n\n: c\n\n"), []);
    assert_eq!(everywhere(b"data: \xff\xfe!\n\n"), [event("", "\u{fffd}\u{fffd}!")], "invalid bytes are replaced, the stream goes on");
}

#[test]
fn p5_pings_are_told_from_events() {
    let ping = |name: &str, data: &str| SseEvent { name: name.into(), data: data.into() }.is_ping();
    assert!(ping("ping", "x") && ping("", "{\"type\":\"ping\"}") && ping("", "{ \"type\": \"ping\" }"));
    assert!(!ping("", "{\"type\":\"message_stop\"}") && !ping("message", "{}") && !ping("", ""));
}

#[test]
fn p3_an_endless_line_is_refused_not_stored() {
    let (mut parser, mut out) = (SseParser::new(), Vec::new());
    let piece = vec![b'a'; 1024 * 1024];
    let refused = (0..40).position(|_| parser.push(&piece, &mut out).is_err());
    assert_eq!(refused, Some(32));
    let (mut parser, line) = (SseParser::new(), [b"data: ".as_slice(), &piece, b"\n"].concat());
    assert!((0..40).any(|_| parser.push(&line, &mut out).is_err()), "many data lines of one event");
}

proptest! {
    #[test]
    fn p3_any_bytes_in_any_pieces_agree(body in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b':'), Just(b' '), Just(b'd'), any::<u8>()], 0..80), size in 1usize..9) {
        let pieces: Vec<&[u8]> = body.chunks(size).collect();
        prop_assert_eq!(whole(&pieces), whole(&[&body]));
    }
}
