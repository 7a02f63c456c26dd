//! Event streams (Server-Sent Events): how MCP frames messages over HTTP. Read piece by piece, split anywhere.
//!
//! Beyond the HTML specification, which drops them, it tells blocks without data and comments: a recorder keeps them.

/// One block of an event stream: the lines up to a blank one. What the block does not have is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SseEvent {
    /// The `event` field.
    pub name: Option<String>,
    /// The `id` field; empty takes the last id back. One that contains NUL is ignored.
    pub id: Option<String>,
    /// The `retry` field, in milliseconds.
    pub retry_ms: Option<u64>,
    /// The `data` lines as they were, joined by LF. An empty one primes a client with an id.
    pub data: Option<Vec<u8>>,
    /// The comments (`: keep-alive`).
    pub comments: Vec<String>,
}

/// As much as the name of a field takes at the most, in bytes.
const FIELD: usize = 16;

/// What a comment takes beside its bytes: of many short ones that is the most, in bytes.
const COMMENT_COST: usize = 32;

/// Reads an event stream.
#[derive(Clone, Debug, Default)]
pub struct SseReader {
    /// No more of a block is kept, in bytes; all of it where there is none.
    most: Option<usize>,
    /// How much of the block is kept, but for the line that has begun, in bytes.
    kept: usize,
    /// The start of a line whose end has not come.
    line: Vec<u8>,
    /// The block so far.
    event: SseEvent,
    /// True after a CR: an LF that follows belongs to it.
    after_cr: bool,
    /// True once the first line was read: a byte order mark is only one before it.
    begun: bool,
}

impl SseReader {
    /// Keeps `most` bytes of the data of a block, and a little more: its beginning. Comments count with it.
    pub fn keeping(most: usize) -> SseReader {
        SseReader { most: Some(most + FIELD), ..SseReader::default() }
    }

    /// Takes the next bytes and gives the blocks that they complete.
    pub fn push(&mut self, mut bytes: &[u8]) -> Vec<SseEvent> {
        let mut found = Vec::new();
        if self.after_cr && !bytes.is_empty() {
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
            self.after_cr = false;
        }
        while let Some(end) = memchr::memchr2(b'\n', b'\r', bytes) {
            self.hold(&bytes[..end]);
            found.extend(self.end_line());
            let cr = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            if cr {
                self.after_cr = bytes.is_empty();
                bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
            }
        }
        self.hold(bytes);
        found
    }

    /// Adds to the line what there is room for. Of each line one byte is kept: a blank one is the end of the block.
    fn hold(&mut self, bytes: &[u8]) {
        let room = self.most.map_or(usize::MAX, |most| most.saturating_sub(self.kept + self.line.len()));
        let room = room.max(usize::from(self.line.is_empty()));
        self.line.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// True in the middle of a block. Where the stream ends here, the block is dropped (HTML, 9.2.6): no client is told of it.
    pub fn is_within(&self) -> bool {
        !self.line.is_empty() || self.event != SseEvent::default()
    }

    /// What the text of a log ended in: a block without its blank line, which loggers trim.
    pub fn finish(mut self) -> Option<SseEvent> {
        let last = if self.line.is_empty() { None } else { self.end_line() };
        last.or_else(|| self.take())
    }

    /// The block so far, unless it is empty.
    fn take(&mut self) -> Option<SseEvent> {
        self.kept = 0;
        Some(std::mem::take(&mut self.event)).filter(|event| *event != SseEvent::default())
    }

    /// Reads the line that has come to its end.
    fn end_line(&mut self) -> Option<SseEvent> {
        let mut buffer = std::mem::take(&mut self.line);
        let mark: &[u8] = if self.begun { b"" } else { b"\xef\xbb\xbf" };
        self.begun = true;
        let line = buffer.strip_prefix(mark).unwrap_or(&buffer);
        if line.is_empty() {
            return self.take();
        }
        let is_full = self.most.is_some_and(|most| self.kept >= most);
        if is_full {
            return None;
        }
        let colon = memchr::memchr(b':', line);
        let (field, value) = colon.map_or((line, &b""[..]), |at| (&line[..at], &line[at + 1..]));
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"" => {
                self.kept += value.len() + COMMENT_COST;
                self.event.comments.push(text(value));
            }
            b"event" => self.event.name = Some(text(value)),
            b"data" => {
                self.kept += value.len() + 1;
                match &mut self.event.data {
                    None => self.event.data = Some(value.to_vec()),
                    Some(data) => {
                        data.push(b'\n');
                        data.extend_from_slice(value);
                    }
                }
            }
            b"id" if !value.contains(&0) => self.event.id = Some(text(value)),
            b"retry" if value.iter().all(u8::is_ascii_digit) => {
                self.event.retry_ms = text(value).parse().ok().or(self.event.retry_ms);
            }
            _ => {}
        }
        buffer.clear();
        self.line = buffer;
        None
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::testing::chunks;
    use proptest::prelude::*;

    fn read(pieces: &[&[u8]]) -> Vec<SseEvent> {
        let mut reader = SseReader::default();
        let mut found: Vec<SseEvent> = pieces.iter().flat_map(|piece| reader.push(piece)).collect();
        found.extend(reader.finish());
        found
    }

    fn data(text: &str) -> SseEvent {
        SseEvent { data: Some(text.into()), ..SseEvent::default() }
    }

    #[test]
    fn fields_comments_and_line_ends() {
        let found = read(&[b"event: message\r\nid: 7\r\nretry: 250\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\n: keep-alive\n\ndata:x\rdata: y\r\rdata: last"]);
        let first =
            SseEvent { name: Some("message".into()), id: Some("7".into()), retry_ms: Some(250), ..data("{\"a\":\n1}") };
        let comment = SseEvent { comments: vec!["keep-alive".into()], ..SseEvent::default() };
        assert_eq!(found, [first, comment, data("x\ny"), data("last")]);
    }

    #[test]
    fn a_stream_may_end_within_a_block() {
        let within = |text: &str| {
            let mut reader = SseReader::default();
            reader.push(text.as_bytes());
            reader.is_within()
        };
        for whole in ["", "data: a\n\n", "data: a\r\n\r\n", "data: a\r\r", "\n"] {
            assert!(!within(whole), "{whole:?}");
        }
        for cut in ["data: a", "data: a\n", "data: a\n\ndata: b\r\n", ": x\n"] {
            assert!(within(cut), "{cut:?}");
        }
    }

    #[test]
    fn a_primed_event_has_an_id_and_empty_data() {
        assert_eq!(read(&[b"id: p-1\ndata:\n\n"]), [SseEvent { id: Some("p-1".into()), ..data("") }]);
        assert_eq!(read(&[b"id\n\n"]), [SseEvent { id: Some(String::new()), ..SseEvent::default() }]);
    }

    #[test]
    fn odd_input() {
        assert_eq!(read(&[b"\xef\xbb\xbfdata: a\n\n"]), [data("a")], "a byte order mark");
        assert_eq!(read(&[b"data: a\n\n\xef\xbb\xbfdata: b\n\n"]), [data("a")], "is one only at the start");
        assert_eq!(read(&[b"retry: 1x\nid: a\0b\nwhat: ever\nDATA: no\n\n"]), []);
        assert_eq!(read(&[b"data:  two\n\n"]), [data(" two")], "one space goes");
        assert_eq!(read(&[b"\n\n\r\n\r"]), []);
        assert_eq!(read(&[b"data: a\r", b"", b"\n\r", b"\ndata: b\n\n"]), [data("a"), data("b")]);
        assert_eq!(read(&[b"data: \xff\n\n"])[0].data.as_deref(), Some(&b"\xff"[..]), "bytes stay as they were");
    }

    #[test]
    fn of_a_block_without_end_the_beginning_is_kept() {
        let mut reader = SseReader::keeping(100);
        let long = [b"data: ", &[b'x'; 200][..]].concat();
        assert_eq!(reader.push(&long), []);
        let flood = b"\n:\ndata: y".repeat(1000);
        assert_eq!(reader.push(&flood), []);
        assert!(reader.line.len() + reader.kept < 300, "{reader:?}");
        let found = reader.push(b"\n\ndata: next\n\n");
        // Data as much as was asked for, and what there was room for behind it.
        let first = SseEvent { comments: vec![String::new()], ..data(&"x".repeat(110)) };
        assert_eq!(found, [first, data("next")]);
        let comments = reader.push(&b": a\n".repeat(1000));
        assert_eq!((comments.len(), reader.push(b"\n")[0].comments.len() < 10), (0, true));
    }

    /// Lines of a stream, hostile ones too.
    fn stream() -> impl Strategy<Value = Vec<u8>> {
        let line = prop_oneof![
            "(data|id|event|retry)(: ?[a-z0-9é]{0,4})?".boxed(),
            ":[a-z ]{0,3}".boxed(),
            Just(String::new()).boxed(),
            "\u{feff}?data: x".boxed(),
        ];
        let end = prop_oneof![Just("\n"), Just("\r"), Just("\r\n")];
        proptest::collection::vec((line, end), 0..12)
            .prop_map(|all| all.into_iter().flat_map(|(line, end)| (line + end).into_bytes()).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn where_it_is_split_does_not_matter(bytes in stream(), sizes in proptest::collection::vec(1usize..60, 1..8)) {
            prop_assert_eq!(read(&chunks(&bytes, &sizes)), read(&[&bytes]));
            prop_assert_eq!(read(&chunks(&bytes, &[1])), read(&[&bytes]));
        }

        #[test]
        fn data_comes_back(all in proptest::collection::vec("[^\r\n]{1,20}", 0..6), end in "\r\n|\n|\r") {
            let text: String = all.iter().map(|data| format!("event: message{end}data: {data}{end}{end}")).collect();
            let got: Vec<String> =
                read(&[text.as_bytes()]).into_iter().map(|event| String::from_utf8(event.data.unwrap()).unwrap()).collect();
            prop_assert_eq!(got, all);
        }
    }
}
