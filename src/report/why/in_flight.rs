//! `why --at`: what was in flight at one moment, all of it, with what became of it.

use std::io::{self, Write};

use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use super::facts::{label, long_lived};
use super::postmortem::said_of;
use super::rows::{self, Row, Titles, safe, way};
use super::screen::{TIMELINE_FROM, name_room};
use super::timeline::{Axis, Drawn, LEGEND, hit, letters};
use crate::number::duration;
use crate::report::columns::{fit, hang, pad, wrap};
use crate::report::escape::json;
use crate::report::{Ink, Style, number, plural, time};
use crate::store::{CancellationRow, ConnectionRow, ExchangeRow, SignRow};

/// Rows of a connection before the rest is only counted.
const ROWS: usize = 12;

/// Connections that the moment is outside of, and that are named.
const OUTSIDE: usize = 3;

/// Methods and tools.
const TITLES: Titles = Titles { usual: 28, least: 14 };

/// A request that was in flight.
#[derive(Clone, Debug, Serialize)]
pub struct InFlight {
    /// As the screens name it.
    pub request: String,
    /// Who asked.
    pub issuer: String,
    /// Method.
    pub method: String,
    /// Tool or command.
    pub name: Option<String>,
    /// Source of the request.
    pub source: String,
    /// Its line.
    pub line: u64,
    /// When it was sent.
    pub since_us: i64,
    /// From then to the moment; 0 where it was sent within the second that was named for one.
    pub age_us: i64,
    /// True if that is longer than a request may take before it counts as stuck.
    pub stuck_then: bool,
    /// When it was settled, where it was.
    pub settled_us: Option<i64>,
    /// How.
    pub outcome: String,
    /// Its last progress by then.
    pub last_life_us: Option<i64>,
    /// What that said.
    pub last_life: Option<String>,
    #[serde(skip)]
    row: ExchangeRow,
    #[serde(skip)]
    signs: Vec<SignRow>,
    #[serde(skip)]
    cancel: Option<CancellationRow>,
}

impl InFlight {
    /// An exchange with its progress and its cancels, as it stood at a moment. `None` where it has no time.
    pub fn of(
        row: &ExchangeRow,
        signs: Vec<SignRow>,
        cancels: &[CancellationRow],
        (at_us, stuck_after_us): (i64, i64),
    ) -> Option<InFlight> {
        let since_us = row.sent_at_us?;
        let age_us = at_us.saturating_sub(since_us).max(0);
        let life = signs.iter().rfind(|sign| sign.at_us.is_some_and(|us| us <= at_us));
        let (last_life_us, last_life) = (life.and_then(|sign| sign.at_us), life.map(said_of));
        Some(InFlight {
            request: label(row),
            issuer: row.issuer.clone(),
            method: row.method.clone(),
            name: row.name.clone(),
            source: row.source.clone(),
            line: row.line,
            since_us,
            age_us,
            stuck_then: age_us >= stuck_after_us && !long_lived(row),
            settled_us: row.settled_at_us,
            outcome: row.outcome.clone(),
            last_life_us,
            last_life,
            row: row.clone(),
            signs,
            cancel: hit(cancels.iter()).cloned(),
        })
    }

    fn title(&self) -> String {
        self.name.as_ref().map_or_else(|| self.method.clone(), |name| format!("{} {name}", self.method))
    }

    /// What became of it, in words.
    fn then(&self) -> String {
        let at = self.settled_us.map_or(String::new(), |us| format!(" {}", time::clock(us)));
        match self.outcome.as_str() {
            "result" => format!("answered{at}"),
            "error" => format!("answered by an error{at}"),
            "cancelled" | "silent" => format!("cancelled{at}"),
            "superseded" => "its id was used again".to_string(),
            _ => "no answer in the log".to_string(),
        }
    }
}

/// One connection at the moment.
#[derive(Clone, Debug, Serialize)]
pub struct Moment {
    /// Key of the connection.
    pub connection: String,
    /// Protocol and revision.
    pub profile: String,
    /// Its first and its last time.
    pub first_us: Option<i64>,
    /// See `first_us`.
    pub last_us: Option<i64>,
    /// False where the moment is before its first or after its last message.
    pub inside: bool,
    /// What was in flight, oldest first.
    pub in_flight: Vec<InFlight>,
}

impl Moment {
    /// A connection at a moment.
    pub fn of(row: &ConnectionRow, inside: bool, in_flight: Vec<InFlight>) -> Moment {
        Moment {
            connection: row.key.clone(),
            profile: format!("{} {}", row.protocol, row.revision).trim_end().to_string(),
            first_us: row.first_at_us,
            last_us: row.last_at_us,
            inside,
            in_flight,
        }
    }
}

/// `--format json`.
pub fn write_moment_json(out: &mut dyn Write, at_us: i64, moments: &[Moment]) -> io::Result<()> {
    write!(out, "{{\"v\":1,\"at_us\":{at_us},\"connections\":[")?;
    for (index, moment) in moments.iter().enumerate() {
        write!(out, "{}\n{}", if index > 0 { "," } else { "" }, json(moment)?)?;
    }
    writeln!(out, "\n]}}")
}

/// What is written besides the connections.
pub struct Told<'a> {
    /// The moment.
    pub at_us: i64,
    /// The zone in which it was asked for, in minutes east of UTC; none where the log tells no zone.
    pub zone: Option<i32>,
    /// Requests of the whole log.
    pub requests: u64,
    /// From which age on a request counts as stuck.
    pub stuck_after_us: i64,
    /// Commands to go on with, ready to be copied.
    pub next: &'a [String],
    /// True to show every row.
    pub all: bool,
    /// Only certain requests were asked for.
    pub some: bool,
}

/// Writes the screen; `moments` are sorted by how much was in flight.
pub fn write_moment(out: &mut dyn Write, told: &Told<'_>, moments: &[Moment], style: &Style) -> io::Result<()> {
    let width = style.columns();
    let rows = || moments.iter().flat_map(|moment| &moment.in_flight);
    let (open, stuck) = (rows().count() as u64, rows().filter(|row| row.stuck_then).count());
    writeln!(out, " {} {}", style.paint(Ink::Strong, "AT"), when(told))?;
    let long = match stuck {
        0 => String::new(),
        n => format!(", stuck then: {n} (open for {} and more)", duration(told.stuck_after_us)),
    };
    let busy = moments.iter().filter(|moment| !moment.in_flight.is_empty()).count();
    let places =
        if moments.len() > 1 { format!(", on {busy} of {} connections", moments.len()) } else { String::new() };
    let whole = format!(" (of {} in the log{places})", number::count(told.requests));
    let verb = if open == 1 { "was" } else { "were" };
    match open {
        0 if moments.iter().any(|moment| moment.inside) => match told.some {
            true => writeln!(out, " nothing of what was asked for was in flight")?,
            false => writeln!(out, " nothing was in flight")?,
        },
        0 => writeln!(out, " nothing can be said: no connection of the log was seen then")?,
        _ => {
            let within = rows().filter(|row| row.since_us > told.at_us).count() as u64;
            let within = match within {
                0 => String::new(),
                n => format!(" in that time, {} of them sent within it", number::count(n)),
            };
            let said = format!("{} {verb} in flight{within}{whole}{long}", plural(open, "request"));
            for line in wrap(&said, width.saturating_sub(1)) {
                writeln!(out, " {line}")?;
            }
        }
    }
    let quiet = moments.iter().filter(|moment| moment.inside && moment.in_flight.is_empty()).count();
    for moment in moments.iter().filter(|moment| !moment.in_flight.is_empty()) {
        writeln!(out)?;
        connection(out, told, moment, (style, width))?;
    }
    unseen(out, told, moments, width)?;
    if quiet > 0 && moments.len() > 1 {
        writeln!(out, "\n {} with nothing in flight", plural(quiet as u64, "more connection"))?;
    }
    for (index, next) in told.next.iter().enumerate() {
        let word = if index == 0 { style.paint(Ink::Strong, "NEXT") } else { "    ".into() };
        writeln!(out, "{}{word}  {next}", if index == 0 { "\n " } else { " " })?;
    }
    Ok(())
}

/// The moment in UTC, and in the zone of the log where that is another one. A log of times of day alone has no zone.
fn when(told: &Told<'_>) -> String {
    let clock = time::clock(told.at_us);
    let Some(date) = time::date(told.at_us) else { return clock };
    match told.zone {
        None => format!("{date} {clock}   the log tells no zone"),
        Some(0) => format!("{date} {clock} UTC"),
        Some(zone) => {
            let sign = if zone < 0 { '-' } else { '+' };
            let local = time::clock(told.at_us + i64::from(zone) * 60_000_000);
            let (hours, minutes) = (zone.abs() / 60, zone.abs() % 60);
            format!("{date} {clock} UTC   {local} in the zone of the log, {sign}{hours:02}:{minutes:02}")
        }
    }
}

/// The connections that the moment is outside of.
fn unseen(out: &mut dyn Write, told: &Told<'_>, moments: &[Moment], width: usize) -> io::Result<()> {
    let all: Vec<&Moment> = moments.iter().filter(|moment| !moment.inside).collect();
    let shown = if told.all { all.len() } else { all.len().min(OUTSIDE) };
    if shown > 0 {
        writeln!(out)?;
    }
    for moment in &all[..shown] {
        for line in hang(&outside(told, moment), width.saturating_sub(1)) {
            writeln!(out, " {line}")?;
        }
    }
    match all.len() - shown {
        0 => Ok(()),
        more => writeln!(out, " and {} outside of the log: --all", plural(more as u64, "more connection")),
    }
}

fn outside(told: &Told<'_>, moment: &Moment) -> String {
    let key = safe(&moment.connection, 40);
    match (moment.first_us, moment.last_us) {
        (Some(first), Some(last)) => {
            let end = if told.at_us < first { "before it begins" } else { "later than its end" };
            format!("{key}: outside of the log, {end}: it has {}", time::span(first, last))
        }
        _ => format!("{key} has no times"),
    }
}

fn connection(
    out: &mut dyn Write,
    told: &Told<'_>,
    moment: &Moment,
    (style, width): (&Style, usize),
) -> io::Result<()> {
    let head = format!(" {}   {}", safe(&moment.connection, 40), safe(&moment.profile, 30));
    writeln!(out, "{}", style.paint(Ink::Strong, &fit(&head, width)))?;
    let shown = if told.all || moment.in_flight.len() <= ROWS { moment.in_flight.len() } else { ROWS };
    let rows = &moment.in_flight[..shown];
    let lines: Vec<Row> = rows.iter().map(|row| line(row, told.at_us, width)).collect();
    for line in rows::lines(&lines, &TITLES, width) {
        writeln!(out, "{}", line.trim_end())?;
    }
    if shown < moment.in_flight.len() {
        writeln!(out, "   and {} more: --all", number::count((moment.in_flight.len() - shown) as u64))?;
    }
    if width >= TIMELINE_FROM {
        timeline(out, (told.at_us, moment.last_us.unwrap_or(told.at_us)), rows, (style, width))?;
    }
    Ok(())
}

fn line(row: &InFlight, at_us: i64, width: usize) -> Row {
    let stuck = if row.stuck_then { "stuck then, " } else { "" };
    let age = if row.since_us > at_us { "within".to_string() } else { duration(row.age_us) };
    let rest = format!("{age:>9}  {stuck}{}", row.then());
    let life = row.last_life.as_ref().zip(row.last_life_us).map_or(String::new(), |(said, us)| {
        format!("   last life {} {} before", safe(said, 16), duration(at_us.saturating_sub(us)))
    });
    // What became of it matters more than its last life.
    let fits = rest.width() + life.width() + TITLES.usual <= width.saturating_sub(12);
    let rest = if fits { rest + &life } else { rest };
    Row { request: row.request.clone(), way: way(&row.issuer), title: row.title(), rest }
}

/// One row a request, from the oldest to as long behind the moment as before it.
fn timeline(
    out: &mut dyn Write,
    (at_us, last_us): (i64, i64),
    rows: &[InFlight],
    (style, width): (&Style, usize),
) -> io::Result<()> {
    // A moment that was named without fractions is a whole second: all may have been sent within it.
    let Some(from) = rows.iter().map(|row| row.since_us.min(at_us)).min() else { return Ok(()) };
    let name = name_room(width);
    let end = rows.iter().map(|row| row.settled_us.unwrap_or(last_us)).max().unwrap_or(at_us);
    let ahead = at_us.saturating_sub(from).saturating_mul(2).saturating_add(1_000_000);
    let to = end.min(at_us.saturating_add(ahead)).max(at_us);
    let axis = Axis::new(from, to, width.saturating_sub(name + 9));
    writeln!(
        out,
        "\n {}  1 column = {}    : the moment",
        style.paint(Ink::Strong, "AROUND"),
        duration(axis.column_us)
    )?;
    writeln!(out, "{}", fit(&format!("   {LEGEND}"), width))?;
    let short = rows::short(rows.iter().map(|row| row.request.as_str()));
    for (row, request) in rows.iter().zip(short) {
        let drawn = Drawn {
            row: &row.row,
            open: row.row.response_id.is_none() && row.settled_us.is_none(),
            signs: &row.signs,
            cancel: row.cancel.as_ref(),
            last_us: Some(last_us),
        };
        let mut cells = letters(&drawn, &axis);
        cells[axis.place(at_us)] = ':';
        let title = rows::title(&row.title(), name.saturating_sub(request.width() + 2));
        writeln!(
            out,
            "   {} |{}|",
            pad(&format!("{request} {title}"), name - 1),
            cells.into_iter().collect::<String>()
        )?;
    }
    writeln!(out, "   {} from {}", " ".repeat(name - 1), time::clock(axis.from_us))
}
