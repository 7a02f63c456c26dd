//! `export --as jsonl`: one line a message, `{"ts","dir","raw"}`, which rpctape reads again.

use std::io::{self, Write};

use serde::Serialize;

use super::escape::json;
use super::time::Digits;
use crate::store::MessageRow;

#[derive(Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dir: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conn: Option<&'a str>,
    raw: &'a str,
}

/// The lines of one connection.
pub struct TrafficLines<'a> {
    connection: Option<&'a str>,
    digits: Digits,
    /// The array whose members come next: source, line, and where it ends.
    batch: Option<(String, u64, u64)>,
}

impl<'a> TrafficLines<'a> {
    /// Lines that name their connection where there are several, and write times with so many digits.
    pub fn new(connection: Option<&'a str>, digits: Digits) -> TrafficLines<'a> {
        TrafficLines { connection, digits, batch: None }
    }

    /// Writes a message; frames that are no message (a stream that closes, a line of stderr) are left out. A batch is
    /// written once, as the array that it was.
    pub fn message(&mut self, out: &mut dyn Write, row: &MessageRow) -> io::Result<()> {
        if self.is_member(row) {
            return Ok(());
        }
        self.batch = None;
        match row.kind.as_str() {
            "request" | "notification" | "result" | "error" | "malformed" => {}
            "batch" => self.batch = Some((row.source.clone(), row.line, row.byte_offset + row.bytes)),
            _ => return Ok(()),
        }
        let dir = match row.sender.as_deref() {
            Some("client") => Some("c2s"),
            Some("server") => Some("s2c"),
            _ => None,
        };
        let line = Line {
            ts: row.at_us.map(|us| self.digits.rfc3339(us)),
            dir,
            conn: self.connection,
            raw: row.raw.as_deref().unwrap_or_default(),
        };
        writeln!(out, "{}", json(&line)?)
    }

    fn is_member(&self, row: &MessageRow) -> bool {
        let inside = |(source, line, end): &(String, u64, u64)| {
            row.source == *source && row.line == *line && row.byte_offset < *end && row.kind != "batch"
        };
        self.batch.as_ref().is_some_and(inside)
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::tests::message;
    use super::*;

    #[test]
    fn a_batch_is_written_once_and_as_it_was() {
        let text = r#"[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"b"}]"#;
        let mut batch = message("batch", "client", None, None, text);
        batch.at_us = Some(1_795_243_456_663_227);
        let mut member = message("request", "client", Some("a"), Some("1"), "{}");
        member.byte_offset = 1;
        let mut next = message("result", "server", None, Some("1"), "{\u{1b}}");
        next.line = 2;
        let (mut lines, mut out) = (TrafficLines::new(None, Digits::Micros), Vec::new());
        for row in [&batch, &member, &next] {
            lines.message(&mut out, row).expect("written");
        }
        let expected = format!(
            "{{\"ts\":\"2026-11-21T06:44:16.663227Z\",\"dir\":\"c2s\",\"raw\":{}}}\n{{\"dir\":\"s2c\",\"raw\":\"{{\\u001b}}\"}}\n",
            serde_json::to_string(text).expect("a string")
        );
        assert_eq!(String::from_utf8(out).expect("text"), expected);
    }
}
