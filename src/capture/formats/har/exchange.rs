//! One entry to what went over the wire in it, with the time of each part as far as the document tells it.

use std::borrow::Cow;

use super::body::events;
use super::document::{Entry, Pushed};
use crate::capture::formats::document::{content, value_of};
use crate::capture::sample::looks_like_message;
use crate::capture::scan::skip_white;
use crate::protocol::Side;

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What<'a> {
    /// A message or batch.
    Text(Cow<'a, str>),
    /// The response stream ended without the answer.
    StreamClosed(Option<Side>),
    /// The client ended the session.
    Ended,
    /// The document leaves out a body that was there.
    Missing,
}

/// One thing that happened in an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step<'a> {
    pub side: Side,
    pub what: What<'a>,
    /// Microseconds since the epoch by which it is put in order.
    pub order_us: i64,
    /// True if that is also its time. Messages of an event stream have none of their own, but for the last.
    pub timed: bool,
    /// Byte of the document where the text that holds it starts.
    pub offset: usize,
}

/// The steps of an entry that starts at byte `here`, none if it is other traffic. `offset_of` gives the place of a
/// text in the document.
pub(super) fn steps<'a>(entry: &Entry<'a>, here: usize, offset_of: impl Fn(&str) -> usize) -> Vec<Step<'a>> {
    let start = entry.started().map_or(0, |(us, _)| us);
    let mut found = Vec::new();
    let step = |side, what, order_us, timed, offset| Step { side, what, order_us, timed, offset };
    if !entry.web_socket.is_empty() {
        return pushed(&entry.web_socket, start, &offset_of);
    }
    let mut asks = false;
    if let Some(content) = &entry.request.post_data
        && let Some(body) = content.body()
        && is_traffic(&body)
    {
        asks = asks_something(&body);
        let offset = content.text.map_or(here, |text| offset_of(text.get()));
        found.push(step(Side::Client, What::Text(body), start, true, offset));
    }
    if !entry.event_source.is_empty() {
        found.extend(pushed(&entry.event_source, start, &offset_of));
        return found;
    }
    let end = start + entry.duration();
    let answered = answers(entry, &offset_of, &mut found);
    if let Some((side, what)) = without_answer(entry, asks && !answered) {
        found.push(step(side, what, end, true, here));
    }
    if entry.request.method == "DELETE" && entry.session().is_some() && (200..300).contains(&entry.response.status) {
        found.push(step(Side::Client, What::Ended, end, true, here));
    }
    found
}

/// What is to be said of an entry that does not answer; `due` if an answer was asked for.
fn without_answer(entry: &Entry<'_>, due: bool) -> Option<(Side, What<'static>)> {
    let content = entry.response.content.as_ref();
    let empty = || content.is_none_or(|content| content.body().is_none_or(|body| body.is_empty()));
    let status = entry.response.status;
    let aborted = status <= 0 || entry.response.error.as_deref().is_some_and(|error| error.contains("ABORTED"));
    match &*entry.request.method {
        // The answer comes on a stream that a GET opened.
        "POST" if due && status == 202 => None,
        "POST" if due && status == 200 && !aborted && empty() => Some((Side::Server, What::Missing)),
        "POST" if due => {
            let by = if aborted { Some(Side::Client) } else { (status >= 400).then_some(Side::Server) };
            Some((Side::Server, What::StreamClosed(by)))
        }
        "GET" if content.is_some_and(|content| content.is_event_stream("")) && empty() => {
            Some((Side::Server, What::Missing))
        }
        _ => None,
    }
}

/// What the response holds; true if its last message is an answer.
fn answers<'a>(entry: &Entry<'a>, offset_of: &impl Fn(&str) -> usize, found: &mut Vec<Step<'a>>) -> bool {
    let Some(content) = &entry.response.content else { return false };
    let Some(body) = content.body() else { return false };
    let start = entry.started().map_or(0, |(us, _)| us);
    let (first_byte, end) = (start + entry.first_byte(), start + entry.duration());
    let offset = content.text.map_or(0, |text| offset_of(text.get()));
    let mut step = |what, order_us, timed| found.push(Step { side: Side::Server, what, order_us, timed, offset });
    if !content.is_event_stream(&body) {
        let traffic = is_traffic(&body);
        if traffic {
            step(What::Text(body), end, true);
        }
        return traffic;
    }
    let mut texts: Vec<String> =
        events(&body).into_iter().map(|(_, data)| data).filter(|data| is_traffic(data)).collect();
    let answers = entry.request.method == "POST" && texts.last().is_some_and(|text| is_answer(text));
    let last = if answers { texts.pop() } else { None };
    texts.into_iter().for_each(|text| step(What::Text(Cow::Owned(text)), first_byte, false));
    let answered = last.is_some();
    if let Some(last) = last {
        step(What::Text(Cow::Owned(last)), end, true);
    }
    answered
}

/// Messages that the browser kept with their times.
fn pushed<'a>(all: &[Pushed<'a>], start: i64, offset_of: &impl Fn(&str) -> usize) -> Vec<Step<'a>> {
    let mut last = start;
    let mut found = Vec::new();
    for one in all {
        let Some(raw) = one.data else { continue };
        let text = content(raw.get());
        if one.opcode.is_some_and(|opcode| opcode > 1) || !is_traffic(&text) {
            continue;
        }
        let at = one.time.filter(|time| *time > 1e8 && *time < 1e11).map(|time| (time * 1e6) as i64);
        last = at.unwrap_or(last);
        let side = if one.way == "send" { Side::Client } else { Side::Server };
        let offset = offset_of(raw.get());
        found.push(Step { side, what: What::Text(text), order_us: last, timed: at.is_some(), offset });
    }
    found
}

/// True for a message, or a batch that starts with one.
pub(super) fn is_traffic(text: &str) -> bool {
    let at = skip_white(text.as_bytes(), 0);
    match text.as_bytes().get(at) {
        Some(b'{') => looks_like_message(&text[at..]),
        Some(b'[') => looks_like_message(text[at + 1..].trim_start()),
        _ => false,
    }
}

pub(super) fn is_answer(text: &str) -> bool {
    text.trim_start().starts_with('[') || value_of(text, 0, &["result", "error"]).is_some()
}

/// True if an answer is due: a request, or a batch that may hold one.
fn asks_something(text: &str) -> bool {
    let has = |key: &str| value_of(text, 0, &[key]).is_some();
    text.trim_start().starts_with('[') || has("id") && has("method")
}
