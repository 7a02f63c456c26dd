//! A file, unpacked where gzip or zstd packed it.

use std::io::{self, Read, Seek, SeekFrom};

use super::bytes::Bytes;
use crate::capture::gzip::Gzip;

/// The text of a file.
pub(crate) enum Packed {
    /// As it is.
    Plain(Bytes),
    /// Of gzip.
    Gzip(Box<Gzip<Bytes>>),
    /// Of zstd.
    Zstd(Box<zstd::stream::read::Decoder<'static, io::BufReader<Bytes>>>),
}

/// True for the start of zstd, be it of a frame or of one to be passed over, as parallel writers put first.
pub(crate) fn is_zstd(magic: &[u8]) -> bool {
    matches!(magic, [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

impl Packed {
    /// The text from its start.
    pub(crate) fn open(mut file: Bytes) -> io::Result<Packed> {
        let mut magic = [0; 4];
        let length = io::Read::by_ref(&mut file).take(4).read(&mut magic)?;
        file.seek(SeekFrom::Start(0))?;
        Ok(match &magic[..length] {
            [0x1f, 0x8b, ..] => Packed::Gzip(Box::new(Gzip::new(file))),
            magic if is_zstd(magic) => Packed::Zstd(Box::new(zstd::stream::read::Decoder::new(file)?)),
            _ => Packed::Plain(file),
        })
    }

    /// Passes over `length` bytes of text; fewer where it ends before.
    pub(crate) fn pass(&mut self, length: u64) -> io::Result<()> {
        match (self, i64::try_from(length)) {
            (Packed::Plain(file), Ok(length)) => file.seek(SeekFrom::Current(length)).map(drop),
            (packed, _) => io::copy(&mut packed.take(length), &mut io::sink()).map(drop),
        }
    }
}

impl Read for Packed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Packed::Plain(file) => file.read(buffer),
            Packed::Gzip(text) => text.read(buffer),
            Packed::Zstd(text) => text.read(buffer),
        }
    }
}
