//! A database that appears under its name only when it is whole.

use std::fs::File;
use std::io::ErrorKind as Io;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};
use crate::output::{Beside, Readers, followed};

/// A file of an unguessable name beside the target, as every output is one, removed unless it is finished.
pub(super) struct Partial {
    target: PathBuf,
    /// Held open to the end: closing it would drop SQLite's own locks on the file.
    file: Beside,
    /// True if the target was there before.
    replaces: bool,
    /// The target that was copied, locked against a second copy of it.
    _old: Option<File>,
}

impl Partial {
    /// Makes the file, readable by its owner only: it will hold payloads. A target that is there keeps its owner and its mode.
    pub(super) fn create(target: &Path) -> Result<Partial> {
        let place = target.display().to_string();
        let fail = |error: std::io::Error| {
            let hint = "choose a folder that exists and can be written with --db FILE";
            Error::io("create", &place, &error).hint(hint)
        };
        let target = followed(target).map_err(|error| Error::io("create", &place, &error))?;
        let old = target.metadata().ok();
        if old.as_ref().is_some_and(|old| !old.is_file()) {
            let message = format!("{} is no file, and cannot become a database", target.display());
            return Err(Error::new(ErrorKind::Usage, message).hint("choose another --db FILE"));
        }
        let file = Beside::new(&target, old.as_ref(), Readers::Owner).map_err(fail)?;
        Ok(Partial { target, file, replaces: old.is_some(), _old: None })
    }

    /// The same with what the target holds: for one whose journal could have no name.
    pub(super) fn copied(target: &Path) -> Result<Partial> {
        let shown = target.display().to_string();
        let fail = |error: std::io::Error| Error::io("copy", &shown, &error);
        let mut old = File::open(target).map_err(fail)?;
        lock(&old, &shown)?;
        let mut partial = Partial::create(target)?;
        std::io::copy(&mut old, partial.file.file()).map_err(fail)?;
        Ok(Partial { _old: Some(old), ..partial })
    }

    /// The file to write to.
    pub(super) fn path(&self) -> &Path {
        self.file.path()
    }

    /// Writes the file out to the disk and gives it its real name. Of two that made a new one at the same time, the first has it.
    pub(super) fn finish(mut self) -> Result<PathBuf> {
        let shown = self.target.display().to_string();
        self.file.file().sync_all().map_err(|error| Error::io("write out", &shown, &error))?;
        let done = if self.replaces { self.file.replace() } else { self.file.appear() };
        done.map_err(|error| match error.kind() {
            Io::AlreadyExists => {
                let message = format!("{shown} was made by another program in the meantime, and is left alone");
                Error::new(ErrorKind::Io, message).hint("run this again: it adds to it")
            }
            _ => Error::io("create", &shown, &error),
        })?;
        sync_folder(&self.target);
        Ok(self.target)
    }
}

/// The longest name that no file system refuses, with what SQLite puts behind it for itself, in bytes.
const LONGEST: usize = 255 - "-journal".len();

/// True if the journal that SQLite keeps beside a database can have its name there.
pub(super) fn has_room_for_journal(path: &Path) -> bool {
    followed(path).is_ok_and(|target| target.file_name().is_none_or(|name| name.len() <= LONGEST))
}

/// On Unix only: elsewhere a lock would keep SQLite itself out.
#[cfg(unix)]
fn lock(file: &File, shown: &str) -> Result<()> {
    match file.try_lock() {
        Err(std::fs::TryLockError::WouldBlock) => {
            let message = format!("cannot write {shown}: another program is writing it");
            Err(Error::new(ErrorKind::Io, message).hint("wait until it is done, or choose another --db FILE"))
        }
        // A file system without locks: the guard is lost, nothing else.
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn lock(_: &File, _: &str) -> Result<()> {
    Ok(())
}

/// Makes the rename itself durable, where the system lets a folder be synced.
fn sync_folder(target: &Path) {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn a_long_name_has_a_partial_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let targets = ["a", "b"].map(|end| folder.path().join("é".repeat(126) + end));
        let partials = targets.each_ref().map(|target| Partial::create(target).unwrap());
        assert_ne!(partials[0].path(), partials[1].path());
        partials.into_iter().for_each(|partial| drop(partial.finish().unwrap()));
        assert!(targets.iter().all(|target| target.is_file()));
    }

    #[test]
    fn a_name_that_leaves_no_room_for_that_of_the_journal_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let has_room = |length: usize| has_room_for_journal(&folder.path().join("a".repeat(length)));
        assert!(has_room(1) && has_room(255 - "-journal".len()));
        assert!(!has_room(256 - "-journal".len()) && !has_room(255));
    }

    #[test]
    fn of_two_that_make_one_the_first_has_it_and_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.db");
        let (first, second) = (Partial::create(&target).unwrap(), Partial::create(&target).unwrap());
        assert_ne!(first.path(), second.path());
        first.finish().unwrap();
        assert!(second.finish().is_err_and(|error| error.message.contains("was made by another program")));
        assert_eq!(names(folder.path()), ["a.db"]);
        std::fs::write(&target, "kept").unwrap();
        #[cfg(unix)]
        {
            let copy = Partial::copied(&target).unwrap();
            assert_eq!(std::fs::read(copy.path()).unwrap(), b"kept");
            assert!(Partial::copied(&target).is_err(), "one copy at a time");
        }
        assert_eq!(names(folder.path()), ["a.db"]);
    }

    #[cfg(unix)]
    #[test]
    fn what_lies_beside_it_is_not_touched_and_says_nothing_of_its_mode() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (target, beside) = (folder.path().join("a.db"), folder.path().join("a.db.partial"));
        std::fs::write(&beside, "mine").unwrap();
        std::fs::set_permissions(&beside, PermissionsExt::from_mode(0o666)).unwrap();
        // What a killed ingest left is removed, with its journal.
        for left in [".rpctape-left.part", ".rpctape-left.part-journal"] {
            std::fs::write(folder.path().join(left), "half a database").unwrap();
        }
        Partial::create(&target).unwrap().finish().unwrap();
        assert_eq!(target.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read(&beside).unwrap(), b"mine");
        assert_eq!(names(folder.path()).len(), 2);
    }
}
