//! Walking through JSON that may be cut off: every scalar with the path to it, in one pass.
//!
//! Exports keep attributes in three shapes that mean the same: an object (`{"pod":"a"}`), a list of names and values
//! (`[{"key":"pod","value":"a"}]`, OpenTelemetry; `[{"field":"@message","value":".."}]`, Logs Insights) and a tuple
//! (`["1788423300000000000","line"]`, Loki). All three are an object here; any other list is one of records.

use crate::json::scan::{closing_quote, skip_white, unquoted, value_end};

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum PathStep {
    /// Into the member of that name.
    Key(Box<str>),
    /// Into each record of a list.
    Each,
}

/// Where a scalar stands.
pub(super) type Path = Vec<PathStep>;

/// How deep records are looked into.
const DEPTH: usize = 12;

/// What a list is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum List {
    /// Names and values.
    Pairs,
    /// Scalars, told apart by their place.
    Tuple,
    /// Records.
    Records,
}

/// Members in which shippers keep a record of the log that they ship as an object.
const RECORDS: [&str; 2] = ["jsonPayload", "_source"];

const NAMES: [&str; 6] = ["key", "name", "field", "Key", "Name", "Field"];
const VALUES: [&str; 2] = ["value", "Value"];

/// What the list at `at` is, by its first element.
pub(super) fn list(text: &str, at: usize) -> List {
    let first = skip_white(text.as_bytes(), at + 1);
    match text.as_bytes().get(first) {
        Some(b'{') if pair(text, first).is_some() => List::Pairs,
        Some(b'{' | b'[') => List::Records,
        _ => List::Tuple,
    }
}

/// Name and value (where it stands) of the pair at `at`, and the byte after it.
pub(super) fn pair(text: &str, at: usize) -> Option<(&str, usize, usize)> {
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
pub(super) fn object<'t>(
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
pub(super) fn elements(text: &str, at: usize, element: &mut dyn FnMut(usize) -> Option<usize>) -> Option<usize> {
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

/// Calls `give` with every scalar of the value at `at`, as written, and the path to it, and with the objects in which a log may
/// stand. Gives the byte after the value.
pub(super) fn leaves<'t>(
    text: &'t str,
    at: usize,
    path: &mut Path,
    give: &mut dyn FnMut(&Path, &'t str),
) -> Option<usize> {
    let step = |step: PathStep, at: usize, path: &mut Path, give: &mut dyn FnMut(&Path, &'t str)| {
        path.push(step);
        let end = leaves(text, at, path, give);
        path.pop();
        end
    };
    let key = |key: &str| PathStep::Key(key.into());
    match text.as_bytes().get(at)? {
        _ if path.len() >= DEPTH => value_end(text.as_bytes(), at),
        b'{' => {
            let end = object(text, at, &mut |name, at| step(key(name), at, path, give))?;
            if let Some(PathStep::Key(name)) = path.last()
                && RECORDS.contains(&&**name)
            {
                give(path, text.get(at..end)?);
            }
            Some(end)
        }
        b'[' => {
            let (kind, mut place) = (list(text, at), 0);
            elements(text, at, &mut |at| match kind {
                List::Records => step(PathStep::Each, at, path, give),
                List::Pairs => match pair(text, at) {
                    Some((name, value, end)) => step(key(name), value, path, give).map(|_| end),
                    None => value_end(text.as_bytes(), at),
                },
                List::Tuple => {
                    place += 1;
                    step(key(&(place - 1).to_string()), at, path, give)
                }
            })
        }
        _ => {
            let end = value_end(text.as_bytes(), at)?;
            give(path, text.get(at..end)?);
            Some(end)
        }
    }
}

/// Finds the elements of lists of records under the value at `at` that hold no such list themselves, in order. Gives the
/// byte after the value.
pub(super) fn records(text: &str, at: usize, found: &mut Vec<std::ops::Range<usize>>) -> Option<usize> {
    match text.as_bytes().get(at)? {
        b'{' => object(text, at, &mut |_, at| records(text, at, found)),
        b'[' if list(text, at) == List::Records => elements(text, at, &mut |at| {
            let before = found.len();
            let end = records(text, at, found)?;
            if found.len() == before {
                found.push(at..end);
            }
            Some(end)
        }),
        _ => value_end(text.as_bytes(), at),
    }
}

/// The object that a path leads into, if the path is that of a `jsonrpc` or `method` member: most likely a message.
pub(super) fn envelope(path: &Path) -> Option<Path> {
    match path.split_last() {
        Some((PathStep::Key(key), object)) if matches!(&**key, "jsonrpc" | "method" | "result" | "error") => {
            Some(object.to_vec())
        }
        _ => None,
    }
}

/// The object that a path leads into, if the path is that of a `jsonrpc` member: a message.
pub(super) fn versioned(path: &Path) -> Option<Path> {
    let (last, object) = path.split_last()?;
    (*last == PathStep::Key("jsonrpc".into())).then(|| object.to_vec())
}

/// True if a path leads into a member of the message at `envelope`.
pub(super) fn is_part(path: &Path, envelope: &Path) -> bool {
    let members = ["jsonrpc", "id", "method", "params", "result", "error"];
    path.starts_with(envelope)
        && matches!(path.get(envelope.len()), Some(PathStep::Key(key)) if members.contains(&&**key))
}
