//! What a live peer says, piece by piece: what the reader of bytes takes for a message is one where it is JSON.

use crate::live::link::MESSAGE_BYTES;
use crate::wire::{self, Reader};

/// One thing that a peer said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A JSON object or array.
    Message(Vec<u8>),
    /// Anything else.
    Raw(Vec<u8>),
}

/// A byte stream of a peer, in whichever of the two framings its first message shows.
#[derive(Debug)]
pub struct Spoken(Reader);

impl Default for Spoken {
    fn default() -> Spoken {
        Spoken(Reader::new(None, MESSAGE_BYTES))
    }
}

impl Spoken {
    /// Takes the next bytes, and gives what they complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Piece> {
        let mut pieces = Vec::new();
        self.0.feed(bytes, &mut |read| pieces.push(judged(read)));
        pieces
    }

    /// What the stream ended in.
    pub fn end(&mut self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        self.0.end(&mut |read| pieces.push(judged(read)));
        pieces
    }
}

/// White space around a line, and line ends around a message, are no part of it.
fn judged(read: wire::Piece) -> Piece {
    match read {
        wire::Piece::Message { bytes, head: Some(_), .. } => piece(bytes),
        wire::Piece::Message { bytes, .. } => piece(bytes.trim_ascii().to_vec()),
        wire::Piece::Raw(bytes) => Piece::Raw(bytes.trim_ascii().to_vec()),
    }
}

/// A message, if it is JSON that may be one.
pub(super) fn piece(bytes: Vec<u8>) -> Piece {
    let container = matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'['));
    match container && serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).is_ok() {
        true => Piece::Message(bytes),
        false => Piece::Raw(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Framing;
    use crate::wire::testing::chunks;
    use proptest::prelude::*;

    fn read(pieces: &[&[u8]]) -> Vec<Piece> {
        let mut spoken = Spoken::default();
        let mut found: Vec<Piece> = pieces.iter().flat_map(|bytes| spoken.feed(bytes)).collect();
        found.extend(spoken.end());
        found
    }

    fn message(text: &str) -> Piece {
        Piece::Message(text.into())
    }

    fn raw(text: &str) -> Piece {
        Piece::Raw(text.into())
    }

    #[test]
    fn lines_with_noise() {
        let found = read(&[b"Starting up\n{\"id\":1}\r\n\n[{\"id\":2}]\n42\n{\"cut\":\n\"\xc3\xa4\"\n{\"id\":3}"]);
        let expected = [
            raw("Starting up"),
            message("{\"id\":1}"),
            message("[{\"id\":2}]"),
            raw("42"),
            raw("{\"cut\":"),
            raw("\"\u{e4}\""),
            message("{\"id\":3}"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn header_blocks_as_peers_write_them() {
        let found = read(&[
            b"Content-Length: 8\r\n\r\n{\"id\":1}content-length:8\n\n{\"id\":2}",
            b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 8\r\n\r\n{\"id\":3}",
            b"X-Extra: 1\r\ncontent-length:10\r\n\r\n{\n\"id\":4\n}noise on stdout\nContent-Length: 8\r\n\r\n{\"id\":5}",
        ]);
        let expected = [1, 2, 3].map(|id| message(&format!("{{\"id\":{id}}}")));
        assert_eq!(found[..3], expected);
        assert_eq!(found[3..], [message("{\n\"id\":4\n}"), raw("noise on stdout"), message("{\"id\":5}")]);
    }

    #[test]
    fn what_is_no_message_is_raw() {
        assert_eq!(read(&[b"Content-Type: x\r\n\r\n{\"id\":1}\n"]), [raw("Content-Type: x"), message("{\"id\":1}")]);
        assert_eq!(read(&[b"Content-Length: 99999999999999\r\n\r\n"]), [raw("Content-Length: 99999999999999")]);
        assert_eq!(read(&[b"Content-Length: 4\r\n\r\noops"]), [raw("oops")]);
        assert_eq!(read(&[b"Content-Length: 40\r\n\r\n{"]), [raw("Content-Length: 40\r\n\r\n{")], "cut off");
        assert_eq!(read(&[b"cont"]), [raw("cont")]);
        assert_eq!(read(&[b"content is king\n{}\n"]), [raw("content is king"), message("{}")]);
    }

    #[test]
    fn a_message_without_end_is_none_and_the_next_one_is_read() {
        let mut spoken = Spoken::default();
        let part = vec![b'['; 1 << 20];
        let parts = std::iter::repeat_n(part.as_slice(), (MESSAGE_BYTES >> 20) + 1).chain([&b"\n{}\n"[..]]);
        let found: Vec<Piece> = parts.flat_map(|bytes| spoken.feed(bytes)).collect();
        assert!(matches!(&found[0], Piece::Raw(bytes) if bytes.len() == MESSAGE_BYTES), "{}", found.len());
        assert_eq!(found[1..], [message("{}")]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn where_it_is_split_does_not_matter(
            all in proptest::collection::vec((0u8..6, "[a-zä{}\":]{0,6}"), 0..8),
            sizes in proptest::collection::vec(1usize..60, 1..8),
        ) {
            let mut bytes = Vec::new();
            for (kind, text) in all {
                let json = format!("{{\"t\":{}}}", serde_json::to_string(&text).unwrap());
                match kind {
                    0 => bytes.extend(Framing::Lines.wrap(json.as_bytes())),
                    1 => bytes.extend(Framing::ContentLength.wrap(json.as_bytes())),
                    2 => bytes.extend(format!("content-length:{}\n\n{json}", json.len()).into_bytes()),
                    3 => bytes.extend(format!("{text}\n").into_bytes()),
                    4 => bytes.extend(b"Content-Type: x\r\n\r\n"),
                    _ => bytes.extend(format!("X-A: 1\r\nContent-Length: {}\r\n\r\n{json}", json.len()).into_bytes()),
                }
            }
            prop_assert_eq!(read(&chunks(&bytes, &sizes)), read(&[&bytes]));
            prop_assert_eq!(read(&chunks(&bytes, &[1])), read(&[&bytes]));
        }
    }
}
