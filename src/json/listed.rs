//! Lists that mean an object.
//!
//! Exports keep attributes in three shapes that mean the same: an object (`{"pod":"a"}`), a list of names and values
//! (`[{"key":"pod","value":"a"}]`, OpenTelemetry; `[{"field":"@message","value":".."}]`, Logs Insights) and a tuple
//! (`["1788423300000000000","line"]`, Loki; `{"Mcp-Session-Id":["a"]}`, headers in Go). Any other list is one of records.
//! The text may be cut off: then nothing is given.

use super::scan::{closing_quote, skip_white, unquoted, value_end};

/// What a list is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    /// Names and values.
    Pairs,
    /// Scalars, told apart by their place.
    Tuple,
    /// Records.
    Records,
}

/// Keys of a name.
pub(crate) const NAMES: [&str; 6] = ["key", "name", "field", "Key", "Name", "Field"];
/// Keys of a value.
pub(crate) const VALUES: [&str; 2] = ["value", "Value"];

/// What the list at `at` is, by its first element.
pub(crate) fn list(text: &str, at: usize) -> List {
    let first = skip_white(text.as_bytes(), at + 1);
    match text.as_bytes().get(first) {
        Some(b'{') if pair(text, first).is_some() => List::Pairs,
        Some(b'{' | b'[') => List::Records,
        _ => List::Tuple,
    }
}

/// Name and value (where it stands) of the pair at `at`, and the byte after it.
pub(crate) fn pair(text: &str, at: usize) -> Option<(&str, usize, usize)> {
    let (mut name, mut value, mut count) = (None, None, 0);
    let end = object(text, at, &mut |key, at| {
        count += 1;
        let end = value_end(text.as_bytes(), at)?;
        if NAMES.contains(&key) && text.as_bytes()[at] == b'"' {
            name = Some(unquoted(&text[at..end]));
        } else if VALUES.contains(&key) {
            value = Some(at);
        }
        Some(end)
    })?;
    (count <= 3).then_some((name?, value?, end))
}

/// Calls `member` with each key of the object at `at` and where its value stands; `member` gives the byte after the
/// value. Gives the byte after the object, and nothing where it does not add up.
pub(crate) fn object<'t>(
    text: &'t str,
    at: usize,
    member: &mut dyn FnMut(&'t str, usize) -> Option<usize>,
) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = skip_white(bytes, at + 1);
    loop {
        match bytes.get(at)? {
            b'}' => return Some(at + 1),
            b',' => at = skip_white(bytes, at + 1),
            b'"' => {
                let end = closing_quote(bytes, at + 1)?;
                let key = text.get(at + 1..end)?;
                let colon = skip_white(bytes, end + 1);
                (bytes.get(colon)? == &b':').then_some(())?;
                at = skip_white(bytes, member(key, skip_white(bytes, colon + 1))?);
            }
            _ => return None,
        }
    }
}

/// The same for the elements of the list at `at`.
pub(crate) fn elements(text: &str, at: usize, element: &mut dyn FnMut(usize) -> Option<usize>) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = skip_white(bytes, at + 1);
    loop {
        match bytes.get(at)? {
            b']' => return Some(at + 1),
            b',' => at = skip_white(bytes, at + 1),
            _ => at = skip_white(bytes, element(at)?),
        }
    }
}

/// The same for the members of the list at `at`, where it means an object: a name, or the place of what has none.
pub(crate) fn members(text: &str, at: usize, member: &mut dyn FnMut(&str, usize) -> Option<usize>) -> Option<usize> {
    let (kind, mut place) = (list(text, at), 0);
    elements(text, at, &mut |at| match kind {
        List::Records => value_end(text.as_bytes(), at),
        List::Pairs => match pair(text, at) {
            Some((name, value, end)) => member(name, value).map(|_| end),
            None => value_end(text.as_bytes(), at),
        },
        List::Tuple => {
            place += 1;
            member(&(place - 1).to_string(), at)
        }
    })
}
