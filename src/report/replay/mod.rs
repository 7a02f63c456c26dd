//! A run, or the comparison of two recordings, as a screen and as files. Everything in a [`RunReport`] that came from a
//! peer is escaped here.

mod json;
mod junit;
mod markdown;
mod redacted;
mod rows;
mod screen;
#[cfg(test)]
mod tests;

use std::io;

pub use json::{document, lines};
pub use junit::junit;
pub use markdown::markdown;
pub use redacted::redacted;
pub use screen::{review, screen};

use crate::replay::RunReport;

/// A kind of report that a run can be written as.
pub struct RunKind {
    /// What stands before the `=` of `--report`.
    pub name: &'static str,
    /// Writes it.
    pub write: fn(&RunReport) -> io::Result<String>,
}

/// All of them.
pub const RUN_KINDS: &[RunKind] = &[
    RunKind { name: "junit", write: junit },
    RunKind { name: "md", write: |report| Ok(markdown(report)) },
    RunKind { name: "jsonl", write: lines },
];

impl RunKind {
    /// A kind by its name.
    pub fn find(name: &str) -> Option<&'static RunKind> {
        RUN_KINDS.iter().find(|kind| kind.name == name)
    }
}
