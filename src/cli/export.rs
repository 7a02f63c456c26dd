//! `rpctape export`: the traffic itself, for other programs.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rpctape::error::Result;
use rpctape::report::{Digits, TrafficLines};
use rpctape::store::Raw;

use super::input::{self, ReadArgs};
use super::io::{Out, written};
use super::judge::JudgeArgs;
use super::signals::Stop;

/// Write the traffic in a form that other programs read
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// A log, a folder or a database; `-` is standard input
    #[arg(value_name = "FILE")]
    file: String,
    /// What to write
    #[arg(long = "as", value_enum, value_name = "KIND")]
    kind: Kind,
    /// Write into a file instead of to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// One JSON object a message: time, direction, connection, and the text as captured
    Jsonl,
}

/// Writes the traffic, connection by connection.
pub fn run(args: &ExportArgs, stop: &Stop) -> Result<u8> {
    let files = std::slice::from_ref(&args.file);
    let loaded = input::load(files, &args.read, &JudgeArgs::default(), None, stop)?;
    let Kind::Jsonl = args.kind;
    let mut out = Out::open(args.output.as_deref(), files)?;
    let connections = loaded.store.connections()?;
    for connection in &connections {
        let key = (connections.len() > 1).then_some(connection.key.as_str());
        let mut digits = Digits::default();
        loaded.store.messages_of_connection(connection.id, 0, i64::MAX, Raw::None, |message| {
            digits = digits.max(message.at_us.map_or(digits, Digits::of));
            Ok(())
        })?;
        let mut lines = TrafficLines::new(key, digits);
        loaded.store.messages_of_connection(connection.id, 0, i64::MAX, Raw::All, |message| {
            written(lines.message(&mut out, &message))
        })?;
    }
    written(out.flush())?;
    out.close()?;
    Ok(0)
}
