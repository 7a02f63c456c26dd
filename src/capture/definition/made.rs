//! Messages that a record does not hold but tells: kind, id and method stand in groups or in members of the record,
//! parameters and results as values of their own.
//!
//! What is put together here was never on the wire in this form, so a definition that does it proves no envelopes, and
//! no part for which it has no place (`compile`).

use super::condition::Term;
use super::head::Head;
use super::parts::{Ids, Kind, Made, Part, Spot};
use super::pointer::{Found, Pointer, find_all};
use super::ready::Definition;
use crate::capture::literal::push_string;
use crate::json::scan::unquoted;

/// A part as it stands in the record: JSON of a member, or the text of a group.
#[derive(Clone, Copy)]
struct Value<'a> {
    text: &'a str,
    json: bool,
}

impl<'a> Value<'a> {
    /// Its text, without quotes.
    fn plain(self) -> &'a str {
        if self.json { unquoted(self.text) } else { self.text }
    }

    /// True for an object or an array that is whole.
    fn structured(&self) -> bool {
        self.text.starts_with(['{', '[']) && is_json(self.text)
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// What a record told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) kind: Kind,
    /// True if the logger cut its parameters, its result or its error.
    pub(super) cut: bool,
    /// True for a message that is nothing without the parameters that it lacks.
    pub(super) bare: bool,
}

/// The parts of one record.
struct Parts<'a> {
    made: &'a Made,
    head: Head<'a>,
    found: Vec<Found<'a>>,
    payload: &'a str,
}

impl<'a> Parts<'a> {
    fn get(&self, part: Part) -> Option<Value<'a>> {
        self.made.spots[part as usize].iter().find_map(|spot| {
            let value = match spot {
                Spot::Group(name) => Value { text: self.head.named(name)?, json: false },
                Spot::Pointer(at) => Value { text: self.found[*at]?.0, json: true },
            };
            let is_nothing = value.text.is_empty() || value.json && matches!(value.text, "null" | "\"\"");
            (!is_nothing).then_some(value)
        })
    }

    /// The value of a body, and whether it was cut.
    fn body(&self, part: Part) -> (Option<&'a str>, bool) {
        let value = match (self.made.payload_is_body, self.get(part)) {
            (true, None) => Some(self.payload.trim()).filter(|text| !text.is_empty()),
            (_, value) => value.map(|value| value.text.trim()),
        };
        let Some(text) = value else { return (None, false) };
        let marked = self.made.cut_marks.iter().any(|mark| text.contains(mark.as_str()));
        match is_json(text) {
            true => (Some(text), marked),
            false => (None, true),
        }
    }
}

/// Makes the message that a record tells; `payload` is the record's text, in which pointers look.
/// `half` asks for the request or the answer of an exchange.
pub(super) fn make(
    definition: &Definition,
    head: &Head<'_>,
    payload: &str,
    half: Option<Kind>,
    out: &mut String,
) -> Told {
    let made = &definition.made;
    let pointers: Vec<&Pointer> = made.pointers.iter().collect();
    let mut found = vec![None; pointers.len()];
    find_all(payload, &pointers, &mut found);
    let parts = Parts { made, head: *head, found, payload };
    let kind = match half {
        Some(Kind::Request) if parts.get(Part::Id).is_none() => Kind::Notification,
        Some(half) => half,
        None => kind(definition, &parts),
    };
    out.clear();
    out.push_str("{\"jsonrpc\":\"2.0\"");
    let told = match kind {
        Kind::Skip | Kind::Exchange => Told { kind, cut: false, bare: false },
        Kind::Request | Kind::Notification => call(&parts, kind, out),
        Kind::Response | Kind::Error => answer(&parts, kind, out),
    };
    out.push('}');
    told
}

/// What a record is: by the tests, by its word, by what it has.
fn kind(definition: &Definition, parts: &Parts<'_>) -> Kind {
    let value = |term: &Term| match term {
        Term::Group(name) => parts.head.named(name),
        Term::Pointer(pointer) => pointer.find(parts.payload).map(|(value, _)| value),
    };
    if let Some((_, kind)) = parts.made.rules.iter().find(|(condition, _)| condition.holds(value)) {
        return *kind;
    }
    let word = parts.get(Part::Kind);
    let known = word.and_then(|word| definition.kinds.iter().find(|(known, _)| fits(known, word.plain())));
    match (known, word) {
        (Some((_, kind)), _) => *kind,
        // A word in a member that the definition does not list is that of another kind of record.
        (None, Some(word)) if word.json && !definition.kinds.is_empty() => Kind::Skip,
        _ if definition.kind_default.is_some() => definition.kind_default.unwrap_or(Kind::Skip),
        _ => match (parts.get(Part::Id), parts.get(Part::Method)) {
            (None, None) => Kind::Skip,
            (None, Some(_)) => Kind::Notification,
            (Some(_), Some(_)) => Kind::Request,
            (Some(_), None) => Kind::Response,
        },
    }
}

/// True if a word is the one of a map; `*` at one end of it stands for anything.
fn fits(known: &str, word: &str) -> bool {
    match (known.strip_prefix('*'), known.strip_suffix('*')) {
        (Some(end), _) => word.ends_with(end),
        (_, Some(start)) => word.starts_with(start),
        _ => known == word,
    }
}

fn call(parts: &Parts<'_>, kind: Kind, out: &mut String) -> Told {
    let method = parts.get(Part::Method).map_or("", Value::plain);
    let method = parts.made.methods.get(method).map_or(method, String::as_str);
    if kind == Kind::Request {
        id(parts, out);
    }
    out.push_str(",\"method\":");
    push_text(out, method);
    let (body, mut cut) = parts.body(Part::Params);
    // Loggers write null where nothing was sent, and a text where they cut or blacked something out.
    let body = body.filter(|text| *text != "null");
    let params = body.filter(|text| text.starts_with(['{', '[']));
    cut |= body.is_some() && params.is_none();
    if let Some(params) = params {
        out.push_str(",\"params\":");
        out.push_str(params);
    }
    // What a logger puts where it cut tells nothing of what was there.
    let names_one = |params: &str| !cut || ["\"requestId\"", "\"id\""].iter().any(|key| params.contains(key));
    let bare = !params.is_some_and(names_one) && (method.starts_with("$/") || method.contains("cancel"));
    Told { kind, cut, bare }
}

fn answer(parts: &Parts<'_>, kind: Kind, out: &mut String) -> Told {
    id(parts, out);
    let error = parts.get(Part::Error);
    let (code, text) = (parts.get(Part::Code), parts.get(Part::Text));
    let failed = kind == Kind::Error || error.is_some() || code.is_some() || text.is_some();
    if failed {
        let (body, cut) = parts.body(Part::Error);
        put_error(
            body.filter(|text| text.starts_with('{')),
            code,
            text.or(error.filter(|error| !error.structured())),
            out,
        );
        return Told { kind: Kind::Error, cut, bare: false };
    }
    let (body, cut) = parts.body(Part::Result);
    out.push_str(",\"result\":");
    out.push_str(body.unwrap_or("null"));
    Told { kind: Kind::Response, cut, bare: false }
}

fn put_error(whole: Option<&str>, code: Option<Value<'_>>, text: Option<Value<'_>>, out: &mut String) {
    out.push_str(",\"error\":");
    if let Some(whole) = whole {
        return out.push_str(whole);
    }
    out.push('{');
    if let Some(code) = code.map(Value::plain).filter(|code| code.parse::<i64>().is_ok()) {
        out.push_str("\"code\":");
        out.push_str(code);
        out.push(',');
    }
    out.push_str("\"message\":");
    match text {
        Some(text) if text.json && text.text.starts_with('"') => out.push_str(text.text),
        text => push_string(out, text.map_or("", |text| text.text)),
    }
    out.push('}');
}

/// The id as its JSON, a word as a string. One that the logger made up is left to `emit`, which knows what is open.
fn id(parts: &Parts<'_>, out: &mut String) {
    out.push_str(",\"id\":");
    match parts.get(Part::Id) {
        _ if parts.made.ids == Ids::Logger => out.push_str("null"),
        None => out.push_str("null"),
        Some(value) if parts.made.ids == Ids::Text => {
            let text = value.plain();
            match text.parse::<i64>().is_ok_and(|number| number.to_string() == text) {
                true => out.push_str(text),
                false => push_text(out, text),
            }
        }
        Some(value) if is_json(value.text) => out.push_str(value.text),
        Some(value) => push_string(out, value.text),
    }
}

/// A text between quotes. What comes out of a JSON string is escaped already.
fn push_text(out: &mut String, text: &str) {
    let mut plain = String::new();
    match text.contains('\\') && crate::json::unescape(&format!("{text}\""), 0, &mut plain).is_some() {
        true => push_string(out, &plain),
        false => push_string(out, text),
    }
}
