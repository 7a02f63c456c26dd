//! A new database under a temporary name: a killed ingest leaves no half database under the real one.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};
use crate::output::{Listed, followed};

const END: &str = ".partial";

/// `NAME.partial`, locked against a second writer, removed unless it is finished.
pub(super) struct Partial {
    target: PathBuf,
    path: PathBuf,
    /// Held open to the end: closing it would drop SQLite's own locks on the file.
    file: File,
    finished: bool,
    _listed: Listed,
}

impl Partial {
    /// Makes the file, readable by its owner only: it will hold payloads. What a killed ingest left is overwritten.
    pub(super) fn create(target: &Path) -> Result<Partial> {
        let place = target.display().to_string();
        let target = &followed(target).map_err(|error| Error::io("create", &place, &error))?;
        let path = beside(target);
        let shown = path.display().to_string();
        if target.exists() && !target.is_file() {
            let message = format!("{} is no file, and cannot become a database", target.display());
            return Err(Error::new(ErrorKind::Usage, message).hint("choose another --db FILE"));
        }
        let file = match options().create_new(true).open(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => left_behind(&path, &shown)?,
            other => other.map_err(|error| {
                let hint = "choose a folder that exists and can be written with --db FILE";
                Error::io("create", &shown, &error).hint(hint)
            })?,
        };
        lock(&file, &shown)?;
        file.set_len(0).map_err(|error| Error::io("empty", &shown, &error))?;
        let _listed = Listed::new(&path);
        Ok(Partial { target: target.to_path_buf(), path, file, finished: false, _listed })
    }

    /// The same with what the target holds: for one whose journal could have no name.
    pub(super) fn copied(target: &Path) -> Result<Partial> {
        let fail = |error: std::io::Error| Error::io("copy", &target.display().to_string(), &error);
        let mut partial = Partial::create(target)?;
        let mut old = File::open(target).map_err(fail)?;
        std::io::copy(&mut old, &mut partial.file).map_err(fail)?;
        let about = old.metadata().map_err(fail)?;
        partial.file.set_permissions(about.permissions()).map_err(fail)?;
        Ok(partial)
    }

    /// The file to write to.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the file out to the disk and gives it its real name.
    pub(super) fn finish(mut self) -> Result<PathBuf> {
        let shown = self.target.display().to_string();
        self.file.sync_all().map_err(|error| Error::io("write out", &shown, &error))?;
        std::fs::rename(&self.path, &self.target).map_err(|error| Error::io("create", &shown, &error))?;
        self.finished = true;
        sync_folder(&self.target);
        Ok(self.target.clone())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.finished {
            // If this fails, the next ingest overwrites the file.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// The longest name that no file system refuses, with what SQLite puts behind it for itself, in bytes.
const LONGEST: usize = 255 - "-journal".len();

/// True if the journal that SQLite keeps beside a database can have its name there.
pub(super) fn has_room_for_journal(path: &Path) -> bool {
    followed(path).is_ok_and(|target| target.file_name().is_none_or(|name| name.len() <= LONGEST))
}

/// `NAME.partial`; of a name that is too long for that, its beginning and what tells it from others that begin so.
fn beside(target: &Path) -> PathBuf {
    let mut name = target.file_name().unwrap_or_default().to_os_string();
    if name.len() + END.len() > LONGEST {
        let digest = blake3::hash(name.as_encoded_bytes()).to_hex();
        name = OsString::from(format!("{:.32}-{digest:.32}", name.to_string_lossy()));
    }
    name.push(END);
    target.with_file_name(name)
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Opens what a killed ingest left. The name can be guessed: a link that somebody put there leads to a file of his choice,
/// which would be emptied.
fn left_behind(path: &Path, shown: &str) -> Result<File> {
    let fail = |error: std::io::Error| Error::io("create", shown, &error);
    let before = std::fs::symlink_metadata(path).map_err(fail)?;
    let file = if before.is_file() { Some(options().open(path).map_err(fail)?) } else { None };
    match file {
        Some(file) if is_own(&before, &file.metadata().map_err(fail)?) => Ok(file),
        _ => {
            let message = format!("{shown} is in the way: it is a link, or no file");
            Err(Error::new(ErrorKind::Io, message).hint("remove it, or choose another --db FILE"))
        }
    }
}

/// True if what was opened is what was looked at, and has no other name.
#[cfg(unix)]
fn is_own(looked: &std::fs::Metadata, opened: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (looked.dev(), looked.ino()) == (opened.dev(), opened.ino()) && opened.nlink() == 1
}

#[cfg(not(unix))]
fn is_own(_: &std::fs::Metadata, _: &std::fs::Metadata) -> bool {
    true
}

/// On Unix only: elsewhere a lock would keep SQLite itself out.
#[cfg(unix)]
fn lock(file: &File, shown: &str) -> Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(std::fs::TryLockError::WouldBlock) => {
            let message = format!("cannot create {shown}: another program is writing it");
            Err(Error::new(ErrorKind::Io, message).hint("wait until it is done, or choose another --db FILE"))
        }
        // A file system without locks: the guard is lost, nothing else.
        Err(std::fs::TryLockError::Error(_)) => Ok(()),
    }
}

#[cfg(not(unix))]
fn lock(_: &File, _: &str) -> Result<()> {
    let _ = ErrorKind::Io;
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
    fn one_writer_and_no_leftovers() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.db");
        let first = Partial::create(&target).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(first.path()).unwrap().permissions().mode() & 0o777, 0o600);
            assert!(Partial::create(&target).is_err());
        }
        drop(first);
        #[cfg(unix)]
        {
            let victim = folder.path().join("victim");
            std::fs::write(&victim, "kept").unwrap();
            let partial = folder.path().join("a.db.partial");
            for is_soft in [true, false] {
                match is_soft {
                    true => std::os::unix::fs::symlink(&victim, &partial).unwrap(),
                    false => std::fs::hard_link(&victim, &partial).unwrap(),
                }
                assert!(Partial::create(&target).is_err());
                assert_eq!(std::fs::read_to_string(&victim).unwrap(), "kept");
                std::fs::remove_file(&partial).unwrap();
            }
            std::fs::remove_file(&victim).unwrap();
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        // What a killed ingest left.
        std::fs::write(folder.path().join("a.db.partial"), "half a database").unwrap();
        assert_eq!(std::fs::metadata(Partial::create(&target).unwrap().path()).unwrap().len(), 0);
        Partial::create(&target).unwrap().finish().unwrap();
        assert!(target.exists());
    }
}
