//! Base64: recorded bytes that are no UTF-8, bodies in documents, secrets that somebody packed.

use std::borrow::Cow;

use ::base64::Engine;
use ::base64::alphabet::STANDARD;
use ::base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Loggers leave out the padding, or bits of the last digit that mean nothing.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Bytes as padded base64.
pub fn encode(bytes: &[u8]) -> String {
    LENIENT.encode(bytes)
}

/// The bytes of a base64 text, padded or not, in either alphabet; `None` if it is none.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    let digits = match digits.contains(['-', '_']) {
        true => Cow::Owned(digits.replace('-', "+").replace('_', "/")),
        false => Cow::Borrowed(digits),
    };
    LENIENT.decode(&*digits).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_texts() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(encode(bytes.as_bytes()), text);
        }
        assert_eq!(decode("_-8"), decode("/+8="));
        assert_eq!(decode("A"), None);
        assert_eq!(decode("Zg!="), None);
    }

    proptest! {
        #[test]
        fn bytes_come_back(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            prop_assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }
    }
}
