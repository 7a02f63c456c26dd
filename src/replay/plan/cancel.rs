//! Recorded cancels: which of them are timed from their target, and how.

use std::collections::HashMap;

use super::Cancelling;
use crate::protocol::Side;
use crate::replay::options::Options;
use crate::replay::recording::{Connection, What};
use crate::replay::run::Anchor;

/// What each cancel hits: place of its event, places of the exchanges.
pub(super) type Targets = HashMap<usize, Vec<usize>>;

/// The cancels of a recording.
pub(super) fn targets(connection: &Connection) -> Targets {
    let mut targets = Targets::new();
    for (place, exchange) in connection.exchanges.iter().enumerate() {
        for cancel in &exchange.cancels {
            targets.entry(*cancel).or_default().push(place);
        }
    }
    targets
}

/// Slack added to a deadline, microseconds.
const SLACK_US: i64 = 250_000;

/// Reads the event at `at` as a cancel that is timed from its target. `None` for anything else, and for cancels that were
/// wrong in the recording: those are sent as they were.
pub(super) fn timed(connection: &Connection, at: usize, all: &Targets, options: &Options) -> Option<Cancelling> {
    let event = &connection.events[at];
    let of_task = matches!(event.what, What::Request(_));
    let targets: Vec<usize> = all
        .get(&at)?
        .iter()
        .copied()
        .filter(|target| connection.exchanges[*target].issuer == Side::Client)
        .filter(|target| of_task || in_flight(connection, *target, at))
        .collect();
    let first = *targets.first()?;
    let target = &connection.exchanges[first];
    if connection.profile.opening.initialize == Some(target.method.as_str()) || target.request > at {
        return None;
    }
    let time = |event: usize| connection.events[event].at_us;
    let since = |from: usize| Some((time(at)? - time(from)?).max(0));
    let progress: Vec<usize> = target.progress.iter().copied().filter(|progress| *progress < at).collect();
    let whole = since(target.request).unwrap_or(0);
    // No request is left in flight for longer than the limit.
    let limit = options.life.max_request_us;
    let too_late = !of_task && options.cancel.delay_us.is_none() && whole > limit;
    let by_progress = !progress.is_empty() && options.cancel.anchor != Some(Anchor::Elapsed) && !too_late;
    let (anchor, nth, from) = match progress.last() {
        Some(last) if by_progress => (Anchor::Progress, u32::try_from(progress.len()).unwrap_or(u32::MAX), *last),
        _ => (Anchor::Elapsed, 0, target.request),
    };
    let delay_us = options.cancel.delay_us.or_else(|| since(from)).unwrap_or(0);
    let (delay_us, whole) = if too_late { (limit, limit) } else { (delay_us, whole) };
    let stream = event.text.is_empty().then_some(event.stream).flatten();
    Some(Cancelling { targets, anchor, nth, delay_us, deadline_us: 2 * whole + SLACK_US, stream, of_task })
}

/// True if an exchange was open at an event, in the order of the recording.
fn in_flight(connection: &Connection, exchange: usize, at: usize) -> bool {
    let exchange = &connection.exchanges[exchange];
    exchange.request < at && exchange.response.is_none_or(|response| response > at)
}
