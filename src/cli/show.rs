//! `rpctape show`: one exchange, or all messages of a connection.

use clap::Args;
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::report::{Transcript, plural};
use rpctape::store::{ConnectionRow, ExchangeRow, FindingFilter, Raw, Store};

use super::check::no_connection;
use super::config::Config;
use super::input::{self, ReadArgs};
use super::io::{Out, written};
use super::judge::JudgeArgs;
use super::moment::{Extent, Span, moment};
use super::request_name;
use super::screen::ScreenArgs;
use super::signals::Stop;
use super::terms::RedactArgs;
use super::values;

/// How much of a message one line can show at most.
const EXCERPT: u32 = 600;

/// What `--at` shows before and after the second that was named.
const AROUND_US: i64 = 5_000_000;

/// Show one exchange with every message that belongs to it, or all messages of a connection
#[derive(Args, Debug)]
pub struct ShowArgs {
    /// A log, a folder or a database; `-` is standard input
    #[arg(value_name = "FILE", value_parser = super::input::name())]
    file: String,
    /// The request: 17, #17, s4 (issued by the server), "abc"; #17@2 names the connection too
    #[arg(value_name = "REQUEST", conflicts_with = "connection")]
    request: Option<String>,
    /// Show all messages of this connection (`rpctape ls` shows the keys)
    #[arg(long, value_name = "KEY")]
    connection: Option<String>,
    /// Of a connection: only what passed around this time, five seconds before and after (06:14:58, 2026-04-12T06:14:58Z)
    #[arg(long, value_name = "TIME", conflicts_with_all = ["request", "last"])]
    at: Option<String>,
    /// Of a connection: only the last while (5m, 30s)
    #[arg(long, value_name = "DURATION", value_parser = values::duration, conflicts_with = "request")]
    last: Option<i64>,
    /// Print every message whole; with --redact off as it was captured
    #[arg(long)]
    raw: bool,
    #[command(flatten)]
    redact: RedactArgs,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    screen: ScreenArgs,
}

/// Prints the messages.
pub fn run(args: &ShowArgs, stop: &Stop) -> Result<u8> {
    let files = std::slice::from_ref(&args.file);
    let loaded = input::load(files, &args.read, &JudgeArgs::default(), None, stop)?;
    super::check::warn_of_torn(&loaded);
    let style = args.screen.style(false, false);
    let redactor = args.redact.redactor(&Config::load(None)?);
    let mut transcript = Transcript::new(&style, args.raw).redacted(redactor.clone());
    let mut out = Out::open(None, &[])?.clean(redactor);
    match &args.request {
        Some(name) => {
            exchange(&loaded.store, &request_name::find(&loaded.store, name)?, args.raw, &mut transcript, &mut out)?
        }
        None => {
            let all = loaded.store.connections()?;
            let row = chosen(&all, args)?;
            let span = span(args, row)?;
            connection(&loaded.store, row, (args.raw, span), &mut transcript, &mut out)?;
        }
    }
    out.close()?;
    Ok(0)
}

fn chosen<'a>(all: &'a [ConnectionRow], args: &ShowArgs) -> Result<&'a ConnectionRow> {
    match (&args.connection, all) {
        (Some(key), _) => all.iter().find(|row| row.key == *key).ok_or_else(|| no_connection(key, all)),
        (None, [only]) => Ok(only),
        (None, []) => Err(Error::new(ErrorKind::Input, format!("{} holds no connection", args.file))),
        (None, [first, ..]) => {
            let message = format!("{} holds {} connections", args.file, all.len());
            let hint = format!("choose one: --connection '{}', or a request such as #17@1", first.key);
            Err(Error::new(ErrorKind::Usage, message).hint(hint))
        }
    }
}

fn exchange(store: &Store, row: &ExchangeRow, raw: bool, transcript: &mut Transcript<'_>, out: &mut Out) -> Result<()> {
    let title = format!(
        "{} in {}, {}: {} ({})",
        request_name::title(row),
        row.connection,
        row.profile,
        row.outcome,
        row.history
    );
    let messages = store.messages_of_exchange(row.id, amount(raw))?;
    written(transcript.head(out, &title, messages.first().and_then(|message| message.at_us)))?;
    for message in &messages {
        written(transcript.message(out, message))?;
    }
    let filter = FindingFilter { exchange: Some(row.id), ..FindingFilter::default() };
    let findings = store.all_findings(&filter, Raw::None)?;
    written(transcript.findings(out, &findings))
}

fn connection(
    store: &Store,
    row: &ConnectionRow,
    (raw, span): (bool, Option<Span>),
    transcript: &mut Transcript<'_>,
    out: &mut Out,
) -> Result<()> {
    let revision = format!("{} {}", row.protocol, row.revision);
    let title = format!("{}, {}: {}", row.key, revision.trim_end(), plural(row.messages, "message"));
    written(transcript.head(out, &title, row.first_at_us))?;
    store.messages_of_connection(row.id, 0, i64::MAX, amount(raw), |message| {
        match span.is_none_or(|span| span.meets(message.at_us, message.at_us)) {
            true => written(transcript.message(out, &message)),
            false => Ok(()),
        }
    })
}

/// The part of a connection that was asked for.
fn span(args: &ShowArgs, row: &ConnectionRow) -> Result<Option<Span>> {
    Ok(match (&args.at, args.last, row.last_at_us) {
        (Some(at), ..) => {
            let (Some(first_us), Some(last_us)) = (row.first_at_us, row.last_at_us) else {
                return Err(Error::new(ErrorKind::Input, format!("{} has no times", row.key)));
            };
            let extent = Extent { first_us, last_us, zone: args.read.tz.unwrap_or(0) };
            let at = moment(at, &extent)?;
            Some(Span { from_us: at.from_us - AROUND_US, to_us: at.to_us + AROUND_US })
        }
        (_, Some(last), Some(end)) => Some(Span { from_us: end - last, to_us: end }),
        _ => None,
    })
}

fn amount(raw: bool) -> Raw {
    if raw { Raw::All } else { Raw::Head(EXCERPT) }
}
