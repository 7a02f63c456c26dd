//! `rpctape why`: the postmortem of a log on one screen.

use clap::{Args, ValueEnum};
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::report::why::{self, Around, Other};
use rpctape::store::{ConnectionRow, ExchangeRow};

use crate::cli::args::config::{Config, Uses};
use crate::cli::args::connection;
use crate::cli::args::input::{self, HopArgs, Loaded, ReadArgs};
use crate::cli::args::judge::JudgeArgs;
use crate::cli::args::reports::ReportArgs;
use crate::cli::args::terms::RedactArgs;
use crate::cli::args::values;
use crate::cli::content::case::{Case, LAST};
use crate::cli::content::page;
use crate::cli::screen::ScreenArgs;
use crate::cli::screen::io::{Out, written};
use crate::cli::signals::Stop;
use asked::Asked;
use rpctape::report::shell;

mod asked;
mod at;
mod hops;
mod next;

/// How many other connections in trouble are told about with their pattern.
const OTHERS: usize = 5;

/// Who was stuck, since when, who waited on whom, what was cancelled, what came too late: on one screen
///
/// "MOST LIKELY" is there only where the log meets the rule of a pattern; docs/cli.md lists them.
#[derive(Args, Debug)]
pub struct WhyArgs {
    /// A log, a folder or a database; `-` is standard input
    #[arg(value_name = "FILE", value_parser = input::name(), required_unless_present = "hops")]
    file: Option<String>,
    /// Only this request (17, #17, s4, "abc", the beginning of an id, #17@2), or a method or tool (tools/call, call:search, search)
    #[arg(value_name = "REQUEST|METHOD", allow_negative_numbers = true)]
    what: Option<String>,
    /// Only this request, also where a method or tool has its name
    #[arg(long, value_name = "ID", conflicts_with = "what", allow_hyphen_values = true)]
    request: Option<String>,
    /// What was in flight at this time, all of it: 14:03, 06:14:58.250, 2026-04-12T06:14:58Z
    #[arg(long, value_name = "TIME", conflicts_with_all = ["last", "since"])]
    at: Option<String>,
    /// Only what was in flight from this time on: 14:03, 2026-04-12T06:14:58Z
    #[arg(long, value_name = "TIME", conflicts_with = "last")]
    since: Option<String>,
    /// Only what was in flight in the last while: 5m, 30s
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    last: Option<i64>,
    /// Show every row, however many there are
    #[arg(long)]
    all: bool,
    /// How to print the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    /// Age from which an open request counts as stuck where the log just stops [default: 30s]
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    stuck_after: Option<i64>,
    /// Only this connection (its key, or its number in `rpctape ls`)
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    connection: Option<String>,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    hops: HopArgs,
    #[command(flatten)]
    redact: RedactArgs,
    #[command(flatten)]
    reports: ReportArgs,
    #[command(flatten)]
    screen: ScreenArgs,
}

impl WhyArgs {
    fn asked(&self) -> Option<Asked<'_>> {
        let what = self.what.as_deref().map(Asked::Any);
        self.request.as_deref().map(Asked::Request).or(what)
    }

    /// The log as a message names it.
    fn name(&self) -> &str {
        self.file.as_deref().unwrap_or("the log of no hop")
    }

    /// What a command names to read the same again, with the flags of reading; nothing where that cannot be typed.
    fn again(&self) -> Option<String> {
        match &self.file {
            Some(file) => shell::again(file),
            None => self.hops.typed(),
        }
    }

    /// The log in which a request stands, for commands that know no hops.
    fn log_of(&self, row: &ExchangeRow) -> Option<String> {
        shell::again(self.file.as_deref().unwrap_or(&row.source))
    }
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
    let files: Vec<String> = args.file.iter().cloned().collect();
    let config = Config::load(None, Uses::Bounds)?;
    // All rules speak: what a team chose to leave out of its audits hangs all the same.
    let judged = JudgeArgs::all_rules(args.stuck_after, &config);
    let loaded = input::load_hops(&files, &args.hops, &args.read, &judged, input::PASSING, stop)?;
    let connections = loaded.store.connections()?;
    if connections.is_empty() {
        return Err(Error::new(ErrorKind::Input, format!("{} holds no connection", args.name())));
    }
    // That nothing is stuck where nothing was read would be no answer. A process that ended has last words.
    if connections.iter().all(|row| row.messages == 0 && !row.complete_tail) {
        return Err(Error::new(ErrorKind::Input, format!("{} holds no message that could be read", args.name()))
            .hint("`rpctape ls` shows what it was taken for and what was passed over; --format-in overrules it"));
    }
    loaded.warn();
    loaded.tell_passed_over();
    let after_us = judged.settings().stuck_after_us;
    let mut case = Case::open(&loaded.store, args.redact.redactor(&config), after_us)?;
    case.since = at::since(&case, args)?;
    if !args.reports.take_stdout() {
        let mut out = Out::open(None, &[])?.clean(args.redact.redactor(&config));
        match &args.at {
            Some(at) => at::write(&mut out, &case, args, at)?,
            None => postmortem(&mut out, &case, args, commands)?,
        }
        out.close()?;
    }
    if args.reports.any() {
        beside(&loaded, args, after_us, &config)?;
    }
    Ok(0)
}

/// The reports of the connections that were asked about; a page opens at the request.
fn beside(loaded: &Loaded, args: &WhyArgs, stuck_after_us: i64, config: &Config) -> Result<()> {
    let all = loaded.store.connections()?;
    let connections: Vec<ConnectionRow> = wanted(&all, args)?.into_iter().cloned().collect();
    let redactor = args.redact.redactor(config);
    let at = args.asked().map(|asked| page::place(&loaded.store, asked.name(), redactor.clone())).transpose()?;
    let wanted = page::Wanted {
        inputs: &args.hops.files(&args.file.iter().cloned().collect::<Vec<_>>())?,
        connections: &connections,
        redactor,
        stuck_after_us,
        at,
    };
    page::beside(loaded, &args.reports, wanted)
}

fn postmortem(out: &mut Out, case: &Case<'_>, args: &WhyArgs, commands: &[String]) -> Result<()> {
    let order = case.order(args)?;
    let facts = case.facts(order[0], args)?;
    if args.format == Format::Json {
        let mut told = vec![why::postmortem(&facts)];
        for connection in &order[1..] {
            told.push(why::postmortem(&case.facts(connection, args)?));
        }
        return written(why::write_json(out, &told));
    }
    let mut others = Vec::new();
    for (index, connection) in order[1..].iter().enumerate() {
        let told = index < OTHERS || args.all;
        let command = if told && case.in_trouble(connection) { next::incident(args, connection) } else { None };
        others.push(Other { line: case.line(connection, told)?, command });
    }
    let around = Around {
        others,
        next: next::commands(case, &facts, args, commands)?,
        all: args.all,
        cut: facts.connection.requests > u64::from(LAST),
    };
    written(why::write_screen(out, &facts, &around, &args.screen.style(false, false)))
}

/// The connections that a user wants to hear of.
fn wanted<'a>(connections: &'a [ConnectionRow], args: &WhyArgs) -> Result<Vec<&'a ConnectionRow>> {
    match &args.connection {
        Some(key) => Ok(vec![connection::named(connections, key)?]),
        None => Ok(connections.iter().collect()),
    }
}
