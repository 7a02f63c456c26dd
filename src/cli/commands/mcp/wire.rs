//! JSON-RPC as it stands on the pipes.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The line is no JSON.
pub const PARSE: i64 = -32700;
/// It is JSON, and no request.
pub const INVALID_REQUEST: i64 = -32600;
/// There is no such method.
pub const NO_METHOD: i64 = -32601;
/// There is no such tool, or a parameter is not what it must be.
pub const INVALID_PARAMS: i64 = -32602;
/// There is no such resource (MCP).
pub const NO_RESOURCE: i64 = -32002;
/// It could not be done.
pub const INTERNAL: i64 = -32603;

/// Why a request is refused: a code and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub i64, pub String);

/// What stands on a line.
#[derive(Debug, PartialEq)]
pub enum Line {
    /// One message.
    One(Incoming),
    /// An array of messages, which is not empty.
    Batch(Vec<Incoming>),
}

/// What came from the client.
#[derive(Debug, PartialEq)]
pub enum Incoming {
    /// A request: its id as it is spelled, its method and its parameters.
    Request(String, String, Value),
    /// A notification.
    Notification(String, Value),
    /// An answer. This server asks nothing.
    Response,
    /// What is answered with an error, and no id.
    Bad(Refusal),
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

/// A member that is null is there.
fn present<'a, D: Deserializer<'a>>(value: D) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(value).map(Some)
}

/// Reads a line.
pub fn read(line: &[u8]) -> Line {
    let Ok(value) = serde_json::from_slice::<&RawValue>(line) else {
        return Line::One(bad(PARSE, "the line is no JSON"));
    };
    match serde_json::from_str::<Vec<&RawValue>>(value.get()) {
        Ok(members) if !members.is_empty() => Line::Batch(members.into_iter().map(message).collect()),
        _ => Line::One(message(value)),
    }
}

fn message(value: &RawValue) -> Incoming {
    // A list of the members' values is no object, although serde would take it for one.
    let object = Some(value.get()).filter(|text| text.starts_with('{'));
    let Some(envelope) = object.and_then(|text| serde_json::from_str::<Envelope<'_>>(text).ok()) else {
        return bad(INVALID_REQUEST, "a message is one JSON object with a method");
    };
    match (envelope.id.map(RawValue::get), envelope.method) {
        (None, Some(method)) => Incoming::Notification(method, envelope.params),
        (Some(id), Some(method)) if id.starts_with(['"', '-']) || id.starts_with(|c: char| c.is_ascii_digit()) => {
            Incoming::Request(id.to_string(), method, envelope.params)
        }
        (Some(_), Some(_)) => bad(INVALID_REQUEST, "an id is a string or a number"),
        (_, None) if envelope.result.is_some() || envelope.error.is_some() => Incoming::Response,
        (_, None) => bad(INVALID_REQUEST, "there is no method"),
    }
}

fn bad(code: i64, why: &str) -> Incoming {
    Incoming::Bad(Refusal(code, why.to_string()))
}

/// An answer. The id is spelled as the client did.
pub fn answer(id: &str, answer: Result<Value, Refusal>) -> String {
    match answer {
        Ok(result) => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}"),
        Err(Refusal(code, message)) => {
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{}}}", json!({"code": code, "message": message}))
        }
    }
}

/// A notification.
pub fn notification(method: &str, params: &Value) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{params}}}")
}

/// What two spellings of one id have in common.
pub fn key(id: &str) -> String {
    serde_json::from_str::<Value>(id).map_or_else(|_| id.to_string(), |id| id.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        let request = |id: &str| Incoming::Request(id.to_string(), "a".to_string(), Value::Null);
        let one = |line: &str| match read(line.as_bytes()) {
            Line::One(message) => message,
            Line::Batch(members) => panic!("{members:?}"),
        };
        assert_eq!(one(r#"{"jsonrpc":"2.0","id":"x","method":"a"}"#), request("\"x\""));
        assert_eq!(one(r#"{"id": 12345678901234567890123 ,"method":"a"}"#), request("12345678901234567890123"));
        assert_eq!(one(r#"{"method":"a"}"#), Incoming::Notification("a".to_string(), Value::Null));
        assert_eq!(one(r#"{"id":1,"result":{}}"#), Incoming::Response);
        for (line, code) in [
            ("{", PARSE),
            ("", PARSE),
            ("[]", INVALID_REQUEST),
            ("{\"id\":{},\"method\":\"a\"}", INVALID_REQUEST),
            ("{\"id\":1}", INVALID_REQUEST),
            ("{\"id\":null,\"method\":\"a\"}", INVALID_REQUEST),
        ] {
            assert!(matches!(one(line), Incoming::Bad(Refusal(found, _)) if found == code), "{line}");
        }
        let batch = read(br#"[{"id":1,"method":"a"},[2,"a",{}],3]"#);
        let Line::Batch(members) = batch else { panic!("{batch:?}") };
        assert_eq!(members[0], request("1"));
        assert!(members[1..].iter().all(|member| matches!(member, Incoming::Bad(_))), "{members:?}");
        assert_eq!(key("\"a\\u0062\""), key("\"ab\""));
    }
}
