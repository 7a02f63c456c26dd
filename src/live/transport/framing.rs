//! Messages in a byte stream, as peers write them: lines or header blocks, whichever comes, and what is neither.

use crate::jsonrpc::{FrameError, read_header};

/// One thing read from a byte stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A JSON object or array.
    Message(Vec<u8>),
    /// Anything else.
    Raw(Vec<u8>),
}

/// The longest announced body, in bytes.
const MAX_BODY: usize = 1 << 30;

/// The names of the headers that the base protocol has start with this.
const HEADER: &[u8] = b"content-";

/// Reads a byte stream piece by piece.
#[derive(Debug, Default)]
pub struct Splitter {
    buffer: Vec<u8>,
    /// Bytes at the start of `buffer` that have been handed on.
    used: usize,
    /// Bytes after `used` that hold no end of a line.
    scanned: usize,
    /// True once a header block was read: then a block may start with any header.
    headers: bool,
}

impl Splitter {
    /// Takes the next bytes; [`Splitter::next_piece`] gives what they complete.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.used);
        self.used = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// The next complete piece.
    pub fn next_piece(&mut self) -> Option<Piece> {
        loop {
            let blank = self.rest().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            if self.scanned == 0 {
                self.used += blank;
            }
            let rest = self.rest();
            if rest.is_empty() {
                return None;
            }
            if self.scanned == 0 && self.starts_block() {
                match read_header(rest, MAX_BODY) {
                    Ok(header) if rest.len() < header.length + header.content_length => return None,
                    Ok(header) => {
                        let body = rest[header.length..header.length + header.content_length].to_vec();
                        self.used += header.length + header.content_length;
                        self.headers = true;
                        return Some(piece(body));
                    }
                    Err(FrameError::Incomplete) => return None,
                    // Without a length the block is noise, line by line.
                    Err(_) => {}
                }
            }
            match memchr::memchr(b'\n', &self.rest()[self.scanned..]) {
                None => {
                    self.scanned = if self.undecided() { 0 } else { self.rest().len() };
                    return None;
                }
                Some(end) => {
                    let end = self.scanned + end;
                    let line = self.rest()[..end].trim_ascii_end().to_vec();
                    self.used += end + 1;
                    self.scanned = 0;
                    if !line.is_empty() {
                        return Some(piece(line));
                    }
                }
            }
        }
    }

    /// What the stream ended in.
    pub fn finish(&mut self) -> Option<Piece> {
        let rest = self.rest().trim_ascii().to_vec();
        self.used = self.buffer.len();
        self.scanned = 0;
        Some(rest).filter(|rest| !rest.is_empty()).map(piece)
    }

    fn rest(&self) -> &[u8] {
        &self.buffer[self.used..]
    }

    /// True if what follows is a header block.
    fn starts_block(&self) -> bool {
        let rest = self.rest();
        let known = rest.len() >= HEADER.len() && rest[..HEADER.len()].eq_ignore_ascii_case(HEADER);
        known || (self.headers && any_header(rest))
    }

    /// True if what follows may yet turn out to be a header block.
    fn undecided(&self) -> bool {
        let rest = self.rest();
        rest.len() < HEADER.len() && HEADER[..rest.len()].eq_ignore_ascii_case(rest) || self.headers
    }
}

/// True if a line `Name: value` comes first.
fn any_header(rest: &[u8]) -> bool {
    let name = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
    name > 0 && rest.get(name) == Some(&b':')
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
    use crate::jsonrpc::Framing;
    use proptest::prelude::*;

    fn read(pieces: &[&[u8]]) -> Vec<Piece> {
        let mut splitter = Splitter::default();
        let mut found = Vec::new();
        for bytes in pieces {
            splitter.push(bytes);
            found.extend(std::iter::from_fn(|| splitter.next_piece()));
        }
        found.extend(splitter.finish());
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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn where_it_is_split_does_not_matter(
            all in proptest::collection::vec((0u8..6, "[a-zä{}\":]{0,6}"), 0..8),
            cuts in proptest::collection::vec(0usize..400, 0..8),
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
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|cut| *cut <= bytes.len()).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(read(&pieces), read(&[&bytes]));
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            prop_assert_eq!(read(&single), read(&[&bytes]));
        }
    }
}
