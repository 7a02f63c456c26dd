//! Bytes to lines: one growing buffer, works on pipes, never holds more than one record of the largest size.

use std::borrow::Cow;
use std::io::{ErrorKind, Read, Result};

use super::Resume;

/// The longest record that is read whole, in bytes.
pub(crate) const RECORD_LIMIT: usize = 16 << 20;

/// How much is kept of a longer one, as evidence.
const KEPT_OF_OVERSIZED: usize = 256;

const FIRST_BUFFER: usize = 256 << 10;

/// One line, without its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    /// 1-based.
    pub number: u64,
    /// Byte offset of its first byte.
    pub offset: u64,
    /// Its bytes; of an oversized line only the first.
    pub bytes: &'a [u8],
    /// False for a last line that has no newline.
    pub ended: bool,
    /// The length of a line over the limit.
    pub oversized: Option<u64>,
}

impl<'a> Line<'a> {
    /// Its text.
    pub(crate) fn text(&self) -> Cow<'a, str> {
        lossy(self.bytes)
    }
}

/// Bytes as text; what is no UTF-8 is replaced. The look for it byte by byte is taken only where there is some.
pub(crate) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    utf8(bytes).map_or_else(|| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// Bytes as text, where they are UTF-8.
pub(crate) fn utf8(bytes: &[u8]) -> Option<&str> {
    simdutf8::basic::from_utf8(bytes).ok()
}

impl Line<'_> {
    /// What follows its first `at` bytes.
    pub(crate) fn from(self, at: usize) -> Self {
        Line { bytes: &self.bytes[at..], offset: self.offset + at as u64, ..self }
    }
}

/// A stream of bytes with a window on it that grows as needed.
pub(crate) struct Buffer<R> {
    reader: R,
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    /// Offset of the window's first byte in the stream.
    pub offset: u64,
    at_end: bool,
}

impl<R: Read> Buffer<R> {
    pub(crate) fn new(reader: R, offset: u64) -> Buffer<R> {
        Buffer { reader, bytes: vec![0; FIRST_BUFFER], start: 0, end: 0, offset, at_end: false }
    }

    /// What is there.
    pub(crate) fn window(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Passes over the first `length` bytes of the window.
    pub(crate) fn consume(&mut self, length: usize) {
        self.start += length;
        self.offset += length as u64;
    }

    /// Reads more; false at the end of the stream.
    pub(crate) fn fill(&mut self) -> Result<bool> {
        if self.at_end {
            return Ok(false);
        }
        if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.bytes.len() {
            self.bytes.resize(self.end * 2, 0);
        }
        loop {
            match self.reader.read(&mut self.bytes[self.end..]) {
                Ok(0) => {
                    self.at_end = true;
                    return Ok(false);
                }
                Ok(length) => {
                    self.end += length;
                    return Ok(true);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Passes over everything up to and with the next newline, holding nothing; gives the number of bytes.
    fn discard_line(&mut self) -> Result<(u64, bool)> {
        let mut passed = 0;
        loop {
            if let Some(at) = memchr::memchr(b'\n', self.window()) {
                self.consume(at + 1);
                return Ok((passed + at as u64, true));
            }
            passed += self.window().len() as u64;
            self.consume(self.window().len());
            if !self.fill()? {
                return Ok((passed, false));
            }
        }
    }
}

/// The lines of a stream.
pub(crate) struct Lines<R> {
    buffer: Buffer<R>,
    number: u64,
    /// True once after each time more was read.
    refilled: bool,
    limit: usize,
    kept: Vec<u8>,
}

impl<R: Read> Lines<R> {
    /// Lines from `from` on; a rest of a line that was used up before it had its newline is passed over.
    pub(crate) fn new(reader: R, from: Resume, within_line: bool) -> Result<Lines<R>> {
        let mut buffer = Buffer::new(reader, from.byte_offset);
        if within_line {
            buffer.discard_line()?;
        }
        Ok(Lines { buffer, number: from.lines, refilled: false, limit: RECORD_LIMIT, kept: Vec::new() })
    }

    #[cfg(test)]
    fn with_limit(mut self, limit: usize) -> Lines<R> {
        self.limit = limit;
        self
    }

    /// Where the next line starts.
    pub(crate) fn position(&self) -> Resume {
        Resume { byte_offset: self.buffer.offset, lines: self.number }
    }

    /// True once after each time more was read: the moment to tell how far it got.
    pub(crate) fn took_refill(&mut self) -> bool {
        std::mem::take(&mut self.refilled)
    }

    /// The next line.
    pub(crate) fn next(&mut self) -> Result<Option<Line<'_>>> {
        let mut scanned = 0;
        let (length, ended) = loop {
            let window = self.buffer.window();
            match memchr::memchr(b'\n', &window[scanned..]) {
                Some(at) if scanned + at < self.limit => break (scanned + at, true),
                Some(_) => return self.oversized().map(Some),
                None => scanned = window.len(),
            }
            if scanned >= self.limit {
                return self.oversized().map(Some);
            }
            if !self.buffer.fill()? {
                if scanned == 0 {
                    return Ok(None);
                }
                break (scanned, false);
            }
            self.refilled = true;
        };
        let offset = self.buffer.offset;
        self.number += 1;
        self.buffer.consume(length + usize::from(ended));
        let end = self.buffer.start - usize::from(ended);
        let line = &self.buffer.bytes[end - length..end];
        let (skipped, bytes) = trimmed(line);
        Ok(Some(Line { number: self.number, offset: offset + skipped as u64, bytes, ended, oversized: None }))
    }

    #[cold]
    fn oversized(&mut self) -> Result<Line<'_>> {
        let offset = self.buffer.offset;
        let window = self.buffer.window();
        self.kept.clear();
        self.kept.extend_from_slice(&window[..window.len().min(KEPT_OF_OVERSIZED)]);
        let (length, ended) = self.buffer.discard_line()?;
        self.number += 1;
        Ok(Line { number: self.number, offset, bytes: &self.kept, ended, oversized: Some(length) })
    }
}

/// Line numbers of growing offsets in a text that is held.
pub(crate) struct LineNumbers<'t> {
    text: &'t [u8],
    at: usize,
    line: u64,
}

impl<'t> LineNumbers<'t> {
    /// Starts at the first line.
    pub(crate) fn new(text: &'t str) -> LineNumbers<'t> {
        LineNumbers { text: text.as_bytes(), at: 0, line: 1 }
    }

    /// The line of an offset, which must not be smaller than the one before.
    pub(crate) fn of(&mut self, at: usize) -> u64 {
        if at > self.at {
            self.line += memchr::memchr_iter(b'\n', &self.text[self.at..at]).count() as u64;
            self.at = at;
        }
        self.line
    }
}

/// The line without a carriage return at its end, without the NULs that a copied-and-truncated file has, and without the byte
/// order mark that the second of two joined files begins with.
fn trimmed(line: &[u8]) -> (usize, &[u8]) {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if !matches!(line.first(), Some(0 | 0xEF)) && line.last() != Some(&0) {
        return (0, line);
    }
    if let Some(line) = line.strip_prefix(b"\xEF\xBB\xBF") {
        let (skipped, line) = trimmed(line);
        return (skipped + 3, line);
    }
    let skipped = line.iter().take_while(|byte| **byte == 0).count();
    let kept = line.len() - line[skipped..].iter().rev().take_while(|byte| **byte == 0).count();
    (skipped, &line[skipped..kept])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number, offset, bytes, whether it ended, and its length where it is over the limit.
    type Seen = (u64, u64, Vec<u8>, bool, Option<u64>);

    fn all(bytes: &[u8], limit: usize) -> Vec<Seen> {
        let mut lines = Lines::new(bytes, Resume::default(), false).expect("lines").with_limit(limit);
        let mut out = Vec::new();
        while let Some(line) = lines.next().expect("a line") {
            out.push((line.number, line.offset, line.bytes.to_vec(), line.ended, line.oversized));
        }
        out
    }

    #[test]
    fn ends_of_all_kinds() {
        let got = all(b"a\r\n\n\0\0b\ncd", 99);
        let want = [
            (1, 0, b"a".to_vec(), true, None),
            (2, 3, b"".to_vec(), true, None),
            (3, 6, b"b".to_vec(), true, None),
            (4, 8, b"cd".to_vec(), false, None),
        ];
        assert_eq!(got, want);
        let joined = all(b"a\n\xEF\xBB\xBFb\r\n\xEFc", 99);
        assert_eq!((joined[1].1, &joined[1].2[..], &joined[2].2[..]), (5, &b"b"[..], &b"\xEFc"[..]));
        assert_eq!(all(b"", 9), []);
        assert_eq!(all(b"\n", 9).len(), 1);
    }

    #[test]
    fn a_line_over_the_limit_is_passed_over_and_the_next_is_read() {
        let mut text = vec![b'x'; 5_000_000];
        text.extend_from_slice(b"\nnext\n");
        let got = all(&text, 1000);
        assert_eq!((got[0].2.len(), got[0].4), (KEPT_OF_OVERSIZED, Some(5_000_000)));
        assert_eq!((got[1].0, got[1].1, got[1].2.as_slice()), (2, 5_000_001, b"next".as_slice()));
        assert_eq!(all(&[b'x'; 2000], 1000)[0].4, Some(2000));
    }

    #[test]
    fn the_rest_of_a_used_up_line_is_passed_over() {
        let from = Resume { byte_offset: 7, lines: 3 };
        let mut lines = Lines::new(&b" tail\nnew\n"[..], from, true).expect("lines");
        let line = lines.next().expect("a line").expect("one more");
        assert_eq!((line.number, line.offset, line.bytes), (4, 13, b"new".as_slice()));
    }
}
