//! Values that look as if they flowed from an answer into a later request. Suggestions only: nothing here is ever applied.

use std::collections::HashMap;

use super::flow::{self, Link};
use super::options::FlowRule;
use super::recording::{Connection, EventKind, Exchange, Recording};
use super::splice;
use crate::json::lenient_string;
use crate::json::pointer::INTO;
use crate::jsonrpc::Id;
use crate::protocol::Side;

/// Rules that would carry such values, in the order in which they are first used. What built-in and given rules carry is left out.
pub fn suggest(recording: &Recording, given: &[FlowRule]) -> Vec<FlowRule> {
    let mut found: Vec<FlowRule> = Vec::new();
    for connection in &recording.connections {
        for rule in of_connection(connection, &flow::links(connection, given)) {
            if !found.contains(&rule) {
                found.push(rule);
            }
        }
    }
    found
}

fn of_connection(connection: &Connection, links: &[Link]) -> Vec<FlowRule> {
    // Where each value was seen first: `None` if the client said it first.
    let mut first: HashMap<String, Option<(usize, String)>> = HashMap::new();
    let mut rules = Vec::new();
    for (at, event) in connection.events.iter().enumerate() {
        match (event.side, &event.what) {
            (Some(Side::Server), EventKind::Response(Some(exchange)))
                if connection.exchanges[*exchange].issuer == Side::Client =>
            {
                for (pointer, value) in values(&event.text, "/result") {
                    first.entry(value).or_insert(Some((*exchange, pointer)));
                }
            }
            (Some(Side::Server), _) => {
                // Seen first in a notification: no rule can name it.
                for (_, value) in values(&event.text, "/params") {
                    first.entry(value).or_insert(None);
                }
            }
            (Some(Side::Client), EventKind::Request(exchange)) => {
                let consumer = &connection.exchanges[*exchange];
                for (pointer, value) in values(&event.text, "/params") {
                    let carried = links.iter().any(|link| link.event == at && pointer.starts_with(&link.to_at));
                    match first.entry(value).or_insert(None) {
                        // Nothing is put into the text of a string.
                        Some((producer, from_at)) if !carried && !pointer.contains(INTO) => rules.push(FlowRule {
                            from: named(&connection.exchanges[*producer]),
                            from_at: from_at.clone(),
                            to: named(consumer),
                            to_at: pointer,
                        }),
                        _ => {}
                    }
                }
            }
            (Some(Side::Client), _) => {
                for (_, value) in values(&event.text, "") {
                    first.entry(value).or_insert(None);
                }
            }
            (None, _) => {}
        }
    }
    rules
}

fn named(exchange: &Exchange) -> String {
    exchange.name.clone().unwrap_or_else(|| exchange.method.clone())
}

/// Values below a pointer that can hardly be equal by accident: strings of eight characters with a digit, integers from 10,000.
fn values(text: &str, below: &str) -> Vec<(String, String)> {
    let Some(range) = (if below.is_empty() { Some(0..text.len()) } else { splice::locate(text, below) }) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    splice::scalars(text, range, below, &mut all);
    let found = all.into_iter().flat_map(|(pointer, range)| match held(&text[range.clone()]) {
        Some(inner) => {
            values(&inner, "").into_iter().map(|(at, value)| (format!("{pointer}{INTO}{at}"), value)).collect()
        }
        None => Vec::from_iter(telling(&text[range]).map(|value| (pointer, value))),
    });
    found.collect()
}

/// The JSON that a string holds: an object or a list.
fn held(raw: &str) -> Option<String> {
    let inner = raw.starts_with('"').then(|| lenient_string(raw))?;
    let is_json = inner.starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(&inner).is_ok();
    is_json.then(|| inner.into_owned())
}

/// A value that can hardly be equal to another one by accident, in one spelling.
fn telling(raw: &str) -> Option<String> {
    let telling = match raw.as_bytes().first()? {
        b'"' => {
            let plain = lenient_string(raw);
            plain.chars().count() >= 8 && plain.contains(|c: char| c.is_ascii_digit())
        }
        b'-' | b'0'..=b'9' => matches!(Id::from_json(raw), Some(Id::Int(n)) if n >= 10_000),
        _ => false,
    };
    telling.then(|| Id::from_json(raw).map_or_else(String::new, |id| id.to_json()))
}
