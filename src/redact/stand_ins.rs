//! What stands where a secret would, and is none: a variable that holds it, a placeholder, the word of a schema, code.

use super::names::is_placeholder_name;

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
];

/// What a placeholder for a reader begins with.
const YOURS: [&str; 7] = ["your-", "your_", "my-", "insert", "replace", "changeme", "<"];

/// What the place begins with at which a secret is kept.
const KEPT: [&str; 6] =
    ["arn:aws", "@Microsoft.KeyVault(", "file://", "/run/secrets/", "/var/run/secrets/", "keyring:"];

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
        // `--secret token#1=env:TOKEN` says where the secret is.
        || value.contains("=env:")
        || is_placeholder_name(value)
        || is("<", ">")
        || is("{", "}") && !value.contains('"') && !super::words::is_random(value, 10)
        || is("%", "%")
        || is("[", "]") && !value.bytes().any(|byte| byte.is_ascii_digit())
        || WORDS.contains(&lower.as_str())
        || ["%s", "%d", "%r", "{}", "{0}"].iter().any(|form| is_filled_in(value, form))
        || value.strip_prefix('#').is_some_and(is_colour)
        || value.strip_prefix("0x").is_some_and(|digits| digits.len() < 9 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
        || is_sentence(&lower)
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

/// True for a word in small letters: what a token of a text or a grammar is called, and no key.
pub fn is_plain_word(value: &str) -> bool {
    value.len() > 3
        && value.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
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
        || is_applied(value)
        || is_path(value)
}

/// True for the member of a variable: `$request->bearerToken`.
fn is_member(value: &str) -> bool {
    let name = value.strip_prefix('$').and_then(|rest| rest.split_once("->")).map(|(name, _)| name);
    name.is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
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
    let digits = ["uint", "int", "u", "i", "f", "float"].iter().find_map(|kind| field.strip_prefix(kind));
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
    path.contains('.') && path.split('.').all(word) && super::words::is_worded(&path)
}

/// Stars or other characters of one kind, and points behind what was cut off.
fn is_masked(value: &str) -> bool {
    let first = value.chars().next();
    first.is_some_and(|first| matches!(first, '*' | 'x' | 'X' | '.' | '\u{2022}') && value.chars().all(|c| c == first))
        || value.contains("***")
        || value.ends_with("...")
        || value.ends_with('\u{2026}')
}

fn is_variable(value: &str) -> bool {
    let named = |name: &str| name.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '{' | '(' | '_'));
    let upper = |name: &str| !name.bytes().any(|byte| byte.is_ascii_lowercase());
    value.strip_prefix('$').is_some_and(|name| named(name) && (upper(name) || name.starts_with(['{', '('])))
        || value.strip_prefix("$env:").is_some_and(named)
        // A name in capitals says where the secret is.
        || value.contains('_') && value.len() < 40 && named(value) && value.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}
