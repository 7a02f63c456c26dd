//! Records that a NUL ends, as GELF over TCP leaves them, or a lone carriage return, or a record separator, as lines.

use std::io::{self, Read};

/// What ends the records of such a head: it stands alone between two objects, and no line ends.
pub(crate) fn end_of_records(head: &[u8]) -> Option<u8> {
    let between = |end: &u8| memchr::memmem::find(head, &[b'}', *end, b'{']).is_some();
    memchr::memchr(b'\n', head).map_or_else(|| [0, b'\r', 0x1e].into_iter().find(between), |_| None)
}

/// Gives a newline for what stands behind each record. Every byte keeps its place. Several NULs are none of a writer's: they stand where
/// a disk lost what was written, and are left (but for the first of a run that a read happens to end behind).
pub(crate) struct Ended<R> {
    inner: R,
    end: u8,
    /// The last byte that was given.
    before: u8,
}

impl<R: Read> Ended<R> {
    pub(crate) fn new(inner: R, end: u8) -> Ended<R> {
        Ended { inner, end, before: 0 }
    }
}

impl<R: Read> Read for Ended<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        for at in 0..length {
            let given = buffer[at];
            if given == self.end && self.before == b'}' && buffer[at + 1..length].first() != Some(&0) {
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
    use crate::capture::testing::Dribble;
    use proptest::prelude::*;

    fn read(text: &str, step: usize) -> String {
        let mut out = String::new();
        Ended::new(Dribble(text.as_bytes(), step), 0).read_to_string(&mut out).expect("UTF-8");
        out
    }

    #[test]
    fn only_what_ends_a_record_becomes_a_newline() {
        assert_eq!(read("{1}\0{2}\0{\"\0\"}\0", 99), "{1}\n{2}\n{\"\0\"}\n");
        assert_eq!(read("{1}\0{2}\0\0\0{3}\0", 99), "{1}\n{2}\0\0\0{3}\n");
        let ends = ["{1}\0{2}", "{1}\r{2}", "{1}\u{1e}{2}", "{1}\0\0{2}", "{1}\0{2}\n{3}"]
            .map(|head| end_of_records(head.as_bytes()));
        assert_eq!(ends, [Some(0), Some(b'\r'), Some(0x1e), None, None]);
    }

    proptest! {
        #[test]
        fn lines_are_the_same_in_reads_of_any_size(text in "([{}a]\0?){0,20}", step in 1usize..9) {
            prop_assert_eq!(read(&text, 999), read(&text, step));
        }
    }
}
