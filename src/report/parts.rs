//! What is judged apart and put together later, as JSON lines: findings as every report of ours has them, each with its place
//! among all (`part`: what a summary and a report need beside it), and what a summary counts.

use std::io::{self, Write};

use serde::Serialize;

use super::escape::json;
use super::json::finding;
use crate::store::{ConnectionRow, FindingRow, UndecidedRow};

/// What the last line of a part says: without it, the part is not whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
struct Judged {
    /// Connections.
    connections: u64,
    /// Messages in them.
    messages: u64,
    /// Findings.
    findings: u64,
}

#[derive(Serialize)]
struct Connection<'a> {
    r#type: &'static str,
    key: &'a str,
    session: &'a str,
    source: &'a str,
    format: &'a str,
    protocol: &'a str,
    revision: &'a str,
    transport: &'a str,
    vantage: &'a str,
    client_name: Option<&'a str>,
    server_name: Option<&'a str>,
    first_at_us: Option<i64>,
    last_at_us: Option<i64>,
    messages: u64,
    requests: u64,
    cancels: u64,
    complete_head: bool,
    complete_tail: bool,
    facts: &'a str,
}

/// What a part knows of a finding beside what everybody prints.
#[derive(Serialize)]
struct About<'a> {
    issuer: Option<&'a str>,
    method: Option<&'a str>,
    name: Option<&'a str>,
    facts: &'a str,
    order: [u64; 2],
}

#[derive(Serialize)]
struct Undecidable<'a> {
    r#type: &'static str,
    code: &'a str,
    rule: &'a str,
    lacks: &'a [String],
    events: u64,
}

#[derive(Serialize)]
struct Last {
    r#type: &'static str,
    #[serde(flatten)]
    judged: Judged,
}

/// Writes the parts of one run.
pub struct Parts<'w> {
    out: &'w mut dyn Write,
    judged: Judged,
}

impl<'w> Parts<'w> {
    /// Parts into `out`.
    pub fn new(out: &'w mut dyn Write) -> Parts<'w> {
        Parts { out, judged: Judged::default() }
    }

    /// A connection; `key` is the one under which its facts came.
    pub fn connection(&mut self, row: &ConnectionRow, key: &str) -> io::Result<()> {
        self.judged.connections += 1;
        self.judged.messages += row.messages;
        let line = json(&Connection {
            r#type: "connection",
            key: &row.key,
            session: &row.session,
            source: &row.source,
            format: &row.format,
            protocol: &row.protocol,
            revision: &row.revision,
            transport: &row.transport,
            vantage: &row.vantage,
            client_name: row.client_name.as_deref(),
            server_name: row.server_name.as_deref(),
            first_at_us: row.first_at_us,
            last_at_us: row.last_at_us,
            messages: row.messages,
            requests: row.requests,
            cancels: row.cancels,
            complete_head: row.complete_head,
            complete_tail: row.complete_tail,
            facts: key,
        })?;
        writeln!(self.out, "{line}")
    }

    /// A rule that was not decidable.
    pub fn undecided(&mut self, row: &UndecidedRow) -> io::Result<()> {
        let UndecidedRow { code, rule, lacks, events } = row;
        writeln!(self.out, "{}", json(&Undecidable { r#type: "undecidable", code, rule, lacks, events: *events })?)
    }

    /// A finding, what else is known of it, and where it stands: `key` is that of its facts, `order` its place among all findings of
    /// its source, line and code.
    pub fn finding(&mut self, row: &FindingRow, key: &str, order: (u64, u64)) -> io::Result<()> {
        self.judged.findings += 1;
        let line = finding(row, None)?;
        let line = line.strip_suffix('}').unwrap_or(&line);
        let about = About {
            issuer: row.issuer.as_deref(),
            method: row.method.as_deref(),
            name: row.name.as_deref(),
            facts: key,
            order: [order.0, order.1],
        };
        writeln!(self.out, "{line},\"part\":{}}}", json(&about)?)
    }

    /// The last line.
    pub fn finish(self) -> io::Result<()> {
        writeln!(self.out, "{}", json(&Last { r#type: "judged", judged: self.judged })?)?;
        self.out.flush()
    }
}
