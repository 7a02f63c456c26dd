//! Shapes that give a secret away, wherever it stands.

use std::ops::Range;

use regex::{Captures, Regex};

use super::vendors::VENDORS;
use super::{Custom, names};

/// A name before a colon or an equals sign tells as much as the name of a member: `DB_PASSWORD=...`, `api_key: ...`.
/// Its groups: the name, what stands between, the secret.
const LABELLED: &str = r#"(?i)([a-z0-9_.-]{0,40}(?:pass(?:word|wd|phrase)?|pwd|secret|token|key|authorization|auth|cookie|credentials?|jwt)[a-z0-9_]{0,12})["']?(\s*[:=]\s*)["']?(?:(?:bearer|basic|token)\s+)?([^\s"',;&<>{}\[\]]{4,})"#;

const SHAPES: [(&str, &str); 4] = [
    (
        "private-key",
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
    ),
    ("jwt", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    ("authz", r"(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{8,})"),
    ("password", r"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/@:<>]*:([^\s/@<>]+)@"),
];

/// In a query of a URL these are secrets although no member of such a name is one.
const QUERY: &str = r"(?i)[?&](?:key|sig|signature)=([^&\s#<>]{6,})";

/// What a text must hold before any of [`SHAPES`] or [`LABELLED`] can fit, besides the hints of [`VENDORS`].
const HINT: &str = r"(?i-u:-----BEGIN|eyJ|bearer|://|[?&](?:key|sig)|pass|pwd|secret|token|key\s*[:=]|key['\x22]|auth|cookie|credential|jwt)";

/// The same for [`VENDORS`]: nearly all texts hold none of it, and one look at them is enough.
pub(super) fn hint() -> String {
    VENDORS.iter().map(|(hint, ..)| *hint).fold(HINT.to_string(), |all, hint| format!("{all}|{hint}"))
}

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
        let forms = VENDORS.iter().map(|(_, kind, form)| (*kind, *form));
        let email = custom.emails.then_some(("email", EMAIL));
        let own = custom.values.iter().map(|value| ("custom", value.as_str()));
        Shapes {
            usual: compiled(SHAPES.into_iter().chain([("token", QUERY)]).chain(forms)),
            own: compiled(email.into_iter().chain(own)),
            labelled: Regex::new(LABELLED).ok(),
            hint: Regex::new(&hint()).ok(),
        }
    }

    /// Where the secrets of a text are. `prose` says that it is no JSON string but text as a program printed it.
    pub fn find(&self, text: &str, prose: bool) -> Vec<(&'static str, Range<usize>)> {
        let mut found = Vec::new();
        let hinted = self.hint.as_ref().is_none_or(|hint| hint.is_match(text));
        let usual = if hinted { &self.usual[..] } else { &[] };
        if let Some(labelled) = self.labelled.as_ref().filter(|_| hinted) {
            found.extend(labelled.captures_iter(text).filter_map(|hit| secret_of(text, &hit, prose)));
        }
        for (kind, shape) in usual.iter().chain(&self.own) {
            let kind = *kind;
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

/// The secret behind a label, if that names one. In a sentence a colon explains as often as it assigns: there the secret
/// has to look like one, or to stand alone on its line as in YAML.
fn secret_of(text: &str, hit: &Captures<'_>, prose: bool) -> Option<(&'static str, Range<usize>)> {
    let (label, between, secret) = (hit.get(1)?, hit.get(2)?.as_str(), hit.get(3)?);
    let kind = names::kind(label.as_str().rsplit('.').next()?, &[])?;
    if names::is_stand_in(secret.as_str()) {
        return None;
    }
    let line = text[..label.start()].rfind('\n').map_or(0, |at| at + 1);
    let starts_line = text[line..label.start()].chars().all(|c| c.is_whitespace() || matches!(c, '-' | '"' | '\''));
    let ends_line = text[secret.end()..].trim_start_matches(['"', '\'', ',', ' ', '\r']).starts_with('\n')
        || secret.end() == text.len();
    let assigned = prose || between.contains('=') || starts_line && ends_line && text.contains('\n');
    (assigned || secret.as_str().bytes().any(|byte| byte.is_ascii_digit())).then(|| (kind, secret.range()))
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
