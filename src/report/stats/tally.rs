//! Adding up rows: of requests by kind, of cancels by kind and reason.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::{CancelStats, Latency, Shares, Stats, rank};
use crate::report::judged::Judged;
use crate::store::{CancellationRow, ExchangeRow, SignRow};

/// Side, method, name. A log may have tens of thousands of names: what is kept of each is small.
type Key = (bool, Rc<str>, Option<Box<str>>);
type CancelKey = (String, Option<String>, Option<String>, Option<String>);

/// A kind of request and what was counted of it. There may be tens of thousands: the list of them is made while the map is
/// still there, and holds no more than it must.
pub(super) type Kind = (Key, Box<Tally>);

/// One kind of request.
#[derive(Default)]
pub(super) struct Tally {
    requests: u32,
    errors: u32,
    cancelled: u32,
    unanswered: u32,
    latencies: Durations,
}

/// Durations in microseconds. A log may have a million: those up to 71 minutes, which are nearly all, take four bytes.
#[derive(Default)]
struct Durations {
    short: Vec<u32>,
    long: Option<Box<Vec<i64>>>,
}

impl Durations {
    fn push(&mut self, us: i64) {
        match u32::try_from(us) {
            Ok(us) => push(&mut self.short, us),
            Err(_) => push(self.long.get_or_insert_default(), us),
        }
    }

    fn len(&self) -> usize {
        self.short.len() + self.long().len()
    }

    fn sort(&mut self) {
        self.short.sort_unstable();
        self.long.iter_mut().for_each(|long| long.sort_unstable());
    }

    fn long(&self) -> &[i64] {
        self.long.as_deref().map_or(&[], Vec::as_slice)
    }

    /// The value at a percentile of what was sorted. None is negative: a clock that was set back measures nothing.
    fn percentile(&self, percent: usize) -> Option<i64> {
        let place = rank(self.len(), percent);
        let short = self.short.get(place).map(|us| i64::from(*us));
        short.or_else(|| self.long().get(place.checked_sub(self.short.len())?).copied())
    }
}

/// Adds a value. Most kinds are rare: room for a half more, and no more than that.
fn push<T>(values: &mut Vec<T>, value: T) {
    if values.len() == values.capacity() {
        values.reserve_exact(1 + values.len() / 2);
    }
    values.push(value);
}

/// A kind whose values are sorted, as a row.
pub(super) fn row(((of_server, method, name), tally): &Kind) -> Latency {
    let at = |percent| tally.latencies.percentile(percent);
    Latency {
        side: if *of_server { "server" } else { "client" },
        method: method.to_string(),
        name: name.as_deref().map(String::from),
        requests: tally.requests.into(),
        measured: tally.latencies.len() as u64,
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
    latency: BTreeMap<Key, Box<Tally>>,
    /// Messages that cancel, and the last of them: the rows of one stand together.
    messages: (u64, Option<i64>),
    /// The methods, each once.
    methods: BTreeSet<Rc<str>>,
    /// Beside the counts: microseconds to the answer, and to the last sign of work.
    cancels: BTreeMap<CancelKey, (CancelStats, Durations, Durations)>,
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
            tally.latencies.push(us);
        }
    }

    /// Counts a cancel, with the request that it hits and that one's progress.
    pub fn cancel(&mut self, row: &CancellationRow, exchange: Option<&ExchangeRow>, signs: &[SignRow]) {
        if self.messages.1.replace(row.message_id) != Some(row.message_id) {
            self.messages.0 += 1;
        }
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
        row.settle_us.into_iter().for_each(|us| values.push(us));
        work.into_iter().for_each(|us| works.push(us));
        stats.wasted_us += work.unwrap_or(0);
    }

    /// The figures, the most frequent first.
    pub fn into_stats(self) -> Stats {
        let mut latency: Vec<Kind> = self.latency.into_iter().collect();
        latency.iter_mut().for_each(|(_, tally)| tally.latencies.sort());
        // A sort in place: keys differ, so that nothing is left to a stable one.
        latency.sort_unstable_by(|(a, one), (b, other)| other.requests.cmp(&one.requests).then_with(|| a.cmp(b)));
        let mut cancels: Vec<CancelStats> = self
            .cancels
            .into_iter()
            .map(|((side, method, name, reason), (stats, mut settles, mut works))| {
                settles.sort();
                works.sort();
                let settle = |percent| settles.percentile(percent);
                let work = |percent| works.percentile(percent);
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
        let shares = Shares::of(&cancels, self.messages.0);
        Stats { latency, cancels, shares }
    }
}

/// From the cancel to the last sign of work in the log's order, where there was any.
fn work_us(row: &CancellationRow, signs: &[SignRow]) -> Option<i64> {
    let sent = row.sent_at_us?;
    let answered = matches!(row.effect.as_deref(), Some("result" | "partial" | "error"));
    let late = row.effect_message_id.filter(|_| answered).map(|id| (id, row.effect_at_us));
    let signs = signs.iter().map(|sign| (sign.id, sign.at_us)).filter(|(id, _)| *id > row.message_id);
    let (_, last) = signs.chain(late).filter(|(_, at)| at.is_some()).max()?;
    last.map(|at| at - sent).filter(|work| *work >= 0)
}
