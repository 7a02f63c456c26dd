//! `--format concise`: one line per finding, for grep and for editors: `file:line: severity rule: summary`.

use std::io::{self, Write};

use super::escape::{escape, escape_cut};
use super::{Report, Style, Summary, full};
use crate::store::FindingRow;

/// The format.
pub struct Concise {
    style: Style,
}

impl Concise {
    /// The format for a place.
    pub fn new(style: Style) -> Concise {
        Concise { style }
    }
}

impl Report for Concise {
    fn finding(&mut self, out: &mut dyn Write, finding: &FindingRow) -> io::Result<()> {
        let certainty = match finding.certainty.as_str() {
            "violation" => String::new(),
            certainty => format!(" ({certainty})"),
        };
        writeln!(
            out,
            "{}:{}: {} {}{certainty}: {}",
            escape(&finding.source),
            finding.line,
            self.style.severity(&finding.severity, &finding.severity),
            finding.rule,
            escape_cut(&finding.summary, full::LONGEST, None),
        )
    }

    fn finish(&mut self, out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
        full::closing(out, summary, &self.style)
    }
}
