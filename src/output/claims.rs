//! What no output is written over: the configuration that was read, the database of the run, another output.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::place::{followed, is_same};
use crate::error::{Error, ErrorKind, Result};

/// A file that is taken.
struct Claim {
    path: PathBuf,
    /// What it is, in words: `the configuration`.
    what: &'static str,
    use_of: Use,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Read,
    Written,
}

static CLAIMED: Mutex<Vec<Claim>> = Mutex::new(Vec::new());

fn claimed() -> MutexGuard<'static, Vec<Claim>> {
    CLAIMED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What SQLite keeps beside a database, by the end of its name. It takes such a file for its own, whoever made it.
const SIDES: [&str; 3] = ["-journal", "-wal", "-shm"];

const DATABASE: &str = "the database";
const OUTPUT: &str = "where another answer goes";

/// The files that a database is or may become: itself, and what SQLite keeps beside it, where links lead.
pub fn files_of_database(path: &Path) -> impl Iterator<Item = PathBuf> {
    let path = followed(path).unwrap_or_else(|_| path.to_path_buf());
    std::iter::once("").chain(SIDES).map(move |end| {
        let mut name = OsString::from(path.as_os_str());
        name.push(end);
        PathBuf::from(name)
    })
}

/// From now on nothing is written over this file, which is read. `what` says what it is: `the configuration`.
///
/// # Errors
///
/// Where it is to be written: it is the database, or beside it.
pub fn claim(path: &Path, what: &'static str) -> Result<()> {
    let mut claimed = claimed();
    if let Some(other) = claimed.iter().find(|other| other.use_of == Use::Written && is_same(&other.path, path)) {
        return Err(taken(path, other.what));
    }
    claimed.push(Claim { path: path.to_path_buf(), what, use_of: Use::Read });
    Ok(())
}

/// From now on nothing else is written over this database and what SQLite keeps beside it.
///
/// # Errors
///
/// Where one of these files is read, or another output.
pub fn claim_database(path: &Path) -> Result<()> {
    let mut claimed = claimed();
    for (at, file) in files_of_database(path).enumerate() {
        let what = if at == 0 { DATABASE } else { "a file that SQLite keeps beside the database" };
        match claimed.iter().find(|other| is_same(&other.path, &file)) {
            Some(other) if other.what == what => {}
            Some(other) => return Err(taken(&file, other.what).hint("choose another --db FILE")),
            None => claimed.push(Claim { path: file, what, use_of: Use::Written }),
        }
    }
    Ok(())
}

/// An error where a file is claimed: an answer is not written over it.
pub fn free(path: &Path) -> Result<()> {
    match claimed().iter().find(|other| is_same(&other.path, path)) {
        Some(other) => Err(taken(path, other.what)),
        None => Ok(()),
    }
}

fn taken(path: &Path, what: &str) -> Error {
    let message = format!("{} is {what}, and would be overwritten", path.display());
    Error::new(ErrorKind::Usage, message).hint("name another file for the answer")
}

/// The target of an output that is being written, which is no other's for as long as this lives.
pub(super) struct Held(PathBuf);

impl Held {
    pub(super) fn new(target: &Path) -> Held {
        claimed().push(Claim { path: target.to_path_buf(), what: OUTPUT, use_of: Use::Written });
        Held(target.to_path_buf())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut claimed = claimed();
        if let Some(at) = claimed.iter().position(|claim| claim.what == OUTPUT && claim.path == self.0) {
            claimed.remove(at);
        }
    }
}
