//! `show`: messages one under the other, with line, time, offset, direction and size.

use std::io::{self, Write};

use serde::Serialize;

use super::columns::{hang, pad};
use super::escape::{escape, escape_cut, json};
use super::full::{self, LONGEST};
use super::{Ink, Style, message, number, redacted, time};
use crate::redact::Redactor;
use crate::store::{ConnectionRow, ExchangeRow, FindingRow, MessageRow};

/// Messages of one exchange or connection.
pub struct Transcript<'a> {
    style: &'a Style,
    /// True to print every message whole beneath its line.
    raw: bool,
    start: Option<i64>,
    source: Option<String>,
    redactor: Option<Redactor>,
}

impl<'a> Transcript<'a> {
    /// A transcript for a place.
    pub fn new(style: &'a Style, raw: bool) -> Transcript<'a> {
        Transcript { style, raw, start: None, source: None, redactor: None }
    }

    /// The same with secrets replaced.
    pub fn redacted(mut self, redactor: Option<Redactor>) -> Transcript<'a> {
        self.redactor = redactor;
        self
    }

    /// True where the message needs the room that its size would take.
    fn narrow(&self) -> bool {
        self.style.columns() < 90
    }

    /// The head line: what is shown, what became of it, and the date once.
    pub fn head(&self, out: &mut dyn Write, (title, more): (&str, &str), from: Option<i64>) -> io::Result<()> {
        let date = from.and_then(time::date).map_or(String::new(), |date| format!(", {date} UTC"));
        for line in hang(&format!("{}{}{date}", escape_cut(title, LONGEST, None), escape(more)), self.style.columns()) {
            writeln!(out, "{}", self.style.paint(Ink::Strong, &line))?;
        }
        let size = if self.narrow() { "" } else { "     size  " };
        let columns = format!("  line  time              offset  way  {size}message");
        writeln!(out, "{}", self.style.paint(Ink::Faint, &columns))
    }

    /// What the rules say about these messages, one line each.
    pub fn findings(&mut self, out: &mut dyn Write, findings: &[FindingRow]) -> io::Result<()> {
        for (index, finding) in findings.iter().enumerate() {
            if index == 0 {
                writeln!(out)?;
            }
            let shown = self.redactor.as_mut().map(|redactor| redacted::finding(finding, redactor));
            let finding = shown.as_ref().unwrap_or(finding);
            let summary = escape_cut(&finding.summary, LONGEST, None);
            full::sentence(out, finding, &format!("{summary} (line {})", finding.line), self.style)?;
        }
        Ok(())
    }

    /// One message. Offsets count from the first message that has a time.
    pub fn message(&mut self, out: &mut dyn Write, row: &MessageRow) -> io::Result<()> {
        if self.source.as_ref() != Some(&row.source) {
            if self.source.is_some() {
                writeln!(out, "  {}", self.style.paint(Ink::Faint, &format!("in {}:", escape(&row.source))))?;
            }
            self.source = Some(row.source.clone());
        }
        self.start = self.start.or(row.at_us);
        let at = row.at_us.map(time::clock).unwrap_or_default();
        let offset = row.at_us.zip(self.start).map(|(at, start)| time::offset(at - start)).unwrap_or_default();
        let size = if self.narrow() { String::new() } else { format!("{:>9}  ", number::size(row.bytes)) };
        let shown = self.redactor.as_mut().map(|redactor| redacted::message(row, redactor));
        let row = shown.as_ref().unwrap_or(row);
        let room = self.style.columns().saturating_sub(39 + size.len());
        let text = match self.raw {
            true => escape(&message::head(row)).into_owned(),
            false => message::line(row, room),
        };
        let line = format!("{:>6}  {} {offset:>11}  {} {size}{text}", row.line, pad(&at, 12), message::arrow(row));
        writeln!(out, "{}", line.trim_end())?;
        match row.raw.as_deref() {
            Some(raw) if self.raw => writeln!(out, "        {}", escape(raw)),
            _ => Ok(()),
        }
    }
}

/// The same as one JSON document: what is shown, its messages one a line, what the rules say about them.
pub struct Sheet {
    redactor: Option<Redactor>,
    begun: bool,
}

#[derive(Serialize)]
struct MessageObject<'a> {
    source: &'a str,
    line: u64,
    byte_offset: u64,
    at_us: Option<i64>,
    sender: Option<&'a str>,
    sender_inferred: bool,
    kind: &'a str,
    method: Option<&'a str>,
    rpc_id: Option<&'a str>,
    error_code: Option<i64>,
    bytes: u64,
    text: Option<&'a str>,
}

#[derive(Serialize)]
struct RequestObject<'a> {
    request: String,
    issuer: &'a str,
    method: &'a str,
    name: Option<&'a str>,
    line: u64,
    outcome: &'a str,
    history: &'a str,
    sent_at_us: Option<i64>,
    latency_us: Option<i64>,
}

impl Sheet {
    /// A sheet with secrets replaced, where there is a redactor.
    pub fn new(redactor: Option<Redactor>) -> Sheet {
        Sheet { redactor, begun: false }
    }

    fn clean(&mut self, text: &str) -> String {
        match &mut self.redactor {
            Some(redactor) => redactor.text(text).into_owned(),
            None => text.to_string(),
        }
    }

    /// The connection, and the request where only one is shown.
    pub fn head(&mut self, out: &mut dyn Write, of: &ConnectionRow, request: Option<&ExchangeRow>) -> io::Result<()> {
        let key = json(&self.clean(&of.key))?;
        let profile = json(&format!("{} {}", of.protocol, of.revision).trim_end().to_string())?;
        let request = match request {
            None => "null".to_string(),
            Some(row) => json(&RequestObject {
                request: self.clean(&message::label(row.rpc_id.as_deref().unwrap_or("null"), Some(&row.issuer))),
                issuer: &row.issuer,
                method: &self.clean(&row.method),
                name: row.name.as_ref().map(|name| self.clean(name)).as_deref(),
                line: row.line,
                outcome: &row.outcome,
                history: &row.history,
                sent_at_us: row.sent_at_us,
                latency_us: row.latency_us,
            })?,
        };
        write!(out, "{{\"v\":1,\"connection\":{key},\"profile\":{profile},\"request\":{request},\"messages\":[")
    }

    /// One message.
    pub fn message(&mut self, out: &mut dyn Write, row: &MessageRow) -> io::Result<()> {
        let shown = self.redactor.as_mut().map(|redactor| redacted::message(row, redactor));
        let row = shown.as_ref().unwrap_or(row);
        let object = MessageObject {
            source: &row.source,
            line: row.line,
            byte_offset: row.byte_offset,
            at_us: row.at_us,
            sender: row.sender.as_deref(),
            sender_inferred: row.sender_inferred,
            kind: &row.kind,
            method: row.method.as_deref(),
            rpc_id: row.rpc_id.as_deref(),
            error_code: row.error_code,
            bytes: row.bytes,
            text: row.raw.as_deref(),
        };
        let before = if std::mem::replace(&mut self.begun, true) { "," } else { "" };
        write!(out, "{before}\n{}", json(&object)?)
    }

    /// The findings, and the end.
    pub fn finish(&mut self, out: &mut dyn Write, findings: &[FindingRow]) -> io::Result<()> {
        write!(out, "\n],\"findings\":[")?;
        for (index, finding) in findings.iter().enumerate() {
            let shown = self.redactor.as_mut().map(|redactor| redacted::finding(finding, redactor));
            let object = super::json::finding(shown.as_ref().unwrap_or(finding), None)?;
            write!(out, "{}\n{object}", if index > 0 { "," } else { "" })?;
        }
        writeln!(out, "]}}")
    }
}
