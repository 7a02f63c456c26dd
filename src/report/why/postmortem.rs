//! Facts into what the screen and the JSON say. Strings are as they stood in the log; whoever writes them escapes them.

use std::collections::HashSet;

use serde::Serialize;

use super::chains::{Chain, chains};
use super::facts::{Cancelled, Facts, Waiting, label, peer, title};
use super::hops::{Hopped, hopped};
use super::patterns::{Pattern, patterns};
use crate::number::duration;
use crate::report::judged::Judged;
use crate::report::{Unread, time};
use crate::store::{ExchangeRow, SignRow};

/// A request that is stuck.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stuck {
    /// As the screens name it.
    pub request: String,
    /// Who asked.
    pub issuer: String,
    /// Method.
    pub method: String,
    /// Tool or command.
    pub name: Option<String>,
    /// Source and line of the request.
    pub source: String,
    /// Line.
    pub line: u64,
    /// When it was sent.
    pub since_us: Option<i64>,
    /// From then to the end of the log.
    pub age_us: Option<i64>,
    /// Code of the rule that says so.
    pub code: Option<String>,
    /// How sure that is: `violation` or `undecidable`.
    pub certainty: Option<String>,
    /// Its last progress.
    pub last_life_us: Option<i64>,
    /// What that said.
    pub last_life: Option<String>,
    /// How its HTTP exchange ended, in words, where the log shows that it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exchange_end: Option<String>,
}

/// A request without an answer of which no rule says, or can say, that one was due.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Open {
    /// As the screens name it.
    pub request: String,
    /// Who asked.
    pub issuer: String,
    /// Method and tool.
    pub title: String,
    /// Line of the request.
    pub line: u64,
    /// When it was sent.
    pub since_us: Option<i64>,
    /// From then to the end of the log.
    pub age_us: Option<i64>,
    /// Why nothing more is said of it.
    pub because: String,
}

/// A side that was alive: a request to it that was sent later and answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Alive {
    /// The side.
    pub side: String,
    /// The request that it answered.
    pub request: String,
    /// Method and tool.
    pub title: String,
    /// How fast.
    pub latency_us: Option<i64>,
    /// When.
    pub at_us: Option<i64>,
}

/// A cancel and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cancel {
    /// The request, as the screens name it.
    pub request: String,
    /// Method and tool.
    pub title: String,
    /// Who cancelled.
    pub by: String,
    /// Line of the cancel.
    pub line: u64,
    /// When.
    pub at_us: Option<i64>,
    /// How long after the request.
    pub delay_us: Option<i64>,
    /// The reason that it gives.
    pub reason: Option<String>,
    /// The effect, as in the database.
    pub effect: Option<String>,
    /// The effect in words.
    pub said: String,
    /// What the findings about it come to: `TOO LATE`, `WENT ON`, `crossed` ..., the code of a rule; where no rule
    /// objects `ok`, or nothing.
    pub verdict: String,
}

/// A request that was answered, for the list of the slowest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Slow {
    /// As the screens name it.
    pub request: String,
    /// Method and tool.
    pub title: String,
    /// From the request to the answer.
    pub latency_us: i64,
    /// When it was sent.
    pub sent_us: Option<i64>,
    /// Line of the request.
    pub line: u64,
    /// How it ended.
    pub outcome: String,
}

/// The answer to `why` for one connection.
#[derive(Clone, Debug, Serialize)]
pub struct Postmortem {
    /// Key of the connection.
    pub connection: String,
    /// Protocol and revision.
    pub profile: String,
    /// How the log ends, in words.
    pub ending: String,
    /// Whether messages were lost.
    pub has_gap: bool,
    /// Lines of its source that look like messages and were not read.
    pub unread: Vec<Unread>,
    /// Stuck requests, oldest first.
    pub stuck: Vec<Stuck>,
    /// Other requests without an answer, oldest first.
    pub open: Vec<Open>,
    /// What a server that died wrote to stderr last.
    pub last_words: Vec<String>,
    /// Who waits on whom.
    pub waiting: Vec<Chain>,
    /// Sides that were alive.
    pub alive: Vec<Alive>,
    /// Cancels in order.
    pub cancels: Vec<Cancel>,
    /// Requests at every hop that they pass, one list for each tree; where logs of several hops were read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hops: Vec<Vec<Hopped>>,
    /// The patterns that are met, the strongest first.
    pub patterns: Vec<Pattern>,
    /// Where nothing is stuck: the slowest.
    pub slowest: Vec<Slow>,
}

/// How many of the slowest are named.
const SLOWEST: usize = 5;

/// Makes a postmortem of facts.
pub fn postmortem(facts: &Facts) -> Postmortem {
    let waiting = chains(facts);
    let stuck: Vec<Stuck> =
        facts.stuck.iter().filter(|one| facts.wanted(one.row.id)).map(|one| stuck(facts, one)).collect();
    let ended = facts.ending().is_some() || facts.connection.complete_tail;
    let cancelled: HashSet<i64> = facts.cancels.iter().filter_map(|cancel| cancel.row.exchange_id).collect();
    let untold = ["client", "server"].map(|issuer| facts.untold_to(issuer));
    let tell = |one: &Waiting| {
        let untold = untold[usize::from(one.row.issuer == "server")].is_some_and(|answer| answer > one.row.id);
        open(one, because(facts, one, Known { ended, cancelled: cancelled.contains(&one.row.id), untold }))
    };
    let open: Vec<Open> = facts.open.iter().filter(|one| facts.wanted(one.row.id)).map(tell).collect();
    let connection = &facts.connection;
    Postmortem {
        connection: connection.key.clone(),
        profile: format!("{} {}", connection.protocol, connection.revision).trim_end().to_string(),
        ending: ending(facts),
        has_gap: facts.has_gap,
        unread: facts.unread.clone(),
        patterns: patterns(facts, &waiting),
        alive: alive(facts),
        cancels: cancels(facts),
        hops: facts.hops.iter().map(|tree| tree.iter().map(hopped).collect()).collect(),
        slowest: if stuck.is_empty() && open.is_empty() { slowest(facts) } else { Vec::new() },
        last_words: facts.death.as_ref().map(|death| death.stderr.clone()).unwrap_or_default(),
        stuck,
        open,
        waiting,
    }
}

fn stuck(facts: &Facts, waiting: &Waiting) -> Stuck {
    let row = &waiting.row;
    let last = waiting.signs.last();
    let said = last.map(said_of);
    Stuck {
        request: label(row),
        issuer: row.issuer.clone(),
        method: row.method.clone(),
        name: row.name.clone(),
        source: row.source.clone(),
        line: row.line,
        since_us: row.sent_at_us,
        age_us: waiting.age_us,
        code: waiting.said.as_ref().map(|said| said.code.clone()),
        certainty: waiting.said.as_ref().map(|said| said.certainty.clone()),
        last_life_us: last.and_then(|sign| sign.at_us),
        last_life: said,
        exchange_end: exchange_end(facts, row),
    }
}

/// How the HTTP exchange of a request ended without the answer, in words.
fn exchange_end(facts: &Facts, row: &ExchangeRow) -> Option<String> {
    let status =
        facts.refusal(row).and_then(|head| head.status).map(|status| format!("HTTP status {status}, no answer"));
    status.or_else(|| facts.stream_end(row).map(|_| "its stream was closed".to_string()))
}

/// How far a request was, in words.
pub fn said_of(sign: &SignRow) -> String {
    match (&sign.progress, &sign.total) {
        (Some(progress), Some(total)) => format!("{progress}/{total}"),
        (Some(progress), None) => format!("progress {progress}"),
        _ => "update".to_string(),
    }
}

fn open(waiting: &Waiting, because: String) -> Open {
    let row = &waiting.row;
    Open {
        request: label(row),
        issuer: row.issuer.clone(),
        title: title(row),
        line: row.line,
        since_us: row.sent_at_us,
        age_us: waiting.age_us,
        because,
    }
}

/// What is known of an open request.
struct Known {
    /// The connection has ended.
    ended: bool,
    cancelled: bool,
    /// An answer came behind it that names no request.
    untold: bool,
}

/// Why an open request is not called stuck.
fn because(facts: &Facts, waiting: &Waiting, known: Known) -> String {
    let Known { ended, cancelled, untold } = known;
    const NOT_DECIDABLE: &str = "not decidable: ";
    if let Some(said) = &waiting.said {
        let reason = said.summary.split_once(NOT_DECIDABLE).map(|(_, reason)| reason);
        return reason.map_or_else(|| said.summary.clone(), |reason| format!("{NOT_DECIDABLE}{reason}"));
    }
    let old = waiting.age_us.is_none_or(|us| us >= facts.stuck_after_us);
    if untold && !cancelled {
        return format!("{NOT_DECIDABLE}an answer behind it names no request");
    }
    if let Some(end) = exchange_end(facts, &waiting.row).filter(|_| !cancelled) {
        return end;
    }
    match (cancelled, ended, old) {
        (true, ..) => "never answered, and cancelled".to_string(),
        (false, _, true) => "no rule can tell from this log".to_string(),
        (false, true, false) => "in work when the connection ended".to_string(),
        (false, false, false) => "in work when the log ends".to_string(),
    }
}

fn ending(facts: &Facts) -> String {
    let open = match facts.stuck.len() {
        0 => String::new(),
        n => format!(" with {} stuck", crate::report::plural(n as u64, "request")),
    };
    let end = match facts.ending() {
        Some(unit) if unit.kind == "exit" => format!("the process {}", unit.exit),
        Some(unit) => format!("closed by the {}", unit.by.as_deref().unwrap_or("peer")),
        None if facts.connection.complete_tail => "the connection ended".to_string(),
        None => "the log just stops".to_string(),
    };
    format!("{end}{open}")
}

fn alive(facts: &Facts) -> Vec<Alive> {
    let mut found = Vec::new();
    for side in ["server", "client"] {
        let Some(first) = facts.stuck_of(peer(side)).next() else { continue };
        let Some(row) = facts.alive(side, first.row.id) else { continue };
        let at_us = row.sent_at_us.zip(row.latency_us).map(|(sent, took)| sent + took);
        found.push(Alive {
            side: side.to_string(),
            request: label(row),
            title: title(row),
            latency_us: row.latency_us,
            at_us,
        });
    }
    found
}

fn cancels(facts: &Facts) -> Vec<Cancel> {
    let wanted = |cancel: &&Cancelled| match cancel.row.exchange_id {
        Some(id) => facts.wanted(id),
        None => facts.focus.is_none(),
    };
    facts.cancels.iter().filter(wanted).map(|cancel| one_cancel(facts, cancel)).collect()
}

fn one_cancel(facts: &Facts, cancel: &Cancelled) -> Cancel {
    let row = &cancel.row;
    let plus = |us: Option<i64>| us.map_or(String::new(), |us| format!(" {}", time::offset(us)));
    let went_on = last_sign_after(cancel);
    let watched = row.sent_at_us.zip(facts.connection.last_at_us).map(|(at, end)| end.saturating_sub(at));
    // A log that ends before the cancel, by its times, or that lacks messages does not show that nothing came.
    let unseen = watched.is_some_and(|us| us < 0) || facts.has_gap;
    let said = match row.effect.as_deref() {
        Some("silent") if went_on.is_some() => format!("progress until{}", plus(went_on)),
        Some("silent") => match watched {
            Some(us @ 0..) => format!("silent, watched {}", duration(us)),
            _ => "silent".to_string(),
        },
        Some("acknowledged") => format!("acknowledged{}", plus(row.settle_us)),
        Some("result" | "partial" | "error") => format!("answered{}", plus(row.settle_us)),
        Some("moot") => "answered before".to_string(),
        Some("unknown-target") => "names no request".to_string(),
        Some("malformed") => "names nothing".to_string(),
        Some("unsettled") => "no answer".to_string(),
        _ => String::new(),
    };
    let judged = Judged::of(row);
    let quiet = row.effect.as_deref() == Some("silent") && went_on.is_none() && !unseen;
    let verdict = match judged {
        Judged::Nothing if quiet || row.effect.as_deref() == Some("acknowledged") => "ok".to_string(),
        judged => judged.as_str().to_string(),
    };
    let request = match &cancel.exchange {
        Some(exchange) => label(exchange),
        None => row.target_rpc_id.as_deref().map_or("-".to_string(), |id| crate::report::label(id, Some(&row.sender))),
    };
    Cancel {
        request,
        title: cancel.exchange.as_ref().map(title).or_else(|| row.target_method.clone()).unwrap_or_default(),
        by: row.sender.clone(),
        line: row.line,
        at_us: row.sent_at_us,
        delay_us: row.delay_us,
        reason: row.reason.clone(),
        effect: row.effect.clone(),
        said,
        verdict,
    }
}

/// How long after a cancel its request gave its last sign of life, in microseconds.
fn last_sign_after(cancel: &Cancelled) -> Option<i64> {
    let last = cancel.signs.iter().filter_map(|sign| sign.at_us).max()?;
    cancel.row.sent_at_us.map(|sent| last.saturating_sub(sent)).filter(|after| *after > 0)
}

fn slowest(facts: &Facts) -> Vec<Slow> {
    let mut rows: Vec<(&ExchangeRow, i64)> =
        facts.around.iter().filter(|row| facts.wanted(row.id)).filter_map(|row| Some((row, row.latency_us?))).collect();
    rows.sort_by_key(|(row, latency)| (latency.saturating_neg(), row.id));
    let slow = |(row, latency_us): (&ExchangeRow, i64)| Slow {
        request: label(row),
        title: title(row),
        latency_us,
        sent_us: row.sent_at_us,
        line: row.line,
        outcome: row.outcome.clone(),
    };
    rows.into_iter().take(SLOWEST).map(slow).collect()
}
