//! The bytes of an archive, to be read from any place: those of a file, or those that came through a pipe.
//!
//! What comes through a pipe is looked at before anybody reads it. An archive is kept in a file without a name, for its members are read
//! where they lie: whatever ends the program, nothing of it is left. Anything else goes to who opens it, from its first byte on. A pipe
//! says nothing twice, so that an archive is kept for as long as the program runs.

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Stream, is_archive, is_zstd};
use crate::capture::gzip::Gzip;
use crate::error::{Error, Result};
use crate::name::path_of;

/// How many bytes of text tell an archive.
const HEAD: u64 = 512;

/// Bytes of a file that may be read through several of these at once: each has a place of its own.
#[derive(Clone, Debug)]
pub(crate) struct Bytes {
    file: Arc<File>,
    at: u64,
}

impl Bytes {
    /// Those that a name stands for, from the first one on.
    pub(super) fn open(name: &str) -> io::Result<Bytes> {
        let kept = pipes().kept.get(name).cloned();
        let file = kept.map_or_else(|| File::open(path_of(name)).map(Arc::new), Ok)?;
        Ok(Bytes { file, at: 0 })
    }

    /// What is known of them, as of a file.
    pub(super) fn about(name: &str) -> io::Result<Metadata> {
        let kept = pipes().kept.get(name).cloned();
        kept.map_or_else(|| path_of(name).metadata(), |file| file.metadata())
    }
}

impl Read for Bytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = read_at(&self.file, buffer, self.at)?;
        self.at += length as u64;
        Ok(length)
    }
}

impl Seek for Bytes {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (base, by) = match to {
            SeekFrom::Start(at) => (at, 0),
            SeekFrom::Current(by) => (self.at, by),
            SeekFrom::End(by) => (self.file.metadata()?.len(), by),
        };
        let before = || io::Error::new(io::ErrorKind::InvalidInput, "there is nothing before the first byte");
        self.at = base.checked_add_signed(by).ok_or_else(before)?;
        Ok(self.at)
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}

/// What came through pipes, by their names.
#[derive(Default)]
struct Pipes {
    /// Archives.
    kept: BTreeMap<String, Arc<File>>,
    /// All others, until they are opened.
    begun: BTreeMap<String, Stream>,
}

static PIPES: Mutex<Pipes> = Mutex::new(Pipes { kept: BTreeMap::new(), begun: BTreeMap::new() });

fn pipes() -> MutexGuard<'static, Pipes> {
    PIPES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Looks at what comes through the pipe of this name (`-` is standard input), where nobody did. Files are left alone.
///
/// Errors: an archive cannot be kept. What cannot be read at all is left to who opens it.
pub(crate) fn look(name: &str) -> Result<()> {
    let is_known = |pipes: &Pipes| pipes.kept.contains_key(name) || pipes.begun.contains_key(name);
    if !is_pipe(name) || is_known(&pipes()) {
        return Ok(());
    }
    let stream: Stream = match name {
        "-" => Box::new(io::stdin()),
        name => match File::open(path_of(name)) {
            Ok(file) => Box::new(file),
            Err(_) => return Ok(()),
        },
    };
    take(name, stream)
}

/// Keeps a stream where it is an archive, and else for who opens it.
pub(super) fn take(name: &str, stream: Stream) -> Result<()> {
    let mut seen = Seen { stream, bytes: Vec::new() };
    let head = text_head(&mut seen);
    let mut whole: Stream = Box::new(Cursor::new(seen.bytes).chain(seen.stream));
    if !is_archive(&head) {
        pipes().begun.insert(name.to_string(), whole);
        return Ok(());
    }
    let file = kept(&mut whole).map_err(|error| Error::io("keep in TMPDIR what comes through", name, &error))?;
    pipes().kept.insert(name.to_string(), Arc::new(file));
    Ok(())
}

/// What was looked at of a pipe, with what follows. It is given once.
pub(crate) fn begun(name: &str) -> Option<Stream> {
    pipes().begun.remove(name)
}

fn is_pipe(name: &str) -> bool {
    name == "-" || path_of(name).metadata().is_ok_and(|about| !about.is_file() && !about.is_dir())
}

fn kept(stream: &mut Stream) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    io::copy(stream, &mut file)?;
    Ok(file)
}

/// The first bytes of the text that was packed. Where it is damaged there are fewer.
fn text_head(raw: &mut Seen) -> Vec<u8> {
    let mut magic = Vec::new();
    let read = raw.by_ref().take(4).read_to_end(&mut magic);
    let packed = Cursor::new(magic.clone()).chain(raw);
    let mut head = Vec::new();
    let _ = read.and_then(|_| match &magic[..] {
        [0x1f, 0x8b, ..] => Gzip::new(packed).take(HEAD).read_to_end(&mut head),
        magic if is_zstd(magic) => zstd::stream::read::Decoder::new(packed)?.take(HEAD).read_to_end(&mut head),
        _ => packed.take(HEAD).read_to_end(&mut head),
    });
    head
}

/// A stream that remembers what was read of it.
struct Seen {
    stream: Stream,
    bytes: Vec<u8>,
}

impl Read for Seen {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.stream.read(buffer)?;
        self.bytes.extend_from_slice(buffer.get(..length).unwrap_or_default());
        Ok(length)
    }
}
