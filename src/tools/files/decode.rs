//! Which encoding a file's bytes have, and the way between bytes and text that loses nothing (SPEC T2, CASES D02).
//!
//! Must not: open files, or guess languages: what is neither UTF-8 nor UTF-16 is shown as Windows-1252, where each byte
//! is one character and the way back is exact.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE, WINDOWS_1252};
use std::borrow::Cow;

/// How a text file's bytes are to be read.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Coding {
    /// Valid UTF-8, ASCII included.
    Utf8,
    /// UTF-8 with some bytes that are not; they show as U+FFFD and can only be kept.
    Damaged,
    /// UTF-16, low byte first, with a byte order mark.
    Utf16Le,
    /// UTF-16, high byte first, with a byte order mark.
    Utf16Be,
    /// One byte a character.
    Windows1252,
}

impl Coding {
    /// The name for people and models.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Damaged => "UTF-8 with invalid bytes",
            Self::Utf16Le => "UTF-16 LE",
            Self::Utf16Be => "UTF-16 BE",
            Self::Windows1252 => "not UTF-8, read as Windows-1252",
        }
    }

    /// Bytes of one unit: 2 for UTF-16, else 1.
    #[must_use]
    pub const fn width(self) -> usize {
        match self {
            Self::Utf16Le | Self::Utf16Be => 2,
            Self::Utf8 | Self::Damaged | Self::Windows1252 => 1,
        }
    }

    /// The unit at a byte offset; none beyond the end.
    #[must_use]
    pub fn unit(self, bytes: &[u8], at: usize) -> Option<u16> {
        match self {
            Self::Utf16Le => Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?)),
            Self::Utf16Be => Some(u16::from_be_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?)),
            Self::Utf8 | Self::Damaged | Self::Windows1252 => bytes.get(at).copied().map(u16::from),
        }
    }

    /// A text as units of this coding.
    ///
    /// # Errors
    /// The first character that the coding does not have.
    pub fn units(self, text: &str) -> Result<Vec<u16>, char> {
        match self {
            Self::Utf16Le | Self::Utf16Be => Ok(text.encode_utf16().collect()),
            Self::Utf8 | Self::Damaged => Ok(text.bytes().map(u16::from).collect()),
            Self::Windows1252 => text.chars().map(single).collect(),
        }
    }

    /// Units as bytes.
    pub fn write(self, units: &[u16], out: &mut Vec<u8>) {
        for unit in units {
            match self {
                Self::Utf16Le => out.extend(unit.to_le_bytes()),
                Self::Utf16Be => out.extend(unit.to_be_bytes()),
                // One-byte units fit by construction; the low byte is the unit.
                Self::Utf8 | Self::Damaged | Self::Windows1252 => out.push(unit.to_le_bytes()[0]),
            }
        }
    }
}

/// A character as its byte in Windows-1252.
fn single(c: char) -> Result<u16, char> {
    let mut buffer = [0; 4];
    let (bytes, _, unmappable) = WINDOWS_1252.encode(c.encode_utf8(&mut buffer));
    match bytes.as_ref() {
        [one] if !unmappable => Ok(u16::from(*one)),
        _ => Err(c),
    }
}

/// The byte order mark at the start, or nothing.
#[must_use]
pub fn bom(bytes: &[u8]) -> &[u8] {
    for mark in [&b"\xef\xbb\xbf"[..], b"\xff\xfe", b"\xfe\xff"] {
        if bytes.starts_with(mark) {
            return bytes.get(..mark.len()).unwrap_or_default();
        }
    }
    &[]
}

/// How the bytes are to be read; none for a binary file (a NUL in the first 8 KiB that no UTF-16 mark explains).
#[must_use]
pub fn detect(bytes: &[u8]) -> Option<Coding> {
    match bom(bytes) {
        b"\xff\xfe" => return Some(Coding::Utf16Le),
        b"\xfe\xff" => return Some(Coding::Utf16Be),
        _ => {}
    }
    if bytes.iter().take(8 * 1024).any(|b| *b == 0) {
        return None;
    }
    if std::str::from_utf8(bytes).is_ok() {
        return Some(Coding::Utf8);
    }
    // More good multi-byte characters than bad bytes: UTF-8 with a fault, else an older coding.
    let (mut good, mut bad) = (0usize, 0usize);
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        bad += chunk.invalid().len();
    }
    Some(if good > bad { Coding::Damaged } else { Coding::Windows1252 })
}

/// The text without its byte order mark. Of invalid bytes U+FFFD.
#[must_use]
pub fn decode(bytes: &[u8], coding: Coding) -> Cow<'_, str> {
    let body = bytes.get(bom(bytes).len()..).unwrap_or_default();
    let by = |encoding: &'static Encoding| encoding.decode_without_bom_handling(body).0;
    match coding {
        Coding::Utf8 | Coding::Damaged => String::from_utf8_lossy(body),
        Coding::Utf16Le => by(UTF_16LE),
        Coding::Utf16Be => by(UTF_16BE),
        Coding::Windows1252 => by(WINDOWS_1252),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codings_are_told_apart() {
        assert_eq!(detect(b"plain"), Some(Coding::Utf8));
        assert_eq!(detect(b""), Some(Coding::Utf8));
        assert_eq!(detect("\u{feff}é".as_bytes()), Some(Coding::Utf8));
        assert_eq!(detect(b"caf\xe9\n"), Some(Coding::Windows1252));
        assert_eq!(detect("ä ö ü ─\n".as_bytes().iter().copied().chain([0xff]).collect::<Vec<_>>().as_slice()), Some(Coding::Damaged));
        assert_eq!(detect(b"\xff\xfea\0"), Some(Coding::Utf16Le));
        assert_eq!(detect(b"\xfe\xff\0a"), Some(Coding::Utf16Be));
        assert_eq!(detect(b"\x7fELF\0"), None);
    }

    #[test]
    fn every_byte_of_an_old_file_comes_back() {
        let bytes: Vec<u8> = (1..=255).collect();
        let text = decode(&bytes, Coding::Windows1252);
        let mut back = Vec::new();
        Coding::Windows1252.write(&Coding::Windows1252.units(&text).unwrap(), &mut back);
        assert_eq!(back, bytes);
        assert_eq!(Coding::Windows1252.units("a🌍"), Err('🌍'));
    }

    #[test]
    fn utf_16_is_decoded_without_its_mark() {
        assert_eq!(decode(b"\xff\xfea\0\xac\x20", Coding::Utf16Le), "a€");
        assert_eq!(decode(b"\xfe\xff\0a\x20\xac", Coding::Utf16Be), "a€");
        assert_eq!(decode(b"\xef\xbb\xbfa", Coding::Utf8), "a");
    }
}
