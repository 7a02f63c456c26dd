//! What `export --as otlp` writes, as the messages of OpenTelemetry's protobuf: read from OTLP's JSON, where ids are hexadecimal and
//! numbers of 64 bits are text. Only what that export writes is here, and what is not here is an error: nothing is lost on the way.

use prost::{Message, Oneof};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// One line of an export.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Line {
    /// Spans.
    ResourceSpans(Vec<ResourceSpans>),
    /// Findings.
    ResourceLogs(Vec<ResourceLogs>),
}

/// `ExportTraceServiceRequest`.
#[derive(Clone, PartialEq, Message)]
pub struct Traces {
    #[prost(message, repeated, tag = "1")]
    pub resource_spans: Vec<ResourceSpans>,
}

/// `ExportLogsServiceRequest`.
#[derive(Clone, PartialEq, Message)]
pub struct Logs {
    #[prost(message, repeated, tag = "1")]
    pub resource_logs: Vec<ResourceLogs>,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResourceSpans {
    #[prost(message, optional, tag = "1")]
    pub resource: Option<Resource>,
    #[prost(message, repeated, tag = "2")]
    pub scope_spans: Vec<ScopeSpans>,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResourceLogs {
    #[prost(message, optional, tag = "1")]
    pub resource: Option<Resource>,
    #[prost(message, repeated, tag = "2")]
    pub scope_logs: Vec<ScopeLogs>,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resource {
    #[prost(message, repeated, tag = "1")]
    pub attributes: Vec<Attribute>,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scope {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub version: String,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScopeSpans {
    #[prost(message, optional, tag = "1")]
    pub scope: Option<Scope>,
    #[prost(message, repeated, tag = "2")]
    pub spans: Vec<Span>,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScopeLogs {
    #[prost(message, optional, tag = "1")]
    pub scope: Option<Scope>,
    #[prost(message, repeated, tag = "2")]
    pub log_records: Vec<LogRecord>,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Span {
    #[prost(bytes = "vec", tag = "1")]
    #[serde(deserialize_with = "hex")]
    pub trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    #[serde(deserialize_with = "hex")]
    pub span_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "4")]
    #[serde(default, deserialize_with = "hex")]
    pub parent_span_id: Vec<u8>,
    #[prost(string, tag = "5")]
    pub name: String,
    #[prost(int32, tag = "6")]
    pub kind: i32,
    #[prost(fixed64, tag = "7")]
    #[serde(deserialize_with = "number")]
    pub start_time_unix_nano: u64,
    #[prost(fixed64, tag = "8")]
    #[serde(deserialize_with = "number")]
    pub end_time_unix_nano: u64,
    #[prost(message, repeated, tag = "9")]
    pub attributes: Vec<Attribute>,
    #[prost(message, repeated, tag = "11")]
    pub events: Vec<SpanEvent>,
    #[prost(message, optional, tag = "15")]
    pub status: Option<Status>,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SpanEvent {
    #[prost(fixed64, tag = "1")]
    #[serde(deserialize_with = "number")]
    pub time_unix_nano: u64,
    #[prost(string, tag = "2")]
    pub name: String,
    #[prost(message, repeated, tag = "3")]
    pub attributes: Vec<Attribute>,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Status {
    #[prost(int32, tag = "3")]
    pub code: i32,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LogRecord {
    #[prost(fixed64, tag = "1")]
    #[serde(deserialize_with = "number")]
    pub time_unix_nano: u64,
    #[prost(int32, tag = "2")]
    pub severity_number: i32,
    #[prost(string, tag = "3")]
    pub severity_text: String,
    #[prost(message, optional, tag = "5")]
    pub body: Option<Any>,
    #[prost(message, repeated, tag = "6")]
    pub attributes: Vec<Attribute>,
    #[prost(bytes = "vec", tag = "9")]
    #[serde(default, deserialize_with = "hex")]
    pub trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "10")]
    #[serde(default, deserialize_with = "hex")]
    pub span_id: Vec<u8>,
}

/// `KeyValue`.
#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attribute {
    #[prost(string, tag = "1")]
    pub key: String,
    #[prost(message, optional, tag = "2")]
    pub value: Option<Any>,
}

/// `AnyValue`.
#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(transparent)]
pub struct Any {
    #[prost(oneof = "Value", tags = "1, 3")]
    pub value: Option<Value>,
}

#[derive(Clone, PartialEq, Oneof, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Value {
    #[prost(string, tag = "1")]
    StringValue(String),
    #[prost(int64, tag = "3")]
    #[serde(deserialize_with = "number")]
    IntValue(i64),
}

/// What a collector answers to either: `partial_success`, where it left something out or has something to say.
#[derive(Clone, PartialEq, Message)]
pub struct Answer {
    #[prost(message, optional, tag = "1")]
    pub partial: Option<Partial>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Partial {
    #[prost(int64, tag = "1")]
    pub rejected: i64,
    #[prost(string, tag = "2")]
    pub message: String,
}

/// `google.rpc.Status`, with which a collector says why it refuses a request.
#[derive(Clone, PartialEq, Message)]
pub struct Refused {
    #[prost(string, tag = "2")]
    pub message: String,
}

/// An id, two digits a byte.
fn hex<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(from)?;
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = |pair: &[u8]| u8::try_from(digit(pair[0])? * 16 + digit(*pair.get(1)?)?).ok();
    text.as_bytes().chunks(2).map(byte).collect::<Option<_>>().ok_or_else(|| D::Error::custom("an id is hexadecimal"))
}

/// A number in text.
fn number<'de, D: Deserializer<'de>, N: std::str::FromStr>(from: D) -> Result<N, D::Error> {
    let text = String::deserialize(from)?;
    text.parse().map_err(|_| D::Error::custom("a number of 64 bits is text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_whole_or_not_at_all() {
        let line = |span: &str| format!("{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[{span}]}}]}}]}}");
        let span = |more: &str| {
            line(&format!(
                r#"{{"traceId":"00ff","spanId":"01","name":"n","kind":3,"startTimeUnixNano":"18446744073709551615",
                    "endTimeUnixNano":"0","attributes":[{{"key":"k","value":{{"intValue":"-5"}}}}],"events":[]{more}}}"#
            ))
        };
        let Ok(Line::ResourceSpans(read)) = serde_json::from_str(&span("")) else { panic!("spans") };
        let read = &read[0].scope_spans[0].spans[0];
        assert_eq!((&read.trace_id[..], read.start_time_unix_nano), (&[0, 255][..], u64::MAX));
        // Of a span: the id of the trace, the id, the name, the kind, one time, an attribute; a time of zero is left out.
        let mut bytes = vec![0x0a, 2, 0, 255, 0x12, 1, 1, 0x2a, 1, b'n', 0x30, 3, 0x39];
        bytes.extend([255; 8]);
        bytes.extend([0x4a, 16, 0x0a, 1, b'k', 0x12, 11, 0x18, 0xfb, 255, 255, 255, 255, 255, 255, 255, 255, 1]);
        assert_eq!(read.encode_to_vec(), bytes);
        for bad in [r#","links":[]"#, r#","parentSpanId":"0""#, r#","parentSpanId":"+1""#, r#","parentSpanId":7"#] {
            assert!(serde_json::from_str::<Line>(&span(bad)).is_err(), "{bad}");
        }
        assert!(serde_json::from_str::<Line>("{\"resourceMetrics\":[]}").is_err());
    }
}
