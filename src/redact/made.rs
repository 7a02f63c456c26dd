//! Keys of makers that no list knows: a prefix that says whose it is, and letters drawn by lot (`acme_live_...`).
//!
//! Names of things (`toolu_...`, `req_...`, `main-<hash>`) look the same and are none: what the prefix says decides, and
//! where it says nothing, a key is longer than a name.

use std::ops::Range;

use super::words::{is_of_name, is_random, is_worded};

/// Parts of a prefix that speak of a key.
const SECRET: [&str; 36] = [
    "key", "apikey", "api", "token", "tok", "secret", "sec", "sk", "rk", "ak", "pat", "pass", "auth", "live", "test",
    "prod", "sandbox", "access", "refresh", "private", "priv", "uat", "svc", "service", "admin", "bot", "oauth", "cli",
    "ci", "deploy", "personal", "sdk", "at", "rt", "st", "ut",
];

/// Parts of a prefix that speak of a thing.
const THING: [&str; 210] = [
    "msg", "message", "req", "request", "resp", "response", "rs", "run", "thread", "file", "asst", "call", "tool",
    "toolu", "tooluse", "srvtoolu", "chatcmpl", "cmpl", "gen", "sess", "session", "conn", "task", "evt", "event", "id",
    "uid", "uuid", "guid", "user", "usr", "org", "proj", "project", "team", "acct", "cus", "customer", "sub", "in",
    "inv", "invoice", "price", "pi", "ch", "txn", "tx", "doc", "document", "page", "block", "node", "item", "obj",
    "object", "ref", "rev", "commit", "sha", "md", "etag", "hash", "digest", "blob", "tree", "img", "image", "layer",
    "build", "job", "step", "trace", "span", "batch", "model", "vs", "chunk", "part", "upload", "cursor", "snap",
    "pod", "index", "main", "cache", "fp", "conv", "mcp", "mcpl", "fc", "cs", "seti", "cntr", "prt", "wf", "ws", "wks",
    "wrkspc", "ckpt", "dpl", "prj", "art", "prm", "tmp", "src", "dst", "css", "npm", "pnpm", "yarn", "pip", "go",
    "rpm", "deb", "gcc", "tbl", "grp", "cfg", "ctx", "ptr", "str", "btn", "lbl", "txt", "rpc", "http", "html", "xml",
    "dns", "vpc", "vpn", "cdn", "gpt", "llm", "rag", "fn", "vm", "vmi", "ntf", "sch", "crt", "cert", "trn", "trx",
    "pmt", "pym", "cht", "chn", "chnl", "flw", "wfl", "tsk", "dsh", "mdl", "bkt", "rvw", "cmp", "lst", "pkg", "blk",
    "cmt", "prompt", "exec", "artifact", "ticket", "issue", "pr", "nonce", "cid", "ver", "version", "release", "tag",
    "bundle", "module", "asset", "static", "media", "video", "audio", "thumb", "icon", "font", "theme", "plugin",
    "ext", "addr", "tr", "tb", "cmd", "kv", "db", "sql", "csv", "json", "yml", "yaml", "log", "logs", "sum", "crc",
    "arm", "py", "cp", "es", "pk", "pub", "public", "webhook", "wh",
];

/// Longer ones.
const LONG_THING: [&str; 3] = ["assistant", "connection", "container"];

/// Parts that say so beside one that speaks of a thing: `usr_tok_...`.
const SURE: [&str; 7] = ["token", "tok", "secret", "pat", "apikey", "sk", "svc"];

/// Parts that say for what a key is, and as often where a build runs: a hash behind them is one of its own.
const STAGES: [&str; 11] = ["live", "test", "prod", "sandbox", "service", "svc", "ci", "cli", "deploy", "admin", "bot"];

/// What keys begin with that their makers publish.
const PUBLIC: [&str; 6] = ["pk_live_", "pk_test_", "pk_sandbox_", "pk-lf-", "phc_", "sb_publishable_"];

/// Letters and digits behind a prefix that speaks of a key, at least.
const SHORT: usize = 16;

/// Letters and digits behind any prefix, at least.
const LONG: usize = 28;

/// Letters of one case and digits behind a prefix that is no word, at least: ids are shorter.
const ONE_CASE: usize = 32;

/// Small letters and digits behind any prefix, at least, that are no hash.
const HASHED: usize = 40;

/// How long a digest or a public key is in base64url: 16, 20, 32, 48, 64, 128, 256, 384 and 512 bytes.
const DIGESTS: [usize; 9] = [22, 27, 43, 64, 86, 171, 342, 512, 683];

/// Letters of a prefix that a digest begins with by chance, at most.
const BY_CHANCE: usize = 4;

/// The made keys of a text.
pub(super) fn find(text: &str, found: &mut Vec<(&'static str, Range<usize>)>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let run = bytes[at..].iter().take_while(|byte| is_part(**byte)).count();
        let is_key = || is_made(&text[at..at + run]) && !in_path(text, at, at + run) || is_behind_point(text, at, run);
        if run >= SHORT && is_key() {
            found.push(("api-key", at..at + run));
        }
        at += run.max(1);
    }
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// True for letters by lot behind a point and a prefix that is no word: `tpz.<letters>`. Names of files and of members have words there.
fn is_behind_point(text: &str, start: usize, length: usize) -> bool {
    let Some(before) = text[..start].strip_suffix('.').filter(|_| length >= LONG) else { return false };
    let named = before.bytes().rev().take(BY_CHANCE + 1).take_while(u8::is_ascii_alphanumeric).count();
    let (outside, name) = before.split_at(before.len() - named);
    let prefix = Prefix(name);
    let ends = |c: Option<char>| {
        let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+' | '@' | '%' | ':');
        !c.is_some_and(goes_on)
    };
    let is_end = || {
        let mut behind = text[start + length..].chars();
        let next = behind.next();
        ends(next) || next == Some('.') && ends(behind.next())
    };
    prefix.is_no_word()
        && ends(outside.chars().next_back())
        && !prefix.has(&THING)
        && is_drawn(&text[start..start + length], &prefix)
        && is_end()
}

/// A piece of a path, of a longer name or of base64 is no key by its look.
fn in_path(text: &str, start: usize, end: usize) -> bool {
    let (before, after) = (text[..start].chars().next_back(), text[end..].chars().next());
    let next = text[end..].chars().nth(1);
    // The sign of a line of a diff.
    let added = before == Some('+') && matches!(text[..start].chars().rev().nth(1), None | Some('\n'));
    let hashed = ["sha1=", "sha256=", "sha384=", "sha512=", "sha256:", "sha512:", "md5="];
    matches!(before, Some('+' | '.' | '%' | '@' | '#')) && !added
        || hashed.iter().any(|name| text[..start].ends_with(name))
        || after == Some('+')
        || after == Some('/') && before != Some('/')
        || after == Some('.') && next.is_some_and(char::is_alphanumeric)
        || before == Some('/') && after == Some('.')
}

/// True for a key that its maker publishes.
pub(super) fn is_public(run: &str) -> bool {
    PUBLIC.iter().any(|known| run.starts_with(known))
}

/// True for a hash behind the words that say of what: `Linux-cargo-<sha256>`.
pub(super) fn is_named_hash(run: &str) -> bool {
    run.rsplit_once(['-', '_']).is_some_and(|(name, hash)| {
        let name = Prefix(name);
        is_digest(hash) && name.parts().all(is_of_prefix) && (!name.tells() || name.is_of_build())
    })
}

fn is_made(run: &str) -> bool {
    // The prefix ends where the letters begin to look drawn: at the first part that is long and no word.
    let cuts = run.match_indices(['_', '-']).map(|(at, _)| at).take(4);
    for cut in cuts {
        let prefix = Prefix(&run[..cut]);
        let begins = run.starts_with(|c: char| c.is_ascii_alphabetic());
        if !begins || !prefix.parts().all(is_of_prefix) || is_public(run) {
            return false;
        }
        let rest = &run[cut + 1..];
        if is_resource(rest) {
            return false;
        }
        let next = rest.split(['_', '-']).next().unwrap_or_default();
        if (prefix.has(&THING) || prefix.has(&LONG_THING)) && !prefix.has(&SURE) {
            if SURE.contains(&next) {
                continue;
            }
            return false;
        }
        let drawn = || match prefix.tells() {
            true => is_told(rest) && !(is_digest(rest) && prefix.is_of_build()),
            false => !prefix.is_chance(run) && is_drawn(rest, &prefix),
        };
        // A word goes on with the prefix.
        if !(next.len() > 2 && next.bytes().all(|byte| byte.is_ascii_lowercase()) && next.len() < rest.len()) && drawn()
        {
            return true;
        }
    }
    false
}

/// True for a word or an acronym, perhaps with a number: of one case, but for a capital at its start. Letters by lot are of both.
fn is_of_prefix(part: &str) -> bool {
    let rest = part.get(1..).unwrap_or_default();
    (1..=12).contains(&part.len())
        && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && (!rest.bytes().any(|byte| byte.is_ascii_uppercase()) || !part.bytes().any(|byte| byte.is_ascii_lowercase()))
}

/// What stands before the letters of a key.
struct Prefix<'t>(&'t str);

impl<'t> Prefix<'t> {
    fn parts(&self) -> impl Iterator<Item = &'t str> + use<'t> {
        self.0.split(['_', '-'])
    }

    fn has(&self, list: &[&str]) -> bool {
        let word = |part: &str| part.trim_end_matches(|c: char| c.is_ascii_digit()).to_ascii_lowercase();
        self.parts().any(|part| list.contains(&word(part).as_str()))
    }

    /// True for one that speaks of a key.
    fn tells(&self) -> bool {
        self.has(&SECRET) || self.parts().any(|part| ["key", "token", "secret"].iter().any(|word| part.ends_with(word)))
    }

    /// True for one that says at most for what a key is, and not whose it is: `prod-`, `app-test-`.
    fn is_of_build(&self) -> bool {
        let mut told = self.parts().filter(|part| Prefix(part).tells());
        told.all(|part| STAGES.contains(&part)) && (!self.0.contains('_') || self.parts().count() == 1)
    }

    /// True if a digest or a public key may begin so by chance.
    fn is_chance(&self, run: &str) -> bool {
        let letters = self.0.bytes().filter(u8::is_ascii_alphabetic).count();
        let capitals = !self.0.bytes().any(|byte| byte.is_ascii_lowercase());
        let cut = run.len() < 50 || run[self.0.len() + 1..].contains(['_', '-']);
        letters < if capitals { 4 } else { 2 } || letters <= BY_CHANCE && cut && DIGESTS.contains(&run.len())
    }

    /// True for one part that is no word, as names of makers are: things are called by words, or by what is left of them (`THING`).
    fn is_no_word(&self) -> bool {
        let is_vowel = |byte: u8| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y');
        self.0.len() > 2
            && self.0.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            && (!self.0.bytes().any(is_vowel) || self.0.bytes().any(|byte| byte.is_ascii_digit()))
    }
}

/// True for letters by lot behind a prefix that speaks of a key: all of them are one text, whatever signs cut them.
fn is_told(rest: &str) -> bool {
    let parts = || rest.split(['_', '-']);
    let longest = parts().map(str::len).max().unwrap_or_default();
    let (letters, digits) = (letters(rest), digits(rest));
    let by_lot: usize = parts().filter(|part| !is_of_name(part)).map(str::len).sum();
    is_random(rest, SHORT)
        && by_lot >= SHORT
        && parts().any(|part| part.len() > 5 && !is_worded(part))
        && (longest >= 12 && (digits > 1 || has_cases(rest) && letters >= 20)
            || has_cases(rest) && digits > 1 && parts().count() < 8)
}

/// True for letters by lot behind any other. Hashes are named things often.
fn is_drawn(rest: &str, prefix: &Prefix<'_>) -> bool {
    let parts = || rest.split(['_', '-']);
    let longest = parts().map(str::len).max().unwrap_or_default();
    let (letters, digits) = (letters(rest), digits(rest));
    if !is_random(rest, SHORT) || parts().any(|part| part.len() > 5 && is_worded(part)) {
        return false;
    }
    let capitals = letters >= LONG && longest >= LONG && !is_hex(rest) && !rest.contains(char::is_lowercase);
    longest >= 10 && letters >= LONG && has_cases(rest) && (digits > 1 || letters >= HASHED - 4)
        || capitals && digits > 3
        || longest >= HASHED && digits > 1 && !is_hex(rest)
        || longest >= ONE_CASE && digits > 1 && prefix.is_no_word() && !(is_digest(rest) && prefix.0.contains('-'))
}

fn letters(rest: &str) -> usize {
    rest.bytes().filter(u8::is_ascii_alphanumeric).count()
}

fn digits(rest: &str) -> usize {
    rest.bytes().filter(u8::is_ascii_digit).count()
}

fn has_cases(rest: &str) -> bool {
    rest.bytes().any(|byte| byte.is_ascii_uppercase()) && rest.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// True for the id of a resource of AWS: `vpce-svc-<17 hexadecimal digits>`.
fn is_resource(rest: &str) -> bool {
    rest.len() == 17 && is_hex(rest)
}

/// True for as many hexadecimal digits as a hash has.
fn is_digest(rest: &str) -> bool {
    matches!(rest.len(), 32 | 40 | 64 | 96 | 128) && is_hex(rest)
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
