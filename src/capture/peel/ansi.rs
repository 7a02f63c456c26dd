//! Colours and other control sequences of terminals: `ESC [ 0 m`, `ESC ] 8 ; ; url BEL`.

use super::peeler::{Give, Peeled, Peeler};
use crate::capture::Skip;
use crate::capture::lines::Line;
use crate::error::Result;

const ESC: u8 = 0x1b;

/// True for a line with a control sequence.
pub(super) fn looks(line: &str) -> bool {
    line.contains("\u{1b}[")
}

/// See the module.
#[derive(Default)]
pub(super) struct Ansi {
    plain: Vec<u8>,
}

impl Peeler for Ansi {
    fn line(&mut self, line: &Line<'_>, give: Give<'_>) -> Result<Option<Skip>> {
        let (number, offset, ended) = (line.number, line.offset, line.ended);
        let mut bytes = line.bytes;
        if memchr::memchr(ESC, bytes).is_some() {
            self.plain.clear();
            strip(bytes, &mut self.plain);
            bytes = &self.plain;
        }
        give(&Peeled { key: "", number, offset, time: "", bytes, ended })?;
        Ok(None)
    }
}

fn strip(mut bytes: &[u8], plain: &mut Vec<u8>) {
    while let Some(at) = memchr::memchr(ESC, bytes) {
        plain.extend_from_slice(&bytes[..at]);
        bytes = &bytes[at + 1 + sequence(&bytes[at + 1..])..];
    }
    plain.extend_from_slice(bytes);
}

/// The length of a sequence without its ESC.
fn sequence(bytes: &[u8]) -> usize {
    match bytes.first() {
        Some(b'[') => {
            let middle = bytes[1..].iter().take_while(|byte| (0x20..0x40).contains(*byte)).count();
            (2 + middle).min(bytes.len())
        }
        Some(b']') => match bytes.iter().position(|byte| matches!(*byte, 7 | ESC)) {
            Some(at) if bytes[at] == 7 => at + 1,
            Some(at) => (at + 2).min(bytes.len()),
            None => 1,
        },
        Some(b'(' | b')') => bytes.len().min(2),
        Some(byte) if byte.is_ascii() => 1,
        _ => 0,
    }
}
