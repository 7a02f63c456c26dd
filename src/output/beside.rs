//! A file under an unguessable name beside its target: what every output is until it is complete.

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, PersistError};

use super::leftovers;
use super::place::folder_of;
use super::unfinished::Listed;

/// Names of files that are half written.
const BEGIN: &str = ".rpctape-";
const END: &str = ".part";

/// How often another process may remove a file in the moment between its making and its lock.
const RACES: usize = 8;

/// Who may read a file that did not exist before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Its owner: it holds payloads.
    Owner,
    /// Whoever the user's umask lets.
    Umask,
}

/// The file. It is removed unless it gets the target's name; where the process is killed, by the next output beside it.
pub(crate) struct Beside {
    file: NamedTempFile,
    target: PathBuf,
    _listed: Listed,
}

impl Beside {
    /// Makes it, with the mode and the owner that it is to have: those of the old file where there is one.
    pub(crate) fn new(target: &Path, old: Option<&Metadata>, readers: Readers) -> io::Result<Beside> {
        let folder = folder_of(target);
        let mut builder = tempfile::Builder::new();
        builder.prefix(BEGIN).suffix(END);
        if readers == Readers::Umask && old.is_none() {
            open_to_umask(&mut builder);
        }
        let make = || builder.tempfile_in(folder).map_err(bare);
        let mut file = make()?;
        for _ in 0..RACES {
            if leftovers::take(file.as_file(), file.path()) {
                break;
            }
            file = make()?;
        }
        let is_ours = |name: &str| name.starts_with(BEGIN) && name.ends_with(END);
        leftovers::sweep(folder, file.as_file(), |path| {
            path.file_name().and_then(|name| name.to_str()).filter(|name| is_ours(name)).map(|_| path.to_path_buf())
        });
        if let Some(old) = old {
            keep(file.as_file(), old)?;
        }
        Ok(Beside { _listed: Listed::new(file.path()), file, target: target.to_path_buf() })
    }

    /// Where it is until then.
    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    /// What is written to.
    pub(crate) fn file(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Gives it the target's name, in the place of what has it.
    pub(crate) fn replace(self) -> io::Result<()> {
        self.file.persist(self.target).map(drop).map_err(|error| bare(error.error))
    }

    /// The same where nothing has that name. Errors: `AlreadyExists`, also where a link has it.
    pub(crate) fn appear(self) -> io::Result<()> {
        let PersistError { error, file } = match self.file.persist_noclobber(&self.target) {
            Ok(_) => return Ok(()),
            Err(failed) => failed,
        };
        // A file system that cannot do it in one step.
        match error.kind() == io::ErrorKind::AlreadyExists || self.target.symlink_metadata().is_ok() {
            true => Err(io::ErrorKind::AlreadyExists.into()),
            false => file.persist(self.target).map(drop).map_err(|error| bare(error.error)),
        }
    }
}

/// The error of the system, without the unguessable name, which says nothing to anybody.
fn bare(error: io::Error) -> io::Error {
    match error.to_string().split_once(" at path ") {
        Some((told, _)) => io::Error::new(error.kind(), told),
        None => error,
    }
}

#[cfg(unix)]
fn open_to_umask(builder: &mut tempfile::Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(std::fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn open_to_umask(_: &mut tempfile::Builder<'_, '_>) {}

/// Gives a new file the owner and the mode of the old one. Only root can give a file away: another user keeps it.
#[cfg(unix)]
fn keep(file: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        let _ = std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid()));
    }
    file.set_permissions(old.permissions())
}

#[cfg(not(unix))]
fn keep(file: &File, old: &Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}
