//! The partial order of a recording: for each thing that the client did, what had to be there first.

use super::cancel::{self, Targets};
use super::{Action, Cancelling, Soft, Step};
use crate::protocol::Side;
use crate::replay::flow::{self, Link};
use crate::replay::options::Options;
use crate::replay::recording::{Connection, Event, EventKind, Recording};
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
    let targets = cancel::targets(connection);
    let mut between = Between::default();
    let mut at = 0;
    while at < connection.events.len() {
        let event = &connection.events[at];
        let next = match &event.what {
            EventKind::Batch(members) if event.side == Some(Side::Client) => members.end.max(at + 1),
            _ => at + 1,
        };
        match action(connection, at, &targets, options) {
            Some(action) => {
                let found = std::mem::take(&mut between);
                steps.push(step(connection, links, at, next, action, found, steps.last()));
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
    links: &[Link],
    at: usize,
    next: usize,
    action: Action,
    between: Between,
    before: Option<&Step>,
) -> Step {
    let event = &connection.events[at];
    let opens: Vec<usize> = (at..next)
        .filter_map(|place| match connection.events[place].what {
            EventKind::Request(exchange) => Some(exchange),
            _ => None,
        })
        .collect();
    let soft = match action {
        // A cancel is timed from its target and from nothing else.
        Action::Cancel(_) => Vec::new(),
        _ => between.softs(connection).into_iter().chain(reused(connection, at, &opens)).collect(),
    };
    let mut after = between.after;
    // The answer to a cancelled request holds nothing back, unless a value of it is needed.
    for link in (at..next).flat_map(|event| flow::ending_in(links, event)) {
        let producer = &connection.exchanges[link.producer];
        if producer.issuer == Side::Client && producer.cancels.iter().any(|cancel| *cancel < at) {
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
    let think_us = if before.is_none() && after.is_empty() && soft.is_empty() { 0 } else { think_us };
    let label = label(connection, at, &action, &opens);
    Step { event: at, line: event.line, label, action, opens, after, soft, think_us, left_out: None, refused: false }
}

/// Answers to cancelled requests whose ids a step uses again: sent while one of them is on its way, nobody could tell whose it is.
fn reused<'c>(connection: &'c Connection, at: usize, opens: &'c [usize]) -> impl Iterator<Item = Soft> + 'c {
    let exchanges = &connection.exchanges;
    let same = move |other: &usize| {
        let other = &exchanges[*other];
        let opened =
            |open: &usize| (exchanges[*open].issuer, &exchanges[*open].rpc_id) == (other.issuer, &other.rpc_id);
        other.request < at && opens.iter().any(opened)
    };
    (0..exchanges.len()).filter(move |_| !opens.is_empty()).filter(same).filter_map(move |other| {
        let other = &exchanges[other];
        let response = other.response.filter(|response| *response < at)?;
        let cancel = other.cancels.iter().rfind(|cancel| **cancel < response)?;
        let time = |event: usize| connection.events[event].at_us;
        let took = time(response).zip(time(*cancel)).map_or(0, |(answer, cancel)| (answer - cancel).max(0));
        Some(Soft { event: response, wait_us: (took + SOFT_SLACK_US).min(SOFT_MAX_US) })
    })
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
fn action(connection: &Connection, at: usize, targets: &Targets, options: &Options) -> Option<Action> {
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
        EventKind::Open => opened(connection, at, event),
        EventKind::Close => closed(connection, at, event),
        EventKind::Http | EventKind::Exit(_) | EventKind::Stderr | EventKind::Gap => None,
    }
}

/// A stream that carries no message of the client was opened to listen, or to end the session.
fn opened(connection: &Connection, at: usize, event: &Event) -> Option<Action> {
    let stream = event.stream?;
    let mut on_stream = connection.events[at..].iter().filter(|other| other.stream == Some(stream));
    let carries = |other: &Event| other.side == Some(Side::Client) && carried(&other.what);
    let head = connection.events[at..].iter().find(|other| {
        other.stream == Some(stream) && other.what == EventKind::Http && other.text.contains("\"method\"")
    });
    if on_stream.any(carries) {
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
fn closed(connection: &Connection, at: usize, event: &Event) -> Option<Action> {
    let stream = event.stream?;
    let asked = connection.exchanges.iter().any(|exchange| {
        let request = &connection.events[exchange.request];
        request.stream == Some(stream)
            && exchange.issuer == Side::Client
            && exchange.response.is_none_or(|response| response > at)
    });
    let listening = connection.events[..at].iter().enumerate().any(|(place, open)| {
        open.stream == Some(stream) && opened(connection, place, open) == Some(Action::OpenStream)
    });
    (asked || listening && at + 1 < connection.events.len()).then_some(Action::CloseStream(stream))
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

/// The last event before a connection was opened, of any other one. Frames are numbered in the order of the capture.
pub(super) fn opens_after(recording: &Recording, at: usize) -> Option<(usize, usize)> {
    let opened = recording.connections[at].events.first()?.frame;
    let matters = |event: &Event| event.side.is_some() && carried(&event.what) && !event.text.is_empty();
    recording.connections[..at]
        .iter()
        .enumerate()
        .flat_map(|(other, connection)| {
            let last = connection.events.iter().rposition(|event| event.frame < opened && matters(event));
            last.map(|event| (connection.events[event].frame, (other, event)))
        })
        .max()
        .map(|(_, place)| place)
}
