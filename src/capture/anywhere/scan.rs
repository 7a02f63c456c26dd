//! The lines of a text log to messages, each with the text that stands before it.

use super::coded;
use super::find::{MessageSpan, is_between_events, next};
use crate::error::Result;

/// The longest line that can be a label for the message below it, in bytes.
const LABEL: usize = 200;

/// The longest message that is put together from lines, in bytes.
const LIMIT: usize = crate::capture::lines::RECORD_LIMIT;

/// One line of a log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    /// Its text.
    pub text: &'a str,
    /// Its number, from 1.
    pub number: u64,
    /// Byte offset of its text.
    pub offset: u64,
}

/// One message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'a> {
    /// What stands before it: on its line, or on the line above it.
    pub before: &'a str,
    /// True if that is the line above.
    pub above: bool,
    /// The message as the log has it.
    pub payload: &'a str,
    /// The line on which it starts.
    pub line: u64,
    /// Byte offset of its first byte.
    pub offset: u64,
    /// True if it was put together from several lines.
    pub joined: bool,
    /// True if it stands alone between brackets that were taken for the logger's.
    pub enclosed: bool,
}

/// Goes through the lines of a log.
#[derive(Default)]
pub(crate) struct Scanner {
    /// True if a line may be the label of the message below it.
    pub below: bool,
    /// True if brackets around one message are those of an array: the logger writes none.
    arrays: bool,
    label: String,
    open: Option<Open>,
    passed: Option<u64>,
}

/// An object that began on a line and goes on.
struct Open {
    before: String,
    above: bool,
    body: String,
    line: u64,
    offset: u64,
    /// Blanks before the line on which it began.
    indent: usize,
    /// Blanks before its first member: what closes it stands further out, and perhaps behind the width of a prefix.
    inner: Option<usize>,
}

impl Open {
    /// A line without what stands before each line of the object, as server-sent events have `data:`, and how far in it is.
    fn inside<'t>(&self, line: &'t str) -> (&'t str, usize) {
        let again = says_something(&self.before) && !self.above;
        match line.strip_prefix(&self.before).filter(|_| again) {
            Some(text) => (text, self.indent + indent(text)),
            None => (line, indent(line)),
        }
    }
}

impl Scanner {
    /// A scanner; `below` says that a line may be the label of the message below it.
    pub(crate) fn new(below: bool) -> Scanner {
        Scanner { below, ..Scanner::default() }
    }

    /// The same where brackets around one message are those of an array that was sent, or not.
    pub(crate) fn with_arrays(self, arrays: bool) -> Scanner {
        Scanner { arrays, ..self }
    }

    /// One line; `each` gets every message that it completes. False if it holds none, nor a part of one.
    pub(crate) fn line(&mut self, row: &Row<'_>, each: &mut dyn FnMut(&Piece<'_>) -> Result<()>) -> Result<bool> {
        if let Some(open) = self.open.take()
            && self.go_on(open, row, each)?
        {
            return Ok(true);
        }
        let (mut at, mut before) = (0, 0..0);
        while let Some(found) = next(row.text, at) {
            let around = brackets(row.text, at, found);
            let enclosed = around.is_some() && !self.arrays;
            let found = around.filter(|_| self.arrays).unwrap_or(found);
            let between = &row.text[at..found.start];
            if at == 0 || says_something(between) && !is_between_events(between) {
                before = at..found.start;
            }
            self.give(row, before.clone(), (found, enclosed), each)?;
            at = found.end;
        }
        if let Some(place) = coded::next(&row.text[at..]) {
            let found = MessageSpan { start: at + place.start, end: at + place.end };
            self.give(row, at..found.start, (found, false), each)?;
            at = found.end;
        }
        if at > 0 {
            self.label.clear();
            return Ok(true);
        }
        if self.begins(row) {
            return Ok(true);
        }
        if !row.text.trim().is_empty() {
            self.label.clear();
            if self.below && row.text.len() <= LABEL {
                self.label.push_str(row.text);
            }
        }
        Ok(false)
    }

    /// The line on which an object began that turned out to be no message, once for each.
    pub(crate) fn passed(&mut self) -> Option<u64> {
        self.passed.take()
    }

    /// The end of the log; gives the line on which an object began that has no end.
    pub(crate) fn end(&mut self) -> Option<u64> {
        self.open.take().map(|open| open.line)
    }

    fn give(
        &self,
        row: &Row<'_>,
        before: std::ops::Range<usize>,
        (found, enclosed): (MessageSpan, bool),
        each: &mut dyn FnMut(&Piece<'_>) -> Result<()>,
    ) -> Result<()> {
        let own = &row.text[before];
        let above = !says_something(own) && !self.label.is_empty();
        each(&Piece {
            before: if above { &self.label } else { own },
            above,
            payload: &row.text[found.start..found.end],
            line: row.number,
            offset: row.offset + found.start as u64,
            joined: false,
            enclosed,
        })
    }

    /// True if an object begins at the end of this line, as printers with indentation write it.
    fn begins(&mut self, row: &Row<'_>) -> bool {
        let text = row.text.trim_end();
        let Some(before) = text.strip_suffix('{') else { return false };
        let above = !says_something(before) && !self.label.is_empty();
        self.open = Some(Open {
            before: if above { std::mem::take(&mut self.label) } else { before.to_string() },
            above,
            body: "{".to_string(),
            line: row.number,
            offset: row.offset + before.len() as u64,
            indent: indent(row.text),
            inner: None,
        });
        true
    }

    /// One more line of an object. False if the line does not belong to it: then the object is none.
    fn go_on(&mut self, mut open: Open, row: &Row<'_>, each: &mut dyn FnMut(&Piece<'_>) -> Result<()>) -> Result<bool> {
        let (text, level) = open.inside(row.text);
        let inner = text.trim_start();
        if !inner.is_empty() {
            open.inner.get_or_insert(level + usize::from(inner.starts_with('}')));
        }
        let closes = inner.starts_with('}') && open.inner.is_some_and(|members| level < members);
        if !closes && (level <= open.indent && !inner.is_empty() || open.body.len() > LIMIT) {
            self.passed = Some(open.line);
            return Ok(false);
        }
        open.body.push('\n');
        open.body.push_str(text);
        if !closes {
            self.open = Some(open);
            return Ok(true);
        }
        let Some(found) = next(&open.body, 0) else {
            self.passed = Some(open.line);
            return Ok(true);
        };
        let offset = open.offset + found.start as u64;
        let payload = &open.body[found.start..found.end];
        let (before, above, line) = (&open.before, open.above, open.line);
        let piece = Piece { before, above, payload, line, offset, joined: true, enclosed: false };
        each(&piece).map(|()| true)
    }
}

/// The brackets around a message in JSON that stands alone between them.
fn brackets(text: &str, from: usize, found: MessageSpan) -> Option<MessageSpan> {
    let is_object = text[found.start..].starts_with('{');
    let before = text[from..found.start].trim_end().strip_suffix('[').filter(|_| is_object)?;
    let behind = &text[found.end..];
    let close = behind.len() - behind.trim_start().strip_prefix(']')?.len();
    Some(MessageSpan { start: from + before.len(), end: found.end + close })
}

fn indent(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// True if a text before a message is more than punctuation, numbers and white space: words or arrows.
fn says_something(text: &str) -> bool {
    text.chars().any(|c| c.is_alphabetic() || super::is_sign(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(below: bool, text: &str) -> Vec<(String, String, u64)> {
        let (mut scanner, mut found, mut offset) = (Scanner::new(below), Vec::new(), 0);
        for (index, line) in text.split('\n').enumerate() {
            let row = Row { text: line, number: index as u64 + 1, offset };
            let mut each = |piece: &Piece<'_>| {
                let at = piece.offset as usize;
                assert!(piece.joined || text[at..].starts_with(piece.payload));
                found.push((piece.before.trim().to_string(), piece.payload.to_string(), piece.line));
                Ok(())
            };
            scanner.line(&row, &mut each).expect("nothing fails");
            offset += line.len() as u64 + 1;
        }
        found
    }

    #[test]
    fn what_stands_before_a_message() {
        let one = r#"{"jsonrpc":"2.0","method":"a"}"#;
        let got = scan(false, &format!("banner\n1 IN {one}{one} OUT {one}\n{one}"));
        let want = [("1 IN", 2), ("1 IN", 2), ("OUT", 2), ("", 3)];
        assert_eq!(got.iter().map(|(before, _, line)| (before.as_str(), *line)).collect::<Vec<_>>(), want);
        let got = scan(true, &format!("Received:\n\n{one}\n{one}\n-->\n  {one}"));
        assert_eq!(got.iter().map(|(before, ..)| before.as_str()).collect::<Vec<_>>(), ["Received:", "", "-->"]);
    }

    #[test]
    fn brackets_around_one_message() {
        let (one, two) = (r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#, r#"{"jsonrpc":"2.0","id":2,"method":"a"}"#);
        let text = format!("IN: {one}\nIN: [ {two} ] {one}");
        let found = |arrays: bool| {
            let (mut scanner, mut found) = (Scanner::new(false).with_arrays(arrays), Vec::new());
            for (number, text) in (1..).zip(text.lines()) {
                let mut each = |piece: &Piece<'_>| {
                    found.push((piece.before.to_string(), piece.payload.to_string(), piece.enclosed));
                    Ok(())
                };
                scanner.line(&Row { text, number, offset: 0 }, &mut each).expect("nothing fails");
            }
            found
        };
        let said = |before: &str, text: &str, enclosed| (before.to_string(), text.to_string(), enclosed);
        assert_eq!(found(false)[..2], [said("IN: ", one, false), said("IN: [ ", two, true)]);
        assert_eq!(found(true)[1], said("IN: ", &format!("[ {two} ]"), false));
        assert_eq!(found(true)[2].1, one);
    }

    #[test]
    fn events_over_several_lines() {
        let got = scan(
            false,
            "event: message\ndata: {\ndata:   \"jsonrpc\": \"2.0\",\ndata:   \"method\": \"a\"\ndata: }\n\n",
        );
        let want = "{\n  \"jsonrpc\": \"2.0\",\n  \"method\": \"a\"\n}";
        assert_eq!(got, [("data:".to_string(), want.to_string(), 2)]);
    }

    #[test]
    fn objects_that_are_set_in_behind_their_prefix() {
        let text = "08:15:00 --> {\n           \"method\": \"a\",\n           \"params\": {\n             \"b\": 1\n           }\n         }\nafter";
        let want = "{\n           \"method\": \"a\",\n           \"params\": {\n             \"b\": 1\n           }\n         }";
        assert_eq!(scan(false, text), [("08:15:00 -->".to_string(), want.to_string(), 1)]);
    }

    #[test]
    fn objects_over_several_lines() {
        let pretty = "IN {\n  \"jsonrpc\": \"2.0\",\n  \"method\": \"a\",\n  \"params\": {\n    \"b\": \"}\"\n  }\n}\nOUT {\n  id: 1,\n  result: {}\n}\nconfig {\n  \"a\": 1\n}\nbroken {\nIN {\"method\":\"a\",\"id\":1}";
        let got = scan(false, pretty);
        assert_eq!(
            got.iter().map(|(before, _, line)| (before.as_str(), *line)).collect::<Vec<_>>(),
            [("IN", 1), ("OUT", 8), ("IN", 16)]
        );
    }
}
