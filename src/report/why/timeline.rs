//! The timeline: one row a request, one column a span of time.

use super::facts::{Facts, label, title};
use crate::number::duration;
use crate::report::judged::Judged;
use crate::report::time;
use crate::store::{CancellationRow, ExchangeRow, SignRow};

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// The request, as screens name it.
    pub request: String,
    /// Method and tool. Text as it stood in the log.
    pub title: String,
    /// One letter a column.
    pub letters: String,
}

/// The rows and the scale that they share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    /// What a column stands for.
    pub column_us: i64,
    /// Time of the first column.
    pub from_us: i64,
    /// The rows.
    pub lanes: Vec<Lane>,
}

/// What the letters mean.
pub const LEGEND: &str = "= working  p progress  x cancel  ~ cancelled  ! wrong  - open  ? end";

/// Lengths that a column may have, in microseconds.
const STEPS: [i64; 10] = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600];

impl Timeline {
    /// The timeline of these requests, or nothing where they have no times.
    pub fn of(facts: &Facts, rows: &[&ExchangeRow], columns: usize) -> Option<Timeline> {
        let drawn: Vec<Drawn<'_>> = rows.iter().map(|row| Drawn::of(facts, row)).collect();
        let from = rows.iter().filter_map(|row| row.sent_at_us).min()?;
        // The last record need not have the newest time.
        let end = drawn.iter().filter_map(Drawn::newest).max().max(facts.connection.last_at_us)?;
        let axis = Axis::new(from, end, columns.saturating_sub(2));
        let lane = |drawn: &Drawn<'_>| {
            let letters = letters(drawn, &axis).into_iter().collect();
            Lane { request: label(drawn.row), title: title(drawn.row), letters }
        };
        Some(Timeline { column_us: axis.column_us, from_us: axis.from_us, lanes: drawn.iter().map(lane).collect() })
    }

    /// `1 column = 10 s`.
    pub fn scale(&self) -> String {
        format!("1 column = {}", duration(self.column_us))
    }

    /// `from 08:00:00`, as fine as its columns are.
    pub fn start(&self) -> String {
        let told = time::clock(self.from_us);
        let whole = told.split_once('.').filter(|_| self.column_us % 1_000_000 == 0);
        format!("from {}", whole.map_or(told.as_str(), |(second, _)| second))
    }
}

/// Which column a time stands in. Times are those of a log, and may be any: the arithmetic on them stops at its limits.
pub struct Axis {
    /// What a column stands for.
    pub column_us: i64,
    /// Time of the first column.
    pub from_us: i64,
    /// How many columns there are.
    pub columns: usize,
}

impl Axis {
    /// An axis from one time to another that has room for so many columns, and an empty one before the first.
    pub fn new(from: i64, to: i64, room: usize) -> Axis {
        let to = to.max(from);
        let column_us = column(to.saturating_sub(from).max(1), room.max(1) as i64);
        let from_us = from.saturating_sub(from.rem_euclid(column_us)).saturating_sub(column_us);
        let columns = (to.saturating_sub(from_us) / column_us) as usize + 1;
        Axis { column_us, from_us, columns }
    }

    /// The column of a time; of one before the first or behind the last, that one.
    pub fn place(&self, us: i64) -> usize {
        let column = us.saturating_sub(self.from_us).max(0) / self.column_us;
        (column as usize).min(self.columns - 1)
    }
}

/// The least length of a column, in microseconds, with which so many of them hold a span.
fn column(span: i64, columns: i64) -> i64 {
    let least = (span / columns).saturating_add(1).max(1_000);
    let units = [1_000, 10_000, 100_000, 1_000_000, 3_600_000_000];
    let steps = units.iter().flat_map(|unit| STEPS.iter().map(move |step| step * unit));
    steps.filter(|step| *step >= least).min().unwrap_or(least)
}

/// What one row is drawn from.
pub struct Drawn<'a> {
    /// The request.
    pub row: &'a ExchangeRow,
    /// True if it never got its answer.
    pub open: bool,
    /// Its progress.
    pub signs: &'a [SignRow],
    /// The cancel that hit it.
    pub cancel: Option<&'a CancellationRow>,
    /// Last time of its connection.
    pub last_us: Option<i64>,
}

impl<'a> Drawn<'a> {
    fn of(facts: &'a Facts, row: &'a ExchangeRow) -> Drawn<'a> {
        let stuck = facts.stuck.iter().find(|waiting| waiting.row.id == row.id);
        let of_row = facts.cancels.iter().map(|cancel| &cancel.row).filter(|cancel| cancel.exchange_id == Some(row.id));
        Drawn {
            row,
            open: stuck.is_some(),
            signs: stuck.map_or(&[], |waiting| &waiting.signs),
            cancel: hit(of_row),
            last_us: facts.connection.last_at_us,
        }
    }

    /// The newest of its times.
    fn newest(&self) -> Option<i64> {
        let cancel = self.cancel.into_iter().flat_map(|cancel| [cancel.sent_at_us, cancel.effect_at_us]);
        let signs = self.signs.iter().map(|sign| sign.at_us);
        [self.row.sent_at_us, self.row.settled_at_us].into_iter().chain(cancel).chain(signs).flatten().max()
    }
}

/// The first of these cancels that came in time.
pub fn hit<'a>(mut cancels: impl Iterator<Item = &'a CancellationRow>) -> Option<&'a CancellationRow> {
    cancels.find(|cancel| !matches!(cancel.effect.as_deref(), Some("moot" | "unknown-target")))
}

/// One letter a column.
pub fn letters(drawn: &Drawn<'_>, axis: &Axis) -> Vec<char> {
    let row = drawn.row;
    let mut lane = vec!['.'; axis.columns];
    let Some(sent) = row.sent_at_us else { return lane };
    let mut fill = |from: i64, to: i64, letter: char| {
        for cell in &mut lane[axis.place(from)..=axis.place(to.max(from))] {
            *cell = letter;
        }
    };
    let end = row.settled_at_us.or(drawn.last_us).unwrap_or(sent);
    let cancelled = drawn.cancel.and_then(|cancel| Some((cancel.sent_at_us?, cancel)));
    match (cancelled, drawn.open) {
        (Some((at, cancel)), _) => {
            fill(sent, at, '=');
            let effect = cancel.effect_at_us.filter(|effect| *effect > at);
            if let Some(effect) = effect {
                fill(at, effect, '~');
                // An answer that no rule objects to is what was due.
                fill(effect, effect, if Judged::of(cancel).defied() { '!' } else { '=' });
            }
            fill(at, at, 'x');
            if drawn.open {
                fill(at, end, '~');
                fill(at, at, 'x');
                fill(end, end, '?');
            }
        }
        (None, true) => {
            let life = drawn.signs.iter().filter_map(|sign| sign.at_us).max();
            fill(sent, end, '-');
            fill(sent, life.unwrap_or(sent), if life.is_some() { '=' } else { '-' });
            drawn.signs.iter().filter_map(|sign| sign.at_us).for_each(|at| fill(at, at, 'p'));
            fill(end, end, '?');
        }
        (None, false) => {
            fill(sent, end, '=');
            drawn.signs.iter().filter_map(|sign| sign.at_us).for_each(|at| fill(at, at, 'p'));
        }
    }
    lane
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_two_times_have_an_axis() {
        for (from, to) in
            [(5_000_000, 9_000_000), (31_000_000, 0), (i64::MIN, i64::MAX), (i64::MAX, i64::MIN), (-1, -1)]
        {
            for room in [0, 1, 40] {
                let axis = Axis::new(from, to, room);
                assert!((1..=room.max(1) + 2).contains(&axis.columns), "{from} {to} {room} {}", axis.columns);
                for us in [i64::MIN, from, to, 0, i64::MAX] {
                    assert!(axis.place(us) < axis.columns);
                }
            }
        }
    }
}
