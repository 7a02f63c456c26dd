//! `zip`. The list at its end says where the members lie; they are unpacked by the libraries that unpack logs.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use zip::{CompressionMethod, ZipArchive};

use super::bytes::Bytes;
use super::{Archive, Extent, Kind, Member, Method, Stream};
use crate::error::{Error, ErrorKind, Result};

/// Lists an archive.
pub(super) fn list(path: &str) -> Result<Archive> {
    let file = Bytes::open(path).map_err(|error| Error::io("read", path, &error))?;
    let mut zip = ZipArchive::new(BufReader::new(file)).map_err(|error| broken(path, &error))?;
    let (mut members, mut others) = (Vec::new(), Vec::new());
    for index in 0..zip.len() {
        let entry = zip.by_index_raw(index).map_err(|error| broken(path, &error))?;
        if entry.is_dir() {
            continue;
        }
        let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
        match place(&entry) {
            Ok(place) => members.push(Member { name, place }),
            Err(why) => others.push((name, why)),
        }
    }
    // Of entries with one name the library knows the last one only.
    let hidden = stated(path, zip.comment().len()).map_or(0, |stated| stated.saturating_sub(zip.len()));
    others.extend(std::iter::repeat_n((String::new(), "a later file in it has the same name".to_string()), hidden));
    Ok(Archive { path: path.to_string(), stamp: None, kind: Kind::Zip, members, others, torn: false })
}

/// How many entries the end of the archive says that there are; `None` where it does not say so in these two bytes.
fn stated(path: &str, comment: usize) -> Option<usize> {
    // The record of the end has 22 bytes, the tenth and eleventh of which are the number, and then the comment.
    let mut file = Bytes::open(path).ok()?;
    let mut end = [0; 12];
    file.seek(SeekFrom::End(-22 - comment as i64)).ok()?;
    file.read_exact(&mut end).ok()?;
    let number = u16::from_le_bytes([end[10], end[11]]);
    // Where something stands behind the archive, this is not its end.
    (end.starts_with(b"PK\x05\x06") && number < u16::MAX).then_some(usize::from(number))
}

/// Where an entry lies, or why it cannot be read.
fn place<R: Read>(entry: &zip::read::ZipFile<'_, R>) -> std::result::Result<Extent, String> {
    let method = match entry.compression() {
        _ if entry.encrypted() => return Err("it is encrypted: unpack it with its password first".to_string()),
        _ if entry.is_symlink() => return Err("it is a link, not a file".to_string()),
        CompressionMethod::Stored => Method::Stored,
        CompressionMethod::DEFLATE => Method::Deflate,
        CompressionMethod::ZSTD => Method::Zstd,
        other => return Err(format!("it is packed as {other}: unpack it first")),
    };
    let at = entry.data_start().ok_or("where it lies is not known: the archive is damaged")?;
    Ok(Extent::Zip { at, packed: entry.compressed_size(), size: entry.size(), method, sum: entry.crc32() })
}

/// The text of a member.
pub(super) fn stream(path: &str, at: u64, packed: u64, method: Method) -> io::Result<Stream> {
    let mut file = Bytes::open(path)?;
    file.seek(SeekFrom::Start(at))?;
    let bytes = BufReader::new(file.take(packed));
    Ok(match method {
        Method::Stored => Box::new(bytes),
        Method::Deflate => Box::new(flate2::bufread::DeflateDecoder::new(bytes)),
        Method::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(bytes)?),
    })
}

/// The bytes of a member, which are to be so many and have this checksum: where they are not, their end is an error. The list
/// of members stands at the end of an archive, so that one of which a member is cut off has none.
pub(super) struct Summed {
    inner: Stream,
    size: u64,
    sum: u32,
    read: u64,
    crc: flate2::Crc,
}

impl Summed {
    pub(super) fn new(inner: Stream, size: u64, sum: u32) -> Summed {
        Summed { inner, size, sum, read: 0, crc: flate2::Crc::new() }
    }
}

impl Read for Summed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let damaged =
            |what: &str| io::Error::new(io::ErrorKind::InvalidData, format!("the archive is damaged: {what}"));
        let length = self.inner.read(buffer).map_err(|error| damaged(&error.to_string()))?;
        self.crc.update(&buffer[..length]);
        self.read += length as u64;
        if length > 0 || buffer.is_empty() {
            return Ok(length);
        }
        match (self.read == self.size, self.crc.sum() == self.sum) {
            (true, true) => Ok(0),
            (false, _) => Err(damaged(&format!("{} bytes stand where {} were packed", self.read, self.size))),
            (true, false) => Err(damaged("the bytes are not those that were packed (their checksum is another one)")),
        }
    }
}

fn broken(path: &str, error: &zip::result::ZipError) -> Error {
    Error::new(ErrorKind::Input, format!("{path} is a zip archive that cannot be read: {error}"))
        .hint("unpack what is left of it (`zip -FF` may help) and give the logs")
}
