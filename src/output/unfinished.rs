//! What is half written and what was for this run alone, for the moment in which the program has to leave.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{folder, leftovers};

/// Files that are half written and folders of this run.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes everything that is half written, and what was for this run alone. Only for a program that ends without unwinding.
pub fn abandon() {
    unfinished().iter().for_each(|path| leftovers::remove(path));
    folder::abandon();
}

/// A file that is half written, or a folder of this run, for as long as this lives.
pub(crate) struct Listed(PathBuf);

impl Listed {
    /// Lists a file.
    pub(crate) fn new(path: &Path) -> Listed {
        unfinished().insert(path.to_path_buf());
        Listed(path.to_path_buf())
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        unfinished().remove(&self.0);
    }
}
