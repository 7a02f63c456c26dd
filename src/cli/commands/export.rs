//! `rpctape export`: the traffic itself, for other programs.

mod collector;
mod drawing;
mod telemetry;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rpctape::capture::{
    Body, Channel, Direction, Frame, RecDetail, RecEvent, RecHeader, RecWriter, Vantage, base64_of, channel_facts,
};
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::protocol::Side;
use rpctape::report::{Digits, TrafficLine, TrafficLines};
use rpctape::store::{ConnectionRow, FindingFilter, Raw, Store, Which};

use crate::cli::args::config::{Config, Uses};
use crate::cli::args::input::{self, ReadArgs};
use crate::cli::args::judge::JudgeArgs;
use crate::cli::args::terms::{RedactArgs, RedactSet};
use crate::cli::content::preface;
use crate::cli::screen::io::{Out, say, written};
use crate::cli::signals::Stop;
use collector::ToArgs;

/// Write the traffic in a form that rpctape and other programs read
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// A log, a folder or a database; `-` is standard input
    #[arg(value_name = "FILE", value_parser = input::name())]
    file: String,
    /// What to write
    #[arg(long = "as", value_enum, value_name = "KIND")]
    kind: Kind,
    /// Write into a file instead of to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// With csv and parquet: which table
    #[arg(long, value_enum, value_name = "TABLE")]
    of: Option<Table>,
    /// With csv, parquet, mermaid, perfetto and otlp: only this connection (its key, or its number in `rpctape ls`)
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    connection: Option<String>,
    /// With mermaid: draw what is around this request, such as '#17' or s4
    #[arg(long, value_name = "REQUEST", allow_hyphen_values = true)]
    around: Option<String>,
    /// With mermaid: draw at most so many messages; the others are folded into notes [default: 80]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max: Option<u64>,
    #[command(flatten)]
    to: ToArgs,
    /// Replace what looks like a secret in the output (best effort); jsonl and rec are copies of the evidence, with all that it holds:
    /// `scrub` cleans those [default: default, for the other kinds]
    #[arg(long, value_enum, value_name = "SET", help_heading = "Screen")]
    redact: Option<RedactSet>,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// One JSON object a message: time, direction, connection, and the text as captured
    Jsonl,
    /// A recording of ours: every frame, with the ends of connections and the gaps
    Rec,
    /// A table for a spreadsheet (`--of`): cells that would be formulas are made text
    Csv,
    /// The same table as Parquet, for DuckDB and pandas (in a build with the feature `parquet`)
    Parquet,
    /// A sequence diagram of one connection, for Markdown pages
    Mermaid,
    /// A timeline for ui.perfetto.dev: requests, progress, cancels
    Perfetto,
    /// OpenTelemetry: requests as spans, findings as log records; OTLP as JSON, one export request a line, or sent to a collector (`--to`)
    Otlp,
}

/// Tables that csv can write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Table {
    /// Every message, with its text
    #[default]
    Messages,
    /// Every request and what became of it
    Exchanges,
    /// What the rules found
    Findings,
}

impl Table {
    fn name(self) -> &'static str {
        match self {
            Table::Messages => "messages",
            Table::Exchanges => "exchanges",
            Table::Findings => "findings",
        }
    }
}

impl ExportArgs {
    /// A flag that another kind needs would be passed over in silence: that is an error.
    fn agree(&self) -> Result<()> {
        let drawn = self.kind == Kind::Mermaid;
        let whole = matches!(self.kind, Kind::Jsonl | Kind::Rec);
        let wrong = [
            ("--of", self.of.is_some() && !matches!(self.kind, Kind::Csv | Kind::Parquet), "csv and parquet"),
            ("--connection", self.connection.is_some() && whole, "csv, parquet, mermaid, perfetto and otlp"),
            ("--around", self.around.is_some() && !drawn, "mermaid"),
            ("--max", self.max.is_some() && !drawn, "mermaid"),
            ("--to", self.to.is_given() && self.kind != Kind::Otlp, "otlp"),
            (
                "--redact",
                self.redact.is_some() && whole,
                "csv, parquet, mermaid, perfetto and otlp; `rpctape scrub` cleans a copy",
            ),
        ];
        match wrong.iter().find(|(_, is_wrong, _)| *is_wrong) {
            Some((flag, _, kinds)) => Err(Error::new(ErrorKind::Usage, format!("{flag} goes with --as {kinds}"))),
            None => Ok(()),
        }
    }
}

/// Writes the traffic in the order in which it was captured.
pub fn run(args: &ExportArgs, stop: &Stop) -> Result<u8> {
    args.agree()?;
    let files = std::slice::from_ref(&args.file);
    let loaded = input::load(files, &args.read, &JudgeArgs::default(), input::PASSING, stop)?;
    let connections = Connections::of(loaded.store.connections()?);
    if connections.rows.is_empty() {
        return Err(Error::new(ErrorKind::Input, format!("{} holds no message to export", args.file)));
    }
    let wanted = preface::connections(&loaded, args.connection.as_deref())?;
    // What is read by people loses its secrets; copies of the evidence do not.
    let config = match args.kind {
        Kind::Jsonl | Kind::Rec => Config::default(),
        _ => Config::load(None, Uses::Showing)?,
    };
    let mut redactor = RedactArgs::from(args.redact).redactor(&config);
    let mut out = args.to.out(args.output.as_deref(), files)?;
    if matches!(args.kind, Kind::Mermaid | Kind::Perfetto | Kind::Otlp) {
        out = out.clean(redactor.clone());
    }
    let mut count = telemetry::Count::default();
    match args.kind {
        Kind::Jsonl => lines(&loaded.store, &connections, &mut out)?,
        Kind::Rec => recording(&loaded.store, &connections, &mut out)?,
        Kind::Csv | Kind::Parquet => {
            let table = args.of.unwrap_or_default().name();
            let write = if args.kind == Kind::Csv { drawing::table } else { drawing::parquet };
            write(&loaded.store, table, &wanted, redactor.take(), &mut out)?;
        }
        Kind::Mermaid => {
            let (around, max) = (args.around.as_deref(), args.max.unwrap_or(drawing::MOST));
            drawing::diagram(&loaded.store, &wanted, around, max, redactor.take(), &mut out)?;
        }
        Kind::Perfetto => drawing::trace(&loaded.store, &wanted, &mut out)?,
        Kind::Otlp => count = telemetry::write(&loaded.store, &wanted, &mut out)?,
    }
    out.close()?;
    args.to.told(&count);
    if matches!(args.kind, Kind::Jsonl | Kind::Rec) {
        tell_of_secrets(&loaded.store)?;
    }
    Ok(0)
}

/// Says that a copy of the evidence holds secrets, where the audit has met some.
fn tell_of_secrets(store: &Store) -> Result<()> {
    let filter = FindingFilter { code: Some("CAP010".to_string()), ..FindingFilter::default() };
    let mut holds = false;
    store.findings(&filter, Raw::None, &mut |_| {
        holds = true;
        Ok(())
    })?;
    if holds {
        say("note: what looks like secrets stands in this copy as it was captured; rpctape scrub makes one without");
    }
    Ok(())
}

/// Connections by row.
struct Connections {
    rows: BTreeMap<u32, ConnectionRow>,
}

impl Connections {
    fn of(rows: Vec<ConnectionRow>) -> Connections {
        Connections { rows: rows.into_iter().filter_map(|row| Some((u32::try_from(row.id).ok()?, row))).collect() }
    }

    /// Who sent a frame: the side where that is known, else the log's own terms. What was inferred is left to whoever
    /// reads the export.
    fn direction(&self, connection: u32, frame: &Frame<'_>) -> Direction {
        frame.direction.told_by(self.rows.get(&connection).and_then(|row| Vantage::from_name(&row.vantage)?.side()))
    }

    /// What the log says of each connection, with what the user says of it.
    fn channels(&self, store: &Store) -> Result<BTreeMap<u32, Channel>> {
        let several = self.rows.len() > 1;
        let told = store.opened()?.into_iter().map(|opened| {
            let name = several.then_some(opened.key);
            let profile = opened.demanded.or(opened.channel.profile);
            (opened.id, Channel { name, profile, ..opened.channel })
        });
        Ok(told.collect())
    }

    /// What all connections have in common, if they do.
    fn common(&self, of: fn(&ConnectionRow) -> &str) -> Option<&str> {
        let mut all = self.rows.values().map(of);
        let first = all.next()?;
        all.all(|other| other == first).then_some(first).filter(|word| !word.is_empty())
    }
}

fn lines(store: &Store, connections: &Connections, out: &mut Out) -> Result<()> {
    let mut digits: BTreeMap<u32, Digits> = BTreeMap::new();
    store.each_frame(Which::All, &mut |_, connection, frame| {
        let needed = digits.entry(connection).or_default();
        *needed = (*needed).max(frame.at_us.map_or(Digits::default(), Digits::of));
        Ok(())
    })?;
    let channels = connections.channels(store)?;
    for (connection, channel) in &channels {
        let lines = traffic(connections, *connection, Digits::default());
        written(lines.facts(out, &channel_facts(channel)))?;
    }
    store.each_frame(Which::All, &mut |_, connection, frame| {
        let lines = traffic(connections, connection, digits.get(&connection).copied().unwrap_or_default());
        written(lines.frame(out, &line_of(frame, connections.direction(connection, frame))))
    })
}

/// A frame as a line of `jsonl`.
fn line_of<'a>(frame: &Frame<'a>, direction: Direction) -> TrafficLine<'a> {
    let mut line = TrafficLine {
        at_us: frame.at_us,
        dir: match direction {
            Direction::By(Side::Client) => Some("c2s"),
            Direction::By(Side::Server) => Some("s2c"),
            Direction::Sent => Some("sent"),
            Direction::Received => Some("received"),
            Direction::Unknown => None,
        },
        stream: frame.stream,
        taps: frame.taps.map(|taps| taps.map(|stamp| stamp.map(|stamp| (stamp.seq, stamp.at_us)))),
        ..TrafficLine::default()
    };
    let side = |side: Side| if side == Side::Client { "c" } else { "s" };
    match &frame.body {
        Body::Message(captured) => line.raw = Some(captured.json.unwrap_or(captured.text).into()),
        Body::Batch { text, .. } => line.raw = Some((*text).into()),
        Body::Malformed { bytes, .. } => {
            line.event = Some("raw");
            match std::str::from_utf8(bytes) {
                Ok(text) => line.raw = Some(text.into()),
                Err(_) => line.b64 = Some(base64_of(bytes)),
            }
        }
        Body::Stderr { text } => (line.event, line.raw) = (Some("err"), Some((*text).into())),
        Body::Open { by } => (line.event, line.by) = (Some("open"), by.map(side)),
        Body::Close { by } => (line.event, line.by) = (Some("close"), by.map(side)),
        Body::Exit(exit) => (line.event, line.code, line.signal) = (Some("exit"), exit.code, exit.signal),
        Body::Missing(missing) => {
            (line.event, line.lost, line.why) = (Some("gap"), missing.lost, Some(missing.why.as_str()));
            line.text = Some(missing.words).filter(|words| !words.is_empty());
        }
        Body::Http { head } => (line.event, line.head) = (Some("http"), Some(*head)),
        Body::Sse { event } => (line.event, line.sse) = (Some("sse"), Some(*event)),
    }
    line
}

fn traffic(connections: &Connections, connection: u32, digits: Digits) -> TrafficLines<'_> {
    let connection = connections.rows.get(&connection).map(|row| row.key.as_str());
    TrafficLines { connection, digits }
}

fn recording(store: &Store, connections: &Connections, out: &mut Out) -> Result<()> {
    let http = connections.common(|row| &row.transport) == Some("http");
    let header = RecHeader {
        tool: concat!("rpctape ", env!("CARGO_PKG_VERSION")),
        session: connections.common(|row| &row.session).unwrap_or("export"),
        part: 1,
        t0_us: connections.rows.values().filter_map(|row| row.first_at_us).min().unwrap_or(0),
        proto: connections.common(|row| &row.protocol),
        revision: connections.common(|row| &row.revision),
        transport: if http { "http" } else { "stdio" },
        vantage: connections.common(|row| &row.vantage).and_then(Vantage::from_name).unwrap_or(Vantage::Unknown),
        cmd: &[],
        live: None,
    };
    let mut writer = broken_pipe_is_fine(RecWriter::new(&mut *out as &mut dyn Write, &header))?;
    let mut last = None;
    for (connection, channel) in &connections.channels(store)? {
        if let Some(open) = &mut writer {
            written(open.channel(*connection, channel))?;
        }
    }
    store.each_frame(Which::All, &mut |_, connection, frame| {
        let Some(open) = &mut writer else { return Ok(()) };
        last = frame.at_us.or(last);
        let direction = connections.direction(connection, frame);
        let sender = direction.side();
        let detail = RecDetail { relative: Some(direction), taps: frame.taps, ..RecDetail::default() };
        let event = match &frame.body {
            Body::Message(captured) => RecEvent::Message(sender, captured.json.unwrap_or(captured.text).as_bytes()),
            Body::Batch { text, .. } => RecEvent::Message(sender, text.as_bytes()),
            Body::Malformed { bytes, .. } => RecEvent::Raw(sender, bytes),
            Body::Open { by } => RecEvent::Open(*by),
            Body::Close { by } => RecEvent::Close(*by),
            Body::Exit(exit) => RecEvent::Exit(*exit),
            Body::Stderr { text } => RecEvent::Stderr(text.as_bytes()),
            Body::Missing(missing) => RecEvent::Missing(sender, *missing),
            Body::Http { head } => RecEvent::Http(sender, head),
            Body::Sse { event } => RecEvent::Sse(sender, event),
        };
        written(open.detailed(frame.at_us, connection, frame.stream, event, &detail))
    })?;
    match writer {
        Some(writer) => written(writer.finish(last, 0).map(|_| ())),
        None => Ok(()),
    }
}

fn broken_pipe_is_fine<T>(result: io::Result<T>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) => written(Err(error)).map(|()| None),
    }
}
