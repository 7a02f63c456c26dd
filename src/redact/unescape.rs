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

    /// Where an offset of the content stood.
    pub fn before(&self, offset: usize) -> usize {
        self.at.get(offset).map_or(0, |at| *at as usize)
    }
}
