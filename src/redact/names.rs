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

/// Ends of names, as in `DB_PASSWORD` and `OPENAI_API_KEY`.
pub(super) const ENDS: [(&str, &str); 5] = [
    ("password", "password"),
    ("apikey", "api-key"),
    ("clientsecret", "secret"),
    ("accesstoken", "token"),
    ("privatekey", "private-key"),
];

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
    if let Some((_, kind)) = ENDS.iter().find(|(end, _)| plain.ends_with(end)) {
        return Some(kind);
    }
    // Environment variables; `nextPageToken` and its like are no secrets.
    if name.ends_with("_TOKEN") {
        return Some("token");
    }
    if name.ends_with("_SECRET") {
        return Some("secret");
    }
    own.contains(&plain).then_some("custom")
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

/// The placeholders in a text, of secrets that were replaced before: where they stand, kind and number.
pub fn placeholders(text: &str) -> Vec<(Range<usize>, &'static str, u64)> {
    let found = text.match_indices(MARK.0).filter_map(|(start, _)| {
        let from = start + MARK.0.len();
        let name = &text[from..from + text[from..].find(MARK.1)?];
        let (kind, number) = name.split_once('#')?;
        let kind = KINDS.iter().find(|known| **known == kind)?;
        Some((start..from + name.len() + MARK.1.len(), *kind, number.parse().ok()?))
    });
    found.collect()
}
