//! `rpctape diff`: two recordings of the same session, exchange by exchange.

use std::path::PathBuf;

use clap::Args;
use rpctape::error::Result;
use rpctape::pipeline::replay::load;
use rpctape::replay::{Options, Recording, diff};

use crate::cli::args::comparing::CompareArgs;
use crate::cli::args::config::{Config, Uses};
use crate::cli::args::input::{self, ReadArgs};
use crate::cli::args::judge::JudgeArgs;
use crate::cli::args::run_reports::RunReportArgs;
use crate::cli::args::terms::RedactArgs;
use crate::cli::screen::ScreenArgs;
use crate::cli::signals::Stop;

/// Compare two recordings of the same session: requests are matched by what they ask, verdicts are those of replay
///
/// Exit status: 0 nothing differs that fails, 1 something does, 2 could not run or nothing was compared.
#[derive(Args, Debug)]
pub struct DiffArgs {
    /// The recording that is taken for right: any log that keeps the messages
    #[arg(value_name = "A", value_parser = input::name())]
    before: String,
    /// The one that is held against it
    #[arg(value_name = "B", value_parser = input::name())]
    after: String,
    #[command(flatten)]
    compare: CompareArgs,
    #[command(flatten)]
    report: RunReportArgs,
    #[command(flatten)]
    redact: RedactArgs,
    /// Read this configuration, instead of the first rpctape.toml from the current directory upwards
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    screen: ScreenArgs,
}

/// Compares and prints.
pub fn run(args: &DiffArgs, stop: &Stop) -> Result<u8> {
    let config = Config::load(args.config.as_deref(), Uses::Comparing)?;
    let options = Options {
        compare: args.compare.compare(&config.replay)?,
        gate: args.compare.gate(&config.replay)?,
        ..Options::default()
    };
    let reports = args.report.open(&[args.before.clone(), args.after.clone()])?;
    let judging = JudgeArgs::default().configured(&config);
    let [before, after] = [&args.before, &args.after].map(|file| recording(file, &args.read, &judging, stop));
    let report = diff(&before?, &after?, &options);
    reports.write(&report, args.redact.redactor(&config), &args.screen)?;
    Ok(report.exit)
}

/// A file as a recording.
pub fn recording(file: &str, read: &ReadArgs, judging: &JudgeArgs, stop: &Stop) -> Result<Recording> {
    let loaded = input::load(&[file.to_string()], read, judging, input::PASSING, stop)?;
    load(&loaded.store, file)
}
