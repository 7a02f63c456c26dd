//! What stands where a secret would, and is none: a variable that holds it, a placeholder, the word of a schema, code.

/// Words that a schema, a manual or a message says of a secret.
const WORDS: [&str; 44] = [
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
    "missing",
    "invalid",
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
];

/// What a placeholder for a reader begins with.
const YOURS: [&str; 7] = ["your-", "your_", "my-", "insert", "replace", "changeme", "<"];

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
const CODE: [&str; 6] = ["await", "new", "let", "const", "return", "function"];

/// True for what stands where a secret would.
pub fn is_stand_in(value: &str) -> bool {
    let is = |open: &str, close: &str| value.starts_with(open) && value.ends_with(close) && value.len() > open.len();
    let lower = value.to_ascii_lowercase();
    is_masked(value)
        || is_variable(value)
        || READ.iter().any(|word| value.starts_with(word))
        || YOURS.iter().any(|word| lower.starts_with(word)) && !value.bytes().any(|byte| byte.is_ascii_digit())
        // `--secret token#1=env:TOKEN` says where the secret is.
        || value.contains("=env:")
        || is("<", ">")
        || is("{", "}")
        || is("%", "%")
        || is("[", "]") && !value.bytes().any(|byte| byte.is_ascii_digit())
        || WORDS.contains(&lower.as_str())
}

/// True for an expression of a program: a call, the member of a thing, a word of the language.
pub fn is_code(value: &str, then: &str) -> bool {
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '?' | '!' | '&' | '*');
    let names = !value.is_empty() && value.chars().all(name) && !value.starts_with(|c: char| c.is_ascii_digit());
    let called = value.strip_suffix('(').is_some_and(|name_of_it| name_of_it.chars().all(name));
    // `VARCHAR(255)` is the type of a column.
    let sized = value.strip_suffix(')').and_then(|value| value.split_once('('));
    let is_type = |(name, size): (&str, &str)| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphabetic())
            && size.bytes().all(|byte| byte.is_ascii_digit())
    };
    CODE.contains(&value)
        || sized.is_some_and(is_type)
        || names && then.starts_with(['(', '['])
        || called && then.starts_with(['"', '\''])
        || value.contains("()")
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
