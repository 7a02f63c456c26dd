//! Archives: `tar` (also compressed) and `zip`. Their members are sources of their own, read where they lie;
//! nothing is unpacked to the disk. A member is named `ARCHIVE!MEMBER`.

use std::cell::RefCell;
use std::io::{self, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

mod bytes;
mod compressed;
mod tarball;
mod zipped;

pub(crate) use bytes::{begun, look};
pub(crate) use compressed::{Packed, is_zstd};
pub(crate) use tarball::is_tar;

use bytes::Bytes;

use crate::error::{Error, ErrorKind, Result};
use crate::name::path_of;

/// A stream of bytes.
pub(crate) type Stream = Box<dyn Read + Send>;

/// Set once bytes turn out to end early.
pub(crate) type Cut = Arc<AtomicBool>;

/// Stands between the name of an archive and that of its member.
pub const MARK: char = '!';

/// Members up to this size are held in memory while they are read, in bytes: their archive is then passed over once.
const HELD: u64 = 64 << 20;

/// Where the bytes of a member lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// In the text of a tar archive: first byte and length.
    Tar { at: u64, size: u64 },
    /// In a zip archive: its first packed byte, how many there are, how many they become, whether they are packed, and the
    /// checksum of what they become.
    Zip { at: u64, packed: u64, size: u64, method: Method, sum: u32 },
}

/// How a member of a zip archive is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Stored,
    Deflate,
    Zstd,
}

/// A regular file in an archive.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    name: String,
    place: Extent,
}

/// An archive with the list of what is in it.
pub(crate) struct Archive {
    path: String,
    /// What the file was when it was listed: another one under the same name is listed anew.
    stamp: Option<(u64, std::time::SystemTime)>,
    kind: Kind,
    members: Vec<Member>,
    /// Entries that cannot be read, each with the reason; one without a name is of the archive itself.
    others: Vec<(String, String)>,
    torn: bool,
}

enum Kind {
    Tar(tarball::Text),
    Zip,
}

thread_local! {
    /// The archive that was asked last. Members are opened one after the other, each by its name alone; without this
    /// every one of them would list its archive again and read it from the start.
    static LAST: RefCell<Option<Arc<Archive>>> = const { RefCell::new(None) };
}

impl Archive {
    /// The archive at `path`, or `None` if the file is none. One that ends in the middle is listed as far as it goes.
    pub(crate) fn open(path: &str) -> Result<Option<Arc<Archive>>> {
        let Ok(meta) = Bytes::about(path) else { return Ok(None) };
        if !meta.is_file() {
            return Ok(None);
        }
        let stamp = meta.modified().ok().map(|at| (meta.len(), at));
        let known = LAST.with_borrow(|last| last.clone().filter(|last| last.path == path && last.stamp == stamp));
        if let Some(known) = known.filter(|_| stamp.is_some()) {
            return Ok(Some(known));
        }
        let listed = match kind_of(path) {
            Some(Magic::Zip) => zipped::list(path)?,
            Some(Magic::Tar) => tarball::list(path)?,
            None => return Ok(None),
        };
        let archive = Arc::new(Archive { stamp, ..listed });
        LAST.set(Some(Arc::clone(&archive)));
        Ok(Some(archive))
    }

    /// Its path.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// True if its end is missing.
    pub(crate) fn is_torn(&self) -> bool {
        self.torn
    }

    /// The names of its members, as sources.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        self.members.iter().map(|member| format!("{}{MARK}{}", self.path, member.name))
    }

    /// How many files are in it, those that cannot be read included.
    pub(crate) fn files(&self) -> usize {
        self.members.len() + self.others.len()
    }

    /// What is in it and cannot be read, with the reason; and, where it is so, that its end is missing.
    pub(crate) fn left_out(&self) -> Vec<(String, String)> {
        let name = |name: &String| match name.is_empty() {
            true => self.path.clone(),
            false => format!("{}{MARK}{name}", self.path),
        };
        let mut all: Vec<_> = self.others.iter().map(|(entry, why)| (name(entry), why.clone())).collect();
        if self.torn {
            let why = "it is torn: the archive ends in the middle, and what came after is not known".to_string();
            all.push((self.path.clone(), why));
        }
        all
    }

    fn content(&self, member: &Member, cut: &Cut) -> Result<Content> {
        let name = format!("{}{MARK}{}", self.path, member.name);
        let fail = |error: io::Error| Error::io("read", &name, &error);
        let (stream, size): (Stream, u64) = match (&self.kind, member.place) {
            (Kind::Tar(text), Extent::Tar { at, size }) => (text.stream(at, size).map_err(fail)?, size),
            (_, Extent::Zip { at, packed, size, method, sum }) => {
                let stream = zipped::stream(&self.path, at, packed, method).map_err(fail)?;
                (Box::new(zipped::Summed::new(stream, size, sum)), size)
            }
            (Kind::Zip, Extent::Tar { .. }) => return Err(damaged(&self.path)),
        };
        let mut stream: Stream = Box::new(Whole { inner: stream, left: size, cut: Arc::clone(cut) });
        if size > HELD {
            return Ok(Content { size, stream });
        }
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).map_err(fail)?;
        Ok(Content { size, stream: Box::new(Cursor::new(bytes)) })
    }
}

/// The bytes of a member, as they lie in the archive.
pub(crate) struct Content {
    /// How many there are to be.
    pub size: u64,
    /// They themselves.
    pub stream: Stream,
}

/// The member that `name` (`ARCHIVE!MEMBER`) names, or `None` where there is no such archive. `cut` is set once its
/// bytes turn out to end early.
pub(crate) fn member(name: &str, cut: &Cut) -> Result<Option<Content>> {
    if path_of(name).exists() {
        return Ok(None);
    }
    for (at, _) in name.match_indices(MARK) {
        let (path, wanted) = (&name[..at], &name[at + 1..]);
        let Some(archive) = Archive::open(path)? else { continue };
        let Some(member) = archive.members.iter().find(|member| member.name == wanted) else {
            let message = format!("{path} has no file {wanted}");
            let list = format!("its members are listed by `rpctape ls {path}`");
            return Err(Error::new(ErrorKind::Input, message).hint(list));
        };
        return archive.content(member, cut).map(Some);
    }
    Ok(None)
}

/// The file that an input is read from: of `ARCHIVE!MEMBER` the archive.
pub fn file_of(name: &str) -> &str {
    let parts = || name.match_indices(MARK).map(|(at, _)| &name[..at]);
    let archive = || parts().find(|path| path_of(path).is_file());
    if path_of(name).exists() { name } else { archive().unwrap_or(name) }
}

enum Magic {
    Tar,
    Zip,
}

fn kind_of(path: &str) -> Option<Magic> {
    let mut head = Vec::with_capacity(512);
    let packed = Packed::open(Bytes::open(path).ok()?).ok()?;
    packed.take(512).read_to_end(&mut head).ok()?;
    kind_of_text(&head)
}

/// True for the head of an archive, unpacked.
fn is_archive(head: &[u8]) -> bool {
    kind_of_text(head).is_some()
}

fn kind_of_text(head: &[u8]) -> Option<Magic> {
    match head {
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(Magic::Zip),
        head if is_tar(head) => Some(Magic::Tar),
        _ => None,
    }
}

fn damaged(path: &str) -> Error {
    Error::new(ErrorKind::Input, format!("{path} is damaged: its list of files does not fit its content"))
        .hint("unpack what is left of it and give the logs")
}

/// A stream that is to hold so many bytes; fewer are a cut.
struct Whole {
    inner: Stream,
    left: u64,
    cut: Cut,
}

impl Read for Whole {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.inner.read(buffer) {
            Ok(length) => {
                self.left = self.left.saturating_sub(length as u64);
                if length == 0 && self.left > 0 && !buffer.is_empty() {
                    self.cut.store(true, Ordering::Relaxed);
                }
                Ok(length)
            }
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                self.cut.store(true, Ordering::Relaxed);
                Ok(0)
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests;
