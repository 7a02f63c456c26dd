//! Rows on their way past: written one behind the other, in memory and then in a file without a name, and read again only
//! where somebody wants one of them.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::RangeInclusive;

use crate::error::{Error, Result};

/// How many bytes are held in memory before they go to the file.
const BLOCK: usize = 256 << 10;

/// Bytes before a row: its key and its length.
const HEAD: usize = 12;

/// Rows with a key each.
#[derive(Default)]
pub(super) struct Spool {
    open: Vec<u8>,
    /// The least and the greatest key of the open block.
    keys: Option<(u64, u64)>,
    full: Vec<Block>,
    file: Option<File>,
}

/// A block in the file: where it begins, how long it is, and the least and the greatest key in it.
struct Block {
    at: u64,
    length: usize,
    keys: (u64, u64),
}

impl Spool {
    /// Adds a row, which `write` puts behind what it is given.
    pub(super) fn push(&mut self, key: u64, write: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
        let start = self.open.len();
        self.open.extend_from_slice(&key.to_le_bytes());
        self.open.extend_from_slice(&[0; 4]);
        write(&mut self.open);
        let length = (self.open.len() - start - HEAD) as u32;
        self.open[start + 8..start + HEAD].copy_from_slice(&length.to_le_bytes());
        self.keys = Some(self.keys.map_or((key, key), |(least, most)| (least.min(key), most.max(key))));
        if self.open.len() < BLOCK {
            return Ok(());
        }
        self.put_away().map_err(|error| fault("write", &error))
    }

    fn put_away(&mut self) -> io::Result<()> {
        let Some(keys) = self.keys.take() else { return Ok(()) };
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(tempfile::tempfile()?),
        };
        let at = file.seek(SeekFrom::End(0))?;
        file.write_all(&self.open)?;
        self.full.push(Block { at, length: self.open.len(), keys });
        self.open.clear();
        Ok(())
    }

    /// Hands on the rows of all blocks in which a key may be that is wanted, in the order in which they came.
    pub(super) fn each(
        &mut self,
        wanted: impl Fn(RangeInclusive<u64>) -> bool,
        mut take: impl FnMut(u64, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut bytes = Vec::new();
        for block in self.full.iter().filter(|block| wanted(block.keys.0..=block.keys.1)) {
            let Some(file) = &mut self.file else { break };
            bytes.resize(block.length, 0);
            let read = file.seek(SeekFrom::Start(block.at)).and_then(|_| file.read_exact(&mut bytes));
            read.map_err(|error| fault("read", &error))?;
            rows(&bytes, &mut take)?;
        }
        match self.keys {
            Some((least, most)) if wanted(least..=most) => rows(&self.open, &mut take),
            _ => Ok(()),
        }
    }
}

fn rows(mut bytes: &[u8], take: &mut impl FnMut(u64, &[u8]) -> Result<()>) -> Result<()> {
    while let Some((head, rest)) = bytes.split_first_chunk::<HEAD>() {
        let [k0, k1, k2, k3, k4, k5, k6, k7, l0, l1, l2, l3] = *head;
        let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        let (row, rest) = rest.split_at(length.min(rest.len()));
        take(u64::from_le_bytes([k0, k1, k2, k3, k4, k5, k6, k7]), row)?;
        bytes = rest;
    }
    Ok(())
}

fn fault(what: &str, error: &io::Error) -> Error {
    Error::io(what, "a temporary file", error).hint("check the disk; TMPDIR=DIR chooses another one")
}

/// Puts values behind each other.
pub(super) struct Pack<'b>(pub(super) &'b mut Vec<u8>);

impl Pack<'_> {
    /// A number; small ones take few bytes.
    pub(super) fn number(&mut self, number: i64) {
        let mut left = ((number << 1) ^ (number >> 63)) as u64;
        while left >= 0x80 {
            self.0.push(left as u8 | 0x80);
            left >>= 7;
        }
        self.0.push(left as u8);
    }

    /// Numbers in eight bytes each: more room than small ones need, and a tenth of the work.
    pub(super) fn fixed<const N: usize>(&mut self, numbers: [i64; N]) {
        self.0.extend_from_slice(numbers.map(i64::to_le_bytes).as_flattened());
    }

    /// A number that may be missing.
    pub(super) fn maybe(&mut self, number: Option<i64>) {
        self.0.push(number.is_some().into());
        if let Some(number) = number {
            self.number(number);
        }
    }

    /// Bytes.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as i64);
        self.0.extend_from_slice(bytes);
    }

    /// A text that may be missing.
    pub(super) fn text(&mut self, text: Option<&str>) {
        self.0.push(text.is_some().into());
        if let Some(text) = text {
            self.bytes(text.as_bytes());
        }
    }
}

/// Takes values out in the order in which they were put in. Nothing else reads what [`Pack`] wrote, so that what is not
/// there is never asked for; it would be nothing.
pub(super) struct Unpack<'b>(pub(super) &'b [u8]);

impl<'b> Unpack<'b> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    pub(super) fn number(&mut self) -> i64 {
        let (mut value, mut shift) = (0u64, 0);
        loop {
            let byte = self.byte();
            value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte < 0x80 {
                return (value >> 1) as i64 ^ -((value & 1) as i64);
            }
            shift += 7;
        }
    }

    pub(super) fn fixed<const N: usize>(&mut self) -> [i64; N] {
        std::array::from_fn(|_| {
            let Some((first, rest)) = self.0.split_first_chunk() else { return 0 };
            self.0 = rest;
            i64::from_le_bytes(*first)
        })
    }

    pub(super) fn maybe(&mut self) -> Option<i64> {
        (self.byte() == 1).then(|| self.number())
    }

    pub(super) fn bytes(&mut self) -> &'b [u8] {
        let length = self.number() as usize;
        let (bytes, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        bytes
    }

    pub(super) fn text(&mut self) -> Option<&'b str> {
        (self.byte() == 1).then(|| std::str::from_utf8(self.bytes()).unwrap_or(""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_out_as_they_went_in() {
        let numbers = [0, 1, -1, 63, 64, -64, -65, i64::from(u32::MAX), i64::MAX, i64::MIN];
        let mut bytes = Vec::new();
        let mut pack = Pack(&mut bytes);
        numbers.iter().for_each(|number| pack.number(*number));
        pack.maybe(None);
        pack.maybe(Some(-7));
        pack.text(Some("ä"));
        pack.text(None);
        pack.bytes(b"\xff\x00");
        pack.fixed([i64::MIN, -1]);
        let mut out = Unpack(&bytes);
        numbers.iter().for_each(|number| assert_eq!(out.number(), *number));
        assert_eq!((out.maybe(), out.maybe()), (None, Some(-7)));
        assert_eq!((out.text(), out.text()), (Some("ä"), None));
        assert_eq!((out.bytes(), out.fixed(), out.0), (&b"\xff\x00"[..], [i64::MIN, -1], &b""[..]));
        assert_eq!((out.number(), out.maybe(), out.text(), out.fixed(), out.bytes()), (0, None, None, [0], &b""[..]));
    }

    #[test]
    fn only_blocks_that_may_hold_a_wanted_row_are_read() {
        let mut spool = Spool::default();
        for key in 0..50_000u64 {
            spool.push(key, |bytes| Pack(bytes).number(key as i64 * 3)).unwrap();
        }
        assert!(spool.full.len() > 1, "it goes to a file");
        let mut all = Vec::new();
        let mut take = |key, row: &[u8]| {
            all.push((key, Unpack(row).number()));
            Ok(())
        };
        spool.each(|_| true, &mut take).unwrap();
        assert_eq!(all, (0..50_000u64).map(|key| (key, key as i64 * 3)).collect::<Vec<_>>());
        let mut few = Vec::new();
        let mut take = |key, _: &[u8]| {
            few.push(key);
            Ok(())
        };
        spool.each(|keys| keys.contains(&49_999), &mut take).unwrap();
        assert!(few.contains(&49_999) && few.len() < 25_000, "{}", few.len());
        few.clear();
        let mut take = |key, _: &[u8]| {
            few.push(key);
            Ok(())
        };
        spool.each(|keys| keys.contains(&0), &mut take).unwrap();
        assert!(few.contains(&0) && !few.contains(&49_999), "what is not in a file yet is passed over, too");
    }
}
