//! What a capture lost on the way, as far as it matters to a replay. What cannot be replayed at all is refused here.

use super::{Action, Step};
use crate::capture::Proof;
use crate::error::{Error, ErrorKind, Result};
use crate::number::{duration, plural};
use crate::protocol::Side;
use crate::replay::recording::{Connection, EventKind, Recording};

/// Cancels that come earlier than in the recording, because no request is left in flight for as long as it was there.
pub(super) fn earlier(connection: &Connection, steps: &[Step], limit_us: i64) -> Vec<String> {
    let cancels = steps.iter().filter_map(|step| match &step.action {
        Action::Cancel(cancel) if !cancel.of_task && cancel.delay_us == limit_us => {
            Some((step, *cancel.targets.first()?))
        }
        _ => None,
    });
    let said = cancels.filter_map(|(step, target)| {
        let target = &connection.exchanges[target];
        let time = |event: usize| connection.events[event].at_us;
        let after = time(step.event)? - time(target.request)?;
        let (label, limit) = (target.label(), duration(limit_us));
        (after > limit_us).then(|| {
            format!("{label} is cancelled after {limit} (--max-request), {} in the recording", duration(after))
        })
    });
    said.collect()
}

/// What must be said before anything is sent; an error where there is nothing to send.
pub(super) fn losses(recording: &Recording) -> Result<Vec<String>> {
    let mut said: Vec<String> = recording.unread.iter().map(|unread| unread.words.clone()).collect();
    for connection in &recording.connections {
        for loss in of_connection(recording, connection)? {
            said.push(match recording.connections.len() {
                1 => loss,
                _ => format!("{}: {loss}", connection.key),
            });
        }
    }
    Ok(said)
}

fn of_connection(recording: &Recording, connection: &Connection) -> Result<Vec<String>> {
    let refuse = |why: &str| {
        Err(Error::new(ErrorKind::Input, format!("cannot replay {}: {why}", recording.name))
            .hint("record the session with `rpctape record`, which keeps every byte, its direction and its time"))
    };
    let messages = || connection.events.iter().filter(|event| is_message(&event.what));
    if messages().next().is_none() {
        return Ok(vec!["no messages".to_string()]);
    }
    if !connection.proof.covers(Proof::PAYLOAD) {
        return refuse("its format keeps neither parameters nor results, so there is nothing to send");
    }
    if messages().all(|event| event.side.is_none()) {
        return refuse("it does not tell which side sent which message");
    }
    let mut said = Vec::new();
    if !connection.exchanges.iter().any(|exchange| exchange.issuer == Side::Client) {
        said.push("no request of the client: there is nothing to compare".to_string());
    }
    let timeless = messages().filter(|event| event.at_us.is_none()).count();
    match (timeless, messages().count()) {
        (0, _) => {}
        (some, all) if some == all => {
            said.push("no times: everything is sent as fast as causality allows, cancels at once".to_string());
        }
        (some, all) => said.push(format!("{some} of {all} messages have no time: they are sent without a pause")),
    }
    if !connection.proof.covers(Proof::DIRECTION) {
        said.push("who sent a message is inferred, the format does not say it".to_string());
    }
    let lost = messages().filter(|event| event.side.is_none()).count();
    if lost > 0 {
        said.push(format!("{lost} messages of unknown direction are left out"));
    }
    if !connection.proof.covers(Proof::BOTH_SIDES) {
        said.push("the capture may lack messages of one side".to_string());
    }
    if !connection.proof.covers(Proof::ENVELOPE) {
        said.push("envelopes are rebuilt, not as they were on the wire".to_string());
    }
    if !connection.complete_head {
        said.push("the capture starts in the middle: there may be no handshake to replay".to_string());
    }
    said.extend(gap(connection));
    Ok(said)
}

/// Where messages of a connection are missing, in words.
pub fn gap(connection: &Connection) -> Option<String> {
    let mut gaps = connection.events.iter().filter(|event| event.what == EventKind::Gap);
    let line = gaps.next()?.line;
    let more = match gaps.count() {
        0 => String::new(),
        more => format!(" and in {}", plural(more as u64, "more place")),
    };
    Some(format!("messages are missing at line {line}{more}: what is absent there proves nothing"))
}

fn is_message(what: &EventKind) -> bool {
    matches!(
        what,
        EventKind::Request(_)
            | EventKind::Response(_)
            | EventKind::Cancel(_)
            | EventKind::Progress(_)
            | EventKind::Notification
            | EventKind::Batch(_)
    )
}
