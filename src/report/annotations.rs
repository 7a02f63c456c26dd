//! `--report github=FILE`: workflow commands of GitHub Actions, one line each. They must be printed to standard output
//! in a step (`github=-`, or `cat FILE`) to become annotations.

use std::io::{self, Write};

use super::escape::{escape, escape_cut};
use super::kinds::{Context, sentence};
use super::number::plural;
use super::unseen::unseen;
use super::{Report, Silence, Summary};
use crate::store::FindingRow;

/// The longest sentence on what was not looked at.
const UNSEEN: usize = 600;

/// The format.
pub struct Annotations {
    context: Context,
}

impl Annotations {
    /// The format.
    pub fn new(context: &Context) -> Annotations {
        Annotations { context: context.clone() }
    }
}

/// The text of a command: `%` and line ends are encoded.
fn message(text: &str) -> String {
    escape(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a command: `:` and `,` are encoded too.
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

impl Report for Annotations {
    fn finding(&mut self, out: &mut dyn Write, finding: &FindingRow) -> io::Result<()> {
        let level = match finding.severity.as_str() {
            "error" => "error",
            "warning" => "warning",
            _ => "notice",
        };
        let file = property(&self.context.path(&finding.source));
        let title = property(&format!("{} {}", finding.code, finding.rule));
        let text = message(&sentence(finding));
        writeln!(out, "::{level} file={file},line={},title={title}::{text}", finding.line.max(1))
    }

    /// An annotation is for what somebody has to look at.
    fn silenced(&mut self, _: &mut dyn Write, _: &FindingRow, _: &Silence) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
        let counts = &summary.counts;
        let found = format!(
            "{}, {}, {}",
            plural(counts.error, "error"),
            plural(counts.warning, "warning"),
            plural(counts.note, "note")
        );
        let unseen = escape_cut(&unseen(summary, &|source| self.context.path(source)), UNSEEN, None);
        writeln!(out, "rpctape: {found} in {}; not looked at: {unseen}", plural(summary.connections, "connection"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::late;
    use super::*;

    #[test]
    fn a_command_stays_one_command() {
        let mut row = late(6, "search");
        row.source = "a,b:c%\n::error::x.jsonl".into();
        row.summary = "100% sure\r\n::error::forged".into();
        let mut out = Vec::new();
        Annotations::new(&Context::default()).finding(&mut out, &row).expect("written");
        let line = "::warning file=a%2Cb%3Ac%25\\n%3A%3Aerror%3A%3Ax.jsonl,line=6,title=CAN010 response-after-cancel";
        let expected = format!("{line}::100%25 sure\\r\\n::error::forged\n");
        assert_eq!(String::from_utf8(out).expect("text"), expected);
    }
}
