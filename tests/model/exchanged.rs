//! The same run over HTTP, as gateways, proxies, monitors and browsers write it down: one record for each request with
//! its response, with what production does to such records.

use std::collections::BTreeMap;

use rpctape::protocol::Side;
use serde_json::{Value, json};

use super::rng::Rng;
use super::shipped::{Artefact, START_MS, redact, redact_target};
use crate::support::trace::{Trace, What};

/// One HTTP request and its response.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    start_ms: i64,
    /// When the response began.
    first_ms: i64,
    end_ms: i64,
    verb: &'static str,
    status: i64,
    request: Option<String>,
    /// What the response carried: each message as text.
    response: Vec<String>,
    /// An event stream even for one message.
    streams: bool,
    /// The client hung up.
    hung_up: bool,
    /// Which run.
    who: usize,
    /// What tells the run from others, where something does.
    session: Option<String>,
    /// The session as the response names it: of a handshake.
    named: Option<String>,
    cut: Option<usize>,
}

/// A way to keep exchanges.
pub struct Form {
    pub name: &'static str,
    /// The definition that reads it, where none is built in.
    pub definition: Option<&'static str>,
    /// The records in a document around them.
    around: fn(Vec<String>) -> String,
    write: fn(&Exchange) -> Value,
}

/// What is done to such a log.
pub const ARTEFACTS: [Artefact; 11] = [
    Artefact::None,
    Artefact::Twice,
    Artefact::Resent,
    Artefact::Swapped,
    Artefact::NewestFirst,
    Artefact::Rotated,
    Artefact::Redacted,
    Artefact::RedactedTargets,
    Artefact::Cut,
    Artefact::Stopped,
    Artefact::Started,
];

const OWN: &str = r#"
name = "edge-calls"
about = "our edge proxy: one record a call"
[detect]
contains = ['"edge_call"']
[exchange]
request = ["/edge_call/in"]
response = ["/edge_call/out", "/edge_call/out_b64"]
status = ["/edge_call/code"]
session = ["/edge_call/hdr/mcp-session-id"]
end = ["/at"]
duration = ["/edge_call/took"]
duration_unit = "s"
[connection]
key = ["/tenant"]
"#;

fn form(name: &'static str, write: fn(&Exchange) -> Value) -> Form {
    Form { name, definition: None, around: |lines| lines.join("\n") + "\n", write }
}

/// The forms; the first keeps all there is.
pub fn forms() -> Vec<Form> {
    vec![
        Form { around: har, ..form("har", har_entry) },
        form("mitm", |e| {
            json!({"flow_id": format!("f{}-{}", e.who, e.start_ms), "timestamp_start": e.start_ms as f64 / 1000.0,
                "timestamp_end": e.end_ms as f64 / 1000.0,
                "request": {"method": e.verb, "path": "/mcp", "headers": e.headers(&e.session), "content": e.asked()},
                "response": {"status_code": e.status, "headers": e.headers(&e.named), "content": e.body()}})
        }),
        form("toolhive", |e| {
            json!({"time": iso(e.end_ms), "msg": "audit_event", "audit_id": format!("a-{}-{}", e.who, e.start_ms),
                "logged_at": iso(e.end_ms), "outcome": "success", "component": e.server(),
                "target": {"endpoint": "/mcp", "type": "endpoint"},
                "metadata": {"extra": {"duration_ms": e.end_ms - e.start_ms, "transport": "streamable-http"}},
                "data": {"request": object(e.asked()), "response": object(e.body())}})
        }),
        form("cloudtrail", |e| {
            let arn = format!("arn:aws:bedrock-agentcore:eu-central-1:1:gateway/{}", e.server());
            json!({"eventVersion": "1.11", "eventTime": format!("{}Z", &iso(e.start_ms)[..19]),
                "eventSource": "bedrock-agentcore.amazonaws.com", "eventName": "InvokeGateway",
                "eventID": format!("e-{}-{}", e.who, e.start_ms), "requestParameters": {"body": object(e.asked())},
                "responseElements": {"body": object(e.body()), "statusCode": e.status},
                "resources": [{"type": "AWS::BedrockAgentCore::Gateway", "ARN": arn}]})
        }),
        form("obot", |e| {
            json!({"id": e.start_ms, "timestamp": {"occurredAt": iso(e.start_ms), "recordedAt": iso(e.end_ms + 7)},
                "eventType": "mcp_call", "outcome": {"httpStatus": e.status, "durationMs": e.end_ms - e.start_ms},
                "details": {"trace": {"sessionID": e.session.clone().or(e.named.clone())},
                    "request": {"body": object(e.asked())}, "response": {"body": object(e.body())}}})
        }),
        form("kong", |e| {
            json!({"started_at": e.start_ms, "latencies": {"request": e.end_ms - e.start_ms, "kong": 1},
                "request": {"method": e.verb, "uri": "/mcp"}, "response": {"status": e.status},
                "ai": {"mcp": {"mcp_session_id": e.session.clone().or(e.named.clone()),
                    "rpc": [{"payload": {"request": e.asked(), "response": e.body()}}]}}})
        }),
        form("apisix", |e| {
            json!({"route_id": "1", "start_time": e.start_ms, "latency": (e.end_ms - e.start_ms) as f64,
                "upstream_latency": e.end_ms - e.start_ms, "apisix_latency": 0.25,
                "request": {"method": e.verb, "uri": "/mcp", "headers": e.headers(&e.session), "body": e.asked()},
                "response": {"status": e.status, "headers": e.headers(&e.named), "body": e.body()}})
        }),
        form("envoy", |e| {
            let pairs = |more: &[(&str, String)], session: &Option<String>| -> Value {
                let named = session.iter().map(|name| ("mcp-session-id", name.clone()));
                more.iter().cloned().chain(named).map(|(key, value)| json!({"key": key, "value": value})).collect()
            };
            let body = |text: Option<String>| {
                json!({"truncated": e.cut.is_some_and(|most| text.as_ref().is_some_and(|text| text.len() > most)),
                    "as_string": text.map(|text| without_mark(&text).to_string())})
            };
            json!({"http_buffered_trace": {
                "request": {"headers": pairs(&[(":method", e.verb.into()), (":path", "/mcp".into())], &e.session),
                    "body": body(e.asked()), "headers_received_time": iso(e.start_ms)},
                "response": {"headers": pairs(&[(":status", e.status.to_string())], &e.named),
                    "body": body(e.body()), "headers_received_time": iso(e.first_ms)}}})
        }),
        Form {
            definition: Some(OWN),
            ..form("own", |e| {
                json!({"at": iso(e.end_ms), "tenant": e.session.as_ref().map(|_| e.who), "edge_call": {
                    "in": e.asked(), "out": e.body(), "code": e.status, "took": (e.end_ms - e.start_ms) as f64 / 1e3,
                    "hdr": e.headers(&e.session)}})
            })
        },
    ]
}

fn har(entries: Vec<String>) -> String {
    let creator = r#"{"version":"1.2","creator":{"name":"mitmproxy","version":"11"}"#;
    format!("{{\"log\":{creator},\"entries\":[\n{}\n]}}}}\n", entries.join(",\n"))
}

fn har_entry(e: &Exchange) -> Value {
    let headers = |session: &Option<String>| -> Value {
        session.iter().map(|name| json!({"name": "Mcp-Session-Id", "value": name})).collect()
    };
    let kind = if e.is_stream() { "text/event-stream" } else { "application/json" };
    let asked = e.asked().map(|text| json!({"mimeType": "application/json", "text": text}));
    json!({"startedDateTime": iso(e.start_ms), "time": e.end_ms - e.start_ms,
        "timings": {"receive": e.end_ms - e.first_ms},
        "request": {"method": e.verb, "url": "http://h/mcp", "headers": headers(&e.session), "postData": asked},
        "response": {"status": if e.hung_up { 0 } else { e.status }, "headers": headers(&e.named),
            "content": {"mimeType": kind, "text": e.body().unwrap_or_default()}}})
}

fn without_mark(text: &str) -> &str {
    text.strip_suffix(MARK).unwrap_or(text)
}

const MARK: &str = "...[truncated]";

/// A body as a structured record keeps it: the message where it is one, else text. What is too long was left out.
fn object(body: Option<String>) -> Value {
    body.filter(|text| !text.ends_with(MARK))
        .map_or(Value::Null, |text| serde_json::from_str(&text).unwrap_or(Value::String(text)))
}

fn iso(at_ms: i64) -> String {
    let ms = at_ms - START_MS;
    let (seconds, minutes) = (ms / 1000 % 60, ms / 60_000);
    format!("2026-03-01T{:02}:{:02}:{seconds:02}.{:03}Z", 9 + minutes / 60, minutes % 60, ms % 1000)
}

impl Exchange {
    fn is_stream(&self) -> bool {
        self.streams || self.response.len() > 1
    }

    fn headers(&self, session: &Option<String>) -> Value {
        match session {
            Some(name) => json!({"host": "h", "mcp-session-id": name}),
            None => json!({"host": "h"}),
        }
    }

    fn server(&self) -> String {
        format!("notes-{}", self.session.as_ref().or(self.named.as_ref()).map_or(0, |_| self.who))
    }

    fn asked(&self) -> Option<String> {
        self.request.clone().map(|text| self.shortened(text))
    }

    fn body(&self) -> Option<String> {
        let events = || self.response.iter().map(|text| format!("event: message\ndata: {text}\n\n")).collect();
        match &self.response[..] {
            [] if self.request.as_ref().is_none_or(|text| !asks(text)) => None,
            [] => Some(String::new()),
            [one] if !self.streams => Some(self.shortened(one.clone())),
            _ => Some(self.shortened(events())),
        }
    }

    fn shortened(&self, text: String) -> String {
        let Some(most) = self.cut.filter(|most| text.len() > *most) else { return text };
        let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        format!("{}{MARK}", &text[..end])
    }
}

/// True for a request, and for a batch that holds one. What is broken is taken for one if it looks like it.
fn asks(text: &str) -> bool {
    let is_request = |message: &Value| message.get("id").is_some() && message.get("method").is_some();
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(all)) => all.iter().any(is_request),
        Ok(message) => is_request(&message),
        Err(_) => text.contains("\"id\":") && text.contains("\"method\":"),
    }
}

/// The exchanges of some runs in one log, in the order in which they ended; `keyed` if something tells the runs apart.
pub fn exchanges(traces: &[Trace], apart_ms: i64, keyed: bool, rng: &mut Rng) -> Vec<Exchange> {
    let mut all: Vec<Exchange> = Vec::new();
    for (who, trace) in traces.iter().enumerate() {
        let session = keyed.then(|| format!("s-{who}"));
        all.extend(of_run(trace, who, apart_ms * who as i64, &session, rng));
    }
    all.sort_by_key(|exchange| exchange.end_ms);
    all
}

fn of_run(trace: &Trace, who: usize, apart_ms: i64, session: &Option<String>, rng: &mut Rng) -> Vec<Exchange> {
    let mut streams: BTreeMap<u32, Exchange> = BTreeMap::new();
    let over = trace.steps.last().map_or(0, |step| step.at_ms);
    let blank = |at: i64| Exchange {
        start_ms: at,
        first_ms: at + 1,
        end_ms: at + 2,
        who,
        session: session.clone(),
        ..Exchange::default()
    };
    for step in &trace.steps {
        let at = START_MS + 1000 + step.at_ms + apart_ms;
        let (Some(stream), Some(side)) = (step.stream, step.side) else { continue };
        match (&step.what, side) {
            (What::Json(text), Side::Client) => {
                let asks = asks(text);
                let mut exchange = Exchange {
                    verb: "POST",
                    status: if asks { 200 } else { 202 },
                    request: Some(text.clone()),
                    streams: rng.chance(30),
                    ..blank(at)
                };
                if asks {
                    // Nothing ends it but its answer, or the end of all.
                    exchange.end_ms = START_MS + 1000 + over + apart_ms + 5;
                }
                if text.contains("\"method\":\"initialize\"") {
                    exchange.named = exchange.session.take();
                }
                streams.insert(stream, exchange);
            }
            (What::Json(text), Side::Server) => {
                let get = || Exchange { verb: "GET", status: 200, streams: true, ..blank(at - 1) };
                let exchange = streams.entry(stream).or_insert_with(get);
                if exchange.response.is_empty() {
                    exchange.first_ms = if exchange.streams { exchange.start_ms + 1 } else { at }.min(at);
                }
                exchange.response.push(text.clone());
                exchange.end_ms = at;
            }
            (What::Close, _) => {
                if let Some(exchange) = streams.get_mut(&stream) {
                    exchange.hung_up = true;
                    exchange.end_ms = exchange.end_ms.min(at).max(exchange.start_ms);
                }
            }
            _ => {}
        }
    }
    let mut found: Vec<Exchange> = streams.into_values().collect();
    // A client names a session when it has been told of one.
    let opens =
        |exchange: &&Exchange| exchange.named.is_some() && exchange.body().is_some_and(|b| b.contains("result"));
    let greeted = found.iter().filter(opens).map(|exchange| exchange.end_ms).min().unwrap_or(0);
    for exchange in found.iter_mut().filter(|exchange| exchange.start_ms < greeted) {
        exchange.session = None;
    }
    found
}

/// The log in a form, with what was done to it.
pub fn log(exchanges: &[Exchange], form: &Form, artefact: Artefact, rng: &mut Rng) -> String {
    let mut exchanges = exchanges.to_vec();
    for exchange in &mut exchanges {
        let texts = exchange.request.iter_mut().chain(&mut exchange.response);
        match artefact {
            Artefact::Redacted => texts.for_each(|text| edit(text, &redact)),
            Artefact::RedactedTargets => texts.for_each(|text| edit(text, &redact_target)),
            Artefact::Cut => exchange.cut = Some(90),
            _ => {}
        }
    }
    let count = exchanges.len();
    let some = rng.between(1, count as i64 - 1) as usize;
    match artefact {
        Artefact::Stopped => exchanges.truncate(some),
        Artefact::Started => drop(exchanges.drain(..some)),
        _ => {}
    }
    let count = exchanges.len();
    if artefact == Artefact::Swapped && count > 1 {
        let at = rng.between(1, count as i64 - 1) as usize;
        exchanges.swap(at - 1, at);
    }
    let mut records: Vec<String> = exchanges.iter().map(|exchange| (form.write)(exchange).to_string()).collect();
    artefact.deliver(&mut records, rng);
    (form.around)(records)
}

fn edit(text: &mut String, how: &dyn Fn(&mut serde_json::Map<String, Value>)) {
    match serde_json::from_str(text) {
        Ok(Value::Object(mut message)) => {
            how(&mut message);
            *text = Value::Object(message).to_string();
        }
        Ok(Value::Array(mut list)) => {
            list.iter_mut().filter_map(Value::as_object_mut).for_each(how);
            *text = Value::Array(list).to_string();
        }
        _ => {}
    }
}
