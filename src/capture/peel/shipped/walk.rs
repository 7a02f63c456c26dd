//! Walking through JSON that may be cut off: every scalar with the path to it, in one pass.
//!
//! A list that means an object ([`crate::json::listed`]) is one here; any other is one of records.

use std::ops::Range;

use rustc_hash::FxHashSet;

use crate::capture::encoded::KVLIST;
use crate::json::listed::{List, elements, list, members, object};
use crate::json::scan::{self, value_end};

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

/// Members in which shippers keep a record of the log that they ship as an object: Google, Elastic, OpenTelemetry.
const RECORDS: [&str; 3] = ["jsonPayload", "_source", KVLIST];

/// True for the path of a member in which an object is spelled out with the type of each value.
pub(super) fn is_typed(path: &Path) -> bool {
    matches!(path.last(), Some(PathStep::Key(key)) if **key == *KVLIST)
}

/// True for such a member, and for the attributes of a record that has attributes itself (Datadog).
fn keeps_record(path: &Path) -> bool {
    match path.as_slice() {
        [.., PathStep::Key(around), PathStep::Key(name)] if **name == *"attributes" => around == name,
        [.., PathStep::Key(name)] => RECORDS.contains(&&**name),
        _ => false,
    }
}

/// True for an object that has all members of one of the `known` records of emitters.
pub(super) fn is_known(object: &str, known: &[&[String]]) -> bool {
    let has = |name: &String| scan::members(object).any(|member| *member.key == **name);
    known.iter().any(|names| names.iter().all(has))
}

/// Calls `give` with every scalar of the value at `at`, as written, and the path to it, and with the objects in which a log may
/// stand, or that are `known` records. Gives the byte after the value.
pub(super) fn leaves<'t>(
    text: &'t str,
    at: usize,
    known: &[&[String]],
    path: &mut Path,
    give: &mut dyn FnMut(&Path, &'t str),
) -> Option<usize> {
    let step = |step: PathStep, at: usize, path: &mut Path, give: &mut dyn FnMut(&Path, &'t str)| {
        path.push(step);
        let end = leaves(text, at, known, path, give);
        path.pop();
        end
    };
    let key = |key: &str| PathStep::Key(key.into());
    match text.as_bytes().get(at)? {
        _ if path.len() >= DEPTH => value_end(text.as_bytes(), at),
        b'{' => {
            let end = object(text, at, &mut |name, at| step(key(name), at, path, give))?;
            let written = text.get(at..end)?;
            // A record of a list is given with it, below.
            let listed = path.as_slice() == [PathStep::Each];
            if keeps_record(path) || !listed && is_known(written, known) {
                give(path, written);
            }
            Some(end)
        }
        b'[' if list(text, at) == List::Records => {
            let on_top = path.is_empty();
            elements(text, at, &mut |at| {
                let end = step(PathStep::Each, at, path, give)?;
                // The record that a list of a line holds may be one of the log itself.
                if on_top && text.as_bytes().get(at) == Some(&b'{') {
                    give(&vec![PathStep::Each], text.get(at..end)?);
                }
                Some(end)
            })
        }
        b'[' => members(text, at, &mut |name, at| step(key(name), at, path, give)),
        _ => {
            let end = value_end(text.as_bytes(), at)?;
            give(path, text.get(at..end)?);
            Some(end)
        }
    }
}

/// Where records stand.
#[derive(Default)]
pub(super) struct Found {
    /// The elements of lists of records that hold no such list themselves, in order.
    pub records: Vec<Range<usize>>,
    /// What holds such lists: each with the path to it, in the order in which they begin.
    pub around: Vec<(Range<usize>, Path)>,
}

/// Finds the records under the value at `at`, to which `path` leads. Gives the byte after the value.
pub(super) fn records(text: &str, at: usize, path: &mut Path, found: &mut Found) -> Option<usize> {
    let step = |step: PathStep, at: usize, path: &mut Path, found: &mut Found| {
        path.push(step);
        let end = records(text, at, path, found);
        path.pop();
        end
    };
    match text.as_bytes().get(at)? {
        b'{' => object(text, at, &mut |name, at| step(PathStep::Key(name.into()), at, path, found)),
        b'[' if list(text, at) == List::Records => elements(text, at, &mut |at| {
            let (before, outer) = (found.records.len(), found.around.len());
            let end = step(PathStep::Each, at, path, found)?;
            if found.records.len() == before {
                found.records.push(at..end);
            } else {
                let whole = path.iter().cloned().chain([PathStep::Each]).collect();
                found.around.insert(outer, (at..end, whole));
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

/// True if a path leads into a member of the message at one of the `envelopes`.
pub(super) fn is_part(path: &Path, envelopes: &FxHashSet<Path>) -> bool {
    let members = ["jsonrpc", "id", "method", "params", "result", "error"];
    let is_member = |step: &PathStep| matches!(step, PathStep::Key(key) if members.contains(&&**key));
    (0..path.len()).any(|end| is_member(&path[end]) && envelopes.contains(&path[..end]))
}
