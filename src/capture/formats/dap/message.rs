//! A message of the Debug Adapter Protocol, and the message of JSON-RPC that says the same.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// The members that are read. Some adapters leave `seq` out where nothing refers to it.
#[derive(Deserialize)]
pub(super) struct Message<'a> {
    #[serde(rename = "type")]
    kind: Kind,
    #[serde(borrow, default)]
    seq: Option<&'a RawValue>,
    #[serde(borrow, default)]
    command: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    event: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    body: Option<&'a RawValue>,
    #[serde(borrow, default)]
    request_seq: Option<&'a RawValue>,
    #[serde(default)]
    success: Option<bool>,
    #[serde(borrow, default)]
    message: Option<Cow<'a, str>>,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Request,
    Response,
    Event,
}

/// What an answer says whose request was cancelled.
const CANCELLED: &str = "cancelled";

/// A code for it, since JSON-RPC has numbers there.
const CANCELLED_CODE: i64 = -32800;

impl Message<'_> {
    /// Writes the message of JSON-RPC; false where a member is missing without which it says nothing.
    pub(super) fn write(&self, json: &mut String) -> bool {
        json.clear();
        json.push_str("{\"jsonrpc\":\"2.0\"");
        let written = match self.kind {
            Kind::Request => self.asks(json),
            Kind::Event => call(json, self.event.as_deref(), self.body),
            Kind::Response => self.answers(json),
        };
        json.push('}');
        written.is_some()
    }

    fn asks(&self, json: &mut String) -> Option<()> {
        member(json, "id", self.seq?.get());
        call(json, self.command.as_deref(), self.arguments)
    }

    fn answers(&self, json: &mut String) -> Option<()> {
        member(json, "id", self.request_seq?.get());
        let body = self.body.map_or("null", |body| body.get());
        match self.success {
            Some(false) => member(json, "error", &self.error(body)),
            // What an adapter answers to `initialize` is what it can do.
            _ if self.command.as_deref() == Some("initialize") && self.body.is_some() => {
                member(json, "result", &format!("{{\"capabilities\":{body}}}"));
            }
            _ => member(json, "result", body),
        }
        Some(())
    }

    fn error(&self, body: &str) -> String {
        let said = self.message.as_deref().unwrap_or_default();
        let code = if said == CANCELLED { Some(CANCELLED_CODE) } else { code(body) };
        let mut error = format!("{{\"message\":{}", serde_json::Value::from(said));
        if let Some(code) = code {
            member(&mut error, "code", &code.to_string());
        }
        if body != "null" {
            member(&mut error, "data", body);
        }
        error + "}"
    }
}

/// The number that an adapter gives its error; never the one that stands for "cancelled".
fn code(body: &str) -> Option<i64> {
    #[derive(Deserialize)]
    struct Body {
        error: Numbered,
    }
    #[derive(Deserialize)]
    struct Numbered {
        id: i64,
    }
    let number = serde_json::from_str::<Body>(body).ok()?.error.id;
    (number != CANCELLED_CODE).then_some(number)
}

fn call(json: &mut String, method: Option<&str>, params: Option<&RawValue>) -> Option<()> {
    member(json, "method", &serde_json::Value::from(method?).to_string());
    if let Some(params) = params {
        member(json, "params", params.get());
    }
    Some(())
}

fn member(json: &mut String, key: &str, value: &str) {
    [",\"", key, "\":", value].into_iter().for_each(|part| json.push_str(part));
}

/// True for the text of something that should have been a message.
pub(super) fn looks_like(text: &str) -> bool {
    let any = |words: &[&str]| words.iter().any(|word| text.contains(word));
    any(&["\"type\""])
        && any(&["\"request\"", "\"response\"", "\"event\""])
        && any(&["\"command\"", "\"event\":", "\"request_seq\""])
}
