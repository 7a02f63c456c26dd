//! `rpctape ingest`: read logs into a database that is kept.

use std::num::NonZero;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::pipeline::{Options, Summary, Taken};
use rpctape::redact::{self, Redactor};
use rpctape::report::{escape, plural};
use rpctape::store::{self, Payload};

use crate::cli::args::config::{Config, Uses};
use crate::cli::args::input::{self, Loaded, ReadArgs};
use crate::cli::args::judge::JudgeArgs;
use crate::cli::args::terms::RedactSet;
use crate::cli::screen::io;
use crate::cli::signals::Stop;

/// Read logs into a database, paired and audited
///
/// A log that is in the database already adds nothing; one that has grown goes on where it ended.
#[derive(Args, Debug)]
pub struct IngestArgs {
    /// Logs or folders; `-` is standard input
    #[arg(value_name = "FILE", required = true, value_parser = input::name())]
    files: Vec<String>,
    /// The database; made where it does not exist
    #[arg(long, value_name = "FILE")]
    db: PathBuf,
    /// Replace what looks like a secret before it is stored (best effort): `default`, or `off`
    #[arg(long, value_enum, value_name = "SET", default_value = "off")]
    redact: RedactSet,
    /// How a new database keeps the texts of messages; `full` if not said, and what is there stays as it is
    #[arg(long, value_enum, value_name = "HOW")]
    payload: Option<PayloadKept>,
    #[command(flatten)]
    judge: JudgeArgs,
    #[command(flatten)]
    read: ReadArgs,
    /// Threads: 2 and more read ahead of what is judged and stored, which comes out the same, sooner and for more CPU time
    #[arg(short, long, value_name = "N", default_value = "1", help_heading = "Reading")]
    jobs: NonZero<usize>,
}

/// How the texts of messages are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PayloadKept {
    /// As they are: any program that reads SQLite can read them
    Full,
    /// Packed: a third of the room; read by SQL through `rpctape query`
    Compressed,
    /// Not at all where they stand in a log: they are read there again
    None,
}

impl PayloadKept {
    fn payload(self) -> Payload {
        match self {
            PayloadKept::Full => Payload::Full,
            PayloadKept::Compressed => Payload::Compressed,
            PayloadKept::None => Payload::None,
        }
    }
}

/// Reads the logs and says what came of it.
pub fn run(args: &IngestArgs, stop: &Stop) -> Result<u8> {
    if let Some(file) = args.files.iter().find(|file| store::is_ours(&rpctape::capture::path_of(file))) {
        return Err(Error::new(ErrorKind::Usage, format!("{file} is a database, not a log"))
            .hint("`rpctape check` and `rpctape query` take it as it is"));
    }
    let config = Config::load(args.judge.config.as_deref(), Uses::Judging)?;
    let redact = (args.redact == RedactSet::Default).then(|| config.secrets.clone());
    let read = args.read.with_jobs(Some(args.jobs));
    let options = input::reading(&read, &args.judge.configured(&config), stop)?;
    let options = Options { redact, ..options };
    let to = input::To::File(&args.db, args.payload.map(PayloadKept::payload));
    let loaded = input::ingest(&args.files, to, &options, args.read.said.no_progress)?;
    // Names of files are words of others, too.
    io::print(&Redactor::default().text(&told(&loaded, &args.db.to_string_lossy())))?;
    loaded.warn();
    if loaded.summary.tally.messages > 0 {
        return Ok(0);
    }
    io::complain(&Error::new(ErrorKind::Input, "the database holds no message"));
    Ok(2)
}

fn told(loaded: &Loaded, db: &str) -> String {
    let Loaded { summary, passed_over, .. } = loaded;
    let mut text = String::new();
    for input in &summary.inputs {
        let what = match input.taken {
            Taken::New => "read",
            Taken::Beside(_) => "read; what was ingested under this name before is not its beginning, and stays",
            Taken::Grown => "read on from where it ended",
            Taken::Anew => "has grown: read again, in place of what was there",
            Taken::AlreadyThere => "in the database already: nothing added",
        };
        text.push_str(&format!("{}: {what}\n", escape(&input.name)));
        if let Taken::Beside(alike @ 1..) = input.taken {
            text.push_str(&format!("  {}\n", counted_twice(alike)));
        }
    }
    for (file, why) in passed_over {
        text.push_str(&format!("{}: passed over, {}\n", escape(file), escape(why)));
    }
    if !summary.redacted.is_empty() {
        text.push_str(&format!("replaced {} before they were stored\n", redact::told(&summary.redacted)));
    }
    text.push_str(&format!("{} holds {}\n", escape(db), held(summary)));
    text.push_str(&format!("{}\n", found(summary)));
    text
}

/// A log may say the same again, and one that was rewritten does.
fn counted_twice(alike: u64) -> String {
    let messages = plural(alike, "message");
    format!(
        "{messages} of it stand there, too: if it is the same log, rewritten, they count twice; ingest it into a new database"
    )
}

fn held(summary: &Summary) -> String {
    let tally = &summary.tally;
    let counts = [
        (tally.messages, "message"),
        (tally.requests, "request"),
        (tally.cancels, "cancel"),
        (tally.connections, "connection"),
    ];
    counts.map(|(count, word)| plural(count, word)).join(", ")
}

fn found(summary: &Summary) -> String {
    let counts = ["error", "warning", "note"].map(|severity| {
        let of = |certainty| summary.count(severity, certainty);
        (of("violation") + of("race") + of("undecidable"), severity)
    });
    let words: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| plural(*count, word)).collect();
    match words.is_empty() {
        true => "no findings".to_string(),
        false => format!("found {}; `rpctape check` shows them", words.join(", ")),
    }
}
