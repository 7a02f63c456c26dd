//! Words that a filter puts in place of what it takes out of a message: `***`, `[REDACTED]`, `<masked>`, `sk-****`, and those of a
//! printer that goes no deeper: `[Object]`.

/// Words that say it by themselves.
const SAID: [&str; 15] = [
    "redacted",
    "masked",
    "filtered",
    "hidden",
    "removed",
    "scrubbed",
    "omitted",
    "sanitized",
    "sanitised",
    "censored",
    "obfuscated",
    "anonymized",
    "anonymised",
    "truncated",
    "stripped",
];

/// Parts of words that say it between brackets or stars.
const BETWEEN: [&str; 14] = [
    "redact",
    "mask",
    "filter",
    "hidden",
    "removed",
    "scrub",
    "omitted",
    "sanitiz",
    "censor",
    "obfuscat",
    "anonymi",
    "secret",
    "sensitive",
    "truncated",
];

/// Words that say it between brackets, by themselves or before what stands for the value: `[PII]`, `<hash:1a2b3c4d>`.
const FENCED: [&str; 8] = ["pii", "phi", "hash", "hmac", "md5", "sha1", "sha256", "sha512"];

/// Words of printers that go no deeper, between brackets (util.inspect, JSON loggers with a depth).
const UNPRINTED: [&str; 6] = ["Object", "Array", "object Object", "Circular", "MaxDepth", "Truncated"];

/// How many marks in a row hide a part of a text.
const MARKS: usize = 4;

/// The longest of them, in bytes.
const LONGEST: usize = 80;

/// Members that say by null that there is none: no folder is open, no process is the parent, a document has no version.
const NULL_BY_RIGHT: [&[u8]; 7] =
    [b"processId", b"rootUri", b"rootPath", b"workspaceFolders", b"initializationOptions", b"settings", b"version"];

/// True for a member whose value is null where nothing was taken out of it.
pub fn may_be_null(key: &[u8]) -> bool {
    NULL_BY_RIGHT.contains(&key)
}

/// True for a JSON string (with its quotes) that a filter wrote. A placeholder of this program stands for one value and no other: it
/// is as good as that.
pub fn is_placeholder(written: &str) -> bool {
    let inside = written.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    inside.is_some_and(|text| text.len() <= LONGEST && !text.starts_with("<<secret:") && is_filters(text))
}

/// The same in the place of an id, where question marks are a filter's, too: elsewhere they may be what was asked.
pub fn is_placeholder_id(written: &str) -> bool {
    let marks = written.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let is_marks = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte == b'?');
    marks.is_some_and(is_marks) || is_placeholder(written)
}

fn is_filters(text: &str) -> bool {
    // Nearly no text has one of these signs, and each is asked.
    let signs = text.starts_with(['[', '{']) || memchr::memchr(b'*', text.as_bytes()).is_some() || !text.is_ascii();
    if signs && (is_unprinted(text) || hides_a_part(text)) || is_cut(text) {
        return true;
    }
    let word = text.trim_matches(|c: char| !c.is_alphanumeric());
    let holds = |sign: &str| word.as_bytes().windows(sign.len()).any(|part| part.eq_ignore_ascii_case(sign.as_bytes()));
    match word.split(|c: char| !c.is_alphanumeric()).next() {
        None | Some("") => {
            let marks = |c: char| matches!(c, '*' | '#' | '•' | '█' | '.' | '-');
            text.chars().nth(1).is_some() && text.chars().all(marks)
        }
        Some(_) if word.len() > 1 && word.bytes().all(|byte| byte.eq_ignore_ascii_case(&b'x')) => true,
        Some(first) => {
            let fenced = !text.starts_with(word) && !text.ends_with(word);
            names_a_kind(text)
                || SAID.iter().any(|said| first.eq_ignore_ascii_case(said))
                || fenced && BETWEEN.iter().any(|sign| holds(sign))
                || fenced && FENCED.iter().any(|said| first.eq_ignore_ascii_case(said))
        }
    }
}

/// True for a word of which a printer shows the beginning only: `cancelle…`, `3f2b8c1e-9d47-…`.
fn is_cut(text: &str) -> bool {
    let begun = ["…", "\\u2026", "..."].iter().find_map(|mark| text.strip_suffix(mark));
    begun.is_some_and(|begun| begun.ends_with(|last: char| last.is_alphanumeric() || "-_:/+=@#~|".contains(last)))
}

/// True for `[Object]`, `[Array(3)]`, `{...}`, `…`.
fn is_unprinted(text: &str) -> bool {
    let between = |open: char, close: char| text.strip_prefix(open).and_then(|text| text.strip_suffix(close));
    let list = between('[', ']').map(|inside| inside.split(['(', ':']).next().unwrap_or(inside).trim());
    let inside = list.or_else(|| between('{', '}')).unwrap_or(text);
    list.is_some_and(|word| UNPRINTED.contains(&word)) || matches!(inside, "..." | "…")
}

/// True for `sk-****` or `****1234`.
fn hides_a_part(text: &str) -> bool {
    let is_mark = |c: char| matches!(c, '*' | '•' | '█');
    text.split(|c| !is_mark(c)).any(|run| run.chars().count() >= MARKS)
}

/// True for `<id>` or `<request-id>`: not a value, but what kind of value stood there.
fn names_a_kind(text: &str) -> bool {
    let inside = text.strip_prefix('<').and_then(|text| text.strip_suffix('>'));
    inside.is_some_and(|kind| kind.bytes().all(|byte| byte.is_ascii_alphabetic() || b"_- ".contains(&byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_filters_write_and_what_sides_write() {
        for text in [
            "***",
            "[REDACTED]",
            "<masked>",
            "xxxx",
            "REDACTED_BY_POLICY",
            "••••",
            "__hidden__",
            "(sensitive data)",
            "<id>",
            "<REQUEST_ID>",
            "[Object]",
            "[object Object]",
            "[Array(3)]",
            "[Object: null prototype]",
            "cancelle…",
            "cancelle\\u2026",
            "cancelle...",
            "3f2b8c1e-9d47-4f63-8a55-…",
            "req_...",
            "[PII]",
            "<hash:1a2b3c4d>",
            "[...]",
            "{…}",
            "sk-****",
            "****1234",
        ] {
            assert!(is_placeholder(&format!("\"{text}\"")), "{text}");
        }
        for text in [
            "",
            "a",
            "x",
            "*",
            "filter_rows",
            "secret",
            "<<secret:SESSION#1>>",
            "mask.png",
            "page-2",
            "A***",
            "[object]",
            "[Objects]",
            "[Array] of names",
            "**bold**",
            "hash:1a2b3c4d",
            "#hash",
            "and so on …",
            "<a href=1>",
            "a<b>",
            "?",
            "why?",
        ] {
            assert!(!is_placeholder(&format!("\"{text}\"")), "{text}");
        }
        assert!(!is_placeholder("12") && !is_placeholder("{}"));
        let id = |text: &str| is_placeholder_id(&format!("\"{text}\""));
        assert!(["?", "???", "***"].into_iter().all(id) && !["", "?x", "why?"].into_iter().any(id));
    }
}
