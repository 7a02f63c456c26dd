//! `rpctape audit`: judge a database again.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter};

use clap::Args;
use rpctape::error::{Error, Result};
use rpctape::facts::Reader;
use rpctape::pipeline;
use rpctape::pipeline::facts::{self, Part};
use rpctape::report::Parts;
use rpctape::store::Store;

use super::check::{self, PrintArgs};
use super::config::Config;
use super::input::{self, Loaded, Meter, SaidArgs};
use super::judge::JudgeArgs;
use super::screen::ScreenArgs;
use super::signals::Stop;

/// Judge a database again: with other rules, another protocol or vantage, or a newer rpctape
///
/// What was captured stays as it is; pairing and findings are made anew, and kept. Prints and exits as check does.
#[derive(Args, Debug)]
pub struct AuditArgs {
    /// A database made by `rpctape ingest` or `rpctape check --db`
    #[arg(value_name = "DB", required_unless_present = "facts", value_parser = super::input::name())]
    database: Option<String>,
    /// Judge facts (JSON lines of `rpctape facts`) of whole connections, in order by connection, source and seq; `-` is standard
    /// input. Findings come as JSON lines, and the exit status is 0 when it judged, whatever it found
    #[arg(long, value_name = "FILE", conflicts_with_all = ["database", "vantage", "PrintArgs", "ScreenArgs"])]
    facts: Option<String>,
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
    match (&args.database, &args.facts) {
        (Some(database), _) => again(database, args, stop),
        (None, facts) => apart(facts.as_deref().unwrap_or("-"), args, stop),
    }
}

/// Judges facts. A reader that goes away has not seen all that was found: that is an error here.
fn apart(facts: &str, args: &AuditArgs, stop: &Stop) -> Result<u8> {
    let config = Config::load(args.judge.config.as_deref())?;
    let options = input::options(args.said.overrides(), &args.judge.configured(&config), stop)?;
    let failed = |error: std::io::Error| Error::io("write", "the findings", &error);
    let input: Box<dyn BufRead> = match facts {
        "-" => Box::new(BufReader::new(std::io::stdin())),
        path => {
            let file = File::open(rpctape::capture::path_of(path)).map_err(|error| Error::io("read", path, &error))?;
            Box::new(BufReader::new(file))
        }
    };
    let name = if facts == "-" { "standard input" } else { facts };
    let mut out = BufWriter::new(std::io::stdout());
    let mut parts = Parts::new(&mut out);
    let mut meter = Meter::new(&[], args.said.no_progress);
    facts::judge(&mut Reader::new(input, name), &options, &mut meter, &mut |part| {
        match part {
            Part::Connection(row, key) => parts.connection(row, key),
            Part::Undecided(row) => parts.undecided(row),
            Part::Finding { row, key, seq, nth } => parts.finding(row, key, (seq, nth)),
        }
        .map_err(failed)
    })?;
    parts.finish().map_err(failed)?;
    Ok(0)
}

/// Judges a database again.
fn again(database: &str, args: &AuditArgs, stop: &Stop) -> Result<u8> {
    let config = Config::load(args.judge.config.as_deref())?;
    let judge = args.judge.configured(&config);
    let (terms, redactor) = (args.print.terms(&judge, &config)?, args.print.redactor(&config));
    let options = input::options(args.said.overrides(), &judge, stop)?;
    let path = &rpctape::capture::path_of(database);
    // Reading first: a file that is no database of ours must not be made into one.
    drop(Store::read(path)?);
    let mut store = Store::write(path)?;
    let summary = pipeline::audit(&mut store, &options, &mut Meter::new(&[], args.said.no_progress))?;
    let loaded = Loaded { store, summary, passed_over: Vec::new(), torn: Vec::new() };
    let inputs = [database.to_string()];
    check::print(&loaded, &inputs, terms, redactor, &args.print, &args.screen)
}
