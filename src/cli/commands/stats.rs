//! `rpctape stats`: how long answers take, and what became of cancels.

use std::borrow::Cow;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rpctape::error::Result;
use rpctape::redact::Redactor;
use rpctape::report::stats::Tallies;
use rpctape::store::{ExchangeFilter, ExchangeRow};

use crate::cli::args::config::{Config, Uses};
use crate::cli::args::input;
use crate::cli::args::judge::JudgeArgs;
use crate::cli::args::view::ViewArgs;
use crate::cli::screen::io::{Out, written};
use crate::cli::signals::Stop;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables
    #[default]
    Table,
    /// One JSON document, in microseconds
    Json,
    /// CSV, safe for spreadsheets
    Csv,
}

/// Latency by method, tool and side, and what became of cancels by method, tool and reason
///
/// Percentiles are by nearest rank: each is a value that was measured.
#[derive(Args, Debug)]
pub struct StatsArgs {
    /// Logs, folders, or one database; `-` is standard input
    #[arg(value_name = "FILE", value_parser = input::name())]
    files: Vec<String>,
    /// How to print the figures
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    /// Write the answer into a file instead of to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    view: ViewArgs,
}

/// What a client or a server made up may hold a secret: the names of a method and of a tool.
fn clean(row: &mut ExchangeRow, redactor: &mut Option<Redactor>) {
    let Some(redactor) = redactor else { return };
    for word in [Some(&mut row.method), row.name.as_mut()].into_iter().flatten() {
        if let Cow::Owned(shown) = redactor.text(word) {
            *word = shown;
        }
    }
}

/// Prints the figures.
pub fn run(args: &StatsArgs, stop: &Stop) -> Result<u8> {
    let loaded = input::load(&args.files, &args.view.read, &JudgeArgs::default(), input::PASSING, stop)?;
    let store = &loaded.store;
    let mut redactor = args.view.redact.redactor(&Config::load(None, Uses::Showing)?);
    let mut tallies = Tallies::default();
    store.exchanges(ExchangeFilter::default(), |mut row| {
        clean(&mut row, &mut redactor);
        tallies.exchange(&row);
        Ok(())
    })?;
    store.each_cancellation(|mut row| {
        let mut exchange = row.exchange_id.map(|id| store.exchange(id)).transpose()?.flatten();
        if let Some(exchange) = &mut exchange {
            clean(exchange, &mut redactor);
        }
        if let Some(redactor) = &mut redactor {
            let words = [row.reason.as_mut(), row.target_method.as_mut()];
            words.into_iter().flatten().for_each(|word| *word = redactor.text(word).into_owned());
        }
        // The last sign of work is enough, and that is known without a search.
        let hit = !matches!(row.effect.as_deref(), Some("moot" | "unknown-target" | "malformed"));
        let worked = exchange.as_ref().filter(|_| hit).filter(|exchange| {
            exchange.history.split_once(['C', 'c']).is_some_and(|(_, after)| after.contains(['p', 'P']))
        });
        let signs = worked.map(|exchange| store.signs_of_life(exchange.id, 0)).transpose()?.unwrap_or_default();
        tallies.cancel(&row, exchange.as_ref(), &signs);
        Ok(())
    })?;
    let stats = tallies.into_stats();
    let mut out = Out::open(args.output.as_deref(), &args.files)?.clean(redactor);
    let style = args.view.screen.style(args.output.is_some(), true);
    written(match args.format {
        Format::Table => stats.write_human(&mut out, &style),
        Format::Json => stats.write_json(&mut out),
        Format::Csv => stats.write_csv(&mut out),
    })?;
    out.close()?;
    Ok(0)
}
