//! The content of a JSON string, with the way back: where each of its bytes stood before it was unescaped.

use crate::json::escape;

/// Text, and for each byte of it (and its end) the offset in the escaped text.
pub struct Unescaped {
    /// The content.
    pub text: String,
    at: Vec<u32>,
}

impl Unescaped {
    /// Unescapes what stands between the quotation marks; `None` where that is no good JSON, or too long.
    pub fn of(raw: &str) -> Option<Unescaped> {
        u32::try_from(raw.len()).ok()?;
        let (mut text, mut at) = (String::with_capacity(raw.len()), Vec::with_capacity(raw.len() + 1));
        let mut start = 0;
        while let Some(c) = raw[start..].chars().next() {
            let (c, end) = match c {
                '\\' => escape(raw, start).map(|(unit, end)| (unit.unwrap_or(char::REPLACEMENT_CHARACTER), end))?,
                c => (c, start + c.len_utf8()),
            };
            text.push(c);
            at.resize(text.len(), start as u32);
            start = end;
        }
        at.push(raw.len() as u32);
        Some(Unescaped { text, at })
    }

    /// Undoes the escapes of a URL that stand for visible ASCII; `None` where there are none, or the text is too long.
    pub fn of_url(raw: &str) -> Option<Unescaped> {
        u32::try_from(raw.len()).ok()?;
        let digit = |at: usize| raw.as_bytes().get(at).and_then(|byte| char::from(*byte).to_digit(16));
        let sign = |at: usize| {
            let byte = digit(at + 1)? * 16 + digit(at + 2)?;
            char::from_u32(byte).filter(|c| matches!(c, ' '..='~'))
        };
        memchr::memchr_iter(b'%', raw.as_bytes()).find(|at| sign(*at).is_some())?;
        let (mut text, mut at) = (String::with_capacity(raw.len()), Vec::with_capacity(raw.len() + 1));
        let mut start = 0;
        while let Some(c) = raw[start..].chars().next() {
            let escaped = sign(start).filter(|_| c == '%');
            text.push(escaped.unwrap_or(c));
            at.resize(text.len(), start as u32);
            start += if escaped.is_some() { 3 } else { c.len_utf8() };
        }
        at.push(raw.len() as u32);
        Some(Unescaped { text, at })
    }

    /// Where an offset of the content stood.
    pub fn before(&self, offset: usize) -> usize {
        self.at.get(offset).map_or(0, |at| *at as usize)
    }
}
