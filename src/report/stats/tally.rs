//! Adding up rows: of requests by kind, of cancels by kind and reason.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::{CancelStats, Latency, Shares, Stats, percentile};
use crate::report::judged::Judged;
use crate::store::{CancellationRow, ExchangeRow, SignRow};

/// Side, method, name. A log may have tens of thousands of names: what is kept of each is small.
type Key = (bool, Rc<str>, Option<Box<str>>);
type CancelKey = (String, Option<String>, Option<String>, Option<String>);

/// A kind of request and what was counted of it.
pub(super) type Kind = (Key, Tally);

/// One kind of request.
#[derive(Default)]
pub(super) struct Tally {
    requests: u32,
    errors: u32,
    cancelled: u32,
    unanswered: u32,
    /// Latencies in microseconds.
    values: Vec<i64>,
}

/// A kind whose values are sorted, as a row.
pub(super) fn row(((of_server, method, name), tally): &Kind) -> Latency {
    let at = |percent| percentile(&tally.values, percent);
    Latency {
        side: if *of_server { "server" } else { "client" },
        method: method.to_string(),
        name: name.as_deref().map(String::from),
        requests: tally.requests.into(),
        measured: tally.values.len() as u64,
        errors: tally.errors.into(),
        cancelled: tally.cancelled.into(),
        unanswered: tally.unanswered.into(),
        p50_us: at(50),
        p95_us: at(95),
        p99_us: at(99),
        max_us: at(100),
    }
}

/// Adds up rows.
#[derive(Default)]
pub struct Tallies {
    /// Requests whose work after a cancel was counted: two cancels of one request waste no more than one.
    wasted: BTreeSet<i64>,
    latency: BTreeMap<Key, Tally>,
    /// The methods, each once.
    methods: BTreeSet<Rc<str>>,
    /// Beside the counts: microseconds to the answer, and to the last sign of work.
    cancels: BTreeMap<CancelKey, (CancelStats, Vec<i64>, Vec<i64>)>,
}

impl Tallies {
    /// Counts a request.
    pub fn exchange(&mut self, row: &ExchangeRow) {
        let method = match self.methods.get(row.method.as_str()) {
            Some(method) => Rc::clone(method),
            None => {
                let method: Rc<str> = row.method.as_str().into();
                self.methods.insert(Rc::clone(&method));
                method
            }
        };
        let key = (row.issuer == "server", method, row.name.as_deref().map(Box::from));
        let tally = self.latency.entry(key).or_default();
        tally.requests += 1;
        match row.outcome.as_str() {
            "error" => tally.errors += 1,
            "cancelled" | "silent" => tally.cancelled += 1,
            "unanswered" => tally.unanswered += 1,
            _ => {}
        }
        if let Some(us) = row.latency_us {
            if tally.values.len() == tally.values.capacity() {
                // Most kinds are rare: room for a half more, and no more than that.
                tally.values.reserve_exact(1 + tally.values.len() / 2);
            }
            tally.values.push(us);
        }
    }

    /// Counts a cancel, with the request that it hits and that one's progress.
    pub fn cancel(&mut self, row: &CancellationRow, exchange: Option<&ExchangeRow>, signs: &[SignRow]) {
        let name = exchange.and_then(|exchange| exchange.name.clone());
        let key = (row.sender.clone(), row.target_method.clone(), name, row.reason.clone());
        let (stats, values, works) = self.cancels.entry(key).or_default();
        stats.cancels += 1;
        let (work, went_on) = (work_us(row, signs), row.effect.as_deref() == Some("silent"));
        let judged = Judged::of(row);
        // Where work went on, silence is not what came of a cancel, also where no rule can tell more.
        let went_on = went_on && work.is_some_and(|us| us > 0);
        let unproven = went_on || matches!(judged, Judged::Crossed | Judged::Undecided);
        let work = work.filter(|_| exchange.is_none_or(|exchange| self.wasted.insert(exchange.id)));
        let place = match row.effect.as_deref() {
            Some("moot") => &mut stats.moot,
            Some("unsettled") => &mut stats.unsettled,
            Some("silent" | "acknowledged" | "result" | "partial" | "error") if judged.defied() => &mut stats.ignored,
            Some("silent" | "acknowledged" | "result" | "partial" | "error") if unproven => &mut stats.crossed,
            Some("silent") => &mut stats.silent,
            Some("acknowledged") => &mut stats.acknowledged,
            Some("result" | "partial" | "error") => &mut stats.answered,
            _ => &mut stats.void,
        };
        *place += 1;
        values.extend(row.settle_us);
        works.extend(work);
        stats.wasted_us += work.unwrap_or(0);
    }

    /// The figures, the most frequent first.
    pub fn into_stats(self) -> Stats {
        let mut latency: Vec<Kind> = self.latency.into_iter().collect();
        latency.iter_mut().for_each(|(_, tally)| tally.values.sort_unstable());
        // A sort in place: keys differ, so that nothing is left to a stable one.
        latency.sort_unstable_by(|(a, one), (b, other)| other.requests.cmp(&one.requests).then_with(|| a.cmp(b)));
        let mut cancels: Vec<CancelStats> = self
            .cancels
            .into_iter()
            .map(|((side, method, name, reason), (stats, mut settles, mut works))| {
                settles.sort_unstable();
                works.sort_unstable();
                let settle = |percent| percentile(&settles, percent);
                let work = |percent| percentile(&works, percent);
                CancelStats {
                    side,
                    method,
                    name,
                    reason,
                    settle_p50_us: settle(50),
                    settle_p95_us: settle(95),
                    settle_p99_us: settle(99),
                    settle_max_us: settle(100),
                    work_p50_us: work(50),
                    work_p95_us: work(95),
                    work_p99_us: work(99),
                    work_max_us: work(100),
                    ..stats
                }
            })
            .collect();
        cancels.sort_by_key(|row| std::cmp::Reverse(row.cancels));
        let shares = Shares::of(&cancels);
        Stats { latency, cancels, shares }
    }
}

/// From the cancel to the last sign of work, where there was any.
fn work_us(row: &CancellationRow, signs: &[SignRow]) -> Option<i64> {
    let sent = row.sent_at_us?;
    let answered = matches!(row.effect.as_deref(), Some("result" | "partial" | "error"));
    let late = row.effect_at_us.filter(|_| answered);
    let after = signs.iter().filter(|sign| sign.id > row.message_id).filter_map(|sign| sign.at_us);
    after.chain(late).max().map(|at| at - sent).filter(|work| *work >= 0)
}
