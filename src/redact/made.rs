//! Keys of makers that no list knows: a prefix that says whose it is, and letters drawn by lot (`acme_live_...`).
//!
//! Names of things (`toolu_...`, `req_...`, `main-<hash>`) look the same and are none: what the prefix says decides, and
//! where it says nothing, a key is longer than a name.

use std::ops::Range;

use super::words::{is_random, is_worded};

/// Parts of a prefix that speak of a key.
const SECRET: [&str; 38] = [
    "key",
    "apikey",
    "api",
    "token",
    "tok",
    "secret",
    "sec",
    "sk",
    "rk",
    "ak",
    "pat",
    "pass",
    "auth",
    "live",
    "test",
    "prod",
    "sandbox",
    "access",
    "refresh",
    "private",
    "priv",
    "uat",
    "svc",
    "service",
    "admin",
    "user-token",
    "bot",
    "oauth",
    "cli",
    "ci",
    "deploy",
    "personal",
    "sdk",
    "pk",
    "at",
    "rt",
    "st",
    "ut",
];

/// Parts of a prefix that speak of a thing.
const THING: [&str; 89] = [
    "msg",
    "message",
    "req",
    "request",
    "resp",
    "response",
    "rs",
    "run",
    "thread",
    "file",
    "asst",
    "assistant",
    "call",
    "tool",
    "toolu",
    "tooluse",
    "srvtoolu",
    "chatcmpl",
    "cmpl",
    "gen",
    "sess",
    "session",
    "conn",
    "connection",
    "task",
    "evt",
    "event",
    "id",
    "uid",
    "uuid",
    "guid",
    "user",
    "usr",
    "org",
    "proj",
    "project",
    "team",
    "acct",
    "cus",
    "customer",
    "sub",
    "in",
    "inv",
    "invoice",
    "price",
    "pi",
    "ch",
    "txn",
    "tx",
    "doc",
    "document",
    "page",
    "block",
    "node",
    "item",
    "obj",
    "object",
    "ref",
    "rev",
    "commit",
    "sha",
    "md",
    "etag",
    "hash",
    "digest",
    "blob",
    "tree",
    "img",
    "image",
    "layer",
    "build",
    "job",
    "step",
    "trace",
    "span",
    "batch",
    "model",
    "vs",
    "chunk",
    "part",
    "upload",
    "cursor",
    "snap",
    "container",
    "pod",
    "index",
    "main",
    "cache",
    "fp",
];

/// Parts that say so beside one that speaks of a thing: `usr_tok_...`.
const SURE: [&str; 5] = ["token", "tok", "secret", "pat", "apikey"];

/// Letters and digits behind a prefix that speaks of a key, at least.
const SHORT: usize = 16;

/// Letters and digits behind any prefix, at least.
const LONG: usize = 28;

/// Small letters and digits behind any prefix, at least, that are no hash.
const HASHED: usize = 40;

/// The made keys of a text.
pub(super) fn find(text: &str, found: &mut Vec<(&'static str, Range<usize>)>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let run = bytes[at..].iter().take_while(|byte| is_part(**byte)).count();
        if run >= SHORT && is_made(&text[at..at + run]) && !in_path(text, at, at + run) {
            found.push(("api-key", at..at + run));
        }
        at += run.max(1);
    }
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// A piece of a path, of a longer name or of base64 is no key by its look.
fn in_path(text: &str, start: usize, end: usize) -> bool {
    let (before, after) = (text[..start].chars().next_back(), text[end..].chars().next());
    let next = text[end..].chars().nth(1);
    // The sign of a line of a diff.
    let added = before == Some('+') && matches!(text[..start].chars().rev().nth(1), None | Some('\n'));
    matches!(before, Some('+' | '.' | '%' | '@' | '#')) && !added
        || after == Some('+')
        || after == Some('/') && before != Some('/')
        || after == Some('.') && next.is_some_and(char::is_alphanumeric)
        || before == Some('/') && after == Some('.')
}

fn is_made(run: &str) -> bool {
    // The prefix ends where the letters begin to look drawn: at the first part that is long and no word.
    let cuts = run.match_indices(['_', '-']).map(|(at, _)| at).take(4);
    for cut in cuts {
        let (prefix, rest) = (&run[..cut], &run[cut + 1..]);
        let parts = || prefix.split(['_', '-']);
        if !parts().all(|part| (1..=12).contains(&part.len())) || !prefix.starts_with(|c: char| c.is_ascii_alphabetic())
        {
            return false;
        }
        let word = |part: &str| part.trim_end_matches(|c: char| c.is_ascii_digit()).to_ascii_lowercase();
        let is = |list: &[&str]| parts().any(|part| list.contains(&word(part).as_str()));
        let next = rest.split(['_', '-']).next().unwrap_or_default();
        if is(&THING) && !is(&SURE) {
            if SURE.contains(&next) {
                continue;
            }
            return false;
        }
        if is_drawn(rest, is(&SECRET)) {
            return true;
        }
    }
    false
}

/// True for letters by lot. Hashes are named things often, and keys only behind a word that says so.
fn is_drawn(rest: &str, told: bool) -> bool {
    let longest = rest.split(['_', '-']).map(str::len).max().unwrap_or_default();
    let letters = rest.bytes().filter(u8::is_ascii_alphanumeric).count();
    let cases =
        rest.bytes().any(|byte| byte.is_ascii_uppercase()) && rest.bytes().any(|byte| byte.is_ascii_lowercase());
    let digits = rest.bytes().filter(u8::is_ascii_digit).count();
    if !is_random(rest, SHORT) || rest.split(['_', '-']).any(|part| part.len() > 5 && is_worded(part)) {
        return false;
    }
    match told {
        true => longest >= 12 && (digits > 1 || cases && letters >= 20),
        false => {
            let capitals = letters >= LONG && longest >= LONG && !is_hex(rest) && !rest.contains(char::is_lowercase);
            longest >= 10 && letters >= LONG && cases && digits > 1
                || capitals && digits > 3
                || longest >= HASHED && digits > 1 && !is_hex(rest)
        }
    }
}

fn is_hex(rest: &str) -> bool {
    rest.bytes().all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> bool {
        let mut found = Vec::new();
        find(text, &mut found);
        !found.is_empty()
    }

    #[test]
    fn a_key_is_told_from_the_name_of_a_thing() {
        let drawn = ["aB3dE5gH7jK9mN1p", "Q2rS4tU6vW8xY0zK"].concat();
        for key in [format!("acme_live_{drawn}"), format!("zz9_{drawn}"), format!("tok-{}", &drawn[..20])] {
            assert!(made(&format!("use {key}, please")), "{key}");
        }
        for thing in [
            format!("toolu_{drawn}"),
            format!("call_{}", &drawn[..24]),
            format!("/assets/main-{drawn}.js"),
            "resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b".to_string(),
            "release-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b".to_string(),
            "test_getUserByIdReturns404WhenMissingOrDeleted2".to_string(),
            "550e8400-e29b-41d4-a716-446655440000".to_string(),
            "nginx-deployment-66b6c48dd5-7xk2p".to_string(),
        ] {
            assert!(!made(&thing), "{thing}");
        }
    }
}
