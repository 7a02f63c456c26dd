//! The members of a HAR document that matter here; everything else is passed over.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

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

impl Entry<'_> {
    /// When it started, in microseconds since the epoch, and how fine that clock shows itself.
    pub(super) fn started(&self) -> Option<(i64, i64)> {
        crate::capture::time::parse(&self.started_date_time).map(|time| (time.us, time.resolution_us))
    }

    /// Microseconds from the start to the end.
    pub(super) fn duration(&self) -> i64 {
        micros(self.time)
    }

    /// Microseconds from the start to the first byte of the response.
    pub(super) fn first_byte(&self) -> i64 {
        (self.duration() - micros(self.timings.receive)).max(0)
    }

    /// The session that either side names.
    pub(super) fn session(&self) -> Option<&str> {
        const NAME: &str = "mcp-session-id";
        header(&self.request.headers, NAME).or_else(|| header(&self.response.headers, NAME))
    }
}

fn micros(ms: Option<f64>) -> i64 {
    ms.filter(|ms| *ms > 0.0 && *ms < 1e12).map_or(0, |ms| (ms * 1000.0) as i64)
}
