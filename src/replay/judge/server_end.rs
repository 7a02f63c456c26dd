//! How the server ended, held against how it ended in the recording.

use super::words::{exit_words, left_words};
use crate::number::{duration, plural};
use crate::protocol::Side;
use crate::replay::message;
use crate::replay::recording::{Connection, EventKind};
use crate::replay::run::{ExitRun, Fate, RunLog, unshelled};
use crate::replay::verdict::{ExchangeReport, Verdict};

/// The server left with nothing in flight, and what followed could not be sent: in words.
pub(super) fn lost(own: &Connection, log: &RunLog, entries: &[ExchangeReport]) -> Option<String> {
    let exit = log.exit.as_ref().filter(|exit| exit.unasked && !exit.recorded_too)?;
    let told = entries.iter().any(|entry| entry.verdict == Verdict::ServerExit);
    let exited = |why: &str| why.contains("exited");
    let lost = log.exchanges.iter().any(|run| matches!(&run.fate, Fate::NotSent(why) if exited(why)));
    let mut runs = own.exchanges.iter().zip(&log.exchanges);
    let pending = runs.any(|(own, run)| own.issuer == Side::Client && run.fate == Fate::Pending);
    let unsent = log.unsent.iter().any(|unsent| exited(&unsent.why));
    let when = duration(exit.at_us);
    (!told && (lost || pending || unsent)).then(|| format!("{} after {when}, with nothing in flight", left_words(exit)))
}

/// What the client said without asking anything, and was not sent: each method with the reason, and how often. Nobody misses what the
/// recorded server had not lived to hear either.
pub(super) fn unsent(own: &Connection, log: &RunLog) -> Vec<(String, String)> {
    let mut counted: Vec<(String, &str, u64)> = Vec::new();
    let as_recorded = log.exit.as_ref().map_or(log.closed_as_recorded, |exit| exit.recorded_too);
    for unsent in log.unsent.iter().filter(|_| !as_recorded) {
        let method = message::method(&own.events[unsent.event].text).unwrap_or_default();
        match counted.iter_mut().find(|(name, why, _)| (name, *why) == (&method, unsent.why.as_str())) {
            Some((.., count)) => *count += 1,
            None => counted.push((method, &unsent.why, 1)),
        }
    }
    let in_words =
        |why: &str, count| if count > 1 { format!("{}: {why}", plural(count, "message")) } else { why.into() };
    counted.into_iter().map(|(method, why, count)| (method, in_words(why, count))).collect()
}

/// The end of the server, where it was asked to end: held against that of the recording like an answer.
pub(super) fn ended(own: &Connection, log: &RunLog, entries: &[ExchangeReport]) -> Option<(Verdict, String)> {
    let exit = log.exit.as_ref().filter(|exit| !exit.recorded_too)?;
    if log.broken.is_some() || entries.iter().any(|entry| entry.verdict == Verdict::ServerExit) {
        return None;
    }
    let recorded = recorded_status(own)?;
    let live = exit.status();
    let taken = exit.forced.map(signal_of);
    if taken.or(live) == Some(recorded) {
        return None;
    }
    let how = match exit.forced {
        Some(force) => format!("the server did not end by itself: it took {force}"),
        None => exit_words(exit.code, exit.signal),
    };
    let before = match recorded {
        signal @ ..0 => format!("by signal {}", -signal),
        code => format!("with {code}"),
    };
    let verdict = if live == Some(0) && exit.forced.is_none() { Verdict::Fixed } else { Verdict::ServerExit };
    Some((verdict, format!("{how}; in the recording it ended {before}")))
}

/// How the recorded server ended: its status, or a signal as a negative number.
pub(super) fn recorded_status(own: &Connection) -> Option<i64> {
    own.events.iter().rev().find_map(|event| match event.what {
        EventKind::Exit(code) => Some(code.map(unshelled)),
        _ => None,
    })?
}

/// The signal that it took, as a status.
fn signal_of(forced: &str) -> i64 {
    if forced == "TERM" { -15 } else { -9 }
}

/// How the server ended, in words.
pub(super) fn in_words(exit: &ExitRun) -> String {
    let how = exit_words(exit.code, exit.signal);
    match (exit.unasked, exit.recorded_too, exit.forced) {
        (true, true, _) => format!("{how}, as in the recording"),
        (true, false, Some(force)) => format!("{} and went on, unasked; it took {force}", left_words(exit)),
        (true, false, None) => format!("{how} {} after the start, unasked", duration(exit.at_us)),
        (false, _, Some(force)) => format!("{how}; it took {force}"),
        (false, _, None) => how,
    }
}
