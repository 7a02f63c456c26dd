//! A run, or the comparison of two recordings, as a screen and as files. Everything in a [`RunReport`] that came from a
//! peer is escaped here.

mod html;
mod json;
mod junit;
mod markdown;
mod redacted;
mod rows;
mod screen;
mod suite;
#[cfg(test)]
mod tests;

use std::io;

pub use html::html;
pub use json::{document, lines};
pub use junit::junit;
pub use markdown::markdown;
pub use redacted::{redact, redacted};
pub use screen::{review, screen};
pub use suite::{document as suite_document, lines as suite_lines, screen as suite_screen};

use crate::replay::RunReport;

/// A kind of report that a run can be written as.
pub struct RunKind {
    /// What stands before the `=` of `--report`.
    pub name: &'static str,
    /// Writes one run.
    pub write: fn(&RunReport) -> io::Result<String>,
    /// Writes several, one for each recording.
    pub suite: fn(&Suite<'_>) -> io::Result<String>,
}

/// Runs of several recordings, in the order in which they were asked for.
#[derive(Clone, Copy, Debug)]
pub struct Suite<'s> {
    /// One for each recording that was played, or could not be.
    pub runs: &'s [RunReport],
    /// How many were left because of a signal.
    pub not_played: usize,
    /// The exit code where a signal came.
    pub stopped: Option<u8>,
}

/// All of them.
pub const RUN_KINDS: &[RunKind] = &[
    RunKind { name: "junit", write: |report| junit(std::slice::from_ref(report)), suite: |suite| junit(suite.runs) },
    RunKind { name: "md", write: |report| Ok(markdown(report)), suite: |suite| Ok(suite::markdown(suite)) },
    RunKind { name: "jsonl", write: lines, suite: suite::lines },
    RunKind { name: "html", write: |report| html(std::slice::from_ref(report)), suite: |suite| html(suite.runs) },
];

impl RunKind {
    /// A kind by its name.
    pub fn find(name: &str) -> Option<&'static RunKind> {
        RUN_KINDS.iter().find(|kind| kind.name == name)
    }
}
