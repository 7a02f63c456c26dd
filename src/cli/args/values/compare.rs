//! What counts as the same, and what fails: places, matchers, verdicts.

use rpctape::error::nearest;
use rpctape::replay::options::Matcher;
use rpctape::replay::{Verdict, compare};

/// A verdict that fails, or all violations, or one of them that is added or taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failing {
    /// `+` or `-`, where it stands before the name.
    pub sign: Option<char>,
    /// The verdict; `None` for `violates-any`: also violations that the recording has too.
    pub verdict: Option<Verdict>,
}

/// `POINTER=REST`.
fn split<'t>(text: &'t str, example: &str) -> std::result::Result<(&'t str, &'t str), String> {
    let (pointer, rest) = text.split_once('=').ok_or_else(|| format!("write it as {example}"))?;
    Ok((place(pointer)?, rest))
}

/// A JSON pointer, or a glob of one, perhaps with the requests that it holds for: `tools/call:order /result/id`.
pub fn place(text: &str) -> std::result::Result<&str, String> {
    pointer(compare::scoped(text).1).map(|_| text)
}

/// A JSON pointer, or a glob of one.
pub fn pointer(text: &str) -> std::result::Result<&str, String> {
    match text.is_empty() || text.starts_with('/') {
        true => Ok(text),
        false => Err(format!("`{text}` is no JSON pointer: it begins with a slash, such as /result/content/0/text")),
    }
}

/// `/result/id=uuid`.
pub fn matching(text: &str) -> std::result::Result<(String, Matcher), String> {
    let (pointer, kind) = split(text, "/result/id=uuid")?;
    Ok((pointer.to_string(), Matcher::read(kind)?))
}

/// `/result/total=1%`.
pub fn tolerance(text: &str) -> std::result::Result<(String, Matcher), String> {
    let (pointer, limit) = split(text, "/result/total=1%")?;
    match Matcher::read(limit)? {
        matcher @ (Matcher::Absolute(_) | Matcher::Relative(_)) => Ok((pointer.to_string(), matcher)),
        _ => Err(format!("`{limit}` is no tolerance: write 0.5 or 1%")),
    }
}

/// `/result/items by /id`.
pub fn set_list(text: &str) -> std::result::Result<(String, String), String> {
    let (list, key) = text.split_once(" by ").ok_or("write it as '/result/items by /id'")?;
    Ok((place(list.trim())?.to_string(), pointer(key.trim())?.to_string()))
}

/// A verdict by its name, perhaps with a sign.
pub fn verdict(text: &str) -> std::result::Result<Failing, String> {
    let text = text.trim();
    let sign = text.chars().next().filter(|first| matches!(first, '+' | '-'));
    let name = text.strip_prefix(['+', '-']).unwrap_or(text);
    if name == "violates-any" {
        return Ok(Failing { sign, verdict: None });
    }
    let names = || Verdict::ALL.into_iter().map(Verdict::as_str).chain(["violates-any"]);
    let found = Verdict::from_name(name).map(|verdict| Failing { sign, verdict: Some(verdict) });
    found.ok_or_else(|| match nearest(name, names()) {
        Some(near) => format!("there is no verdict {name}; did you mean {near}?"),
        None => format!("there is no verdict {name}; there are {}", names().collect::<Vec<_>>().join(", ")),
    })
}
