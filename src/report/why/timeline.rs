//! The timeline: one row a request, one column a span of time.

use super::facts::{Facts, label, title};
use crate::number::duration;
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
pub const LEGEND: &str = "= working  p progress  x cancel  ~ cancelled  ! late  - open  ? end";

/// Lengths that a column may have, in microseconds.
const STEPS: [i64; 10] = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600];

impl Timeline {
    /// The timeline of these requests, or nothing where they have no times.
    pub fn of(facts: &Facts, rows: &[&ExchangeRow], columns: usize) -> Option<Timeline> {
        let end = facts.connection.last_at_us?;
        let from = rows.iter().filter_map(|row| row.sent_at_us).min()?;
        let column_us = column((end - from).max(1), columns.saturating_sub(2).max(1) as i64);
        // One empty column before the first request.
        let from_us = from - from.rem_euclid(column_us) - column_us;
        let width = ((end - from_us) / column_us + 1) as usize;
        let lane = |row: &&ExchangeRow| {
            let place = |at: i64| (((at - from_us) / column_us).max(0) as usize).min(width - 1);
            let letters = letters(&Drawn::of(facts, row), place, width).into_iter().collect();
            Lane { request: label(row), title: title(row), letters }
        };
        Some(Timeline { column_us, from_us, lanes: rows.iter().map(lane).collect() })
    }

    /// `1 column = 10 s`.
    pub fn scale(&self) -> String {
        format!("1 column = {}", duration(self.column_us))
    }
}

/// The least length of a column, in microseconds, with which so many of them hold a span.
pub fn column(span: i64, columns: i64) -> i64 {
    let least = (span / columns + 1).max(1_000);
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
}

/// The first of these cancels that came in time.
pub fn hit<'a>(mut cancels: impl Iterator<Item = &'a CancellationRow>) -> Option<&'a CancellationRow> {
    cancels.find(|cancel| !matches!(cancel.effect.as_deref(), Some("moot" | "unknown-target")))
}

/// One letter a column.
pub fn letters(drawn: &Drawn<'_>, place: impl Fn(i64) -> usize, width: usize) -> Vec<char> {
    let row = drawn.row;
    let mut lane = vec!['.'; width];
    let Some(sent) = row.sent_at_us else { return lane };
    let mut fill = |from: i64, to: i64, letter: char| {
        for cell in &mut lane[place(from)..=place(to.max(from))] {
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
                fill(effect, effect, if cancel.effect.as_deref() == Some("acknowledged") { '=' } else { '!' });
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
