//! What is judged apart and put together later, as JSON lines. A finding is the line that every report of ours prints, and behind it
//! `part`: what only its part knows, and where it stands among all.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::escape::json;
use super::json::finding;
use crate::facts::{FileFacts, source_order};
use crate::finding;
use crate::store::{ClauseRow, ConnectionRow, EvidenceRow, FindingRow, MessageRow, OccasionRow, UndecidedRow};

/// Counts of one part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartTally {
    /// Connections.
    pub connections: u64,
    /// Messages in them.
    pub messages: u64,
    /// Findings.
    pub findings: u64,
}

/// One line of a part.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum PartLine {
    /// A connection.
    Connection(ConnectionRow),
    /// A rule that was not decidable.
    Undecidable(UndecidedRow),
    /// What connections gave occasion to.
    Occasion(Occasion<'static>),
    /// Findings about a clause.
    Breach(Breach<'static>),
    /// A finding.
    Finding(Box<FindingLine>),
    /// The end of a part: without it, the part is not whole.
    Judged(PartTally),
    /// A source: nothing of it is judged here, but a summary speaks of it.
    Source(Told),
}

/// Connections of one profile that gave the same occasions, as bits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Occasion<'a> {
    /// Label of the profile.
    pub profile: Text<'a>,
    /// Of the client.
    pub client: [u64; 2],
    /// Of the server.
    pub server: [u64; 2],
    /// What their log can prove.
    pub proof: u16,
    /// How many connections.
    pub connections: u64,
}

/// Findings of one profile, clause, rule, side and certainty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Breach<'a> {
    /// Label of the profile.
    pub profile: Text<'a>,
    /// Name of the clause.
    pub clause: Text<'a>,
    /// Code of the rule.
    pub code: Text<'a>,
    /// `client` or `server`, where it is the fault of one.
    pub side: Option<Text<'a>>,
    /// True if it is proven.
    pub violation: bool,
    /// How many.
    pub count: u64,
}

/// What facts say of a source.
#[derive(Debug, Serialize, Deserialize)]
pub struct Told {
    /// Its name.
    pub source: String,
    /// The rest.
    #[serde(flatten)]
    pub told: FileFacts,
}

/// A finding as it stands in a line.
#[derive(Debug, Deserialize)]
pub struct FindingLine {
    code: String,
    rule: String,
    severity: String,
    certainty: String,
    #[serde(default)]
    basis: Option<String>,
    profile: String,
    connection: String,
    source: String,
    line: u64,
    #[serde(default)]
    request_line: Option<u64>,
    summary: String,
    #[serde(default)]
    clause: Option<ClauseRow>,
    evidence: Vec<Role>,
    part: About<'static>,
}

#[derive(Debug, Deserialize)]
struct Role {
    role: String,
}

/// What a part knows of a finding beside what everybody prints.
#[derive(Debug, Serialize, Deserialize)]
struct About<'a> {
    issuer: Option<Text<'a>>,
    method: Option<Text<'a>>,
    name: Option<Text<'a>>,
    message: i64,
    exchange: Option<i64>,
    messages: Vec<Cow<'a, MessageRow>>,
    facts: Text<'a>,
    order: [u64; 2],
}

/// Text that a line has or a row lends.
type Text<'a> = Cow<'a, str>;

impl FindingLine {
    /// The order of findings: by source, line and code, then as they came.
    pub fn order(&self, other: &FindingLine) -> Ordering {
        let by = |found: &FindingLine| (found.line, found.part.order);
        let (own, others) = (by(self), by(other));
        let source = match self.source == other.source {
            true => Ordering::Equal,
            false => source_order(&self.source).cmp(&source_order(&other.source)),
        };
        source.then(own.0.cmp(&others.0)).then_with(|| self.code.cmp(&other.code)).then(own.1.cmp(&others.1))
    }

    /// The finding, as a store would hand it on, without the texts of its messages.
    pub fn into_row(self) -> FindingRow {
        let About { issuer, method, name, message, exchange, messages, .. } = self.part;
        let messages = messages.into_iter().map(Cow::into_owned);
        let evidence = self.evidence.into_iter().zip(messages);
        FindingRow {
            id: 0,
            code: self.code,
            rule: self.rule,
            severity: self.severity,
            certainty: self.certainty,
            basis: self.basis,
            profile: self.profile,
            connection: self.connection,
            source: self.source,
            line: self.line,
            message_id: message,
            exchange_id: exchange,
            request_line: self.request_line,
            issuer: issuer.map(Text::into_owned),
            method: method.map(Text::into_owned),
            name: name.map(Text::into_owned),
            summary: self.summary,
            clause: self.clause,
            evidence: evidence.map(|(Role { role }, message)| EvidenceRow { role, message }).collect(),
        }
    }
}

/// A line with its type.
#[derive(Serialize)]
struct Typed<'a, T> {
    r#type: &'static str,
    #[serde(flatten)]
    row: &'a T,
    #[serde(skip_serializing_if = "Option::is_none")]
    facts: Option<&'a str>,
}

/// Writes the lines of one part.
pub struct Parts<'w> {
    out: &'w mut dyn Write,
    tally: PartTally,
}

impl<'w> Parts<'w> {
    /// Lines into `out`.
    pub fn new(out: &'w mut dyn Write) -> Parts<'w> {
        Parts { out, tally: PartTally::default() }
    }

    /// A connection; `key` is the one under which its facts came.
    pub fn connection(&mut self, row: &ConnectionRow, key: &str) -> io::Result<()> {
        self.tally.connections += 1;
        self.tally.messages += row.messages;
        writeln!(self.out, "{}", json(&Typed { r#type: "connection", row, facts: Some(key) })?)
    }

    /// A rule that was not decidable.
    pub fn undecided(&mut self, row: &UndecidedRow) -> io::Result<()> {
        writeln!(self.out, "{}", json(&Typed { r#type: "undecidable", row, facts: None })?)
    }

    /// What connections gave occasion to.
    pub fn occasion(&mut self, row: &OccasionRow) -> io::Result<()> {
        let &OccasionRow { profile, client, server, proof, connections } = row;
        let row = Occasion { profile: profile.label().into(), client, server, proof, connections };
        writeln!(self.out, "{}", json(&Typed { r#type: "occasion", row: &row, facts: None })?)
    }

    /// Findings about a clause.
    pub fn breach(&mut self, row: &finding::Breach) -> io::Result<()> {
        let row = Breach {
            profile: row.profile.label().into(),
            clause: Text::Borrowed(&row.clause),
            code: Text::Borrowed(&row.code),
            side: row.side.map(|side| side.as_str().into()),
            violation: row.violation,
            count: row.count,
        };
        writeln!(self.out, "{}", json(&Typed { r#type: "breach", row: &row, facts: None })?)
    }

    /// A finding: `key` is that of its facts, `order` its place among all findings of its source, line and code.
    pub fn finding(&mut self, row: &FindingRow, key: &str, order: (u64, u64)) -> io::Result<()> {
        self.tally.findings += 1;
        let line = finding(row, None)?;
        let line = line.strip_suffix('}').unwrap_or(&line);
        let text = |text: &'_ Option<String>| text.clone().map(Text::Owned);
        let about = About {
            issuer: text(&row.issuer),
            method: text(&row.method),
            name: text(&row.name),
            message: row.message_id,
            exchange: row.exchange_id,
            messages: row.evidence.iter().map(|evidence| Cow::Borrowed(&evidence.message)).collect(),
            facts: Text::Borrowed(key),
            order: [order.0, order.1],
        };
        writeln!(self.out, "{line},\"part\":{}}}", json(&about)?)
    }

    /// A source.
    pub fn source(&mut self, name: &str, told: &FileFacts) -> io::Result<()> {
        let row = Told { source: name.to_string(), told: told.clone() };
        writeln!(self.out, "{}", json(&Typed { r#type: "source", row: &row, facts: None })?)
    }

    /// The last line.
    pub fn finish(self) -> io::Result<()> {
        writeln!(self.out, "{}", json(&Typed { r#type: "judged", row: &self.tally, facts: None })?)?;
        self.out.flush()
    }
}
