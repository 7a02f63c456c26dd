//! UTF-16 to UTF-8, for logs that a Windows shell wrote.

use std::io::{self, Read};

/// Byte order of a UTF-16 text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Little,
    Big,
}

/// Reads UTF-16 and gives UTF-8. Lone surrogates become U+FFFD; the byte order mark is left out.
pub(crate) struct Utf16<R> {
    inner: R,
    order: Order,
    /// Bytes that are no whole unit yet.
    odd: Option<u8>,
    high: Option<u16>,
    out: Vec<u8>,
    at: usize,
}

impl<R: Read> Utf16<R> {
    pub(crate) fn new(inner: R, order: Order) -> Utf16<R> {
        Utf16 { inner, order, odd: None, high: None, out: Vec::new(), at: 0 }
    }

    fn unit(&mut self, a: u8, b: u8) {
        let unit = match self.order {
            Order::Little => u16::from_le_bytes([a, b]),
            Order::Big => u16::from_be_bytes([a, b]),
        };
        let units = match (self.high.take(), unit) {
            (None, 0xFEFF) => return,
            (None, 0xD800..=0xDBFF) => {
                self.high = Some(unit);
                return;
            }
            (None, _) => [unit, 0],
            (Some(high), 0xDC00..=0xDFFF) => [high, unit],
            (Some(_), _) => {
                self.push(char::REPLACEMENT_CHARACTER);
                return self.unit(a, b);
            }
        };
        let length = if units[1] == 0 { 1 } else { 2 };
        let decoded = char::decode_utf16(units.into_iter().take(length)).next();
        self.push(decoded.and_then(Result::ok).unwrap_or(char::REPLACEMENT_CHARACTER));
    }

    fn push(&mut self, c: char) {
        self.out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }

    fn refill(&mut self) -> io::Result<bool> {
        let mut block = [0u8; 16 << 10];
        let length = self.inner.read(&mut block)?;
        self.out.clear();
        self.at = 0;
        let mut bytes = block[..length].iter().copied();
        if let Some(first) = self.odd.take() {
            match bytes.next() {
                Some(second) => self.unit(first, second),
                None => self.odd = Some(first),
            }
        }
        while let Some(first) = bytes.next() {
            match bytes.next() {
                Some(second) => self.unit(first, second),
                None => self.odd = Some(first),
            }
        }
        Ok(length > 0)
    }
}

impl Utf16<()> {
    /// Tells UTF-16 by its byte order mark, or by a first ASCII character that takes two bytes.
    pub(crate) fn detect(head: &[u8]) -> Option<Order> {
        match head {
            [0xFF, 0xFE, 0, 0] => None,
            [0xFF, 0xFE, ..] => Some(Order::Little),
            [0xFE, 0xFF, ..] => Some(Order::Big),
            [a, 0, b, 0] if a.is_ascii_graphic() && *b != 0 => Some(Order::Little),
            [0, a, 0, b] if a.is_ascii_graphic() && *b != 0 => Some(Order::Big),
            _ => None,
        }
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.out.len() {
            if !self.refill()? {
                return Ok(0);
            }
        }
        let length = buffer.len().min(self.out.len() - self.at);
        buffer[..length].copy_from_slice(&self.out[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::Dribble;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_text_comes_back(text in "\\PC{0,60}", step in 1usize..7, big in any::<bool>()) {
            let order = if big { Order::Big } else { Order::Little };
            let bytes: Vec<u8> = std::iter::once(0xFEFF).chain(text.encode_utf16())
                .flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect();
            let mut out = String::new();
            Utf16::new(Dribble(&bytes, step), order).read_to_string(&mut out).expect("UTF-8");
            prop_assert_eq!(out, text.replace('\u{feff}', ""));
            prop_assert_eq!(Utf16::detect(&bytes[..bytes.len().min(4)]), Some(order));
        }

        #[test]
        fn any_bytes_give_utf8(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let mut out = String::new();
            Utf16::new(&bytes[..], Order::Little).read_to_string(&mut out).expect("UTF-8");
        }
    }
}
