//! `why --at`: everything that was in flight at one moment.

use rpctape::error::{Error, ErrorKind, Result};
use rpctape::report::why::{InFlight, Moment, Told, write_moment, write_moment_json};
use rpctape::store::{ConnectionRow, ExchangeFilter, ExchangeRow, Store};

use super::case::is_called;
use super::{Format, WhyArgs, wanted};
use crate::cli::io::{Out, written};
use crate::cli::moment::{Extent, Span, moment};
use crate::cli::{request_name, shell};

/// Commands that are advised.
const ADVISED: usize = 2;

/// Answers for all connections, those with most in flight first.
pub fn write(out: &mut Out, store: &Store, args: &WhyArgs, (text, stuck_after_us): (&str, i64)) -> Result<()> {
    let connections = store.connections()?;
    let asked = wanted(&connections, args)?;
    let extent = extent(&asked, args)?;
    let span = moment(text, &extent)?;
    let only = only(store, args)?;
    let mut moments = Vec::new();
    let mut flying = Vec::new();
    for row in asked {
        let inside = row
            .first_at_us
            .zip(row.last_at_us)
            .is_some_and(|(first, last)| Extent { first_us: first, last_us: last, ..extent }.meets(span));
        let rows = if inside { in_flight(store, row, span, &only)? } else { Vec::new() };
        let told = rows.iter().filter_map(|row| InFlight::of(row, span.from_us, stuck_after_us)).collect();
        moments.push(Moment::of(row, inside, told));
        flying.extend(rows);
    }
    moments.sort_by_key(|moment| std::cmp::Reverse(moment.in_flight.len()));
    if args.format == Format::Json {
        return written(write_moment_json(out, span.from_us, &moments));
    }
    let next = next(store, args, &flying, connections.len())?;
    let told = Told { at_us: span.from_us, stuck_after_us, next: &next, all: args.all };
    written(write_moment(out, &told, &moments, &args.screen.style(false, false)))
}

/// The time that the connections cover.
fn extent(connections: &[&ConnectionRow], args: &WhyArgs) -> Result<Extent> {
    let first = connections.iter().filter_map(|row| row.first_at_us).min();
    let last = connections.iter().filter_map(|row| row.last_at_us).max();
    let (Some(first_us), Some(last_us)) = (first, last) else {
        let error =
            Error::new(ErrorKind::Input, format!("{} has no times, so there is no moment to ask for", args.file));
        return Err(error.hint("without --at, `rpctape why` tells what hung in the order of the messages"));
    };
    Ok(Extent { first_us, last_us, zone: args.read.tz.unwrap_or(0) })
}

/// What the user asked for beside the moment: one request, or all of a method or tool.
enum Only {
    All,
    Request(i64),
    Called(String),
}

fn only(store: &Store, args: &WhyArgs) -> Result<Only> {
    let Some(what) = &args.what else { return Ok(Only::All) };
    let mut called = false;
    store.exchanges(ExchangeFilter::default(), |row| {
        called |= is_called(&row, what);
        Ok(())
    })?;
    Ok(if called { Only::Called(what.clone()) } else { Only::Request(request_name::find(store, what)?.id) })
}

/// Requests that were sent by then and not yet settled.
fn in_flight(store: &Store, connection: &ConnectionRow, span: Span, only: &Only) -> Result<Vec<ExchangeRow>> {
    let mut rows = Vec::new();
    let filter = ExchangeFilter { connection: Some(connection.id), ..ExchangeFilter::default() };
    store.exchanges(filter, |row| {
        let asked = match only {
            Only::All => true,
            Only::Request(id) => row.id == *id,
            Only::Called(what) => is_called(&row, what),
        };
        if asked && span.meets(row.sent_at_us, row.settled_at_us) {
            rows.push(row);
        }
        Ok(())
    })?;
    Ok(rows)
}

fn next(store: &Store, args: &WhyArgs, flying: &[ExchangeRow], connections: usize) -> Result<Vec<String>> {
    let Some(file) = shell::again(&args.file) else { return Ok(Vec::new()) };
    let how = args.read.typed();
    let mut oldest: Vec<&ExchangeRow> = flying.iter().collect();
    oldest.sort_by_key(|row| row.sent_at_us);
    let mut next = Vec::new();
    for row in oldest.into_iter().take(ADVISED) {
        if let Some(label) = shell::shown(&request_name::unique(store, row, connections)?) {
            next.push(format!("rpctape show {file} {label}{how}"));
        }
    }
    Ok(next)
}
