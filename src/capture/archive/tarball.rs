//! `tar`, plain or compressed.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::bytes::Bytes;
use super::{Archive, Extent, Kind, Member, Packed, Stream};
use crate::error::{Error, Result};
use crate::name::name_of;

/// True for the first block of an archive: its checksum is right.
pub(crate) fn is_tar(head: &[u8]) -> bool {
    let Some(block) = head.first_chunk::<512>() else { return false };
    let header = tar::Header::from_byte_slice(block);
    let sum: u32 =
        block.iter().enumerate().map(|(at, byte)| if (148..156).contains(&at) { 32 } else { u32::from(*byte) }).sum();
    block[0] != 0 && header.cksum().is_ok_and(|stated| stated == sum)
}

/// Lists an archive as far as it goes.
pub(super) fn list(path: &str) -> Result<Archive> {
    let fail = |error: io::Error| Error::io("read", path, &error);
    let packed = Packed::open(Bytes::open(path).map_err(fail)?).map_err(fail)?;
    let mut archive = tar::Archive::new(packed);
    let (mut members, mut others, mut torn) = (Vec::<Member>::new(), Vec::new(), false);
    for entry in archive.entries().map_err(fail)? {
        let Ok(entry) = entry else {
            torn = true;
            break;
        };
        let name = name_of(&entry_name(&entry));
        let kind = entry.header().entry_type();
        if kind.is_file() || kind == tar::EntryType::Continuous {
            // Unpacked, the later one would lie in the place of the earlier one; a name means one file here, too.
            if let Some(at) = members.iter().position(|member| member.name == name) {
                members.remove(at);
                others.push((name.clone(), "a later file of the same name in the archive takes its place".to_string()));
            }
            members.push(Member { name, place: Extent::Tar { at: entry.raw_file_position(), size: entry.size() } });
        } else if kind.is_gnu_sparse() {
            others.push((name, "it is stored with holes (sparse): unpack it first".to_string()));
        } else if !kind.is_dir() {
            others.push((name, "it is a link or a device, not a file".to_string()));
        }
    }
    torn |= !has_end(archive.into_inner());
    let text = Text { path: path.to_string(), left: Arc::default() };
    Ok(Archive { path: path.to_string(), stamp: None, kind: Kind::Tar(text), members, others, torn })
}

/// True if what follows the last entry, of which the first empty block was read, is the rest of an archive's end: one more
/// such block, and of a packed archive the end of the packing. Without them nobody knows what stood there.
fn has_end(mut rest: impl Read) -> bool {
    let mut block = Vec::new();
    let read = rest.by_ref().take(512).read_to_end(&mut block);
    let is_end = read.is_ok() && block.len() == 512 && block.iter().all(|byte| *byte == 0);
    is_end && io::copy(&mut rest, &mut io::sink()).is_ok()
}

#[cfg(unix)]
fn entry_name<R: Read>(entry: &tar::Entry<'_, R>) -> std::ffi::OsString {
    use std::os::unix::ffi::OsStringExt;
    std::ffi::OsString::from_vec(entry.path_bytes().into_owned())
}

#[cfg(not(unix))]
fn entry_name<R: Read>(entry: &tar::Entry<'_, R>) -> std::ffi::OsString {
    String::from_utf8_lossy(&entry.path_bytes()).into_owned().into()
}

/// The stream that a member leaves, and where it is.
type Left = Arc<Mutex<Option<(Packed, u64)>>>;

fn left_of(left: &Left) -> MutexGuard<'_, Option<(Packed, u64)>> {
    left.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The text of an archive. What one member leaves of the stream, the next one goes on with.
pub(super) struct Text {
    path: String,
    left: Left,
}

impl Text {
    /// So many bytes from `at` on.
    pub(super) fn stream(&self, at: u64, size: u64) -> io::Result<Stream> {
        let (mut packed, before) = match left_of(&self.left).take().filter(|(_, position)| *position <= at) {
            Some(left) => left,
            None => (Packed::open(Bytes::open(&self.path)?)?, 0),
        };
        packed.pass(at - before)?;
        Ok(Box::new(Part { packed: Some(packed), position: at, end: at + size, left: Arc::clone(&self.left) }))
    }
}

/// A member's bytes; gives the stream back when it is done with it.
struct Part {
    packed: Option<Packed>,
    position: u64,
    end: u64,
    left: Left,
}

impl Read for Part {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(packed) = &mut self.packed else { return Ok(0) };
        let length = packed.take(self.end - self.position).read(buffer)?;
        self.position += length as u64;
        Ok(length)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if let Some(packed) = self.packed.take() {
            *left_of(&self.left) = Some((packed, self.position));
        }
    }
}
