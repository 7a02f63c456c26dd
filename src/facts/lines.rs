//! Facts as JSON lines: the form in which they go from program to program.

use std::borrow::Cow;
use std::io::{BufRead, Write};

use super::row::{Row, Sink};
use crate::error::{Error, ErrorKind, Result};

/// Writes one JSON object a row.
pub struct Lines<W: Write> {
    out: W,
    name: String,
}

impl<W: Write> Lines<W> {
    /// Lines into `out`, which errors call `name`.
    pub fn new(out: W, name: &str) -> Lines<W> {
        Lines { out, name: name.to_string() }
    }

    /// What was written to.
    pub fn into_inner(self) -> W {
        self.out
    }

    /// Writes a row.
    pub fn write(&mut self, row: &Row<'_>) -> Result<()> {
        let done = serde_json::to_writer(&mut self.out, row).map_err(std::io::Error::from);
        done.and_then(|()| self.out.write_all(b"\n")).map_err(|error| Error::io("write", &self.name, &error))
    }
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

impl<W: Write> Sink for Lines<W> {
    fn row(&mut self, row: &Row<'_>) -> Result<()> {
        self.write(row)
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.out.flush().map_err(|error| Error::io("write", &self.name, &error))
    }
}

impl Row<'_> {
    /// A row about a source and none of its connections.
    pub fn about<'s>(source: &'s str, seq: u64, text: String) -> Row<'s> {
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
    use super::*;

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
