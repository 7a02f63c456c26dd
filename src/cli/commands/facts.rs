//! `rpctape facts`: what the audit reads of logs, without their bodies, as files that any engine can move and sort.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use rpctape::capture::{self, Skip};
use rpctape::error::Result;
#[cfg(not(feature = "parquet"))]
use rpctape::error::{Error, ErrorKind};
use rpctape::facts::{FileFacts, Lines, Sink, file_name};
use rpctape::output::{self, Folder, Output, Readers};
use rpctape::pipeline::Options;
use rpctape::pipeline::facts::{Lifted, lift, unread};
use rpctape::report::{count, plural};

use crate::cli::args::input::{self, Meter, ReadArgs, harm_of};
use crate::cli::screen::io::{self, Out};
use crate::cli::signals::Stop;

/// Write what the audit reads of logs, one file for each, to judge them elsewhere (`audit --facts -`)
///
/// Nothing in a file of facts depends on another log or on the machine. Bodies stay behind: a row says where its message stands.
#[derive(Args, Debug)]
pub struct FactsArgs {
    /// Logs or folders
    #[arg(value_name = "LOG", required = true, value_parser = input::name())]
    files: Vec<String>,
    /// The folder to write into; `-` writes JSON lines to standard output
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// As what to write
    #[arg(long = "as", value_enum, default_value_t, value_name = "FORM")]
    form: Form,
    /// Have the payloads in it, too
    #[arg(long)]
    payload: bool,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Parquet, compressed with zstd (in a build with the feature `parquet`)
    #[default]
    Parquet,
    /// JSON lines, compressed with gzip
    Jsonl,
    /// Parquet with some hundred KB of JSON lines a row, for an engine that only moves them (in a build with the feature `parquet`)
    Blocks,
}

impl Form {
    fn ending(self) -> &'static str {
        match self {
            Form::Parquet => "parquet",
            Form::Jsonl => "jsonl.gz",
            Form::Blocks => "blocks.parquet",
        }
    }
}

/// Writes the facts of each log.
pub fn run(args: &FactsArgs, stop: &Stop) -> Result<u8> {
    let options = Options { overrides: args.read.overrides(), interrupt: Some(stop.flag()), ..Options::default() };
    let to_stdout = args.output == Path::new("-");
    if !to_stdout {
        io::apart(&args.output, &args.files)?;
    }
    let found = capture::expand(&args.files, &options.overrides)?;
    input::told_twice(&args.files);
    if found.paths.is_empty() && found.skipped.is_empty() && found.archives.is_empty() {
        return Err(input::no_log(&args.files));
    }
    let _folder = (!to_stdout).then(|| Folder::make(&args.output)).transpose()?;
    let sink = |file: &str| match to_stdout {
        true => Ok(Box::new(Lines::new(Out::open(None, &[])?.shown(), "the facts")) as Box<dyn Sink>),
        false => open(args.form, &args.output.join(file_name(file, args.form.ending())), &args.files),
    };
    for (file, told) in unread_of(&found) {
        let mut sink = sink(&file)?;
        unread(&file, &told, &mut *sink)?;
        sink.finish()?;
        if !told.reason.is_empty() {
            passed_over(&file, &told.reason);
        }
        hurt(&file, &told);
    }
    let mut meter = Meter::new(&found.paths, args.read.said.no_progress);
    for log in &found.paths {
        let mut sink = sink(log)?;
        let done = lift(log, &options, args.payload, &mut *sink, &mut meter)?;
        sink.finish()?;
        match done {
            Lifted::PassedOver(why) => passed_over(log, &why),
            Lifted::Facts(told) if !to_stdout => {
                let (rows, bytes) = (plural(told.rows, "row"), count(told.size));
                io::say(&format!("{}: {rows} of {bytes} bytes", log));
                hurt(log, &told);
            }
            Lifted::Facts(told) => hurt(log, &told),
        }
    }
    Ok(0)
}

/// What is not read of what was named, and what is said of it at the end: files that were passed over, and archives that are torn. One
/// may be both.
fn unread_of(found: &capture::Expanded) -> BTreeMap<String, FileFacts> {
    let mut told: BTreeMap<String, FileFacts> = BTreeMap::new();
    for (file, reason) in &found.skipped {
        told.entry(file.clone()).or_default().reason.clone_from(reason);
    }
    for archive in found.archives.iter().filter(|archive| archive.torn) {
        told.entry(archive.path.clone()).or_default().skipped = vec![(Skip::Torn.as_str().to_string(), 1, 1)];
    }
    told
}

fn hurt(log: &str, told: &FileFacts) {
    for (_, told) in harm_of(log, &told.skipped).take(1) {
        io::say(&format!("warning: {}", told));
    }
}

fn passed_over(file: &str, why: &str) {
    io::say(&format!("{}: passed over, {}", file, why));
}

/// A file that gets its name when it is whole.
fn open(form: Form, path: &Path, inputs: &[String]) -> Result<Box<dyn Sink>> {
    io::apart(path, inputs)?;
    let output = || Output::create(path, Readers::Owner);
    match form {
        Form::Parquet => parquet(output, path),
        Form::Blocks => blocks(output, path),
        Form::Jsonl => {
            let packed = flate2::write::GzEncoder::new(output()?, flate2::Compression::fast());
            Ok(Box::new(Packed(Lines::new(packed, &path.display().to_string()))))
        }
    }
}

#[cfg(feature = "parquet")]
fn parquet(output: impl FnOnce() -> Result<Output>, path: &Path) -> Result<Box<dyn Sink>> {
    let rows = rpctape::facts::ParquetRows::new(output()?, &path.display().to_string(), Output::finish)?;
    Ok(Box::new(rows))
}

#[cfg(feature = "parquet")]
fn blocks(output: impl FnOnce() -> Result<Output>, path: &Path) -> Result<Box<dyn Sink>> {
    let rows = rpctape::facts::Blocks::new(output()?, &path.display().to_string(), Output::finish)?;
    Ok(Box::new(rows))
}

#[cfg(not(feature = "parquet"))]
fn blocks(output: impl FnOnce() -> Result<Output>, path: &Path) -> Result<Box<dyn Sink>> {
    parquet(output, path)
}

#[cfg(not(feature = "parquet"))]
fn parquet(_: impl FnOnce() -> Result<Output>, _: &Path) -> Result<Box<dyn Sink>> {
    Err(without_parquet("--as jsonl writes the same as JSON lines"))
}

/// The error of a build that cannot write Parquet.
#[cfg(not(feature = "parquet"))]
pub fn without_parquet(instead: &str) -> Error {
    Error::new(ErrorKind::Usage, "this rpctape was built without Parquet")
        .hint(format!("build it with `--features parquet`; {instead}"))
}

/// JSON lines in gzip.
struct Packed(Lines<flate2::write::GzEncoder<Output>>);

impl Sink for Packed {
    fn row(&mut self, row: &rpctape::facts::Row<'_>) -> Result<()> {
        self.0.write(row)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let packed = self.0.into_inner().finish();
        packed.map_err(|error| output::failed("the facts", error))?.finish()
    }
}
