//! `rpctape query`: SQL over logs or a database.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::report::{Csv, Grid, Objects, RowFormat};

use crate::cli::args::input;
use crate::cli::args::judge::JudgeArgs;
use crate::cli::args::view::PlainArgs;
use crate::cli::screen::io::{Out, written};
use crate::cli::signals::Stop;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table; long cells are cut
    #[default]
    Table,
    /// CSV, safe for spreadsheets
    Csv,
    /// One JSON object a row
    Jsonl,
}

/// Ask in SQL: one query that reads, over a log or a database
///
/// Views: connections, messages, frames, exchanges, cancellations, findings, stuck_requests, late_responses,
/// cancel_latency.
#[derive(Args, Debug)]
pub struct QueryArgs {
    /// A log, a folder or a database; `-` is standard input
    #[arg(value_name = "FILE", value_parser = input::name())]
    file: String,
    /// The query
    #[arg(value_name = "SQL", allow_hyphen_values = true)]
    sql: String,
    /// How to print the rows
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    /// Write the answer into a file instead of to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    plain: PlainArgs,
}

/// Runs the query and prints its rows.
pub fn run(args: &QueryArgs, stop: &Stop) -> Result<u8> {
    let files = std::slice::from_ref(&args.file);
    let loaded = input::load(files, &args.plain.read, &JudgeArgs::default(), input::PASSING, stop)?;
    let style = args.plain.screen.style(args.output.is_some(), true);
    let mut format: Box<dyn RowFormat> = match args.format {
        Format::Table => Box::new(Grid::new(style)),
        Format::Csv => Box::new(Csv),
        Format::Jsonl => Box::new(Objects::default()),
    };
    let mut out = Out::open(args.output.as_deref(), files)?;
    let (format, sink) = (std::cell::RefCell::new(&mut format), std::cell::RefCell::new(&mut out));
    loaded.store.query(
        &args.sql,
        |columns| written(format.borrow_mut().head(&mut **sink.borrow_mut(), columns)),
        |cells| {
            if stop.exit_code().is_some() {
                return Err(Error::new(ErrorKind::Interrupted, "interrupted"));
            }
            let done = format.borrow_mut().row(&mut **sink.borrow_mut(), cells);
            let gone = done.as_ref().err().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe);
            written(done).map(|()| !gone)
        },
    )?;
    let done = format.borrow_mut().finish(&mut **sink.borrow_mut());
    written(done)?;
    out.close()?;
    Ok(0)
}
