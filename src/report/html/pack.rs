//! Data blocks of the page: deflated and in base64, so that nothing in them can end the block or be read as markup.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use sha2::{Digest, Sha256};

/// The level is a part of the format: the same input gives the same bytes.
const LEVEL: u32 = 6;

/// A block as it stands in the page.
pub fn packed(bytes: &[u8]) -> io::Result<String> {
    let mut encoder = DeflateEncoder::new(Vec::with_capacity(bytes.len() / 3), Compression::new(LEVEL));
    encoder.write_all(bytes)?;
    Ok(STANDARD.encode(encoder.finish()?))
}

/// A source of the policy: the script or style of exactly this text, and no other.
pub fn policy_hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

/// A block unpacked, for tests.
#[cfg(test)]
pub fn unpacked(block: &str) -> Vec<u8> {
    use std::io::Read;
    let bytes = STANDARD.decode(block).expect("base64");
    let mut out = Vec::new();
    flate2::read::DeflateDecoder::new(&bytes[..]).read_to_end(&mut out).expect("deflate");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_harmless_and_comes_back() {
        let bad = "</script><!--\u{2028}]]>".repeat(40);
        let block = packed(bad.as_bytes()).expect("packs");
        assert!(block.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)));
        assert_eq!(unpacked(&block), bad.as_bytes());
        assert_eq!(policy_hash("abc"), "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='");
    }
}
