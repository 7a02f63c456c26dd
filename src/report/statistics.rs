//! `--statistics`: how often each rule spoke, and where first.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::columns::{Lean, Table};
use super::{Report, Style, Summary, full, number};
use crate::store::FindingRow;

struct Row {
    count: u64,
    first: String,
}

/// The format.
pub struct Statistics {
    style: Style,
    rows: BTreeMap<(String, String, String, String), Row>,
}

impl Statistics {
    /// The format for a place.
    pub fn new(style: Style) -> Statistics {
        Statistics { style, rows: BTreeMap::new() }
    }
}

impl Report for Statistics {
    fn finding(&mut self, _: &mut dyn Write, finding: &FindingRow) -> io::Result<()> {
        let key = (finding.code.clone(), finding.rule.clone(), finding.severity.clone(), finding.certainty.clone());
        let first = || Row { count: 0, first: format!("{}:{}", finding.source, finding.line) };
        self.rows.entry(key).or_insert_with(first).count += 1;
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
        let columns = ["count", "code", "rule", "severity", "certainty", "first"];
        let leans = [Lean::Right, Lean::Left, Lean::Left, Lean::Left, Lean::Left, Lean::Left];
        let mut table = Table::new(columns.into_iter().zip(leans)).wrapped();
        let mut rows: Vec<_> = self.rows.iter().collect();
        rows.sort_by_key(|(_, row)| std::cmp::Reverse(row.count));
        for ((code, rule, severity, certainty), row) in rows {
            let cells = [code, rule, severity, certainty, &row.first].map(String::clone);
            table.row(std::iter::once(number::count(row.count)).chain(cells).collect());
        }
        if !table.is_empty() {
            for line in table.lines(0, self.style.width) {
                writeln!(out, "{line}")?;
            }
            writeln!(out)?;
        }
        full::closing(out, summary, &self.style)
    }
}
