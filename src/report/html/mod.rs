//! One page of HTML: verdict, what hung, findings, timeline, messages. It loads nothing, from anywhere.
//!
//! Two walls stand between a log and its reader, each enough alone: every text is escaped on its way into the page (what
//! is data is packed besides), and the script makes no HTML, which the policy of the page holds it to.

mod core;
mod escape;
mod gathered;
mod pack;
mod picture;
mod shell;
mod still;
mod traffic;

use std::io::{self, Write};
use std::rc::Rc;

pub use escape::{Esc, fragment};
pub use gathered::{Gathered, Incident, gathered};
pub use shell::{MARK, Page, write_page};
pub use traffic::{Choice, Collected, Collector, PROOF, READ};

use super::{Report, Silence, Summary};
use crate::store::FindingRow;

/// Findings of a page; the rest is counted.
const MOST: usize = 20_000;

/// The report: it keeps the findings, and writes the page when it has the summary.
pub struct Html {
    gathered: Option<Rc<Gathered>>,
    findings: Vec<FindingRow>,
    left_out: u64,
}

impl Html {
    /// A page of this traffic.
    pub fn new(gathered: Option<Rc<Gathered>>) -> Html {
        Html { gathered, findings: Vec::new(), left_out: 0 }
    }
}

impl Report for Html {
    fn finding(&mut self, _: &mut dyn Write, finding: &FindingRow) -> io::Result<()> {
        if self.findings.len() < MOST {
            self.findings.push(finding.clone());
        } else {
            self.left_out += 1;
        }
        Ok(())
    }

    fn silenced(&mut self, out: &mut dyn Write, finding: &FindingRow, silence: &Silence) -> io::Result<()> {
        let summary = format!("{} ({})", finding.summary, silence.text());
        self.finding(out, &FindingRow { summary, severity: "note".into(), ..finding.clone() })
    }

    fn finish(&mut self, out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
        let Some(gathered) = &self.gathered else { return Ok(()) };
        let told = still::Told { gathered, findings: &self.findings, left_out: self.left_out, summary };
        let core = core::blocks(gathered, &self.findings)?;
        write_page(out, &Page { title: &gathered.title, body: told.body(), data: core, at: gathered.at.as_deref() })
    }
}
