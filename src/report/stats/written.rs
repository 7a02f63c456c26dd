//! The figures as tables for people, as JSON and as CSV.

use std::io::{self, Write};

use serde::Serialize;

use super::Stats;
use crate::number::{self, duration};
use crate::report::columns::{Lean, Table, hang};
use crate::report::escape::json;
use crate::report::query::{Csv, RowFormat};
use crate::report::{Ink, Style};
use crate::store::Cell;

/// Rows of a table on a screen; JSON and CSV have all.
const ROWS: usize = 40;

/// Columns from which a table of cancels has room for methods and tools.
const WIDE: usize = 100;

/// The columns of what becomes of cancels, in the order of `CancelStats::effects`.
const EFFECTS: [&str; 8] = ["silent", "ack", "due", "crossed", "moot", "wrong", "open", "void"];

impl Stats {
    /// `--format json`: one document.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        // Row by row: a log with many names has a document of many megabytes.
        write!(out, "{{\"v\":1,\"latency\":[")?;
        rows(out, self.latency())?;
        write!(out, "],\"cancels\":[")?;
        rows(out, self.cancels.iter())?;
        writeln!(out, "],\"shares\":{}}}", json(&self.shares)?)
    }

    /// `--format table`: two tables.
    pub fn write_human(&self, out: &mut dyn Write, style: &Style) -> io::Result<()> {
        writeln!(out, "{}", style.paint(Ink::Strong, "LATENCY from request to answer"))?;
        lines(out, &self.latency_table(), style)?;
        more(out, self.latency.len())?;
        if self.cancels.is_empty() {
            return writeln!(out, "\nno request was cancelled");
        }
        let head = "CANCELS and what became of them (settle: median to the answer)";
        writeln!(out, "\n{}", style.paint(Ink::Strong, head))?;
        lines(out, &self.cancel_table(style), style)?;
        more(out, self.cancels.len())?;
        match &self.shares {
            Some(shares) => hang(&shares.told(), style.wrap_at()).iter().try_for_each(|line| writeln!(out, "{line}")),
            None => Ok(()),
        }
    }

    fn latency_table(&self) -> Table {
        let head = [("side", Lean::Left), ("request", Lean::Left), ("n", Lean::Right), ("errors", Lean::Right)];
        let tail = ["open", "p50", "p95", "p99", "max"].map(|name| (name, Lean::Right));
        let mut table = Table::new(head.into_iter().chain(tail));
        for row in self.latency().take(ROWS) {
            let title = row.name.as_ref().map_or(row.method.clone(), |name| format!("{} {name}", row.method));
            let figures = [row.requests, row.errors, row.unanswered].map(number::count);
            let times = [row.p50_us, row.p95_us, row.p99_us, row.max_us].map(us);
            table.row([row.side.to_string(), title].into_iter().chain(figures).chain(times).collect());
        }
        table
    }

    /// What became of no cancel has no column, and a count of nothing is a dot: what did happen is seen.
    fn cancel_table(&self, style: &Style) -> Table {
        let shown = &self.cancels[..self.cancels.len().min(ROWS)];
        let any = |index: usize| shown.iter().any(|row| row.effects()[index] > 0);
        let seen: Vec<usize> = (0..EFFECTS.len()).filter(|index| any(*index)).collect();
        let words = [("request", Lean::Left), ("reason", Lean::Left), ("n", Lean::Right)];
        let times = ["settle", "wasted"].map(|name| (name, Lean::Right));
        let mut table =
            Table::new(words.into_iter().chain(seen.iter().map(|at| (EFFECTS[*at], Lean::Right))).chain(times));
        for row in shown {
            // Where there is not room for both, a tool tells more than its method.
            let method = row.method.clone().filter(|_| row.name.is_none() || style.wrap_at() >= WIDE);
            let parts = [method, row.name.clone()].into_iter().flatten();
            let words = [parts.collect::<Vec<_>>().join(" "), row.reason.clone().unwrap_or_default()];
            let effects = row.effects();
            let counts =
                seen.iter().map(|at| if effects[*at] == 0 { ".".to_string() } else { number::count(effects[*at]) });
            let wasted = row.work_max_us.map(|_| row.wasted_us);
            let cells = words.into_iter().chain([number::count(row.cancels)]).chain(counts);
            table.row(cells.chain([us(row.settle_p50_us), us(wasted)]).collect());
        }
        table
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
        for row in self.latency() {
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

fn us(value: Option<i64>) -> String {
    value.map_or("-".to_string(), duration)
}

fn rows<R: Serialize>(out: &mut dyn Write, rows: impl Iterator<Item = R>) -> io::Result<()> {
    for (index, row) in rows.enumerate() {
        write!(out, "{}{}", if index > 0 { "," } else { "" }, json(&row)?)?;
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
