//! `rpctape show`: one exchange, or all messages of a connection.

use clap::{Args, ValueEnum};
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::report::{Sheet, Transcript, plural, time};
use rpctape::store::{ConnectionRow, ExchangeRow, FindingFilter, MessageRow, Raw, Store};

use crate::cli::args::config::{Config, Uses};
use crate::cli::args::connection;
use crate::cli::args::input;
use crate::cli::args::judge::JudgeArgs;
use crate::cli::args::moment::{Extent, Span, log_zone, moment};
use crate::cli::args::request_name;
use crate::cli::args::values;
use crate::cli::args::view::ViewArgs;
use crate::cli::screen::io::{self, Out, written};
use crate::cli::signals::Stop;
use rpctape::report::shell;

/// How much of a message one line can show at most.
const EXCERPT: u32 = 600;

/// What `--at` shows before and after the second that was named.
const AROUND_US: i64 = 5_000_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line a message
    #[default]
    Screen,
    /// One JSON document
    Json,
}

/// Show one exchange with every message that belongs to it, or all messages of a connection
#[derive(Args, Debug)]
pub struct ShowArgs {
    /// A log, a folder or a database; `-` is standard input
    #[arg(value_name = "FILE", value_parser = input::name())]
    file: String,
    /// The request: 17, #17, s4 (issued by the server), "abc"; #17@2 names the connection too
    #[arg(value_name = "REQUEST", conflicts_with = "connection", allow_negative_numbers = true)]
    request: Option<String>,
    /// Show all messages of this connection (its key, or its number in `rpctape ls`)
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
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
    /// How to print the messages
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    #[command(flatten)]
    view: ViewArgs,
}

/// How the messages are printed.
enum Print<'a> {
    Screen(Transcript<'a>),
    Json(Sheet),
}

impl Print<'_> {
    fn message(&mut self, out: &mut Out, row: &MessageRow) -> Result<()> {
        written(match self {
            Print::Screen(transcript) => transcript.message(out, row),
            Print::Json(sheet) => sheet.message(out, row),
        })
    }
}

/// Prints the messages.
pub fn run(args: &ShowArgs, stop: &Stop) -> Result<u8> {
    let files = std::slice::from_ref(&args.file);
    let loaded = input::load(files, &args.view.read, &JudgeArgs::default(), input::PASSING, stop)?;
    let style = args.view.screen.style(false, false);
    let redactor = args.view.redact.redactor(&Config::load(None, Uses::Showing)?);
    let mut print = match args.format {
        Format::Screen => Print::Screen(Transcript::new(&style, args.raw).redacted(redactor.clone())),
        Format::Json => Print::Json(Sheet::new(redactor.clone())),
    };
    let mut out = Out::open(None, &[])?.clean(redactor);
    let all = loaded.store.connections()?;
    match &args.request {
        Some(name) => {
            let row = request_name::find(&loaded.store, name)?;
            exchange(&loaded.store, &row, &all, (args.amount(), &mut print), &mut out)?;
        }
        None => {
            let row = chosen(&all, args)?;
            let span = span(&loaded.store, args, row)?;
            whole_connection(&loaded.store, row, (args.amount(), span), &mut print, &mut out)?;
        }
    }
    out.close()?;
    Ok(0)
}

impl ShowArgs {
    /// How much of each message is wanted.
    fn amount(&self) -> Raw {
        if self.raw { Raw::All } else { Raw::Head(EXCERPT) }
    }
}

fn chosen<'a>(all: &'a [ConnectionRow], args: &ShowArgs) -> Result<&'a ConnectionRow> {
    match (&args.connection, all) {
        (Some(key), _) => connection::named(all, key),
        (None, [only]) => Ok(only),
        (None, []) => Err(Error::new(ErrorKind::Input, format!("{} holds no connection", args.file))),
        (None, [first, ..]) => {
            let message = format!("{} holds {} connections", args.file, all.len());
            let key = shell::shown(&first.key).unwrap_or_else(|| "1".to_string());
            let hint =
                format!("choose one: --connection {key} (or its number in `rpctape ls`), or a request such as #17@1");
            Err(Error::new(ErrorKind::Usage, message).hint(hint))
        }
    }
}

fn exchange(
    store: &Store,
    row: &ExchangeRow,
    all: &[ConnectionRow],
    (amount, print): (Raw, &mut Print<'_>),
    out: &mut Out,
) -> Result<()> {
    let title = request_name::title(row);
    let more = format!(" in {}, {}: {} ({})", row.connection, row.profile, row.outcome, row.history);
    let messages = store.messages_of_exchange(row.id, amount)?;
    let from = messages.first().and_then(|message| message.at_us);
    let of = all.iter().find(|connection| connection.id == row.connection_id).cloned().unwrap_or_default();
    written(match print {
        Print::Screen(transcript) => transcript.head(out, (&title, &more), from),
        Print::Json(sheet) => sheet.head(out, &of, Some(row)),
    })?;
    for message in &messages {
        print.message(out, message)?;
    }
    let filter = FindingFilter { exchange: Some(row.id), ..FindingFilter::default() };
    let findings = store.all_findings(&filter, Raw::None)?;
    written(match print {
        Print::Screen(transcript) => transcript.findings(out, &findings),
        Print::Json(sheet) => sheet.finish(out, &findings),
    })
}

fn whole_connection(
    store: &Store,
    row: &ConnectionRow,
    (amount, span): (Raw, Option<Span>),
    print: &mut Print<'_>,
    out: &mut Out,
) -> Result<()> {
    let revision = format!("{} {}", row.protocol, row.revision);
    let title = format!("{}, {}: {}", row.key, revision.trim_end(), plural(row.messages, "message"));
    written(match print {
        Print::Screen(transcript) => transcript.head(out, (&title, ""), row.first_at_us),
        Print::Json(sheet) => sheet.head(out, row, None),
    })?;
    let mut passed = false;
    store.messages_of_connection(row.id, 0, i64::MAX, amount, |message| {
        let inside = span.is_none_or(|span| span.meets(message.at_us, message.at_us));
        passed |= inside;
        if inside { print.message(out, &message) } else { Ok(()) }
    })?;
    if let (false, Some((first, last))) = (passed, row.first_at_us.zip(row.last_at_us)) {
        io::say(&format!("no message passed then: those of this connection are of {}", time::span(first, last)));
    }
    let Print::Json(sheet) = print else { return Ok(()) };
    let filter = FindingFilter { connection: Some(row.id), ..FindingFilter::default() };
    written(sheet.finish(out, &store.all_findings(&filter, Raw::None)?))
}

/// The part of a connection that was asked for.
fn span(store: &Store, args: &ShowArgs, row: &ConnectionRow) -> Result<Option<Span>> {
    Ok(match (&args.at, args.last, row.last_at_us) {
        (Some(at), ..) => {
            let (Some(first_us), Some(last_us)) = (row.first_at_us, row.last_at_us) else {
                return Err(Error::new(ErrorKind::Input, format!("{} has no times", row.key)));
            };
            let zone = args.view.read.tz.or(log_zone(store)?);
            let extent = Extent { first_us, last_us, zone };
            let at = moment(at, &extent)?;
            Some(Span { from_us: at.from_us - AROUND_US, to_us: at.to_us + AROUND_US })
        }
        (_, Some(last), Some(end)) => Some(Span { from_us: end - last, to_us: end }),
        _ => None,
    })
}
