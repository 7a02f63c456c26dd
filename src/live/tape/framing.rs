//! Messages in a copy of a byte stream. A wrong guess costs understanding, never traffic.
//!
//! Bytes come in chunks of any size; what comes out depends on the bytes alone. After something that is no message the next one
//! is found again: at the end of the line, or where the next `Content-Length:` stands.

use std::collections::BTreeMap;

use memchr::memchr;

use super::{FRAME_BYTES, Pipe, TapeEvent};
use crate::jsonrpc::{FrameError, read_header};
use crate::protocol::Side;

/// The longest header block, and the longest line outside of messages, in bytes.
const HEAD_BYTES: usize = 4096;

/// The longest body that a header may announce, in bytes; beyond it, the header is taken for a mistake.
const BODY_BYTES: usize = 1 << 30;

/// The longest line of stderr that is kept in one piece, in bytes.
const STDERR_BYTES: usize = 64 << 10;

/// Where a header begins that tells a length.
const LENGTH: &[u8] = b"content-length:";

/// How messages are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// One a line (MCP, ACP).
    Lines,
    /// A header block with `Content-Length` (LSP).
    ContentLength,
    /// Whichever of the two the first message shows.
    #[default]
    Auto,
}

impl Framing {
    /// As the header of a recording has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Framing::Lines => "nl",
            Framing::ContentLength => "cl",
            Framing::Auto => "auto",
        }
    }

    /// Reads it back; what is no framing is told from the messages.
    pub fn from_name(name: &str) -> Framing {
        [Framing::Lines, Framing::ContentLength].into_iter().find(|one| one.as_str() == name).unwrap_or_default()
    }
}

/// The streams of all connections.
#[derive(Debug)]
pub(super) struct Framers {
    framing: Framing,
    streams: BTreeMap<(u32, Pipe), Stream>,
}

#[derive(Debug)]
enum Stream {
    Messages(Framer),
    Stderr(Vec<u8>),
}

impl Framers {
    pub(super) fn new(framing: Framing) -> Framers {
        Framers { framing, streams: BTreeMap::new() }
    }

    fn stream(&mut self, connection: u32, pipe: Pipe) -> &mut Stream {
        let framing = self.framing;
        self.streams.entry((connection, pipe)).or_insert_with(|| match pipe {
            Pipe::From(side) => Stream::Messages(Framer::new(side, framing)),
            Pipe::Stderr => Stream::Stderr(Vec::new()),
        })
    }

    pub(super) fn feed(&mut self, connection: u32, pipe: Pipe, bytes: &[u8], each: &mut dyn FnMut(TapeEvent)) {
        match self.stream(connection, pipe) {
            Stream::Messages(framer) => framer.feed(bytes, each),
            Stream::Stderr(held) => stderr(held, bytes, each),
        }
    }

    /// Bytes were lost here. False if it cannot be told from their lines how many messages these were.
    pub(super) fn resync(&mut self, connection: u32, pipe: Pipe, mid_line: bool) -> bool {
        match self.stream(connection, pipe) {
            Stream::Messages(framer) => framer.resync(mid_line),
            Stream::Stderr(held) => {
                held.clear();
                true
            }
        }
    }

    /// What one side sends has ended; without a side, all of it.
    pub(super) fn end(&mut self, connection: u32, by: Option<Side>, each: &mut dyn FnMut(TapeEvent)) {
        let pipes = match by {
            Some(side) => vec![Pipe::From(side)],
            None => vec![Pipe::From(Side::Client), Pipe::From(Side::Server), Pipe::Stderr],
        };
        for pipe in pipes {
            match self.streams.remove(&(connection, pipe)) {
                Some(Stream::Messages(mut framer)) => framer.end(each),
                Some(Stream::Stderr(held)) if !held.is_empty() => each(TapeEvent::Stderr { bytes: held }),
                _ => {}
            }
        }
    }

    /// Everything has ended.
    pub(super) fn end_all(&mut self) -> Vec<(u32, TapeEvent)> {
        let mut connections: Vec<u32> = self.streams.keys().map(|(connection, _)| *connection).collect();
        connections.dedup();
        let mut events = Vec::new();
        for connection in connections {
            self.end(connection, None, &mut |event| events.push((connection, event)));
        }
        events
    }
}

/// Lines of stderr; one that is too long comes in pieces.
fn stderr(held: &mut Vec<u8>, mut bytes: &[u8], each: &mut dyn FnMut(TapeEvent)) {
    while !bytes.is_empty() {
        let window = &bytes[..bytes.len().min(STDERR_BYTES - held.len())];
        let end = memchr(b'\n', window);
        held.extend_from_slice(&window[..end.unwrap_or(window.len())]);
        bytes = &bytes[end.map_or(window.len(), |end| end + 1)..];
        if end.is_some() || held.len() == STDERR_BYTES {
            let mut line = std::mem::take(held);
            line.truncate(line.strip_suffix(b"\r").map_or(line.len(), <[u8]>::len));
            each(TapeEvent::Stderr { bytes: line });
        }
    }
}

/// Finds the messages of one direction.
#[derive(Debug)]
pub struct Framer {
    from: Side,
    framing: Framing,
    /// The line, header block or body that is not complete yet; no more than is stored of it.
    held: Vec<u8>,
    /// The length of it, stored or not.
    length: u64,
    /// Where the line that is being read begins in a header block.
    line_at: usize,
    /// The header block and the length of the body that is being read.
    body: Option<(Vec<u8>, u64)>,
    /// What is skipped after bytes were lost.
    skip: Skip,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Skip {
    Nothing,
    /// The rest of a line.
    Line,
    /// What stands before the next message.
    Raw,
}

impl Framer {
    /// For what `from` sends.
    pub fn new(from: Side, framing: Framing) -> Framer {
        Framer { from, framing, held: Vec::new(), length: 0, line_at: 0, body: None, skip: Skip::Nothing }
    }

    /// Bytes were lost: what was begun is given up, and what it ends with is no message. False if that is not counted in lines.
    fn resync(&mut self, mid_line: bool) -> bool {
        self.held.clear();
        (self.length, self.line_at, self.body) = (0, 0, None);
        let in_lines = self.framing != Framing::ContentLength;
        self.skip = match (in_lines, mid_line) {
            (true, true) => Skip::Line,
            (true, false) => Skip::Nothing,
            (false, _) => Skip::Raw,
        };
        in_lines
    }

    /// Takes the next bytes, and hands on what they complete.
    pub fn feed(&mut self, mut bytes: &[u8], each: &mut dyn FnMut(TapeEvent)) {
        while !bytes.is_empty() {
            let taken = match (&self.body, self.framing) {
                (Some((_, length)), _) => {
                    let missing = length - self.length;
                    let count = bytes.len().min(usize::try_from(missing).unwrap_or(usize::MAX));
                    self.hold(&bytes[..count], FRAME_BYTES);
                    self.body_done(each);
                    count
                }
                (None, Framing::ContentLength) => self.head(bytes, each),
                (None, _) => self.line(bytes, each),
            };
            bytes = &bytes[taken..];
        }
    }

    /// The stream has ended: what is left is no message, but for a last line that nothing ends.
    pub fn end(&mut self, each: &mut dyn FnMut(TapeEvent)) {
        let held = std::mem::take(&mut self.held);
        if self.skip == Skip::Line {
            return;
        }
        match self.body.take() {
            Some((mut head, _)) => {
                head.extend_from_slice(&held);
                self.raw(head, each);
            }
            None if self.framing == Framing::ContentLength => self.raw(held, each),
            None => self.whole_line(held, each),
        }
        (self.length, self.line_at) = (0, 0);
    }

    fn hold(&mut self, bytes: &[u8], most: usize) {
        let room = most.saturating_sub(self.held.len());
        self.held.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.length += bytes.len() as u64;
    }

    fn raw(&self, bytes: Vec<u8>, each: &mut dyn FnMut(TapeEvent)) {
        if !bytes.trim_ascii().is_empty() && self.skip == Skip::Nothing {
            each(TapeEvent::Raw { from: self.from, bytes });
        }
    }

    fn message(&mut self, bytes: Vec<u8>, wire_bytes: u64, head: Option<Vec<u8>>, each: &mut dyn FnMut(TapeEvent)) {
        let from = self.from;
        self.skip = Skip::Nothing;
        each(match wire_bytes > bytes.len() as u64 {
            true => TapeEvent::Cut { from, bytes, wire_bytes, head },
            false => TapeEvent::Message { from, bytes, head },
        });
    }

    /// Reads on in a line, and says how many bytes that took.
    fn line(&mut self, bytes: &[u8], each: &mut dyn FnMut(TapeEvent)) -> usize {
        let Some(end) = memchr(b'\n', bytes) else {
            self.hold(bytes, FRAME_BYTES);
            return bytes.len();
        };
        if self.skip == Skip::Line {
            self.skip = Skip::Nothing;
            self.held.clear();
            self.length = 0;
            return end + 1;
        }
        self.hold(&bytes[..end], FRAME_BYTES);
        if self.framing == Framing::Auto && opens_head(&self.held) {
            // The line is the first one of a header block; it is read again as that.
            self.framing = Framing::ContentLength;
            let mut line = std::mem::take(&mut self.held);
            line.push(b'\n');
            self.length = 0;
            self.feed(&line, each);
            return end + 1;
        }
        let line = std::mem::take(&mut self.held);
        self.whole_line(line, each);
        self.length = 0;
        end + 1
    }

    fn whole_line(&mut self, line: Vec<u8>, each: &mut dyn FnMut(TapeEvent)) {
        let first = line.iter().find(|byte| !byte.is_ascii_whitespace());
        match first {
            None => {}
            Some(b'{' | b'[') => {
                if self.framing == Framing::Auto {
                    self.framing = Framing::Lines;
                }
                self.message(line, self.length, None, each);
            }
            Some(_) => self.raw(line, each),
        }
    }

    /// Reads on in a header block, or in what stands before one, and says how many bytes that took.
    fn head(&mut self, bytes: &[u8], each: &mut dyn FnMut(TapeEvent)) -> usize {
        let room = HEAD_BYTES - self.held.len();
        let window = &bytes[..bytes.len().min(room)];
        let end = memchr(b'\n', window).map(|end| end + 1);
        let taken = end.unwrap_or(window.len());
        self.held.extend_from_slice(&window[..taken]);
        match end {
            Some(_) => self.head_line(each),
            // As much of it is let go as cannot be the beginning of a header.
            None if self.held.len() == HEAD_BYTES => {
                let rest = self.held.split_off(HEAD_BYTES - LENGTH.len());
                let gone = std::mem::replace(&mut self.held, rest);
                self.line_at = 0;
                self.raw(gone, each);
            }
            None => {}
        }
        taken
    }

    /// A line of a header block is complete.
    fn head_line(&mut self, each: &mut dyn FnMut(TapeEvent)) {
        let line = self.held[self.line_at..].trim_ascii();
        if line.is_empty() {
            return self.head_done(each);
        }
        let length_at = find_length(&self.held[self.line_at..]);
        let before = length_at.map_or(0, |at| self.line_at + at);
        match (length_at, is_field(line)) {
            // A length in the middle of a line: what stands before it belongs to something else.
            (Some(1..), _) => {
                let head = self.held.split_off(before);
                let gone = std::mem::replace(&mut self.held, head);
                self.raw(gone, each);
                self.line_at = self.held.len();
            }
            (_, true) if self.held.len() < HEAD_BYTES => self.line_at = self.held.len(),
            _ => self.drop_head(each),
        }
    }

    /// The blank line after a header block.
    fn head_done(&mut self, each: &mut dyn FnMut(TapeEvent)) {
        match read_header(&self.held, BODY_BYTES) {
            Ok(header) => {
                let head = std::mem::take(&mut self.held);
                self.body = Some((head, header.content_length as u64));
                (self.length, self.line_at) = (0, 0);
                self.body_done(each);
            }
            Err(FrameError::Incomplete | FrameError::NoLength | FrameError::TooLong(_)) => self.drop_head(each),
        }
    }

    fn drop_head(&mut self, each: &mut dyn FnMut(TapeEvent)) {
        self.line_at = 0;
        let gone = std::mem::take(&mut self.held);
        self.raw(gone, each);
    }

    fn body_done(&mut self, each: &mut dyn FnMut(TapeEvent)) {
        let length = self.length;
        if let Some((head, _)) = self.body.take_if(|(_, announced)| *announced == length) {
            let bytes = std::mem::take(&mut self.held);
            self.length = 0;
            self.message(bytes, length, Some(head), each);
        }
    }
}

/// True for the first line of a header block, in the order in which both are written in practice.
fn opens_head(line: &[u8]) -> bool {
    let begins = |with: &[u8]| line.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    begins(LENGTH) || begins(b"content-type:")
}

/// Where a header with a length begins in a line.
fn find_length(line: &[u8]) -> Option<usize> {
    line.windows(LENGTH.len()).position(|window| window.eq_ignore_ascii_case(LENGTH))
}

/// True for `Name: value`.
fn is_field(line: &[u8]) -> bool {
    let Some(colon) = memchr(b':', line) else { return false };
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    colon > 0 && line[..colon].iter().all(is_name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// `M` message, `C` one that was cut, `R` raw; the head before a bar.
    fn told(event: TapeEvent) -> String {
        match event {
            TapeEvent::Message { bytes, head: None, .. } => format!("M {}", text(&bytes)),
            TapeEvent::Message { bytes, head: Some(head), .. } => format!("M {}|{}", text(&head), text(&bytes)),
            TapeEvent::Cut { bytes, wire_bytes, .. } => format!("C {} of {wire_bytes}", bytes.len()),
            TapeEvent::Raw { bytes, .. } => format!("R {}", text(&bytes)),
            other => format!("{other:?}"),
        }
    }

    fn framed<'c>(framing: Framing, chunks: impl Iterator<Item = &'c [u8]>) -> Vec<String> {
        let (mut framer, mut events) = (Framer::new(Side::Client, framing), Vec::new());
        chunks.for_each(|chunk| framer.feed(chunk, &mut |event| events.push(told(event))));
        framer.end(&mut |event| events.push(told(event)));
        events
    }

    fn whole(framing: Framing, bytes: &[u8]) -> Vec<String> {
        framed(framing, std::iter::once(bytes))
    }

    #[test]
    fn lines() {
        let events = whole(Framing::Auto, b"starting\n\n{\"id\":1}\r\n  \n[1]\nContent-Length: 3\nhalf\n{\"no\":");
        assert_eq!(
            events,
            ["R starting", "M {\"id\":1}\r", "M [1]", "R Content-Length: 3", "R half", "M {\"no\":"],
            "after a message in a line, it is lines; the last one may lack its end"
        );
    }

    #[test]
    fn content_length() {
        let stream =
            b"log line\nContent-Length: 2\r\nX-A: b\r\n\r\n{}content-length:4\n\n[\n1]boomContent-Length: 2\r\n\r\n[]\
            Content-Length: 9999999999999\r\n\r\nrest Content-Length: 2\r\n\r\n{}Content-Length: 7\r\n\r\n{\"a";
        for framing in [Framing::Auto, Framing::ContentLength] {
            assert_eq!(
                whole(framing, stream),
                [
                    "R log line\n",
                    "M Content-Length: 2\r\nX-A: b\r\n\r\n|{}",
                    "M content-length:4\n\n|[\n1]",
                    "R boom",
                    "M Content-Length: 2\r\n\r\n|[]",
                    "R Content-Length: 9999999999999\r\n\r\n",
                    "R rest ",
                    "M Content-Length: 2\r\n\r\n|{}",
                    "R Content-Length: 7\r\n\r\n{\"a",
                ]
                .map(|line| if framing == Framing::Auto {
                    line.replace("log line\n", "log line")
                } else {
                    line.to_string()
                })
            );
        }
    }

    #[test]
    fn of_a_huge_message_the_beginning_is_kept() {
        let huge = FRAME_BYTES + 5;
        let line: Vec<u8> = std::iter::once(b'{').chain(std::iter::repeat_n(b' ', huge)).chain(*b"\n{}\n").collect();
        let cut = format!("C {FRAME_BYTES} of {}", huge + 1);
        assert_eq!(framed(Framing::Lines, line.chunks(65536)), [cut.as_str(), "M {}"]);
        let mut framed_one = format!("Content-Length: {}\r\n\r\n", huge + 1).into_bytes();
        framed_one.extend_from_slice(&line[..huge + 1]);
        assert_eq!(framed(Framing::ContentLength, framed_one.chunks(4096)), [cut]);
    }

    #[test]
    fn after_a_loss_no_half_message_is_taken_for_a_whole_one() {
        let told_after = |framing, before: &[u8], mid_line, after: &[u8]| {
            let (mut framer, mut events) = (Framer::new(Side::Client, framing), Vec::new());
            framer.feed(before, &mut |event| events.push(told(event)));
            let counted = framer.resync(mid_line);
            framer.feed(after, &mut |event| events.push(told(event)));
            framer.end(&mut |event| events.push(told(event)));
            (counted, events)
        };
        let lines = |mid_line| told_after(Framing::Lines, b"{\"a\":", mid_line, b"{\"b\":1}}\n[]\n");
        assert_eq!(lines(true), (true, vec!["M []".to_string()]));
        assert_eq!(lines(false), (true, vec!["M {\"b\":1}}".to_string(), "M []".to_string()]));
        let stream = b"1}Content-Length: 2\r\n\r\n{}x";
        let framed = told_after(Framing::ContentLength, b"Content-Length: 9\r\n\r\n{", true, stream);
        assert_eq!(framed, (false, vec!["M Content-Length: 2\r\n\r\n|{}".to_string(), "R x".to_string()]));
    }

    #[test]
    fn lines_of_stderr() {
        let mut framers = Framers::new(Framing::Auto);
        let mut lines = Vec::new();
        let mut each = |event| match event {
            TapeEvent::Stderr { bytes } => lines.push(text(&bytes)),
            other => panic!("{other:?}"),
        };
        for chunk in [&b"WARN a\r\nWA"[..], b"RN b\n\n", &vec![b'x'; STDERR_BYTES + 1]] {
            framers.feed(1, Pipe::Stderr, chunk, &mut each);
        }
        framers.end_all().into_iter().for_each(|(_, event)| each(event));
        assert_eq!(lines[..3], ["WARN a", "WARN b", ""]);
        assert_eq!(lines[3..].iter().map(String::len).collect::<Vec<_>>(), [STDERR_BYTES, 1]);
    }

    #[test]
    fn a_line_without_an_end_is_let_go_and_the_next_message_found() {
        let mut stream = vec![b'x'; 3 * HEAD_BYTES];
        stream.extend_from_slice(b"Content-Length: 2\r\n\r\n{}");
        let events = whole(Framing::ContentLength, &stream);
        let raw: usize = events.iter().filter_map(|event| event.strip_prefix("R ")).map(str::len).sum();
        assert_eq!((raw, events.last().map(String::as_str)), (3 * HEAD_BYTES, Some("M Content-Length: 2\r\n\r\n|{}")));
    }

    fn pieces() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            Just(b"{\"id\":1}\n".to_vec()),
            Just(b"Content-Length: 8\r\n\r\n{\"id\":1}".to_vec()),
            Just(b"content-type: x\r\nCONTENT-LENGTH: 2\n\n[]".to_vec()),
            Just(b"Content-Length: x\r\n\r\n".to_vec()),
            Just(b"Content-Len".to_vec()),
            Just(vec![b'y'; HEAD_BYTES - 3]),
            proptest::collection::vec(any::<u8>(), 0..30),
            "[a-z:\r\n ]{0,12}".prop_map(String::into_bytes),
        ];
        proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn chunks_do_not_matter(stream in pieces(), sizes in proptest::collection::vec(1usize..40, 1..20), framing in 0..3) {
            let framing = [Framing::Lines, Framing::ContentLength, Framing::Auto][framing as usize];
            let (mut chunks, mut rest, mut sizes) = (Vec::new(), stream.as_slice(), sizes.iter().cycle());
            while !rest.is_empty() {
                let (chunk, next) = rest.split_at(rest.len().min(*sizes.next().expect("endless")));
                chunks.push(chunk);
                rest = next;
            }
            prop_assert_eq!(framed(framing, chunks.into_iter()), whole(framing, &stream));
        }

        #[test]
        fn messages_are_found_after_anything(before in "[a-zA-Z:{} \r\n]{0,60}") {
            let stream = format!("{before}\nContent-Length: 12\r\n\r\n{{\"found\":  1}}Content-Length: 2\r\n\r\n{{}}");
            let events = whole(Framing::ContentLength, stream.as_bytes());
            prop_assert_eq!(events.last().map(String::as_str), Some("M Content-Length: 2\r\n\r\n|{}"));
        }
    }
}
