//! The members of a HAR document that matter here; everything else is passed over.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::base64;
use crate::capture::encoded::unpacked;
use crate::capture::formats::document::content;
use crate::capture::formats::exchange::{Exchange, ExchangeStep, Heads, Part, StepKind, Told};
use crate::protocol::http::{LAST_EVENT, brief_head, is_event_stream};
use crate::protocol::{Side, is_placeholder};

/// The program that wrote it.
#[derive(Default, Deserialize)]
pub(super) struct Creator {
    #[serde(default)]
    pub name: String,
}

/// One request and its response.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry<'a> {
    #[serde(borrow, default)]
    pub started_date_time: Cow<'a, str>,
    /// Milliseconds from start to end.
    #[serde(default)]
    pub time: Option<f64>,
    #[serde(borrow)]
    pub request: Request<'a>,
    #[serde(borrow)]
    pub response: Response<'a>,
    #[serde(default)]
    pub timings: Timings,
    #[serde(borrow, default, rename = "_webSocketMessages")]
    pub web_socket: Vec<Pushed<'a>>,
    #[serde(borrow, default, rename = "_eventSourceMessages")]
    pub event_source: Vec<Pushed<'a>>,
}

/// What was asked.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Request<'a> {
    #[serde(borrow, default)]
    pub method: Cow<'a, str>,
    #[serde(borrow, default)]
    pub url: Cow<'a, str>,
    #[serde(borrow, default)]
    pub headers: Vec<Header<'a>>,
    #[serde(borrow, default)]
    pub post_data: Option<Content<'a>>,
}

/// What came back.
#[derive(Deserialize)]
pub(super) struct Response<'a> {
    #[serde(default)]
    pub status: i64,
    #[serde(borrow, default)]
    pub headers: Vec<Header<'a>>,
    #[serde(borrow, default)]
    pub content: Option<Content<'a>>,
    /// What Chrome says of a request that failed.
    #[serde(default, rename = "_error")]
    pub error: Option<String>,
}

/// A body.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Content<'a> {
    #[serde(default)]
    pub mime_type: Option<String>,
    /// The text as it stands in the document, quotes and all, so that its place is known.
    #[serde(borrow, default)]
    pub text: Option<&'a RawValue>,
    #[serde(default)]
    pub encoding: Option<String>,
}

/// One header.
#[derive(Deserialize)]
pub(super) struct Header<'a> {
    #[serde(borrow, default)]
    pub name: Cow<'a, str>,
    #[serde(borrow, default)]
    pub value: Cow<'a, str>,
}

/// Milliseconds of the phases; -1 where there is none.
#[derive(Default, Deserialize)]
pub(super) struct Timings {
    #[serde(default)]
    pub receive: Option<f64>,
}

/// A WebSocket message or a server-sent event that the browser kept with its own time.
#[derive(Deserialize)]
pub(super) struct Pushed<'a> {
    /// `send` or `receive`.
    #[serde(borrow, default, rename = "type")]
    pub way: Cow<'a, str>,
    /// Seconds since the epoch.
    #[serde(default)]
    pub time: Option<f64>,
    #[serde(default)]
    pub opcode: Option<i64>,
    #[serde(borrow)]
    pub data: Option<&'a RawValue>,
}

/// The value of a header; names are compared without regard to case.
pub(super) fn header<'h>(headers: &'h [Header<'_>], name: &str) -> Option<&'h str> {
    headers.iter().find(|header| header.name.eq_ignore_ascii_case(name)).map(|header| &*header.value)
}

/// A head as recordings keep it. What was blotted out says nothing.
fn head(headers: &[Header<'_>], is: &str, what: Value) -> String {
    let blotted = |header: &&Header<'_>| is_placeholder(&format!("\"{}\"", header.value));
    let mut kept: BTreeMap<String, String> = BTreeMap::new();
    for Header { name, value } in headers.iter().filter(|header| !blotted(header)) {
        let all = kept.entry(name.to_ascii_lowercase()).or_default();
        all.push_str(if all.is_empty() { "" } else { ", " });
        all.push_str(value);
    }
    brief_head(&json!({ is: what, "headers": kept }).to_string())
}

impl<'a> Entry<'a> {
    /// The exchange that it tells; `offset_of` gives the place of a text in the document.
    pub(super) fn exchange(self, line: u64, offset: usize, offset_of: impl Fn(&str) -> usize) -> Exchange<'a> {
        let started = crate::capture::time::parse(&self.started_date_time);
        let start = started.map(|time| time.us);
        let (duration, receive) = (micros(self.time), micros(self.timings.receive));
        // Programs that measure the whole alone say that nothing was left to receive.
        let waited = Some(duration - receive).filter(|_| receive > 0);
        let after = |us: i64| start.map(|start| start.saturating_add(us));
        let socket = !self.web_socket.is_empty();
        let pushed = pushed(if socket { &self.web_socket } else { &self.event_source }, start.unwrap_or(0), &offset_of);
        let session = self.session().map(|name| Cow::Owned(name.to_string()));
        let resumes = header(&self.request.headers, LAST_EVENT).filter(|id| !is_placeholder(&format!("\"{id}\"")));
        let resumes = resumes.map(|id| Cow::Owned(id.to_string()));
        let aborted = self.response.error.as_deref().is_some_and(|error| error.contains("ABORTED"));
        let part =
            |content: &Option<Content<'a>>| content.as_ref().map_or(Part::Absent, |content| content.part(&offset_of));
        let (asked, answered) = (&self.request, &self.response);
        let heads = Heads {
            // A GET without headers may go on with another stream or not.
            request: (!asked.headers.is_empty()).then(|| head(&asked.headers, "method", asked.method.as_ref().into())),
            response: (answered.status > 0 && !aborted)
                .then(|| head(&answered.headers, "status", answered.status.into())),
        };
        Exchange {
            heads,
            halves: None,
            turns: None,
            line,
            offset,
            session,
            key: None,
            status: Some(if aborted { 0 } else { self.response.status }),
            start_us: start,
            first_byte_us: waited.and_then(|us| after(us.max(0))),
            end_us: after(duration),
            resolution_us: started.map(|time| time.resolution_us),
            request: part(&self.request.post_data),
            response: part(&self.response.content),
            pushed,
            socket,
            written_us: [None; 2],
            in_pieces: false,
            resumes,
            said: self.started_date_time,
            verb: self.request.method,
            url: self.request.url,
        }
    }

    /// The session that either side names.
    fn session(&self) -> Option<&str> {
        const NAME: &str = "mcp-session-id";
        header(&self.request.headers, NAME).or_else(|| header(&self.response.headers, NAME))
    }
}

impl<'a> Content<'a> {
    fn part(&self, offset_of: &impl Fn(&str) -> usize) -> Part<'a> {
        let event_stream = self.mime_type.as_deref().is_some_and(is_event_stream);
        let Some(raw) = self.text else {
            let empty = Part::Text { text: Cow::Borrowed(""), offset: 0, cut: false, event_stream, whole: false };
            return if event_stream { empty } else { Part::Absent };
        };
        let text = content(raw.get());
        let text = match self.encoding.as_deref() {
            Some("base64") => base64::decode(text.trim()).map(|bytes| Cow::Owned(unpacked(bytes))),
            _ => Some(text),
        };
        text.map_or(Part::Absent, |text| Part::Text {
            text,
            offset: offset_of(raw.get()),
            cut: false,
            event_stream,
            whole: false,
        })
    }
}

/// Messages that the browser kept with their times.
fn pushed<'a>(all: &[Pushed<'a>], start: i64, offset_of: &impl Fn(&str) -> usize) -> Vec<ExchangeStep<'a>> {
    let mut last = start;
    let mut found = Vec::new();
    for one in all {
        let Some(raw) = one.data else { continue };
        let text = content(raw.get());
        let told = Told::of(&text);
        if one.opcode.is_some_and(|opcode| opcode > 1) || !told.is_traffic {
            continue;
        }
        let at = one.time.filter(|time| *time > 1e8 && *time < 1e11).map(|time| (time * 1e6) as i64);
        last = at.unwrap_or(last);
        let side = if one.way == "send" { Side::Client } else { Side::Server };
        let offset = offset_of(raw.get());
        found.push(ExchangeStep {
            side,
            what: StepKind::Text(text),
            order_us: last,
            timed: at.is_some(),
            since_us: None,
            offset,
            told,
        });
    }
    found
}

fn micros(ms: Option<f64>) -> i64 {
    ms.filter(|ms| *ms > 0.0 && *ms < 1e12).map_or(0, |ms| (ms * 1000.0) as i64)
}
