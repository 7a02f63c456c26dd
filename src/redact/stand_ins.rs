//! What stands where a secret would, and is none: a variable that holds it, a placeholder, the word of a schema, code.

use super::names::{is_placeholder_name, names_secret};

/// Words that a schema, a manual or a message says of a secret.
const WORDS: &[&str] = &[
    "string",
    "number",
    "boolean",
    "object",
    "array",
    "integer",
    "null",
    "none",
    "nil",
    "true",
    "false",
    "undefined",
    "required",
    "needed",
    "optional",
    "enabled",
    "disabled",
    "link",
    "missing",
    "invalid",
    "incorrect",
    "correct",
    "wrong",
    "rejected",
    "expired",
    "empty",
    "unset",
    "str",
    "bool",
    "text",
    "password",
    "passwd",
    "pass",
    "pwd",
    "pw",
    "secret",
    "token",
    "bearer",
    "basic",
    "oauth2",
    "oauth",
    "accepted",
    "prompt",
    "redacted",
    "hidden",
    "masked",
    "default",
    "value",
    "yes",
    "no",
    "any",
    "unknown",
    "include",
    "omit",
    "same-origin",
    "todo",
    "fixme",
    "tbd",
    "n/a",
    "mytoken",
    "myapikey",
    "yourtoken",
    "yourapikey",
];

/// What a placeholder for a reader begins with.
const YOURS: [&str; 7] = ["your-", "your_", "my-", "insert", "replace", "changeme", "<"];

/// What the place begins with at which a secret is kept.
const KEPT: [&str; 13] = [
    "arn:aws",
    "@Microsoft.KeyVault(",
    "file://",
    "/run/secrets/",
    "keyring:",
    "/etc/",
    "/home/",
    "/opt/",
    "/usr/",
    "/var/",
    "~/",
    "./",
    "../",
];

/// What an expression of a program begins with.
const READ: [&str; 13] = [
    "process.env",
    "os.environ",
    "os.getenv",
    "env.",
    "env:",
    "secrets.",
    "request.",
    "req.",
    "config.",
    "self.",
    "this.",
    "options.",
    "settings.",
];

/// Words of programs.
const CODE: &[&str] = &[
    "await", "new", "let", "const", "return", "function", "self", "this", "super", "match", "if", "unsafe", "async",
    "lambda", "typeof", "require", "import", "Some", "Vec", "Box", "Option",
];

/// A title has no more words than this.
const MOST_OF_TITLE: usize = 4;

/// Words of messages about a secret, of which none is one.
const SPOKEN: [&str; 8] = ["password", "must", "please", "enter", "forgot", "required", "invalid", "incorrect"];

/// True for what stands where a secret would.
pub fn is_stand_in(value: &str) -> bool {
    let is = |open: &str, close: &str| value.starts_with(open) && value.ends_with(close) && value.len() > open.len();
    let lower = value.to_ascii_lowercase();
    is_masked(value)
        || is_variable(value)
        || READ.iter().chain(&KEPT).any(|word| value.starts_with(word))
        || YOURS.iter().any(|word| lower.starts_with(word)) && !value.bytes().any(|byte| byte.is_ascii_digit())
        || names_place(value)
        || is_placeholder_name(value)
        || is_version(value)
        || is_port(value)
        || is("<", ">")
        || is("{", "}") && !value.contains('"') && !super::words::is_random(value, 10)
        || is("%", "%")
        || is("%(", ")s")
        || is("[", "]") && !value.bytes().any(|byte| byte.is_ascii_digit())
        || WORDS.contains(&lower.as_str())
        || ["%s", "%d", "%r", "{}", "{0}"].iter().any(|form| is_filled_in(value, form))
        || value.strip_prefix('#').is_some_and(is_colour)
        || value
            .strip_prefix("0x")
            .is_some_and(|digits| digits.len() < 9 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
        || is_sentence(&lower)
        || is_title(value)
}

/// True where it is said only where a secret is: `--secret token#1=env:TOKEN`.
pub(super) fn names_place(value: &str) -> bool {
    value.contains("=env:") || value.contains("=file:")
}

/// True for what a form calls a secret in the language of its users: `Passwort`, `Mot de passe oublié`.
fn is_title(value: &str) -> bool {
    let words: Vec<&str> = value.split(' ').collect();
    let is_titled = value.chars().next().is_some_and(char::is_uppercase)
        && value.chars().skip(1).all(|c| c.is_lowercase() || matches!(c, ' ' | '\''));
    let of = |from: usize| (from + 1..=words.len()).map(move |to| (from, to));
    is_titled
        && words.len() <= MOST_OF_TITLE
        && (0..words.len()).flat_map(of).any(|(from, to)| names_secret(&words[from..to].concat()))
}

/// True for a version, or a range of them, as lists of packages have it behind a name: `^0.7.2`, `>=1.0, <2`.
fn is_version(value: &str) -> bool {
    let one = |part: &str| {
        let number = part.trim_start_matches(['^', '~', '=', '<', '>', 'v', '!']);
        let (number, stage) = number.split_once(['-', '+']).unwrap_or((number, ""));
        let is_number = |part: &str| {
            matches!(part, "x" | "*") || (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        let is_stage = |part: &str| {
            part.len() <= 8 && (part.bytes().all(|byte| byte.is_ascii_digit()) || super::words::is_of_name(part))
        };
        (number.contains('.') || number.len() < part.len())
            && number.split('.').all(is_number)
            && stage.split('.').all(is_stage)
    };
    let mut parts = value.split([' ', ',', '|']).filter(|part| !part.is_empty()).peekable();
    value.contains('.') && value.contains(|c: char| c.is_ascii_digit()) && parts.peek().is_some() && parts.all(one)
}

/// True for a port, as lists of services have it: `464/tcp`.
fn is_port(value: &str) -> bool {
    let port = value.split_once('/').filter(|(_, kind)| matches!(*kind, "tcp" | "udp" | "sctp" | "dccp"));
    port.is_some_and(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// True for a text into which a program puts something. A password may hold the sign for that among its letters.
fn is_filled_in(value: &str, form: &str) -> bool {
    let rest = || value.replace(form, "");
    value.contains(form) && (super::words::is_worded(&rest()) || !super::words::is_mixed(&rest(), 8))
}

/// True for a colour in hexadecimal digits.
fn is_colour(digits: &str) -> bool {
    matches!(digits.len(), 3 | 4 | 6 | 8) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// True for a message to a reader: words, and one that speaks of secrets.
fn is_sentence(lower: &str) -> bool {
    lower.split(' ').count() > 2
        && SPOKEN
            .iter()
            .any(|word| lower.split(|c: char| !c.is_alphanumeric() && c != ' ').any(|part| part.contains(word)))
        && !lower.split(' ').any(|word| super::words::is_random(word, 12))
}

/// True for a word in small letters, or words of them with points: what a token of a text, a grammar or a design is called, and no
/// key. One with a capital is that of a language.
pub fn is_plain_word(value: &str) -> bool {
    let rest = value.strip_prefix(|c: char| c.is_ascii_uppercase()).unwrap_or(value);
    value.len() > 3
        && rest.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'.'))
        && super::words::is_worded(value)
}

/// True for a few such words: a place in the query of a URL, as in `?key=getting-started`.
pub fn is_slug(value: &str) -> bool {
    value.split('-').count() < 4 && is_plain_word(&value.replace('-', "_"))
}

/// True for an expression of a program: a call, the member of a thing, a word of the language.
pub fn is_code(value: &str, then: &str) -> bool {
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '?' | '!' | '&' | '*');
    let names = !value.is_empty() && value.chars().all(name) && !value.starts_with(|c: char| c.is_ascii_digit());
    let called = value.strip_suffix('(').is_some_and(|name_of_it| name_of_it.chars().all(name));
    CODE.contains(&value)
        || names && then.starts_with(['(', '['])
        || called && then.starts_with(['"', '\''])
        || value.contains("()")
        || value.starts_with(['(', '[', '{'])
            && (value[1..].contains(['.', '(']) || !value.bytes().any(|byte| byte.is_ascii_digit()))
        || is_member(value)
        || is_type(value)
        || is_generic(value, then)
        || is_pointer(value)
        || then.starts_with(" -") && is_verb_and_noun(value)
        || is_applied(value)
        || is_path(value)
}

/// True for the member of a variable: `$request->bearerToken`.
fn is_member(value: &str) -> bool {
    let name = value.strip_prefix('$').and_then(|rest| rest.split_once("->")).map(|(name, _)| name);
    name.is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
}

/// True for a type with others in it: `Zeroizing<Payload8>`, which may be cut at its bracket.
fn is_generic(value: &str, then: &str) -> bool {
    let (name, inner) = value.split_once('<').unwrap_or((value, then.strip_prefix('<').unwrap_or_default()));
    let of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '.' | '&' | '\'');
    let closed = inner
        .find('>')
        .is_some_and(|end| inner[..end].chars().all(|c| of_name(c) || matches!(c, '<' | ',' | ' ' | '[' | ']')));
    name.len() > 2
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(of_name)
        && closed
        && !inner.starts_with('/')
}

/// True for what a type points at: `&[u8]`, `*corev1.Secret`.
fn is_pointer(value: &str) -> bool {
    let Some(kind) = value.strip_prefix(['&', '*']) else { return false };
    let of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':');
    let named = kind.contains('.')
        && kind.rsplit('.').next().is_some_and(|last| last.starts_with(|c: char| c.is_ascii_uppercase()));
    let listed =
        kind.strip_prefix('[').and_then(|kind| kind.split_once(']')).is_some_and(|(kind, _)| kind.chars().all(of_name));
    listed || named && kind.chars().all(of_name)
}

/// True for a command of PowerShell: `Read-Host`.
fn is_verb_and_noun(value: &str) -> bool {
    let word = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_uppercase()) && part.bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    value.split_once('-').is_some_and(|(verb, noun)| word(verb) && word(noun))
}

/// True for the type of a column or a field: `VARCHAR(255)`, `__u32`, `uint8_t`; and for a rule of a grammar: `1*tchar`.
fn is_type(value: &str) -> bool {
    let sized = value.strip_suffix(')').and_then(|value| value.split_once('('));
    let column = |(name, size): (&str, &str)| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphabetic())
            && size.bytes().all(|byte| byte.is_ascii_digit())
    };
    let field = value.trim_start_matches('_').trim_end_matches("_t");
    let digits = ["uint", "int", "u", "i", "f", "float", "bytes"].iter().find_map(|kind| field.strip_prefix(kind));
    sized.is_some_and(column)
        || digits.is_some_and(|size| matches!(size, "8" | "16" | "32" | "64" | "128"))
        || value.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('*').is_some_and(|rule| {
            rule.starts_with(|c: char| c.is_ascii_lowercase()) && rule.bytes().all(|byte| byte.is_ascii_alphabetic())
        })
}

/// True for a call, an element or a macro: a name, and what stands behind it in brackets that are closed.
fn is_applied(value: &str) -> bool {
    let Some(at) = value.find(['(', '[']) else { return false };
    let (name, rest) = value.split_at(at);
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '!' | '>' | '<' | '-');
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let closed = rest.contains([')', ']']) || rest.len() > 1 && rest[1..].starts_with(['"', '\'', ':', '*', '&']);
    // What was cut at a blank is not closed yet.
    let open = name.len() > 2 && !name.bytes().any(|byte| byte.is_ascii_digit());
    begins && name.chars().all(is_name) && (closed || rest.len() == 1 || open)
}

/// True for members of members, each a word: `req.headers.authorization`.
fn is_path(value: &str) -> bool {
    let path = value.trim_start_matches(['!', '&', '*']).trim_end_matches(['?', ';']).replace("::", ".");
    let word = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_') && part.len() < 30
    };
    let capital = |part: &str| {
        part.len() > 2
            && part[1..].bytes().all(|byte| byte.is_ascii_lowercase())
            && part.starts_with(|c: char| c.is_ascii_uppercase())
    };
    path.contains('.') && path.split('.').all(word) && (super::words::is_worded(&path) || path.split('.').all(capital))
}

/// Stars or other characters of one kind, and points behind what was cut off.
fn is_masked(value: &str) -> bool {
    let first = value.chars().next();
    first.is_some_and(|first| matches!(first, '*' | 'x' | 'X' | '.' | '\u{2022}') && value.chars().all(|c| c == first))
        || value.contains("***")
        || has_filling(value)
        || value.ends_with("...")
        || value.ends_with('\u{2026}')
}

/// True for a key that a manual fills with letters of one kind.
pub fn has_filling(value: &str) -> bool {
    value.split(|c| !matches!(c, 'x' | 'X')).any(|row| row.len() >= 8)
}

/// True for nine bytes of zero in base64, as files have them and no key.
pub fn has_zeros(value: &str) -> bool {
    value.contains("AAAAAAAAAAAA")
}

fn is_variable(value: &str) -> bool {
    let named = |name: &str| name.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '{' | '(' | '_'));
    let upper = |name: &str| !name.bytes().any(|byte| byte.is_ascii_lowercase());
    value.strip_prefix('$').is_some_and(|name| named(name) && (upper(name) || name.starts_with(['{', '('])))
        || value.strip_prefix("$env:").is_some_and(named)
        // A name in capitals says where the secret is.
        || value.contains('_') && value.len() < 40 && named(value) && value.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}
