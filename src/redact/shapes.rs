//! Shapes that give a secret away, wherever it stands.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use regex::Regex;

use super::commands::COMMANDS;
use super::hints::Hints;
use super::stand_ins::{has_filling, has_zeros, is_code, is_slug, is_stand_in};
use super::vendors::VENDORS;
use super::{Custom, bare, blocks, labels, made, tables, words};

/// What a text must hold, the kind of secret, and its form; in a query of a URL `key` and `sig` are secrets although no
/// member of such a name is one.
const SHAPES: &[(&str, &str, &str)] = &[
    (
        "(?i-u:-----BEGIN)",
        "private-key",
        r"-----BEGIN (?:[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----(?s:.*?)(?:-----END (?:[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----|\z)",
    ),
    (
        "BEGIN SSH2",
        "private-key",
        r"-{4,5} ?BEGIN SSH2 [A-Z ]*PRIVATE KEY ?-{4,5}(?s:.*?)(?:-{4,5} ?END SSH2 [A-Z ]*PRIVATE KEY ?-{4,5}|\z)",
    ),
    // What is left of a block whose beginning was cut off.
    (
        "-----END",
        "private-key",
        r"[A-Za-z0-9+/]{40,}\s+(?:[A-Za-z0-9+/=]{4,}\s+)*-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----",
    ),
    ("Private-Lines", "private-key", r"Private-Lines: \d+\s+([A-Za-z0-9+/=\s]+?(?:\s*Private-MAC: [a-f0-9]+|\z))"),
    ("eyJ", "jwt", r"(?:\b|_)eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    ("eyJ", "jwt", r"(?:\b|_)eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+"),
    ("(?i-u:bearer)", "authz", r"(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{8,})"),
    ("(?i-u:basic)", "authz", r"\b[Bb]asic\s+([A-Za-z0-9+/]{12,}={0,2})(?:[\s\x22'\x60,;)\]}<]|$)"),
    ("SSWS", "authz", r"\bSSWS\s+([A-Za-z0-9_-]{20,})"),
    ("://", "password", r"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/@:<>\x22'\x60]*:([^\s/<>\x22'\x60]+)@"),
    (
        "://",
        "password",
        r"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/@:<>\x22'\x60]*:([^\s/@<>\x22'\x60]*[^\s/@<>\x22'\x600-9][^\s/@<>\x22'\x60]*/[^\s@<>\x22'\x60]*)@[^\s/@:<>\x22'\x60]+[:/]",
    ),
    ("://", "token", r"\b[A-Za-z][A-Za-z0-9+.-]*://([A-Za-z0-9_-]{10,})@"),
    (
        r"(?i-u:\?key|&key|\?sig|&sig|\?x-amz-s|&x-amz-s|\?x-goog-s|&x-goog-s)",
        "token",
        r"(?i)[?&](?:key|sig|signature|x-(?:amz|goog)-signature)=([^&\s#<>\x22'\x60]{6,})",
    ),
    (
        r"\$1\$|\$5\$|\$6\$|\$y\$|\$2a\$|\$2b\$|\$2x\$|\$2y\$|\$apr1\$|\$argon2|\$scrypt\$|\$gy\$|\$7\$|\$pbkdf2",
        "password",
        r"\$(?:1|2[abxy]|[567y]|gy|apr1|argon2(?:id?|d)|scrypt|pbkdf2[a-z0-9-]*)\$[A-Za-z0-9./$=,+_-]*[A-Za-z0-9./+]{20,}={0,2}",
    ),
    (
        r"pbkdf2_|pbkdf2:|scrypt:",
        "password",
        r"(?:\b|_)(?:pbkdf2_sha\d+\$|(?:pbkdf2|scrypt):[a-z0-9:]+\$)[A-Za-z0-9./$=+]{20,}",
    ),
    (r"\{SHA|\{SSHA", "password", r"\{S?SHA(?:256|512)?\}([A-Za-z0-9+/]{26,}={0,2})"),
    ("WIFI:", "password", r"\bWIFI:[^\n]*?\bP:((?:\\.|[^;\\\n]){6,});"),
    (r"(?i-u:\?code=|&code=)", "token", r"(?i)[?&]code=([A-Za-z0-9._~%/-]{12,})"),
    (
        "(?i-u:sessid|sess_id|sesid|ses_id|sess=|sid=|session=)",
        "cookie",
        r"(?i)\b(?:[a-z0-9_.-]*sess(?:ion)?(?:_?id)?|(?:connect\.)?sid)=([A-Za-z0-9%+/=_.:-]{16,})",
    ),
];

/// The key that stands beside the id of an access key, wherever the two are written down together.
const BESIDE_AWS: &str = r"(?:^|[^A-Za-z0-9/+=])([A-Za-z0-9/+]{40})(?:$|[^A-Za-z0-9/+=])";

/// What a text must hold, besides what a shape needs, before a name can give a secret away: nearly all messages do not,
/// and one fast look at them is enough. An escape may hide what a shape needs, so a text with one is always looked into.
const NAMED: &str = r#"(?i-u:session|key|private|saml|seed)|"sensitive|"masked|\\u|\\/"#;

fn usual() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    SHAPES.iter().chain(COMMANDS).chain(VENDORS).copied()
}

/// True if a text holds what a name, a label or one of the usual shapes needs.
pub(super) fn is_hinted(text: &str) -> bool {
    let usual = Usual::get();
    let mut may = vec![false; usual.needs.len()];
    let mut hinted = false;
    usual.hints.search(text, |hint, _, whole| {
        hinted = whole;
        may[hint] = true;
        whole
    });
    hinted || may.iter().zip(&usual.needs).any(|(may, needed)| *may && needed.fits(text))
}

/// The usual shapes, for the whole program: an expression is compiled when a text first holds a word that it begins with.
struct Usual {
    hints: Hints,
    /// What names need, what labels need in two languages, then what each shape needs, in the order of [`usual`].
    needs: Vec<Lazy>,
    shapes: Vec<(&'static str, Lazy)>,
    beside_aws: Lazy,
}

/// An expression that is compiled when it is first asked for.
struct Lazy {
    form: Cow<'static, str>,
    compiled: OnceLock<Option<Regex>>,
}

impl Lazy {
    const fn new(form: &'static str) -> Lazy {
        Lazy { form: Cow::Borrowed(form), compiled: OnceLock::new() }
    }

    /// The form of a key, also behind a word and `_`, where no word ends: `tool_ghp_...`. A form that begins with letters by lot has
    /// no beginning that would tell it from the rest of a name.
    fn of_key(form: &'static str) -> Lazy {
        match form.strip_prefix(r"\b").filter(|form| !form.starts_with('[')) {
            Some(rest) => Lazy { form: format!(r"(?:\b|_){rest}").into(), compiled: OnceLock::new() },
            None => Lazy::new(form),
        }
    }

    fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| Regex::new(&self.form).ok()).as_ref()
    }

    fn fits(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }
}

/// The number of what labels need among the hints, and those of other languages; what shapes need follows.
const LABELS: usize = 1;
const OTHERS: usize = 2;

impl Usual {
    fn get() -> &'static Usual {
        static USUAL: OnceLock<Usual> = OnceLock::new();
        USUAL.get_or_init(|| {
            let needs: Vec<Lazy> = [NAMED, labels::PARTS, labels::OTHERS]
                .into_iter()
                .chain(usual().map(|(hint, ..)| hint))
                .map(Lazy::new)
                .collect();
            let hints = Hints::new(needs.iter().map(|needed| &*needed.form));
            let others = SHAPES.iter().chain(COMMANDS).map(|(_, kind, form)| (*kind, Lazy::new(form)));
            let shapes = others.chain(VENDORS.iter().map(|(_, kind, form)| (*kind, Lazy::of_key(form)))).collect();
            Usual { hints, needs, shapes, beside_aws: Lazy::new(BESIDE_AWS) }
        })
    }

    fn find(&self, text: &str, found: &mut Vec<(&'static str, Range<usize>)>) {
        let (mut hinted, mut parts): (Vec<(usize, bool)>, Vec<Range<usize>>) = Default::default();
        self.hints.search(text, |hint, place, whole| {
            match hinted.iter_mut().find(|(known, _)| *known == hint) {
                _ if hint == LABELS || hint == OTHERS => parts.push(place),
                Some((_, known)) => *known |= whole,
                None => hinted.push((hint, whole)),
            }
            false
        });
        if !parts.is_empty() {
            labels::find(text, parts, found);
            tables::find(text, found);
            blocks::sealed(text, found);
        }
        hinted.sort_unstable();
        for (at, whole) in hinted {
            let shape = at.checked_sub(OTHERS + 1).and_then(|at| self.shapes.get(at));
            let Some((kind, shape)) = shape.filter(|_| whole || self.needs[at].fits(text)) else { continue };
            shape.regex().into_iter().for_each(|regex| hits(kind, regex, text, found));
        }
        if found.iter().any(|(kind, _)| *kind == "aws") {
            let keys = self
                .beside_aws
                .regex()
                .into_iter()
                .flat_map(|beside| beside.captures_iter(text))
                .filter_map(|hit| hit.get(1));
            let keys = keys.filter(|key| {
                words::is_random(key.as_str(), 20) && key.as_str().bytes().any(|byte| byte.is_ascii_uppercase())
            });
            found.extend(keys.map(|key| ("secret", key.range())));
        }
    }
}

/// What words begin with, too: the rest has to be letters drawn by lot.
const LOOSE: [&str; 9] = ["key", "co_", "ak_", "s.", "ser.", "as-", "ak-", "b_", "rf_"];

/// What names end with, too, besides: behind a word and `_` it begins no key (`cache_key-...`, `web_app-...`).
const OF_NAMES: [&str; 17] = [
    "app-", "dataset-", "api-", "sdk-", "mob-", "access-", "web_", "v1.", "secret_", "token-", "live_", "test_", "md-",
    "fc-", "cu_", "hb_", "ES_",
];

/// What stands between a maker and the letters of a key: names of files and of tests have it, too.
const STAGED: [&str; 6] = ["_live_", "_test_", "-live-", "-test-", "_sandbox_", "_prod_"];

/// No part of a key that has several is shorter, in letters and digits.
const PART: usize = 16;

/// True if letters drawn by lot follow the stage that a key is for.
fn is_staged(shown: &str) -> bool {
    let rest = STAGED.iter().filter_map(|stage| Some(&shown[shown.find(stage)? + stage.len()..]));
    rest.min_by_key(|rest| rest.len()).is_some_and(|rest| words::is_random(rest, 14) && !words::is_uuid(rest))
}

/// The secret is the first group where there is one, and all of it otherwise. What stands where a secret would is none.
fn hits(kind: &'static str, regex: &Regex, text: &str, found: &mut Vec<(&'static str, Range<usize>)>) {
    for hit in regex.captures_iter(text) {
        let whole = hit.get(1).is_none();
        let Some(secret) = hit.get(1).or_else(|| hit.get(0)) else { continue };
        let is_behind = whole && !matches!(kind, "custom" | "email") && secret.as_str().starts_with('_');
        let secret = secret.start() + usize::from(is_behind)..secret.end();
        let shown = &text[secret.clone()];
        let innocent = match kind {
            "custom" | "email" => false,
            _ if is_behind && !is_sure(shown) => true,
            _ if whole && kind != "private-key" && (has_filling(shown) || kind != "jwt" && has_zeros(shown)) => true,
            "authz" => {
                is_stand_in(shown) || words::is_worded(shown) && !shown.bytes().any(|byte| byte.is_ascii_digit())
            }
            "api-key" if shown.starts_with("sk-") => words::is_worded(&shown[3..]),
            "token" if shown.starts_with("xox") => !shown.bytes().any(|byte| byte.is_ascii_digit()),
            "api-key" if whole && made::is_public(shown) => true,
            "api-key" if whole && ["live_", "test_"].iter().any(|stage| shown.starts_with(stage)) => {
                made::is_named_hash(shown)
            }
            "api-key" if whole && !shown[1..].starts_with("k_") && STAGED.iter().any(|stage| shown.contains(stage)) => {
                !is_staged(shown)
            }
            "api-key" | "token" if whole && LOOSE.iter().any(|form| shown.starts_with(form)) => {
                !words::is_random(&shown[2..], 12)
            }
            "token" if !whole && text[..secret.start].ends_with("key=") && is_slug(shown) => true,
            // Before a host stands the name of a user as often.
            "token" if !whole && text[..secret.start].ends_with("://") => {
                let is_name = shown.len() < 20 && !words::is_random(shown, 10);
                is_name || is_stand_in(shown) || is_published(&text[secret.end..])
            }
            _ => !whole && (is_stand_in(shown) || kind == "password" && is_code(shown, "")),
        };
        if !innocent {
            found.push((kind, if whole { to_its_end(text, secret) } else { secret }));
        }
    }
}

/// True for a key that no name ends with: its beginning is a maker's, and the rest is drawn by lot.
fn is_sure(shown: &str) -> bool {
    let begins = |list: &[&str]| list.iter().any(|form| shown.starts_with(form));
    let longest = shown.split(['_', '-', '.']).max_by_key(|part| part.len()).unwrap_or_default();
    let is_drawn = [shown, longest].iter().any(|text| words::is_random(text, PART));
    is_drawn && !begins(&LOOSE) && !begins(&OF_NAMES)
}

/// True behind the key in an address to which programs that anybody has send their errors (Sentry).
fn is_published(behind: &str) -> bool {
    behind.split(['/', ' ', '"']).next().is_some_and(|host| host.contains(".ingest."))
}

/// A key goes on behind a point where as many letters drawn by lot follow: it has parts, of which its form tells the first.
fn to_its_end(text: &str, mut key: Range<usize>) -> Range<usize> {
    while let Some(rest) = text[key.end..].strip_prefix('.') {
        let part = rest.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-')).next();
        let Some(part) = part.filter(|part| words::is_random(part, PART)) else { break };
        key.end += 1 + part.len();
    }
    key
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

    /// Where the secrets of a text are.
    pub fn find(&self, text: &str) -> Vec<(&'static str, Range<usize>)> {
        let mut found = Vec::new();
        Usual::get().find(text, &mut found);
        made::find(text, &mut found);
        bare::find(text, &mut found);
        found.extend(self.find_own(text));
        found
    }

    /// True if a user knows some by shapes of his own.
    pub fn has_own(&self) -> bool {
        !self.own.is_empty()
    }

    /// Where those are that a user knows by shapes of his own.
    pub fn find_own(&self, text: &str) -> Vec<(&'static str, Range<usize>)> {
        let mut found = Vec::new();
        self.own.iter().for_each(|(kind, shape)| hits(kind, shape, text, &mut found));
        found
    }
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
        let hints = &Usual::get().hints;
        assert!(hints.all_begin_with_words());
        assert!(
            [LABELS, OTHERS].iter().all(|parts| hints.is_of_words(*parts)),
            "the places of parts are those of words"
        );
        for (hint, kind, form) in usual().chain([(labels::PARTS, "secret", BESIDE_AWS), (NAMED, "name", NAMED)]) {
            assert!(Regex::new(hint).is_ok() && Regex::new(form).is_ok(), "{kind}: {form}");
        }
    }

    #[test]
    fn the_hint_fits_whatever_a_shape_fits() {
        let shapes = Shapes::new(&Custom::default());
        for text in SECRETS {
            assert!(!shapes.find(text).is_empty(), "{text}");
        }
        for label in
            ["authorization", "Proxy-Authorization", "password", "passwd", "client-secret", "secret_key", "secret"]
        {
            assert!(!shapes.find(&format!("{label}: abcdef1")).is_empty(), "{label}");
        }
        for label in ["api-key", "APIKEY", "access_token", "refresh-token", "authtoken"] {
            assert!(!shapes.find(&format!("{label} = abcdef1")).is_empty(), "{label}");
        }
    }
}
