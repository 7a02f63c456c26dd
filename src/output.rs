//! Files that are written: whole, or not at all. Every command writes its answer, its report and its recording this way.
//!
//! The bytes go into a file of an unguessable name beside the target, which takes the target's name when it is complete:
//! a full disk or a killed program leaves the old file as it was. A link is followed; an existing file keeps its mode and
//! its owner; a device or a FIFO is written to, never replaced.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};

mod beside;
mod claims;
mod folder;
pub(crate) mod leftovers;
mod place;
mod unfinished;

pub(crate) use beside::Beside;
pub use beside::Readers;
pub use claims::{claim, claim_database, files_of_database, free};
pub use folder::Folder;
pub(crate) use place::followed;
pub use place::{is_same, is_stdin, is_stdout, lies_in};
#[cfg(feature = "live")]
pub(crate) use unfinished::Listed;
pub use unfinished::abandon;

use claims::Held;
use place::{folder_of, is_handle};

/// A file that is being written.
pub struct Output {
    writer: BufWriter<Way>,
    /// The name by which the user knows it.
    shown: String,
}

enum Way {
    /// Beside the target, until it is complete.
    Beside(Beside, Held),
    /// A device, a pipe or a FIFO.
    Through(File),
}

impl Output {
    /// Begins a file. Errors: a folder of that name, or one in which nothing can be made; what another output or the
    /// database of the run is written to.
    pub fn create(path: &Path, readers: Readers) -> Result<Output> {
        let shown = path.display().to_string();
        let fail = |error: io::Error| Error::io("write", &shown, &error);
        free(path)?;
        let target = followed(path).map_err(fail)?;
        let old = target.metadata().ok();
        has_folder(&target, &shown)?;
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
                Way::Beside(Beside::new(&target, old.as_ref(), readers).map_err(fail)?, Held::new(&target))
            }
        };
        Ok(Output { writer: BufWriter::new(way), shown })
    }

    /// Completes the file: from now on it has its name. A reader that closed the pipe has seen enough.
    pub fn finish(self) -> Result<()> {
        let (shown, writer) = (self.shown, self.writer);
        let fail = |error: io::Error| io_error(&shown, &error);
        let done = writer.into_inner().map_err(|error| fail(error.into_error())).and_then(|way| match way {
            Way::Through(_) => Ok(()),
            Way::Beside(file, _held) => file.replace().map_err(fail),
        });
        written("the file", done)
    }
}

/// An error where nothing can be made of that name, because there is no such folder.
fn has_folder(target: &Path, shown: &str) -> Result<()> {
    let folder = if shown.ends_with('/') { target } else { folder_of(target) };
    if folder.is_dir() {
        return Ok(());
    }
    let message = format!("cannot write {shown}: there is no folder {}", folder.display());
    Err(Error::new(ErrorKind::Io, message).hint("make it first (mkdir -p), or name another file"))
}

/// The error of an output, which names the file as the user does, whoever tells it in the end.
fn io_error(shown: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), Error::io("write", shown, error))
}

/// The result of writing: a reader that closed the pipe has seen enough, and that is success.
pub fn written(what: &str, result: io::Result<()>) -> Result<()> {
    match result {
        Err(error) if !is_gone(&error) => Err(failed(what, error)),
        _ => Ok(()),
    }
}

/// True where the reader closed the pipe: nothing more need be written.
pub fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

/// The error of a write: what the output itself says, which names the file, else that `what` could not be written.
pub fn failed(what: &str, error: io::Error) -> Error {
    error.downcast().unwrap_or_else(|error| Error::io("write", what, &error))
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

/// Writes a file as a whole.
pub fn write(path: &Path, bytes: &[u8], readers: Readers) -> Result<()> {
    let mut output = Output::create(path, readers)?;
    written("the file", output.write_all(bytes))?;
    output.finish()
}

/// Writes a file of which there is none yet, and follows no link to it. False where something has that name.
pub fn write_new(path: &Path, bytes: &[u8], readers: Readers) -> Result<bool> {
    let fail = |error: io::Error| Error::io("write", &path.display().to_string(), &error);
    free(path)?;
    let mut file = Beside::new(path, None, readers).map_err(fail)?;
    file.file().write_all(bytes).map_err(fail)?;
    match file.appear() {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        done => done.map(|()| true).map_err(fail),
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes).map_err(|error| io_error(&self.shown, &error))
    }
    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush().map_err(|error| io_error(&self.shown, &error))
    }
}

impl Write for Way {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Way::Beside(file, _) => file.file().write(bytes),
            Way::Through(file) => file.write(bytes),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Way::Beside(file, _) => file.file().flush(),
            Way::Through(file) => file.flush(),
        }
    }
}

#[cfg(test)]
mod tests;
