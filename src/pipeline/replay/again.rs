//! Runs beside the main one: a control without the cancels, and what may be sent a second time at all.

use crate::protocol::Side;
use crate::replay::options::Policy;
use crate::replay::plan::Plan;
use crate::replay::policy;
use crate::replay::recording::{Connection, Event, EventKind, Recording};

/// The recording as it would be had the client cancelled nothing: an answer is waited for where it came, as any other is; one that never
/// came is waited for at the end, and by nothing else. Cancels that are requests, and those inside a batch, stay.
pub fn without_cancels(recording: &Recording) -> Recording {
    let mut calm = recording.clone();
    for connection in &mut calm.connections {
        for exchange in 0..connection.exchanges.len() {
            if connection.exchanges[exchange].issuer == Side::Client {
                let_finish(connection, exchange);
            }
        }
    }
    calm
}

fn let_finish(connection: &mut Connection, place: usize) {
    let in_batch = |connection: &Connection, event: usize| {
        connection
            .events
            .iter()
            .any(|other| matches!(&other.what, EventKind::Batch(members) if members.contains(&event)))
    };
    let cancels = connection.exchanges[place].cancels.clone();
    let (taken, left): (Vec<usize>, Vec<usize>) = cancels.into_iter().partition(|event| {
        matches!(connection.events[*event].what, EventKind::Cancel(_)) && !in_batch(connection, *event)
    });
    if taken.is_empty() {
        return;
    }
    for event in taken {
        silence(&mut connection.events[event]);
    }
    let exchange = &mut connection.exchanges[place];
    exchange.cancels = left;
    exchange.latency_us = None;
    exchange.outcome = "result".to_string();
    if exchange.response.is_some() {
        return;
    }
    exchange.response = Some(connection.events.len());
    let text = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{}}}}"#, exchange.rpc_id);
    // Behind everything else: an answer at the end gates nothing.
    let last = connection.events.last().cloned();
    let answer = Event {
        frame: 0,
        line: last.as_ref().map_or(0, |event| event.line),
        at_us: last.as_ref().and_then(|event| event.at_us),
        side: Some(Side::Server),
        stream: connection.events[connection.exchanges[place].request].stream,
        what: EventKind::Response(Some(place)),
        text,
    };
    connection.events.push(answer);
}

/// Takes an event out without moving the others.
fn silence(event: &mut Event) {
    event.what = EventKind::Stderr;
    event.side = None;
    event.text.clear();
}

/// Requests that a plan sends and that may not be sent a second time: connection, exchange, name for people.
pub fn not_twice(recording: &Recording, plan: &Plan, policy: &Policy) -> Vec<(usize, usize, String)> {
    let mut found = Vec::new();
    for (at, (connection, steps)) in recording.connections.iter().zip(&plan.connections).enumerate() {
        let sent = steps.steps.iter().filter(|step| step.left_out.is_none()).flat_map(|step| &step.opens);
        for exchange in sent.copied() {
            let request = &connection.exchanges[exchange];
            if !policy::repeatable(connection, request, policy) {
                let name = request.name.as_ref().map_or(String::new(), |name| format!(" {name}"));
                found.push((at, exchange, format!("{} {}{name}", request.label(), request.method)));
            }
        }
    }
    found
}

/// The exchanges of the client that were cancelled while they were in flight: connection, exchange.
pub fn cancelled(recording: &Recording) -> Vec<(usize, usize)> {
    let of = |(at, connection): (usize, &Connection)| {
        let hit = |exchange: &crate::replay::recording::Exchange| {
            let answered = exchange.response.unwrap_or(usize::MAX);
            exchange.issuer == Side::Client && exchange.cancels.iter().any(|cancel| *cancel < answered)
        };
        let places = connection.exchanges.iter().enumerate().filter(|(_, exchange)| hit(exchange));
        places.map(|(place, _)| (at, place)).collect::<Vec<_>>()
    };
    recording.connections.iter().enumerate().flat_map(of).collect()
}
