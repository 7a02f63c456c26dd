//! The one call for other programs: a log in, findings out. Nothing is kept on the disk.

use std::io::Read;
use std::iter::FusedIterator;
use std::path::Path;
use std::vec::IntoIter;

use super::{Options, Quiet, Summary, ingest, ingest_sources};
use crate::capture::{self, Skip};
use crate::error::{Error, ErrorKind, Result};
use crate::store::{FindingFilter, FindingRow, Keep, Raw, Store};

/// What findings call a log that has no file name.
const NAMELESS: &str = "log";

/// Audits a log: what it holds is told from its content, and packed logs (gzip, zstd) are unpacked. Archives and folders are
/// [`check_paths`]'s.
///
/// Findings come in the order of their lines, with the messages that prove them, but without the text of those. No
/// configuration, baseline or suppression counts, and nothing is printed. Secrets stay in sentences unless
/// [`Options::redact`] is set.
///
/// ```
/// # fn main() -> rpctape::error::Result<()> {
/// let log = std::fs::File::open("samples/mcp/bad.jsonl").expect("a sample");
/// let mut findings = rpctape::check(log, &rpctape::Options::default())?;
/// let late = findings.find(|finding| finding.rule == "response-after-cancel").expect("it was cancelled before");
/// assert_eq!((late.line, late.severity.as_str()), (14, "warning"));
/// # Ok(())
/// # }
/// ```
///
/// Errors: the reader fails, or what it gives is no log that rpctape can read; the hint says what to do.
pub fn check(reader: impl Read + Send + 'static, options: &Options) -> Result<Findings> {
    let mut store = Store::passing(Keep::Findings { text: 0 })?;
    let mut source = std::iter::once_with(|| capture::open_stream(NAMELESS, Box::new(reader), &options.overrides));
    let summary = ingest_sources(&mut store, &mut source, &[], options, &mut Quiet)?;
    Findings::of(&store, summary, false)
}

/// Audits files, the logs in folders, and those in archives (`tar`, `zip`), as one: a session may go on from one into the next.
///
/// ```no_run
/// # fn main() -> rpctape::error::Result<()> {
/// use rpctape::rules::Selection;
/// use rpctape::Options;
///
/// let cancels = Selection { select: vec!["CAN".into()], ..Selection::default() };
/// let findings = rpctape::check_paths(["logs/"], &Options { selection: cancels, ..Options::default() })?;
/// let whole = findings.is_whole();
/// for finding in findings {
///     println!("{}:{}: {} {}", finding.source, finding.line, finding.code, finding.summary);
/// }
/// assert!(whole, "a log is torn: what stood behind its end is not known");
/// # Ok(())
/// # }
/// ```
///
/// Errors: there is no log in them, one cannot be read, or the run was stopped through [`Options::interrupt`].
pub fn check_paths(paths: impl IntoIterator<Item = impl AsRef<Path>>, options: &Options) -> Result<Findings> {
    let names: Vec<String> = paths.into_iter().map(|path| capture::name_of(path.as_ref().as_os_str())).collect();
    let found = capture::expand(&names, &options.overrides)?;
    if found.paths.is_empty() {
        return Err(Error::new(ErrorKind::Input, format!("there is no log in {}", names.join(", "))));
    }
    let mut store = Store::passing(Keep::Findings { text: 0 })?;
    let summary = ingest(&mut store, &found.paths, options, &mut Quiet)?;
    Findings::of(&store, summary, found.archives.iter().any(|archive| archive.torn))
}

/// What an audit found, one after the other, and what it had to go by.
#[derive(Debug)]
pub struct Findings {
    rows: IntoIter<FindingRow>,
    summary: Summary,
    torn: bool,
}

impl Findings {
    fn of(store: &Store, summary: Summary, torn: bool) -> Result<Findings> {
        let rows = store.all_findings(&FindingFilter::default(), Raw::None)?.into_iter();
        Ok(Findings { rows, summary, torn })
    }

    /// What was read: sources, messages, what could not be decided and why.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// True if there were messages, and no part of a log is known to be torn off. Only then does "no findings" say anything.
    pub fn is_whole(&self) -> bool {
        let skipped = self.summary.sources.iter().flat_map(|source| &source.skipped);
        let lost = skipped.filter_map(|(why, ..)| Skip::from_name(why)).any(Skip::is_loss);
        self.summary.tally.messages > 0 && !lost && !self.torn
    }
}

impl Iterator for Findings {
    type Item = FindingRow;

    fn next(&mut self) -> Option<FindingRow> {
        self.rows.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rows.size_hint()
    }
}

impl ExactSizeIterator for Findings {}
impl FusedIterator for Findings {}
