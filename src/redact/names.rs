//! Names of members that hold a secret, and of those that never do; the placeholders that take its place.

use std::ops::Range;

/// Kinds of secrets; a placeholder begins with one.
pub const KINDS: [&str; 12] = [
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
    "session",
];

/// Whole names, without regard to case, `_` and `-`.
pub(super) const NAMES: [(&str, &str); 34] = [
    ("authorization", "authz"),
    ("proxyauthorization", "authz"),
    ("password", "password"),
    ("passwd", "password"),
    ("passphrase", "password"),
    ("pwd", "password"),
    ("secret", "secret"),
    ("clientsecret", "secret"),
    ("secretkey", "secret"),
    ("secretaccesskey", "secret"),
    ("credential", "secret"),
    ("credentials", "secret"),
    ("token", "token"),
    ("accesstoken", "token"),
    ("refreshtoken", "token"),
    ("idtoken", "token"),
    ("authtoken", "token"),
    ("xauthtoken", "token"),
    ("apitoken", "token"),
    ("bearer", "token"),
    ("bearertoken", "token"),
    ("sessiontoken", "token"),
    ("csrftoken", "token"),
    ("apikey", "api-key"),
    ("xapikey", "api-key"),
    ("accesskey", "api-key"),
    ("subscriptionkey", "api-key"),
    ("cookie", "cookie"),
    ("setcookie", "cookie"),
    ("privatekey", "private-key"),
    ("sshkey", "private-key"),
    ("sshprivatekey", "private-key"),
    ("signingkey", "private-key"),
    ("mcpsessionid", "session"),
];

/// Last words of names, as in `DB_PASSWORD` and `jwtSecret`.
const LAST: [(&str, &str); 15] = [
    ("password", "password"),
    ("passwd", "password"),
    ("passphrase", "password"),
    ("pwd", "password"),
    ("secret", "secret"),
    ("credential", "secret"),
    ("credentials", "secret"),
    ("token", "token"),
    ("jwt", "jwt"),
    ("bearer", "token"),
    ("authorization", "authz"),
    ("cookie", "cookie"),
    ("apikey", "api-key"),
    ("accesskey", "api-key"),
    ("privatekey", "private-key"),
];

/// Words before `key` that make it a secret: there are keys of maps, of rows and of keyboards, too.
const KEYS: [(&str, &str); 20] = [
    ("api", "api-key"),
    ("access", "api-key"),
    ("account", "api-key"),
    ("shared", "api-key"),
    ("subscription", "api-key"),
    ("service", "api-key"),
    ("storage", "api-key"),
    ("deploy", "api-key"),
    ("admin", "api-key"),
    ("license", "api-key"),
    ("auth", "api-key"),
    ("webhook", "api-key"),
    ("private", "private-key"),
    ("signing", "private-key"),
    ("ssh", "private-key"),
    ("encryption", "private-key"),
    ("master", "private-key"),
    ("hmac", "private-key"),
    ("secret", "secret"),
    ("jwt", "secret"),
];

/// Words before `token` that make it a place in a list, a piece of text or the name of a work, not a credential.
const HARMLESS: [&str; 26] = [
    "next",
    "page",
    "paging",
    "progress",
    "partial",
    "partialresult",
    "continuation",
    "cursor",
    "sync",
    "resume",
    "done",
    "cancel",
    "cancellation",
    "start",
    "end",
    "prev",
    "previous",
    "stop",
    "special",
    "pad",
    "mask",
    "eos",
    "bos",
    "unk",
    "syntax",
    "result",
];

/// Last words that say how a value is written, not what it is.
const SPELLING: [&str; 6] = ["value", "string", "plain", "plaintext", "b64", "base64"];

/// Members that tie messages together or say what they are.
const NEVER: [&str; 8] = [
    "jsonrpc",
    "method",
    "requestId",
    "progressToken",
    "workDoneToken",
    "partialResultToken",
    "taskId",
    "protocolVersion",
];

/// A name without case and punctuation.
pub fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).map(|c| c.to_ascii_lowercase()).collect()
}

/// What a member of this name holds, if that is a secret.
pub fn kind(name: &str, own: &[String]) -> Option<&'static str> {
    if NEVER.contains(&name) || name.len() > 64 {
        return None;
    }
    let plain = plain(name);
    if let Some((_, kind)) = NAMES.iter().find(|(known, _)| *known == plain) {
        return Some(kind);
    }
    by_words(name).or_else(|| own.contains(&plain).then_some("custom"))
}

/// What the last words of a name say: `AWS_SECRET_ACCESS_KEY`, `githubToken`, `smtp-password2`.
fn by_words(name: &str) -> Option<&'static str> {
    let words = words(name);
    let mut words: Vec<&str> = words.iter().map(|word| word.trim_end_matches(|c: char| c.is_ascii_digit())).collect();
    words.retain(|word| !word.is_empty());
    if words.len() > 1 && words.last().is_some_and(|last| SPELLING.contains(last)) {
        words.pop();
    }
    let last = words.pop()?;
    let before = words.last().copied().unwrap_or_default();
    let of = |list: &[(&str, &'static str)], word: &str| {
        list.iter().find(|(known, _)| *known == word).map(|(_, kind)| *kind)
    };
    match last {
        "token" if HARMLESS.contains(&before) => None,
        "key" => of(&KEYS, before),
        "pass" if !before.is_empty() => Some("password"),
        last => of(&LAST, last),
    }
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
            word.push(c.to_ascii_lowercase());
        }
        after_small = c.is_ascii_lowercase() || c.is_ascii_digit();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// True for what stands where a secret would: a variable that holds it, a placeholder, the word of a schema.
pub fn is_stand_in(value: &str) -> bool {
    let is = |open: &str, close: &str| value.starts_with(open) && value.ends_with(close) && value.len() > open.len();
    let words = [
        "string",
        "number",
        "boolean",
        "object",
        "array",
        "integer",
        "null",
        "none",
        "true",
        "false",
        "undefined",
        "required",
        "optional",
    ];
    let first = value.chars().next();
    let masked = first
        .is_some_and(|first| matches!(first, '*' | 'x' | 'X' | '.' | '\u{2022}') && value.chars().all(|c| c == first));
    let variable = value
        .strip_prefix('$')
        .is_some_and(|name| name.starts_with(|c: char| c.is_ascii_uppercase() || matches!(c, '{' | '(')));
    let read =
        ["process.env", "os.environ", "os.getenv", "env.", "secrets."].iter().any(|word| value.starts_with(word));
    masked
        || variable
        || read
        || is("<", ">")
        || is("{{", "}}")
        || is("%", "%")
        || words.contains(&value.to_ascii_lowercase().as_str())
}

/// True for a member whose value is left alone whatever it looks like.
pub fn ties(name: &str) -> bool {
    NEVER.contains(&name)
}

/// What stands before and after the name of a secret.
const MARK: (&str, &str) = ("<<secret:", ">>");

/// The placeholder of a secret: `<<secret:token#1>>` for `token#1`.
pub fn written(name: &str) -> String {
    format!("{}{name}{}", MARK.0, MARK.1)
}

/// A kind of secret by its word.
pub fn kind_named(word: &str) -> Option<&'static str> {
    KINDS.iter().copied().find(|known| *known == word)
}

/// The placeholders in a text, of secrets that were replaced before: where they stand, kind and number.
pub fn placeholders(text: &str) -> Vec<(Range<usize>, &'static str, u64)> {
    let found = text.match_indices(MARK.0).filter_map(|(start, _)| {
        let from = start + MARK.0.len();
        let name = &text[from..from + text[from..].find(MARK.1)?];
        let (kind, number) = name.split_once('#')?;
        let kind = kind_named(kind)?;
        Some((start..from + name.len() + MARK.1.len(), kind, number.parse().ok()?))
    });
    found.collect()
}
