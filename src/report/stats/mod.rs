//! `stats`: latency by method, tool and side, and what became of cancels by method, tool and reason.
//!
//! A percentile is by nearest rank: of `n` sorted values, p is the one at place `ceil(n * p / 100)`. No value is made
//! up between two that were measured.

mod tally;
mod written;

use serde::Serialize;

pub use tally::Tallies;

/// The place of a percentile among so many sorted values, by nearest rank.
fn rank(values: usize, percent: usize) -> usize {
    (values * percent).div_ceil(100).max(1) - 1
}

/// The value at a percentile of sorted values, by nearest rank.
pub fn percentile(sorted: &[i64], percent: usize) -> Option<i64> {
    sorted.get(rank(sorted.len(), percent)).copied()
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
    /// A rule proves that it was not honoured: answered or worked on all the same, or answered in another way than the protocol has for it.
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
    /// How many cancels there are, one for each request that is hit.
    pub cancels: u64,
    /// How many messages did that: a `session/cancel` may hit several requests.
    pub messages: u64,
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
    fn of(rows: &[CancelStats], messages: u64) -> Option<Shares> {
        let sum = |count: fn(&CancelStats) -> u64| rows.iter().map(count).sum::<u64>();
        let cancels = sum(|row| row.cancels);
        let share = |count| (sum(count) as f64 / cancels as f64 * 10_000.0).round() / 10_000.0;
        (cancels > 0).then(|| Shares {
            cancels,
            messages,
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

    /// `of 8 cancels: 50 % honoured, 25 % not honoured, ...`, without what never happened.
    fn told(&self) -> String {
        let words = ["honoured", "acknowledged", "answered", "crossed", "moot", "not honoured", "open", "void"];
        let seen = self.counts.iter().zip(words).filter(|(count, _)| **count > 0);
        let words: Vec<String> =
            seen.map(|(count, word)| format!("{} {word}", percent(*count, self.cancels))).collect();
        let cancels = crate::number::plural(self.cancels, "cancel");
        match self.messages {
            messages if messages == self.cancels => format!("of {cancels}: {}", words.join(", ")),
            messages => {
                let by = crate::number::plural(messages, "message");
                format!("of {cancels} (one for each request that {by} hit): {}", words.join(", "))
            }
        }
    }
}

/// Everything that `stats` shows.
pub struct Stats {
    /// By side, method and name, the most frequent first.
    latency: Vec<tally::Kind>,
    /// By side, method, name and reason.
    cancels: Vec<CancelStats>,
    /// What became of them all, where there are any.
    shares: Option<Shares>,
}

impl Stats {
    /// The rows of requests. A log may have tens of thousands of kinds: each is worked out when it is written.
    fn latency(&self) -> impl Iterator<Item = Latency> {
        self.latency.iter().map(tally::row)
    }
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
