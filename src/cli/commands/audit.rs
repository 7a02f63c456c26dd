//! `rpctape audit`: judge a database again.

mod parts;

use std::io::{BufRead, BufReader, BufWriter};

use clap::Args;
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::facts::{Reader, unpacked};
use rpctape::output;
use rpctape::pipeline;
use rpctape::pipeline::facts::{self, Part};
use rpctape::report::Parts;
use rpctape::store::Store;

use super::check::{self, PrintArgs};
use crate::cli::args::config::{Config, Uses};
use crate::cli::args::input::{self, Loaded, Meter, SaidArgs};
use crate::cli::args::judge::JudgeArgs;
use crate::cli::screen::ScreenArgs;
use crate::cli::signals::Stop;

/// Flags about what is printed: facts are judged for another program to put together.
const NO_SCREEN: [&str; 15] = [
    "database",
    "vantage",
    "format",
    "output",
    "fail_on",
    "statistics",
    "group_by",
    "connection",
    "max_findings",
    "coverage",
    "no_group",
    "reports",
    "baseline",
    "show_suppressed",
    "redact",
];

/// Judge a database again: with other rules, another protocol or vantage, or a newer rpctape
///
/// What was captured stays as it is; pairing and findings are made anew, and kept. Prints and exits as check does.
#[derive(Args, Debug)]
pub struct AuditArgs {
    /// A database made by `rpctape ingest` or `rpctape check --db`
    #[arg(value_name = "DB", required_unless_present_any = ["facts", "findings"], value_parser = input::name())]
    database: Option<String>,
    /// Judge facts (JSON lines of `rpctape facts`) of whole connections, in order by connection, place and seq; `-` is standard
    /// input. Findings come as JSON lines, and the exit status is 0 when it judged, whatever it found
    #[arg(long, value_name = "FILE", conflicts_with_all = NO_SCREEN)]
    facts: Option<String>,
    /// Print what `audit --facts` found, part by part, as one check: the lines of all parts, in any order; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["database", "facts", "proto", "vantage"])]
    findings: Option<String>,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    judge: JudgeArgs,
    #[command(flatten)]
    said: SaidArgs,
    #[command(flatten)]
    screen: ScreenArgs,
}

/// Judges again and prints what was found.
pub fn run(args: &AuditArgs, stop: &Stop) -> Result<u8> {
    match (&args.database, &args.facts, &args.findings) {
        (Some(database), ..) => again(database, args, stop),
        (None, Some(facts), _) => apart(facts, args, stop),
        (None, None, findings) => together(findings.as_deref().unwrap_or("-"), args),
    }
}

/// Judges facts. A reader that goes away has not seen all that was found: that is an error here.
fn apart(facts: &str, args: &AuditArgs, stop: &Stop) -> Result<u8> {
    if args.judge.schema {
        let error = Error::new(ErrorKind::Usage, "facts hold no payloads, and --schema is about payloads");
        return Err(error.hint("rpctape check --schema LOG holds those of a log against the schemas"));
    }
    let config = Config::load(args.judge.config.as_deref(), Uses::Judging)?;
    let mut options = input::options(args.said.overrides(), &args.judge.configured(&config), stop)?;
    options.selection.schema = false;
    let failed = |error| output::failed("the findings", error);
    let (input, name) = lines_of(facts)?;
    let mut out = BufWriter::new(std::io::stdout());
    let mut parts = Parts::new(&mut out);
    let mut meter = Meter::new(&[], args.said.no_progress);
    facts::judge(&mut Reader::new(input, name), &options, &mut meter, &mut |part| {
        match part {
            Part::Connection(row, key) => parts.connection(row, key),
            Part::Undecided(row) => parts.undecided(row),
            Part::Occasion(row) => parts.occasion(row),
            Part::Breach(row) => parts.breach(row),
            Part::Source(name, told) => parts.source(name, told),
            Part::Finding { row, key, seq, nth } => parts.finding(row, key, (seq, nth)),
        }
        .map_err(failed)
    })?;
    parts.finish().map_err(failed)?;
    Ok(0)
}

/// The lines of a file, or of standard input, packed or not, and what errors call it.
fn lines_of(path: &str) -> Result<(Box<dyn BufRead>, &str)> {
    let name = if path == "-" { "standard input" } else { path };
    let fault = |error| Error::io("read", name, &error);
    let input = BufReader::new(rpctape::capture::bytes_of(path).map_err(fault)?);
    Ok((unpacked(Box::new(input)).map_err(fault)?, name))
}

/// Prints what was found in all parts.
fn together(findings: &str, args: &AuditArgs) -> Result<u8> {
    let config = Config::load(args.judge.config.as_deref(), Uses::Judging)?;
    let judge = args.judge.configured(&config);
    let (terms, redactor) = (args.print.terms(&judge, &config)?, args.print.redactor(&config));
    let (input, name) = lines_of(findings)?;
    let judged = parts::read(input, name, &terms.selection, args.print.lists_clauses())?;
    check::print_judged(judged, &[findings.to_string()], terms, redactor, &args.print, &args.screen)
}

/// Judges a database again.
fn again(database: &str, args: &AuditArgs, stop: &Stop) -> Result<u8> {
    let config = Config::load(args.judge.config.as_deref(), Uses::Judging)?;
    let judge = args.judge.configured(&config);
    let (terms, redactor) = (args.print.terms(&judge, &config)?, args.print.redactor(&config));
    let options = input::options(args.said.overrides(), &judge, stop)?;
    let path = &rpctape::capture::path_of(database);
    output::claim_database(path)?;
    args.print.admit(&[database.to_string()])?;
    // Reading first: a file that is no database of ours must not be made into one.
    drop(Store::read(path)?);
    let mut store = Store::write(path)?;
    let summary = pipeline::audit(&mut store, &options, &mut Meter::new(&[], args.said.no_progress))?;
    let loaded = Loaded { store, summary, passed_over: Vec::new(), torn: Vec::new() };
    let inputs = [database.to_string()];
    check::print(&loaded, &inputs, terms, redactor, &args.print, &args.screen)
}
