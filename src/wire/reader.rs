//! Messages in a stream of bytes that comes in chunks of any size. What comes out depends on the bytes alone, never on the chunks.
//! Recorders and links to live peers read by it, so that what is recorded and what is replayed are the same messages.
//!
//! After something that is no message the next one is found again: at the end of the line, or where the next `Content-Length:` stands.

use memchr::memchr;

use super::header::{FrameError, Framing, find_length, is_field, opens_header, read_header};

/// The longest header block, and the longest text before one, in bytes.
const HEAD_BYTES: usize = 4096;

/// The longest body that a header may announce, in bytes; beyond it, the header is taken for a mistake.
const BODY_BYTES: usize = 1 << 30;

/// As much as may be the beginning of a header with a length.
const LENGTH_BYTES: usize = b"content-length:".len();

/// What was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Something that stands where a message stands; in a line, it begins like one.
    Message {
        /// Its bytes, without framing: the beginning where there are too many.
        bytes: Vec<u8>,
        /// How many there were on the wire.
        wire_bytes: u64,
        /// Its header block, where it had one.
        head: Option<Vec<u8>>,
    },
    /// Anything else.
    Raw(Vec<u8>),
}

/// Finds the messages of one direction.
#[derive(Debug)]
pub struct Reader {
    /// None until the first message shows it.
    framing: Option<Framing>,
    /// No more of a message is kept, in bytes.
    most: usize,
    /// True in a header block, or in what stands before one.
    in_head: bool,
    /// The line, header block or body that is not complete yet; no more than is kept of it.
    held: Vec<u8>,
    /// The length of it, kept or not.
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

impl Reader {
    /// Messages that are told apart so; without that, as the first one shows. Of each, `most` bytes are kept.
    pub fn new(framing: Option<Framing>, most: usize) -> Reader {
        Reader {
            framing,
            most,
            in_head: framing == Some(Framing::ContentLength),
            held: Vec::new(),
            length: 0,
            line_at: 0,
            body: None,
            skip: Skip::Nothing,
        }
    }

    /// How many bytes of what is not complete yet were taken.
    pub fn begun(&self) -> u64 {
        match &self.body {
            Some((head, _)) => head.len() as u64 + self.length,
            None if self.in_head => self.held.len() as u64,
            None => self.length,
        }
    }

    /// Bytes were lost: what was begun is given up, and what it ends with is no message. False if that is not counted in lines.
    pub fn resync(&mut self, mid_line: bool) -> bool {
        self.held.clear();
        (self.length, self.line_at, self.body) = (0, 0, None);
        let in_lines = !self.in_head;
        self.skip = match (in_lines, mid_line) {
            (true, true) => Skip::Line,
            (true, false) => Skip::Nothing,
            (false, _) => Skip::Raw,
        };
        in_lines
    }

    /// Takes the next bytes, and hands on what they complete.
    pub fn feed(&mut self, mut bytes: &[u8], each: &mut dyn FnMut(Piece)) {
        while !bytes.is_empty() {
            let taken = match &self.body {
                Some((_, length)) => {
                    let missing = length - self.length;
                    let count = bytes.len().min(usize::try_from(missing).unwrap_or(usize::MAX));
                    self.hold(&bytes[..count]);
                    self.body_done(each);
                    count
                }
                None if self.in_head => self.head(bytes, each),
                None => self.line(bytes, each),
            };
            bytes = &bytes[taken..];
        }
    }

    /// The stream has ended: what is left is no message, but for a last line that nothing ends.
    pub fn end(&mut self, each: &mut dyn FnMut(Piece)) {
        if self.body.is_none() && self.in_head {
            self.drop_head(each);
        }
        let held = std::mem::take(&mut self.held);
        if self.skip == Skip::Line {
            return;
        }
        match self.body.take() {
            Some((mut head, _)) => {
                head.extend_from_slice(&held);
                self.raw(head, each);
            }
            None => self.whole_line(held, each),
        }
        (self.length, self.line_at) = (0, 0);
    }

    fn hold(&mut self, bytes: &[u8]) {
        let room = self.most.saturating_sub(self.held.len());
        self.held.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.length += bytes.len() as u64;
    }

    fn raw(&self, bytes: Vec<u8>, each: &mut dyn FnMut(Piece)) {
        if !bytes.trim_ascii().is_empty() && self.skip == Skip::Nothing {
            each(Piece::Raw(bytes));
        }
    }

    fn message(&mut self, bytes: Vec<u8>, head: Option<Vec<u8>>, each: &mut dyn FnMut(Piece)) {
        self.skip = Skip::Nothing;
        each(Piece::Message { bytes, wire_bytes: self.length, head });
    }

    /// Reads on in a line, and says how many bytes that took.
    fn line(&mut self, bytes: &[u8], each: &mut dyn FnMut(Piece)) -> usize {
        let Some(end) = memchr(b'\n', bytes) else {
            self.hold(bytes);
            return bytes.len();
        };
        if self.skip == Skip::Line {
            self.skip = Skip::Nothing;
            self.held.clear();
            self.length = 0;
            return end + 1;
        }
        self.hold(&bytes[..end]);
        let mut line = std::mem::take(&mut self.held);
        if self.framing.is_none() && line.len() < HEAD_BYTES && opens_header(&line) {
            // The line may be the first one of a header block; it is read again as that.
            line.push(b'\n');
            (self.in_head, self.length) = (true, 0);
            self.feed(&line, each);
        } else {
            self.whole_line(line, each);
        }
        end + 1
    }

    fn whole_line(&mut self, line: Vec<u8>, each: &mut dyn FnMut(Piece)) {
        match line.iter().find(|byte| !byte.is_ascii_whitespace()) {
            None => {}
            Some(b'{' | b'[') => {
                self.framing.get_or_insert(Framing::Lines);
                self.message(line, None, each);
            }
            Some(_) => self.raw(line, each),
        }
        self.length = 0;
    }

    /// Reads on in a header block, or in what stands before one, and says how many bytes that took.
    fn head(&mut self, bytes: &[u8], each: &mut dyn FnMut(Piece)) -> usize {
        let room = HEAD_BYTES - self.held.len();
        let window = &bytes[..bytes.len().min(room)];
        let end = memchr(b'\n', window).map(|end| end + 1);
        let taken = end.unwrap_or(window.len());
        self.held.extend_from_slice(&window[..taken]);
        match end {
            Some(_) => self.head_line(each),
            None if self.held.len() == HEAD_BYTES => self.head_is_full(each),
            None => {}
        }
        taken
    }

    /// No line ends where a header block must: as much is let go as cannot be the beginning of a header.
    fn head_is_full(&mut self, each: &mut dyn FnMut(Piece)) {
        if self.framing.is_none() {
            return self.drop_head(each);
        }
        let rest = self.held.split_off(HEAD_BYTES - LENGTH_BYTES);
        let gone = std::mem::replace(&mut self.held, rest);
        self.line_at = 0;
        self.raw(gone, each);
    }

    /// A line of a header block is complete.
    fn head_line(&mut self, each: &mut dyn FnMut(Piece)) {
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
    fn head_done(&mut self, each: &mut dyn FnMut(Piece)) {
        match read_header(&self.held, BODY_BYTES) {
            Ok(header) => {
                self.framing = Some(Framing::ContentLength);
                let head = std::mem::take(&mut self.held);
                self.body = Some((head, header.content_length as u64));
                (self.length, self.line_at) = (0, 0);
                self.body_done(each);
            }
            Err(FrameError::Incomplete | FrameError::NoLength | FrameError::TooLong(_)) => self.drop_head(each),
        }
    }

    /// It was no header block. Where nothing has shown yet how messages are told apart, it is read again as lines.
    fn drop_head(&mut self, each: &mut dyn FnMut(Piece)) {
        self.line_at = 0;
        let gone = std::mem::take(&mut self.held);
        if self.framing.is_some() {
            return self.raw(gone, each);
        }
        self.in_head = false;
        let mut rest = gone.as_slice();
        while let Some(end) = memchr(b'\n', rest) {
            self.length = end as u64;
            self.whole_line(rest[..end].to_vec(), each);
            rest = &rest[end + 1..];
        }
        self.hold(rest);
    }

    fn body_done(&mut self, each: &mut dyn FnMut(Piece)) {
        let length = self.length;
        if let Some((head, _)) = self.body.take_if(|(_, announced)| *announced == length) {
            let bytes = std::mem::take(&mut self.held);
            self.message(bytes, Some(head), each);
            self.length = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::wire::testing::chunks;

    fn text(bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// What is kept of a message in these tests, in bytes.
    const MOST: usize = 10_000;

    /// `M` message, `C` one that was cut, `R` raw; the head before a bar.
    fn told(piece: Piece) -> String {
        match piece {
            Piece::Message { bytes, wire_bytes, .. } if wire_bytes > bytes.len() as u64 => {
                format!("C {} of {wire_bytes}", bytes.len())
            }
            Piece::Message { bytes, head: None, .. } => format!("M {}", text(&bytes)),
            Piece::Message { bytes, head: Some(head), .. } => format!("M {}|{}", text(&head), text(&bytes)),
            Piece::Raw(bytes) => format!("R {}", text(&bytes)),
        }
    }

    fn framed<'c>(framing: Option<Framing>, chunks: impl Iterator<Item = &'c [u8]>) -> Vec<String> {
        let (mut reader, mut pieces) = (Reader::new(framing, MOST), Vec::new());
        chunks.for_each(|chunk| reader.feed(chunk, &mut |piece| pieces.push(told(piece))));
        reader.end(&mut |piece| pieces.push(told(piece)));
        pieces
    }

    fn whole(framing: Option<Framing>, bytes: &[u8]) -> Vec<String> {
        framed(framing, std::iter::once(bytes))
    }

    #[test]
    fn lines() {
        let events = whole(None, b"starting\n\n{\"id\":1}\r\n  \n[1]\nContent-Length: 3\nhalf\n{\"no\":");
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
        for framing in [None, Some(Framing::ContentLength)] {
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
                .map(|line| if framing.is_none() {
                    line.replace("log line\n", "log line")
                } else {
                    line.to_string()
                })
            );
        }
    }

    #[test]
    fn of_a_huge_message_the_beginning_is_kept() {
        let huge = MOST + 5;
        let line: Vec<u8> = std::iter::once(b'{').chain(std::iter::repeat_n(b' ', huge)).chain(*b"\n{}\n").collect();
        let cut = format!("C {MOST} of {}", huge + 1);
        assert_eq!(framed(Some(Framing::Lines), line.chunks(655)), [cut.as_str(), "M {}"]);
        let mut framed_one = format!("Content-Length: {}\r\n\r\n", huge + 1).into_bytes();
        framed_one.extend_from_slice(&line[..huge + 1]);
        assert_eq!(framed(Some(Framing::ContentLength), framed_one.chunks(409)), [cut]);
    }

    #[test]
    fn after_a_loss_no_half_message_is_taken_for_a_whole_one() {
        let told_after = |framing, before: &[u8], mid_line, after: &[u8]| {
            let (mut framer, mut events) = (Reader::new(framing, MOST), Vec::new());
            framer.feed(before, &mut |event| events.push(told(event)));
            let counted = framer.resync(mid_line);
            framer.feed(after, &mut |event| events.push(told(event)));
            framer.end(&mut |event| events.push(told(event)));
            (counted, events)
        };
        let lines = |mid_line| told_after(Some(Framing::Lines), b"{\"a\":", mid_line, b"{\"b\":1}}\n[]\n");
        assert_eq!(lines(true), (true, vec!["M []".to_string()]));
        assert_eq!(lines(false), (true, vec!["M {\"b\":1}}".to_string(), "M []".to_string()]));
        let stream = b"1}Content-Length: 2\r\n\r\n{}x";
        let framed = told_after(Some(Framing::ContentLength), b"Content-Length: 9\r\n\r\n{", true, stream);
        assert_eq!(framed, (false, vec!["M Content-Length: 2\r\n\r\n|{}".to_string(), "R x".to_string()]));
    }

    #[test]
    fn a_line_without_an_end_is_let_go_and_the_next_message_found() {
        let mut stream = vec![b'x'; 3 * HEAD_BYTES];
        stream.extend_from_slice(b"Content-Length: 2\r\n\r\n{}");
        let events = whole(Some(Framing::ContentLength), &stream);
        let raw: usize = events.iter().filter_map(|event| event.strip_prefix("R ")).map(str::len).sum();
        assert_eq!((raw, events.last().map(String::as_str)), (3 * HEAD_BYTES, Some("M Content-Length: 2\r\n\r\n|{}")));
    }

    #[test]
    fn a_block_without_a_length_shows_nothing_yet() {
        let read = |stream: &[u8]| whole(None, stream);
        assert_eq!(read(b"Content-Type: x\r\n\r\n{\"id\":1}\n"), ["R Content-Type: x\r", "M {\"id\":1}"]);
        assert_eq!(read(b"Content-Length: 5\n{\"id\":1}\n"), ["R Content-Length: 5", "M {\"id\":1}"]);
        let long = ["Content-Type: ", &"x".repeat(HEAD_BYTES), "\n{}\n"].concat();
        let told = read(long.as_bytes());
        assert_eq!((told.len(), told[1].as_str()), (2, "M {}"));
        assert_eq!(
            read(b"Content-Type: x\r\n\r\nContent-Length: 2\r\n\r\n{}{}\n"),
            ["R Content-Type: x\r", "M Content-Length: 2\r\n\r\n|{}", "R {}\n"]
        );
    }

    fn pieces() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            Just(b"{\"id\":1}\n".to_vec()),
            Just(b"Content-Length: 8\r\n\r\n{\"id\":1}".to_vec()),
            Just(b"content-type: x\r\nCONTENT-LENGTH: 2\n\n[]".to_vec()),
            Just(b"Content-Length: x\r\n\r\n".to_vec()),
            Just(b"Content-Type: x\r\n".to_vec()),
            Just(b"Content-Length : 2\nno field\n".to_vec()),
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
            let framing = [Some(Framing::Lines), Some(Framing::ContentLength), None][framing as usize];
            let chunks = chunks(&stream, &sizes);
            prop_assert_eq!(framed(framing, chunks.into_iter()), whole(framing, &stream));
        }

        #[test]
        fn messages_are_found_after_anything(before in "[a-zA-Z:{} \r\n]{0,60}") {
            let stream = format!("{before}\nContent-Length: 12\r\n\r\n{{\"found\":  1}}Content-Length: 2\r\n\r\n{{}}");
            let events = whole(Some(Framing::ContentLength), stream.as_bytes());
            prop_assert_eq!(events.last().map(String::as_str), Some("M Content-Length: 2\r\n\r\n|{}"));
        }
    }
}
