//! Facts as JSON lines: the form in which they go from program to program.

use std::borrow::Cow;
use std::io::{BufRead, BufReader, Write};

use super::place::source_order;
use super::row::{Row, Sink};
use crate::error::{Error, ErrorKind, Result};
use crate::json::lenient_string;
use crate::json::scan::{MemberText, members};
use crate::output::written;

/// Writes one JSON object a row, its `place` last: that is what sources sort by, for whoever sorts rows. Nothing here reads it.
pub struct Lines<W: Write> {
    out: W,
    name: String,
    /// The line that is being made: what compresses is given whole lines.
    line: Vec<u8>,
    /// The last source, and the end of its rows.
    place: (String, String),
}

impl<W: Write> Lines<W> {
    /// Lines into `out`, which errors call `name`.
    pub fn new(out: W, name: &str) -> Lines<W> {
        Lines { out, name: name.to_string(), line: Vec::new(), place: Default::default() }
    }

    /// What was written to.
    pub fn into_inner(self) -> W {
        self.out
    }

    /// Writes a row.
    pub fn write(&mut self, row: &Row<'_>) -> Result<()> {
        self.line.clear();
        if self.place.1.is_empty() || self.place.0 != row.source {
            let place = serde_json::Value::from(source_order(&row.source));
            self.place = (row.source.to_string(), format!(",\"place\":{place}}}\n"));
        }
        let done = serde_json::to_writer(&mut self.line, row).map_err(std::io::Error::from);
        self.line.pop();
        self.line.extend_from_slice(self.place.1.as_bytes());
        written(&self.name, done.and_then(|()| self.out.write_all(&self.line)))
    }
}

/// The lines in what may be packed: zstd frames (blocks behind each other) or gzip (what `facts --as jsonl` writes).
pub fn unpacked(mut input: Box<dyn BufRead>) -> std::io::Result<Box<dyn BufRead>> {
    Ok(match *input.fill_buf()? {
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Box::new(BufReader::new(zstd::Decoder::with_buffer(input)?)),
        [0x1f, 0x8b, ..] => Box::new(BufReader::new(flate2::bufread::MultiGzDecoder::new(input))),
        _ => input,
    })
}

/// Reads rows, and can look at the next one before it is taken.
pub struct Reader<R: BufRead> {
    input: R,
    name: String,
    line: Vec<u8>,
    number: u64,
    held: bool,
}

impl<R: BufRead> Reader<R> {
    /// Rows of `input`, which errors call `name`.
    pub fn new(input: R, name: &str) -> Reader<R> {
        Reader { input, name: name.to_string(), line: Vec::new(), number: 0, held: false }
    }

    /// The next row, until it is taken; `None` at the end. Errors: a line that holds no row, a last line without its end.
    pub fn peek(&mut self) -> Result<Option<Row<'_>>> {
        while !self.held {
            self.line.clear();
            let read = self.input.read_until(b'\n', &mut self.line);
            if read.map_err(|error| Error::io("read", &self.name, &error))? == 0 {
                return Ok(None);
            }
            self.number += 1;
            self.held = !self.line.trim_ascii().is_empty();
        }
        let at = || format!("line {} of {}", self.number, self.name);
        if self.line.last() != Some(&b'\n') {
            let what = format!("{} is cut off: not all facts have come", at());
            return Err(Error::new(ErrorKind::Input, what).hint("find out what ended the program that wrote them"));
        }
        if let Some(row) = simdutf8::basic::from_utf8(&self.line).ok().and_then(scanned) {
            return Ok(Some(row));
        }
        let row: Row<'_> = serde_json::from_slice(&self.line).map_err(|error| {
            Error::new(ErrorKind::Input, format!("{} is no row of facts: {error}", at()))
                .hint("give what `rpctape facts` writes: one JSON object a line")
        })?;
        Ok(Some(row))
    }

    /// Takes the row that was looked at.
    pub fn take(&mut self) {
        self.held = false;
    }
}

/// A row as programs write it, in half the time that serde takes: half of an audit of facts is this. `None` for what only serde
/// can judge.
fn scanned(line: &str) -> Option<Row<'_>> {
    let mut row = Row::default();
    let mut members = members(line);
    for MemberText { key, value, .. } in &mut members {
        if value == "null" {
            continue;
        }
        let text = || value.starts_with('"').then(|| lenient_string(value));
        match key {
            "connection" => row.connection = Some(text()?),
            "source" => row.source = text()?,
            "seq" => row.seq = value.parse().ok()?,
            "kind" => row.kind = text()?,
            "channel" => row.channel = Some(value.parse().ok()?),
            "line" => row.line = value.parse().ok()?,
            "byte_offset" => row.byte_offset = value.parse().ok()?,
            "bytes" => row.bytes = value.parse().ok()?,
            "at_us" => row.at_us = Some(value.parse().ok()?),
            "direction" => row.direction = Some(text()?),
            "method" => row.method = Some(text()?),
            "rpc_id" => row.rpc_id = Some(text()?),
            "error_code" => row.error_code = Some(value.parse().ok()?),
            "text" => row.text = Some(text()?),
            "extra" => row.extra = Some(text()?),
            "secret" => row.secret = Some(text()?),
            "raw" => row.raw = Some(text()?),
            "place" => {}
            _ => return None,
        }
    }
    members.end().filter(|end| line[*end..].trim_ascii().is_empty()).map(|_| row)
}

impl<W: Write> Sink for Lines<W> {
    fn row(&mut self, row: &Row<'_>) -> Result<()> {
        self.write(row)
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        written(&self.name, self.out.flush())
    }
}

impl Row<'_> {
    /// A row about a source and none of its connections.
    pub fn about(source: &str, seq: u64, text: String) -> Row<'_> {
        Row {
            source: Cow::Borrowed(source),
            seq,
            kind: super::kind::SOURCE.into(),
            text: Some(Cow::Owned(text)),
            ..Row::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_row_is_scanned_as_serde_reads_it(texts in prop::collection::vec("(\\PC|[\"\\\\\n\u{1}/]){0,12}", 4), numbers in any::<(u64, i64, u32)>(), few in any::<bool>()) {
            let text = |at: usize| texts.get(at).map(|text| Cow::Borrowed(text.as_str()));
            let (seq, at, channel) = numbers;
            let full = Row { connection: text(0), channel: Some(channel), at_us: Some(at), error_code: Some(at), text: text(1), extra: text(2), ..Row::default() };
            let row = Row { source: texts[3].as_str().into(), seq, line: seq, ..if few { Row::default() } else { full } };
            let line = serde_json::to_string(&row).expect("a line");
            prop_assert_eq!(scanned(&line), Some(row));
            prop_assert_eq!(scanned(&line), serde_json::from_str(&line).ok());
            prop_assert_eq!(scanned(&line[..line.len() - 1]), None);
        }
    }

    #[test]
    fn what_no_program_writes_is_left_to_serde() {
        for line in ["{\"seq\":1.0}", "{\"seq\":-1}", "{\"kind\":7}", "{\"elephant\":1}", "{} {}", "[]", ""] {
            assert_eq!(scanned(line), None, "{line}");
        }
        assert_eq!(scanned("{\"connection\":null,\"seq\":2} "), Some(Row { seq: 2, ..Row::default() }));
    }

    #[test]
    fn packed_lines_are_unpacked_and_half_a_frame_is_an_error() {
        let frame = |line: &str| zstd::bulk::compress(line.as_bytes(), 1).expect("packed");
        let both = [frame("{\"source\":\"a\",\"seq\":1}\n"), frame("{\"source\":\"a\",\"seq\":2}\n")].concat();
        let read = |bytes: Vec<u8>| {
            let mut reader = Reader::new(unpacked(Box::new(std::io::Cursor::new(bytes)))?, "x");
            let mut found = Vec::new();
            while let Some(row) = reader.peek().map_err(std::io::Error::other)? {
                found.push(row.seq);
                reader.take();
            }
            Ok::<_, std::io::Error>(found)
        };
        assert_eq!(read(both.clone()).expect("rows"), [1, 2]);
        assert!(read(both[..both.len() - 3].to_vec()).is_err());
    }

    #[test]
    fn rows_say_by_what_sources_sort_and_are_read_without_it() {
        let mut lines = Lines::new(Vec::new(), "x");
        let rows = ["a/b.log", "a/b.log", "a/b.log.1"].map(|source| Row { source: source.into(), ..Row::default() });
        rows.iter().for_each(|row| lines.write(row).expect("written"));
        let written = String::from_utf8(lines.into_inner()).expect("text");
        let place = |line: &str| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["place"].clone();
        let places: Vec<_> = written.lines().map(place).collect();
        assert_eq!(places, rows.each_ref().map(|row| serde_json::Value::from(source_order(&row.source))));
        assert!(places[2].as_str() < places[0].as_str());
        let read: Vec<_> = written.lines().map(|line| scanned(line).expect("a row")).collect();
        assert_eq!(read, rows);
    }

    #[test]
    fn rows_are_looked_at_before_they_are_taken() {
        let text = "{\"source\":\"a\",\"seq\":1}\n\n{\"source\":\"a\",\"seq\":2}\n{\"source\":\"a\",\"se";
        let mut reader = Reader::new(text.as_bytes(), "x");
        assert_eq!(reader.peek().map(|row| row.map(|row| row.seq)).ok(), Some(Some(1)));
        reader.take();
        assert_eq!(reader.peek().map(|row| row.map(|row| row.seq)).ok(), Some(Some(2)));
        assert_eq!(reader.peek().map(|row| row.map(|row| row.seq)).ok(), Some(Some(2)));
        reader.take();
        assert!(reader.peek().is_err_and(|error| error.message.starts_with("line 4 of x is cut off")));
        assert!(Reader::new("no\n".as_bytes(), "x").peek().is_err());
        assert_eq!(Reader::new("".as_bytes(), "x").peek().ok().map(|row| row.is_none()), Some(true));
    }
}
