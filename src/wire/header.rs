//! The base protocol's framing: a header block with `Content-Length`, a blank line, then that many bytes. Elsewhere a message is a line.

use std::borrow::Cow;

/// How the messages of a byte stream are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Framing {
    /// One message a line (MCP, ACP).
    #[default]
    Lines,
    /// A header block with `Content-Length` (LSP).
    ContentLength,
}

impl Framing {
    /// The name used in recordings and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Framing::Lines => "nl",
            Framing::ContentLength => "cl",
        }
    }

    /// Reads the name back.
    pub fn from_name(name: &str) -> Option<Framing> {
        [Framing::Lines, Framing::ContentLength].into_iter().find(|framing| framing.as_str() == name)
    }

    /// A message with its framing. A log may have spread it over several lines; what makes lines of it goes, where the text is
    /// JSON. Bytes that are none are sent as they are.
    pub fn wrap(self, message: &[u8]) -> Vec<u8> {
        match self {
            Framing::Lines => [&one_line(message), b"\n".as_slice()].concat(),
            Framing::ContentLength => {
                let mut framed = format!("Content-Length: {}\r\n\r\n", message.len()).into_bytes();
                framed.extend_from_slice(message);
                framed
            }
        }
    }
}

/// JSON without line breaks: outside of strings they are white space, and inside there are none.
fn one_line(message: &[u8]) -> Cow<'_, [u8]> {
    let breaks = |byte: &u8| matches!(byte, b'\n' | b'\r');
    match message.iter().any(breaks) && serde_json::from_slice::<serde::de::IgnoredAny>(message).is_ok() {
        true => Cow::Owned(message.iter().copied().filter(|byte| !breaks(byte)).collect()),
        false => Cow::Borrowed(message),
    }
}

/// The longest header block that is read before it is given up as hostile, in bytes.
const MAX_HEADER: usize = 4 * 1024;

/// One header block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Length of the block with its blank line, in bytes.
    pub length: usize,
    /// The announced length of the body, in bytes.
    pub content_length: usize,
}

/// Why a header block cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The block is not complete yet (or the log ends here).
    #[error("the header block is not complete")]
    Incomplete,
    /// No usable `Content-Length`.
    #[error("no usable Content-Length in the header block")]
    NoLength,
    /// An announced length that nobody should allocate.
    #[error("Content-Length {0} is over the limit")]
    TooLong(String),
}

/// Reads a header block at the start of `bytes`. `limit` is the largest body that is accepted, in bytes.
/// Lines may end in LF alone; names are compared without case, as in HTTP.
pub fn read_header(bytes: &[u8], limit: usize) -> Result<Header, FrameError> {
    let mut at = 0;
    let mut content_length = None;
    loop {
        let window = &bytes[at..bytes.len().min(at + MAX_HEADER)];
        let Some(end) = memchr::memchr(b'\n', window) else {
            return Err(if bytes.len() - at >= MAX_HEADER { FrameError::NoLength } else { FrameError::Incomplete });
        };
        let line = window[..end].strip_suffix(b"\r").unwrap_or(&window[..end]);
        at += end + 1;
        if line.is_empty() {
            break;
        }
        if at > MAX_HEADER {
            return Err(FrameError::NoLength);
        }
        let Some(colon) = memchr::memchr(b':', line) else { return Err(FrameError::NoLength) };
        if line[..colon].trim_ascii().eq_ignore_ascii_case(b"content-length") {
            content_length = Some(parse_length(line[colon + 1..].trim_ascii(), limit)?);
        }
    }
    let content_length = content_length.ok_or(FrameError::NoLength)?;
    Ok(Header { length: at, content_length })
}

fn parse_length(text: &[u8], limit: usize) -> Result<usize, FrameError> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return Err(FrameError::NoLength);
    }
    let text = String::from_utf8_lossy(&text[..text.len().min(40)]).into_owned();
    match text.parse::<usize>() {
        Ok(length) if length <= limit => Ok(length),
        _ => Err(FrameError::TooLong(text)),
    }
}

/// The headers that the base protocol has.
const NAMES: [&[u8]; 2] = [b"content-length", b"content-type"];

/// True where a header block begins: with the name of one of the two headers.
pub fn opens_header(bytes: &[u8]) -> bool {
    NAMES.iter().any(|name| is_named(bytes, name))
}

/// The same, or as much of such a name as there are bytes.
pub fn begins_header(bytes: &[u8]) -> bool {
    let begins = |name: &[u8]| bytes.len() <= name.len() && name[..bytes.len()].eq_ignore_ascii_case(bytes);
    opens_header(bytes) || !bytes.is_empty() && NAMES.iter().any(|name| begins(name))
}

/// Where a header that tells a length begins in a line.
pub fn find_length(line: &[u8]) -> Option<usize> {
    memchr::memchr2_iter(b'C', b'c', line).find(|at| is_named(&line[*at..], b"content-length"))
}

fn is_named(bytes: &[u8], name: &[u8]) -> bool {
    let named = bytes.len() > name.len() && bytes[..name.len()].eq_ignore_ascii_case(name);
    named && bytes[name.len()..].trim_ascii_start().first() == Some(&b':')
}

/// True for `Name: value`.
pub(super) fn is_field(line: &[u8]) -> bool {
    let Some(colon) = memchr::memchr(b':', line) else { return false };
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    colon > 0 && line[..colon].trim_ascii_end().iter().all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_line_ends_and_any_case() {
        let crlf = b"Content-Length: 12\r\nContent-Type: x\r\n\r\n{";
        assert_eq!(read_header(crlf, 99), Ok(Header { length: crlf.len() - 1, content_length: 12 }));
        assert_eq!(read_header(b"content-length:5\n\n", 99).map(|h| h.content_length), Ok(5));
    }

    #[test]
    fn hostile_lengths_are_refused() {
        assert!(matches!(
            read_header(b"Content-Length: 99999999999999999999\r\n\r\n", 99),
            Err(FrameError::TooLong(_))
        ));
        assert!(matches!(read_header(b"Content-Length: 100\r\n\r\n", 99), Err(FrameError::TooLong(_))));
        assert_eq!(read_header(b"Content-Length: -1\r\n\r\n", 99), Err(FrameError::NoLength));
        assert_eq!(read_header(b"Content-Length: 1", 99), Err(FrameError::Incomplete));
        assert_eq!(read_header(&[b'x'; 9000], 99), Err(FrameError::NoLength));
    }

    #[test]
    fn a_block_is_wrapped_with_the_length_in_bytes() {
        assert_eq!(
            Framing::ContentLength.wrap("{\"a\":\"ä\"}".as_bytes()),
            "Content-Length: 10\r\n\r\n{\"a\":\"ä\"}".as_bytes()
        );
    }

    #[test]
    fn a_line_is_one_line() {
        let spread = "{\r\n  \"a\": [ \"x\\n\u{2028}\",\n\t1e400 ]\n}\n";
        assert_eq!(Framing::Lines.wrap(spread.as_bytes()), "{  \"a\": [ \"x\\n\u{2028}\",\t1e400 ]}\n".as_bytes());
        assert_eq!(Framing::Lines.wrap(b"{\"cut\":\n"), b"{\"cut\":\n\n", "no JSON: as it was");
        let block = Framing::ContentLength.wrap(b"{\n}");
        assert_eq!(block, b"Content-Length: 3\r\n\r\n{\n}", "a block may hold lines");
    }
}
