//! Spans of one message that several wrote, and of which it is not told whether they are.

use std::collections::{HashMap, HashSet};

use super::span::{Outcome, Span};
use crate::capture::{Missing, Why};
use crate::protocol::Side;

/// Nobody knows how long a request was in flight that was cancelled, or whose span has no end.
const OPEN: Missing<'static> =
    Missing { words: "when the request before it with its id was over", ..Missing::new(Why::Unordered) };

/// A span within another one of its trace may be the same message again, by a second library.
const AGAIN: Missing<'static> =
    Missing { words: "whether it is the request that a span around it tells", ..Missing::new(Why::Twice) };

/// The first span of a message, and those of it that were seen since.
struct First {
    receives: bool,
    service: String,
    until_us: i64,
    spans: Vec<String>,
}

impl First {
    fn of(span: &Span<'_>) -> First {
        let (receives, service) = (span.receives, span.service.clone());
        First { receives, service, until_us: span.end_us.unwrap_or(i64::MAX), spans: vec![span.ids.0.clone()] }
    }

    /// True if a span tells the same message: it was written while this one was open, by its other end, by a process that handed it on,
    /// or for a span of it.
    fn is_told_by(&self, span: &Span<'_>) -> bool {
        let caused = || !span.ids.1.is_empty() && self.spans.contains(&span.ids.1);
        let elsewhere = self.receives != span.receives || self.service != span.service;
        span.start_us <= self.until_us && (elsewhere || caused())
    }
}

/// Drops all but the first span of a message that several wrote: of a request by its id, of a notification by the span that caused it.
pub(super) fn seen_twice(spans: &mut Vec<Span<'_>>, mut each: impl FnMut(&Span<'_>)) {
    let mut seen: HashMap<(Option<String>, String, String), First> = HashMap::new();
    let sent = spans.iter().filter(|span| span.id.is_none() && !span.receives && !span.ids.0.is_empty());
    let sent: HashSet<(Option<String>, String, String)> =
        sent.map(|span| (span.connection.clone(), span.method.clone(), span.ids.0.clone())).collect();
    spans.retain(|span| {
        let Some(id) = &span.id else {
            let known =
                span.receives && sent.contains(&(span.connection.clone(), span.method.clone(), span.ids.1.clone()));
            if known {
                each(span);
            }
            return !known;
        };
        let key = (span.connection.clone(), span.method.clone(), id.clone());
        match seen.get_mut(&key) {
            Some(first) if first.is_told_by(span) => {
                first.spans.push(span.ids.0.clone());
                each(span);
                false
            }
            _ => {
                seen.insert(key, First::of(span));
                true
            }
        }
    });
}

/// The last request with an id.
struct Last<'s> {
    open: bool,
    until_us: i64,
    trace: &'s str,
    method: &'s str,
}

/// What is not told of the requests whose ids were used before, by the number of their spans.
pub(super) fn doubts(spans: &[Span<'_>]) -> HashMap<usize, Missing<'static>> {
    let mut last: HashMap<(Option<&str>, Option<Side>, &str), Last<'_>> = HashMap::new();
    let mut found = HashMap::new();
    for (at, span) in spans.iter().enumerate() {
        let Some(id) = &span.id else { continue };
        let key = (span.connection.as_deref(), span.sender(), id.as_str());
        let open = span.outcome == Outcome::Unknown;
        let mut now =
            Last { open, until_us: span.end_us.unwrap_or(i64::MAX), trace: &span.trace, method: &span.method };
        if let Some(before) = last.get(&key) {
            let within = span.start_us <= before.until_us && !span.trace.is_empty() && before.trace == span.trace;
            if before.open {
                found.insert(at, OPEN);
                now.open = true;
            } else if within && before.method == span.method {
                found.insert(at, AGAIN);
            }
        }
        last.insert(key, now);
    }
    found
}
