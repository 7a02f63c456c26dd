//! Shapes that give a secret away, wherever it stands.

use std::ops::Range;

use regex::Regex;

use super::Custom;

/// Where a text is no JSON, a name before a colon or an equals sign tells as much as the name of a member.
const LABELLED: &str = r#"(?i)\b(?:proxy-)?(?:authorization|password|passwd|client[_-]?secret|secret[_-]?key|secret|api[_-]?key|access[_-]?token|refresh[_-]?token|auth[_-]?token|set-cookie|cookie)["']?\s*[:=]\s*["']?(?:(?:bearer|basic|token)\s+)?([^\s"',;&<>{}\[\]]{4,})"#;

const SHAPES: [(&str, &str); 10] = [
    ("private-key", r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\z)"),
    ("jwt", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    ("api-key", r"\bsk-[A-Za-z0-9_-]{16,}"),
    (
        "api-key",
        r"\b(?:AIza[A-Za-z0-9_-]{35}|[rsp]k_(?:live|test)_[A-Za-z0-9]{10,}|npm_[A-Za-z0-9]{30,}|hf_[A-Za-z0-9]{30,})",
    ),
    (
        "token",
        r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{20,}|xox[abeoprs]-[A-Za-z0-9-]{10,})",
    ),
    ("aws", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    ("authz", r"(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{8,})"),
    ("password", r"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/@:<>]*:([^\s/@<>]+)@"),
    ("token", r"(?i)[?&](?:access_token|api_key|apikey|key|token|password|secret|sig|signature)=([^&\s#<>]{6,})"),
    ("password", r"(?i)\b(?:password|passwd|secret|api[_-]?key|access[_-]?token)=([^\s&;,<>]{4,})"),
];

/// What a text must hold before any of [`SHAPES`] or [`LABELLED`] can fit. Nearly all texts do not, and one look at them is enough.
const HINT: &str = r"(?i-u)-----BEGIN|eyJ|sk-|AIza|k_live|k_test|npm_|hf_|gh[pousr]_|github_pat_|glpat-|xox|AKIA|ASIA|bearer|://|[?&](?:key|sig)|password|passwd|secret|api[_-]?key|access[_-]?token|refresh[_-]?token|auth[_-]?token|token=|signature=|authorization|cookie";

const EMAIL: &str = r"\b[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b";

/// Compiled shapes.
#[derive(Clone, Debug)]
pub struct Shapes {
    usual: Vec<(&'static str, Regex)>,
    /// Those that only some users want.
    own: Vec<(&'static str, Regex)>,
    labelled: Option<Regex>,
    hint: Option<Regex>,
}

impl Shapes {
    /// The usual ones and a user's.
    pub fn new(custom: &Custom) -> Shapes {
        let email = custom.emails.then_some(("email", EMAIL));
        let own = custom.values.iter().map(|value| ("custom", value.as_str()));
        Shapes {
            usual: compiled(SHAPES.into_iter()),
            own: compiled(email.into_iter().chain(own)),
            labelled: Regex::new(LABELLED).ok(),
            hint: Regex::new(HINT).ok(),
        }
    }

    /// Where the secrets of a text are. `prose` says that it is no JSON string but text as a program printed it.
    pub fn find(&self, text: &str, prose: bool) -> Vec<(&'static str, Range<usize>)> {
        let mut found = Vec::new();
        let hinted = self.hint.as_ref().is_none_or(|hint| hint.is_match(text));
        let usual = if hinted { &self.usual[..] } else { &[] };
        let labelled = self.labelled.as_ref().filter(|_| prose && hinted).map(|shape| ("secret", shape));
        for (kind, shape) in usual.iter().chain(&self.own).map(|(kind, shape)| (*kind, shape)).chain(labelled) {
            for hit in shape.captures_iter(text) {
                // The secret is the first group where there is one, and all of it otherwise.
                let Some(secret) = hit.get(1).or_else(|| hit.get(0)) else { continue };
                if kind != "authz" || secret.as_str().bytes().any(|byte| byte.is_ascii_digit()) {
                    found.push((kind, secret.range()));
                }
            }
        }
        found
    }
}

fn compiled<'s>(shapes: impl Iterator<Item = (&'static str, &'s str)>) -> Vec<(&'static str, Regex)> {
    shapes.filter_map(|(kind, shape)| Some((kind, Regex::new(shape).ok()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One text for each shape, and for each of its branches.
    const SECRETS: [&str; 25] = [
        "-----BEGIN RSA PRIVATE KEY-----\nabc",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.sig",
        "sk-abcdefghijklmnopqrst",
        "AIzaSyA1234567890abcdefghijklmnopqrstuv",
        "sk_live_1234567890ab",
        "rk_test_1234567890ab",
        "npm_123456789012345678901234567890",
        "hf_123456789012345678901234567890",
        "ghp_12345678901234567890",
        "github_pat_12345678901234567890",
        "glpat-12345678901234567890",
        "xoxb-1234567890",
        "AKIA1234567890ABCDEF",
        "ASIA1234567890ABCDEF",
        "Bearer abcdefgh1",
        "postgres://me:hush@host/db",
        "/x?access_token=abcdefg",
        "/x?api_key=abcdefg",
        "/x?apikey=abcdefg",
        "/x?KEY=abcdefg",
        "/x&token=abcdefg",
        "/x?sig=abcdefg",
        "/x?signature=abcdefg",
        "passwd=hush1",
        "api-key=hush1",
    ];

    #[test]
    fn the_hint_fits_whatever_a_shape_fits() {
        let shapes = Shapes::new(&Custom::default());
        for text in SECRETS {
            assert!(!shapes.find(text, false).is_empty(), "{text}");
        }
        for label in
            ["authorization", "Proxy-Authorization", "password", "passwd", "client-secret", "secret_key", "secret"]
        {
            assert!(!shapes.find(&format!("{label}: abcdef1"), true).is_empty(), "{label}");
        }
        for label in ["api-key", "APIKEY", "access_token", "refresh-token", "authtoken", "set-cookie", "cookie"] {
            assert!(!shapes.find(&format!("{label} = abcdef1"), true).is_empty(), "{label}");
        }
    }
}
