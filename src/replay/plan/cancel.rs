//! Recorded cancels: which of them are timed from their target, and how.

use std::collections::HashMap;

use super::Cancelling;
use crate::protocol::{Facts, Side};
use crate::replay::message::read;
use crate::replay::options::Options;
use crate::replay::recording::{Connection, EventKind};
use crate::replay::run::Anchor;

/// What each cancel hits: place of its event, places of the exchanges.
pub(super) type Targets = HashMap<usize, Vec<usize>>;

/// The cancels of a recording. One of a task that had ended by then hits nothing.
pub(super) fn targets(connection: &Connection) -> Targets {
    let ends = ends_of_tasks(connection);
    let over = |cancel: usize| {
        let task = read(&connection.events[cancel].text).and_then(|(_, facts)| facts.task_id().map(str::to_string));
        task.and_then(|task| ends.get(&task)).is_some_and(|end| *end < cancel)
    };
    let mut targets = Targets::new();
    for (place, exchange) in connection.exchanges.iter().enumerate() {
        for cancel in exchange.cancels.iter().filter(|cancel| !over(**cancel)) {
            targets.entry(*cancel).or_default().push(place);
        }
    }
    targets
}

/// Tasks that ended, and the place of the first message that said so.
fn ends_of_tasks(connection: &Connection) -> HashMap<String, usize> {
    let mut ends = HashMap::new();
    let events = connection.events.iter().enumerate();
    for (at, event) in
        events.filter(|(_, event)| connection.profile.tasks && !matches!(event.what, EventKind::Request(_)))
    {
        let Some((_, facts)) = read(&event.text) else { continue };
        let status = Facts::text(facts.task_status()).filter(|status| connection.profile.task_ended(status));
        if let (Some(task), Some(_)) = (facts.task_id(), status) {
            ends.entry(task.to_string()).or_insert(at);
        }
    }
    ends
}

/// Slack added to a deadline, microseconds.
const SLACK_US: i64 = 250_000;

/// Reads the event at `at` as a cancel that is timed from its target. `None` for anything else, and for cancels that were
/// wrong in the recording: those are sent as they were.
pub(super) fn timed(connection: &Connection, at: usize, all: &Targets, options: &Options) -> Option<Cancelling> {
    let event = &connection.events[at];
    let of_task = matches!(event.what, EventKind::Request(_));
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
    // Where the protocol has another cancel for another transport, it is that of the one that is played over.
    let was_close = event.text.is_empty();
    let by_close = match options.cancel.over_http {
        Some(over_http) if !of_task && connection.profile.stream_close_cancels => over_http,
        _ => was_close,
    };
    Some(Cancelling { targets, anchor, nth, delay_us, deadline_us: 2 * whole + SLACK_US, by_close, of_task })
}

/// True if an exchange was open at an event, in the order of the recording.
fn in_flight(connection: &Connection, exchange: usize, at: usize) -> bool {
    let exchange = &connection.exchanges[exchange];
    exchange.request < at && exchange.response.is_none_or(|response| response > at)
}
