//! `rpctape merge`: several recordings as one.

use std::path::PathBuf;

use clap::Args;
use rpctape::error::Result;
use rpctape::output::{self, Readers};
use rpctape::replay::edit::merged;
use rpctape::report::plural;

use crate::cli::args::input::{self, recording_text};
use crate::cli::args::terms::RedactArgs;
use crate::cli::screen::io;

/// Make one recording of several: every connection as it was, in the order of their times
///
/// Parts of one recording (rotated files) go on with its connections. What `record` and `replay` write can be merged; of another log, make
/// a recording first (`export --as rec`).
#[derive(Args, Debug)]
pub struct MergeArgs {
    /// The recordings; `-` is standard input
    #[arg(value_name = "REC", required = true, num_args = 2.., value_parser = input::name())]
    files: Vec<String>,
    /// Where the one goes
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    redact: RedactArgs,
}

/// Reads them whole and writes.
pub fn run(args: &MergeArgs) -> Result<u8> {
    io::apart(&args.output, &args.files)?;
    let hint = "recordings are merged as they were written, not compressed";
    let read = |file: &String| recording_text(file, hint);
    let texts = args.files.iter().map(read).collect::<Result<Vec<_>>>()?;
    let named: Vec<(&str, &str)> =
        args.files.iter().map(String::as_str).zip(texts.iter().map(String::as_str)).collect();
    let (text, replaced) = args.redact.handed_on(merged(&named)?)?;
    output::write(&args.output, text.as_bytes(), Readers::Owner)?;
    let of = plural(args.files.len() as u64, "recording");
    io::say(&format!("{of} in {}", args.output.to_string_lossy()));
    replaced.iter().for_each(|line| io::say(line));
    Ok(0)
}
