//! Folders for outputs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result};

/// Folders that were made and may be empty, for the moment in which the program has to leave.
static MADE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn made() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    MADE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the folders in which nothing stands, the deepest first. Only for a program that ends without unwinding.
pub(super) fn abandon() {
    made().iter().rev().for_each(|folder| drop(std::fs::remove_dir(folder)));
}

/// A folder for outputs, made where it is missing. What was made and is still empty when this ends goes again: a run that was
/// interrupted before its first file leaves nothing behind.
#[must_use]
pub struct Folder {
    made: Vec<PathBuf>,
}

impl Folder {
    /// Makes a folder with those above it. An error is of kind `Io` and names the folder.
    pub fn make(path: &Path) -> Result<Folder> {
        let missing = path.ancestors().take_while(|above| !above.as_os_str().is_empty() && !above.exists());
        let folder = Folder { made: missing.map(Path::to_path_buf).collect() };
        made().extend(folder.made.iter().cloned());
        std::fs::create_dir_all(path).map_err(|error| Error::io("make", &path.display().to_string(), &error))?;
        Ok(folder)
    }

    /// The folder that a file will stand in; nothing is made for a bare name.
    pub fn of_file(file: &Path) -> Result<Option<Folder>> {
        file.parent().filter(|folder| !folder.as_os_str().is_empty()).map(Folder::make).transpose()
    }
}

impl Drop for Folder {
    /// From the deepest up; the first that holds something ends it.
    fn drop(&mut self) {
        let mut listed = made();
        listed.retain(|folder| !self.made.contains(folder));
        let _ = self.made.iter().try_for_each(std::fs::remove_dir);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_and_is_empty_goes_again() {
        let top = tempfile::tempdir().unwrap();
        let (there, deep) = (top.path().join("there"), top.path().join("there/a/b"));
        std::fs::create_dir(&there).unwrap();
        let folder = Folder::make(&deep).unwrap();
        assert!(deep.is_dir());
        drop(folder);
        assert!(there.is_dir() && !there.join("a").exists(), "only what was made");
        let folder = Folder::of_file(&deep.join("report.xml")).unwrap();
        std::fs::write(deep.join("report.xml"), "").unwrap();
        drop(folder);
        assert!(deep.join("report.xml").exists());
        assert!(Folder::of_file(Path::new("report.xml")).unwrap().is_none());
    }

    #[test]
    fn what_is_no_folder_is_an_error_and_stays() {
        let top = tempfile::tempdir().unwrap();
        let file = top.path().join("file");
        std::fs::write(&file, "x").unwrap();
        assert!(Folder::make(&file.join("below")).is_err());
        assert_eq!(std::fs::read(&file).unwrap(), b"x");
    }
}
