//! Names of members that hold a secret, and of those that never do; the placeholders that take its place.

use std::ops::Range;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::bare;
use super::made;
use super::near::start_of;
use super::vocabulary::{CODES, HARMLESS, KEYS, LAST, LOOKUP, NAMES, NEVER, OPEN, OWNERS, SESSION, SPELLING, WHICH};
use super::words;

/// Kinds of secrets; a placeholder begins with one.
pub const KINDS: [&str; 15] = [
    "authz",
    "password",
    "secret",
    "token",
    "api-key",
    "cookie",
    "private-key",
    "jwt",
    "aws",
    "email",
    "custom",
    ACCESSOR,
    SESSION,
    ODD_SESSION,
    TIED,
];

/// What looks like a secret and is an id or a progress token: it ties messages together, and is never replaced.
pub const TIED: &str = "id";

/// What Vault, Consul and Nomad call the id that is a secret; elsewhere it names one, and only a UUID tells.
const ACCESSOR: &str = "secret-id";

/// One with other signs than visible ASCII, which no session may have: what stands in its place still says so.
const ODD_SESSION: &str = "odd-session";

/// A name without case and punctuation.
pub fn plain(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '_' | '-' | ' '));
    match name.is_ascii() {
        true => letters.map(|c| c.to_ascii_lowercase()).collect(),
        false => letters.flat_map(char::to_lowercase).collect(),
    }
}

/// The kinds of a list by their words; every name is looked up.
fn table(list: &[(&'static str, &'static str)]) -> FxHashMap<&'static str, &'static str> {
    list.iter().copied().collect()
}

/// The kind of a whole name.
fn known(plain: &str) -> Option<&'static str> {
    static TABLE: OnceLock<FxHashMap<&'static str, &'static str>> = OnceLock::new();
    TABLE.get_or_init(|| table(NAMES)).get(plain).copied()
}

/// The kind of a last word.
fn last_word(word: &str) -> Option<&'static str> {
    static TABLE: OnceLock<FxHashMap<&'static str, &'static str>> = OnceLock::new();
    TABLE.get_or_init(|| table(LAST)).get(word).copied()
}

/// True for a word, or words written as one, that is the name of a secret.
pub(super) fn names_secret(word: &str) -> bool {
    let plain = plain(word);
    known(&plain).or_else(|| last_word(&plain)).is_some()
}

/// What a name says of the value behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    /// The kind of the secret.
    pub kind: &'static str,
    /// False where the name stands for other things, too: then the value has to look like a key.
    pub sure: bool,
}

impl Said {
    /// True if the value may be the secret that the name speaks of.
    pub fn fits(self, value: &str) -> bool {
        if self.kind == ACCESSOR {
            return words::is_uuid(value);
        }
        let looks = words::is_random(value, 12) || self.kind == "password" && words::is_strong(value);
        let other = || words::is_uuid(value) || words::is_date(value) || made::is_named_hash(value);
        let told = || bare::is_account_key(value) || looks && !value.contains([' ', '/', '\\']) && !other();
        (self.sure || told()) && !self.is_public(value)
    }
}

impl Said {
    /// True for what opens nothing: the fingerprint of a key, as GnuPG prints it, and the address of a contract.
    fn is_public(self, value: &str) -> bool {
        let digits = match self.kind {
            "private-key" => Some(value).filter(|value| !value.bytes().any(|byte| byte.is_ascii_lowercase())),
            "token" => value.strip_prefix("0x"),
            _ => None,
        };
        digits.is_some_and(|digits| digits.len() == 40 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
    }
}

/// What a member of this name holds, if that is or may be a secret.
pub fn said(name: &str, own: &[String]) -> Option<Said> {
    // Where a name was or held a secret itself, what stands there now tells nothing of the value.
    if NEVER.contains(&name) || name.len() > 64 || name.contains(MARK.0) {
        return None;
    }
    let plain = plain(name);
    if OPEN.contains(&plain.as_str()) {
        return None;
    }
    if let Some(kind) = known(&plain) {
        return Some(Said { kind, sure: true });
    }
    let own = own.contains(&plain).then_some(Said { kind: "custom", sure: true });
    own.or_else(|| by_words(name))
}

/// What the last words of a name say: `AWS_SECRET_ACCESS_KEY`, `githubToken`, `smtp-password2`.
fn by_words(name: &str) -> Option<Said> {
    let words = words(name);
    // `--no-password` asks for none.
    if words.len() > 1 && matches!(words[0].as_str(), "no" | "without") {
        return None;
    }
    let mut words: Vec<&str> = words.iter().map(|word| word.trim_end_matches(|c: char| c.is_ascii_digit())).collect();
    words.retain(|word| !word.is_empty());
    while words.len() > 1 && words.last().is_some_and(|last| SPELLING.contains(last)) {
        words.pop();
    }
    let all = words.len();
    while words.len() > 1 && words.last().is_some_and(|last| WHICH.contains(last)) {
        words.pop();
    }
    let said = by_last(&mut words);
    // What comes behind may be said of something else: `token_test`.
    let is_all = words.len() + 1 == all;
    said.map(|said| Said { sure: said.sure && (is_all || said.kind != "token"), ..said })
}

/// What the last of these words says, with the one before it.
fn by_last(words: &mut Vec<&str>) -> Option<Said> {
    let last = words.pop()?;
    let before = words.last().copied().unwrap_or_default();
    let of = |list: &[(&str, &'static str)], word: &str| {
        list.iter().find(|(known, _)| *known == word).map(|(_, kind)| Said { kind, sure: true })
    };
    let maybe = |kind| Some(Said { kind, sure: false });
    match last {
        "token" | "tokens" if HARMLESS.contains(&before) => None,
        // A credential, or what tells a request that is sent twice.
        "token" if before == "client" => maybe("token"),
        "key" | "keys" => of(KEYS, before).or_else(|| match before.is_empty() || LOOKUP.contains(&before) {
            true => None,
            false => maybe("api-key"),
        }),
        "code" | "codes" if CODES.contains(&before) => Some(Said { kind: "secret", sure: true }),
        "phrase" if matches!(before, "seed" | "recovery" | "pass") => Some(Said { kind: "secret", sure: true }),
        "string" | "url" | "uri" if before == "webhook" => maybe("secret"),
        "pass" if matches!(before, "tests" | "checks" | "first" | "second") => None,
        "pass" | "pw" if !before.is_empty() => Some(Said { kind: "password", sure: true }),
        "pass" | "pw" => maybe("password"),
        "pat" => maybe("token"),
        "sid" if before == "connect" => maybe("cookie"),
        "answer" if before == "security" => Some(Said { kind: "secret", sure: true }),
        "passe" if before == "de" => Some(Said { kind: "password", sure: true }),
        "seed" if matches!(before, "totp" | "otp" | "wallet" | "mfa") => Some(Said { kind: "secret", sure: true }),
        "secrets" | "tokens" | "auth" | "oauth" | "sas" => maybe("secret"),
        "cookies" => maybe("cookie"),
        // Words for other things, too.
        "clave" | "geslo" | "parole" | "parool" | "κωδικός" | "암호" => maybe("password"),
        "密钥" => maybe("secret"),
        // Of texts, too.
        "токен" => maybe("token"),
        last if ["令牌", "トークン", "토큰"].iter().any(|token| last.ends_with(token)) => maybe("token"),
        last => last_word(last).map(|kind| Said { kind, sure: true }).or_else(|| ending(last)),
    }
}

/// What the end of a word says that was written in one: `PGPASSWORD`, `dbpasswd`.
fn ending(word: &str) -> Option<Said> {
    const ENDS: [(&str, &str); 8] = [
        ("password", "password"),
        ("passwd", "password"),
        ("passphrase", "password"),
        ("secret", "secret"),
        ("apikey", "api-key"),
        ("accesskey", "api-key"),
        ("secretkey", "secret"),
        ("authtoken", "token"),
    ];
    let sure = ENDS.iter().find(|(end, _)| word.ends_with(end)).map(|(_, kind)| Said { kind, sure: true });
    // `githubtoken` is one, `nexttoken` a place in a list.
    let glued = word.strip_suffix("pass").or_else(|| word.strip_suffix("pw")).filter(|of| OWNERS.contains(of));
    let sure = sure.or(glued.map(|_| Said { kind: "password", sure: true }));
    let of = word.strip_suffix("token").filter(|of| !of.is_empty() && !HARMLESS.contains(of));
    // The id of a session in one word is that of a cookie; where programs speak of theirs it is two.
    let session = word.ends_with("sessionid") || word.ends_with("sessid") || word == "csrf" || word == "xsrf";
    sure.or_else(|| of.map(|_| Said { kind: "token", sure: false }))
        .or_else(|| session.then_some(Said { kind: "cookie", sure: false }))
}

/// The words of a name in lower case: `aB`, `a_b`, `a-b` and `A B` are two.
fn words(name: &str) -> Vec<String> {
    let (mut words, mut after_small) = (vec![String::new()], false);
    for c in name.chars() {
        let begins = c.is_ascii_uppercase() && after_small;
        if begins || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            if c.is_ascii() {
                word.push(c.to_ascii_lowercase());
            } else {
                word.extend(c.to_lowercase());
            }
        }
        after_small = c.is_ascii_lowercase() || c.is_ascii_digit();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// True for the folder that a shell is in: `"pwd": "/home/jo"`.
pub(super) fn is_folder(name: &str, value: &str) -> bool {
    let drive = value.as_bytes().get(1..3).is_some_and(|sign| matches!(sign, b":\\" | b":/"));
    let is_path = value.starts_with(['/', '~']) || drive;
    is_path && ["pwd", "oldpwd"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// True for a word that says whose the `pass` behind it is.
pub fn is_owner(word: &str) -> bool {
    OWNERS.contains(&word.to_ascii_lowercase().as_str())
}

/// True for a word that makes the `token` behind it a place, a piece of text or the name of a work.
pub fn is_harmless(word: &str) -> bool {
    HARMLESS.contains(&word.to_ascii_lowercase().as_str())
}

/// True for a member that says what a thing is, in an object whose name speaks of secrets.
pub fn describes(name: &str) -> bool {
    let words = words(name);
    let last = words.last().map(String::as_str).unwrap_or_default();
    [
        "id",
        "type",
        "name",
        "description",
        "title",
        "url",
        "uri",
        "href",
        "ref",
        "path",
        "at",
        "date",
        "format",
        "schema",
        "kind",
        "user",
        "username",
        "login",
        "email",
        "expiration",
        "expires",
        "expiry",
        "fingerprint",
        "thumbprint",
        "integrity",
        "digest",
        "checksum",
        "version",
        "resolved",
        "issuer",
        "audience",
        "algorithm",
        "region",
    ]
    .contains(&last)
}

/// True for a member whose value is left alone whatever it looks like.
pub fn ties(name: &str) -> bool {
    name != "method" && NEVER.contains(&name)
}

/// True for the name of a member that every message has.
pub fn is_of_envelope(name: &str) -> bool {
    ["jsonrpc", "id", "method", "params", "result", "error", "code", "message", "data"].contains(&name)
}

/// What stands before and after the name of a secret.
const MARK: (&str, &str) = ("<<secret:", ">>");

/// True if a placeholder has begun where this text ends: what follows is the kind of a secret, and no label.
pub fn opens_placeholder(before: &str) -> bool {
    before.ends_with(MARK.0)
}

/// The placeholder of a secret: `<<secret:token#1>>` for `token#1`.
pub fn written(name: &str) -> String {
    format!("{}{name}{}", MARK.0, MARK.1)
}

/// The kind of a secret, once it is known.
pub fn kind_of(kind: &'static str, secret: &str) -> &'static str {
    if kind == SESSION && !is_visible(secret) { ODD_SESSION } else { kind }
}

/// True for a text of ASCII without control characters; of what was replaced, if it was one. Blanks, and the signs of what was left
/// out, may be a filter's.
pub fn is_visible(text: &str) -> bool {
    let visible = text.chars().all(|c| matches!(c, ' '..='~' | '…' | '•' | '█'));
    visible && !placeholders(text).iter().any(|(_, kind, _)| *kind == ODD_SESSION)
}

/// A kind of secret by its word.
pub fn kind_named(word: &str) -> Option<&'static str> {
    KINDS.iter().copied().find(|known| *known == word)
}

/// True for the name of a secret that was replaced (`password#1`), by which people are asked for it.
pub fn is_placeholder_name(text: &str) -> bool {
    text.split_once('#').is_some_and(|(kind, number)| kind_named(kind).is_some() && number.parse::<u64>().is_ok())
}

/// No placeholder is longer than this, in bytes.
const LONGEST: usize = 64;

/// The placeholders in a text, of secrets that were replaced before: where they stand, kind and number.
pub fn placeholders(text: &str) -> Vec<(Range<usize>, &'static str, u64)> {
    let found = text.match_indices(MARK.0).filter_map(|(start, _)| {
        let from = start + MARK.0.len();
        let name = &text[from..from + start_of(&text[from..], LONGEST).find(MARK.1)?];
        let (kind, number) = name.split_once('#')?;
        let kind = kind_named(kind)?;
        Some((start..from + name.len() + MARK.1.len(), kind, number.parse().ok()?))
    });
    found.collect()
}
