//! One span: the message that it tells, and what became of it.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::protocol::{Sender, Side, sender_of};

/// Attributes that hold the id of a request.
pub(super) const IDS: [&str; 3] = ["jsonrpc.request.id", "rpc.jsonrpc.request_id", "mcp.request.id"];
const METHODS: [&str; 2] = ["mcp.method.name", "rpc.method"];
const CODES: [&str; 3] = ["rpc.response.status_code", "rpc.jsonrpc.error_code", "error.type"];

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Attributes {
    pub(super) attributes: Vec<Attribute>,
}

#[derive(Deserialize)]
pub(super) struct Attribute {
    key: String,
    #[serde(default)]
    value: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    #[serde(default)]
    kind: Value,
    #[serde(default, alias = "trace_id")]
    trace_id: String,
    #[serde(default, alias = "span_id")]
    span_id: String,
    #[serde(default, alias = "parent_span_id")]
    parent_span_id: String,
    #[serde(alias = "start_time_unix_nano")]
    start_time_unix_nano: Value,
    #[serde(default, alias = "end_time_unix_nano")]
    end_time_unix_nano: Value,
    #[serde(default)]
    attributes: Vec<Attribute>,
    #[serde(default)]
    status: Map<String, Value>,
}

/// The value of an attribute as text.
fn text_of(attributes: &[Attribute], key: &str) -> Option<String> {
    let value = attributes.iter().find(|attribute| attribute.key == key)?.value.values().next()?;
    Some(value.as_str().map_or_else(|| value.to_string(), str::to_string)).filter(|text| !text.is_empty())
}

/// Nanoseconds as text or number, in microseconds.
fn us(value: &Value) -> Option<i64> {
    let ns = value.as_str().and_then(|text| text.parse().ok()).or_else(|| value.as_i64())?;
    (ns > 0).then_some(ns / 1_000)
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    Result,
    Error(Option<i64>, String),
    /// Cancelled, or the span has no end.
    Unknown,
}

/// One span of a message.
pub(super) struct Span<'a> {
    pub(super) raw: &'a str,
    pub(super) start_us: i64,
    pub(super) end_us: Option<i64>,
    pub(super) method: String,
    pub(super) id: Option<String>,
    /// The process that wrote it.
    pub(super) service: String,
    pub(super) connection: Option<String>,
    /// True where a session is named: what one process handles may be several clients'.
    pub(super) of_session: bool,
    pub(super) trace: String,
    /// Its own id, and that of the span that caused it; empty where there is none.
    pub(super) ids: (String, String),
    /// True for the span of whoever handles the message.
    pub(super) receives: bool,
    pub(super) outcome: Outcome,
}

impl<'a> Span<'a> {
    /// `None` for spans of other things, and of requests without an id.
    pub(super) fn read(raw: &'a RawValue, resource: &[Attribute]) -> Option<Span<'a>> {
        let written: Written = serde_json::from_str(raw.get()).ok()?;
        let own = |key: &str| text_of(&written.attributes, key);
        let method = METHODS.iter().find_map(|key| own(key))?;
        let id = IDS.iter().find_map(|key| own(key));
        if id.is_none() && !method.starts_with("notifications/") && !method.starts_with("$/") {
            return None;
        }
        let service = ["service.instance.id", "service.name"].iter().find_map(|key| text_of(resource, key));
        let session = own("mcp.session.id");
        let receives = written.kind == json!(2) || written.kind == json!("SPAN_KIND_SERVER");
        Some(Span {
            raw: raw.get(),
            start_us: us(&written.start_time_unix_nano)?,
            end_us: us(&written.end_time_unix_nano),
            of_session: session.is_some(),
            connection: session.or_else(|| service.clone()),
            outcome: outcome(&written, &own),
            service: service.unwrap_or_default(),
            trace: written.trace_id,
            ids: (written.span_id, written.parent_span_id),
            method,
            id,
            receives,
        })
    }

    /// Who sends such a message, where its method tells.
    pub(super) fn sender(&self) -> Option<Side> {
        match sender_of(&self.method)? {
            Sender::Client => Some(Side::Client),
            Sender::Server => Some(Side::Server),
            Sender::Both => None,
        }
    }
}

fn outcome(written: &Written, own: &dyn Fn(&str) -> Option<String>) -> Outcome {
    let failed =
        written.status.get("code").is_some_and(|code| *code == json!(2) || *code == json!("STATUS_CODE_ERROR"));
    let code = CODES.iter().find_map(|key| own(key)?.parse::<i64>().ok()).filter(|code| *code != 0);
    let kind = own("error.type").unwrap_or_default();
    let said = written.status.get("message").and_then(Value::as_str).unwrap_or(&kind).to_string();
    match code {
        Some(code) => Outcome::Error(Some(code), said),
        _ if kind.to_lowercase().contains("cancel") || us(&written.end_time_unix_nano).is_none() => Outcome::Unknown,
        // A tool that failed is a result that says so.
        None if kind == "tool_error" => Outcome::Result,
        None if failed || !kind.is_empty() => Outcome::Error(None, said),
        None => Outcome::Result,
    }
}
