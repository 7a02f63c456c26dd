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

const EMAIL: &str = r"\b[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b";

/// Compiled shapes.
#[derive(Debug)]
pub struct Shapes {
    all: Vec<(&'static str, Regex)>,
    labelled: Option<Regex>,
}

impl Shapes {
    /// The usual ones and a user's.
    pub fn new(custom: &Custom) -> Shapes {
        let email = custom.emails.then_some(("email", EMAIL));
        let own = custom.values.iter().map(|value| ("custom", value.as_str()));
        let all = SHAPES.into_iter().chain(email).chain(own);
        Shapes {
            all: all.filter_map(|(kind, shape)| Some((kind, Regex::new(shape).ok()?))).collect(),
            labelled: Regex::new(LABELLED).ok(),
        }
    }

    /// Where the secrets of a text are. `prose` says that it is no JSON string but text as a program printed it.
    pub fn find(&self, text: &str, prose: bool) -> Vec<(&'static str, Range<usize>)> {
        let mut found = Vec::new();
        let labelled = self.labelled.as_ref().filter(|_| prose).map(|shape| ("secret", shape));
        for (kind, shape) in self.all.iter().map(|(kind, shape)| (*kind, shape)).chain(labelled) {
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
