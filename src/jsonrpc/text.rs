//! A text as a message, or as a batch of them.

use std::ops::Range;

use serde::de::{Deserialize, DeserializeSeed, IgnoredAny};
use serde_json::value::RawValue;

use super::envelope::{Envelope, Lift};
use super::message::Message;

/// What stood at the place that was parsed.
#[derive(Debug)]
pub enum Parsed<'a, F> {
    /// An object: one message, and what was lifted from it.
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
    let end = scanned(text, envelope)?;
    envelope.lifted.ends(end);
    Ok(end)
}

fn scanned<'a, F: Lift<'a>>(text: &'a str, envelope: &mut Envelope<'a, F>) -> Result<usize, Unparsable> {
    envelope.lifted.starts(text);
    if let Some(end) = envelope.scan(text) {
        return Ok(end);
    }
    // What the scan does not take is rare: an escape in a key, a very deep value, or no JSON at all.
    *envelope = Envelope::default();
    envelope.lifted.starts(text);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    match envelope.deserialize(&mut deserializer) {
        Ok(()) => Ok(deserializer.into_iter::<IgnoredAny>().byte_offset()),
        Err(error) => Err(unparsable(&error)),
    }
}

/// What is wrong with a member of an array that is JSON and no object.
pub const NO_OBJECT: &str = "a member of its array is no object";

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
                _ => Err(Unparsable { reason: NO_OBJECT.into(), column: 0, cut: false }),
            };
            (from..from + raw.len(), message)
        })
        .collect();
    Ok((Parsed::Batch(members), end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jsonrpc::{Defect, IdField, Kind, NoLift};

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
        for text in [r#"{"a":1,}"#, r#"{"par\u0061ms":1}"#, r#"{"params":"\ud800"}"#, r#"{"a":"\x"}"#, "{"] {
            assert_eq!(Envelope::<NoLift>::default().scan(text), None, "{text}");
        }
        assert!(parse::<NoLift>(r#"{"id":1,"result":-1e999}"#).is_ok(), "a number of any size is one");
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
