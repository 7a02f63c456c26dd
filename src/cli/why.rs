//! `rpctape why`: the postmortem of a log on one screen.

use clap::{Args, ValueEnum};
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::report::why::{self, Around};
use rpctape::store::ConnectionRow;

use super::config::Config;
use super::input::{self, Loaded, ReadArgs};
use super::io::{Out, written};
use super::judge::JudgeArgs;
use super::page;
use super::reports::ReportArgs;
use super::screen::ScreenArgs;
use super::signals::Stop;
use super::terms::RedactArgs;
use super::values;
pub use case::Case;

mod at;
mod case;
mod next;

/// How many other connections in trouble are told about with their pattern.
const OTHERS: usize = 5;

/// Who was stuck, since when, who waited on whom, what was cancelled, what came too late: on one screen
///
/// "MOST LIKELY" is there only where the log meets the rule of a pattern; docs/cli.md lists them.
#[derive(Args, Debug)]
pub struct WhyArgs {
    /// A log, a folder or a database; `-` is standard input
    #[arg(value_name = "FILE", value_parser = super::input::name())]
    file: String,
    /// Only this request (17, #17, s4, "abc", the beginning of an id, #17@2), or a method or tool (tools/call, call:search, search)
    #[arg(value_name = "REQUEST|METHOD")]
    what: Option<String>,
    /// What was in flight at this time, all of it: 14:03, 06:14:58.250, 2026-04-12T06:14:58Z
    #[arg(long, value_name = "TIME", conflicts_with = "last")]
    at: Option<String>,
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
    /// Only this connection (`rpctape ls` shows the keys)
    #[arg(long, value_name = "KEY")]
    connection: Option<String>,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    redact: RedactArgs,
    #[command(flatten)]
    reports: ReportArgs,
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
    let config = Config::load(None)?;
    // All rules speak: what a team chose to leave out of its audits hangs all the same.
    let judged = JudgeArgs::all_rules(args.stuck_after, &config);
    let loaded = input::load(files, &args.read, &judged, None, stop)?;
    if loaded.store.connections()?.is_empty() {
        return Err(Error::new(ErrorKind::Input, format!("{} holds no connection", args.file)));
    }
    super::check::warn_of_torn(&loaded);
    let after_us = judged.settings().stuck_after_us;
    let mut out = Out::open(None, &[])?.clean(args.redact.redactor(&config));
    match &args.at {
        Some(at) => at::write(&mut out, &loaded.store, args, (at, after_us))?,
        None => {
            let case = Case::open(&loaded.store, args.redact.redactor(&config), after_us)?;
            postmortem(&mut out, &case, args, commands)?;
        }
    }
    out.close()?;
    if args.reports.any() {
        beside(&loaded, args, after_us, &config)?;
    }
    Ok(0)
}

/// The reports of the connections that were asked about; a page opens at the request.
fn beside(loaded: &Loaded, args: &WhyArgs, stuck_after_us: i64, config: &Config) -> Result<()> {
    let all = loaded.store.connections()?;
    let connections: Vec<ConnectionRow> = wanted(&all, args)?.into_iter().cloned().collect();
    let at = args.what.as_deref().map(|what| page::place(&loaded.store, what)).transpose()?;
    let wanted = page::Wanted {
        inputs: std::slice::from_ref(&args.file),
        connections: &connections,
        redactor: args.redact.redactor(config),
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
        others.push(case.line(connection, index < OTHERS)?);
    }
    let troubled = order[1..].iter().find(|connection| case.in_trouble(connection));
    let around = Around {
        others,
        next: next::commands(case, &facts, args, commands, troubled.map(|connection| connection.key.as_str()))?,
        all: args.all,
        cut: facts.connection.requests > u64::from(case::LAST),
    };
    written(why::write_screen(out, &facts, &around, &args.screen.style(false, false)))
}

/// The connections that a user wants to hear of.
fn wanted<'a>(connections: &'a [ConnectionRow], args: &WhyArgs) -> Result<Vec<&'a ConnectionRow>> {
    match &args.connection {
        Some(key) => {
            let found = connections.iter().find(|connection| connection.key == *key);
            Ok(vec![found.ok_or_else(|| super::check::no_connection(key, connections))?])
        }
        None => Ok(connections.iter().collect()),
    }
}
