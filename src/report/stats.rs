//! `stats`: latency by method, tool and side, and what became of cancels by method, tool and reason.
//!
//! A percentile is by nearest rank: of `n` sorted values, p is the one at place `ceil(n * p / 100)`. No value is made
//! up between two that were measured.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::rc::Rc;

use serde::Serialize;

use super::columns::{Lean, Table};
use super::escape::json;
use super::judged::Judged;
use super::query::{Csv, RowFormat};
use super::{Ink, Style, number};
use crate::number::duration;
use crate::store::{CancellationRow, Cell, ExchangeRow, SignRow};

/// The value at a percentile of sorted values, by nearest rank.
pub fn percentile(sorted: &[i64], percent: usize) -> Option<i64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

/// Latency of one kind of request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Latency {
    /// Who asked.
    pub side: &'static str,
    /// Method.
    pub method: String,
    /// Tool or command.
    pub name: Option<String>,
    /// Requests.
    pub requests: u64,
    /// Those that were answered and have times.
    pub measured: u64,
    /// Answered with an error.
    pub errors: u64,
    /// Answered as cancelled, or cancelled and silent.
    pub cancelled: u64,
    /// Never answered.
    pub unanswered: u64,
    /// Microseconds from request to answer.
    pub p50_us: Option<i64>,
    /// 95 of 100 were faster or equal.
    pub p95_us: Option<i64>,
    /// 99 of 100 were faster or equal.
    pub p99_us: Option<i64>,
    /// The slowest.
    pub max_us: Option<i64>,
}

/// What became of one kind of cancel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CancelStats {
    /// Who cancelled.
    pub side: String,
    /// Method of the request.
    pub method: Option<String>,
    /// Tool or command.
    pub name: Option<String>,
    /// Reason, as given.
    pub reason: Option<String>,
    /// Cancels.
    pub cancels: u64,
    /// Honoured: nothing came, and nothing was due.
    pub silent: u64,
    /// Answered with the cancelled code.
    pub acknowledged: u64,
    /// Answered otherwise, and no rule objects: the protocol asks for an answer, or lets it stand.
    pub answered: u64,
    /// Answered or worked on, and the messages may have crossed, or the log cannot tell.
    pub crossed: u64,
    /// Answered before the cancel.
    pub moot: u64,
    /// A rule proves that it was not honoured: answered or worked on all the same.
    pub ignored: u64,
    /// An answer was due and the log ends.
    pub unsettled: u64,
    /// Named no request.
    pub void: u64,
    /// Microseconds from cancel to answer.
    pub settle_p50_us: Option<i64>,
    /// 95 of 100 were faster or equal.
    pub settle_p95_us: Option<i64>,
    /// 99 of 100 were faster or equal.
    pub settle_p99_us: Option<i64>,
    /// The slowest.
    pub settle_max_us: Option<i64>,
    /// Microseconds from cancel to the last sign of work (progress, or an answer that is none to the cancel), where there was any.
    pub work_p50_us: Option<i64>,
    /// 95 of 100 were shorter or equal.
    pub work_p95_us: Option<i64>,
    /// 99 of 100 were shorter or equal.
    pub work_p99_us: Option<i64>,
    /// The longest.
    pub work_max_us: Option<i64>,
    /// All of that together: work that nobody wanted any more.
    pub wasted_us: i64,
}

impl CancelStats {
    /// The counts of the eight things that become of a cancel, in the order of their columns.
    fn effects(&self) -> [u64; 8] {
        let CancelStats { silent, acknowledged, answered, crossed, moot, ignored, unsettled, void, .. } = self;
        [*silent, *acknowledged, *answered, *crossed, *moot, *ignored, *unsettled, *void]
    }
}

/// What became of all cancels, as parts of 1 with four decimals.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Shares {
    /// How many cancels there are.
    pub cancels: u64,
    /// Nothing came, and nothing was due.
    pub honoured: f64,
    /// Answered with the cancelled code.
    pub acknowledged: f64,
    /// Answered otherwise, and no rule objects.
    pub answered: f64,
    /// Answered or worked on, and the messages may have crossed, or the log cannot tell.
    pub crossed: f64,
    /// Answered before the cancel.
    pub moot: f64,
    /// A rule proves that it was not honoured.
    pub ignored: f64,
    /// An answer was due and the log ends.
    pub unsettled: f64,
    /// Named no request.
    pub void: f64,
    /// The counts of the eight, in this order.
    #[serde(skip)]
    counts: [u64; 8],
}

/// A part of a whole, never rounded to nothing or to all.
fn percent(part: u64, whole: u64) -> String {
    let share = part as f64 * 100.0 / whole as f64;
    match share {
        _ if part == whole => "100 %".to_string(),
        share if share < 0.1 => "<0.1 %".to_string(),
        share if share > 99.9 => ">99.9 %".to_string(),
        share if !(10.0..99.0).contains(&share) => format!("{share:.1} %"),
        share => format!("{share:.0} %"),
    }
}

impl Shares {
    fn of(rows: &[CancelStats]) -> Option<Shares> {
        let sum = |count: fn(&CancelStats) -> u64| rows.iter().map(count).sum::<u64>();
        let cancels = sum(|row| row.cancels);
        let share = |count| (sum(count) as f64 / cancels as f64 * 10_000.0).round() / 10_000.0;
        (cancels > 0).then(|| Shares {
            cancels,
            honoured: share(|row| row.silent),
            acknowledged: share(|row| row.acknowledged),
            answered: share(|row| row.answered),
            crossed: share(|row| row.crossed),
            moot: share(|row| row.moot),
            ignored: share(|row| row.ignored),
            unsettled: share(|row| row.unsettled),
            void: share(|row| row.void),
            counts: [
                sum(|row| row.silent),
                sum(|row| row.acknowledged),
                sum(|row| row.answered),
                sum(|row| row.crossed),
                sum(|row| row.moot),
                sum(|row| row.ignored),
                sum(|row| row.unsettled),
                sum(|row| row.void),
            ],
        })
    }

    /// `of 8 cancels: 50 % honoured, 25 % ignored, ...`, without what never happened.
    fn told(&self) -> String {
        let words = ["honoured", "acknowledged", "answered", "crossed", "moot", "ignored", "open", "void"];
        let seen = self.counts.iter().zip(words).filter(|(count, _)| **count > 0);
        let words: Vec<String> =
            seen.map(|(count, word)| format!("{} {word}", percent(*count, self.cancels))).collect();
        format!("of {}: {}", super::plural(self.cancels, "cancel"), words.join(", "))
    }
}

/// Everything that `stats` shows.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// Version of this document.
    pub v: u8,
    /// By side, method and name.
    pub latency: Vec<Latency>,
    /// By side, method, name and reason.
    pub cancels: Vec<CancelStats>,
    /// What became of them all, where there are any.
    pub shares: Option<Shares>,
}

/// Side, method, name. A log may have tens of thousands of names: what is kept of each is small.
type Key = (bool, Rc<str>, Option<Box<str>>);
type CancelKey = (String, Option<String>, Option<String>, Option<String>);

/// Rows of a table on a screen; JSON and CSV have all.
const ROWS: usize = 40;

/// One kind of request.
#[derive(Default)]
struct Tally {
    requests: u32,
    errors: u32,
    cancelled: u32,
    unanswered: u32,
    /// Latencies in microseconds.
    values: Vec<i64>,
}

impl Tally {
    fn into_row(self, (of_server, method, name): Key) -> Latency {
        let Tally { requests, errors, cancelled, unanswered, mut values } = self;
        values.sort_unstable();
        let at = |percent| percentile(&values, percent);
        Latency {
            side: if of_server { "server" } else { "client" },
            method: method.to_string(),
            name: name.map(String::from),
            requests: requests.into(),
            measured: values.len() as u64,
            errors: errors.into(),
            cancelled: cancelled.into(),
            unanswered: unanswered.into(),
            p50_us: at(50),
            p95_us: at(95),
            p99_us: at(99),
            max_us: at(100),
        }
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
        let mut latency: Vec<Latency> = self.latency.into_iter().map(|(key, tally)| tally.into_row(key)).collect();
        latency.sort_by_key(|row| std::cmp::Reverse(row.requests));
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
        Stats { v: 1, latency, cancels, shares }
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

impl Stats {
    /// `--format json`: one document.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        // Row by row: a log with many names has a document of many megabytes.
        write!(out, "{{\"v\":{},\"latency\":[", self.v)?;
        rows(out, &self.latency)?;
        write!(out, "],\"cancels\":[")?;
        rows(out, &self.cancels)?;
        writeln!(out, "],\"shares\":{}}}", json(&self.shares)?)
    }

    /// `--format table`: two tables.
    pub fn write_human(&self, out: &mut dyn Write, style: &Style) -> io::Result<()> {
        let us = |value: Option<i64>| value.map_or("-".to_string(), duration);
        let head = [("side", Lean::Left), ("request", Lean::Left), ("n", Lean::Right), ("errors", Lean::Right)];
        let tail = ["open", "p50", "p95", "p99", "max"].map(|name| (name, Lean::Right));
        let mut table = Table::new(head.into_iter().chain(tail));
        for row in self.latency.iter().take(ROWS) {
            let title = row.name.as_ref().map_or(row.method.clone(), |name| format!("{} {name}", row.method));
            let figures = [row.requests, row.errors, row.unanswered].map(number::count);
            let times = [row.p50_us, row.p95_us, row.p99_us, row.max_us].map(us);
            table.row([row.side.to_string(), title].into_iter().chain(figures).chain(times).collect());
        }
        writeln!(out, "{}", style.paint(Ink::Strong, "LATENCY from request to answer"))?;
        lines(out, &table, style)?;
        more(out, self.latency.len())?;
        if self.cancels.is_empty() {
            return writeln!(out, "\nno request was cancelled");
        }
        let words = [("request", Lean::Left), ("reason", Lean::Left), ("n", Lean::Right)];
        let effects = ["silent", "ack", "due", "crossed", "moot", "ignored", "open", "void", "settle", "wasted"]
            .map(|name| (name, Lean::Right));
        let mut table = Table::new(words.into_iter().chain(effects));
        for row in self.cancels.iter().take(ROWS) {
            let parts = [row.method.clone(), row.name.clone()].into_iter().flatten();
            let title = parts.collect::<Vec<_>>().join(" ");
            let counts = [row.cancels].into_iter().chain(row.effects());
            let wasted = if row.work_max_us.is_some() { duration(row.wasted_us) } else { "-".to_string() };
            let words = [title, row.reason.clone().unwrap_or_default()];
            table.row(
                words.into_iter().chain(counts.map(number::count)).chain([us(row.settle_p50_us), wasted]).collect(),
            );
        }
        writeln!(
            out,
            "\n{}",
            style.paint(Ink::Strong, "CANCELS and what became of them (settle: median to the answer)")
        )?;
        lines(out, &table, style)?;
        more(out, self.cancels.len())?;
        match &self.shares {
            Some(shares) => writeln!(out, "{}", shares.told()),
            None => Ok(()),
        }
    }

    /// `--format csv`: one table, the cancels in rows of their own kind.
    pub fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let columns = [
            "kind",
            "side",
            "method",
            "name",
            "reason",
            "n",
            "errors",
            "cancelled",
            "unanswered",
            "p50_us",
            "p95_us",
            "p99_us",
            "max_us",
            "silent",
            "acknowledged",
            "answered",
            "crossed",
            "moot",
            "ignored",
            "unsettled",
            "void",
            "wasted_us",
            "work_p50_us",
            "work_p95_us",
            "work_p99_us",
            "work_max_us",
        ];
        let mut csv = Csv;
        csv.head(out, &columns.map(str::to_string))?;
        for row in &self.latency {
            let words = [Some("latency"), Some(row.side), Some(&row.method), row.name.as_deref(), None];
            let counts = [row.requests, row.errors, row.cancelled, row.unanswered].map(|n| Some(n as i64));
            let times = [row.p50_us, row.p95_us, row.p99_us, row.max_us];
            csv.row(out, &cells(&words, &counts, &times, &[None; 13]))?;
        }
        for row in &self.cancels {
            let words = [
                Some("cancel"),
                Some(row.side.as_str()),
                row.method.as_deref(),
                row.name.as_deref(),
                row.reason.as_deref(),
            ];
            let counts = [Some(row.cancels as i64), None, None, None];
            let times = [row.settle_p50_us, row.settle_p95_us, row.settle_p99_us, row.settle_max_us];
            let mut rest = row.effects().map(|n| Some(n as i64)).to_vec();
            rest.push(row.work_max_us.map(|_| row.wasted_us));
            rest.extend([row.work_p50_us, row.work_p95_us, row.work_p99_us, row.work_max_us]);
            csv.row(out, &cells(&words, &counts, &times, &rest))?;
        }
        csv.finish(out)
    }
}

fn rows<R: Serialize>(out: &mut dyn Write, rows: &[R]) -> io::Result<()> {
    for (index, row) in rows.iter().enumerate() {
        write!(out, "{}{}", if index > 0 { "," } else { "" }, json(row)?)?;
    }
    Ok(())
}

fn cells<'a>(
    words: &[Option<&'a str>],
    counts: &[Option<i64>],
    times: &[Option<i64>],
    rest: &[Option<i64>],
) -> Vec<Cell<'a>> {
    let words = words.iter().map(|word| word.map_or(Cell::Null, Cell::Text));
    let numbers = counts.iter().chain(times).chain(rest).map(|n| n.map_or(Cell::Null, Cell::Integer));
    words.chain(numbers).collect()
}

/// That a table has more rows than a screen, and how to see them.
fn more(out: &mut dyn Write, rows: usize) -> io::Result<()> {
    match rows.checked_sub(ROWS).filter(|more| *more > 0) {
        Some(more) => writeln!(out, "and {} more: --format json or csv has all", number::count(more as u64)),
        None => Ok(()),
    }
}

fn lines(out: &mut dyn Write, table: &Table, style: &Style) -> io::Result<()> {
    for line in table.lines(0, style.width) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{percent, percentile};

    #[test]
    fn a_share_is_never_rounded_to_nothing_or_to_all() {
        let told = [(1, 400), (1, 4), (1, 5_000), (4_999, 5_000), (399, 400), (7, 7)]
            .map(|(part, whole)| percent(part, whole));
        assert_eq!(told, ["0.2 %", "25 %", "<0.1 %", ">99.9 %", "99.8 %", "100 %"]);
    }

    #[test]
    fn nearest_rank_is_always_a_measured_value() {
        let values = [10, 20, 30, 40];
        assert_eq!([1, 25, 26, 50, 95, 100].map(|p| percentile(&values, p)), [10, 10, 20, 20, 40, 40].map(Some));
        assert_eq!(percentile(&[], 50), None);
    }
}
