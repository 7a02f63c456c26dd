//! Files that are written: whole, or not at all. Every command writes its answer, its report and its recording this way.
//!
//! The bytes go into a file of an unguessable name beside the target, which takes the target's name when it is complete:
//! a full disk or a killed program leaves the old file as it was. A link is followed; an existing file keeps its mode and
//! its owner; a device or a FIFO is written to, never replaced.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

use crate::error::{Error, ErrorKind, Result};

mod folder;
pub(crate) mod leftovers;

pub use folder::Folder;

/// Links that lead to links are followed this far, as the kernel does.
const LINKS: usize = 40;

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

/// A file that is being written.
pub struct Output {
    writer: BufWriter<Way>,
    /// The name by which the user knows it.
    shown: String,
}

enum Way {
    /// Beside the target, until it is complete.
    Beside { file: NamedTempFile, target: PathBuf, _listed: Listed },
    /// A device, a pipe or a FIFO.
    Through(File),
}

impl Output {
    /// Begins a file. Errors: a folder of that name, or one in which nothing can be made.
    pub fn create(path: &Path, readers: Readers) -> Result<Output> {
        let shown = path.display().to_string();
        let fail = |error: io::Error| Error::io("write", &shown, &error);
        free(path, &shown)?;
        let target = followed(path).map_err(fail)?;
        let old = target.metadata().ok();
        let is_handle = is_handle(&target);
        let way = match &old {
            Some(old) if old.is_dir() => {
                let message = format!("{shown} is a folder, and cannot be written as a file");
                return Err(Error::new(ErrorKind::Usage, message).hint("name a file in it"));
            }
            // A file behind a handle holds what others wrote through it: `-o /dev/stdout >> all.md`.
            Some(old) if is_handle || !old.is_file() => {
                Way::Through(OpenOptions::new().append(old.is_file()).write(true).open(&target).map_err(fail)?)
            }
            _ => {
                admits_changes(&target)?;
                let file = beside(&target, old.as_ref(), readers).map_err(fail)?;
                Way::Beside { _listed: Listed::new(file.path()), file, target }
            }
        };
        Ok(Output { writer: BufWriter::new(way), shown })
    }

    /// Completes the file: from now on it has its name.
    pub fn finish(self) -> Result<()> {
        let shown = self.shown;
        let fail = |error: io::Error| Error::io("write", &shown, &error);
        match self.writer.into_inner().map_err(|error| fail(error.into_error()))? {
            Way::Through(_) => Ok(()),
            Way::Beside { file, target, .. } => file.persist(target).map(drop).map_err(|error| fail(error.error)),
        }
    }
}

/// An error where a file is read-only: whoever made it so wants it to stay as it is, and a new file in its place would not ask.
pub fn admits_changes(path: &Path) -> Result<()> {
    let is_locked = path.metadata().is_ok_and(|about| about.permissions().readonly());
    let is_denied = || {
        let opened = OpenOptions::new().write(true).open(path);
        opened.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
    };
    match path.is_file() && (is_locked || is_denied()) {
        true => Err(Error::new(ErrorKind::Usage, format!("{} is read-only, and is left alone", path.display()))
            .hint("make it writable first (chmod u+w), if it is yours to change, or name another file")),
        false => Ok(()),
    }
}

/// What no answer is written over: the configuration that was read, the database of the run.
static CLAIMED: Mutex<Vec<(PathBuf, &str)>> = Mutex::new(Vec::new());

/// From now on nothing is written over this file. `what` says what it is: `the configuration`.
pub fn claim(path: &Path, what: &'static str) {
    CLAIMED.lock().unwrap_or_else(PoisonError::into_inner).push((path.to_path_buf(), what));
}

fn free(path: &Path, shown: &str) -> Result<()> {
    let claimed = CLAIMED.lock().unwrap_or_else(PoisonError::into_inner);
    match claimed.iter().find(|(taken, _)| is_same(taken, path)) {
        Some((_, what)) => {
            let message = format!("{shown} is {what}, and would be overwritten");
            Err(Error::new(ErrorKind::Usage, message).hint("name another file for the answer"))
        }
        None => Ok(()),
    }
}

/// Files that are read as a whole are smaller than this, in bytes: nobody writes more by hand.
const SMALL: u64 = 64 << 20;

/// Reads a file as a whole that is a configuration, a baseline or a definition. Errors: one that does not end is none.
pub fn read_small(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let read = File::open(path)?.take(SMALL + 1).read_to_string(&mut text)?;
    match read as u64 > SMALL {
        true => Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than 64 MiB")),
        false => Ok(text),
    }
}

/// Files that are half written and folders of this run, for the moment in which the program has to leave.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes everything that is half written, and what was for this run alone. Only for a program that ends without unwinding.
pub fn abandon() {
    for path in unfinished().iter() {
        // What cannot be removed now cannot be removed at all.
        let is_folder = path.symlink_metadata().is_ok_and(|about| about.is_dir());
        let _ = if is_folder { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    }
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

/// Writes a file as a whole.
pub fn write(path: &Path, bytes: &[u8], readers: Readers) -> Result<()> {
    let mut output = Output::create(path, readers)?;
    output.write_all(bytes).map_err(|error| Error::io("write", &path.display().to_string(), &error))?;
    output.finish()
}

/// Where a file is or would be: its folder without links, and its name there.
fn place(path: &Path) -> Option<(PathBuf, OsString)> {
    let target = followed(path).ok()?;
    Some((std::fs::canonicalize(folder_of(&target)).ok()?, target.file_name()?.to_os_string()))
}

/// The folder of a file; the current one for a mere name.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// True if a file is in a folder or below it, or would be: it is where its links lead.
pub fn lies_in(path: &Path, folder: &Path) -> bool {
    match (place(path), std::fs::canonicalize(folder)) {
        (Some((own, _)), Ok(folder)) => folder.is_dir() && own.starts_with(folder),
        _ => false,
    }
}

/// True if two paths name one file, whether it exists yet or not.
pub fn is_same(a: &Path, b: &Path) -> bool {
    match (std::fs::metadata(a), std::fs::metadata(b)) {
        (Ok(a), Ok(b)) if is_one(&a, &b) => true,
        _ => place(a).is_some_and(|place_of_a| place(b) == Some(place_of_a)),
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Write for Way {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Way::Beside { file, .. } => file.write(bytes),
            Way::Through(file) => file.write(bytes),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Way::Beside { file, .. } => file.flush(),
            Way::Through(file) => file.flush(),
        }
    }
}

/// True for what is open already, by its number: `/proc/self/fd/1`, to which `/dev/stdout` leads. Where such a link leads
/// is no name.
fn is_handle(path: &Path) -> bool {
    let folder = std::fs::canonicalize(folder_of(path));
    folder.is_ok_and(|folder| folder.starts_with("/proc") && folder.ends_with("fd"))
}

/// Where a path leads: links are followed, also one whose end does not exist yet; `-` is standard output.
pub(crate) fn followed(path: &Path) -> io::Result<PathBuf> {
    let is_stdout = cfg!(unix) && path == Path::new("-");
    let mut target = if is_stdout { PathBuf::from("/dev/stdout") } else { path.to_path_buf() };
    for _ in 0..LINKS {
        if is_handle(&target) {
            return Ok(target);
        }
        match std::fs::read_link(&target) {
            Ok(next) => target = target.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return Ok(target),
        }
    }
    Err(io::Error::other("too many links lead to it"))
}

/// A file of an unguessable name beside `target`, with the mode and the owner that it is to have.
fn beside(target: &Path, old: Option<&Metadata>, readers: Readers) -> io::Result<NamedTempFile> {
    let folder = folder_of(target);
    let mut builder = tempfile::Builder::new();
    builder.prefix(BEGIN).suffix(END);
    if readers == Readers::Umask && old.is_none() {
        open_to_umask(&mut builder);
    }
    let mut file = builder.tempfile_in(folder)?;
    for _ in 0..RACES {
        if leftovers::take(file.as_file(), file.path()) {
            break;
        }
        file = builder.tempfile_in(folder)?;
    }
    let is_ours = |name: &str| name.starts_with(BEGIN) && name.ends_with(END);
    leftovers::sweep(folder, file.as_file(), |path| {
        path.file_name().and_then(|name| name.to_str()).filter(|name| is_ours(name)).map(|_| path.to_path_buf())
    });
    if let Some(old) = old {
        keep(file.as_file(), old)?;
    }
    Ok(file)
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

#[cfg(unix)]
fn is_one(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    a.is_file() && (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_one(_: &Metadata, _: &Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests;
