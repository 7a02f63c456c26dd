//! Keys without a word in them, by their alphabet and their exact length, as their makers document them: nothing else looks
//! like that, but what is no key of theirs has to look drawn by lot, too.

use std::ops::Range;

use super::words::is_random;
use crate::base64;

/// What such a key begins with, and how many letters follow that.
const FORMS: [(&str, usize); 9] = [
    // Okta
    ("00", 40),
    // PayPal: the secret, and the id of the client
    ("E", 79),
    ("A", 79),
    // Brave
    ("BSA", 28),
    // Jenkins
    ("11", 32),
    // Bitcoin, as wallets import it
    ("K", 51),
    ("L", 51),
    // Stellar
    ("S", 55),
    // NATS
    ("SU", 56),
];

/// Letters of an Azure account key before its padding: 64 bytes.
const ACCOUNT: usize = 86;

/// What names a digest, a signature or a public key, which may be of 64 bytes as well.
const OTHERS: [&str; 7] = ["hash", "sha512", "digest", "checksum", "integrity", "signature", "public"];

/// How far before a key its name is looked for, in bytes.
const NAMED_WITHIN: usize = 24;

/// No key is shorter than this.
const SHORTEST: usize = 31;

/// The bare keys of a text.
pub(super) fn find(text: &str, found: &mut Vec<(&'static str, Range<usize>)>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    // Looked at from its end, most of a text is passed over: a run of so many letters has none but letters in it.
    while let Some(window) = bytes.get(at..at + SHORTEST) {
        if let Some(last) = window.iter().rposition(|byte| !is_digit(*byte)) {
            at += last + 1;
            continue;
        }
        // The sign of a line of a diff is no letter of a key.
        at += usize::from(bytes[at] == b'+' && at.checked_sub(1).is_none_or(|before| bytes[before] == b'\n'));
        let run = at..at + bytes[at..].iter().take_while(|byte| is_digit(**byte)).count();
        let end = run.end + bytes[run.end..].iter().take_while(|byte| **byte == b'=').count();
        at = end.max(run.end + 1);
        let is_long = run.len() == ACCOUNT && end - run.end == 2;
        if is_long && is_account_key(&text[run.start..end]) && is_named_key(&bytes[..run.start]) {
            found.push(("secret", run.start..end));
        } else if is_key(&text[run.clone()]) {
            found.push(("api-key", run));
        }
    }
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

fn is_key(run: &str) -> bool {
    let rest = |(prefix, length): &(&str, usize)| run.strip_prefix(prefix).filter(|rest| rest.len() == *length);
    let drawn = |rest: &str| is_random(rest, rest.len() * 3 / 4) && rest.bytes().filter(u8::is_ascii_digit).count() > 1;
    FORMS.iter().find_map(rest).is_some_and(|rest| drawn(rest) && !rest.contains(['+', '/']))
}

/// True for 64 bytes that are no text, as the keys of accounts are. So are digests and signatures, which open nothing: a name has
/// to say which of them it is.
pub(super) fn is_account_key(run: &str) -> bool {
    run.len() == ACCOUNT + 2
        && run.ends_with("==")
        && !run.contains(['-', '_'])
        && base64::decode(run).is_some_and(|bytes| bytes.iter().any(|byte| !byte.is_ascii()))
}

/// True where what stands before a value calls it a key.
fn is_named_key(before: &[u8]) -> bool {
    let near = String::from_utf8_lossy(&before[before.len().saturating_sub(NAMED_WITHIN)..]).to_ascii_lowercase();
    near.contains("key") && !OTHERS.iter().any(|name| near.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> usize {
        let mut found = Vec::new();
        find(text, &mut found);
        found.len()
    }

    #[test]
    fn no_key_is_shorter_than_the_shortest() {
        let least = FORMS.iter().map(|(prefix, length)| prefix.len() + length).min();
        assert_eq!(least, Some(SHORTEST));
    }

    #[test]
    fn length_alphabet_and_lot_tell_a_key() {
        let drawn = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zKb4Dd6Ff8";
        assert_eq!(count(&format!("use 00{drawn}, or '00{drawn}'")), 2);
        // 64 bytes in base64 are a digest, a signature or the key of an account.
        let account = base64::encode(&(0..64).map(|n: u8| n.wrapping_mul(37)).collect::<Vec<_>>());
        assert_eq!(count(&format!("key1 = {account}")), 1);
        for innocent in [
            account.clone(),
            format!("sha512-{account}"),
            format!("\"publicKey\":\"a\",\"signature\":\"{account}\""),
            format!("\"contentHash\": \"{account}\""),
            base64::encode(&"0123456789".repeat(7).as_bytes()[..64]),
            format!("00{drawn}x"),
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".to_string(),
            format!("00{}", "0".repeat(40)),
            "grüße ☃".to_string(),
        ] {
            assert_eq!(count(&innocent), 0, "{innocent}");
        }
    }
}
