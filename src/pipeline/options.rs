//! What a run is asked to do, and who is told how far it is.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::capture::Overrides;
use crate::error::{Error, ErrorKind, Result};
use crate::redact::Custom;
use crate::rules::Selection;
use crate::session::Settings;

/// The hops of which the sources are the logs, from the one next to the user to the last; none where they are of one link each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hops {
    /// What the user calls them.
    pub names: Vec<String>,
    /// Which one a source is of, by the source's name.
    pub of: BTreeMap<String, usize>,
}

/// What a run is asked to do.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What the judgement assumes.
    pub settings: Settings,
    /// Which rules run.
    pub selection: Selection,
    /// What the user says about the logs.
    pub overrides: Overrides,
    /// Secrets are replaced before anything is stored, with what the user adds to the usual set.
    pub redact: Option<Custom>,
    /// Which hop each log is of, where requests are to be followed from hop to hop.
    pub hops: Hops,
    /// How many threads read and judge; `None`: two where a log is large and the machine has them. What comes out is the same.
    pub jobs: Option<NonZero<usize>>,
    /// Set from outside to stop; looked at every thousand frames.
    pub interrupt: Option<Arc<AtomicBool>>,
}

impl Options {
    /// An error if the run was asked to stop.
    pub(super) fn go_on(&self) -> Result<()> {
        match &self.interrupt {
            Some(flag) if flag.load(Ordering::Relaxed) => {
                Err(Error::new(ErrorKind::Interrupted, "interrupted; nothing was stored"))
            }
            _ => Ok(()),
        }
    }

    /// What the findings of a database depend on beside its frames, as text that two runs can be compared by.
    pub(super) fn judged_with(&self) -> String {
        format!("{} {:?} {:?}", env!("CARGO_PKG_VERSION"), self.settings, self.selection)
    }
}

/// Is told how far a run is. Every method may be left out.
pub trait Progress {
    /// The next source, and its size in bytes where it is known.
    fn source(&mut self, _name: &str, _size: Option<u64>) {}
    /// How many bytes of it were read.
    fn bytes(&mut self, _read: u64) {}
    /// How many stored frames were judged again.
    fn frames(&mut self, _judged: u64) {}
}

/// Tells nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Progress for Quiet {}
