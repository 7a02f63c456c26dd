//! The partial order of a recording: for each thing that the client did, what had to be there first.

use std::collections::BTreeSet;
use std::ops::Range;

use super::cancel::{self, Targets};
use super::index::Index;
use super::{Action, Cancelling, Soft, Step};
use crate::capture::Transport;
use crate::protocol::Side;
use crate::replay::flow::{self, Link};
use crate::replay::options::Options;
use crate::replay::recording::{Connection, Event, EventKind, Exchange, Recording};
use crate::replay::splice;

/// Slack of a soft wait, and its longest, microseconds.
const SOFT_SLACK_US: i64 = 250_000;
const SOFT_MAX_US: i64 = 2_000_000;
/// The longest wait for a notification to be accepted over HTTP, microseconds.
const ACCEPTED_MAX_US: i64 = 100_000;

/// What lies between one step and the next.
#[derive(Default)]
struct Between {
    after: Vec<usize>,
    soft: Vec<usize>,
    /// Latest recorded time of what the next step depends on, and of what it depends on without fail.
    last_us: Option<i64>,
    hard_us: Option<i64>,
}

/// The steps of a connection, and what the server says after the last.
pub(super) fn steps(connection: &Connection, links: &[Link], options: &Options) -> (Vec<Step>, Vec<Soft>) {
    let mut steps: Vec<Step> = Vec::new();
    let (targets, index) = (cancel::targets(connection), Index::of(connection));
    let mut between = Between::default();
    let mut at = 0;
    while at < connection.events.len() {
        let event = &connection.events[at];
        let next = match &event.what {
            EventKind::Batch(members) if event.side == Some(Side::Client) => members.end.max(at + 1),
            _ => at + 1,
        };
        match action(connection, &index, at, &targets, options) {
            Some(action) => {
                let found = std::mem::take(&mut between);
                steps.push(step(connection, &index, links, at..next, action, found, steps.is_empty()));
                between.last_us = event.at_us;
                between.hard_us = event.at_us;
            }
            None => between.note(connection, at),
        }
        at = next;
    }
    let tail = between.softs(connection);
    (steps, tail)
}

fn step(
    connection: &Connection,
    index: &Index<'_>,
    links: &[Link],
    events: Range<usize>,
    action: Action,
    between: Between,
    is_first: bool,
) -> Step {
    let at = events.start;
    let event = &connection.events[at];
    let opens: Vec<usize> = events
        .clone()
        .filter_map(|place| match connection.events[place].what {
            EventKind::Request(exchange) => Some(exchange),
            _ => None,
        })
        .collect();
    let soft = match action {
        // A cancel is timed from its target and from nothing else.
        Action::Cancel(_) => Vec::new(),
        _ => between.softs(connection).into_iter().chain(reused(connection, index, at, &opens)).collect(),
    };
    let mut after = between.after;
    // The answer to a cancelled request holds nothing back, unless a value of it is needed.
    for link in events.flat_map(|event| flow::ending_in(links, event)) {
        let producer = &connection.exchanges[link.producer];
        if producer.issuer == Side::Client && producer.cancels.first().is_some_and(|cancel| *cancel < at) {
            after.push(link.producer);
        }
    }
    after.sort_unstable();
    after.dedup();
    let think_us = match (event.at_us, between.last_us) {
        (Some(now), Some(last)) => (now - last).max(0),
        // The first thing of all has nothing to be timed from.
        _ => 0,
    };
    let think_us = if is_first && after.is_empty() && soft.is_empty() { 0 } else { think_us };
    let label = label(connection, at, &action, &opens);
    Step { event: at, line: event.line, label, action, opens, after, soft, think_us, left_out: None, refused: false }
}

/// Answers to cancelled requests whose ids a step uses again: sent while one of them is on its way, nobody could tell whose it is.
fn reused(connection: &Connection, index: &Index<'_>, at: usize, opens: &[usize]) -> Vec<Soft> {
    let exchanges = &connection.exchanges;
    let ids: BTreeSet<&str> = opens.iter().map(|open| exchanges[*open].rpc_id.as_str()).collect();
    let mut same: Vec<usize> = ids.into_iter().flat_map(|id| index.cancelled(id)).copied().collect();
    same.sort_unstable();
    let before = same.into_iter().map(|other| &exchanges[other]).filter(|other| other.request < at);
    before.filter_map(|other| answered(connection, other, at)).collect()
}

/// The answer that came to a cancelled request before an event.
fn answered(connection: &Connection, cancelled: &Exchange, at: usize) -> Option<Soft> {
    let response = cancelled.response.filter(|response| *response < at)?;
    let cancel = cancelled.cancels.iter().rfind(|cancel| **cancel < response)?;
    let time = |event: usize| connection.events[event].at_us;
    let took = time(response).zip(time(*cancel)).map_or(0, |(answer, cancel)| (answer - cancel).max(0));
    Some(Soft { event: response, wait_us: (took + SOFT_SLACK_US).min(SOFT_MAX_US) })
}

impl Between {
    fn note(&mut self, connection: &Connection, at: usize) {
        let event = &connection.events[at];
        if event.side != Some(Side::Server) {
            return;
        }
        match event.what {
            EventKind::Response(Some(exchange)) => {
                let exchange_of = &connection.exchanges[exchange];
                if exchange_of.issuer != Side::Client || exchange_of.response != Some(at) {
                    return;
                }
                if exchange_of.cancels.iter().any(|cancel| *cancel < at) {
                    // Where the protocol has it answered all the same, a client may well have waited for that. Elsewhere a
                    // server that was put right will never send it.
                    if connection.profile.answers_cancelled() {
                        self.soft.push(at);
                    }
                    return;
                }
                self.after.push(exchange);
                self.hard_us = event.at_us.or(self.hard_us);
            }
            EventKind::Request(_) | EventKind::Progress(_) | EventKind::Notification | EventKind::Cancel(_) => {
                self.soft.push(at)
            }
            // Two POSTs in flight have no order: what was sent after a notification had been accepted is sent after that again.
            EventKind::Http if splice::at(&event.text, "/status") == Some("202") => self.soft.push(at),
            _ => return,
        }
        self.last_us = event.at_us.max(self.last_us);
    }

    fn softs(&self, connection: &Connection) -> Vec<Soft> {
        self.soft
            .iter()
            .map(|event| {
                let waited = match (connection.events[*event].at_us, self.hard_us) {
                    (Some(came), Some(hard)) => (came - hard).max(0),
                    _ => 0,
                };
                let longest = match connection.events[*event].what {
                    // A late 202 holds nothing up for long.
                    EventKind::Http => ACCEPTED_MAX_US,
                    _ => SOFT_MAX_US,
                };
                Soft { event: *event, wait_us: (waited + SOFT_SLACK_US).min(longest) }
            })
            .collect()
    }
}

/// What the client did at an event; `None` for what it did not do, or what is done without being asked.
fn action(
    connection: &Connection,
    index: &Index<'_>,
    at: usize,
    targets: &Targets,
    options: &Options,
) -> Option<Action> {
    let event = &connection.events[at];
    if event.side != Some(Side::Client) {
        return None;
    }
    if let Some(cancel) = cancel::timed(connection, at, targets, options) {
        return Some(Action::Cancel(cancel));
    }
    match &event.what {
        EventKind::Response(Some(exchange)) if connection.exchanges[*exchange].issuer == Side::Server => {
            let first = connection.exchanges[*exchange].response == Some(at);
            Some(if first { Action::Answer(*exchange) } else { Action::Send })
        }
        EventKind::Request(_)
        | EventKind::Response(_)
        | EventKind::Progress(_)
        | EventKind::Notification
        | EventKind::Batch(_) => Some(Action::Send),
        EventKind::Cancel(_) if event.text.is_empty() => event.stream.map(Action::CloseStream),
        EventKind::Cancel(_) | EventKind::Malformed => Some(Action::Send),
        EventKind::Open => opened(connection, index, at),
        EventKind::Close => closed(connection, index, at),
        EventKind::Http | EventKind::Exit(_) | EventKind::Stderr | EventKind::Gap => None,
    }
}

/// A stream that carries no message of the client was opened to listen, or to end the session.
fn opened(connection: &Connection, index: &Index<'_>, at: usize) -> Option<Action> {
    let on_stream = index.on_stream(connection.events[at].stream?);
    let from = on_stream.partition_point(|place| *place < at);
    let mut later = on_stream[from..].iter().map(|place| &connection.events[*place]);
    let is_head = |other: &&Event| other.what == EventKind::Http && other.text.contains("\"method\"");
    let head = later.clone().find(is_head);
    if later.any(|other| other.side == Some(Side::Client) && carried(&other.what)) {
        return None;
    }
    match head.and_then(|head| splice::at(&head.text, "/method").map(str::to_string)).as_deref() {
        Some("\"DELETE\"") => Some(Action::EndSession),
        Some("\"GET\"") | None => Some(Action::OpenStream),
        Some(_) => None,
    }
}

fn carried(what: &EventKind) -> bool {
    matches!(
        what,
        EventKind::Request(_)
            | EventKind::Response(_)
            | EventKind::Progress(_)
            | EventKind::Notification
            | EventKind::Batch(_)
            | EventKind::Malformed
            | EventKind::Cancel(_)
    )
}

/// A stream that the client gave up while something was still to come on it. One that had done its work is not closed by us.
fn closed(connection: &Connection, index: &Index<'_>, at: usize) -> Option<Action> {
    let stream = connection.events[at].stream?;
    let on_stream = index.on_stream(stream);
    let is_open = |place: &usize| match connection.events[*place].what {
        EventKind::Request(exchange) => {
            let exchange = &connection.exchanges[exchange];
            exchange.issuer == Side::Client && exchange.response.is_none_or(|response| response > at)
        }
        _ => false,
    };
    let listens = |place: &usize| *place < at && opened(connection, index, *place) == Some(Action::OpenStream);
    let asked = on_stream.iter().any(is_open);
    let listening = at + 1 < connection.events.len() && on_stream.first().is_some_and(listens);
    (asked || listening).then_some(Action::CloseStream(stream))
}

fn label(connection: &Connection, at: usize, action: &Action, opens: &[usize]) -> String {
    let named = |exchange: &usize| {
        let exchange = &connection.exchanges[*exchange];
        match &exchange.name {
            Some(name) => format!("{} {} {name}", exchange.label(), exchange.method),
            None => format!("{} {}", exchange.label(), exchange.method),
        }
    };
    match action {
        Action::Cancel(Cancelling { targets, .. }) => {
            let labels: Vec<String> = targets.iter().map(|target| connection.exchanges[*target].label()).collect();
            format!("cancel of {}", labels.join(", "))
        }
        Action::Answer(exchange) => format!("answer to {}", named(exchange)),
        Action::OpenStream => "listening stream".to_string(),
        Action::CloseStream(stream) => format!("close of stream {stream}"),
        Action::EndSession => "end of the session".to_string(),
        Action::Send => match (&connection.events[at].what, opens) {
            (EventKind::Batch(_), opens) => {
                format!("batch of {}", opens.iter().map(named).collect::<Vec<_>>().join(", "))
            }
            (EventKind::Malformed, _) => "bytes that are no message".to_string(),
            (_, [exchange]) => named(exchange),
            _ => super::super::message::method(&connection.events[at].text).unwrap_or_else(|| "message".to_string()),
        },
    }
}

/// How long the client stayed behind the last message before it closed the connection, microseconds: what the server does of itself comes
/// meanwhile. Over HTTP nothing comes behind the last response.
pub(super) fn stay(connection: &Connection) -> i64 {
    if connection.transport != Transport::Ordered {
        return 0;
    }
    let closes =
        |event: &Event| event.what == EventKind::Close && event.stream.is_none() && event.side == Some(Side::Client);
    let before = connection.events.split(|event| closes(event)).next().unwrap_or_default();
    let closed = connection.events.get(before.len()).and_then(|event| event.at_us);
    let last = before.iter().rfind(|event| carried(&event.what)).and_then(|event| event.at_us);
    closed.zip(last).map_or(0, |(closed, last)| (closed - last).max(0))
}

/// For each connection the last event before it was opened, of those that began before it. Frames are numbered in the order of
/// the capture.
pub(super) fn opens_after(recording: &Recording) -> Vec<Option<(usize, usize)>> {
    let matters = |event: &Event| event.side.is_some() && carried(&event.what) && !event.text.is_empty();
    let mut all: Vec<(i64, (usize, usize))> = Vec::new();
    for (other, connection) in recording.connections.iter().enumerate() {
        let events = connection.events.iter().enumerate().filter(|(_, event)| matters(event));
        all.extend(events.map(|(place, event)| (event.frame, (other, place))));
    }
    all.sort_unstable();
    let before = |(at, connection): (usize, &Connection)| {
        let opened = connection.events.first()?.frame;
        let end = all.partition_point(|(frame, _)| *frame < opened);
        all[..end].iter().rev().map(|(_, place)| *place).find(|(other, _)| *other < at)
    };
    recording.connections.iter().enumerate().map(before).collect()
}
