//! The hash chain of a recording: every line says in `hash` what it and all lines before it come to.
//!
//! `hash` is the last member of a line: 64 hexadecimal digits of BLAKE3 over the 32 bytes of the hash before and the text
//! of the line up to the comma before `hash`. The first line of a session follows the hash of [`BEGINNING`], the first
//! line of another part the one in its `prev`.

use std::fmt::Write as _;

/// What the first hash is made of.
const BEGINNING: &[u8] = b"rpctape rec/1";

/// What stands between the text of a line and its hash.
const MEMBER: &str = ",\"hash\":\"";

/// What stands behind it.
const CLOSE: &str = "\"}\n";

/// How many digits a hash has.
const DIGITS: usize = 64;

/// The hash of a line and of all that stands before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link([u8; 32]);

impl Link {
    /// What the first line of a session follows.
    pub fn beginning() -> Link {
        Link(*blake3::hash(BEGINNING).as_bytes())
    }

    /// Reads 64 small hexadecimal digits.
    pub fn read(digits: &[u8]) -> Option<Link> {
        let small = digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
        if digits.len() != DIGITS || !small {
            return None;
        }
        Some(Link(*blake3::Hash::from_hex(digits).ok()?.as_bytes()))
    }

    /// The hash over these parts, one behind the other.
    pub(super) fn over(parts: &[&[u8]]) -> Link {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(part);
        }
        Link(*hasher.finalize().as_bytes())
    }

    /// What follows with a line, given up to the comma before its hash.
    pub fn next(self, text: &[u8]) -> Link {
        Link::over(&[&self.0, text])
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The digits.
    pub fn digits(self) -> String {
        blake3::Hash::from_bytes(self.0).to_hex().to_string()
    }
}

/// Ends a line that is still open with its hash; gives that.
pub(super) fn seal(line: &mut String, before: Link) -> Link {
    let link = before.next(line.as_bytes());
    let _ = write!(line, "{MEMBER}{}{CLOSE}", blake3::Hash::from_bytes(link.0).to_hex());
    link
}

/// The text of a line up to the comma before its hash, and the hash that it states. `None` unless the line, with its end, has exactly
/// the form that is written.
pub(super) fn sealed(line: &[u8]) -> Option<(&[u8], Link)> {
    stated(line.strip_suffix(CLOSE.as_bytes())?)
}

/// True for a line that states a hash, whatever else became of its end: other line ends, blanks.
pub(super) fn states_one(line: &[u8]) -> bool {
    let rest = line.trim_ascii_end().strip_suffix(CLOSE.trim_ascii_end().as_bytes());
    rest.and_then(stated).is_some()
}

fn stated(rest: &[u8]) -> Option<(&[u8], Link)> {
    let (rest, digits) = rest.split_at_checked(rest.len().checked_sub(DIGITS)?)?;
    Some((rest.strip_suffix(MEMBER.as_bytes())?, Link::read(digits)?))
}
