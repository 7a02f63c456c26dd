//! The members of a message: the one validating pass over it.
//!
//! The envelope is ours; what else is wanted from `params`, `result` and `error` is lifted in the same pass
//! by a [`Lift`], so that no message is parsed twice and no tree of values is ever built.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::IdField;
use super::error_member::ErrorMember;
use super::message::{Defect, Defects, Kind, Message};
use crate::json::{lenient_string, strict as scan};

/// Takes what it wants from the members of `params` and `result`, and leaves the rest.
///
/// What it is shown is valid JSON as written: `raw` is the value of one member.
pub trait Lift<'a>: Default {
    /// Called first, with the text at whose beginning the message stands; all that follows are parts of it.
    fn starts(&mut self, _text: &'a str) {}
    /// Called last, with the byte of that text at which the message ends.
    fn ends(&mut self, _at: usize) {}
    /// Called for each member of an object in `params`.
    fn param(&mut self, key: &str, raw: &'a str);
    /// Called for each member of an object in `result`.
    fn result(&mut self, key: &str, raw: &'a str);
    /// Called once with the whole object of `params` or `result`, where a quick look was enough to read it.
    fn body(&mut self, _raw: &'a str) {}
    /// Called once where `params` is anything but an object.
    fn params_without_members(&mut self) {}
    /// Called once where `result` is a list; `filled` if it has members.
    fn result_list(&mut self, _filled: bool) {}
    /// Called once where `params` or `result` is a string; with its quotes.
    fn text_instead(&mut self, _raw: &'a str) {}
}

/// Lifts nothing.
#[derive(Clone, Debug, Default)]
pub struct NoLift;

impl<'a> Lift<'a> for NoLift {
    fn param(&mut self, _: &str, _: &'a str) {}
    fn result(&mut self, _: &str, _: &'a str) {}
}

/// Keys of the envelope.
enum Slot {
    Jsonrpc,
    Id,
    Method,
    Params,
    Result,
    Error,
    Other,
}

impl Slot {
    fn of(key: &str) -> Slot {
        match key {
            "jsonrpc" => Slot::Jsonrpc,
            "id" => Slot::Id,
            "method" => Slot::Method,
            "params" => Slot::Params,
            "result" => Slot::Result,
            "error" => Slot::Error,
            _ => Slot::Other,
        }
    }
}

impl<'de> Deserialize<'de> for Slot {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;
        impl Visitor<'_> for Keys {
            type Value = Slot;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member name")
            }
            fn visit_str<E>(self, key: &str) -> Result<Slot, E> {
                Ok(Slot::of(key))
            }
        }
        deserializer.deserialize_str(Keys)
    }
}

/// What a member's value was.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Object,
    Array,
    Null,
    Scalar,
}

/// The members of an envelope as they are read, and what is lifted from them.
#[derive(Default)]
pub(super) struct Envelope<'a, F> {
    version: Option<&'a str>,
    method: Option<&'a str>,
    id: Option<&'a str>,
    params: Option<Shape>,
    result: Option<Shape>,
    error: Option<ErrorMember<'a>>,
    defects: Defects,
    /// A member that JSON-RPC does not know.
    unknown: bool,
    pub(super) lifted: F,
}

impl<'a, F: Lift<'a>> Envelope<'a, F> {
    /// Reads the object at the start of a text by a scan; gives its end, and nothing where the scan does not take it.
    pub(super) fn scan(&mut self, text: &'a str) -> Option<usize> {
        scan::members(text, 0, |key, escaped, at| {
            if escaped {
                return None;
            }
            let slot = Slot::of(key);
            if let Slot::Params | Slot::Result = slot {
                let lifted = &mut self.lifted;
                let (end, twice) = match slot {
                    Slot::Params => {
                        let (end, shape) = body(text, at, lifted, Params)?;
                        (end, self.params.replace(shape).is_some())
                    }
                    _ => {
                        let (end, shape) = body(text, at, lifted, Outcome)?;
                        (end, self.result.replace(shape).is_some())
                    }
                };
                self.note_twice(twice);
                return Some(end);
            }
            let end = scan::value(text.as_bytes(), at)?;
            let raw = text.get(at..end)?;
            let twice = match slot {
                Slot::Jsonrpc => self.version.replace(raw).is_some(),
                Slot::Id => self.id.replace(raw).is_some(),
                Slot::Method => self.method.replace(raw).is_some(),
                Slot::Error => self.error.replace(ErrorMember::of(raw)).is_some(),
                _ => {
                    self.unknown = true;
                    false
                }
            };
            self.note_twice(twice);
            Some(end)
        })
    }

    fn note_twice(&mut self, twice: bool) {
        if twice {
            self.defects.add(Defect::DuplicateMember);
        }
    }

    #[inline(always)]
    pub(super) fn finish(self) -> (Message<'a>, F) {
        let mut defects = self.defects;
        let is_two = |raw: &str| raw == "\"2.0\"" || raw.starts_with('"') && lenient_string(raw) == "2.0";
        if !self.version.is_some_and(is_two) {
            defects.add(Defect::JsonrpcMember);
            if self.version.is_some_and(|raw| matches!(raw, "\"1.0\"" | "\"1.1\"")) {
                defects.add(Defect::VersionOne);
            }
            if self.unknown && self.version.is_none() {
                defects.add(Defect::UnknownMember);
            }
        }
        (classify(self.id, self.method, self.params, self.result, self.error, defects), self.lifted)
    }
}

impl<'de, F: Lift<'de>> DeserializeSeed<'de> for &mut Envelope<'de, F> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, F: Lift<'de>> Visitor<'de> for &mut Envelope<'de, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON-RPC message (an object)")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(member) = map.next_key::<Slot>()? {
            let twice = match member {
                Slot::Jsonrpc => self.version.replace(map.next_value::<&RawValue>()?.get()).is_some(),
                Slot::Id => self.id.replace(map.next_value::<&RawValue>()?.get()).is_some(),
                Slot::Method => self.method.replace(map.next_value::<&RawValue>()?.get()).is_some(),
                Slot::Params => self.params.replace(map.next_value_seed(Body(&mut self.lifted, Params))?).is_some(),
                Slot::Result => self.result.replace(map.next_value_seed(Body(&mut self.lifted, Outcome))?).is_some(),
                Slot::Error => self.error.replace(ErrorMember::of(map.next_value::<&RawValue>()?.get())).is_some(),
                Slot::Other => {
                    map.next_value::<IgnoredAny>()?;
                    self.unknown = true;
                    false
                }
            };
            self.note_twice(twice);
        }
        Ok(())
    }
}

fn classify<'a>(
    id: Option<&'a str>,
    method: Option<&'a str>,
    params: Option<Shape>,
    result: Option<Shape>,
    error: Option<ErrorMember<'a>>,
    mut defects: Defects,
) -> Message<'a> {
    // Loggers that print all members of a message print those that it lacks, too: an answer has no method.
    let answers = result.is_some() || error.is_some();
    let method = method.filter(|raw| !(answers && matches!(*raw, "null" | "\"\"")));
    let method_text = method.filter(|raw| raw.starts_with('"')).map(lenient_string);
    if method.is_some() && method_text.is_none() {
        defects.add(Defect::MethodType);
    }
    let kind = match (method.is_some(), id.is_some(), result.is_some(), error.is_some()) {
        (true, true, _, _) => Kind::Request,
        (true, false, _, _) => Kind::Notification,
        (false, _, _, true) => Kind::Error,
        (false, _, true, false) => Kind::Result,
        (false, true, false, false) => Kind::Error,
        (false, false, false, false) => Kind::Unclassified,
    };
    match params {
        Some(Shape::Null) => defects.add(Defect::NullParams),
        Some(Shape::Scalar) => defects.add(Defect::Params),
        _ => {}
    }
    if kind == Kind::Unclassified {
        defects.add(Defect::Unclassifiable);
    }
    if kind.is_response() {
        match (&result, &error) {
            (Some(_), Some(ErrorMember::Null)) => defects.add(Defect::NullErrorBesideResult),
            (Some(_), Some(_)) => defects.add(Defect::ResultAndError),
            (None, None) => defects.add(Defect::NeitherResultNorError),
            _ => {}
        }
        match &error {
            Some(ErrorMember::Object { error, sound: true }) if error.code.is_some() && error.message.is_some() => {}
            Some(ErrorMember::Null) if result.is_some() => {}
            Some(_) => defects.add(Defect::ErrorObject),
            None => {}
        }
    }
    // `"error": null` beside a result is a result in all but name.
    let kind = if kind == Kind::Error && result.is_some() && matches!(error, Some(ErrorMember::Null)) {
        Kind::Result
    } else {
        kind
    };
    let error = match error {
        Some(ErrorMember::Object { error, .. }) => Some(error),
        _ => None,
    };
    let id_field = id.map_or(IdField::Absent, IdField::from_json);
    Message { kind, id: id_field, id_text: id, method: method_text, error, defects }
}

#[derive(Clone, Copy)]
struct Params;
#[derive(Clone, Copy)]
struct Outcome;

/// Which lift method a body is handed to.
trait Part: Copy {
    fn member<'a, F: Lift<'a>>(self, lift: &mut F, key: &str, raw: &'a str);
    fn none<'a, F: Lift<'a>>(self, _: &mut F) {}
    fn list<'a, F: Lift<'a>>(self, lift: &mut F, _filled: bool) {
        self.none(lift);
    }
}

impl Part for Params {
    fn member<'a, F: Lift<'a>>(self, lift: &mut F, key: &str, raw: &'a str) {
        lift.param(key, raw);
    }
    fn none<'a, F: Lift<'a>>(self, lift: &mut F) {
        lift.params_without_members();
    }
}

impl Part for Outcome {
    fn member<'a, F: Lift<'a>>(self, lift: &mut F, key: &str, raw: &'a str) {
        lift.result(key, raw);
    }
    fn list<'a, F: Lift<'a>>(self, lift: &mut F, filled: bool) {
        lift.result_list(filled);
    }
}

/// The value of `params` or `result` at `at`: the byte after it, and what it is.
fn body<'a, F: Lift<'a>>(text: &'a str, at: usize, lift: &mut F, part: impl Part) -> Option<(usize, Shape)> {
    let bytes = text.as_bytes();
    if *bytes.get(at)? == b'{' {
        let end = scan::members(text, at, |key, escaped, at| {
            let end = scan::value(bytes, at).filter(|_| !escaped)?;
            part.member(lift, key, text.get(at..end)?);
            Some(end)
        })?;
        lift.body(text.get(at..end)?);
        return Some((end, Shape::Object));
    }
    let end = scan::value(bytes, at)?;
    let shape = match bytes[at] {
        b'[' => Shape::Array,
        b'n' => Shape::Null,
        // Numbers of any size: what a reader can hold is no question of JSON.
        b't' | b'f' | b'-' | b'0'..=b'9' => Shape::Scalar,
        b'"' if !bytes[at..end].contains(&b'\\') => Shape::Scalar,
        // An escape may stand for nothing.
        _ => return None,
    };
    if bytes[at] == b'"' {
        lift.text_instead(text.get(at..end)?);
    }
    match shape {
        Shape::Array => part.list(lift, bytes[scan::skip_white(bytes, at + 1)] != b']'),
        _ => part.none(lift),
    }
    Some((end, shape))
}

struct Body<'f, F, P>(&'f mut F, P);

impl<'de, F: Lift<'de>, P: Part> DeserializeSeed<'de> for Body<'_, F, P> {
    type Value = Shape;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Shape, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, F: Lift<'de>, P: Part> Visitor<'de> for Body<'_, F, P> {
    type Value = Shape;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Shape, A::Error> {
        while let Some(key) = map.next_key::<MemberName<'de>>()? {
            let raw = map.next_value::<&RawValue>()?;
            self.1.member(self.0, &key.0, raw.get());
        }
        Ok(Shape::Object)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Shape, A::Error> {
        let filled = seq.next_element::<IgnoredAny>()?.is_some();
        while filled && seq.next_element::<IgnoredAny>()?.is_some() {}
        self.1.list(self.0, filled);
        Ok(Shape::Array)
    }

    fn visit_unit<E>(self) -> Result<Shape, E> {
        self.1.none(self.0);
        Ok(Shape::Null)
    }
    fn visit_bool<E>(self, _: bool) -> Result<Shape, E> {
        self.scalar()
    }
    fn visit_i64<E>(self, _: i64) -> Result<Shape, E> {
        self.scalar()
    }
    fn visit_u64<E>(self, _: u64) -> Result<Shape, E> {
        self.scalar()
    }
    fn visit_f64<E>(self, _: f64) -> Result<Shape, E> {
        self.scalar()
    }
    fn visit_str<E>(self, _: &str) -> Result<Shape, E> {
        self.scalar()
    }
}

impl<'de, F: Lift<'de>, P: Part> Body<'_, F, P> {
    fn scalar<E>(self) -> Result<Shape, E> {
        self.1.none(self.0);
        Ok(Shape::Scalar)
    }
}

/// A member name, borrowed where it has no escapes.
pub(crate) struct MemberName<'a>(pub(crate) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for MemberName<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = MemberName<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member name")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<MemberName<'de>, E> {
                Ok(MemberName(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<MemberName<'de>, E> {
                Ok(MemberName(Cow::Owned(text.to_string())))
            }
        }
        deserializer.deserialize_str(Text)
    }
}
