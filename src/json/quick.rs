//! Looking for the bytes that end a run in a string, many at a time.

use memchr::memchr2;

/// Strings up to so many words of eight bytes are looked through without setting up a vector search.
pub(super) const SHORT: usize = 2;

/// The first byte of a word of eight that cannot stand in a string as it is: a quote, a backslash or a control character.
#[inline]
pub(super) fn odd_in(word: [u8; 8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let word = u64::from_le_bytes(word);
    // The high bit of each byte that is zero, and perhaps of some behind the first such byte.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word;
    let low = word.wrapping_sub(ONES * 0x20) & !word;
    let odd = (zeros(word ^ (ONES * u64::from(b'"'))) | zeros(word ^ (ONES * u64::from(b'\\'))) | low) & (ONES << 7);
    (odd != 0).then_some(odd.trailing_zeros() as usize / 8)
}

/// The same of the next few words of eight bytes. Nothing where there is none, or where the text ends before the words do.
#[inline]
pub(super) fn first_odd(bytes: &[u8], mut at: usize, words: usize) -> Option<usize> {
    for _ in 0..words {
        if let Some(odd) = odd_in(*bytes.get(at..)?.first_chunk()?) {
            return Some(at + odd);
        }
        at += 8;
    }
    None
}

/// The next quote or backslash in a string.
#[inline]
pub(super) fn quote_or_escape(bytes: &[u8], at: usize) -> Option<usize> {
    match first_odd(bytes, at, SHORT) {
        Some(found) if matches!(bytes[found], b'"' | b'\\') => Some(found),
        _ => Some(at + memchr2(b'"', b'\\', bytes.get(at..)?)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_any_length_end_at_a_quote_or_a_backslash() {
        for length in 0..40 {
            for (end, found) in [("\"", true), ("\\", true), ("", false)] {
                let text = format!("{}{}{end} \" rest", "x".repeat(length), if length > 3 { "\n" } else { "" });
                let end = if found { Some(length + usize::from(length > 3)) } else { text.find('"') };
                assert_eq!(quote_or_escape(text.as_bytes(), 0), end, "{text:?}");
            }
        }
        assert_eq!(quote_or_escape(b"0123456789", 0), None);
        assert_eq!(quote_or_escape(b"", 1), None);
    }

    #[test]
    fn control_characters_are_odd_within_the_words_that_are_looked_at() {
        assert_eq!(first_odd(b"0123456\n01234567", 0, 2), Some(7));
        assert_eq!(first_odd(b"0123456701234567\n", 0, 2), None);
        assert_eq!(first_odd("ü23456701234567\"".as_bytes(), 0, 3), None);
    }
}
