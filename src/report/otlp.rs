//! `export --as otlp`: OTLP as JSON, one export request a line: the spans of a connection, or its findings as log records.
//!
//! OTLP's JSON is not that of protobuf: ids are hexadecimal, numbers of 64 bits are text, enums are numbers.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::escape::json as safe;
use crate::protocol::{self, Convention, Profile};
use crate::store::{CancellationRow, ConnectionRow, ExchangeRow, FindingRow};

/// `SPAN_KIND_SERVER` and `SPAN_KIND_CLIENT`.
const SERVER: u8 = 2;
const CLIENT: u8 = 3;

/// `STATUS_CODE_ERROR`.
const ERROR: u8 = 2;

/// Outcomes that are an error of the request.
const FAILED: [&str; 1] = ["error"];

/// Effects of a cancel that are an answer all the same.
const ANSWERED: [&str; 3] = ["result", "partial", "error"];

/// What is to be written of one connection.
pub struct Otlp<'a> {
    connection: &'a ConnectionRow,
    convention: &'static Convention,
    spans: Vec<Value>,
    logs: Vec<Value>,
}

impl<'a> Otlp<'a> {
    /// Nothing yet.
    pub fn new(connection: &'a ConnectionRow) -> Otlp<'a> {
        let profile = protocol::by_name(&connection.protocol, Some(&connection.revision));
        let convention = profile.unwrap_or(Profile::plain()).convention();
        Otlp { connection, convention, spans: Vec::new(), logs: Vec::new() }
    }

    /// A request from its sending to its end; without a time it is none. `line` are its ancestors, the one it serves first: they share a
    /// trace. One that is open ends with its connection.
    pub fn exchange(&mut self, row: &ExchangeRow, line: &[ExchangeRow], cancels: &[CancellationRow]) {
        let Some(start) = row.sent_at_us else { return };
        let end = row.settled_at_us.or(self.connection.last_at_us).unwrap_or(start).max(start);
        let mut span = json!({
            "traceId": self.trace(line.last().unwrap_or(row)),
            "spanId": self.span(row),
            "name": match &row.name { Some(name) => format!("{} {name}", row.method), None => row.method.clone() },
            "kind": self.kind(&row.issuer),
            "startTimeUnixNano": nanos(start),
            "endTimeUnixNano": nanos(end),
            "attributes": self.attributes(row),
            "events": cancels.iter().flat_map(events).collect::<Vec<_>>(),
        });
        if let Some(parent) = line.first() {
            span["parentSpanId"] = self.span(parent).into();
        }
        if FAILED.contains(&row.outcome.as_str()) {
            span["status"] = json!({"code": ERROR});
        }
        self.spans.push(span);
    }

    /// A finding, with the span of its request where there is one.
    pub fn finding(&mut self, row: &FindingRow, request: Option<(&ExchangeRow, &ExchangeRow)>) {
        let (number, text) = match row.severity.as_str() {
            "error" => (17, "ERROR"),
            "warning" => (13, "WARN"),
            _ => (9, "INFO"),
        };
        let at = row.evidence.iter().filter_map(|evidence| evidence.message.at_us).max().or(self.connection.last_at_us);
        let mut log = json!({
            "timeUnixNano": nanos(at.unwrap_or(0)),
            "severityNumber": number,
            "severityText": text,
            "body": {"stringValue": row.summary},
            "attributes": [
                string("rpctape.code", &row.code),
                string("rpctape.rule", &row.rule),
                string("rpctape.certainty", &row.certainty),
                string("rpctape.source", &row.source),
                integer("rpctape.line", row.line as i64),
            ],
        });
        if let Some((request, root)) = request {
            log["traceId"] = self.trace(root).into();
            log["spanId"] = self.span(request).into();
        }
        self.logs.push(log);
    }

    /// How many spans and records are not written yet.
    pub fn waiting(&self) -> usize {
        self.spans.len() + self.logs.len()
    }

    /// Writes what there is so far: a line of spans, a line of findings.
    pub fn write(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let (spans, logs) = (std::mem::take(&mut self.spans), std::mem::take(&mut self.logs));
        if !spans.is_empty() {
            let line = json!({"resourceSpans": [{
                "resource": self.resource(), "scopeSpans": [{"scope": scope(), "spans": spans}],
            }]});
            writeln!(out, "{}", safe(&line)?)?;
        }
        if logs.is_empty() {
            return Ok(());
        }
        let line = json!({"resourceLogs": [{
            "resource": self.resource(), "scopeLogs": [{"scope": scope(), "logRecords": logs}],
        }]});
        writeln!(out, "{}", safe(&line)?)
    }

    /// The connection as it is known: the server's name is that of the service.
    fn resource(&self) -> Value {
        let connection = self.connection;
        let mut attributes = vec![
            string("service.name", connection.server_name.as_deref().unwrap_or("unknown_service")),
            string("rpctape.connection", &connection.key),
            string("rpctape.protocol", &connection.protocol),
            string("rpctape.vantage", &connection.vantage),
        ];
        attributes.extend(connection.client_name.as_deref().map(|client| string("rpctape.client", client)));
        json!({ "attributes": attributes })
    }

    fn attributes(&self, row: &ExchangeRow) -> Vec<Value> {
        let convention = self.convention;
        let mut all = vec![string(convention.method, &row.method)];
        all.extend(convention.always.iter().map(|(key, value)| string(key, value)));
        all.extend(row.rpc_id.as_deref().map(|id| string("jsonrpc.request.id", &id_text(id))));
        all.extend(convention.revision.map(|key| string(key, &self.connection.revision)));
        // An ordered channel may be a pipe, a port or a WebSocket; the log does not say.
        if self.connection.transport == "http" {
            all.push(string("network.transport", "tcp"));
        }
        all.extend(convention.named(&row.method).zip(row.name.as_deref()).map(|(key, name)| string(key, name)));
        all.extend(convention.operation(&row.method).map(|operation| string("gen_ai.operation.name", operation)));
        if let Some(code) = row.error_code {
            all.push(string("error.type", &code.to_string()));
            all.push(string("rpc.response.status_code", &code.to_string()));
        }
        all.push(string("rpctape.outcome", &row.outcome));
        all.push(string("rpctape.history", &row.history));
        all.push(string("rpctape.source", &row.source));
        all.push(integer("rpctape.line", row.line as i64));
        all
    }

    /// Seen from the side at which the log was taken; from between, as whoever asked sees it.
    fn kind(&self, issuer: &str) -> u8 {
        let deciding = matches!(self.connection.vantage.as_str(), "client" | "server");
        if deciding && self.connection.vantage != issuer { SERVER } else { CLIENT }
    }

    /// Sixteen bytes that are the same whenever this log is exported.
    fn trace(&self, root: &ExchangeRow) -> String {
        self.id("trace", root)[..32].to_string()
    }

    /// Eight of them.
    fn span(&self, row: &ExchangeRow) -> String {
        self.id("span", row)[..16].to_string()
    }

    fn id(&self, what: &str, row: &ExchangeRow) -> String {
        let id = row.rpc_id.as_deref().unwrap_or("");
        let text = [what, &self.connection.key, &row.source, &row.line.to_string(), &row.issuer, id].join("\0");
        blake3::hash(text.as_bytes()).to_hex().to_string()
    }
}

/// A cancel, and an answer that came all the same.
fn events(cancel: &CancellationRow) -> Vec<Value> {
    let effect = cancel.effect.as_deref().unwrap_or("");
    let event = |at: i64, name: &str| {
        let attributes = [
            string("rpctape.mechanism", &cancel.mechanism),
            string("rpctape.effect", effect),
            integer("rpctape.line", cancel.line as i64),
        ];
        json!({"timeUnixNano": nanos(at), "name": name, "attributes": attributes})
    };
    let asked = cancel.sent_at_us.map(|at| event(at, "rpctape.cancel"));
    let late =
        cancel.effect_at_us.filter(|_| ANSWERED.contains(&effect)).map(|at| event(at, "rpctape.answer_after_cancel"));
    asked.into_iter().chain(late).collect()
}

fn scope() -> Value {
    json!({"name": "rpctape", "version": env!("CARGO_PKG_VERSION")})
}

/// Microseconds as nanoseconds in text. Before 1970 there is nothing.
fn nanos(us: i64) -> String {
    (i128::from(us.max(0)) * 1_000).to_string()
}

/// An id as text: a string without its quotes.
fn id_text(id: &str) -> String {
    serde_json::from_str::<String>(id).unwrap_or_else(|_| id.to_string())
}

fn string(key: &str, value: &str) -> Value {
    json!({"key": key, "value": {"stringValue": value}})
}

fn integer(key: &str, value: i64) -> Value {
    json!({"key": key, "value": {"intValue": value.to_string()}})
}
