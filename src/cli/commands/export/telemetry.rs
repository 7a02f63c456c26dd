//! `export --as otlp`: exchanges as spans, findings as log records.

use std::collections::{BTreeMap, HashMap};

use rpctape::error::{Error, ErrorKind, Result};
use rpctape::report::Otlp;
use rpctape::store::{
    CancellationRow, ConnectionRow, ExchangeFilter, ExchangeRow, FindingFilter, FindingRow, Raw, Store,
};

use crate::cli::screen::io::{Out, written};

/// A chain of requests that serve each other is followed so far.
const DEEP: usize = 32;

/// Spans and records in one line; a collector takes no request of any size.
const FULL: usize = 500;

/// Spans and records of all connections that wait for their line to be full.
const WAITING: usize = 8_192;

/// How much was written.
#[derive(Debug, Default)]
pub struct Count {
    /// Requests.
    pub spans: usize,
    /// Findings.
    pub records: usize,
}

/// Writes the wanted connections, in one pass over their exchanges and one over their findings. What waits is kept for each
/// connection, so that a line is about one; it is little, however many there are.
pub fn write(store: &Store, wanted: &[ConnectionRow], out: &mut Out) -> Result<Count> {
    if wanted.iter().all(|connection| connection.first_at_us.is_none()) {
        return Err(Error::new(ErrorKind::Input, "the messages have no times, and spans need them")
            .hint("--as jsonl writes them in their order"));
    }
    let mut lines = Lines::new(store, wanted, out)?;
    store.exchanges(ExchangeFilter::default(), |row| lines.exchange(&row))?;
    store.findings(&FindingFilter::default(), Raw::None, |row| lines.finding(&row))?;
    lines.write()?;
    Ok(lines.count)
}

/// The lines that are being filled.
struct Lines<'a> {
    store: &'a Store,
    out: &'a mut Out,
    /// By connection: its place among the wanted ones, which is the order of what is written together.
    places: HashMap<&'a str, usize>,
    open: BTreeMap<usize, Otlp<'a>>,
    wanted: &'a [ConnectionRow],
    cancels: HashMap<i64, Vec<CancellationRow>>,
    waiting: usize,
    count: Count,
}

impl<'a> Lines<'a> {
    fn new(store: &'a Store, wanted: &'a [ConnectionRow], out: &'a mut Out) -> Result<Lines<'a>> {
        let mut cancels: HashMap<i64, Vec<CancellationRow>> = HashMap::new();
        store.each_cancellation(|cancel| {
            if let Some(exchange) = cancel.exchange_id {
                cancels.entry(exchange).or_default().push(cancel);
            }
            Ok(())
        })?;
        let places = wanted.iter().enumerate().map(|(place, row)| (row.key.as_str(), place)).collect();
        let (open, count) = (BTreeMap::new(), Count::default());
        Ok(Lines { store, out, places, open, wanted, cancels, waiting: 0, count })
    }

    fn exchange(&mut self, row: &ExchangeRow) -> Result<()> {
        let Some(place) = self.places.get(row.connection.as_str()).copied() else { return Ok(()) };
        let ancestors = ancestors(self.store, row)?;
        self.count.spans += usize::from(row.sent_at_us.is_some());
        let cancels = self.cancels.get(&row.id).map_or(&[][..], Vec::as_slice);
        let otlp = self.open.entry(place).or_insert_with(|| Otlp::new(&self.wanted[place]));
        otlp.exchange(row, &ancestors, cancels);
        self.took(place)
    }

    fn finding(&mut self, row: &FindingRow) -> Result<()> {
        let Some(place) = self.places.get(row.connection.as_str()).copied() else { return Ok(()) };
        self.count.records += 1;
        let request = row.exchange_id.map(|id| self.store.exchange(id)).transpose()?.flatten();
        let ancestors = request.as_ref().map(|row| ancestors(self.store, row)).transpose()?.unwrap_or_default();
        let request = request.as_ref().filter(|row| row.sent_at_us.is_some());
        let otlp = self.open.entry(place).or_insert_with(|| Otlp::new(&self.wanted[place]));
        otlp.finding(row, request.map(|row| (row, ancestors.last().unwrap_or(row))));
        self.took(place)
    }

    /// One more waits: the line of its connection is written once it is full, and all are once many wait.
    fn took(&mut self, place: usize) -> Result<()> {
        self.waiting += 1;
        match self.open.get_mut(&place) {
            _ if self.waiting >= WAITING => self.write(),
            Some(otlp) if otlp.waiting() >= FULL => {
                self.waiting = self.waiting.saturating_sub(otlp.waiting());
                written(otlp.write(self.out))
            }
            _ => Ok(()),
        }
    }

    /// Writes all that waits.
    fn write(&mut self) -> Result<()> {
        self.waiting = 0;
        let mut open = std::mem::take(&mut self.open);
        open.values_mut().try_for_each(|otlp| written(otlp.write(self.out)))
    }
}

/// The request that this one serves, the one which that serves, and so on.
fn ancestors(store: &Store, row: &ExchangeRow) -> Result<Vec<ExchangeRow>> {
    let mut line: Vec<ExchangeRow> = Vec::new();
    let mut parent = row.parent_id;
    while let (Some(id), true) = (parent, line.len() < DEEP) {
        let Some(row) = store.exchange(id)? else { break };
        parent = row.parent_id;
        line.push(row);
    }
    Ok(line)
}
