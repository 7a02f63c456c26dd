//! How far something has come, and whether that is more than before.

use std::num::NonZeroU64;

use crate::capture::text_hash;

/// Digits that a floating-point number keeps apart, with a sign or a point.
const EXACT_DIGITS: usize = 15;

/// How far something has come.
#[derive(Clone, Copy, Debug)]
pub(in crate::session) struct Progressed {
    pub(in crate::session) value: f64,
    /// A hash of the text of a long number, of which two that are not the same may be rounded to one.
    text: Option<NonZeroU64>,
}

impl Progressed {
    /// A number as it is written; `None` for anything else.
    pub(in crate::session) fn of(raw: &str) -> Option<Progressed> {
        let long = raw.len() > EXACT_DIGITS;
        let text = if long { NonZeroU64::new(text_hash(raw.as_bytes())) } else { None };
        Some(Progressed { value: raw.parse().ok()?, text })
    }

    /// True for the same number, as far as that can be told.
    pub(in crate::session) fn is(self, other: Progressed) -> bool {
        self.value == other.value && self.text == other.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_same_where_floating_point_can_tell() {
        let is =
            |one: &str, other: &str| Progressed::of(one).zip(Progressed::of(other)).map(|(one, other)| one.is(other));
        for (one, other) in [("0.5", "0.50"), ("100", "1e2"), ("0.3333333333333333", "0.3333333333333333")] {
            assert_eq!(is(one, other), Some(true), "{one} {other}");
        }
        for (one, other) in [("9007199254740992", "9007199254740993"), ("0.1", "0.10000000000000000001"), ("1", "2")] {
            assert_eq!((is(one, other), is(other, one)), (Some(false), Some(false)), "{one} {other}");
        }
        assert_eq!(is("half", "1"), None);
    }
}
