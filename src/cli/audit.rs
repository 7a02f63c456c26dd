//! `rpctape audit`: judge a database again.

use clap::Args;
use rpctape::error::Result;
use rpctape::pipeline;
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
    #[arg(value_name = "DB", value_parser = super::input::name())]
    database: String,
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
    let config = Config::load(args.judge.config.as_deref())?;
    let judge = args.judge.configured(&config);
    let (terms, redactor) = (args.print.terms(&judge, &config)?, args.print.redactor(&config));
    let options = input::options(args.said.overrides(), &judge, stop)?;
    let path = &rpctape::capture::path_of(&args.database);
    // Reading first: a file that is no database of ours must not be made into one.
    drop(Store::read(path)?);
    let mut store = Store::write(path)?;
    let summary = pipeline::audit(&mut store, &options, &mut Meter::new(&[], args.said.no_progress))?;
    let loaded = Loaded { store, summary, passed_over: Vec::new(), torn: Vec::new() };
    let inputs = std::slice::from_ref(&args.database);
    check::print(&loaded, inputs, terms, redactor, &args.print, &args.screen)
}
