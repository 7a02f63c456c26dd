//! Bytes that come only once, kept as far as they were read: what they are can be told before they are read as a log.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};

use super::archive::Stream;

/// What came so far, in a file without a name.
struct Kept {
    stream: Stream,
    file: File,
    length: u64,
}

impl Kept {
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if at < self.length {
            self.file.seek(SeekFrom::Start(at))?;
            return self.file.read(buffer);
        }
        let length = self.stream.read(buffer)?;
        let bytes = buffer.get(..length).unwrap_or_default();
        self.file.seek(SeekFrom::Start(at)).and_then(|_| self.file.write_all(bytes)).map_err(in_words)?;
        self.length += length as u64;
        Ok(length)
    }
}

/// A reader of all of them. Each goes its own way, and the first to come to the end of what was read reads on.
#[derive(Clone)]
pub(super) struct Once {
    kept: Arc<Mutex<Kept>>,
    at: u64,
}

impl Once {
    /// A reader of what nobody has read yet. Errors: nothing can be kept in TMPDIR.
    pub(super) fn new(stream: Stream) -> io::Result<Once> {
        let file = tempfile::tempfile().map_err(in_words)?;
        Ok(Once { kept: Arc::new(Mutex::new(Kept { stream, file, length: 0 })), at: 0 })
    }

    /// The same from the first byte on.
    pub(super) fn again(&self) -> Once {
        Once { at: 0, ..self.clone() }
    }
}

impl Read for Once {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.kept.lock().unwrap_or_else(PoisonError::into_inner).read_at(self.at, buffer)?;
        self.at += length as u64;
        Ok(length)
    }
}

fn in_words(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("what comes only once cannot be kept in TMPDIR: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reader_has_all_of_it() {
        let bytes: Vec<u8> = (0..100_000u32).map(|n| (n % 251) as u8).collect();
        let mut log = Once::new(Box::new(io::Cursor::new(bytes.clone()))).unwrap();
        let mut head = vec![0; 1000];
        log.read_exact(&mut head).unwrap();
        let (mut whole, mut rest) = (Vec::new(), Vec::new());
        log.again().read_to_end(&mut whole).unwrap();
        log.read_to_end(&mut rest).unwrap();
        assert_eq!((whole, [head, rest].concat()), (bytes.clone(), bytes));
    }
}
