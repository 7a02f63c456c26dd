//! What only two hops together show: a cancel that was not passed on, work that ran all the same, an answer ahead of the one it rests on,
//! and a patience that ends before that of the hop below.

use std::collections::{BTreeMap, BTreeSet};

use super::super::connection::Connection;
use super::super::hop::HopFault;
use super::super::ledger::Kept;
use super::super::seen::Seen;
use super::call::Call;
use super::links::{Clocks, Link, Linked};

/// How many requests must have been given up at nearly one age for it to be a time-out.
const ALIKE: usize = 3;

/// Why a cancel may stand in no log, though it was sent.
const UNCLAIMED: &str =
    "the log below has an answer or progress to a request that it does not show, and may lack a cancel as well";

/// A fault, its requests by their places in the list of calls.
pub(super) struct FaultFound {
    pub fault: HopFault,
    pub upper: usize,
    pub lower: usize,
    pub doubt: Option<&'static str>,
}

/// A cancel that reaches a request from above: whose, and when it was at the hop of the request.
#[derive(Clone, Copy)]
struct Stopped {
    root: usize,
    cancel: Seen,
    at_us: i64,
    slack_us: i64,
    doubt: Option<&'static str>,
}

/// All faults, those of the upper hops first.
pub(super) fn all(calls: &[Call], hops: &[Linked], ended: &BTreeMap<u32, Kept>) -> Vec<FaultFound> {
    let mut found = Vec::new();
    let mut stopped: Vec<Option<Stopped>> = vec![None; calls.len()];
    let asks: BTreeSet<usize> = hops.iter().flat_map(|hop| &hop.links).map(|link| link.upper).collect();
    for hop in hops {
        let Some(clocks) = hop.clocks else { continue };
        for link in &hop.links {
            let below = ended.get(&calls[link.lower].connection).map(Kept::connection);
            found.extend(not_forwarded(calls, link, clocks, below));
            stopped[link.lower] = stopped_below(calls, link, clocks, stopped[link.upper]);
            let ran = ran(calls, link.lower, stopped[link.lower], asks.contains(&link.lower));
            // Of the hops below it is said once.
            stopped[link.lower] = stopped[link.lower].filter(|_| ran.is_none());
            found.extend(ran);
        }
        found.extend(answered_ahead(calls, &hop.links, clocks));
        found.extend(outlasted(calls, &hop.links, clocks));
    }
    found
}

fn not_forwarded(calls: &[Call], link: &Link, clocks: Clocks, below: Option<&Connection>) -> Option<FaultFound> {
    let (upper, lower) = (&calls[link.upper], &calls[link.lower]);
    let cancel = upper.given_up()?;
    if lower.may_be_given_up() || clocks.since(cancel.at_us?, lower.sent_us) > clocks.slack_us {
        return None;
    }
    let last = lower.exchange.answer.or(below?.last)?;
    let for_us = clocks.since(cancel.at_us?, last.at_us?);
    let within = (lower.exchange.request.frame, last.frame);
    let fault = HopFault::NotForwarded { cancel, for_us, within };
    let unclaimed = below.is_some_and(|below| below.unclaimed).then_some(UNCLAIMED);
    let doubt = link.doubt.or(unclaimed);
    (for_us > clocks.slack_us).then_some(FaultFound { fault, upper: link.upper, lower: link.lower, doubt })
}

/// The cancel that a request stands under: the own one of the request above, else what that one stands under itself.
fn stopped_below(calls: &[Call], link: &Link, clocks: Clocks, above: Option<Stopped>) -> Option<Stopped> {
    if calls[link.lower].may_be_given_up() {
        return None;
    }
    let own = calls[link.upper].given_up().and_then(|cancel| {
        let at_us = cancel.at_us?;
        Some(Stopped { root: link.upper, cancel, at_us, slack_us: 0, doubt: None })
    });
    own.or(above).map(|stopped| Stopped {
        at_us: stopped.at_us + clocks.later_us,
        slack_us: stopped.slack_us + clocks.slack_us,
        doubt: stopped.doubt.or(link.doubt),
        ..stopped
    })
}

/// A request that was sent after the cancel it stands under, or, where nobody is asked on its behalf, that came to a result after it.
fn ran(calls: &[Call], at: usize, stopped: Option<Stopped>, asks: bool) -> Option<FaultFound> {
    let (stopped, call) = (stopped?, &calls[at]);
    let late = |seen: Seen| {
        let after_us = seen.at_us? - stopped.at_us;
        (after_us > stopped.slack_us).then_some((seen, after_us))
    };
    let result = || call.exchange.answer.filter(|_| !asks && call.has_result());
    let (work, after_us) = late(call.exchange.request).or_else(|| late(result()?))?;
    let fault = HopFault::Ran { cancel: stopped.cancel, work, after_us };
    Some(FaultFound { fault, upper: stopped.root, lower: at, doubt: stopped.doubt })
}

/// Results above that came before any answer below. A request that several serve is answered by the first of them.
fn answered_ahead(calls: &[Call], links: &[Link], clocks: Clocks) -> Vec<FaultFound> {
    let mut first: BTreeMap<usize, Option<(&Link, i64)>> = BTreeMap::new();
    for link in links {
        let here = calls[link.lower].answered_us().map(|us| (link, us));
        let kept = first.entry(link.upper).or_insert(here);
        *kept = match (*kept, here) {
            (Some(one), Some(two)) => Some(if two.1 < one.1 { two } else { one }),
            // One that was never answered may have been answered where the log does not show it.
            _ => None,
        };
    }
    let ahead = first.into_iter().filter_map(|(upper, first)| {
        let (link, answered_us) = first?;
        let (call, answer) = (&calls[upper], calls[upper].exchange.answer?);
        let by_us = clocks.since(answer.at_us?, answered_us);
        let sure = call.has_result() && !call.may_be_given_up() && by_us > clocks.slack_us;
        let fault = HopFault::AnsweredAhead { answer, by_us };
        sure.then_some(FaultFound { fault, upper, lower: link.lower, doubt: link.doubt })
    });
    ahead.collect()
}

/// Where both hops give up by the clock, and the upper one sooner: one fault for each pair of connections.
fn outlasted(calls: &[Call], links: &[Link], clocks: Clocks) -> Vec<FaultFound> {
    let mut pairs: BTreeMap<(u32, u32), Vec<&Link>> = BTreeMap::new();
    for link in links {
        pairs.entry((calls[link.upper].connection, calls[link.lower].connection)).or_default().push(link);
    }
    pairs.into_values().filter_map(|links| outlasted_by(calls, &links, clocks)).collect()
}

fn outlasted_by(calls: &[Call], links: &[&Link], clocks: Clocks) -> Option<FaultFound> {
    // A cancel below that follows one above was passed on; it says nothing of the patience below.
    let own = |link: &&&Link| {
        let below = calls[link.lower].given_up_us();
        let above = calls[link.upper].given_up_us();
        below.is_some_and(|below| above.is_none_or(|above| clocks.since(above, below).abs() > clocks.slack_us))
    };
    let above = patience(calls, links.iter().map(|link| link.upper))?;
    let below = patience(calls, links.iter().filter(own).map(|link| link.lower))?;
    let shows = |link: &&&Link| calls[link.upper].given_up().is_some() && own(link);
    let link = links.iter().find(shows)?;
    let cancels = (calls[link.upper].given_up()?, calls[link.lower].given_up()?);
    let fault = HopFault::Outlasted { cancels, after_us: (above, below) };
    (below - above > clocks.slack_us).then_some(FaultFound {
        fault,
        upper: link.upper,
        lower: link.lower,
        doubt: link.doubt,
    })
}

/// The age at which requests are given up, where it is a time-out: the cancels say so, or they come at one age.
fn patience(calls: &[Call], of: impl Iterator<Item = usize>) -> Option<i64> {
    let given_up = of.filter_map(|at| {
        let call = &calls[at];
        let says = call.exchange.cancel().and_then(|cancel| cancel.reason.as_deref()).is_some_and(says_time_out);
        Some((call.given_up_us()? - call.sent_us, says))
    });
    let mut ages: Vec<(i64, bool)> = given_up.collect();
    ages.sort_unstable();
    let age = ages.get(ages.len() / 2)?.0;
    let near = ages.iter().filter(|(other, _)| (other - age).abs() * 20 <= age).count();
    (ages.iter().all(|(_, says)| *says) || near >= ALIKE && near == ages.len()).then_some(age)
}

fn says_time_out(reason: &str) -> bool {
    let reason = reason.to_lowercase();
    ["timeout", "time-out", "timed out", "deadline"].iter().any(|word| reason.contains(word))
}
