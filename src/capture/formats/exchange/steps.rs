//! One exchange to what went over the wire in it, with the time of each part as far as the record tells it.

use std::borrow::Cow;

use super::told::Told;
use super::{Exchange, Part};
use crate::capture::events::{is_event_stream, stamped_events};
use crate::capture::formats::document::Elements;
use crate::capture::{Body, body_of};
use crate::json::scan::{skip_white, value_end};
use crate::protocol::Side;
use crate::protocol::http::refuses;

/// Nginx's word for a client that hung up: it got no response.
const HUNG_UP: u16 = 499;

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::capture::formats) enum StepKind<'a> {
    /// A message or batch.
    Text(Cow<'a, str>),
    /// A head, as JSON.
    Head(String),
    /// The body of that side, which is one.
    Body,
    /// The response stream ended without the answer.
    StreamClosed(Option<Side>),
    /// The client ended the session.
    Ended,
    /// The record leaves out a body, or a part of one, that was there.
    Missing,
}

/// One thing that happened in an exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::capture::formats) struct ExchangeStep<'a> {
    pub side: Side,
    pub what: StepKind<'a>,
    /// Microseconds since the epoch by which it is put in order.
    pub order_us: i64,
    /// True if that is also its time. Messages of an event stream have none of their own, but for the answer that ends it.
    pub timed: bool,
    /// Where it may have come before its time, since when: an answer in an event stream has come when that ends, and streams may
    /// stay open behind it.
    pub since_us: Option<i64>,
    /// Byte at which the text that holds it starts.
    pub offset: usize,
    /// What the messages of it tell.
    pub told: Told,
}

impl ExchangeStep<'_> {
    /// True for an answer that had come by its time, and may have come before.
    pub(super) fn may_be_earlier(&self) -> bool {
        self.timed && self.since_us.is_some_and(|since| since < self.order_us)
    }

    /// The same without the text that it was read from.
    pub(super) fn into_owned(self) -> ExchangeStep<'static> {
        let what = match self.what {
            StepKind::Text(text) => StepKind::Text(Cow::Owned(text.into_owned())),
            StepKind::Head(head) => StepKind::Head(head),
            StepKind::Body => StepKind::Body,
            StepKind::StreamClosed(by) => StepKind::StreamClosed(by),
            StepKind::Ended => StepKind::Ended,
            StepKind::Missing => StepKind::Missing,
        };
        let ExchangeStep { side, order_us, timed, since_us, offset, told, .. } = self;
        ExchangeStep { side, what, order_us, timed, since_us, offset, told }
    }
}

impl<'a> Exchange<'a> {
    /// A step of it with the text of the body that it is, which is moved out of here.
    pub(super) fn filled(&mut self, step: ExchangeStep<'a>) -> ExchangeStep<'a> {
        let body = if step.side == Side::Client { &mut self.request } else { &mut self.response };
        match (&step.what, body) {
            (StepKind::Body, Part::Text { text, .. }) => {
                ExchangeStep { what: StepKind::Text(std::mem::take(text)), ..step }
            }
            _ => step,
        }
    }
}

/// The steps of an exchange; none if it is other traffic.
pub(super) fn steps<'a>(exchange: &Exchange<'a>) -> Vec<ExchangeStep<'a>> {
    if exchange.socket {
        return exchange.pushed.clone();
    }
    let mut found = Steps { exchange, found: Vec::new() };
    let asks = found.request();
    if !exchange.pushed.is_empty() {
        found.found.extend(exchange.pushed.iter().cloned());
        return found.found;
    }
    let answered = !found.is_beside(asks.other) && found.response();
    if found.found.iter().any(|step| step.side == Side::Server) && exchange.verb == "POST" && !asks.traffic {
        // An answer without its question.
        let step = found.step(Side::Client, StepKind::Missing, exchange.offset, Told::default());
        found.found.insert(0, step);
    }
    if let Some((side, what)) = without_answer(exchange, asks.due && !answered) {
        found.end(side, what);
    }
    let ok = exchange.status.is_some_and(|status| (200..300).contains(&status));
    if exchange.verb == "DELETE" && exchange.session.is_some() && ok {
        found.end(Side::Client, StepKind::Ended);
    }
    found.heads();
    found.found
}

/// What a request's body is.
#[derive(Default)]
struct Asks {
    /// It is or was a message.
    traffic: bool,
    /// An answer is due.
    due: bool,
    /// It is a document of another interface.
    other: bool,
}

struct Steps<'x, 'a> {
    exchange: &'x Exchange<'a>,
    found: Vec<ExchangeStep<'a>>,
}

impl<'a> Steps<'_, 'a> {
    fn start(&self) -> i64 {
        self.exchange.start_us.or(self.exchange.end_us).unwrap_or(0)
    }

    fn at_end(&self) -> i64 {
        self.exchange.end_us.or(self.exchange.first_byte_us).unwrap_or(self.start()).max(self.start())
    }

    /// Something at the start, where the client is its sender, or at the end.
    fn step(&self, side: Side, what: StepKind<'a>, offset: usize, told: Told) -> ExchangeStep<'a> {
        let (order_us, timed) = match side {
            Side::Client => (self.start(), self.exchange.start_us.is_some()),
            Side::Server => (self.at_end(), self.exchange.end_us.is_some()),
        };
        ExchangeStep { side, what, order_us, timed, since_us: None, offset, told }
    }

    fn end(&mut self, side: Side, what: StepKind<'a>) {
        let (order_us, timed) = (self.at_end(), self.exchange.end_us.is_some());
        self.found.push(ExchangeStep {
            side,
            what,
            order_us,
            timed,
            since_us: None,
            offset: self.exchange.offset,
            told: Told::default(),
        });
    }

    /// Puts each head before what came under it; other traffic has none.
    fn heads(&mut self) {
        if self.found.is_empty() {
            return;
        }
        if let Some(head) = self.exchange.heads.response.clone().or_else(|| self.refusal()) {
            let own = |step: &ExchangeStep<'_>| step.side == Side::Server || step.what == StepKind::Ended;
            let at = self.found.iter().position(own).unwrap_or(self.found.len());
            let mut step = self.head(Side::Server, &head);
            step.order_us = self.found.get(at).map_or(step.order_us, |first| first.order_us.min(step.order_us));
            self.found.insert(at, step);
        }
        if let Some(head) = &self.exchange.heads.request {
            let told = self.exchange.resumes.as_deref().map(Told::resuming).unwrap_or_default();
            self.found.insert(0, ExchangeStep { told, ..self.head(Side::Client, head) });
        }
    }

    /// The head of a response of which the record has the status only, where that matters: one that refuses the POST, and one with an
    /// answer that nothing asked for, which may say why the POST was not accepted.
    fn refusal(&self) -> Option<String> {
        let unasked = self.is_unasked();
        let status = u16::try_from(self.exchange.status?)
            .ok()
            .filter(|status| unasked || refuses(*status) && *status != HUNG_UP)?;
        Some(format!(r#"{{"status":{status}}}"#))
    }

    /// True for a POST that asks nothing, and is answered.
    fn is_unasked(&self) -> bool {
        let of = |side: Side| self.found.iter().filter(move |step| step.side == side).map(|step| &step.told);
        let posts = of(Side::Client).next().is_some() && of(Side::Client).all(|told| told.is_traffic);
        posts
            && of(Side::Client).all(|told| told.requests().next().is_none())
            && of(Side::Server).any(|told| told.answers)
    }

    fn head(&self, side: Side, head: &str) -> ExchangeStep<'a> {
        self.step(side, StepKind::Head(head.to_string()), self.exchange.offset, Told::default())
    }

    fn request(&mut self) -> Asks {
        let (what, offset, told) = match &self.exchange.request {
            Part::Absent => return Asks::default(),
            Part::Missing => (StepKind::Missing, self.exchange.offset, Told::default()),
            Part::Text { text, offset, cut, whole, .. } => match fate(text, *cut, *whole) {
                Fate::Other => return Asks { other: *whole && text.starts_with('{'), ..Asks::default() },
                Fate::Traffic(told) => (StepKind::Body, *offset, told),
                Fate::Cut => (StepKind::Missing, *offset, Told::default()),
            },
        };
        let due =
            told.requests().next().is_some() || self.exchange.request.text().is_some_and(is_list) && told.is_traffic;
        self.found.push(self.step(Side::Client, what, offset, told));
        Asks { traffic: true, due, other: false }
    }

    /// True for the answer of another interface behind the same host, which has an id and an error, too: it was asked for by a document
    /// that is no message, or by a GET, and does not say that it is JSON-RPC.
    fn is_beside(&self, other: bool) -> bool {
        let asked = other || self.exchange.verb == "GET" && self.exchange.request == Part::Absent;
        let Part::Text { text, event_stream, .. } = &self.exchange.response else { return false };
        asked && !event_stream && !is_event_stream(text) && !text.contains("jsonrpc")
    }

    /// What the response holds; true if an answer was among it, or may have been in what is missing.
    fn response(&mut self) -> bool {
        let (text, offset, cut, typed, whole) = match &self.exchange.response {
            Part::Absent => return false,
            Part::Missing => {
                self.end(Side::Server, StepKind::Missing);
                return true;
            }
            Part::Text { text, offset, cut, event_stream, whole } => (text, *offset, *cut, *event_stream, *whole),
        };
        if typed || is_event_stream(text) {
            return self.events(text, offset, cut);
        }
        match self.fate_of_response(text, cut, whole) {
            Fate::Other => return false,
            Fate::Cut => self.end(Side::Server, StepKind::Missing),
            Fate::Traffic(told) => {
                // An error that names no request, with a status that refuses the whole POST, answers none.
                let nameless = told.answers && !is_list(text) && told.causes().next().is_none();
                self.whole(text, offset, told);
                return !(nameless && self.exchange.status.is_some_and(|status| status >= 400));
            }
        }
        true
    }

    /// What is left of a response may have both ends, where pieces are left out of it.
    fn fate_of_response(&self, text: &str, cut: bool, whole: bool) -> Fate {
        match fate(text, cut, whole) {
            Fate::Traffic(_) if self.exchange.in_pieces && matches!(body_of(text), Body::Malformed { .. }) => Fate::Cut,
            fate => fate,
        }
    }

    /// A body that is a message or an array. An array that answers no array, or that came on a stream which a GET opened, is the writer's
    /// list of what came.
    fn whole(&mut self, text: &str, offset: usize, told: Told) {
        let asked = self.exchange.request.text();
        if !is_list(text) || asked.is_none_or(is_list) && self.exchange.verb != "GET" {
            let step = self.step(Side::Server, StepKind::Body, offset, told);
            return self.found.push(step);
        }
        let list = Elements::new(text, Some(0), "list").into_iter().flatten();
        let messages =
            list.map(|(_, one)| (one.to_string(), Told::of(one))).filter(|(_, told)| told.is_traffic).collect();
        self.several(messages, offset);
    }

    fn events(&mut self, text: &str, offset: usize, cut: bool) -> bool {
        let (mut messages, mut torn): (Vec<(String, Told)>, bool) = (Vec::new(), cut);
        for (id, data) in stamped_events(text) {
            match data.map(|data| (self.fate_of_response(&data, false, false), data)) {
                Some((Fate::Traffic(told), data)) => messages.push((data, told)),
                Some((Fate::Cut, _)) => torn = true,
                Some((Fate::Other, _)) | None => {}
            }
            if let (Some(id), Some((_, last))) = (id, messages.last_mut()) {
                last.came_as(&id);
            }
        }
        // What looks like one and is none was written down otherwise than it came.
        torn |= messages.is_empty() && text.contains("jsonrpc");
        let answered = self.several(messages, offset);
        if torn {
            self.end(Side::Server, StepKind::Missing);
        }
        answered || torn
    }

    /// Messages of one response: the answer had come when it ended, the others some time before.
    fn several(&mut self, mut messages: Vec<(String, Told)>, offset: usize) -> bool {
        let ends = self.exchange.verb == "POST" && messages.last().is_some_and(|(_, told)| told.answers);
        let last = if ends { messages.pop() } else { None };
        let before = self.exchange.first_byte_us.unwrap_or(self.start());
        self.found.extend(messages.into_iter().map(|(text, told)| {
            let what = StepKind::Text(Cow::Owned(text));
            ExchangeStep { side: Side::Server, what, order_us: before, timed: false, since_us: None, offset, told }
        }));
        let last = last.map(|(last, told)| ExchangeStep {
            since_us: Some(before),
            ..self.step(Side::Server, StepKind::Text(Cow::Owned(last)), offset, told)
        });
        let answered = last.is_some();
        self.found.extend(last);
        answered
    }
}

/// What is to be said of an exchange that does not answer; `due` if an answer was asked for.
fn without_answer(exchange: &Exchange<'_>, due: bool) -> Option<(Side, StepKind<'static>)> {
    let response = &exchange.response;
    // What loggers write where they have nothing.
    let empty = || response.text().is_none_or(|text| matches!(text.trim(), "" | "{}" | "[]"));
    let typed = matches!(response, Part::Text { event_stream: true, .. });
    match &*exchange.verb {
        "POST" if due => match exchange.status {
            // The answer comes on a stream that a GET opened.
            Some(202) => None,
            None | Some(200) if empty() || exchange.in_pieces => Some((Side::Server, StepKind::Missing)),
            Some(status) if status <= 0 || status == i64::from(HUNG_UP) => {
                Some((Side::Server, StepKind::StreamClosed(Some(Side::Client))))
            }
            status => {
                let failed = status.is_some_and(|status| status >= 400);
                Some((Side::Server, StepKind::StreamClosed(failed.then_some(Side::Server))))
            }
        },
        "GET" if typed && empty() => Some((Side::Server, StepKind::Missing)),
        _ => None,
    }
}

/// What a body turns out to be.
enum Fate {
    Traffic(Told),
    /// A message whose end is missing.
    Cut,
    Other,
}

fn fate(text: &str, cut: bool, whole: bool) -> Fate {
    let at = skip_white(text.as_bytes(), 0);
    let opens = matches!(text.as_bytes().get(at), Some(b'{' | b'['));
    let whole = opens && (whole || value_end(text.as_bytes(), at).is_some());
    let told = Told::of(text);
    match told.is_traffic {
        true if whole => Fate::Traffic(told),
        _ if opens && !whole && (cut || text.contains("jsonrpc")) => Fate::Cut,
        true => Fate::Cut,
        false if cut => Fate::Cut,
        false => Fate::Other,
    }
}

fn is_list(text: &str) -> bool {
    text.trim_start().starts_with('[')
}
