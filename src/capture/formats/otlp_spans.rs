//! Spans of OpenTelemetry in OTLP's JSON (`resourceSpans`, one document or one a line), as collectors write them to
//! files, of SDKs that set `jsonrpc.request.id` (C#'s MCP SDK; semantic conventions for MCP and for JSON-RPC).
//!
//! A span is a request and its answer, with the times of both, and neither parameters nor results. Spans are written
//! when they end, so they are put into the order of their times. An answer is known by the span having ended without
//! an exception that says it was cancelled; which request a cancel meant is not in it.

mod span;
mod twice;

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use self::span::{Attributes, IDS, Outcome, Span};
use self::twice::{doubts, seen_twice};
use crate::capture::format::{Format, Match, Reader, WholeReader};
use crate::capture::out::{Channels, Out};
use crate::capture::place::Place;
use crate::capture::sample::Sample;
use crate::capture::{Body, Channel, Direction, Proof, Skip, Transport, Vantage};
use crate::error::Result;
use crate::protocol::Side;

/// The format.
pub(crate) struct OtlpSpans;

/// What spans show. Each says when its request was in flight, whatever else is not in the log.
const PROOF: Proof = Proof::FULL
    .without(Proof::PAYLOAD)
    .without(Proof::CANCEL_TARGET)
    .without(Proof::ENVELOPE)
    .without(Proof::ALL_ANSWERS)
    .without(Proof::BOTH_SIDES)
    .and(Proof::IN_FLIGHT);

impl Format for OtlpSpans {
    fn name(&self) -> &'static str {
        "otlp-spans"
    }

    fn about(&self) -> &'static str {
        "spans of OpenTelemetry with jsonrpc.request.id: requests and their answers, no bodies"
    }

    fn proof(&self) -> Proof {
        PROOF
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let text = sample.text();
        let spans = text.contains("\"resourceSpans\"") || text.contains("\"resource_spans\"");
        let ids = IDS.iter().any(|id| text.contains(id));
        if !spans || !ids {
            return None;
        }
        Match::new(86, "it holds spans of OpenTelemetry with the ids of JSON-RPC requests")
    }

    fn reader(&self, _: &Sample) -> Reader {
        Reader::Whole(Box::new(SpanReader))
    }
}

#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow, default, rename = "resourceSpans", alias = "resource_spans")]
    resources: Vec<Resources<'a>>,
}

#[derive(Deserialize)]
struct Resources<'a> {
    #[serde(default)]
    resource: Attributes,
    #[serde(borrow, default, rename = "scopeSpans", alias = "scope_spans", alias = "instrumentationLibrarySpans")]
    scopes: Vec<Scope<'a>>,
}

#[derive(Deserialize)]
struct Scope<'a> {
    #[serde(borrow, default)]
    spans: Vec<&'a RawValue>,
}

/// One message of a span: when it was sent, and which half of the exchange it is.
struct HalfExchange {
    at_us: i64,
    span: usize,
    answer: bool,
}

struct SpanReader;

impl WholeReader for SpanReader {
    fn read(&mut self, text: &str, base: u64, out: &mut Out<'_>) -> Result<()> {
        let (mut spans, broken) = all_spans(text);
        let lines = Lines::of(text);
        if let Some(at) = broken {
            out.skip(lines.number(at), Skip::CutOff);
        }
        spans.retain(|span| match span {
            Ok(_) => true,
            Err(at) => {
                out.skip(lines.number(*at), Skip::NotAMessage);
                false
            }
        });
        let mut spans: Vec<Span<'_>> = spans.into_iter().flatten().collect();
        spans.sort_by_key(|span| span.start_us);
        let at = |span: &Span<'_>| span.raw.as_ptr() as usize - text.as_ptr() as usize;
        seen_twice(&mut spans, |span| out.skip(lines.number(at(span)), Skip::Duplicate));
        let vantage = vantage(&spans);
        let (servers, doubts) = (servers(&spans), doubts(&spans));
        let mut channels = Channels::default();
        for event in events(&spans) {
            let span = &spans[event.span];
            let name = span.connection.clone().unwrap_or_default();
            let channel = channels.get(&name, out, || Channel {
                name: span.connection.clone(),
                vantage,
                transport: Transport::Http,
                proof: if span.of_session { PROOF } else { PROOF.without(Proof::CLIENT) },
                ..Channel::default()
            })?;
            let sender = span.sender().or_else(|| {
                let server = servers.get(span.service.as_str())?;
                Some(if *server == span.receives { Side::Client } else { Side::Server })
            });
            let sender = if event.answer { sender.map(Side::peer) } else { sender };
            let place = Place {
                line: lines.number(at(span)),
                byte_offset: base + at(span) as u64,
                channel,
                at_us: Some(event.at_us),
                direction: sender.map_or(Direction::Unknown, Direction::By),
                stream: Some(event.span as u32),
                taps: None,
            };
            if let Some(doubt) = doubts.get(&event.span).filter(|_| !event.answer) {
                out.put(&place, Body::Missing(*doubt))?;
            }
            out.put_json(&place, span.raw, &message(span, event.answer))?;
        }
        Ok(())
    }
}

/// Every span of a text, or the byte where one stands that is of something else; and the byte of the first document
/// that could not be read.
fn all_spans(text: &str) -> (Vec<std::result::Result<Span<'_>, usize>>, Option<usize>) {
    let (mut spans, mut broken, mut from) = (Vec::new(), None, 0);
    while from < text.len() {
        let rest = &text[from..];
        if rest.trim_start().starts_with('[') {
            match serde_json::from_str::<Vec<Document<'_>>>(rest) {
                Ok(documents) => documents.into_iter().for_each(|document| take(text, document, &mut spans)),
                Err(_) => broken = broken.or(Some(from)),
            }
            break;
        }
        let mut documents = serde_json::Deserializer::from_str(rest).into_iter::<Document<'_>>();
        let failed = loop {
            match documents.next() {
                None => break None,
                Some(Ok(document)) => take(text, document, &mut spans),
                Some(Err(_)) => break Some(from + documents.byte_offset()),
            }
        };
        let Some(at) = failed else { break };
        let at = text[at..].find(|c: char| !c.is_whitespace()).map_or(text.len(), |more| at + more);
        broken = broken.or(Some(at));
        from = text[at..].find('\n').map_or(text.len(), |more| at + more + 1);
    }
    (spans, broken)
}

fn take<'t>(text: &str, document: Document<'t>, spans: &mut Vec<std::result::Result<Span<'t>, usize>>) {
    for resources in document.resources {
        for raw in resources.scopes.into_iter().flat_map(|scope| scope.spans) {
            let at = raw.get().as_ptr() as usize - text.as_ptr() as usize;
            spans.push(Span::read(raw, &resources.resource.attributes).ok_or(at));
        }
    }
}

/// Which processes are servers (`true`) or clients, told by methods that only one side sends.
fn servers<'s>(spans: &'s [Span<'_>]) -> HashMap<&'s str, bool> {
    let told = spans.iter().filter_map(|span| Some((span.service.as_str(), span.sender()?, span.receives)));
    told.map(|(service, sender, receives)| (service, (sender == Side::Client) == receives)).collect()
}

fn vantage(spans: &[Span<'_>]) -> Vantage {
    let servers = servers(spans);
    match (servers.values().any(|server| *server), servers.values().any(|server| !*server)) {
        (true, false) => Vantage::Server,
        (false, true) => Vantage::Client,
        (true, true) => Vantage::Proxy,
        (false, false) => Vantage::Unknown,
    }
}

/// What the spans tell, in the order of time.
fn events(spans: &[Span<'_>]) -> Vec<HalfExchange> {
    let mut events = Vec::new();
    for (span, told) in spans.iter().enumerate() {
        events.push(HalfExchange { at_us: told.start_us, span, answer: false });
        if let (Some(at_us), Some(_)) = (told.end_us, &told.id)
            && told.outcome != Outcome::Unknown
        {
            events.push(HalfExchange { at_us: at_us.max(told.start_us), span, answer: true });
        }
    }
    events.sort_by_key(|event| event.at_us);
    events
}

/// The message as JSON. An id that is a number in its text is one; which it was is lost.
fn message(span: &Span<'_>, answer: bool) -> String {
    let id = span.id.as_ref().map(|id| match id.parse::<i64>() {
        Ok(number) if number.to_string() == *id => json!(number),
        _ => json!(id),
    });
    let message = match (id, answer, &span.outcome) {
        (None, ..) => json!({"jsonrpc": "2.0", "method": span.method}),
        (Some(id), false, _) => json!({"jsonrpc": "2.0", "id": id, "method": span.method}),
        (Some(id), true, Outcome::Error(Some(code), said)) => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": said}})
        }
        (Some(id), true, Outcome::Error(None, said)) => json!({"jsonrpc": "2.0", "id": id, "error": {"message": said}}),
        (Some(id), true, _) => json!({"jsonrpc": "2.0", "id": id, "result": null}),
    };
    message.to_string()
}

/// Where lines start.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Lines {
        Lines(memchr::memchr_iter(b'\n', text.as_bytes()).collect())
    }

    fn number(&self, at: usize) -> u64 {
        1 + self.0.partition_point(|end| *end < at) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::read_as;

    /// A line with one span; `more` are further attributes as `key=value`.
    fn line(kind: u8, method: &str, start_ms: u64, end_ms: u64, more: &[&str]) -> String {
        let mut attributes = vec![json!({"key": "mcp.method.name", "value": {"stringValue": method}})];
        for pair in more {
            let (key, value) = pair.split_once('=').expect("a pair");
            attributes.push(json!({"key": key, "value": {"stringValue": value}}));
        }
        let ns = |ms: u64| (1_788_000_000_000 + ms).to_string() + "000000";
        let span = json!({"name": method, "kind": kind, "startTimeUnixNano": ns(start_ms), "endTimeUnixNano": ns(end_ms),
            "attributes": attributes, "status": {}});
        let resource = json!({"attributes": [{"key": "service.name", "value": {"stringValue": "s"}}]});
        json!({"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": [span]}]}]}).to_string() + "\n"
    }

    fn told(text: &str) -> Vec<(u64, Direction, String)> {
        let kept = read_as("otlp-spans", text.as_bytes());
        let each = |frame: &crate::capture::testing::KeptFrame| {
            (frame.line, frame.direction, frame.json.clone().unwrap_or_default())
        };
        kept.frames.iter().map(each).collect()
    }

    #[test]
    fn a_span_is_a_request_and_its_answer_in_the_order_of_time() {
        let text = [
            line(2, "tools/call", 20, 30, &["jsonrpc.request.id=r-1", "error.type=tool_error"]),
            line(2, "tools/list", 10, 40, &["jsonrpc.request.id=7", "rpc.response.status_code=-32602"]),
            line(2, "notifications/cancelled", 25, 26, &[]),
            line(2, "tools/call", 50, 60, &["jsonrpc.request.id=8", "error.type=System.OperationCanceledException"]),
        ]
        .concat();
        let (client, server) = (Direction::By(Side::Client), Direction::By(Side::Server));
        let want = [
            (2, client, r#"{"id":7,"jsonrpc":"2.0","method":"tools/list"}"#),
            (1, client, r#"{"id":"r-1","jsonrpc":"2.0","method":"tools/call"}"#),
            (3, client, r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#),
            (1, server, r#"{"id":"r-1","jsonrpc":"2.0","result":null}"#),
            (2, server, r#"{"error":{"code":-32602,"message":""},"id":7,"jsonrpc":"2.0"}"#),
            (4, client, r#"{"id":8,"jsonrpc":"2.0","method":"tools/call"}"#),
        ];
        let found = told(&text);
        let found: Vec<_> = found.iter().map(|(line, by, text)| (*line, *by, text.as_str())).collect();
        assert_eq!(found, want);
    }

    #[test]
    fn both_ends_of_a_request_are_one_request_and_what_is_no_message_is_passed_over() {
        let text = [
            line(3, "ping", 10, 40, &["jsonrpc.request.id=1"]),
            "{\"resourceSpans\":[{\"cut\n".to_string(),
            line(2, "ping", 12, 38, &["jsonrpc.request.id=1"]),
            line(2, "tools/call", 50, 60, &[]),
            line(2, "ping", 70, 80, &["jsonrpc.request.id=1"]),
        ]
        .concat();
        let lines: Vec<u64> = told(&text).iter().map(|(line, ..)| *line).collect();
        assert_eq!(lines, [1, 1, 5, 5]);
        let kept = read_as("otlp-spans", text.as_bytes());
        assert_eq!(kept.skipped, [(2, Skip::CutOff), (4, Skip::NotAMessage), (3, Skip::Duplicate)]);
    }
}
