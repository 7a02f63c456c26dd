//! `rpctape why`: the postmortem of a log on one screen.

use std::collections::{BTreeMap, BTreeSet};

use clap::{Args, ValueEnum};
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::report::why::{self, Around, Cancelled, Facts, WINDOW, Waiting};
use rpctape::report::{Judged, escape, plural};
use rpctape::store::{CancellationRow, ConnectionRow, ExchangeRow, Store};

use super::check::no_connection;
use super::config::Config;
use super::input::{self, ReadArgs};
use super::io::{Out, written};
use super::judge::{self, JudgeArgs};
use super::moment::{Span, instant};
use super::request_name;
use super::screen::ScreenArgs;
use super::shell;
use super::signals::Stop;
use super::terms::RedactArgs;

/// How many of the last requests are looked at for the slowest.
const LAST: u32 = 20_000;

/// How many of the last frames and requests are looked at besides those around the trouble.
const TAIL: u32 = 500;

/// How many requests are asked for their progress.
const SIGNS: usize = 40;

/// Who was stuck, since when, who waited on whom, what was cancelled, what came too late: on one screen
///
/// "MOST LIKELY" is there only where the log meets the rule of a pattern; docs/cli.md lists them.
#[derive(Args, Debug)]
pub struct WhyArgs {
    /// A log, a folder or a database; `-` is standard input
    #[arg(value_name = "FILE", value_parser = super::input::name())]
    file: String,
    /// Only this request (17, #17, s4, "abc", #17@2), or a method or tool (tools/call, call:search, search)
    #[arg(value_name = "REQUEST|METHOD")]
    what: Option<String>,
    /// Only what was in flight at this time: 06:14:58, or 2026-04-12T06:14:58Z
    #[arg(long, value_name = "TIME", conflicts_with = "last")]
    at: Option<String>,
    /// Only what was in flight in the last while: 5m, 30s
    #[arg(long, value_name = "DURATION", value_parser = judge::duration)]
    last: Option<i64>,
    /// Show every row, however many there are
    #[arg(long)]
    all: bool,
    /// How to print the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    /// Age from which an open request counts as stuck where the log just stops
    #[arg(long, value_name = "DURATION", value_parser = judge::duration, default_value = "30s")]
    stuck_after: i64,
    /// Only this connection (`rpctape ls` shows the keys)
    #[arg(long, value_name = "KEY")]
    connection: Option<String>,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    redact: RedactArgs,
    #[command(flatten)]
    screen: ScreenArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One screen
    #[default]
    Screen,
    /// One JSON document
    Json,
}

/// Prints the postmortem. `commands` are those that exist, so that no other is advised.
pub fn run(args: &WhyArgs, commands: &[String], stop: &Stop) -> Result<u8> {
    let files = std::slice::from_ref(&args.file);
    let loaded = input::load(files, &args.read, &JudgeArgs::default(), None, stop)?;
    let case = Case::open(&loaded.store, args)?;
    let mut order = case.order(args)?;
    let facts = case.facts(order[0], args)?;
    let mut out = Out::open(None, &[])?;
    match args.format {
        Format::Json => {
            let mut told = vec![why::postmortem(&facts)];
            for connection in order.drain(1..) {
                told.push(why::postmortem(&case.facts(connection, args)?));
            }
            written(why::write_json(&mut out, &told))?;
        }
        Format::Screen => {
            let around = Around {
                others: order[1..].iter().map(|connection| case.line(connection)).collect(),
                next: next(&args.file, &facts, commands),
                all: args.all,
                cut: facts.connection.requests > u64::from(LAST),
            };
            written(why::write_screen(&mut out, &facts, &around, &args.screen.style(false, false)))?;
        }
    }
    out.close()?;
    Ok(0)
}

/// What is asked once for all connections.
struct Case<'a> {
    store: &'a Store,
    connections: Vec<ConnectionRow>,
    stuck: BTreeMap<i64, Vec<ExchangeRow>>,
    cancels: BTreeMap<i64, Vec<CancellationRow>>,
    after_us: i64,
}

impl<'a> Case<'a> {
    fn open(store: &'a Store, args: &WhyArgs) -> Result<Case<'a>> {
        let connections = store.connections()?;
        if connections.is_empty() {
            return Err(Error::new(ErrorKind::Input, format!("{} holds no connection", args.file)));
        }
        let mut case =
            Case { store, connections, stuck: BTreeMap::new(), cancels: BTreeMap::new(), after_us: args.stuck_after };
        for row in store.open_exchanges()? {
            if case.is_stuck(&row)? {
                case.stuck.entry(row.connection_id).or_default().push(row);
            }
        }
        let mut redactor = args.redact.redactor(&Config::load(None)?);
        for mut row in store.cancellations(None, None)? {
            // The one text of a log that this screen has beside names and ids.
            if let (Some(redactor), Some(reason)) = (&mut redactor, &mut row.reason) {
                *reason = redactor.text(reason).into_owned();
            }
            case.cancels.entry(row.connection_id).or_default().push(row);
        }
        Ok(case)
    }

    fn connection(&self, id: i64) -> Option<&ConnectionRow> {
        self.connections.iter().find(|connection| connection.id == id)
    }

    fn age(&self, row: &ExchangeRow) -> Option<i64> {
        Some(self.connection(row.connection_id)?.last_at_us? - row.sent_at_us?)
    }

    /// Open for long; or the connection ended, and not at once: whoever asked would have had its answer.
    fn is_stuck(&self, row: &ExchangeRow) -> Result<bool> {
        if why::long_lived(row) {
            return Ok(false);
        }
        let ended = self.connection(row.connection_id).is_some_and(|connection| connection.complete_tail);
        let units = || self.store.last_units(row.connection_id, 8);
        let by_itself = |unit: &rpctape::store::UnitRow| unit.by.as_deref() == Some(row.issuer.as_str());
        Ok(match self.age(row) {
            Some(age) if age >= self.after_us => true,
            Some(age) if ended => age > judge::GRACE_US || !units()?.iter().any(by_itself),
            Some(_) => self.was_refused(row)?,
            None => ended || self.was_refused(row)?,
        })
    }

    /// The HTTP response on its stream is a refusal: however young it is, no answer will come.
    fn was_refused(&self, row: &ExchangeRow) -> Result<bool> {
        let units = self.store.units_after(row.connection_id, row.id, 64)?;
        let stream = units.first().and_then(|request| request.stream);
        let refuses = |unit: &rpctape::store::UnitRow| unit.status.is_some_and(|status| status >= 400);
        Ok(stream.is_some() && units.iter().any(|unit| unit.stream == stream && refuses(unit)))
    }

    /// The connections to tell about, the one with trouble first.
    fn order(&self, args: &WhyArgs) -> Result<Vec<&ConnectionRow>> {
        if let Some(key) = &args.connection {
            let found = self.connections.iter().find(|connection| connection.key == *key);
            return Ok(vec![found.ok_or_else(|| no_connection(key, &self.connections))?]);
        }
        if let Some(what) = &args.what
            && let Ok(row) = request_name::find(self.store, what)
        {
            return Ok(self.connection(row.connection_id).into_iter().collect());
        }
        let mut order: Vec<&ConnectionRow> = self.connections.iter().collect();
        let stuck = |connection: &ConnectionRow| self.stuck.get(&connection.id).map_or(0, Vec::len);
        let late = |connection: &ConnectionRow| {
            let proven = |row: &&CancellationRow| Judged::of(row).defied();
            self.cancels.get(&connection.id).map_or(0, |rows| rows.iter().filter(proven).count())
        };
        order.sort_by_key(|connection| {
            (std::cmp::Reverse((stuck(connection), late(connection), connection.requests)), connection.id)
        });
        Ok(order)
    }

    fn line(&self, connection: &ConnectionRow) -> String {
        let stuck = self.stuck.get(&connection.id).map_or(0, Vec::len) as u64;
        let cancels = self.cancels.get(&connection.id).map_or(0, Vec::len) as u64;
        let said = format!(
            "   {}   {} {}   {}, {}, {stuck} stuck",
            connection.key,
            connection.protocol,
            connection.revision,
            plural(connection.requests, "request"),
            plural(cancels, "cancel")
        );
        escape(&said).into_owned()
    }

    fn facts(&self, connection: &ConnectionRow, args: &WhyArgs) -> Result<Facts> {
        let store = self.store;
        let stuck = self.stuck.get(&connection.id).map_or(&[][..], Vec::as_slice);
        let around = match stuck.first() {
            Some(first) => {
                let mut around = store.exchanges_after(connection.id, first.id, WINDOW)?;
                let seen = around.last().map_or(first.id, |row| row.id);
                let last = store.last_exchanges(connection.id, TAIL)?;
                around.extend(last.into_iter().filter(|row| row.id > seen));
                around
            }
            None => store.last_exchanges(connection.id, LAST)?,
        };
        let mut units = match stuck.first() {
            Some(first) => store.units_after(connection.id, first.id, WINDOW)?,
            None => Vec::new(),
        };
        let seen = units.last().map_or(0, |unit| unit.id);
        units.extend(
            store.last_units(connection.id, TAIL)?.into_iter().filter(|unit| unit.id > seen || stuck.is_empty()),
        );
        // What the server said last before the first stuck request decides whether it was silent from then on.
        if let Some(first) = units.first().map(|unit| unit.id) {
            let before = store.units_before(connection.id, first, 50)?;
            units.splice(0..0, before);
        }
        let stuck: Vec<Waiting> = stuck
            .iter()
            .enumerate()
            .map(|(index, row)| {
                let signs = if index < SIGNS { store.signs_of_life(row.id, WINDOW)? } else { Vec::new() };
                Ok(Waiting { row: row.clone(), age_us: self.age(row), signs })
            })
            .collect::<Result<_>>()?;
        let cancels = self.cancels(connection)?;
        let mut facts = Facts {
            connection: connection.clone(),
            has_gap: store.has_gap(connection.id)?,
            stuck,
            cancels,
            around,
            units,
            focus: None,
            stuck_after_us: self.after_us,
        };
        self.focus(&mut facts, args)?;
        Ok(facts)
    }

    fn cancels(&self, connection: &ConnectionRow) -> Result<Vec<Cancelled>> {
        let rows = self.cancels.get(&connection.id).map_or(&[][..], Vec::as_slice);
        let mut asked = 0;
        rows.iter()
            .map(|row| {
                let exchange = row.exchange_id.map(|id| self.store.exchange(id)).transpose()?.flatten();
                // Only a request with progress after its cancel can have worked on without an answer.
                let worked = |exchange: &&ExchangeRow| {
                    exchange.history.split_once('C').is_some_and(|(_, after)| after.contains('p'))
                };
                let signs = match exchange.as_ref().filter(worked).filter(|_| asked < SIGNS) {
                    Some(exchange) => self.store.signs_of_life(exchange.id, WINDOW)?,
                    None => Vec::new(),
                };
                asked += usize::from(!signs.is_empty());
                Ok(Cancelled { row: row.clone(), exchange, signs })
            })
            .collect()
    }

    /// What the user asked about: a request, a method, a moment.
    fn focus(&self, facts: &mut Facts, args: &WhyArgs) -> Result<()> {
        let cancelled = facts.cancels.iter().filter_map(|cancel| cancel.exchange.as_ref());
        let known: Vec<&ExchangeRow> =
            facts.stuck.iter().map(|waiting| &waiting.row).chain(&facts.around).chain(cancelled).collect();
        let span = match (&args.at, args.last, facts.connection.last_at_us) {
            (Some(text), ..) => Some(Span::at(instant(text, facts.connection.first_at_us)?)),
            (_, Some(last), Some(end)) => Some(Span { from_us: end - last, to_us: end }),
            _ => None,
        };
        let mut focus: Option<BTreeSet<i64>> = span.map(|span| {
            known.iter().filter(|row| span.meets(row.sent_at_us, row.settled_at_us)).map(|row| row.id).collect()
        });
        if let Some(what) = &args.what {
            let mut fitting: BTreeSet<i64> =
                known.iter().filter(|row| is_called(row, what)).map(|row| row.id).collect();
            if fitting.is_empty() {
                let row = request_name::find(self.store, what)?;
                fitting.insert(row.id);
                if !facts.around.iter().any(|other| other.id == row.id) {
                    facts.around.push(row);
                }
            }
            focus = Some(match focus {
                Some(focus) => focus.intersection(&fitting).copied().collect(),
                None => fitting,
            });
        }
        facts.focus = focus;
        Ok(())
    }
}

/// True if a request is of this method or tool: `tools/call`, `search`, `call:search`.
fn is_called(row: &ExchangeRow, what: &str) -> bool {
    let name = row.name.as_deref();
    let method = |end: &str| row.method == end || row.method.rsplit('/').next() == Some(end);
    method(what)
        || name == Some(what)
        || what.split_once(':').is_some_and(|(end, tool)| method(end) && name == Some(tool))
}

/// At most two commands to go on with.
fn next(file: &str, facts: &Facts, commands: &[String]) -> Vec<String> {
    let late = facts.cancels.iter().filter(|cancel| Judged::of(&cancel.row).defied());
    let stuck = facts.stuck.iter().map(|waiting| &waiting.row);
    let rows = stuck.chain(late.filter_map(|cancel| cancel.exchange.as_ref()));
    let rows: Vec<&ExchangeRow> = rows.filter(|row| facts.wanted(row.id)).collect();
    // Of two sides that wait, the request of the server is the one to look at first.
    let Some(first) = rows.iter().find(|row| row.issuer == "server").or(rows.first()) else { return Vec::new() };
    // What acts on a terminal is not safe to copy.
    let safe = |text: &str| (text.len() < 200 && escape(text) == text && text != "-").then(|| shell::file(text));
    let place = |row: &ExchangeRow| safe(&request_name::label_of(row));
    let mut next: Vec<String> = Vec::new();
    if let (Some(file), Some(label)) = (safe(file), place(first)) {
        next.push(format!("rpctape show {file} {label}"));
    }
    let extract = commands.iter().any(|command| command == "extract");
    if let (true, Some(file), Some(label)) = (extract, safe(file), rows.first().and_then(|row| place(row))) {
        next.push(format!("rpctape extract {file} {label} -o bug.rec.jsonl"));
    }
    next
}
