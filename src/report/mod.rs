//! Findings and rows into text: screens for people, JSON for machines. Pure: rows in, text out.
//!
//! One output format per file, behind [`Report`]. Everything that came from a log passes [`escape`] on its way.

mod annotations;
pub mod catalogue;
pub mod clauses;
mod columns;
mod concise;
pub mod conform;
mod coverage;
mod escape;
mod excerpt;
mod fingerprint;
mod full;
mod group;
mod grouped;
pub mod html;
mod json;
mod judged;
mod junit;
mod kinds;
mod listing;
mod markdown;
mod mermaid;
mod message;
mod otlp;
mod page;
mod parts;
mod perfetto;
mod query;
pub mod redacted;
mod rendered;
pub mod replay;
mod sarif;
mod schemas;
mod sessions;
pub mod shell;
mod show;
mod silence;
mod snippet;
mod statistics;
pub mod stats;
mod style;
mod summary;
pub mod tail;
#[cfg(test)]
mod tests;
pub mod time;
mod traffic;
mod unseen;
pub mod why;

use std::io::{self, Write};

use crate::number;
pub use crate::number::{count, plural, size};
pub use annotations::Annotations;
pub use catalogue::format_list;
pub use columns::{hang, labelled, middle, pad, width, wrap};
pub use concise::Concise;
pub use coverage::{ClauseCoverage, Coverage};
pub use escape::{escape, escape_block, json, uri};
pub use fingerprint::{Repeats, fingerprint};
pub use full::Full;
pub use grouped::{GroupBy, Grouped};
pub use json::{Document, Lines};
pub use judged::Judged;
pub use junit::Junit;
pub use kinds::{Context, KINDS, Kind};
pub use listing::{Cancels, Kinds, ListedSource, Listing};
pub use markdown::Markdown;
pub use mermaid::{Mark, Mermaid};
pub use message::{label, label_of, title};
pub use otlp::Otlp;
pub use page::section;
pub use parts::{Breach, FindingLine, Occasion, PartLine, Parts};
pub use perfetto::Perfetto;
pub use query::{Csv, Grid, Objects, RowFormat};
pub use rendered::write_page;
pub use sarif::Sarif;
pub use schemas::SCHEMAS;
pub use sessions::{Session, Sessions};
pub use show::{Sheet, Transcript};
pub use silence::Silence;
pub use statistics::Statistics;
pub use style::{Ink, Style};
pub use summary::{Counts, Merged, MergedAlone, NotFollowed, PassedOver, Skipped, Summary, Undecidable, Unread};
pub use time::Digits;
pub use traffic::{TrafficLine, TrafficLines};

use crate::store::FindingRow;

/// A format for the findings of a check. Findings come in their order (source, line, code), the summary last.
pub trait Report {
    /// Takes one finding; writes it, or keeps what it needs of it.
    fn finding(&mut self, out: &mut dyn Write, finding: &FindingRow) -> io::Result<()>;
    /// Takes one that does not count and is shown all the same.
    fn silenced(&mut self, out: &mut dyn Write, finding: &FindingRow, silence: &Silence) -> io::Result<()> {
        let summary = format!("{} ({})", finding.summary, silence.text());
        self.finding(out, &FindingRow { summary, ..finding.clone() })
    }
    /// Writes what is left, and the summary.
    fn finish(&mut self, out: &mut dyn Write, summary: &Summary) -> io::Result<()>;
}
