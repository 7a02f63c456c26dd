//! The one validating pass over a message.
//!
//! The envelope is ours; what else is wanted from `params`, `result` and `error` is lifted in the same pass
//! by a [`Lift`], so that no message is parsed twice and no tree of values is ever built.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

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
    /// Called for each member of an object in `params`.
    fn param(&mut self, key: &str, raw: &'a str);
    /// Called for each member of an object in `result`.
    fn result(&mut self, key: &str, raw: &'a str);
    /// Called once where `params` is anything but an object.
    fn params_without_members(&mut self) {}
    /// Called once where `result` is a list; `filled` if it has members.
    fn result_list(&mut self, _filled: bool) {}
}

/// Lifts nothing.
#[derive(Clone, Debug, Default)]
pub struct NoLift;

impl<'a> Lift<'a> for NoLift {
    fn param(&mut self, _: &str, _: &'a str) {}
    fn result(&mut self, _: &str, _: &'a str) {}
}

/// What stood at the place that was parsed.
#[derive(Debug)]
pub enum Parsed<'a, F> {
    /// An object: one message.
    One(Message<'a>, F),
    /// An array: a batch, each member with its byte range in the text.
    Batch(Vec<Member<'a, F>>),
}

/// One member of a batch: the byte range of its text, and the message or why there is none.
pub type Member<'a, F> = (Range<usize>, Result<(Message<'a>, F), Unparsable>);

/// Why a text is no message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unparsable {
    /// What is wrong, in words.
    pub reason: String,
    /// The byte in the text at which it was noticed, where known.
    pub column: usize,
    /// True if the text ended too early: a message that was cut off.
    pub cut: bool,
}

/// Parses a whole text as one message or batch; anything but white space after it is an error.
pub fn parse<'a, F: Lift<'a>>(text: &'a str) -> Result<Parsed<'a, F>, Unparsable> {
    let (parsed, end) = parse_at(text, 0)?;
    match text.as_bytes()[end..].iter().position(|byte| !byte.is_ascii_whitespace()) {
        None => Ok(parsed),
        Some(at) => Err(Unparsable { reason: "more text after the message".into(), column: end + at, cut: false }),
    }
}

/// Parses the message or batch that starts at byte `at`, and says at which byte it ends.
/// What follows it in the text is not looked at.
pub fn parse_at<'a, F: Lift<'a>>(text: &'a str, at: usize) -> Result<(Parsed<'a, F>, usize), Unparsable> {
    let start = skip_white(text.as_bytes(), at);
    match text.as_bytes().get(start) {
        Some(b'{') => {
            let mut envelope = Envelope::<F>::default();
            let end = object(&text[start..], &mut envelope)
                .map_err(|fault| Unparsable { column: start + fault.column, ..fault })?;
            let (message, lifted) = envelope.finish();
            Ok((Parsed::One(message, lifted), start + end))
        }
        Some(b'[') => batch(text, start),
        Some(_) => {
            let reason = "a message is a JSON object, a batch an array".to_string();
            Err(Unparsable { reason, column: start, cut: false })
        }
        None => Err(Unparsable { reason: "no text".into(), column: start, cut: true }),
    }
}

fn skip_white(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

fn one<'a, T: Deserialize<'a>>(text: &'a str, start: usize) -> Result<(T, usize), Unparsable> {
    let mut stream = serde_json::Deserializer::from_str(&text[start..]).into_iter::<T>();
    match stream.next() {
        Some(Ok(value)) => Ok((value, start + stream.byte_offset())),
        Some(Err(error)) => {
            let fault = unparsable(&error);
            Err(Unparsable { column: start + fault.column, ..fault })
        }
        None => Err(Unparsable { reason: "no text".into(), column: start, cut: true }),
    }
}

fn unparsable(error: &serde_json::Error) -> Unparsable {
    Unparsable { column: error.column().saturating_sub(1), cut: error.is_eof(), reason: reason_of(error) }
}

/// serde_json ends its messages with a position inside the slice it was given; ours is told apart from it.
fn reason_of(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(at) => text[..at].to_string(),
        None => text,
    }
}

/// Reads the object at the start of `text` in place, since the facts are too large to be passed around; gives its end.
fn object<'a, F: Lift<'a>>(text: &'a str, envelope: &mut Envelope<'a, F>) -> Result<usize, Unparsable> {
    if let Some(end) = envelope.scan(text) {
        return Ok(end);
    }
    // What the scan does not take is rare: an escape in a key, a very deep value, or no JSON at all.
    *envelope = Envelope::default();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    match envelope.deserialize(&mut deserializer) {
        Ok(()) => Ok(deserializer.into_iter::<IgnoredAny>().byte_offset()),
        Err(error) => Err(unparsable(&error)),
    }
}

fn batch<'a, F: Lift<'a>>(text: &'a str, start: usize) -> Result<(Parsed<'a, F>, usize), Unparsable> {
    let (members, end) = one::<Vec<&'a RawValue>>(text, start)?;
    let base = text.as_ptr() as usize;
    let members = members
        .into_iter()
        .map(|raw| {
            let raw = raw.get();
            let from = raw.as_ptr() as usize - base;
            let message = match raw.as_bytes().first() {
                Some(b'{') => {
                    let mut envelope = Envelope::<F>::default();
                    object(raw, &mut envelope).map(|_| envelope.finish())
                }
                _ => Err(Unparsable { reason: "a member of a batch is a JSON object".into(), column: 0, cut: false }),
            };
            (from..from + raw.len(), message)
        })
        .collect();
    Ok((Parsed::Batch(members), end))
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
struct Envelope<'a, F> {
    version: Option<&'a str>,
    method: Option<&'a str>,
    id: Option<&'a str>,
    params: Option<Shape>,
    result: Option<Shape>,
    error: Option<ErrorMember<'a>>,
    defects: Defects,
    lifted: F,
}

impl<'a, F: Lift<'a>> Envelope<'a, F> {
    /// Reads the object at the start of a text by a scan; gives its end, and nothing where the scan does not take it.
    fn scan(&mut self, text: &'a str) -> Option<usize> {
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
                _ => false,
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
    fn finish(self) -> (Message<'a>, F) {
        let mut defects = self.defects;
        let is_two = |raw: &str| raw == "\"2.0\"" || raw.starts_with('"') && lenient_string(raw) == "2.0";
        if !self.version.is_some_and(is_two) {
            defects.add(Defect::JsonrpcMember);
            if self.version.is_some_and(|raw| matches!(raw, "\"1.0\"" | "\"1.1\"")) {
                defects.add(Defect::VersionOne);
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
    let answers = || matches!(result, Some(Shape::Null) | None) ^ matches!(error, Some(ErrorMember::Null) | None);
    let method = method.filter(|raw| !(matches!(*raw, "null" | "\"\"") && answers()));
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
        return Some((end, Shape::Object));
    }
    let end = scan::value(bytes, at)?;
    let shape = match bytes[at] {
        b'[' => Shape::Array,
        b'n' => Shape::Null,
        b't' | b'f' => Shape::Scalar,
        b'"' if !bytes[at..end].contains(&b'\\') => Shape::Scalar,
        // A number may be out of range, and an escape may stand for nothing.
        _ => return None,
    };
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
        while let Some(key) = map.next_key::<Key<'de>>()? {
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
pub(crate) struct Key<'a>(pub(crate) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Key<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member name")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(text.to_string())))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> Message<'_> {
        match parse::<NoLift>(text) {
            Ok(Parsed::One(message, _)) => message,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn kinds_follow_the_members() {
        assert_eq!(message(r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#).kind, Kind::Request);
        assert_eq!(message(r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#).id, IdField::Null);
        assert_eq!(message(r#"{"jsonrpc":"2.0","method":"a"}"#).kind, Kind::Notification);
        assert_eq!(message(r#"{"jsonrpc":"2.0","id":1,"result":null}"#).kind, Kind::Result);
        let error = message(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"no"}}"#);
        assert_eq!((error.kind, error.error_code()), (Kind::Error, Some(-32800)));
        assert_eq!(message(r#"{"a":1}"#).kind, Kind::Unclassified);
    }

    #[test]
    fn defects_are_reported_not_thrown() {
        let has = |text: &str, defect| message(text).defects.has(defect);
        assert!(has(r#"{"id":1,"method":"a"}"#, Defect::JsonrpcMember));
        assert!(has(r#"{"jsonrpc":2.0,"id":1,"method":"a"}"#, Defect::JsonrpcMember));
        assert!(has(r#"{"jsonrpc":"1.0","id":1,"method":"a"}"#, Defect::VersionOne));
        assert!(!has(r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#, Defect::VersionOne));
        assert!(has(r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}"#, Defect::ResultAndError));
        assert!(has(r#"{"jsonrpc":"2.0","id":1,"result":1,"error":null}"#, Defect::NullErrorBesideResult));
        assert!(has(r#"{"jsonrpc":"2.0","id":1}"#, Defect::NeitherResultNorError));
        assert!(has(r#"{"jsonrpc":"2.0","id":1,"error":{"code":"x","message":""}}"#, Defect::ErrorObject));
        assert!(has(r#"{"jsonrpc":"2.0","method":"a","params":7}"#, Defect::Params));
        assert!(has(r#"{"jsonrpc":"2.0","method":"a","params":null}"#, Defect::NullParams));
        assert!(has(r#"{"jsonrpc":"2.0","method":7}"#, Defect::MethodType));
        assert!(has(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}"#, Defect::DuplicateMember));
    }

    #[test]
    fn the_scan_and_the_parser_read_the_same() {
        for text in [
            r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"b":[1,{"c":"d"}],"e":null}}"#,
            r#"{"jsonrpc":"2.0","id":"x\u0041","result":{"content":[{"type":"text","text":"two\nlines"}]}} rest"#,
            r#"{ "jsonrpc" : "2.0" , "id" : 1 , "error" : { "code" : -1 , "message" : "m" } }"#,
            r#"{"id":1,"id":2,"result":null,"params":[],"other":{"a":1}}"#,
            r#"{"method":7,"params":true}"#,
        ] {
            let (mut scanned, mut parsed) = (Envelope::<NoLift>::default(), Envelope::<NoLift>::default());
            let end = scanned.scan(text).expect("plainly right");
            let mut deserializer = serde_json::Deserializer::from_str(text);
            parsed.deserialize(&mut deserializer).expect("a message");
            assert_eq!(deserializer.into_iter::<IgnoredAny>().byte_offset(), end, "{text}");
            let told = |(message, _): (Message<'_>, NoLift)| format!("{message:?}");
            assert_eq!(told(scanned.finish()), told(parsed.finish()), "{text}");
        }
        for text in [
            r#"{"a":1,}"#,
            r#"{"par\u0061ms":1}"#,
            r#"{"params":1e999}"#,
            r#"{"params":"\ud800"}"#,
            r#"{"a":"\x"}"#,
            "{",
        ] {
            assert_eq!(Envelope::<NoLift>::default().scan(text), None, "{text}");
        }
        let (escaped, _) = parse_at::<NoLift>(r#"{"m\u0065thod":"a"}"#, 0).expect("a message");
        assert!(matches!(escaped, Parsed::One(message, _) if message.method() == "a"));
    }

    #[test]
    fn hostile_text_is_read_or_refused_in_words() {
        let deep =
            format!(r#"{{"jsonrpc":"2.0","method":"a","params":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert!(parse::<NoLift>(&deep).is_ok() || parse::<NoLift>(&deep).is_err());
        assert_eq!(message(r#"{"jsonrpc":"2.0","method":"\ud800x"}"#).method(), "\u{fffd}x");
        assert!(parse::<NoLift>(r#"{"jsonrpc":"2.0""#).is_err_and(|e| e.cut));
        assert!(parse::<NoLift>("7").is_err());
        assert!(parse::<NoLift>("").is_err());
    }

    #[test]
    fn a_batch_keeps_the_extent_of_each_member() {
        let text = r#" [{"jsonrpc":"2.0","id":1,"method":"a"}, 7]"#;
        let Ok(Parsed::Batch(members)) = parse::<NoLift>(text) else { panic!() };
        assert_eq!(&text[members[0].0.clone()], r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#);
        assert!(members[1].1.is_err());
    }

    #[test]
    fn text_after_the_message_is_left_alone_by_parse_at() {
        let text = r#"x {"jsonrpc":"2.0","method":"a"} { metadata: undefined }"#;
        let (_, end) = parse_at::<NoLift>(text, 2).expect("a message");
        assert_eq!(&text[end..], " { metadata: undefined }");
    }
}
