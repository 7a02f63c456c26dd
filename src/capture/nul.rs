//! Records that a NUL ends, as GELF over TCP leaves them, as lines.

use std::io::{self, Read};

/// True for a head that tells such a stream: one NUL between two objects, and no line ends.
pub(crate) fn separate(head: &[u8]) -> bool {
    !head.contains(&b'\n') && memchr::memmem::find(head, b"}\0{").is_some()
}

/// Gives a newline for the NUL behind each record. Every byte keeps its place. Several NULs are none of a writer's: they stand where
/// a disk lost what was written.
pub(crate) struct Nuls<R> {
    inner: R,
    /// The last byte that was given.
    before: u8,
}

impl<R: Read> Nuls<R> {
    pub(crate) fn new(inner: R) -> Nuls<R> {
        Nuls { inner, before: 0 }
    }
}

impl<R: Read> Read for Nuls<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        for at in 0..length {
            let given = buffer[at];
            if given == 0 && self.before == b'}' && buffer[at + 1..length].first() != Some(&0) {
                buffer[at] = b'\n';
            }
            self.before = given;
        }
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Hands out a few bytes at a time.
    struct Dribble<'a>(&'a [u8], usize);

    impl Read for Dribble<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(self.0.len()).min(buffer.len());
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    fn read(text: &str, step: usize) -> String {
        let mut out = String::new();
        Nuls::new(Dribble(text.as_bytes(), step)).read_to_string(&mut out).expect("UTF-8");
        out
    }

    #[test]
    fn only_what_ends_a_record_becomes_a_newline() {
        assert_eq!(read("{1}\0{2}\0{\"\0\"}\0", 99), "{1}\n{2}\n{\"\0\"}\n");
        assert_eq!(read("{1}\0{2}\0\0\0{3}\0", 99), "{1}\n{2}\0\0\0{3}\n");
        assert!(separate(b"{1}\0{2}") && !separate(b"{1}\0\0{2}") && !separate(b"{1}\0{2}\n{3}"));
    }

    proptest! {
        #[test]
        fn lines_are_the_same_in_reads_of_any_size(text in "([{}a]\0?){0,20}", step in 1usize..9) {
            prop_assert_eq!(read(&text, 999), read(&text, step));
        }
    }
}
