//! The patterns that a postmortem may name, each by a rule over facts. Where no rule is met, nothing is named.
//!
//! (i) comes first: where messages were lost, no verdict is given. Otherwise every pattern that is met is kept, the
//! strongest first.

use std::collections::HashMap;

use serde::Serialize;

use super::chains::Chain;
use super::facts::{Cancelled, Facts, Waiting, has_handshake, is_handshake, is_message, label, peer, title};
use crate::number::duration;
use crate::report::judged::Judged;
use crate::report::time;
use crate::store::{ExchangeRow, UnitRow};

/// A server that is still at work so long after a proven cancel has not stopped.
const KEPT_WORKING_US: i64 = 1_000_000;

/// The same where nothing proves that it knew.
const KEPT_ON_US: i64 = 10_000_000;

/// One pattern that is met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pattern {
    /// `a` to `i`.
    pub letter: char,
    /// Its name.
    pub name: &'static str,
    /// What it comes to here, in one sentence. Text as it stood in the log.
    pub text: String,
    /// Frames of the requests that it is about; empty for all.
    #[serde(skip)]
    pub about: Vec<i64>,
}

fn pattern(letter: char, name: &'static str, about: &[&ExchangeRow], text: String) -> Option<Pattern> {
    Some(Pattern { letter, name, text, about: about.iter().map(|row| row.id).collect() })
}

/// The patterns that are met, the strongest first.
pub fn patterns(facts: &Facts, chains: &[Chain]) -> Vec<Pattern> {
    let unanswered = !facts.stuck.is_empty() || !facts.open.is_empty();
    if facts.has_gap && unanswered && facts.death.is_none() {
        let lost = if facts.unread.is_empty() { "the capture lacks messages" } else { "messages were not read" };
        let text = format!("{lost}: what looks open may have been answered");
        return pattern('i', "capture-gap", &[], text).into_iter().collect();
    }
    let rules: [fn(&Facts) -> Option<Pattern>; 10] = [
        unknown_session,
        expired_session,
        closed_stream,
        dead_server,
        no_handshake,
        head_of_line,
        unanswered_from_here_on,
        one_tool,
        kept_working,
        gave_up,
    ];
    // Whoever is dead does nothing else: what then looks like another pattern follows from it.
    let dead = facts.death.as_ref().and_then(|_| dead_server(facts));
    let mut met: Vec<Pattern> = dead.into_iter().chain(cycle(facts, chains)).collect();
    met.extend(rules.iter().filter_map(|rule| rule(facts)));
    let mut letters = std::collections::BTreeSet::new();
    met.retain(|pattern| letters.insert(pattern.letter));
    if met.iter().any(|pattern| pattern.letter == 'a') {
        // The tool of a cycle hangs for that reason and no other.
        met.retain(|pattern| pattern.letter != 'd');
    }
    met.retain(|pattern| pattern.about.is_empty() || pattern.about.iter().any(|id| facts.wanted(*id)));
    met
}

/// (a) Both sides wait: a request of the client for one of the server, and that one for the client.
fn cycle(facts: &Facts, chains: &[Chain]) -> Option<Pattern> {
    let chain = chains.iter().find(|chain| chain.cycle)?;
    let (first, last) = (chain.requests.first()?, chain.requests.last()?);
    let (side, method) = chain.steps.last()?;
    let looked = peer(side);
    let waits = if chain.linked { "waits for" } else { "waits, and so does" };
    let text =
        format!("{first} {waits} {last} {method}, which the {looked} never answered: look at the {looked} first");
    let about: Vec<&ExchangeRow> =
        facts.stuck.iter().map(|waiting| &waiting.row).filter(|row| chain.ids.contains(&row.id)).collect();
    pattern('a', "cycle", &about, text)
}

/// (h) The server answered an open request with status 404 although the handshake was done: it does not know the session any more.
fn unknown_session(facts: &Facts) -> Option<Pattern> {
    facts.connection.server_name.as_ref()?;
    let refused = |row: &ExchangeRow| facts.refusal(row).filter(|unit| unit.status == Some(404));
    let of_a_session = |waiting: &&Waiting| has_handshake(&waiting.row) && !is_handshake(&waiting.row);
    let (row, head) = facts
        .waiting_of("client")
        .into_iter()
        .filter(of_a_session)
        .find_map(|waiting| Some((&waiting.row, refused(&waiting.row)?)))?;
    let text = format!(
        "{} was refused with HTTP status 404{} (line {}): the session had expired",
        label(row),
        at(head.at_us),
        head.line
    );
    pattern('h', "session-expired", &[row], text)
}

/// (h) over HTTP: the client had to open a new session while requests of the old one were open.
fn expired_session(facts: &Facts) -> Option<Pattern> {
    if facts.connection.transport != "http" {
        return None;
    }
    let oldest = &facts.stuck_of("client").next()?.row;
    let again = facts.around.iter().find(|row| row.id > oldest.id && row.method == "initialize")?;
    let text = format!(
        "{} was never answered, and the client had to open a new session ({}, line {}): the old one had expired",
        label(oldest),
        label(again),
        again.line
    );
    pattern('h', "session-expired", &[], text)
}

/// (g) The HTTP stream that should have carried the answer was closed without it.
fn closed_stream(facts: &Facts) -> Option<Pattern> {
    if facts.connection.transport != "http" {
        return None;
    }
    let (row, close) =
        facts.stuck_of("client").find_map(|waiting| Some((&waiting.row, facts.stream_end(&waiting.row)?)))?;
    let by = close.by.as_deref().map_or(String::new(), |by| format!(" by the {by}"));
    let status = facts.refusal(row).and_then(|head| head.status);
    let status = status.map_or(String::new(), |status| format!(", with HTTP status {status}"));
    let text = format!("the stream of {} was closed{by}{} without a response{status}", label(row), at(close.at_us));
    pattern('g', "stream-closed", &[row], text)
}

fn at(us: Option<i64>) -> String {
    us.map_or(String::new(), |us| format!(" at {}", time::clock(us)))
}

/// (b) The process exited, or nothing of any kind came from the server after the request.
fn dead_server(facts: &Facts) -> Option<Pattern> {
    let hung_up = |unit: &UnitRow| unit.kind == "close" && unit.by.as_deref() == Some("client");
    let stuck: Vec<&Waiting> = match facts.death {
        Some(_) => facts.waiting_of("client"),
        None => facts.stuck_of("client").collect(),
    };
    if let (Some(end), Some(first)) = (facts.ending(), stuck.first())
        && !hung_up(end)
        && end.by.as_deref() != Some("client")
        && end.id > first.row.id
    {
        let how = match end.kind.as_str() {
            "exit" => end.exit.to_string(),
            _ => "closed the connection".to_string(),
        };
        let open = crate::report::plural(stuck.len() as u64, "request");
        let handshake = if is_handshake(&first.row) { ": the handshake was never answered" } else { "" };
        let (at, first) = (at(end.at_us), &first.row);
        let text = format!(
            "the server {how}{at} with {open} of the client open, {} {} first{handshake}",
            label(first),
            title(first)
        );
        return pattern('b', "server-dead", &[], text);
    }
    let last = facts.last_message("server");
    let after = last.map_or(0, |unit| unit.id);
    let mut waiting = facts.stuck_of("client").filter(|waiting| waiting.row.id > after);
    let first = waiting.next()?;
    let gave_up = facts.ending().is_some_and(hung_up) && waiting.next().is_none();
    // One request that its client gave up on does not show that the server was dead.
    if first.age_us? < facts.stuck_after_us || gave_up {
        return None;
    }
    let since =
        last.map_or("from the first line on".to_string(), |unit| format!("after line {}{}", unit.line, at(unit.at_us)));
    let text = format!(
        "no message of any kind came from the server {since}, though {} was asked: dead or silent",
        label(&first.row)
    );
    pattern('b', "server-silent", &[], text)
}

/// (b) The client gave up the handshake, or the connection ended without an answer to it, and no later one was answered.
fn no_handshake(facts: &Facts) -> Option<Pattern> {
    let ended = facts.ending().is_some() || facts.connection.complete_tail;
    let open = facts.waiting_of("client").into_iter().find(|waiting| is_handshake(&waiting.row))?;
    let row = &open.row;
    let answered = |other: &ExchangeRow| other.method == row.method && other.response_id.is_some();
    if facts.around.iter().any(answered) || !(ended || facts.was_cancelled(row.id)) {
        return None;
    }
    let waited = open.age_us.map_or(String::new(), |us| format!(" in {}", duration(us)));
    let gave_up = if facts.was_cancelled(row.id) { ", and the client gave up" } else { "" };
    let text = format!("the handshake ({} {}) was never answered{waited}{gave_up}", label(row), title(row));
    pattern('b', "no-handshake", &[row], text)
}

/// (c) Everything after one slow request waited for it: it shows life, or was answered at last, and the rest then too.
fn head_of_line(facts: &Facts) -> Option<Pattern> {
    let requests: Vec<&ExchangeRow> = facts.around.iter().filter(|row| row.issuer == "client").collect();
    let waiting: HashMap<i64, &Waiting> = facts.stuck_of("client").map(|waiting| (waiting.row.id, waiting)).collect();
    for (index, head) in requests.iter().enumerate() {
        let later = &requests[index + 1..];
        let stuck = waiting.get(&head.id);
        let behind: Vec<&&ExchangeRow> = match (head.response_id, stuck) {
            (Some(answer), _) if head.latency_us.is_some_and(|us| us >= facts.stuck_after_us) => {
                let meanwhile: Vec<_> = later.iter().filter(|row| row.id < answer).collect();
                let waited = |row: &&&&ExchangeRow| row.response_id.is_some_and(|response| response > answer);
                if meanwhile.iter().filter(waited).count() < meanwhile.len() {
                    continue;
                }
                meanwhile
            }
            (None, Some(waiting)) => {
                let next = later.first().map_or(i64::MAX, |row| row.id);
                let alive = waiting.signs.iter().any(|sign| sign.id > next);
                if !alive || later.iter().any(|row| row.response_id.is_some()) {
                    continue;
                }
                later.iter().collect()
            }
            _ => continue,
        };
        if behind.len() < 2 {
            continue;
        }
        let slow = head
            .latency_us
            .or(stuck.and_then(|waiting| waiting.age_us))
            .map_or(String::new(), |us| format!(" for {}", duration(us)));
        let text = format!(
            "everything after {} {} waits behind it{slow}: {} requests",
            label(head),
            title(head),
            behind.len()
        );
        return pattern('c', "head-of-line", &[head], text);
    }
    None
}

/// (h) From some moment on nothing that the client asks is answered, although the server goes on talking.
fn unanswered_from_here_on(facts: &Facts) -> Option<Pattern> {
    let answers =
        |unit: &&UnitRow| matches!(unit.kind.as_str(), "result" | "error") && unit.sender.as_deref() == Some("server");
    let last = facts.units.iter().rev().find(answers).map_or(0, |unit| unit.id);
    let after: Vec<&Waiting> = facts.stuck_of("client").filter(|waiting| waiting.row.id > last).collect();
    let [first, _, ..] = after[..] else { return None };
    if after.iter().any(|waiting| !waiting.signs.is_empty()) || first.age_us? < facts.stuck_after_us {
        return None;
    }
    let talks = facts
        .units
        .iter()
        .find(|unit| unit.id > first.row.id && is_message(unit) && unit.sender.as_deref() == Some("server"))?;
    let text = format!(
        "from {} on nothing that the client asks is answered, though the server still talks (line {}): the session may have expired",
        label(&first.row),
        talks.line
    );
    pattern('h', "session-expired", &[], text)
}

/// (d) Only one tool or method hangs; others asked later were answered.
fn one_tool(facts: &Facts) -> Option<Pattern> {
    let stuck: Vec<&ExchangeRow> = facts.stuck_of("client").map(|waiting| &waiting.row).collect();
    let first = *stuck.first()?;
    let same = |row: &ExchangeRow| row.method == first.method && row.name == first.name;
    let answered = |row: &&ExchangeRow| row.id > first.id && row.issuer == "client" && row.response_id.is_some();
    if !stuck.iter().all(|row| same(row)) || facts.around.iter().filter(answered).any(same) {
        return None;
    }
    let other = facts.around.iter().filter(answered).find(|row| !same(row))?;
    let text = format!("only {} hangs: {} {} was asked later and answered", title(first), label(other), title(other));
    pattern('d', "one-tool", &stuck, text)
}

/// How long after a cancel its request still showed work, by an answer that is none to the cancel, or by progress.
pub fn worked_on(cancel: &Cancelled) -> Option<i64> {
    let row = &cancel.row;
    let sent = row.sent_at_us?;
    let answered = matches!(row.effect.as_deref(), Some("result" | "partial" | "error"));
    let late = row.effect_at_us.filter(|_| answered);
    let signs = cancel.signs.iter().filter(|sign| sign.id > row.message_id).filter_map(|sign| sign.at_us);
    signs.chain(late).max().map(|at| at.saturating_sub(sent))
}

/// (e) A cancel was sent and the server worked on.
fn kept_working(facts: &Facts) -> Option<Pattern> {
    let least = |cancel: &Cancelled| if Judged::of(&cancel.row).defied() { KEPT_WORKING_US } else { KEPT_ON_US };
    let objected = |cancel: &&Cancelled| !matches!(Judged::of(&cancel.row), Judged::Nothing | Judged::Fault(_));
    let counted = facts.cancels.iter().filter(|cancel| cancel.row.sender == "client").filter(objected);
    let worst = counted.filter(|cancel| worked_on(cancel).is_some_and(|us| us >= least(cancel)));
    let worst = worst.max_by_key(|cancel| worked_on(cancel))?;
    let exchange = worst.exchange.as_ref()?;
    let us = worked_on(worst)?;
    let text =
        format!("{} {} was cancelled, and the server worked on for {}", label(exchange), title(exchange), duration(us));
    pattern('e', "kept-working", &[exchange], text)
}

/// (f) The client hung up on an open request without cancelling it.
fn gave_up(facts: &Facts) -> Option<Pattern> {
    let end = facts.ending().filter(|unit| unit.by.as_deref() == Some("client"))?;
    let open =
        facts.stuck_of("client").find(|waiting| !facts.was_cancelled(waiting.row.id) && waiting.row.id < end.id)?;
    let text = format!("the client closed{} with {} open, and never cancelled it", at(end.at_us), label(&open.row));
    pattern('f', "gave-up-without-cancel", &[&open.row], text)
}
