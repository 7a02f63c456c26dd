//! Where the message of one wrapper is, and what stands around it.

use serde_json::{Map, Value};

use crate::capture::encoded::{text_in, undone};
use crate::capture::sample::{envelope, is_message};
use crate::capture::senders::Spoken;
use crate::capture::words::{self, Meaning};
use crate::json::listed;

/// The members of a message.
const ENVELOPE: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];

/// How deep a message may lie in its wrapper, and what tells of it in an object beside it.
const DEPTH: usize = 4;

/// How many elements of a list are looked at.
const LISTED: usize = 64;

/// The text as a value, if it may hold a message.
pub(super) fn plausible(text: &str) -> Option<Value> {
    // The last ones are what base64, gzip, digits and numbers make of `{"`.
    let signs =
        ["jsonrpc", "\"method", "\"result", "\"error", "\"eyJ", "\"H4sI", "\"7b22", "x7b22", "[123,", "<Buffer 7b"];
    // A line of a list has a comma behind it.
    let record = text.trim_end().trim_end_matches(',');
    signs.iter().any(|sign| text.contains(sign)).then(|| serde_json::from_str(record).ok())?
}

/// One example: where its message is, and the objects around it.
pub(super) struct Example<'v> {
    /// True if the message has a `jsonrpc` member.
    pub versioned: bool,
    /// True if other messages stand beside it: a request with its response, say.
    pub several: bool,
    /// True for an answer.
    pub answers: bool,
    pub path: Vec<String>,
    pub around: Vec<(Vec<String>, &'v Map<String, Value>)>,
}

/// Finds the message in a wrapper: the shallowest, and among those of one object the one whose key tells most.
pub(super) fn example(value: &Value) -> Option<Example<'_>> {
    let top = value.as_object()?;
    let bare = is_envelope(value);
    if bare && top.contains_key("jsonrpc") {
        return Some(Example::spread(top));
    }
    let mut level: Vec<Descent<'_>> =
        vec![Descent { path: Vec::new(), object: top, around: Vec::new(), in_params: false }];
    for _ in 0..DEPTH {
        let mut found: Option<Example<'_>> = None;
        let mut next = Vec::new();
        for place in level {
            place.look(&mut found, &mut next);
        }
        if found.is_some() {
            return found;
        }
        level = next;
    }
    // A record of something else has a method and an id, too.
    let has = |key: &str| top.contains_key(key);
    let answer = has("result") || has("error");
    (bare && (has("params") || answer) && !(has("method") && answer)).then(|| Example::spread(top))
}

/// A scalar beside a message.
pub(super) struct Scalar<'v> {
    pub path: Vec<String>,
    pub value: &'v Value,
    /// True if it is a member of an object around the message, and not of one beside it.
    pub is_around: bool,
}

impl<'v> Example<'v> {
    /// The scalars of the objects around the message, and of those that stand in them beside it.
    pub(super) fn scalars(&self) -> Vec<Scalar<'v>> {
        let mut found = Vec::new();
        for (prefix, object) in &self.around {
            self.collect(prefix, object, 0, &mut found);
        }
        found
    }

    fn collect(&self, prefix: &[String], object: &'v Map<String, Value>, depth: usize, found: &mut Vec<Scalar<'v>>) {
        let is_own = |path: &[String]| self.path.starts_with(path);
        let of_message = |key: &str| self.path.is_empty() && depth == 0 && ENVELOPE.contains(&key);
        for (key, value) in object.iter().filter(|(key, _)| !of_message(key)) {
            let path: Vec<String> = prefix.iter().chain([key]).cloned().collect();
            match value {
                _ if is_own(&path) => {}
                Value::Object(inner) if depth < DEPTH && !is_envelope(value) => {
                    self.collect(&path, inner, depth + 1, found)
                }
                Value::Array(elements) => of_list(elements).for_each(|(name, value)| {
                    let path = path.iter().cloned().chain([name]).collect();
                    found.push(Scalar { path, value, is_around: false });
                }),
                Value::Object(_) => {}
                Value::Null if depth > 0 => {}
                _ => found.push(Scalar { path, value, is_around: depth == 0 }),
            }
        }
    }

    fn spread(top: &'v Map<String, Value>) -> Example<'v> {
        Example {
            versioned: top.contains_key("jsonrpc"),
            several: false,
            answers: is_answer(top),
            path: Vec::new(),
            around: vec![(Vec::new(), top)],
        }
    }
}

impl Example<'_> {
    /// What it says, where it is one message.
    pub(super) fn spoken(&self) -> Option<Spoken> {
        let (_, top) = self.around.first()?;
        let Some((first, rest)) = self.path.split_first() else { return Spoken::of_value(top) };
        match rest.iter().try_fold(top.get(first)?, |value, key| value.get(key))? {
            Value::Object(members) => Spoken::of_value(members),
            Value::String(text) => {
                let plain = undone(text).map(|undone| undone.text);
                Spoken::of_value(&serde_json::from_str(plain.as_deref().unwrap_or(text)).ok()?)
            }
            _ => None,
        }
    }

    /// True if the message is the body of a request or response of HTTP.
    pub(super) fn is_http(&self) -> bool {
        self.around.iter().any(|(_, object)| object.contains_key("headers"))
    }
}

/// The scalars of a list that means an object ([`listed`]), with their names or places.
fn of_list(elements: &[Value]) -> impl Iterator<Item = (String, &Value)> {
    elements.iter().enumerate().take(LISTED).filter_map(|(place, element)| match element {
        Value::Object(members) => {
            let name = listed::NAMES.iter().find_map(|key| members.get(*key)?.as_str())?;
            let value = listed::VALUES.iter().find_map(|key| members.get(*key))?;
            (members.len() <= 3 && !value.is_object() && !value.is_array()).then(|| (name.to_string(), value))
        }
        Value::Array(_) | Value::Null => None,
        _ => Some((place.to_string(), element)),
    })
}

fn is_versioned(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            text.contains("\"jsonrpc\"") || undone(text).is_some_and(|undone| undone.text.contains("\"jsonrpc\""))
        }
        Value::Array(members) if members.iter().any(is_versioned) => true,
        Value::Object(members) if members.contains_key("jsonrpc") => true,
        _ => text_in(value).is_some_and(|text| text.contains("\"jsonrpc\"")),
    }
}

/// An object on the way down.
struct Descent<'v> {
    path: Vec<String>,
    object: &'v Map<String, Value>,
    around: Vec<(Vec<String>, &'v Map<String, Value>)>,
    /// True within the parameters of what may be a message itself.
    in_params: bool,
}

impl<'v> Descent<'v> {
    fn look(mut self, found: &mut Option<Example<'v>>, next: &mut Vec<Descent<'v>>) {
        self.around.push((self.path.clone(), self.object));
        let rank = |key: &str| match words::meaning(key) {
            Some((Meaning::Message, rank)) => rank,
            _ => usize::MAX,
        };
        let mut keys: Vec<_> = self.object.iter().collect();
        keys.sort_by_key(|(key, _)| rank(key));
        let in_message = self.path.is_empty() && is_spread(self.object);
        for (key, value) in keys {
            let path: Vec<String> = self.path.iter().chain([key]).cloned().collect();
            let in_params = self.in_params || in_message && key == "params";
            // What a client registers has a method and an id, too.
            match (holds_message(value) && (!in_params || is_versioned(value)), &mut *found) {
                // `raw` and `msg` in one wrapper are one message, told twice.
                (true, Some(first)) => {
                    first.several |= rank(key) == usize::MAX || !path.starts_with(&first.path[..first.path.len() - 1])
                }
                (true, none) => {
                    *none = Some(Example {
                        versioned: is_versioned(value),
                        several: false,
                        answers: holds_answer(value),
                        path,
                        around: self.around.clone(),
                    })
                }
                (false, _) => {
                    if let Value::Object(inner) = value {
                        next.push(Descent { path, object: inner, around: self.around.clone(), in_params });
                    }
                }
            }
        }
    }
}

/// True for a record whose members may be those of a request or a notification.
fn is_spread(members: &Map<String, Value>) -> bool {
    members.get("method").is_some_and(Value::is_string) && members.get("params").is_some_and(Value::is_object)
}

fn is_answer(members: &Map<String, Value>) -> bool {
    !members.contains_key("method") && (members.contains_key("result") || members.contains_key("error"))
}

fn holds_answer(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            !text.contains("\"method\"") && (text.contains("\"result\"") || text.contains("\"error\""))
        }
        Value::Array(members) => members.first().and_then(Value::as_object).is_some_and(is_answer),
        _ => value.as_object().is_some_and(is_answer),
    }
}

fn holds_message(value: &Value) -> bool {
    match value {
        Value::String(text) => is_message(text) || undone(text).is_some_and(|undone| is_message(&undone.text)),
        Value::Array(members) if members.first().is_some_and(is_envelope) => true,
        _ => is_envelope(value) || text_in(value).is_some_and(|text| is_message(&text)),
    }
}

pub(super) fn is_envelope(value: &Value) -> bool {
    let Value::Object(members) = value else { return false };
    let has = |key: &str| members.contains_key(key);
    let method = members.get("method").and_then(Value::as_str);
    envelope(has("jsonrpc"), method, has("id"), has("params"), has("result") || has("error"))
}
