//! The content of a JSON string, with the way back: where each of its bytes stood before it was unescaped.

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
        let mut rest = raw.char_indices();
        while let Some((start, c)) = rest.next() {
            let c = if c == '\\' { escape(raw, start, &mut rest)? } else { c };
            text.push(c);
            at.resize(text.len(), start as u32);
        }
        at.push(raw.len() as u32);
        Some(Unescaped { text, at })
    }

    /// Where an offset of the content stood.
    pub fn before(&self, offset: usize) -> usize {
        self.at.get(offset).map_or(0, |at| *at as usize)
    }
}

fn escape(raw: &str, start: usize, rest: &mut std::str::CharIndices<'_>) -> Option<char> {
    let (_, c) = rest.next()?;
    Some(match c {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        '"' | '\\' | '/' => c,
        'u' => {
            let high = hex(raw, start + 2)?;
            rest.nth(3)?;
            if !(0xd800..0xdc00).contains(&high) || raw.get(start + 6..start + 8) != Some("\\u") {
                return Some(char::from_u32(high).unwrap_or('\u{fffd}'));
            }
            let low = hex(raw, start + 8)?;
            if !(0xdc00..0xe000).contains(&low) {
                return Some('\u{fffd}');
            }
            rest.nth(5)?;
            char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00))?
        }
        _ => return None,
    })
}

fn hex(raw: &str, at: usize) -> Option<u32> {
    u32::from_str_radix(raw.get(at..at + 4)?, 16).ok()
}
