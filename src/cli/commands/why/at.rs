//! `why --at`: everything that was in flight at one moment.

use std::collections::{BTreeMap, BTreeSet};

use rpctape::error::{Error, ErrorKind, Result};
use rpctape::report::time;
use rpctape::report::why::{InFlight, Moment, Told, WINDOW, write_moment, write_moment_json};
use rpctape::store::{ConnectionRow, ExchangeFilter, ExchangeRow};

use super::Asked;
use super::Format;
use super::WhyArgs;
use super::wanted;
use crate::cli::args::moment::{Extent, Span, choices, in_utc, log_zone, moment};
use crate::cli::args::request_name;
use crate::cli::content::case::Case;
use crate::cli::screen::io::{self, Out, written};
use rpctape::report::shell;

/// Commands that are advised.
const ADVISED: usize = 2;

/// Days that are named where a time of day is not enough.
const DAYS: usize = 5;

/// Answers for all connections, those with most in flight first.
pub fn write(out: &mut Out, case: &Case<'_>, args: &WhyArgs, text: &str) -> Result<()> {
    let connections = wanted(&case.connections, args)?;
    let extent = extent(case, args)?;
    let span = named(case, args, &extent, ("--at", text))?;
    let only = only(case, args)?;
    let mut moments = Vec::new();
    let mut flying = Vec::new();
    let mut of = in_flight(case, span, &only)?;
    for connection in connections {
        let inside = covers(connection, &extent, span);
        let mut rows = of.remove(&connection.id).filter(|_| inside).unwrap_or_default();
        case.clean(rows.iter_mut());
        let mut told = Vec::new();
        for row in &rows {
            told.extend(seen(case, row, span.from_us)?);
        }
        moments.push(Moment::of(&case.named(connection), inside, told));
        flying.extend(rows);
    }
    moments.sort_by_key(|moment| std::cmp::Reverse(moment.in_flight.len()));
    if args.format == Format::Json {
        return written(write_moment_json(out, span.from_us, &moments));
    }
    let next = match moments.iter().any(|moment| moment.inside) {
        true => next(case, args, &flying)?,
        false => elsewhere(args, &extent, text).into_iter().collect(),
    };
    let requests = case.connections.iter().map(|row| row.requests).sum();
    let told = Told {
        at_us: span.from_us,
        zone: extent.zone,
        requests,
        stuck_after_us: case.stuck_after_us(),
        next: &next,
        all: args.all,
        some: !matches!(only, Only::All),
    };
    written(write_moment(out, &told, &moments, &args.screen.style(false, false)))
}

/// A request as it stood then. Only one that ever had progress is asked for it.
fn seen(case: &Case<'_>, row: &ExchangeRow, at_us: i64) -> Result<Option<InFlight>> {
    let lives = row.history.contains(['p', 'P']);
    let signs = if lives { case.store.signs_of_life(row.id, WINDOW)? } else { Vec::new() };
    let cancels = case.cancels_of(row)?;
    Ok(InFlight::of(row, signs, &cancels, (at_us, case.stuck_after_us())))
}

fn covers(connection: &ConnectionRow, extent: &Extent, span: Span) -> bool {
    let (Some(first_us), Some(last_us)) = (connection.first_at_us, connection.last_at_us) else { return false };
    Extent { first_us, last_us, ..*extent }.meets(span)
}

/// The time that the connections cover. A time of day is one of the zone in which the log writes its times.
pub fn extent(case: &Case<'_>, args: &WhyArgs) -> Result<Extent> {
    let connections = wanted(&case.connections, args)?;
    let first = connections.iter().filter_map(|row| row.first_at_us).min();
    let last = connections.iter().filter_map(|row| row.last_at_us).max();
    let (Some(first_us), Some(last_us)) = (first, last) else {
        let error =
            Error::new(ErrorKind::Input, format!("{} has no times, so there is no moment to ask for", args.name()));
        return Err(error.hint("without a time, `rpctape why` tells what hung in the order of the messages"));
    };
    let zone = args.read.tz.or(log_zone(case.store)?);
    Ok(Extent { first_us, last_us, zone })
}

/// The moment that a flag names. Where a time of day is on several days, they are listed with what was in flight then.
pub fn named(case: &Case<'_>, args: &WhyArgs, extent: &Extent, (flag, text): (&str, &str)) -> Result<Span> {
    let connections = wanted(&case.connections, args)?;
    let covered = connections.iter().filter_map(|row| row.first_at_us.zip(row.last_at_us));
    let days: BTreeSet<String> =
        covered.flat_map(|(first_us, last_us)| choices(text, &Extent { first_us, last_us, ..*extent })).collect();
    let [first, _, ..] = &days.iter().collect::<Vec<_>>()[..] else {
        return moment(days.first().map_or(text, String::as_str), extent);
    };
    let file = args.again();
    for day in days.iter().take(DAYS) {
        let span = moment(day, extent)?;
        let of = in_flight(case, span, &Only::All)?;
        let inside = connections.iter().filter(|row| covers(row, extent, span));
        let open: usize = inside.filter_map(|row| of.get(&row.id)).map(Vec::len).sum();
        let command = file.as_ref().map(|file| format!("rpctape why {file} {flag} '{day}'{}", args.read.typed()));
        io::say(&format!("  {day}  {open} in flight   {}", command.unwrap_or_default()));
    }
    let more = if days.len() > DAYS { format!(", of which {DAYS} are listed") } else { String::new() };
    let message = format!("the log has {text} on {} days{more}", days.len());
    Err(Error::new(ErrorKind::Usage, message).hint(format!("name the day, too: {flag} '{first}'")))
}

/// From the time on that `--since` names, or the last while of the log. A time later than its end is an error.
pub fn since(case: &Case<'_>, args: &WhyArgs) -> Result<Option<Span>> {
    match (&args.since, args.last) {
        (Some(text), _) => from(case, args, text).map(Some),
        (None, Some(last)) => Ok(Some(Span { from_us: extent(case, args)?.last_us - last, to_us: i64::MAX })),
        (None, None) => Ok(None),
    }
}

fn from(case: &Case<'_>, args: &WhyArgs, text: &str) -> Result<Span> {
    let extent = extent(case, args)?;
    let from = named(case, args, &extent, ("--since", text))?;
    if from.from_us > extent.last_us {
        let span = time::span(extent.first_us, extent.last_us);
        let error = Error::new(ErrorKind::Usage, format!("the log ends before {text}: it has {span}, in UTC"));
        return Err(error.hint("name an earlier time, or a zone as in 14:03+02:00 or 14:03Z"));
    }
    Ok(Span { from_us: from.from_us, to_us: i64::MAX })
}

/// What the user asked for beside the moment: one request, or all of a method or tool.
enum Only<'a> {
    All,
    Request(i64),
    Called(Asked<'a>, BTreeSet<i64>),
}

fn only<'a>(case: &Case<'_>, args: &'a WhyArgs) -> Result<Only<'a>> {
    let Some(asked) = args.asked() else { return Ok(Only::All) };
    let called = case.called(asked)?;
    Ok(match called.is_empty() {
        false => Only::Called(asked, called),
        true => Only::Request(request_name::find(case.store, asked.name())?.id),
    })
}

/// Requests that were sent by then and not yet settled, by connection: read once, however many connections there are.
fn in_flight(case: &Case<'_>, span: Span, only: &Only<'_>) -> Result<BTreeMap<i64, Vec<ExchangeRow>>> {
    let mut rows: BTreeMap<i64, Vec<ExchangeRow>> = BTreeMap::new();
    let filter = ExchangeFilter { under_way: Some((span.from_us, span.to_us)), ..ExchangeFilter::default() };
    case.store.exchanges(filter, |row| {
        let asked = match only {
            Only::All => true,
            Only::Request(id) => row.id == *id,
            Only::Called(asked, connections) => connections.contains(&row.connection_id) && asked.calls(&row),
        };
        if asked {
            rows.entry(row.connection_id).or_default().push(row);
        }
        Ok(())
    })?;
    Ok(rows)
}

/// The command for the same time in UTC, which is what screens write, where the log has that.
fn elsewhere(args: &WhyArgs, extent: &Extent, text: &str) -> Option<String> {
    let utc = in_utc(text)?;
    let there = moment(&utc, extent).is_ok_and(|span| extent.meets(span));
    let file = args.again().filter(|_| there)?;
    Some(format!("rpctape why {file} --at {}{}", shell::word(&utc), args.read.typed()))
}

/// What hung behind the oldest, and that and the next one message by message.
fn next(case: &Case<'_>, args: &WhyArgs, flying: &[ExchangeRow]) -> Result<Vec<String>> {
    let how = args.read.typed();
    let mut oldest: Vec<&ExchangeRow> = flying.iter().collect();
    oldest.sort_by_key(|row| row.sent_at_us);
    let mut next = Vec::new();
    for (index, row) in oldest.into_iter().take(ADVISED).enumerate() {
        let label = shell::shown(&case.name(row)?);
        if let (Some(label), Some(again), Some(file)) = (label, args.again(), args.log_of(row)) {
            if index == 0 {
                next.push(format!("rpctape why {again} --request {label}{how}"));
            }
            next.push(format!("rpctape show {file} {label}{how}"));
        }
    }
    Ok(next)
}
