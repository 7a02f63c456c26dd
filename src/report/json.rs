//! Findings as JSON: one object per line, or the same objects in one document. This is public API: members are only
//! ever added. The same input gives the same bytes.

use std::io::{self, Write};

use serde::Serialize;

use super::escape::json;
use super::{Report, Silence, Summary};
use crate::store::FindingRow;

#[derive(Serialize)]
struct Finding<'a> {
    r#type: &'static str,
    code: &'a str,
    rule: &'a str,
    severity: &'a str,
    certainty: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    basis: Option<&'a str>,
    profile: &'a str,
    connection: &'a str,
    source: &'a str,
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_line: Option<u64>,
    summary: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    clause: Option<Clause<'a>>,
    evidence: Vec<Evidence<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed: Option<&'a Silence>,
}

#[derive(Serialize)]
struct Clause<'a> {
    level: &'a str,
    text: &'a str,
    url: &'a str,
}

#[derive(Serialize)]
struct Evidence<'a> {
    role: &'a str,
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
}

#[derive(Serialize)]
struct Last<'a> {
    r#type: &'static str,
    v: u8,
    #[serde(flatten)]
    summary: &'a Summary,
}

pub(super) fn finding(row: &FindingRow, suppressed: Option<&Silence>) -> io::Result<String> {
    let clause =
        row.clause.as_ref().map(|clause| Clause { level: &clause.level, text: &clause.text, url: &clause.url });
    let evidence = row.evidence.iter().map(|evidence| Evidence {
        role: &evidence.role,
        line: evidence.message.line,
        source: Some(evidence.message.source.as_str()).filter(|source| *source != row.source),
    });
    json(&Finding {
        r#type: "finding",
        code: &row.code,
        rule: &row.rule,
        severity: &row.severity,
        certainty: &row.certainty,
        basis: row.basis.as_deref(),
        profile: &row.profile,
        connection: &row.connection,
        source: &row.source,
        line: row.line,
        request_line: row.request_line,
        summary: &row.summary,
        clause,
        evidence: evidence.collect(),
        suppressed,
    })
}

fn last(summary: &Summary) -> io::Result<String> {
    json(&Last { r#type: "summary", v: 1, summary })
}

/// `--format jsonl`: one object per line, the summary last, so that a cut-off file is noticed.
#[derive(Default)]
pub struct Lines;

impl Report for Lines {
    fn finding(&mut self, out: &mut dyn Write, row: &FindingRow) -> io::Result<()> {
        writeln!(out, "{}", finding(row, None)?)
    }
    fn silenced(&mut self, out: &mut dyn Write, row: &FindingRow, silence: &Silence) -> io::Result<()> {
        writeln!(out, "{}", finding(row, Some(silence))?)
    }
    fn finish(&mut self, out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
        writeln!(out, "{}", last(summary)?)
    }
}

/// `--format json`: the same objects in one document.
#[derive(Default)]
pub struct Document {
    begun: bool,
}

impl Document {
    fn object(&mut self, out: &mut dyn Write, row: &FindingRow, silence: Option<&Silence>) -> io::Result<()> {
        let before = if self.begun { "," } else { "{\"findings\":[" };
        self.begun = true;
        write!(out, "{before}\n{}", finding(row, silence)?)
    }
}

impl Report for Document {
    fn finding(&mut self, out: &mut dyn Write, row: &FindingRow) -> io::Result<()> {
        self.object(out, row, None)
    }
    fn silenced(&mut self, out: &mut dyn Write, row: &FindingRow, silence: &Silence) -> io::Result<()> {
        self.object(out, row, Some(silence))
    }
    fn finish(&mut self, out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
        let before = if self.begun { "\n" } else { "{\"findings\":[" };
        writeln!(out, "{before}],\n\"summary\":{}}}", last(summary)?)
    }
}
