//! Shapes that give a secret away, wherever it stands.

use std::ops::Range;
use std::sync::OnceLock;

use regex::{Captures, Regex};

use super::hints::{self, Hints, Word};
use super::vendors::VENDORS;
use super::{Custom, names};

/// A name before a colon or an equals sign tells as much as the name of a member: `DB_PASSWORD=...`, `api_key: ...`.
/// Its groups: the name, what stands between, the secret.
const LABELLED: &str = r#"(?i)([a-z0-9_.-]{0,40}(?:pass(?:word|wd|phrase)?|pwd|secret|token|key|authorization|auth|cookie|credentials?|jwt)[a-z0-9_]{0,12})["']?(\s*[:=]\s*)["']?(?:(?:bearer|basic|token)\s+)?([^\s"',;&<>{}\[\]]{4,})"#;

/// What a text must hold before [`LABELLED`] can fit: one of these in any case, or a `key` that is given a value.
const LABELS: [&str; 8] = ["pass", "pwd", "secret", "token", "auth", "cookie", "credential", "jwt"];

/// What a text must hold in any case, the kind of secret, and its form; in a query of a URL `key` and `sig` are secrets although no
/// member of such a name is one.
const SHAPES: [(&str, &str, &str); 5] = [
    (
        "-----BEGIN",
        "private-key",
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
    ),
    ("eyJ", "jwt", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    ("bearer", "authz", r"(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{8,})"),
    // Looked for where a name and a password may stand, see `words`.
    ("", "password", r"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/@:<>]*:([^\s/@<>]+)@"),
    ("?key|&key|?sig|&sig", "token", r"(?i)[?&](?:key|sig|signature)=([^&\s#<>]{6,})"),
];

/// Words that give no shape away, but that the name of a secret may hold. An escape may hide what a shape needs, so a text with one is
/// always looked into.
const NAMED: u8 = 0;

/// The number of [`LABELLED`] among the hints; those of [`usual`] follow it.
const LABEL: u8 = 1;

/// The place of URLs with a password among [`SHAPES`].
const WITH_PASSWORD: u8 = 3;

fn usual() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    SHAPES.into_iter().chain(VENDORS)
}

/// The words of all hints.
fn words() -> impl Iterator<Item = Word> {
    let named = [
        Word::any_case_where("session", NAMED, hints::before_id),
        Word::any_case_where("private", NAMED, hints::goes_on),
        Word::any_case_where("key", NAMED, hints::ends_a_name),
        Word::exact("\\u", NAMED),
        Word::exact("\\/", NAMED),
        Word::any_case_where("key", LABEL, hints::is_assigned),
        Word::any_case_where("://", LABEL + 1 + WITH_PASSWORD, hints::holds_user),
    ];
    let labels = LABELS.into_iter().map(|word| Word::any_case(word, LABEL));
    let numbered =
        |(words, ..): (&'static str, _, _), at: usize| words.split('|').map(move |word| (word, LABEL + 1 + at as u8));
    let shapes = SHAPES.into_iter().enumerate().flat_map(move |(at, shape)| numbered(shape, at));
    let vendors = VENDORS.into_iter().enumerate().flat_map(move |(at, shape)| numbered(shape, SHAPES.len() + at));
    named
        .into_iter()
        .chain(labels)
        .chain(shapes.map(|(word, of)| Word::any_case(word, of)))
        .chain(vendors.map(|(word, of)| Word::exact(word, of)))
}

/// The look at a text, made once for the whole program.
fn all_hints() -> &'static Hints {
    static HINTS: OnceLock<Hints> = OnceLock::new();
    HINTS.get_or_init(|| Hints::new(words()))
}

/// True if a text holds what one of the usual shapes needs, or what the name of a secret may hold. Nearly all texts hold none of
/// it, and one look is enough.
pub(super) fn is_hinted(text: &str) -> bool {
    let mut hinted = false;
    all_hints().search(text, |_| {
        hinted = true;
        true
    });
    hinted
}

/// The usual shapes, for the whole program: an expression is compiled when a text first holds what it needs.
struct Usual {
    shapes: Vec<Shape>,
    labelled: OnceLock<Option<Regex>>,
}

struct Shape {
    kind: &'static str,
    form: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

impl Shape {
    fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| Regex::new(self.form).ok()).as_ref()
    }
}

impl Usual {
    fn get() -> &'static Usual {
        static USUAL: OnceLock<Usual> = OnceLock::new();
        let shape = |(_, kind, form)| Shape { kind, form, compiled: OnceLock::new() };
        USUAL.get_or_init(|| Usual { shapes: usual().map(shape).collect(), labelled: OnceLock::new() })
    }

    fn labelled(&self) -> Option<&Regex> {
        self.labelled.get_or_init(|| Regex::new(LABELLED).ok()).as_ref()
    }

    fn find(&self, text: &str, prose: bool, found: &mut Vec<(&'static str, Range<usize>)>) {
        let mut hinted = 0u128;
        all_hints().search(text, |of| {
            hinted |= 1 << of;
            false
        });
        if hinted >> LABEL & 1 == 1 {
            let all = self.labelled().into_iter().flat_map(|labelled| labelled.captures_iter(text));
            found.extend(all.filter_map(|hit| secret_of(text, &hit, prose)));
        }
        for (at, shape) in self.shapes.iter().enumerate() {
            if hinted >> (usize::from(LABEL) + 1 + at) & 1 == 1 {
                shape.regex().into_iter().for_each(|regex| hits(shape.kind, regex, text, found));
            }
        }
    }
}

/// The secret is the first group where there is one, and all of it otherwise.
fn hits(kind: &'static str, regex: &Regex, text: &str, found: &mut Vec<(&'static str, Range<usize>)>) {
    let secrets = regex.captures_iter(text).filter_map(|hit| hit.get(1).or_else(|| hit.get(0)));
    let secrets = secrets.filter(|secret| kind != "authz" || secret.as_str().bytes().any(|byte| byte.is_ascii_digit()));
    found.extend(secrets.map(|secret| (kind, secret.range())));
}

const EMAIL: &str = r"\b[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b";

/// The usual shapes, and those that only some users want.
#[derive(Clone, Debug)]
pub struct Shapes {
    own: Vec<(&'static str, Regex)>,
}

impl Shapes {
    /// The usual ones and a user's.
    pub fn new(custom: &Custom) -> Shapes {
        let email = custom.emails.then_some(("email", EMAIL));
        let own = email.into_iter().chain(custom.values.iter().map(|value| ("custom", value.as_str())));
        Shapes { own: own.filter_map(|(kind, shape)| Some((kind, Regex::new(shape).ok()?))).collect() }
    }

    /// Where the secrets of a text are. `prose` says that it is no JSON string but text as a program printed it.
    pub fn find(&self, text: &str, prose: bool) -> Vec<(&'static str, Range<usize>)> {
        let mut found = Vec::new();
        Usual::get().find(text, prose, &mut found);
        self.own.iter().for_each(|(kind, shape)| hits(kind, shape, text, &mut found));
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
    fn every_expression_compiles() {
        assert!(words().all(|word| usize::from(word.hint()) < usual().count() + 2), "a hint is a bit of 128");
        for (_, kind, form) in usual().chain([("", "label", LABELLED)]) {
            assert!(Regex::new(form).is_ok(), "{kind}: {form}");
        }
    }

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
