//! What a file was when it was opened, to tell afterwards whether it was left alone.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{Skip, path_of};

/// A file that is being read.
pub(crate) struct Watch {
    /// The file itself, whatever its name means by now.
    file: File,
    /// Its length when it was opened, in bytes.
    size: u64,
    /// When it was written last.
    written: Option<SystemTime>,
    /// How it begins.
    head: Vec<u8>,
}

/// So much of the beginning tells whether a file is still the one that it was, in bytes.
const HEAD: usize = 4096;

impl Watch {
    /// Looks at a file that was just opened; `None` where the system does not let it be held.
    pub(crate) fn on(file: &File) -> Option<Watch> {
        let file = file.try_clone().ok()?;
        let about = file.metadata().ok()?;
        Some(Watch { size: about.len(), written: about.modified().ok(), head: head_of(&file), file })
    }

    /// What became of it, after `read` bytes of it were read. Growing is what logs do.
    pub(crate) fn changed(&self, path: &Path, read: u64) -> Option<Skip> {
        let about = self.file.metadata().ok()?;
        let now = about.len();
        if now < self.size || now < read || read < self.size {
            return Some(Skip::Shrunk);
        }
        if self.was_rewritten(&about) {
            return Some(Skip::Rewritten);
        }
        self.was_replaced(path).then_some(Skip::Replaced)
    }

    /// Written to, and not longer; or with another beginning.
    #[cfg(unix)]
    fn was_rewritten(&self, now: &Metadata) -> bool {
        let is_written = now.modified().ok() != self.written;
        is_written && (now.len() == self.size || !head_of(&self.file).starts_with(&self.head))
    }

    /// Elsewhere a time comes when the writer closes the file, and a place to read from is shared with who reads it.
    #[cfg(not(unix))]
    fn was_rewritten(&self, _: &Metadata) -> bool {
        false
    }

    #[cfg(unix)]
    fn was_replaced(&self, path: &Path) -> bool {
        use std::os::unix::fs::MetadataExt;
        let (Ok(held), Ok(named)) = (self.file.metadata(), path.metadata()) else { return true };
        (held.dev(), held.ino()) != (named.dev(), named.ino())
    }

    #[cfg(not(unix))]
    fn was_replaced(&self, path: &Path) -> bool {
        !path.exists()
    }
}

/// The bytes of what a name says, as they are; `-` is standard input. Errors: a file that is not left alone meanwhile.
pub fn bytes_of(name: &str) -> io::Result<Box<dyn Read>> {
    if name == "-" {
        return Ok(Box::new(io::stdin()));
    }
    let path = path_of(name);
    let file = File::open(&path)?;
    match Watch::on(&file).filter(|_| path.is_file()) {
        Some(watch) => Ok(Box::new(Watched { file, path, watch, read: 0 })),
        None => Ok(Box::new(file)),
    }
}

struct Watched {
    file: File,
    path: PathBuf,
    watch: Watch,
    read: u64,
}

impl Read for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read(buffer)?;
        self.read += length as u64;
        let is_end = length == 0 && !buffer.is_empty();
        let change = || self.watch.changed(&self.path, self.read).filter(|skip| skip.is_loss());
        match is_end.then(change).flatten() {
            Some(skip) => Err(io::Error::other(format!("it {}", skip.harm().unwrap_or_default()))),
            None => Ok(length),
        }
    }
}

/// The beginning of a file, without moving where it is read.
#[cfg(unix)]
fn head_of(file: &File) -> Vec<u8> {
    use std::os::unix::fs::FileExt;
    let mut head = vec![0; HEAD];
    let length = file.read_at(&mut head, 0).unwrap_or(0);
    head.truncate(length);
    head
}

#[cfg(not(unix))]
fn head_of(_: &File) -> Vec<u8> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_a_file_that_shrinks_end_in_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.log");
        std::fs::write(&path, "0123456789").expect("written");
        let mut bytes = bytes_of(&path.to_string_lossy()).expect("opened");
        File::options().write(true).open(&path).and_then(|file| file.set_len(4)).expect("cut");
        let error = bytes.read_to_end(&mut Vec::new()).expect_err("it shrank");
        assert!(error.to_string().contains("shrank"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_is_written_to_and_not_longer_or_begins_otherwise_was_rewritten() {
        use std::os::unix::fs::FileExt;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.log");
        std::fs::write(&path, "0123456789").expect("written");
        let file = File::options().read(true).write(true).open(&path).expect("opened");
        let at = |seconds| SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        file.set_modified(at(1)).expect("a time");
        let watch = Watch::on(&file).expect("held");
        file.write_all_at(b"x", 5).expect("written");
        file.set_modified(at(2)).expect("a time");
        assert_eq!(watch.changed(&path, 10), Some(Skip::Rewritten));
        file.set_len(20).expect("grown");
        assert_eq!(watch.changed(&path, 20), Some(Skip::Rewritten));
    }

    #[test]
    fn a_file_that_grows_is_left_alone_and_one_that_shrinks_or_is_replaced_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.log");
        std::fs::write(&path, "0123456789").expect("written");
        let file = File::options().read(true).write(true).open(&path).expect("opened");
        let watch = Watch::on(&file).expect("held");
        assert_eq!(watch.changed(&path, 10), None);
        file.set_len(20).expect("grown");
        assert_eq!((watch.changed(&path, 10), watch.changed(&path, 20)), (None, None));
        std::fs::rename(&path, folder.path().join("a.log.1")).expect("renamed");
        std::fs::write(&path, "new").expect("written");
        assert_eq!(watch.changed(&path, 20), Some(Skip::Replaced));
        file.set_len(4).expect("cut");
        assert_eq!((watch.changed(&path, 10), watch.changed(&path, 4)), (Some(Skip::Shrunk), Some(Skip::Shrunk)));
    }
}
