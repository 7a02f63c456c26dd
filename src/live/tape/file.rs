//! The file of a recording: one `write(2)` a line, appended, readable by its owner only.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::limit::LAST_LINES;
use crate::error::{Error, ErrorKind, Result};
use crate::output::leftovers;

/// A file, or a device that stands in its place.
#[derive(Debug)]
pub(super) struct TapeFile {
    file: File,
    /// Bytes written.
    pub size: u64,
    /// True if half a line stands at the end and could not be taken back.
    torn: bool,
    /// Room for the last lines, should the disk be full: a file without a name that goes when they are to be written.
    reserve: Option<File>,
    /// How long the file may become before the last lines, where the system limits it (`ulimit -f`).
    limit: Option<u64>,
}

impl TapeFile {
    /// Makes the file, with room for the last lines. One that holds something is left alone: a recording is evidence.
    pub(super) fn create(path: &Path) -> Result<TapeFile> {
        let target = crate::output::followed(path).map_err(|error| fault(path, &error))?;
        let path = target.as_path();
        let file = match options().create_new(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => TapeFile::existing(path)?,
            other => other.map_err(|error| fault(path, &error))?,
        };
        let is_file = file.metadata().is_ok_and(|about| about.is_file());
        // Several clients may start the same server at once, and an empty file does not say who is about to write.
        if is_file && (!leftovers::take(&file, path) || holds_something(&file)) {
            return Err(left_alone(path));
        }
        let reserve = if is_file { reserve(path).map_err(|error| unbegun(path, &error))? } else { None };
        let limit = is_file.then(limit).flatten().map(|limit| limit - (limit / 2).min(LAST_LINES));
        Ok(TapeFile { file, size: 0, torn: false, reserve, limit })
    }

    /// Gives the room for the last lines free.
    pub(super) fn last_lines(&mut self) {
        (self.reserve, self.limit) = (None, None);
    }

    fn existing(path: &Path) -> Result<File> {
        let about = std::fs::metadata(path).map_err(|error| fault(path, &error))?;
        if about.is_file() && about.len() > 0 {
            return Err(left_alone(path));
        }
        // Who made it said who may read it.
        options().open(path).map_err(|error| fault(path, &error))
    }

    /// Puts on the disk what the system still holds in memory.
    pub(super) fn sync(&self) -> io::Result<()> {
        match self.file.sync_data() {
            // A device or a pipe has nothing to be synchronised.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            other => other,
        }
    }

    /// What somebody else has done to it, in words: it was removed, or its length is not what was written.
    pub(super) fn harm(&self, path: &Path) -> Option<String> {
        let about = self.file.metadata().ok().filter(|about| about.is_file())?;
        let shown = path.display();
        match crate::output::followed(path) {
            Ok(target) if !leftovers::is_there(&self.file, &target) => {
                Some(format!("{shown} was removed or replaced while it was written: what was recorded is lost"))
            }
            _ if about.len() < self.size => {
                Some(format!("{shown} was cut while it was written: its beginning is lost"))
            }
            _ if about.len() > self.size => Some(format!("{shown} was written to by somebody else")),
            _ => None,
        }
    }

    /// After a write that stopped midway: the file ends with whole lines again, if it can.
    fn take_back(&mut self, written: usize) {
        if written == 0 {
            return;
        }
        let length = self.file.metadata().map(|about| about.len());
        let cut = length.and_then(|length| self.file.set_len(length.saturating_sub(written as u64)));
        if cut.is_err() {
            self.torn = true;
            self.size += written as u64;
        }
    }
}

impl Write for TapeFile {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.write_all(line).map(|()| line.len())
    }

    fn write_all(&mut self, line: &[u8]) -> io::Result<()> {
        if self.limit.is_some_and(|limit| self.size + line.len() as u64 > limit) {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        if self.torn {
            self.file.write_all(b"\n")?;
            self.torn = false;
            self.size += 1;
        }
        let mut written = 0;
        while written < line.len() {
            match self.file.write(&line[written..]) {
                Ok(0) => {
                    self.take_back(written);
                    return Err(io::ErrorKind::WriteZero.into());
                }
                Ok(count) => written += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.take_back(written);
                    return Err(error);
                }
            }
        }
        self.size += written as u64;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// How long a file of this process may become.
#[cfg(unix)]
fn limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Fsize).current
}

#[cfg(not(unix))]
fn limit() -> Option<u64> {
    None
}

/// Where nothing else can be made beside the recording, it is as good as it can be without it.
fn reserve(path: &Path) -> io::Result<Option<File>> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(mut file) = tempfile::tempfile_in(folder) else { return Ok(None) };
    file.write_all(&[b'\n'; LAST_LINES as usize])?;
    Ok(Some(file))
}

/// Nothing can be written into the file: it goes again, and nothing is started.
pub(super) fn unbegun(path: &Path, error: &io::Error) -> Error {
    if path.symlink_metadata().is_ok_and(|about| about.is_file() && about.len() == 0) {
        // What cannot be removed is empty, and no harm.
        let _ = std::fs::remove_file(path);
    }
    fault(path, error)
}

fn holds_something(file: &File) -> bool {
    file.metadata().is_ok_and(|about| about.len() > 0)
}

fn left_alone(path: &Path) -> Error {
    let message = format!("{} exists already, and is left alone", path.display());
    let hint = "name another file, or a folder with -o FOLDER/: every session then makes a file of its own";
    Error::new(ErrorKind::Usage, message).hint(hint)
}

fn fault(path: &Path, error: &io::Error) -> Error {
    Error::io("write", &path.display().to_string(), error)
        .hint("name a file that can be made, with -o FILE; nothing was started")
}

#[cfg(unix)]
fn options() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    options.append(true).mode(0o600);
    options
}

#[cfg(not(unix))]
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.append(true);
    options
}

/// The name of a part: `chat.rec.jsonl`, `chat.2.rec.jsonl`, `chat.3.rec.jsonl`.
pub(super) fn part(first: &Path, number: u32) -> PathBuf {
    let name = first.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = [".rec.jsonl", ".jsonl"].into_iter().find_map(|end| Some((name.strip_suffix(end)?, end)));
    let (stem, end) = stem.unwrap_or((name.as_str(), ""));
    first.with_file_name(format!("{stem}.{number}{end}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_parts() {
        for (first, second) in
            [("a/chat.rec.jsonl", "a/chat.2.rec.jsonl"), ("x.jsonl", "x.2.jsonl"), ("log", "log.2"), ("a.b", "a.b.2")]
        {
            assert_eq!(part(Path::new(first), 2), Path::new(second));
        }
    }
}
